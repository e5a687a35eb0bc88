"""Tables of the wrappers for lists: cells from items with columns, and the text nodes of cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unweave.errors import PageTooLarge
from unweave.lists.listing import AlignedItem, Record
from unweave.page.page import Page
from unweave.table import URL_TYPES, Cell, CellNodes, Column, Table, format_cell
from unweave.values.types import Type

MAX_CELLS = 2_000_000
MAX_COLUMNS = 10_000  # of a wrapper file
DESCRIBED_STEPS = 3  # of a path that is described

AssignedItem = tuple[int | None, AlignedItem]
"""An item of a record and the number of its column; None if the wrapper has no column for it."""


def check_columns(columns: Sequence[Column]) -> None:
    """Raise ValueError for columns of a wrapper file that no table has.

    They are too many, two have one name, or one has an unknown type.
    """
    if len(columns) > MAX_COLUMNS:
        raise ValueError("it has too many columns")
    if len({column.name for column in columns}) < len(columns):
        raise ValueError("two columns have one name")
    if any(column.type not in list(Type) for column in columns):
        raise ValueError("a column has an unknown type")


def check_table_size(records: Sequence[Record], columns: Sequence[object]) -> None:
    """Raise PageTooLarge if the table of these records would have too many cells."""
    if len(records) * len(columns) > MAX_CELLS:
        raise PageTooLarge(f"the table would have more than {MAX_CELLS:,} cells")


def build_table(
    page: Page,
    columns: Sequence[Column],
    records: Sequence[Record],
    rows: Sequence[Sequence[AssignedItem]],
    join_text: Callable[[Page, Record], str],
) -> Table:
    """Return the table of records. Its score, the fit, is the share of the items with a column.

    Args:
        page: The page.
        columns: The columns of the wrapper.
        records: The records of the page.
        rows: The items of each record; of several for one column, the first is taken.
        join_text: Returns the whole text of a record.
    """
    cells: list[list[Cell]] = [[None] * len(columns) for _ in records]
    nodes: CellNodes = [[()] * len(columns) for _ in records]
    item_count, assigned_count = 0, 0
    for row, row_cells, row_nodes in zip(rows, cells, nodes, strict=True):
        item_count += len(row)
        for column, item in row:
            if column is None or row_nodes[column]:
                continue
            assigned_count += 1
            if not columns[column].is_blank(item.value):
                row_cells[column] = item.value
                row_nodes[column] = (item.node,)
    fit = assigned_count / item_count if item_count else 0.0
    texts = [join_text(page, record) for record in records]
    return Table(
        tuple(columns), cells, nodes, records, texts, score=fit, page=page.original or page
    )


def find_text_nodes(page: Page, table: Table | None) -> dict[str, list[int]]:
    """Return the numbers of the text nodes of each column's cells; addresses have none."""
    text_nodes: dict[str, list[int]] = {}
    if table is None:
        return text_nodes
    for number, column in enumerate(table.columns):
        if column.type in URL_TYPES:
            continue
        numbers: list[int] = []
        for row, nodes in zip(table.rows, table.nodes, strict=True):
            text = format_cell(row[number])
            if text:
                for node in nodes[number]:
                    numbers += _find_parts(page, node, text)
        if numbers:
            text_nodes[column.name] = numbers
    return text_nodes


def _find_parts(page: Page, node: int, value: str) -> list[int]:
    """Return the text nodes of a node that a value is made of: one, or all of a running text."""
    texts = page.texts
    equal = [number for number in page.text_nodes(node) if texts[number] == value]
    return equal or [number for number in page.text_nodes(node) if texts[number] in value]
