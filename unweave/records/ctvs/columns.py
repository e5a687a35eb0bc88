"""Columns by value: pairwise, holistic and nested alignment, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.fields.similarity import Similarity
from unweave.page.page import Page
from unweave.records.columns import Aligned, Aligner, Placed, by_path_of_all_items, remembered
from unweave.records.ctvs.holistic import columns
from unweave.records.ctvs.nested import Repeat, nested
from unweave.records.ctvs.order import Column
from unweave.records.ctvs.values import Reader, Values
from unweave.records.region import Listing

# Steps of aligning pairs, on one page: about half a second.
_MOST_WORK = 5_000_000


def by_value(page: Page) -> Aligner:
    """Items that have the same tag path in their records and similar values share a column.

    All lists of the page share one budget; what it does not suffice for is aligned by tag paths.
    """
    reader, similarity = Reader(page), Similarity()
    left = _MOST_WORK

    def spend(work: int) -> bool:
        nonlocal left
        if left < work:
            return False
        left -= work
        return True

    def aligned(listing: Listing) -> Aligned:
        rows = reader.values(listing)
        found = columns(rows, similarity, spend)
        if found is None:
            return Aligned([by_path_of_all_items(page, reader.items(record)) for record in listing.records])
        return _placed(rows, found, nested(reader, listing, rows, found, similarity))

    return remembered(aligned)


def _placed(rows: Sequence[Values], found: Sequence[Column], repeats: Sequence[Repeat]) -> Aligned:
    """The values with the numbers of their columns; those of a repeat have the number of its first column."""
    numbers = [[0] * len(values) for values in rows]
    for number, column in enumerate(found):
        for record, position in column:
            numbers[record][position] = number
    hosts = _hosts(rows, numbers, repeats)
    placed = [
        [
            Placed(hosts.get(number, number), value.kind, value.text, value.node)
            for number, value in zip(own, values, strict=True)
        ]
        for own, values in zip(numbers, rows, strict=True)
    ]
    return Aligned(placed, order=range(len(found)), lists=frozenset(hosts.values()))


def _hosts(rows: Sequence[Values], numbers: Sequence[Sequence[int]], repeats: Sequence[Repeat]) -> dict[int, int]:
    """For every column of a repeat the first one of the same attribute; so for the addresses in the same elements."""
    hosts: dict[int, int] = {}
    for repeat in repeats:
        for attribute in zip(*repeat.columns, strict=True):
            hosts.update(dict.fromkeys(attribute, min(attribute)))
            for kind_columns in _beside(rows, numbers, set(attribute)).values():
                hosts.update(dict.fromkeys(kind_columns, min(kind_columns)))
    return hosts


def _beside(rows: Sequence[Values], numbers: Sequence[Sequence[int]], attribute: set[int]) -> dict[str, set[int]]:
    """The columns of addresses that stand in the same elements as the values of these columns, by kind."""
    found: dict[str, set[int]] = {}
    for own, values in zip(numbers, rows, strict=True):
        nodes = {value.node for number, value in zip(own, values, strict=True) if number in attribute}
        for number, value in zip(own, values, strict=True):
            if value.node in nodes and not value.says_something:
                found.setdefault(value.kind, set()).add(number)
    return found
