"""Records to a table: the columns in their order, the cells, and where each came from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from unweave.page.page import Page
from unweave.records.columns import Aligner, Keyed, Placed, left_to_right
from unweave.records.items import IMAGE, LINK, TEXT
from unweave.records.region import Listing, Record
from unweave.table import LIST, Cell, CellNodes, Column, Content, Table

# A hostile page could ask for as many cells as it has texts, squared. Beyond this the table has one column: the whole text.
_MOST_CELLS = 2_000_000
Namer = Callable[[Page, Listing, Sequence[Sequence[Placed]], Sequence[bool]], Sequence[Column]]
"""What names the columns of a list: what stands in each, and which are lists."""

_TYPES = {TEXT: "string", LINK: "url", IMAGE: "image"}


def to_table(
    page: Page,
    listing: Listing,
    score: float,
    aligner: Aligner,
    text_of: Callable[[Page, Record], str] = Page.text_of,
    name: Namer | None = None,
) -> Table:
    """The table of a list, its columns in the order in which their items stand in the records."""
    filled = lru_cache(maxsize=1)(partial(_filled, page, listing, aligner, text_of, name))
    return Table(
        lambda: filled()[0],
        records=listing.records,
        texts=[text_of(page, record) for record in listing.records],
        score=score,
        page=page.document or page,
        find_nodes=lambda: filled()[1](),
    )


def _filled(
    page: Page, listing: Listing, aligner: Aligner, text_of: Callable[[Page, Record], str], name: Namer | None
) -> tuple[Content, Callable[[], CellNodes]]:
    """The columns and rows of a list, and what finds the nodes of its cells."""
    aligned = aligner(listing)
    columns = Columns(aligned.rows, aligned.order, aligned.lists)
    if len(columns.kinds) * len(listing.records) > _MOST_CELLS:
        whole = [[text_of(page, record)] for record in listing.records]
        return (named((TEXT,)), whole), lambda: [[record] for record in listing.records]
    heads = columns.named() if name is None else name(page, listing, *columns.cells(aligned.rows))
    head_of = dict(zip(columns.keys, heads, strict=True))

    def drop_blanks(rows: Sequence[Keyed]) -> list[Keyed]:
        return [[placed for placed in row if not head_of[placed.key].is_blank(placed.value)] for row in rows]

    return (heads, columns.rows(drop_blanks(aligned.rows))), lambda: columns.nodes(drop_blanks(aligner(listing).rows))


class Columns:
    """The columns of a table, from left to right. Those of ``lists`` may hold several values in a cell."""

    def __init__(
        self, aligned: Sequence[Keyed], order: Sequence[Hashable] | None = None, lists: Collection[Hashable] = ()
    ) -> None:
        kinds = {key: kind for keyed in aligned for key, kind, _, _ in keyed}
        self.keys = left_to_right(aligned) if order is None else [key for key in order if key in kinds]
        self.kinds = tuple(kinds[key] for key in self.keys)
        self._position = {key: position for position, key in enumerate(self.keys)}
        self._lists = {self._position[key] for key in lists}

    def named(self) -> tuple[Column, ...]:
        """The columns with their names and types."""
        columns = named(self.kinds)
        if not self._lists:
            return columns
        return tuple(replace(column, type=LIST) if n in self._lists else column for n, column in enumerate(columns))

    def cells(self, aligned: Sequence[Keyed]) -> tuple[list[list[Placed]], list[bool]]:
        """What stands in each column, from the first record to the last, and which columns are lists."""
        found: list[list[Placed]] = [[] for _ in self.keys]
        for keyed in aligned:
            for placed in keyed:
                found[self._position[placed.key]].append(placed)
        return found, [position in self._lists for position in range(len(self.keys))]

    def rows(self, aligned: Sequence[Keyed]) -> list[list[Cell]]:
        """The values of the cells."""
        width, position = len(self.kinds), self._position
        rows: list[list[Cell]] = [[None] * width for _ in aligned]
        for row, keyed in zip(rows, aligned, strict=True):
            for key, _, value, _ in keyed:
                row[position[key]] = value
            if self._lists:
                self._fill_lists(row, keyed)
        return rows

    def _fill_lists(self, row: list[Cell], keyed: Keyed) -> None:
        lists: dict[int, list[str]] = {}
        for key, _, value, _ in keyed:
            if (place := self._position[key]) in self._lists:
                lists.setdefault(place, []).append(value)
        for place, values in lists.items():
            row[place] = values

    def nodes(self, aligned: Sequence[Keyed]) -> CellNodes:
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
