"""Descriptions of the fields of wrappers, and the tree of a landmark grammar."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from unweave.studio.page_sets.learned import Learned
from unweave.wrappers.base import FieldDescription, Wrapper
from unweave.wrappers.landmarks.apply import UNSEEN_PREFIX

# JSON that is nested deeper is more than programs read, and than people look at.
MOST_LEVELS = 60
_MOST_LINES = 5_000


@dataclass(frozen=True, slots=True)
class Described:
    """A field in words."""

    name: str
    told_by: str
    share: float
    is_list: bool
    examples: tuple[str, ...]
    table: str | None = None
    """The table inside the page that it is a column of."""


def fields(learned: Learned) -> list[Described]:
    """Return the fields or columns of a wrapper that the learned pages have."""
    described: list[Described] = []
    for field in learned.wrapper.describe_fields():
        name = field.name
        if field.share is not None:
            described.append(_to_described(field, field.share, field.examples))
        elif learned.pages_with[name]:
            examples = tuple(learned.examples[name])
            described.append(_to_described(field, learned.share(name), examples))
    return described


def all_fields(wrapper: Wrapper) -> list[Described]:
    """Return the fields or columns of a wrapper, whether any page has them or not."""
    return [
        _to_described(field, field.share or 0.0, field.examples)
        for field in wrapper.describe_fields()
        if field.share is not None or not field.name.startswith(UNSEEN_PREFIX)
    ]


def _to_described(field: FieldDescription, share: float, examples: tuple[str, ...]) -> Described:
    return Described(field.name, field.located_by, share, field.is_list, examples, field.table)


def lines(learned: Learned) -> list[str]:
    """Return the lines of a pattern or a grammar; none of wrappers that are a list of fields."""
    return list(islice(learned.wrapper.format_pattern(), _MOST_LINES))


def tree(learned: Learned) -> dict[str, Any] | None:
    """Return the tree of landmarks as plain data, cut below ``MOST_LEVELS``; None if there is none."""
    return learned.wrapper.to_landmark_tree(learned.examples, max_levels=MOST_LEVELS)
