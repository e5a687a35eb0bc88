"""Tables of a page by the meaning of their tags: cells, headers, and rows of a label and a value."""

from __future__ import annotations

from collections.abc import Iterator

from unweave.page.page import Page

_CELLS = frozenset(["td", "th"])
_TABLE_PARTS = frozenset(["table", "tbody", "thead", "tfoot", "tr"])
_PAIR = 2
_LEAST_COLUMNS = 3
# With more texts in a cell of its first row, a table is there for the layout.
_MOST_TEXTS = 2


def number_cells(page: Page) -> list[int]:
    """For each node the number of the table cell that it stands in, counted in its row from 1; 0 if in none."""
    tree = page.tree
    cells: dict[int, int] = {}
    found: list[int] = []
    for label, parent in zip(tree.labels, tree.parents, strict=True):
        if label in _CELLS:
            cells[parent] = cells.get(parent, 0) + 1
            found.append(cells[parent])
        else:
            found.append(0 if label in _TABLE_PARTS or parent < 0 else found[parent])
    return found


def find_label_nodes(page: Page) -> list[bool]:
    """Which nodes stand where labels stand by the meaning of the tags: in a th beside one td, or in a dt."""
    keys = {
        cells[0]
        for cells in _pairs(page)
        if [page.tree.labels[cell] for cell in cells] == ["th", "td"]
    }
    return _inside(page, keys, "dt")


def find_value_nodes(page: Page) -> list[bool]:
    """Which nodes stand where values stand by the meaning of the tags: in the second of two cells of a row, or in a dd."""
    return _inside(page, {cells[1] for cells in _pairs(page)}, "dd")


def _pairs(page: Page) -> Iterator[list[int]]:
    """The cells of rows that have two."""
    for row, label in enumerate(page.tree.labels):
        if label == "tr":
            cells = [cell for cell in page.tree.children(row) if page.tree.labels[cell] in _CELLS]
            if len(cells) == _PAIR:
                yield cells


def _inside(page: Page, cells: set[int], tag: str) -> list[bool]:
    """Which nodes stand in one of these cells, or in an element of this tag, and not in a table within."""
    found: list[bool] = []
    for node, (label, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
        if label in _TABLE_PARTS or parent < 0:
            found.append(False)
        else:
            found.append(node in cells if label in _CELLS else label == tag or found[parent])
    return found


def find_column_headers(page: Page, least_columns: int = _LEAST_COLUMNS) -> dict[int, int]:
    """The header above each cell, in tables of so many columns that are not there for the layout."""
    labels = page.tree.labels
    found: dict[int, int] = {}
    above: dict[int, list[int]] = {}
    for row, label in enumerate(labels):
        if label != "tr":
            continue
        cells = [cell for cell in page.tree.children(row) if labels[cell] in _CELLS]
        if len(cells) < least_columns:
            continue
        table = _table_of(page, row)
        head = above.get(table)
        if head is None or len(head) != len(cells) or all(labels[cell] == "th" for cell in cells):
            above[table] = cells
        elif all(page.count_texts(cell) <= _MOST_TEXTS for cell in head):
            found.update(zip(cells, head, strict=True))
    return found


def _table_of(page: Page, row: int) -> int:
    return next((node for node in page.tree.ancestors(row) if page.tree.labels[node] == "table"), 0)
