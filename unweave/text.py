"""Text of untrusted pages: without what is left of the marks around it, and harmless for a terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Before a value, a dash or slash is a mark only with a space behind it: "-5" and "/path" are values.
_BEFORE = re.compile(r"[\s:;,|•·]+|[-–—/»›]\s+(?!\d)")
_AFTER = re.compile(r"[\s;,|•·]+$|\s+[-–—/]$")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SMILEYS = (":", ";", "-")
# A hostile text may have any number of marks. So many characters are looked at in one round.
_MAX_ROUNDS = 8
_MAX_MARKS = 20


def plain(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def strip_stray_marks(text: str) -> str:
    """Return a value without the punctuation that the markup around it left behind: ": 730-9080", "4.0 of 5 (".

    Brackets are left out where their other half is missing, separators at both ends. A text of nothing else stays as it is.
    """
    stripped = text
    for _ in range(_MAX_ROUNDS):
        last = stripped
        if match := _BEFORE.match(stripped):
            stripped = stripped[match.end() :]
        if match := _AFTER.search(stripped[-_MAX_MARKS:]):
            stripped = stripped[: len(stripped) - (match.end() - match.start())]
        stripped = _strip_half_brackets(stripped)
        if stripped == last:
            break
    return stripped if any(map(str.isalnum, stripped)) else text


def _strip_half_brackets(text: str) -> str:
    for opening, closing in _BRACKETS.items():
        if text.endswith(opening) or (text.startswith(opening) and closing not in text):
            text = text.removesuffix(opening) if text.endswith(opening) else text[1:]
        if text.startswith(closing) or (text.endswith(closing) and opening not in text and text[-2:-1] not in _SMILEYS):
            text = text.removeprefix(closing) if text.startswith(closing) else text[:-1]
    return text
