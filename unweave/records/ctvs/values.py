"""The values of records as CTVS sees them: a place, which is the tag path from the record's root, and a text."""

from __future__ import annotations

from typing import NamedTuple

from unweave.page.page import Page
from unweave.records.items import TEXT, Item, Items, varying
from unweave.records.region import Listing, Record


class Place(NamedTuple):
    """Only values of the same place may share a column (the same record path constraint)."""

    path: int
    """The number of a tag path."""
    kind: str
    mark: str


class Value(NamedTuple):
    """One text, link or picture of a record."""

    place: Place
    text: str
    node: int

    @property
    def kind(self) -> str:
        """Text, link or image."""
        return self.place.kind

    @property
    def says_something(self) -> bool:
        """Can it be compared with others? Of addresses only the place counts."""
        return self.place.kind == TEXT


Values = list[Value]
"""The values of one record in order."""


class Reader:
    """Reads the values of one page's records."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._tree = page.tree
        self._items = Items(page)
        self._paths: dict[tuple[int, str], int] = {}

    def items(self, record: Record) -> list[Item]:
        """The texts, links and images of a record."""
        return self._items.all(record)

    def values(self, listing: Listing) -> list[Values]:
        """The values of every record of a list."""
        found = [self._items.all(record) for record in listing.records]
        paths = [self.paths(record) for record in listing.records]
        joined = varying(found, paths)
        return [
            [
                Value(Place(own[item.node], item.kind, item.mark), item.value, item.node)
                for item in self._items.join(items, own, joined)
            ]
            for items, own in zip(found, paths, strict=True)
        ]

    def paths(self, record: Record) -> dict[int, int]:
        """The tag path of every node of the record, from the record's root on, as a number."""
        labels, parents, ends = self._tree.labels, self._tree.parents, self._tree.ends
        found: dict[int, int] = {}
        for part, root in enumerate(record):
            found[root] = self._number(-1 - part, labels[root])
            for node in range(root + 1, ends[root]):
                found[node] = self._number(found[parents[node]], labels[node])
        return found

    def _number(self, above: int, label: str) -> int:
        return self._paths.setdefault((above, label), len(self._paths))
