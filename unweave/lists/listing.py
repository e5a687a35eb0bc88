"""Lists of a page as data: a list is a sequence of records, a record a run of sub-trees, an aligned record has columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Record = tuple[int, ...]
"""The roots of the sub-trees that make up one record: one as a rule, several if no element holds the whole record."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The records of one list of the page, in document order."""

    records: tuple[Record, ...]

    @property
    def nodes(self) -> list[int]:
        """The roots of all records."""
        return [node for record in self.records for node in record]


RankedLists = list[tuple[float, Listing]]
"""Lists, best first, each with its score."""


class AlignedItem(NamedTuple):
    """A text, link or image of a record, with the key of its column."""

    key: Hashable
    kind: str
    value: str
    node: int


AlignedRecord = list[AlignedItem]
"""The items of a record in document order."""


@dataclass(frozen=True, slots=True)
class AlignedList:
    """The aligned records of a list."""

    rows: list[AlignedRecord]
    order: Sequence[Hashable] | None = None
    """The keys of the columns from left to right, if the aligner gives an order."""
    lists: frozenset[Hashable] = frozenset()
    """The keys that a record may hold several times."""


Aligner = Callable[[Listing], AlignedList]


def cache_alignment(aligner: Aligner) -> Aligner:
    """Return an aligner that aligns a list once: a second time, a budget that is spent must not give other columns."""
    known: dict[Listing, AlignedList] = {}

    def align(listing: Listing) -> AlignedList:
        if listing not in known:
            known[listing] = aligner(listing)
        return known[listing]

    return align
