"""Text of strangers, made harmless for a terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
