"""The grid of a page's tables: the column of each cell, with the cells that span rows and columns, and the header rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unweave.page.page import Page

CELLS = frozenset(["td", "th"])
_ROW_GROUPS = frozenset(["thead", "tbody", "tfoot"])
_BOLD = frozenset(["b", "strong"])
# The standard lets a cell span 1,000 columns, and 65,534 rows. A hostile page could fill memory with that: of the cells
# of a page that span so many places together, those behind are taken for single ones.
_MAX_COLUMN_SPAN = 100
_MAX_OPEN_ROW_SPAN = 100  # of a rowspan of 0, which reaches to the end of its table
_MAX_SPANNED_CELLS = 100_000
# With more header rows among its rows, a table has none: all of its cells are marked as headers.
_MAX_HEADER_SHARE = 0.5
_MAX_HEADER_LENGTH = 40
_NUMBER = re.compile(r"\s*(\d{1,9})")


@dataclass(frozen=True)
class TableGrid:
    """Where the cells of all tables of a page stand."""

    columns: Mapping[int, int] = field(default_factory=dict)
    """For every cell the first column that it fills, counted from 0."""
    widths: Mapping[int, int] = field(default_factory=dict)
    """For every cell that spans several columns how many."""
    cells_from_above: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """For every row the cells of rows above that reach into it."""
    header_rows: frozenset[int] = frozenset()
    """The rows that hold the headers of columns."""
    headers: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """For every cell below headers those of its first column, from the top."""


def read_grid(page: Page) -> TableGrid:
    """Lay out the tables of a page as a browser does."""
    labels = page.tree.labels
    if "tr" not in labels:
        return TableGrid()
    columns: dict[int, int] = {}
    widths: dict[int, int] = {}
    cells_from_above: dict[int, list[int]] = {}
    room = _MAX_SPANNED_CELLS
    open_cells: dict[
        int, tuple[int, int]
    ] = {}  # by column: a cell, and how many rows it still fills
    last_group = -1
    for row, cells in _rows(page):
        if page.tree.parents[row] != last_group:
            last_group, open_cells = page.tree.parents[row], {}
        reaching = list(dict.fromkeys(cell for cell, _ in open_cells.values()))
        if reaching:
            cells_from_above[row] = reaching
        still_open = {
            column: (cell, left - 1) for column, (cell, left) in open_cells.items() if left > 1
        }
        column = 0
        for cell in cells:
            while column in open_cells:
                column += 1
            columns[cell] = column
            width = _span(page, cell, "colspan", _MAX_COLUMN_SPAN)
            height = _span(page, cell, "rowspan", room)
            if width > 1:
                widths[cell] = width
            if height > 1 and height * width <= room:
                room -= height * width
                still_open.update(dict.fromkeys(range(column, column + width), (cell, height - 1)))
            column += width
        open_cells = still_open
    return _with_headers(page, TableGrid(columns, widths, cells_from_above))


def _rows(page: Page) -> Iterator[tuple[int, list[int]]]:
    """Return the rows of tables with their cells, those of one row group after the other."""
    labels, parents = page.tree.labels, page.tree.parents
    by_group: dict[int, list[int]] = {}
    for node, label in enumerate(labels):
        if label == "tr":
            by_group.setdefault(parents[node], []).append(node)
    for rows in by_group.values():
        for row in rows:
            yield row, [cell for cell in page.tree.children(row) if labels[cell] in CELLS]


def _span(page: Page, cell: int, name: str, most: int) -> int:
    """Return how many rows or columns a cell fills; a rowspan of 0 reaches to the end, as far as we go."""
    number = _NUMBER.match(page.attributes[cell].get(name) or "1")
    value = int(number[1]) if number else 1
    return min(value or (_MAX_OPEN_ROW_SPAN if name == "rowspan" else 1), max(most, 1))


# ---- headers -------------------------------------------------------------------------------------------------------


def _with_headers(page: Page, grid: TableGrid) -> TableGrid:
    """Find the header rows of every table, and the headers above each cell."""
    by_table: dict[int, list[tuple[int, list[int]]]] = {}
    for row, cells in sorted(_rows(page)):
        # A row of one cell is a title or the heading of a section.
        if sum(page.count_texts(cell) > 0 for cell in cells) > 1:
            by_table.setdefault(_table_of(page, row), []).append((row, cells))
    header_rows: set[int] = set()
    headers: dict[int, Sequence[int]] = {}
    for rows in by_table.values():
        is_header = [_is_header(page, row, cells) for row, cells in rows]
        if not any(is_header):
            is_header[0] = _is_bold_header(page, [cells for _, cells in rows])
        if sum(is_header) > _MAX_HEADER_SHARE * len(rows):
            continue  # cells that are all headers name nothing
        above: dict[int, list[int]] = {}
        is_below_header = False
        for (row, cells), is_own in zip(rows, is_header, strict=True):
            if is_own:
                header_rows.add(row)
                above = above if is_below_header else {}
                for cell in cells:
                    for column in _filled(grid, cell):
                        above.setdefault(column, []).append(cell)
            else:
                headers.update(
                    (cell, above[column])
                    for cell in cells
                    if (column := grid.columns[cell]) in above
                )
            is_below_header = is_own
    return TableGrid(
        grid.columns, grid.widths, grid.cells_from_above, frozenset(header_rows), headers
    )


def _filled(grid: TableGrid, cell: int) -> range:
    return range(grid.columns[cell], grid.columns[cell] + grid.widths.get(cell, 1))


def _is_header(page: Page, row: int, cells: Sequence[int]) -> bool:
    """Does a row name the columns, by its group or by its tags?"""
    labels = page.tree.labels
    named = [cell for cell in cells if page.count_texts(cell)]
    return labels[page.tree.parents[row]] == "thead" or all(labels[cell] == "th" for cell in named)


def _is_bold_header(page: Page, rows: Sequence[Sequence[int]]) -> bool:
    """Is the first row, and no other, in bold? In tables for the layout, the titles of all entries are."""
    named = [[cell for cell in cells if page.count_texts(cell)] for cells in rows]
    is_short = all(len(page.text(cell)) <= _MAX_HEADER_LENGTH for cell in named[0])
    is_bold = [all(_is_bold(page, cell) for cell in cells) for cells in named]
    return len(rows) > 1 and is_short and is_bold[0] and sum(is_bold) == 1


def _is_bold(page: Page, cell: int) -> bool:
    """Does all text of a cell stand in bold elements?"""
    labels, parents = page.tree.labels, page.tree.parents
    for chunk in page.text_nodes(cell):
        node = page.text_parents[chunk]
        while node != cell and labels[node] not in _BOLD:
            node = parents[node]
        if node == cell:
            return False
    return True


def _table_of(page: Page, row: int) -> int:
    parent = page.tree.parents[row]
    return page.tree.parents[parent] if page.tree.labels[parent] in _ROW_GROUPS else parent
