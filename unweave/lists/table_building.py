"""Records to a table: the columns in their order, the cells, and where each came from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import overload

from unweave.lists.items import IMAGE, LINK, TEXT
from unweave.lists.listing import AlignedItem, AlignedRecord, Aligner, Listing, Record
from unweave.page.page import Page
from unweave.table import LIST, Cell, CellNodes, Column, Table

# A hostile page could ask for as many cells as it has texts, squared. Beyond this the table has one column: the whole text.
_MOST_CELLS = 2_000_000
Namer = Callable[[Page, Listing, Sequence[Sequence[AlignedItem]], Sequence[bool]], Sequence[Column]]
"""What names the columns of a list: what stands in each, and which are lists."""

_TYPES = {TEXT: "string", LINK: "url", IMAGE: "image"}


def build_table(
    page: Page,
    listing: Listing,
    score: float,
    aligner: Aligner,
    text_of: Callable[[Page, Record], str] = Page.join_subtrees,
    name: Namer | None = None,
) -> Table:
    """Align the records of a list and return them as a table.

    Columns are in the order in which their items occur in the records. ``text_of`` gives the whole
    text of a record, ``name`` the names and types of the columns.
    """
    texts = [text_of(page, record) for record in listing.records]
    document = page.original or page
    aligned = aligner(listing)
    columns = Columns(aligned.rows, aligned.order, aligned.lists)
    if len(columns.kinds) * len(listing.records) > _MOST_CELLS:
        cells: list[list[Cell]] = [[text] for text in texts]
        nodes: CellNodes = [[record] for record in listing.records]
        return Table(named((TEXT,)), cells, nodes, listing.records, texts, score, document)
    heads = columns.named() if name is None else name(page, listing, *columns.cells(aligned.rows))
    head_of = dict(zip(columns.keys, heads, strict=True))
    rows = [
        [placed for placed in row if not head_of[placed.key].is_blank(placed.value)]
        for row in aligned.rows
    ]
    return Table(
        heads, columns.rows(rows), columns.nodes(rows), listing.records, texts, score, document
    )


class Columns:
    """The columns of a table, from left to right. Those of ``lists`` may hold several values in a cell."""

    def __init__(
        self,
        aligned: Sequence[AlignedRecord],
        order: Sequence[Hashable] | None = None,
        lists: Collection[Hashable] = (),
    ) -> None:
        kinds = {key: kind for keyed in aligned for key, kind, _, _ in keyed}
        self.keys = order_keys(aligned) if order is None else [key for key in order if key in kinds]
        self.kinds = tuple(kinds[key] for key in self.keys)
        self._position = {key: position for position, key in enumerate(self.keys)}
        self._lists = {self._position[key] for key in lists}

    def named(self) -> tuple[Column, ...]:
        """The columns with their names and types."""
        columns = named(self.kinds)
        if not self._lists:
            return columns
        return tuple(
            replace(column, type=LIST) if n in self._lists else column
            for n, column in enumerate(columns)
        )

    def cells(self, aligned: Sequence[AlignedRecord]) -> tuple[list[list[AlignedItem]], list[bool]]:
        """What stands in each column, from the first record to the last, and which columns are lists."""
        found: list[list[AlignedItem]] = [[] for _ in self.keys]
        for keyed in aligned:
            for placed in keyed:
                found[self._position[placed.key]].append(placed)
        return found, [position in self._lists for position in range(len(self.keys))]

    def rows(self, aligned: Sequence[AlignedRecord]) -> list[list[Cell]]:
        """The values of the cells."""
        width, position = len(self.kinds), self._position
        rows: list[list[Cell]] = [[None] * width for _ in aligned]
        for row, keyed in zip(rows, aligned, strict=True):
            for key, _, value, _ in keyed:
                row[position[key]] = value
            if self._lists:
                self._fill_lists(row, keyed)
        return rows

    def _fill_lists(self, row: list[Cell], keyed: AlignedRecord) -> None:
        lists: dict[int, list[str]] = {}
        for key, _, value, _ in keyed:
            if (place := self._position[key]) in self._lists:
                lists.setdefault(place, []).append(value)
        for place, values in lists.items():
            row[place] = values

    def nodes(self, aligned: Sequence[AlignedRecord]) -> CellNodes:
        """The nodes of the cells."""
        nodes: CellNodes = [[()] * len(self.kinds) for _ in aligned]
        for row, keyed in zip(nodes, aligned, strict=True):
            for placed in keyed:
                row[self._position[placed.key]] += (placed.node,)
        return nodes


@lru_cache(maxsize=256)
def named(kinds: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns named by their kind and number: text_1, link_1, text_2."""
    seen: dict[str, int] = {}
    columns: list[Column] = []
    for kind in kinds:
        seen[kind] = seen.get(kind, 0) + 1
        columns.append(Column(f"{kind}_{seen[kind]}", _TYPES[kind]))
    return tuple(columns)


def order_keys(rows: Sequence[AlignedRecord]) -> list[Hashable]:
    """Return the keys of the columns in an order: a new key comes right after its neighbour on the left."""
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
