"""Cleaning of text from untrusted pages: control characters, stray punctuation, labels."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Before a value, a dash or slash is stray only with a space after it: "-5" and "/path" are values.
_STRAY_PREFIX = re.compile(r"[\s:;,|•·]+|[-–—/»›]\s+(?!\d)")
_STRAY_SUFFIX = re.compile(r"[\s;,|•·]+$|\s+[-–—/]$")
# A run of other characters is tried from its start only, so that long ones take linear time.
_LABEL_ENDING = re.compile(r"\(s\)$|(?<!\W)\W+$")
_COLON = re.compile("[:=]")
_LABEL_PREFIX = re.compile(
    r"\W*([^\W\d_][\w .'#/&()-]{0,38}?)(?:\s*[:=]\s*(?=[\w($€£¥])|\s[-–—]\s+(?=[\w($€£¥]))"
)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SMILEY_EYES = (":", ";", "-")
# An untrusted text may have any number of punctuation marks: both bounds keep the time linear.
_MAX_ROUNDS = 8
_MAX_SUFFIX_LENGTH = 20


def replace_control_characters(text: str) -> str:
    """Replace control characters, which a terminal would interpret, by U+FFFD."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def strip_stray_punctuation(text: str) -> str:
    """Strip punctuation that the surrounding markup left behind: ": 730-9080", "4.0 of 5 (".

    Separators are removed at both ends, brackets where their counterpart is missing. A text
    without letters and digits is returned unchanged.
    """
    if text[:1].isalnum() and text[-1:].isalnum():  # as most texts
        return text
    stripped = text
    for _ in range(_MAX_ROUNDS):
        previous = stripped
        if match := _STRAY_PREFIX.match(stripped):
            stripped = stripped[match.end() :]
        if match := _STRAY_SUFFIX.search(stripped[-_MAX_SUFFIX_LENGTH:]):
            stripped = stripped[: len(stripped) - (match.end() - match.start())]
        stripped = _strip_unpaired_brackets(stripped)
        if stripped == previous:
            break
    return stripped if any(map(str.isalnum, stripped)) else text


def _strip_unpaired_brackets(text: str) -> str:
    for opening, closing in _BRACKETS.items():
        if text.endswith(opening) or (text.startswith(opening) and closing not in text):
            text = text.removesuffix(opening) if text.endswith(opening) else text[1:]
        if text.startswith(closing) or (
            text.endswith(closing) and opening not in text and text[-2:-1] not in _SMILEY_EYES
        ):
            text = text.removeprefix(closing) if text.startswith(closing) else text[:-1]
    return text


def normalize_label(text: str) -> str:
    """Return a label in lower case, without its colon and plural: "Authors:" gives "author"."""
    label = _LABEL_ENDING.sub("", _LABEL_ENDING.sub("", text.casefold().strip()))
    return label[:-1] if label.endswith("s") and len(label) > len("is") + 1 else label


def find_prefix(text: str, *, with_dash: bool = True) -> str:
    """Return the words before the first sign of a text, if a value follows; else an empty text.

    A sign is a colon, an equals sign or a dash, if dashes count.
    """
    match = _LABEL_PREFIX.match(text)
    if match is None or (not with_dash and not _COLON.search(match[0])):
        return ""
    return match[1]


def strip_label(text: str, label: str) -> str:
    """Return a text without the label and the sign that it starts with, if it does."""
    match = _LABEL_PREFIX.match(text)
    return text[match.end() :] if match and match[1].casefold() == label.casefold() else text
