"""Containers: what looks like a record and is only the place where some of the records stand.

Rows of a grid, columns of a page, and the parts of a list under headings are like each other, often more than the records
in them are. The paper's rule, to look for nothing below similar siblings, would give these as records. They are told from
records by what they have of their own: besides the similar things inside them at most a heading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import median
from typing import NamedTuple

from unweave.fields.similarity import Similarity
from unweave.page.page import Page
from unweave.records.ctvs.tags import T, tag_similarity, tags_of
from unweave.records.region import Listing, Record
from unweave.trees.distance import similar

_MOST_OWN_VALUES = 1
_MOST_OWN_SHARE = 0.15
_LEAST_VALUES_INSIDE = 2
_MOST_SHAPES = 8
_CONSTANT = 0.8
_SAME_TAGS = 0.85
_SAME_VALUES = 0.5
_MOST_POSITIONS = 4
_MOST_CONTAINERS = 10

Find = Callable[[int], list[Listing]]
"""The lists below a node."""


class _Spot(NamedTuple):
    """Where records stand in their containers: the tag path, and how many siblings a record has."""

    path: tuple[str, ...]
    width: int


def opened(page: Page, listing: Listing, find: Find) -> Listing:
    """The records inside, if the records of the list are containers; else the list itself."""
    while True:
        inside = _inside(page, listing, find)
        if inside is None:
            return listing
        listing = inside


def _inside(page: Page, listing: Listing, find: Find) -> Listing | None:
    if sum(page.count_texts(node) for node in listing.nodes) <= len(listing.records):
        return None  # more records inside than these, half of them with two values or more, need more texts
    found = [[inner for root in record for inner in find(root)] for record in listing.records]
    spot = _favourite_spot(page, listing, found)
    if spot is None:
        return None
    held = _records_at(page, listing, found, spot)
    count = sum(map(len, held))
    if count <= len(listing.records):
        return None
    if not (_are_rich(page, held) and _are_containers(page, listing, held) and _are_exchangeable(page, held)):
        return None
    return Listing(tuple(record for records in held for record in records))


def _are_rich(page: Page, held: Sequence[Sequence[Record]]) -> bool:
    """Have most of the records more than one value? The cells of a data table have not."""
    counts = [sum(page.count_texts(node) for node in record) for records in held for record in records]
    return median(counts) >= _LEAST_VALUES_INSIDE


def _are_exchangeable(page: Page, held: Sequence[Sequence[Record]]) -> bool:
    """Is the first record of a container as much like the second of another as like the first of it?

    The parts of one record are not: its name is always of the one make, its description of the other, and labels stay where
    they are.
    """
    similarity = Similarity()
    some = [records[:_MOST_POSITIONS] for records in held if len(records) > 1][:_MOST_CONTAINERS]
    tags = [[tags_of(page.tree, record) for record in records] for records in some]
    texts = [[page.text_of(record) for record in records] for records in some]
    return _ratio(tags, tag_similarity) >= _SAME_TAGS and _ratio(texts, similarity) > _SAME_VALUES


def _ratio(rows: Sequence[Sequence[str]], similarity: Callable[[str, str], float]) -> float:
    """The mean similarity between different positions of different rows, over that between the same positions."""
    same: list[float] = []
    different: list[float] = []
    for row, other_row in combinations(rows, 2):
        for position, one in enumerate(row):
            for other_position, other in enumerate(other_row):
                (same if position == other_position else different).append(similarity(one, other))
    if not same or not different or not any(same):
        return 1.0
    return sum(different) / len(different) / (sum(same) / len(same))


def _favourite_spot(page: Page, listing: Listing, found: Sequence[Sequence[Listing]]) -> _Spot | None:
    """The spot whose records hold most values over all containers."""
    worths: Counter[_Spot] = Counter()
    for record, lists in zip(listing.records, found, strict=True):
        for inner in lists:
            spot = _Spot(_path(page, record, inner.records[0]), len(inner.records[0]))
            worths[spot] += sum(page.count_texts(node) for node in inner.nodes)
    return max(worths, key=lambda spot: (worths[spot], spot), default=None)


def _path(page: Page, container: Record, record: Record) -> tuple[str, ...]:
    labels: list[str] = []
    for node in page.tree.ancestors(record[0]):
        labels.append(page.tree.labels[node])
        if node in container:
            break
    return tuple(labels)


def _records_at(page: Page, listing: Listing, found: Sequence[Sequence[Listing]], spot: _Spot) -> list[list[Record]]:
    """For every container the records at the spot; also one that stands there alone, if it is like others elsewhere."""
    held = [
        [
            inside
            for inner in lists
            for inside in inner.records
            if len(inside) == spot.width and _path(page, record, inside) == spot.path
        ]
        for record, lists in zip(listing.records, found, strict=True)
    ]
    if spot.width > 1:
        return held
    shapes = Counter(tags_of(page.tree, record) for records in held for record in records)
    known = [shape for shape, _ in shapes.most_common(_MOST_SHAPES)]
    return [_similar_ones(page, record, spot, known) for record in listing.records]


def _similar_ones(page: Page, container: Record, spot: _Spot, shapes: Sequence[str]) -> list[Record]:
    """The nodes at the spot that have one of these shapes or a similar one."""
    tree = page.tree
    nodes = [
        node
        for root in container
        for node in range(root, tree.ends[root])
        if tree.labels[node] == spot.path[0] and _path(page, container, (node,)) == spot.path
    ]
    return [(node,) for node in nodes if any(similar(tags_of(tree, (node,)), shape, T) for shape in shapes)]


def _are_containers(page: Page, listing: Listing, held: Sequence[Sequence[Record]]) -> bool:
    """Have the records hardly a value of their own, beside those that all of them have?"""
    own = [
        [page.texts[chunk] for chunk in _own_chunks(page, record, records)]
        for record, records in zip(listing.records, held, strict=True)
    ]
    seen = Counter(text for texts in own for text in set(texts))
    constant = {text for text, count in seen.items() if count > 1 and count >= _CONSTANT * len(own)}
    counts = [sum(text not in constant for text in texts) for texts in own]
    inside = sum(page.count_texts(node) for records in held for record in records for node in record)
    return sum(counts) <= max(_MOST_OWN_VALUES * len(listing.nodes), _MOST_OWN_SHARE * inside)


def _own_chunks(page: Page, record: Record, inside: Sequence[Record]) -> list[int]:
    taken = {chunk for inner in inside for node in inner for chunk in page.chunks(node)}
    return [chunk for root in record for chunk in page.chunks(root) if chunk not in taken]
