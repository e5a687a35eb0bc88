"""Nested structures: columns that are one attribute with several values (section 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from unweave.fields.similarity import Similarity
from unweave.records.ctvs.order import Column, Vertex
from unweave.records.ctvs.values import Place, Reader, Values
from unweave.records.region import Listing
from unweave.trees.tree import Tree

_NESTED = 0.5
_LONGEST_WORD = 10
# An attribute that is there once or twice may as well be two attributes, one of them optional.
_LEAST_COUNTS = 3
# The means are over pairs of values; of a long column, the first ones tell enough.
_MOST_COMPARED = 30


class Repeat(NamedTuple):
    """A part of a record that is repeated: the place of its first value, and for every repetition its columns."""

    place: Place
    columns: tuple[tuple[int, ...], ...]

    @property
    def all(self) -> frozenset[int]:
        """All of its columns."""
        return frozenset(number for part in self.columns for number in part)


def nested(
    reader: Reader, listing: Listing, rows: Sequence[Values], columns: Sequence[Column], similarity: Similarity
) -> list[Repeat]:
    """The repeats that one attribute, or one group of them, has generated, by their tags and by their values together."""
    repeats = _repeats(reader.page.tree, rows, columns)
    if not repeats:
        return []
    counts = _Counts(reader, listing)
    found: list[Repeat] = []
    for repeat in sorted(repeats, key=lambda repeat: (-len(repeat.all), repeat)):
        is_new = not any(repeat.all & other.all for other in found) and _is_common(repeat, columns)
        if is_new and counts.vary(repeat.place.path) and is_nested(_texts(repeat, rows, columns), similarity):
            found.append(repeat)
    return found


def _is_common(repeat: Repeat, columns: Sequence[Column]) -> bool:
    """Do several records repeat it? What one record has twice is an oddity of that record."""
    counts = Counter(record for part in repeat.columns for record, _ in columns[part[0]])
    return sum(count > 1 for count in counts.values()) > 1


def is_nested(parts: Sequence[Sequence[Sequence[str]]], similarity: Similarity) -> bool:
    """Are the values of different repetitions about as alike as those within one? For every repetition its columns."""
    within = [mean for part in parts for column in part if (mean := _mean_within(column, similarity)) is not None]
    between = [
        _mean_between(column, other_column, similarity)
        for part, other in combinations(parts, 2)
        for column, other_column in zip(part, other, strict=True)
    ]
    own = sum(within) / len(within) if within else 0.0
    return own > 0 and sum(between) / len(between) / own > _NESTED


def _mean_within(column: Sequence[str], similarity: Similarity) -> float | None:
    pairs = list(combinations(column[:_MOST_COMPARED], 2))
    return sum([similarity(one, other) for one, other in pairs]) / len(pairs) if pairs else None


def _mean_between(column: Sequence[str], other: Sequence[str], similarity: Similarity) -> float:
    values, others = column[:_MOST_COMPARED], other[:_MOST_COMPARED]
    return sum([similarity(one, two) for one in values for two in others]) / (len(values) * len(others))


def _texts(repeat: Repeat, rows: Sequence[Values], columns: Sequence[Column]) -> list[list[list[str]]]:
    return [
        [[rows[record][position].text for record, position in columns[number]] for number in part]
        for part in repeat.columns
    ]


def _repeats(tree: Tree, rows: Sequence[Values], columns: Sequence[Column]) -> set[Repeat]:
    """The tandem repeats among the texts of each record that stand in siblings of their own."""
    numbers = {vertex: number for number, column in enumerate(columns) for vertex in column}
    found: set[Repeat] = set()
    for record, values in enumerate(rows):
        texts = [position for position, value in enumerate(values) if value.says_something]
        places = [values[position].place for position in texts]
        for start, width, times in _tandem_repeats(places):
            positions = [texts[start + n * width : start + (n + 1) * width] for n in range(times)]
            if _are_siblings(tree, [values[part[0]].node for part in positions]):
                parts = tuple(tuple(numbers[Vertex(record, n)] for n in part) for part in positions)
                found.add(Repeat(places[start], parts))
    return found


def _tandem_repeats(places: Sequence[Place]) -> Iterator[tuple[int, int, int]]:
    """Start, width and number of what is repeated, from left to right, the longest at each start."""
    start = 0
    while start < len(places):
        width, times = max(
            (_repetition(places, start, width) for width in range(1, min(_LONGEST_WORD, (len(places) - start) // 2) + 1)),
            key=lambda found: found[0] * found[1] if found[1] > 1 else 0,
            default=(1, 1),
        )
        if times > 1:
            yield start, width, times
        start += width * times if times > 1 else 1


def _repetition(places: Sequence[Place], start: int, width: int) -> tuple[int, int]:
    times, word = 1, places[start : start + width]
    while places[start + times * width : start + (times + 1) * width] == word:
        times += 1
    return width, times


def _are_siblings(tree: Tree, nodes: Sequence[int]) -> bool:
    """Do these nodes stand in different children of one and the same element?"""
    ends, parents = tree.ends, tree.parents
    top = nodes[0]
    while top > 0 and ends[top] <= nodes[-1]:
        top = parents[top]
    if top == nodes[0]:
        return False
    holders: set[int] = set()
    for node in nodes:
        while parents[node] != top:
            node = parents[node]
        holders.add(node)
    return len(holders) == len(nodes)


class _Counts:
    """How often each record has each tag path, whether there is text or not."""

    def __init__(self, reader: Reader, listing: Listing) -> None:
        self._paths = [list(reader.paths(record).values()) for record in listing.records]

    def vary(self, path: int) -> bool:
        """Do the records have it in different numbers? The cells of a data table repeat too, but all rows have as many."""
        return len({paths.count(path) for paths in self._paths}) >= _LEAST_COUNTS
