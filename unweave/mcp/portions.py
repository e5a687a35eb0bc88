"""Portions of long results: bounded in items and characters, with the offset of the next one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from unweave.errors import UsageError

MAX_CHARACTERS = 30_000
"""The most characters of results in one answer, as JSON."""

ELLIPSIS = "…"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Portion(Generic[T]):
    """Some of a number of items."""

    items: list[T]
    next_offset: int | None
    """Where the next portion begins; None after the last item."""
    is_cut: bool = False
    """Whether texts of the only item were cut, because they are too long for one answer."""


def select_portion(
    items: Sequence[T],
    describe: Callable[[T], Any],
    *,
    offset: int,
    limit: int,
    max_characters: int = MAX_CHARACTERS,
) -> Portion[Any]:
    """Return the items from an offset on, described as plain data, as many as fit.

    There is at least one, so that following the offsets comes to an end; one that is too large has
    its texts cut.
    """
    if offset > len(items):
        raise UsageError(f"the offset is {offset:,}, and there are {len(items):,} items")
    selected: list[Any] = []
    characters = 0
    for number in range(offset, min(offset + limit, len(items))):
        described = describe(items[number])
        characters += len(json.dumps(described, ensure_ascii=False))
        if characters > max_characters:
            if not selected:
                cut = cut_texts(described, max_characters)
                return Portion([cut], _get_next(number + 1, len(items)), is_cut=True)
            break
        selected.append(described)
    return Portion(selected, _get_next(offset + len(selected), len(items)))


def cut_texts(data: Any, max_characters: int) -> Any:
    """Return plain data with its last texts cut, and its last items left out, to fit.

    The data is what this package describes, so it is a few levels deep.
    """
    remaining = max_characters

    def cut(value: Any) -> Any:
        nonlocal remaining
        if isinstance(value, str):
            kept = value if len(value) <= remaining else value[: max(remaining, 0)] + ELLIPSIS
            remaining -= len(value)
            return kept
        if isinstance(value, dict):
            kept_items = {}
            for name, item in value.items():
                if remaining <= 0:
                    break
                remaining -= len(name)
                kept_items[name] = cut(item)
            return kept_items
        if isinstance(value, list):
            kept_list = []
            for item in value:
                if remaining <= 0:
                    break
                remaining -= 1
                kept_list.append(cut(item))
            return kept_list
        remaining -= 1
        return value

    return cut(data)


def _get_next(offset: int, total: int) -> int | None:
    return offset if offset < total else None
