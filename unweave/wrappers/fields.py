"""What wrappers for detail pages find: the fields of one page."""

from __future__ import annotations

import re

RESERVED = frozenset(["page", "fit"])
"""What a line of the output has besides the fields."""

_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_NAME = 40


def field_name(text: str) -> str:
    """A name made of what a label, a header or a class says."""
    name = _NO_WORD.sub("_", text.casefold()).strip("_")[:_LONGEST_NAME].strip("_") or "field"
    return f"{name}_" if name in RESERVED else name


Fields = dict[str, str | list[str]]
"""Texts by the names of their fields; a list where a page may have several."""
