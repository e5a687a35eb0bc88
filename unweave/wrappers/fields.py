"""What wrappers for detail pages find: the fields of one page."""

from __future__ import annotations

import re

from unweave.fields.names import name_of
from unweave.text import strip_stray_marks

RESERVED = frozenset(["page", "fit"])
"""What a line of the output has besides the fields."""

STEADY = 0.9
"""What so many of the learned pages had is expected on every page."""

_WORD = re.compile(r"\w")


def field_name(text: str) -> str:
    """A name made of what a label, a header or a class says."""
    name = name_of(text) or "field"
    return f"{name}_" if name in RESERVED else name


def is_field_name(name: str) -> bool:
    """May a field be called so?"""
    return bool(name) and name.isprintable() and name not in RESERVED


def is_value(text: str) -> bool:
    """Does the text say something? Marks between values do not."""
    return _WORD.search(text) is not None


Fields = dict[str, str | list[str] | list[str | None]]
"""Texts by the names of their fields; a list where a page may have several.

The columns of a table are lists of one length, with None where a row has nothing.
"""


def tidy(fields: Fields) -> Fields:
    """Return the fields as people read them: without the punctuation that the markup around a value left behind.

    JSON has the texts as the page has them, so that they can be found in it again; tables have them tidy.
    """
    return {
        name: [own and strip_stray_marks(own) for own in value] if isinstance(value, list) else strip_stray_marks(value)
        for name, value in fields.items()
    }
