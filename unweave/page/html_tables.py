"""HTML tables: the grid of their cells, header rows, and rows of a label and a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unweave.page.page import Page

CELL_TAGS = frozenset(["td", "th"])
_ROW_GROUP_TAGS = frozenset(["thead", "tbody", "tfoot"])
_TABLE_TAGS = _ROW_GROUP_TAGS | {"table", "tr"}
_BOLD_TAGS = frozenset(["b", "strong"])
_NUMBER = re.compile(r"\s*(\d{1,9})")

# The standard lets a cell span 1,000 columns and 65,534 rows. A hostile page could fill memory with
# that: after this many spanned cells of a page, further ones are taken for single ones.
_MAX_COLUMN_SPAN = 100
_MAX_OPEN_ROW_SPAN = 100  # of a rowspan of 0, which extends to the end of its table
_MAX_SPANNED_CELLS = 100_000
# A table with a higher share of header rows has none: all of its cells are marked as headers.
_MAX_HEADER_ROW_SHARE = 0.5
_MAX_HEADER_LENGTH = 40
# ``find_column_headers`` skips narrower tables, and those with more texts in a cell of the first
# row, which are there for the layout.
_MIN_COLUMNS = 3
_MAX_HEADER_TEXTS = 2


# ---- grid ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableGrid:
    """The positions of the cells of all tables of a page."""

    columns: Mapping[int, int] = field(default_factory=dict)
    """For every cell its first column, counted from 0."""
    widths: Mapping[int, int] = field(default_factory=dict)
    """For every cell that spans several columns their number."""
    cells_from_above: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """For every row the cells of rows above that extend into it."""
    header_rows: frozenset[int] = frozenset()
    """The rows with the headers of columns."""
    headers: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """For every cell below headers those of its first column, from the top."""


def build_grid(page: Page) -> TableGrid:
    """Lay out the tables of a page as a browser does, and find their headers."""
    if "tr" not in page.tree.labels:
        return TableGrid()
    columns: dict[int, int] = {}
    widths: dict[int, int] = {}
    cells_from_above: dict[int, list[int]] = {}
    column_spans, row_spans = page.find_attribute("colspan"), page.find_attribute("rowspan")
    spans_left = _MAX_SPANNED_CELLS
    # By column: a cell that extends into the next row, and the number of rows that it still fills.
    open_cells: dict[int, tuple[int, int]] = {}
    last_group = -1
    for row, cells in _iter_rows(page):
        if page.tree.parents[row] != last_group:
            last_group, open_cells = page.tree.parents[row], {}
        if open_cells:
            cells_from_above[row] = list(dict.fromkeys(cell for cell, _ in open_cells.values()))
        still_open: dict[int, tuple[int, int]] = {}
        for column, (cell, rows_left) in open_cells.items():
            if rows_left > 1:
                still_open[column] = (cell, rows_left - 1)
        column = 0
        for cell in cells:
            while column in open_cells:
                column += 1
            columns[cell] = column
            width = height = 1
            if cell in column_spans:
                width = _read_span(column_spans[cell], _MAX_COLUMN_SPAN)
            if cell in row_spans:
                height = _read_span(row_spans[cell], spans_left, zero=_MAX_OPEN_ROW_SPAN)
            if width > 1:
                widths[cell] = width
            if height > 1 and height * width <= spans_left:
                spans_left -= height * width
                still_open.update(dict.fromkeys(range(column, column + width), (cell, height - 1)))
            column += width
        open_cells = still_open
    header_rows, headers = _find_headers(page, columns, widths)
    return TableGrid(columns, widths, cells_from_above, header_rows, headers)


def _iter_rows(page: Page) -> Iterator[tuple[int, list[int]]]:
    """Yield the rows of tables with their cells, one row group after the other."""
    labels, parents = page.tree.labels, page.tree.parents
    rows_by_group: dict[int, list[int]] = {}
    for node, label in enumerate(labels):
        if label == "tr":
            rows_by_group.setdefault(parents[node], []).append(node)
    for rows in rows_by_group.values():
        for row in rows:
            yield row, [cell for cell in page.tree.children(row) if labels[cell] in CELL_TAGS]


def _read_span(text: str, maximum: int, *, zero: int = 1) -> int:
    """Return the number of rows or columns that a cell fills; ``zero`` is what a 0 stands for."""
    number = _NUMBER.match(text)
    span = int(number[1]) if number else 1
    return min(span or zero, max(maximum, 1))


def _find_headers(
    page: Page, columns: Mapping[int, int], widths: Mapping[int, int]
) -> tuple[frozenset[int], dict[int, Sequence[int]]]:
    """Return the header rows of all tables, and the headers above each cell."""
    rows_by_table: dict[int, list[tuple[int, list[int]]]] = {}
    for row, cells in sorted(_iter_rows(page)):
        # A row with text in one cell is a title or the heading of a section.
        if len(_select_filled(page, cells)) > 1:
            rows_by_table.setdefault(_find_table(page, row), []).append((row, cells))
    header_rows: set[int] = set()
    headers: dict[int, Sequence[int]] = {}
    for rows in rows_by_table.values():
        is_header = [_is_header_row(page, row, cells) for row, cells in rows]
        if not any(is_header):
            is_header[0] = _is_only_first_row_bold(page, [cells for _, cells in rows])
        if sum(is_header) > _MAX_HEADER_ROW_SHARE * len(rows):
            continue
        headers_above: dict[int, list[int]] = {}
        is_after_header = False
        for (row, cells), is_header_row in zip(rows, is_header, strict=True):
            if is_header_row:
                header_rows.add(row)
                if not is_after_header:
                    headers_above = {}
                for cell in cells:
                    for column in range(columns[cell], columns[cell] + widths.get(cell, 1)):
                        headers_above.setdefault(column, []).append(cell)
            else:
                for cell in cells:
                    if columns[cell] in headers_above:
                        headers[cell] = headers_above[columns[cell]]
            is_after_header = is_header_row
    return frozenset(header_rows), headers


def _select_filled(page: Page, cells: Sequence[int]) -> list[int]:
    return [cell for cell in cells if page.count_texts(cell)]


def _find_table(page: Page, row: int) -> int:
    parent = page.tree.parents[row]
    return page.tree.parents[parent] if page.tree.labels[parent] in _ROW_GROUP_TAGS else parent


def _is_header_row(page: Page, row: int, cells: Sequence[int]) -> bool:
    """Tell whether a row has the headers of columns, by its row group or by its tags."""
    labels = page.tree.labels
    if labels[page.tree.parents[row]] == "thead":
        return True
    return all(labels[cell] == "th" for cell in _select_filled(page, cells))


def _is_only_first_row_bold(page: Page, rows: Sequence[Sequence[int]]) -> bool:
    """Tell whether the first row of a table has short texts in bold, and no other row is bold.

    In tables for the layout, the titles of all records are bold.
    """
    filled_rows = [_select_filled(page, cells) for cells in rows]
    is_short = all(len(page.text(cell)) <= _MAX_HEADER_LENGTH for cell in filled_rows[0])
    is_bold = [all(_is_bold(page, cell) for cell in cells) for cells in filled_rows]
    return len(rows) > 1 and is_short and is_bold[0] and sum(is_bold) == 1


def _is_bold(page: Page, cell: int) -> bool:
    """Tell whether all text of a cell is in bold elements."""
    labels, parents = page.tree.labels, page.tree.parents
    for text_node in page.text_nodes(cell):
        node = page.text_parents[text_node]
        while node != cell and labels[node] not in _BOLD_TAGS:
            node = parents[node]
        if node == cell:
            return False
    return True


# ---- labels and values ---------------------------------------------------------------------------


def number_cells(page: Page) -> list[int]:
    """Return for each node the number, from 1, of its table cell in its row; 0 outside of cells."""
    cell_counts: dict[int, int] = {}
    numbers: list[int] = []
    for label, parent in zip(page.tree.labels, page.tree.parents, strict=True):
        if label in CELL_TAGS:
            cell_counts[parent] = cell_counts.get(parent, 0) + 1
            numbers.append(cell_counts[parent])
        else:
            numbers.append(0 if label in _TABLE_TAGS or parent < 0 else numbers[parent])
    return numbers


def find_label_nodes(page: Page) -> list[bool]:
    """Return for each node whether it is in a label by its tags: a th before one td, or a dt."""
    labels = page.tree.labels
    label_cells: set[int] = set()
    for _, cells in _iter_rows(page):
        if [labels[cell] for cell in cells] == ["th", "td"]:
            label_cells.add(cells[0])
    return _mark_contents(page, label_cells, "dt")


def find_value_nodes(page: Page) -> list[bool]:
    """Return for each node whether it is in a value by its tags: the second of two cells, a dd."""
    value_cells = {cells[1] for _, cells in _iter_rows(page) if len(cells) == 2}
    return _mark_contents(page, value_cells, "dd")


def _mark_contents(page: Page, cells: set[int], tag: str) -> list[bool]:
    """Return for each node whether it is in a cell or a tag, and not in a table inside it."""
    is_inside: list[bool] = []
    for node, (label, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
        if label in _TABLE_TAGS or parent < 0:
            is_inside.append(False)
        elif label in CELL_TAGS:
            is_inside.append(node in cells)
        else:
            is_inside.append(label == tag or is_inside[parent])
    return is_inside


def find_column_headers(page: Page, cell_numbers: Sequence[int] | None = None) -> dict[int, int]:
    """Return the header above each cell, in tables that are not there for the layout.

    Cells whose node has the number 0 in ``cell_numbers`` are ignored.
    """
    labels = page.tree.labels
    headers: dict[int, int] = {}
    header_cells: dict[int, list[int]] = {}
    for row, all_cells in sorted(_iter_rows(page)):
        cells = [cell for cell in all_cells if cell_numbers is None or cell_numbers[cell]]
        if len(cells) < _MIN_COLUMNS:
            continue
        table = _find_table(page, row)
        above = header_cells.get(table)
        if above is None or len(above) != len(cells) or all(labels[cell] == "th" for cell in cells):
            header_cells[table] = cells
        elif all(page.count_texts(cell) <= _MAX_HEADER_TEXTS for cell in above):
            headers.update(zip(cells, above, strict=True))
    return headers
