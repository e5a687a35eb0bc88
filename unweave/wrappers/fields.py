"""What wrappers for detail pages find: the fields of one page."""

from __future__ import annotations

RESERVED = frozenset(["page", "fit"])
"""What a line of the output has besides the fields."""

Fields = dict[str, str | list[str]]
"""Texts by the names of their fields; a list where a page may have several."""
