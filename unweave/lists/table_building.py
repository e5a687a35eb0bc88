"""Tables of lists: columns in their order, cells, and the nodes that each cell came from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import overload

from unweave.lists.listing import (
    IMAGE,
    LINK,
    TEXT,
    AlignedItem,
    AlignedRecord,
    Aligner,
    Listing,
    Record,
)
from unweave.names import make_unique
from unweave.page.page import Page
from unweave.table import LIST, Cell, CellNodes, Column, Table

# A hostile page could need as many cells as it has texts, squared. Beyond, the table has one column
# with the whole text of each record.
_MAX_CELLS = 2_000_000

Namer = Callable[[Page, Listing, Sequence[Sequence[AlignedItem]], Sequence[bool]], Sequence[Column]]
"""A function that names columns, given the items of each and which of them are multi-valued."""

MAX_NOTEBOOK_TABLES = 5

SECTION = "section"
"""The name of the column with the headings of sections."""

_TYPES = {TEXT: "string", LINK: "url", IMAGE: "image"}


def build_table(
    page: Page,
    listing: Listing,
    score: float,
    aligner: Aligner,
    join_text: Callable[[Page, Record], str] = Page.join_subtrees,
    namer: Namer | None = None,
) -> Table:
    """Align the records of a list and return them as a table.

    ``join_text`` returns the whole text of a record. Without ``namer``, columns are named by their
    kind and number.
    """
    texts = [join_text(page, record) for record in listing.records]
    document = page.original or page
    aligned = aligner(listing)
    columns = ColumnOrder(aligned.rows, aligned.order, aligned.multi_valued)
    if len(columns.keys) * len(listing.records) > _MAX_CELLS:
        whole_texts: list[list[Cell]] = [[text] for text in texts]
        roots: CellNodes = [[record] for record in listing.records]
        return Table(
            number_columns((TEXT,)), whole_texts, roots, listing.records, texts, score, document
        )
    if namer is None:
        named = columns.number_columns()
    else:
        named = tuple(namer(page, listing, *columns.group_items(aligned.rows)))
    column_of = dict(zip(columns.keys, named, strict=True))
    rows = [
        [item for item in row if not column_of[item.key].is_blank(item.value)]
        for row in aligned.rows
    ]
    cells, nodes = columns.build_cells(rows)
    return Table(named, cells, nodes, listing.records, texts, score, document)


def add_sections(table: Table, page: Page, headings: Sequence[int | None]) -> Table:
    """Return the table with a last column ``section``: the text of the heading of each record."""
    name = make_unique(SECTION, {column.name for column in table.columns})
    rows = [
        [*row, None if node is None else page.text(node)]
        for row, node in zip(table.rows, headings, strict=True)
    ]
    nodes = [
        [*cells, () if node is None else (node,)]
        for cells, node in zip(table.nodes, headings, strict=True)
    ]
    return replace(table, columns=(*table.columns, Column(name)), rows=rows, nodes=nodes)


class ColumnOrder:
    """The columns of aligned records from left to right.

    Cells of the ``multi_valued`` columns are lists of values.
    """

    def __init__(
        self,
        rows: Sequence[AlignedRecord],
        order: Sequence[Hashable] | None = None,
        multi_valued: Collection[Hashable] = (),
    ) -> None:
        kinds = {key: kind for row in rows for key, kind, _, _ in row}
        self.keys = order_keys(rows) if order is None else [key for key in order if key in kinds]
        self._kinds = tuple(kinds[key] for key in self.keys)
        self._positions = {key: position for position, key in enumerate(self.keys)}
        self._multi_valued = {self._positions[key] for key in multi_valued}

    def number_columns(self) -> tuple[Column, ...]:
        """Return the columns, named by their kind and number."""
        columns = number_columns(self._kinds)
        if not self._multi_valued:
            return columns
        return tuple(
            replace(column, type=LIST) if position in self._multi_valued else column
            for position, column in enumerate(columns)
        )

    def group_items(
        self, rows: Sequence[AlignedRecord]
    ) -> tuple[list[list[AlignedItem]], list[bool]]:
        """Return the items of each column from the first record on, and which are multi-valued."""
        items: list[list[AlignedItem]] = [[] for _ in self.keys]
        for row in rows:
            for item in row:
                items[self._positions[item.key]].append(item)
        return items, [position in self._multi_valued for position in range(len(self.keys))]

    def build_cells(self, rows: Sequence[AlignedRecord]) -> tuple[list[list[Cell]], CellNodes]:
        """Return the cells of each row, and the nodes of each cell."""
        width, positions = len(self.keys), self._positions
        cells: list[list[Cell]] = [[None] * width for _ in rows]
        nodes: CellNodes = [[()] * width for _ in rows]
        for row, row_cells, row_nodes in zip(rows, cells, nodes, strict=True):
            lists: dict[int, list[str]] = {}
            for key, _, value, node in row:
                position = positions[key]
                if position in self._multi_valued:
                    values = lists.setdefault(position, [])
                    values.append(value)
                    row_cells[position] = values
                else:
                    row_cells[position] = value
                row_nodes[position] += (node,)
        return cells, nodes


@lru_cache(maxsize=256)
def number_columns(kinds: tuple[str, ...]) -> tuple[Column, ...]:
    """Return columns that are named by their kind and number: text_1, link_1, text_2."""
    counts: dict[str, int] = {}
    columns: list[Column] = []
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
        columns.append(Column(f"{kind}_{counts[kind]}", _TYPES[kind]))
    return tuple(columns)


def order_keys(rows: Sequence[AlignedRecord]) -> list[Hashable]:
    """Return the keys of the columns in order: a new key comes right after its left neighbour."""
    following: dict[Hashable, Hashable] = {None: None}
    for row in rows:
        left: Hashable = None
        for key, _, _, _ in row:
            if key not in following:
                following[left], following[key] = key, following[left]
            left = key
    keys: list[Hashable] = []
    key = following[None]
    while key is not None:
        keys.append(key)
        key = following[key]
    return keys


class Tables(Sequence[Table]):
    """The tables of a page, best first. Each is built when it is first used.

    Most callers want one table of a page, and aligning its records costs as much as finding them.
    """

    def __init__(
        self, builders: Sequence[Callable[[], Table]] = (), warnings: Sequence[str] = ()
    ) -> None:
        self._builders = builders
        self._built: dict[int, Table] = {}
        self.warnings = tuple(warnings)
        """Messages for the user, such as that some lists were left out."""

    def __len__(self) -> int:
        return len(self._builders)

    @overload
    def __getitem__(self, index: int) -> Table: ...

    @overload
    def __getitem__(self, index: slice) -> list[Table]: ...

    def __getitem__(self, index: int | slice) -> Table | list[Table]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._built:
            self._built[number] = self._builders[number]()
        return self._built[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __repr__(self) -> str:
        return f"<Tables: {len(self)}>"

    def _repr_html_(self) -> str:
        """Return the first tables as HTML for notebooks, each below its number and score."""
        parts = [
            f"<p>Table {number} of {len(self)}, score {table.score:.2f}</p>{table._repr_html_()}"
            for number, table in enumerate(islice(self, MAX_NOTEBOOK_TABLES), start=1)
        ]
        return "".join(parts) or "<p>no tables</p>"
