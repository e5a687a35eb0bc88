"""Records to a table: texts that stand at the same tag path of their records share a column."""

from __future__ import annotations

from functools import lru_cache

from unweave.page.page import Page
from unweave.records.region import Listing, Record
from unweave.table import CellNodes, Column, Table

# A hostile page could ask for as many cells as it has texts, squared. Beyond this the table has one column: the whole text.
_MOST_CELLS = 2_000_000


def to_table(page: Page, listing: Listing, score: float) -> Table:
    """The table of a list, its columns in the order in which their texts stand in the records."""
    texts = [" ".join(filter(None, map(page.text, record))) for record in listing.records]
    aligned, width = _aligned(page, listing)
    rows: list[list[str | None]]
    if aligned is None:
        rows = [[text] for text in texts]
    else:
        rows = [[None] * width for _ in aligned]
        for row, cells in zip(rows, aligned, strict=True):
            for column, chunk in cells:
                row[column] = page.texts[chunk]
    return Table(
        _columns(width),
        rows,
        records=listing.records,
        texts=texts,
        score=score,
        page=page,
        find_nodes=lambda: _cell_nodes(page, listing),
    )


def _cell_nodes(page: Page, listing: Listing) -> CellNodes:
    aligned, width = _aligned(page, listing)
    if aligned is None:
        return [[record] for record in listing.records]
    nodes: CellNodes = [[()] * width for _ in aligned]
    for row, cells in zip(nodes, aligned, strict=True):
        for column, chunk in cells:
            row[column] = (page.owners[chunk],)
    return nodes


def _aligned(page: Page, listing: Listing) -> tuple[list[list[tuple[int, int]]] | None, int]:
    """For every record its (column, chunk) pairs, and the number of columns; None if there were too many cells."""
    alignment = _Alignment(page)
    aligned = [alignment.columns(record) for record in listing.records]
    order = alignment.order()
    if len(order) * len(aligned) > _MOST_CELLS:
        return None, 1
    position = [0] * len(order)
    for place, column in enumerate(order):
        position[column] = place
    return [[(position[column], chunk) for column, chunk in cells] for cells in aligned], len(order)


@lru_cache(maxsize=256)
def _columns(width: int) -> tuple[Column, ...]:
    return tuple(Column(f"text_{number}") for number in range(1, width + 1))


class _Alignment:
    """Gives a column to every text: the same one to those at the same tag path, counted within their record."""

    _START = -1

    def __init__(self, page: Page) -> None:
        self._page = page
        self._known: dict[tuple[int, int], list[int]] = {}
        self._following = {self._START: self._START}

    def columns(self, record: Record) -> list[tuple[int, int]]:
        """The record's texts in order, as (column, chunk). A new column comes right after its neighbour on the left."""
        paths, owners = self._page.tree.paths, self._page.owners
        known, following = self._known, self._following
        seen: dict[tuple[int, int], int] = {}
        found: list[tuple[int, int]] = []
        left = self._START
        for part, node in enumerate(record):
            for chunk in self._page.chunks(node):
                path = (part, paths[owners[chunk]])
                columns = known.setdefault(path, [])
                count = seen[path] = seen.get(path, 0) + 1
                if count > len(columns):
                    column = len(following) - 1
                    columns.append(column)
                    following[left], following[column] = column, following[left]
                left = columns[count - 1]
                found.append((left, chunk))
        return found

    def order(self) -> list[int]:
        """All columns from left to right."""
        order: list[int] = []
        column = self._following[self._START]
        while column != self._START:
            order.append(column)
            column = self._following[column]
        return order
