"""Wrappers in words: what each field is told by, and the tree of a landmark grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unweave.studio.many.learned import Learned
from unweave.table import LIST
from unweave.trees.pattern import REPEATED
from unweave.wrappers.landmark import UNSEEN, LandmarkWrapper
from unweave.wrappers.news_pattern import NewsPatternWrapper
from unweave.wrappers.pattern import PatternWrapper
from unweave.wrappers.records import RecordWrapper
from unweave.wrappers.seed import SeedWrapper
from unweave.wrappers.slots import SlotWrapper
from unweave.wrappers.wrapper import Wrapper

# JSON that is nested deeper is more than programs read, and than people look at.
MOST_LEVELS = 60
_MOST_LINES = 5_000
_SHOWN_STEPS = 3
_SIDES = ("before", "inside", "after")


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
    """The fields or columns of a wrapper, as far as pages have them."""
    wrapper = learned.wrapper
    if isinstance(wrapper, SlotWrapper):
        return list(_slots(wrapper))
    return [
        Described(name, told_by, learned.share(name), is_list, tuple(learned.examples[name]))
        for name, told_by, is_list in _told(wrapper)
        if learned.pages_with[name]
    ]


def all_fields(wrapper: Wrapper) -> list[Described]:
    """Return the fields or columns of a wrapper, whether any page has them or not."""
    if isinstance(wrapper, SlotWrapper):
        return list(_slots(wrapper))
    return [
        Described(name, told_by, 0.0, is_list, ())
        for name, told_by, is_list in _told(wrapper)
        if not name.startswith(UNSEEN)
    ]


def _slots(wrapper: SlotWrapper) -> Iterator[Described]:
    for own in wrapper.fields:
        yield Described(own.name, wrapper.told_by(own), own.share, own.number is None, own.examples)
    for table in wrapper.tables:
        for column in table.columns:
            yield Described(column.name, f"row of {table.name}", table.share, True, column.examples, table.name)


_Told = Iterator[tuple[str, str, bool]]


def _told(wrapper: RecordWrapper | PatternWrapper | NewsPatternWrapper | LandmarkWrapper | SeedWrapper) -> _Told:
    """The fields of a wrapper, what tells them, and whether they are lists."""
    if isinstance(wrapper, RecordWrapper):
        return _columns(wrapper)
    if isinstance(wrapper, SeedWrapper):
        return _seed_columns(wrapper)
    if isinstance(wrapper, NewsPatternWrapper):
        return iter([("title", "what differs before the body", False), ("body", "the longest text that differs", True)])
    return _wildcards(wrapper) if isinstance(wrapper, PatternWrapper) else _parts(wrapper)


def _columns(wrapper: RecordWrapper) -> _Told:
    place = "/".join(wrapper.paths[0][-_SHOWN_STEPS:])
    for column in wrapper.columns:
        yield column.name, f"column of the list at {place}", column.type == LIST


def _seed_columns(wrapper: SeedWrapper) -> _Told:
    for path, column in wrapper.paths():
        yield column.name, f"{'/'.join(path[-_SHOWN_STEPS:])} of a record", False


def _wildcards(wrapper: PatternWrapper) -> _Told:
    for pattern in wrapper.patterns:
        for node, name in pattern.names.items():
            above = [pattern.tree.labels[own] for own in pattern.tree.ancestors(node)][1 : _SHOWN_STEPS + 1]
            yield name, "/".join(reversed(above)), pattern.tree.labels[node] in REPEATED


def _parts(wrapper: LandmarkWrapper) -> _Told:
    for node in wrapper.nodes:
        if node.landmark is None:
            continue
        yield node.field, f"where {node.landmark} is missing", False
        names = _SIDES if len(node.sides) == len(_SIDES) else _SIDES[::2]
        for name, side in zip(names, node.sides, strict=True):
            if wrapper.nodes[side].landmark is None:
                yield wrapper.nodes[side].field, f"{name} {node.landmark}", False


def lines(learned: Learned) -> list[str]:
    """A pattern or a grammar as lines of text; none of wrappers that are a list of fields."""
    wrapper = learned.wrapper
    if isinstance(wrapper, PatternWrapper | NewsPatternWrapper):
        return [line for pattern in wrapper.to_json()["patterns"] for line in pattern][:_MOST_LINES]
    return list(wrapper.grammar())[:_MOST_LINES] if isinstance(wrapper, LandmarkWrapper) else []


def tree(learned: Learned) -> dict[str, Any] | None:
    """The tree of landmarks as plain data. What is deeper than ``MOST_LEVELS`` is left out, and said to be."""
    wrapper = learned.wrapper
    if not isinstance(wrapper, LandmarkWrapper):
        return None
    root: dict[str, Any] = {}
    waiting: list[tuple[int, int, dict[str, Any]]] = [(0, 1, root)]
    while waiting:
        number, level, entry = waiting.pop()
        node = wrapper.nodes[number]
        is_seen = not node.field.startswith(UNSEEN)
        entry.update(dict.fromkeys(_SIDES), landmark=str(node.landmark) if node.landmark else None, share=node.share)
        entry.update(field=node.field if is_seen else None, example=next(iter(learned.examples.get(node.field, ())), None))
        entry["cut"] = bool(node.sides) and level == MOST_LEVELS
        if entry["cut"]:
            continue
        names = _SIDES if len(node.sides) == len(_SIDES) else _SIDES[::2]
        for name, side in zip(names, node.sides, strict=False):
            if wrapper.nodes[side].landmark or not wrapper.nodes[side].field.startswith(UNSEEN):
                entry[name] = {}
                waiting.append((side, level + 1, entry[name]))
    return root
