"""Cells of tables that span rows or columns, as values of every row and column that they fill."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

from unweave.page.page import Page
from unweave.records.columns import Keyed, Placed
from unweave.records.items import TEXT
from unweave.records.region import Record

# A hostile table could ask for as many cells as it has, squared.
_MAX_FILLED_CELLS = 200_000


def fill_spans(page: Page, records: Sequence[Record], rows: Sequence[Keyed]) -> list[Keyed]:
    """Return the aligned rows of a list of table rows, with the cells that reach into them from above or from the left.

    A table with too many such cells stays as it is.
    """
    grid = page.grid
    if not (grid.widths or grid.from_above) or not _is_table(page, records):
        return list(rows)
    cell_of = _CellFinder(page, records)
    in_cell: defaultdict[int, list[Placed]] = defaultdict(list)
    for row in rows:
        for placed in row:
            if (cell := cell_of(placed.node)) is not None:
                in_cell[cell].append(placed)
    key_of_column = _text_keys(page, in_cell)
    filled: list[Keyed] = []
    room = _MAX_FILLED_CELLS
    for record, row in zip(records, rows, strict=True):
        taken = {placed.key for placed in row}
        added: Keyed = []
        for cell in grid.from_above.get(record[0], ()):
            added += [placed for placed in in_cell.get(cell, ()) if placed.key not in taken]
        for cell in page.tree.children(record[0]) if grid.widths else ():
            columns = range(grid.columns.get(cell, 0), grid.columns.get(cell, 0) + grid.widths.get(cell, 1))
            added += _spread(columns, in_cell.get(cell, ()), key_of_column, taken)
        room -= len(added)
        if room < 0:
            return list(rows)
        filled.append(sorted([*row, *added], key=lambda placed: (cell_of.column(placed.node), placed.node)))
    return filled


def order_by_grid(page: Page, records: Sequence[Record], rows: Sequence[Keyed]) -> list[Hashable] | None:
    """Return the keys of a list of table rows in the order of the table's columns; None if it is no such list."""
    if not _is_table(page, records):
        return None
    cell_of = _CellFinder(page, records)
    columns: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    first: dict[Hashable, tuple[int, int]] = {}
    for row in rows:
        for place, placed in enumerate(row):
            columns[placed.key][cell_of.column(placed.node)] += 1
            first.setdefault(placed.key, (place, len(first)))
    return sorted(columns, key=lambda key: (columns[key].most_common(1)[0][0], *first[key]))


class _CellFinder:
    """Finds the cells of records that nodes stand in: those of the records' own rows, whatever tables are inside them."""

    def __init__(self, page: Page, records: Sequence[Record]) -> None:
        self._page = page
        self._roots = frozenset(record[0] for record in records)

    def __call__(self, node: int) -> int | None:
        """Return the cell that a node stands in."""
        parents = self._page.tree.parents
        while node >= 0 and parents[node] not in self._roots:
            node = parents[node]
        return node if node in self._page.grid.columns else None

    def column(self, node: int) -> int:
        """Return the column of the cell that a node stands in, 0 if it stands in none."""
        cell = self(node)
        return self._page.grid.columns[cell] if cell is not None else 0


def _is_table(page: Page, records: Sequence[Record]) -> bool:
    return all(len(record) == 1 and page.tree.labels[record[0]] == "tr" for record in records)


def _spread(
    columns: range, own: Sequence[Placed], key_of_column: Mapping[int, Hashable], taken: set[Hashable]
) -> list[Placed]:
    """Return the only text of a cell once more for every other column that it fills, if other rows have a text there."""
    texts = [placed for placed in own if placed.kind == TEXT]
    if len(texts) != 1:
        return []
    keys = [key_of_column.get(column) for column in columns[1:]]
    return [texts[0]._replace(key=key) for key in keys if key is not None and key not in taken]


def _text_keys(page: Page, in_cell: Mapping[int, Sequence[Placed]]) -> dict[int, Hashable]:
    """Return for every column of the grid the key of most texts that cells of this column alone have."""
    counts: defaultdict[int, Counter[Hashable]] = defaultdict(Counter)
    for cell, own in in_cell.items():
        if cell not in page.grid.widths:
            counts[page.grid.columns[cell]].update(placed.key for placed in own if placed.kind == TEXT)
    return {column: keys.most_common(1)[0][0] for column, keys in counts.items() if keys}
