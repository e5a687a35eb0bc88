"""Columns by value: pairwise, holistic and nested alignment, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.fields.similarity import Similarity
from unweave.page.page import Page
from unweave.records.columns import Aligned, Aligner, Placed, by_path_of_all_items, remembered
from unweave.records.ctvs.holistic import columns
from unweave.records.ctvs.nested import Attribute, nested
from unweave.records.ctvs.order import Column, Vertex
from unweave.records.ctvs.values import Reader, Values
from unweave.records.items import IMAGE, LINK, TEXT
from unweave.records.region import Listing

# Steps of aligning pairs, on one page: about a second. A list may take half of what is left, so the first ones get most.
_MOST_WORK = 10_000_000


_KINDS = (LINK, IMAGE, TEXT)

Key = tuple[int, ...]
"""The number of a column, and for a repeated attribute its own numbers after that of its first column."""


def by_value(page: Page) -> Aligner:
    """Items that have the same tag path in their records and similar values share a column.

    All lists of the page share one budget; what it does not suffice for is aligned by tag paths.
    """
    reader, similarity = Reader(page), Similarity()
    left = _MOST_WORK

    def aligned(listing: Listing) -> Aligned:
        nonlocal left
        allowance = _Allowance(left // 2)
        rows = reader.values(listing)
        found = columns(rows, similarity, allowance.spend)
        left -= left // 2 - allowance.left
        if found is None:
            return Aligned([by_path_of_all_items(page, reader.items(record)) for record in listing.records])
        return _placed(rows, found, nested(reader, listing, rows, found, similarity))

    return remembered(aligned)


class _Allowance:
    """Work that may be done."""

    def __init__(self, work: int) -> None:
        self.left = work

    def spend(self, work: int) -> bool:
        """Take the work, if so much is left."""
        if self.left < work:
            return False
        self.left -= work
        return True


def _placed(rows: Sequence[Values], found: Sequence[Column], groups: Sequence[Sequence[Attribute]]) -> Aligned:
    """The values with the keys of their columns; those of a repeated attribute share one, at the first of its columns."""
    keys: dict[Vertex, Key] = {vertex: (number,) for number, column in enumerate(found) for vertex in column}
    for number, group in enumerate(groups):
        for offset, attribute in enumerate(group):
            for kind, vertices in _by_kind(rows, attribute).items():
                key = (min(keys[vertex][0] for vertex in vertices), number, offset, _KINDS.index(kind))
                keys.update(dict.fromkeys(vertices, key))
    placed = [
        [
            Placed(keys[Vertex(record, position)], value.kind, value.text, value.node)
            for position, value in enumerate(values)
        ]
        for record, values in enumerate(rows)
    ]
    order = sorted(set(keys.values()))
    return Aligned(placed, order=order, lists=frozenset(key for key in order if len(key) > 1))


def _by_kind(rows: Sequence[Values], attribute: Attribute) -> dict[str, list[Vertex]]:
    """The values of an attribute, and the addresses that stand in the same elements, by kind."""
    found: dict[str, list[Vertex]] = {}
    nodes: dict[int, set[int]] = {}
    for record, position in attribute:
        nodes.setdefault(record, set()).add(rows[record][position].node)
    own = set(attribute)
    for record, having in nodes.items():
        for position, value in enumerate(rows[record]):
            vertex = Vertex(record, position)
            if vertex in own or (value.node in having and not value.says_something):
                found.setdefault(value.kind, []).append(vertex)
    return found
