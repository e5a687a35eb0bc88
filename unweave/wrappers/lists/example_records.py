"""Records of a list as they were learned from, each with the columns of what it holds.

The records of another page are aligned together with these, so that they have the same columns: what stands in one column
with cells of the examples is of theirs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unweave.lists.columns import fill_spans
from unweave.lists.default import make_aligner
from unweave.lists.listing import AlignedItem, AlignedRecord, Listing, Record
from unweave.page.composite import Excerpt
from unweave.page.html_tables import TableGrid
from unweave.page.page import Page
from unweave.page.parse import Identifiers, ParsedDocument
from unweave.trees.tree import Tree, is_preorder

_MOST_NODES = 200_000

Spot = tuple[int, str, int]
"""A node, the kind of what it holds, and which of those of this kind."""


@dataclass(frozen=True)
class ExampleRecords:
    """Records, and for each thing in them the number of its column."""

    page: Page
    """A page of nothing but the records."""
    records: tuple[Record, ...]
    columns: Mapping[Spot, int]

    @classmethod
    def of(
        cls,
        page: Page,
        records: Sequence[Record],
        rows: Sequence[AlignedRecord],
        position: Mapping[Hashable, int],
    ) -> ExampleRecords:
        """Some of the records of a list, which have been aligned."""
        chosen = sorted(_chosen(rows))
        small = Excerpt([(page, [records[number] for number in chosen])])
        back = {origin: node for node, origin in enumerate(small.source_nodes)}
        columns = {
            (back[node], kind, count): position[key]
            for number in chosen
            for (node, kind, count), key in _spots(rows[number]).items()
            if node
            in back  # a cell that reaches into the record from above may be in one that was not chosen
        }
        return cls(small, tuple(small.groups), columns)

    def align(
        self, page: Page, records: Sequence[Record]
    ) -> list[list[tuple[int | None, AlignedItem]]]:
        """The things in the records of a page, each with the number of its column; None if no example has it."""
        both = Excerpt([(self.page, self.records), (page, records)])
        rows = make_aligner(both)(Listing(tuple(both.groups))).rows
        columns = self._voted(both, rows[: len(self.records)])
        new = [
            [placed._replace(node=both.source_nodes[placed.node]) for placed in row]
            for row in rows[len(self.records) :]
        ]
        return [
            [(columns.get(placed.key), placed) for placed in row]
            for row in fill_spans(page, records, new)
        ]

    def _voted(self, both: Excerpt, rows: Iterable[AlignedRecord]) -> dict[Hashable, int]:
        """The column of each key: that of most cells of the examples that have it."""
        votes: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
        for row in rows:
            for (node, kind, count), key in _spots(row).items():
                column = self.columns.get((both.source_nodes[node], kind, count))
                if column is not None:
                    votes[key][column] += 1
        return {
            key: max(own, key=lambda column: (own[column], -column)) for key, own in votes.items()
        }

    # ---- JSON ------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        page = self.page
        nodes = zip(
            page.tree.labels, page.tree.parents, page.identifiers, page.node_urls, strict=True
        )
        return {
            "nodes": [[label, parent, *names, address] for label, parent, names, address in nodes],
            "texts": [
                list(own)
                for own in zip(page.text_parents, page.text_positions, page.texts, strict=True)
            ],
            "glued": page.continuations,
            "records": [list(record) for record in self.records],
            "columns": [[*spot, column] for spot, column in sorted(self.columns.items())],
            **({"cells": _cells_to_json(page.table_grid)} if page.table_grid.columns else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ExampleRecords:
        """Read plain data, which may come from anywhere."""
        page = _page(data)
        records = tuple(tuple(map(int, record)) for record in data["records"])
        roots = [root for record in records for root in record]
        if not all(0 < root < len(page.tree) for root in roots) or not all(records):
            raise ValueError("a record is no part of the page")
        columns = {
            (int(node), str(kind), int(count)): int(column)
            for node, kind, count, column in data["columns"]
        }
        if any(column < 0 for column in columns.values()):
            raise ValueError("a column before the first")
        return cls(page, records, columns)

    @cached_property
    def width(self) -> int:
        """The number of the last column, and one."""
        return max(self.columns.values(), default=-1) + 1


# So many records show each column.
_OF_EACH = 4
_MOST_RECORDS = 40


def _chosen(rows: Sequence[AlignedRecord]) -> list[int]:
    """The numbers of some records that show all columns several times, those with most things first."""
    shown: Counter[Hashable] = Counter()
    found: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: -len(rows[number])):
        keys = {placed.key for placed in rows[number]}
        if any(shown[key] < _OF_EACH for key in keys):
            shown.update(keys)
            found.append(number)
        if len(found) == _MOST_RECORDS:
            break
    return found


def _spots(row: AlignedRecord) -> dict[Spot, Hashable]:
    """The keys of what a record holds, by where it stands."""
    seen: Counter[tuple[int, str]] = Counter()
    found: dict[Spot, Hashable] = {}
    for placed in row:
        place = (placed.node, placed.kind)
        found[(*place, seen[place])] = placed.key
        seen[place] += 1
    return found


def _page(data: Mapping[str, Any]) -> Page:
    labels = [str(own[0]) for own in data["nodes"]]
    parents = [int(own[1]) for own in data["nodes"]]
    names: list[Identifiers] = [
        (_word(own[2]), _word(own[3]), _word(own[4])) for own in data["nodes"]
    ]
    addresses = [_word(own[5]) for own in data["nodes"]]
    owners, places = [int(own[0]) for own in data["texts"]], [int(own[1]) for own in data["texts"]]
    if len(labels) > _MOST_NODES or not is_preorder(parents):
        raise ValueError("no tree in preorder")
    if places != sorted(places) or not all(
        0 <= own < place <= len(labels) for own, place in zip(owners, places, strict=True)
    ):
        raise ValueError("a text stands nowhere")
    page = Page(
        ParsedDocument(
            tree=Tree(labels, parents),
            texts=[str(own[2]) for own in data["texts"]],
            text_parents=owners,
            text_positions=places,
            unspaced_texts=sorted(int(own) for own in data["glued"] if 0 < int(own) < len(owners)),
            key_attributes=(names, addresses),
        )
    )
    if "cells" in data:
        cells = [
            (int(cell), int(column), bool(is_headed)) for cell, column, is_headed in data["cells"]
        ]
        headed = [cell for cell, _, is_headed in cells if is_headed]
        page.table_grid = TableGrid(
            {cell: column for cell, column, _ in cells}, headers=dict.fromkeys(headed, ())
        )
    return page


def _cells_to_json(grid: TableGrid) -> list[list[int]]:
    """Return the cells of tables: their nodes, their columns, and 1 for those below a header."""
    return [
        [cell, column, int(cell in grid.headers)] for cell, column in sorted(grid.columns.items())
    ]


def _word(value: Any) -> str | None:
    return None if value is None else str(value)
