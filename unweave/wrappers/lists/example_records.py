"""Records that a wrapper was learned from, with the column of each of their items.

The records of another page are aligned together with the example records. Items that fall into one
column with items of the example records get the column of these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unweave.lists.columns import fill_spans
from unweave.lists.default import make_aligner
from unweave.lists.listing import AlignedRecord, Listing, Record
from unweave.page.composite import Excerpt
from unweave.page.html_tables import TableGrid
from unweave.page.page import Page
from unweave.page.parse import Identifiers, ParsedDocument
from unweave.trees.tree import Tree, is_preorder
from unweave.wrappers.list_tables import AssignedItem
from unweave.wrappers.lists.record_finding import get_family

# Of the learned records, this many are kept for each column, and this many in all.
_RECORDS_PER_COLUMN = 4
_MAX_RECORDS = 40

_MAX_NODES = 200_000  # of a wrapper file

ItemKey = tuple[int, str, int]
"""The node of an item, its kind, and its number among the items of this kind in the node."""


@dataclass(frozen=True)
class ExampleRecords:
    """Records, and the number of the column of each of their items."""

    page: Page
    """A page that consists of the records."""
    records: tuple[Record, ...]
    columns: Mapping[ItemKey, int]

    @classmethod
    def select(
        cls,
        page: Page,
        records: Sequence[Record],
        rows: Sequence[AlignedRecord],
        column_numbers: Mapping[Hashable, int],
    ) -> ExampleRecords:
        """Return examples of the aligned records of a list.

        Args:
            page: The page of the records.
            records: The records.
            rows: The items of each record.
            column_numbers: The number of the column of each key.
        """
        chosen = sorted(_choose_records(rows))
        excerpt = Excerpt([(page, [records[number] for number in chosen])])
        excerpt_nodes = {source: node for node, source in enumerate(excerpt.source_nodes)}
        columns: dict[ItemKey, int] = {}
        for number in chosen:
            for (node, kind, count), key in _number_items(rows[number]).items():
                # A cell that spans rows may be in a record that was not chosen.
                if node in excerpt_nodes:
                    columns[excerpt_nodes[node], kind, count] = column_numbers[key]
        return cls(excerpt, tuple(excerpt.groups), columns)

    @cached_property
    def column_count(self) -> int:
        """The highest number of a column, plus one."""
        return max(self.columns.values(), default=-1) + 1

    def align(self, page: Page, records: Sequence[Record]) -> list[list[AssignedItem]]:
        """Return the items of the records of a page with the numbers of their columns."""
        excerpt = Excerpt([(self.page, self.records), (page, records)])
        self._restore_tags(excerpt)
        rows = make_aligner(excerpt)(Listing(tuple(excerpt.groups))).rows
        example_count = len(self.records)
        columns = self._find_columns(excerpt, rows[:example_count])
        page_rows = [
            [item._replace(node=excerpt.source_nodes[item.node]) for item in row]
            for row in rows[example_count:]
        ]
        return [
            [(columns.get(item.key), item) for item in row]
            for row in fill_spans(page, records, page_rows)
        ]

    def _restore_tags(self, excerpt: Excerpt) -> None:
        """Replace tags that no example record has by related ones that only these have."""
        count = len(self.page.tree)
        labels = excerpt.tree.labels
        known, given = set(labels[:count]), set(labels[count:])
        missing: dict[str, str] = {}
        for tag in sorted(known - given):
            missing.setdefault(get_family(tag), tag)
        replaced = {
            tag: missing[get_family(tag)] for tag in given - known if get_family(tag) in missing
        }
        if replaced:
            restored = [*labels[:count], *[replaced.get(tag, tag) for tag in labels[count:]]]
            excerpt.tree = Tree(restored, excerpt.tree.parents)

    def _find_columns(self, excerpt: Excerpt, rows: Iterable[AlignedRecord]) -> dict[Hashable, int]:
        """Return the column of each key: that of most items of the example records with the key."""
        counts: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
        for row in rows:
            for (node, kind, count), key in _number_items(row).items():
                column = self.columns.get((excerpt.source_nodes[node], kind, count))
                if column is not None:
                    counts[key][column] += 1
        columns: dict[Hashable, int] = {}
        for key, by_column in counts.items():
            columns[key] = min(by_column, key=lambda column: (-by_column[column], column))
        return columns

    # ---- JSON ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the records as plain data."""
        page = self.page
        nodes = zip(
            page.tree.labels, page.tree.parents, page.identifiers, page.node_urls, strict=True
        )
        texts = zip(page.text_parents, page.text_positions, page.texts, strict=True)
        data: dict[str, Any] = {
            "nodes": [[tag, parent, *identifiers, url] for tag, parent, identifiers, url in nodes],
            "texts": list(map(list, texts)),
            "glued": page.continuations,
            "records": list(map(list, self.records)),
            "columns": [[*key, column] for key, column in sorted(self.columns.items())],
        }
        grid = page.table_grid
        if grid.columns:
            # The node of a cell, its column, and 1 if the column has a header.
            data["cells"] = [
                [cell, column, int(cell in grid.headers)]
                for cell, column in sorted(grid.columns.items())
            ]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ExampleRecords:
        """Read untrusted plain data."""
        page = _read_page(data)
        records = tuple(tuple(map(int, record)) for record in data["records"])
        for record in records:
            if not record or not all(0 < root < len(page.tree) for root in record):
                raise ValueError("an example record is not on its page")
            for root in record:
                if any(page.text_parents[text] < root for text in page.text_nodes(root)):
                    raise ValueError("a text of an example record is outside of its nodes")
        columns: dict[ItemKey, int] = {}
        for node, kind, count, column in data["columns"]:
            columns[int(node), str(kind), int(count)] = int(column)
        if any(column < 0 for column in columns.values()):
            raise ValueError("the number of a column is negative")
        return cls(page, records, columns)


def _choose_records(rows: Sequence[AlignedRecord]) -> list[int]:
    """Return the numbers of records that have each column several times, largest records first."""
    counts: Counter[Hashable] = Counter()
    chosen: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: -len(rows[number])):
        keys = {item.key for item in rows[number]}
        if any(counts[key] < _RECORDS_PER_COLUMN for key in keys):
            counts.update(keys)
            chosen.append(number)
        if len(chosen) == _MAX_RECORDS:
            break
    return chosen


def _number_items(row: AlignedRecord) -> dict[ItemKey, Hashable]:
    """Return the column keys of the items of a record."""
    counts: Counter[tuple[int, str]] = Counter()
    keys: dict[ItemKey, Hashable] = {}
    for item in row:
        keys[item.node, item.kind, counts[item.node, item.kind]] = item.key
        counts[item.node, item.kind] += 1
    return keys


def _read_page(data: Mapping[str, Any]) -> Page:
    tags: list[str] = []
    parents: list[int] = []
    identifiers: list[Identifiers] = []
    urls: list[str | None] = []
    for tag, parent, class_name, element_id, property_name, url in data["nodes"]:
        tags.append(str(tag))
        parents.append(int(parent))
        names = _read_text(class_name), _read_text(element_id), _read_text(property_name)
        identifiers.append(names)
        urls.append(_read_text(url))
    if len(tags) > _MAX_NODES or not is_preorder(parents):
        raise ValueError("the nodes of the example records are not a tree in preorder")
    texts: list[str] = []
    text_parents: list[int] = []
    text_positions: list[int] = []
    for parent, position, text in data["texts"]:
        text_parents.append(int(parent))
        text_positions.append(int(position))
        texts.append(str(text))
        if not 0 <= text_parents[-1] < text_positions[-1] <= len(tags):
            raise ValueError("a text of the example records is outside of their nodes")
    if text_positions != sorted(text_positions):
        raise ValueError("the texts of the example records are not in order")
    continuations = [int(number) for number in data["glued"] if 0 < int(number) < len(texts)]
    page = Page(
        ParsedDocument(
            tree=Tree(tags, parents),
            texts=texts,
            text_parents=text_parents,
            text_positions=text_positions,
            unspaced_texts=sorted(continuations),
            identifiers=identifiers,
            node_urls=urls,
        )
    )
    if "cells" in data:
        columns: dict[int, int] = {}
        headers: dict[int, tuple[()]] = {}
        for cell, column, has_header in data["cells"]:
            columns[int(cell)] = int(column)
            if has_header:
                headers[int(cell)] = ()
        page.table_grid = TableGrid(columns, headers=headers)
    return page


def _read_text(value: Any) -> str | None:
    return None if value is None else str(value)
