"""Tables inside detail pages, such as reviews or a cast: repeated rows and their columns.

They are extracted as one list for each column, all of one length: the n-th entries of the lists are
the n-th row.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from unweave.page.html_tables import number_cells
from unweave.page.page import Page
from unweave.page.template_paths import HIDDEN_PATH, UNKNOWN_PATH, TemplatePaths
from unweave.table import LIST_SEPARATOR
from unweave.values.look import compare_values
from unweave.wrappers.base import is_value
from unweave.wrappers.fields.locators import Anchors

# A row has at least this share of the columns of its table; other nodes at its path are not rows.
_MIN_COLUMN_SHARE = 0.4

_WHOLE_CELL = "/*"
_TAG = re.compile(r"\w+")


class CellPath(NamedTuple):
    """Where a text is in a row: the steps to it, and the column of its table cell, or 0."""

    path: str
    column: int

    @property
    def is_whole(self) -> bool:
        """Whether it stands for all texts of the table cell, with links or without."""
        return self.path.endswith(_WHOLE_CELL)

    @property
    def steps(self) -> str:
        """The steps to the text, or to the whole cell."""
        return self.path.removesuffix(_WHOLE_CELL)

    def widen(self) -> CellPath:
        """Return the path of the whole cell; texts outside of cells keep theirs."""
        tag = _TAG.match(self.path)
        is_inside = self.column and tag and not self.is_whole
        return CellPath(tag[0] + _WHOLE_CELL, self.column) if is_inside and tag else self


class RowColumn(NamedTuple):
    """A column: the n-th text at a cell path of the rows; all texts if the number is None."""

    name: str
    cell: CellPath
    number: int | None
    examples: tuple[str, ...] = ()


class RowTable(NamedTuple):
    """A table whose rows have one or several template paths, such as both halves of a list."""

    name: str
    paths: tuple[int, ...]
    share: float
    """The share of the learned pages that had it."""
    columns: tuple[RowColumn, ...]


Cells = dict[tuple[CellPath, int], int]
"""The text nodes of a row, by their cell path and their number there."""


class Row(NamedTuple):
    """A node that is a row, and its text nodes."""

    node: int
    cells: Cells

    @property
    def cell_paths(self) -> frozenset[CellPath]:
        """The cell paths that have a text."""
        return frozenset([path for path, _ in self.cells])

    def merge_cells(self) -> Row:
        """Return the row with the texts of a table cell at one path each."""
        cells: Cells = {}
        counts: Counter[CellPath] = Counter()
        for (path, _), text_node in self.cells.items():
            cell = path.widen()
            cells[cell, counts[cell]] = text_node
            counts[cell] += 1
        return Row(self.node, cells)


class RowReader:
    """Reads the rows of one page whose nodes have these template paths."""

    def __init__(
        self,
        page: Page,
        paths: Sequence[int],
        template: TemplatePaths,
        columns: Sequence[int] | None = None,
    ) -> None:
        self._page, self._paths, self._template = page, paths, template
        self._columns = number_cells(page) if columns is None else columns
        self._join_steps = cache(self._join_uncached_steps)

    def read(self, node: int) -> Row:
        """Read the cells of a row."""
        page = self._page
        cells: Cells = {}
        counts: Counter[CellPath] = Counter()
        for text_node in page.text_nodes(node):
            parent = page.text_parents[text_node]
            if is_value(page.texts[text_node]) and self._paths[parent] != HIDDEN_PATH:
                steps = self._join_steps(self._paths[node], self._paths[parent])
                cell = CellPath(steps, self._columns[parent])
                cells[cell, counts[cell]] = text_node
                counts[cell] += 1
        return Row(node, cells)

    def is_header(self, row: Row, anchors: Anchors) -> bool:
        """Tell whether a row has labels only, such as the headers of columns."""
        page = self._page
        parents = [(node, page.text_parents[node]) for node in row.cells.values()]
        return all(
            anchors.is_label(self._paths[parent], self._columns[parent], page.texts[node])
            for node, parent in parents
        )

    def _join_uncached_steps(self, row_path: int, path: int) -> str:
        steps: list[str] = []
        while path not in (row_path, UNKNOWN_PATH):
            path, step = self._template.parents[path]
            steps.append(step)
        return "/".join(reversed(steps))


class RowFinder:
    """Finds the rows of known tables on pages."""

    def __init__(self, tables: Sequence[RowTable], anchors: Anchors) -> None:
        self._anchors, self._template = anchors, anchors.paths
        self._tables: dict[int, list[tuple[RowTable, frozenset[CellPath]]]] = defaultdict(list)
        for table in tables:
            cells = frozenset([column.cell for column in table.columns])
            for path in table.paths:
                self._tables[path].append((table, cells))

    def find_rows(
        self,
        page: Page,
        paths: Sequence[int],
        *,
        is_strict: bool = False,
        columns: Sequence[int] | None = None,
    ) -> list[tuple[RowTable, Row]]:
        """Return the rows of a page with their tables. Rows inside of rows are left out.

        With ``is_strict``, rows of a table with several columns have two of them. ``columns`` is
        the number of the table cell of each node, if it is not that of ``number_cells``.
        """
        reader = RowReader(page, paths, self._template, columns)
        rows: list[tuple[RowTable, Row]] = []
        stop = 0
        for node, path in enumerate(paths):
            if path not in self._tables or node < stop:
                continue
            read = reader.read(node)
            best: tuple[RowTable, Row] | None = None
            best_similarity = 0.0
            for table, cells in self._tables[path]:
                row = _merge_like(read, cells)
                similarity = _compare_cells(row.cell_paths, cells)
                if is_strict and len(row.cell_paths & cells) < min(2, len(cells)):
                    continue
                if row is not read and reader.is_header(row, self._anchors):
                    continue
                if similarity > best_similarity:
                    best, best_similarity = (table, row), similarity
            if best is not None:
                rows.append(best)
                stop = page.tree.ends[node]
        return rows

    def has_unknown_columns(self, rows: Sequence[tuple[RowTable, Row]]) -> bool:
        """Tell whether most rows have a table cell to the right of those that were learned."""
        unknown = 0
        for table, row in rows:
            known = max(column.cell.column for column in table.columns)
            unknown += bool(known) and any(cell.column > known for cell, _ in row.cells)
        return 2 * unknown > len(rows)

    def find_shift(
        self, page: Page, paths: Sequence[int], columns: Sequence[int], nodes: Sequence[int]
    ) -> int:
        """Return how far the cells of rows stand to the right of those that were learned.

        Cells agree if they are at the position of a column, and more if they look like its values.
        """
        reader = RowReader(page, paths, self._template, columns)
        agreement: defaultdict[int, float] = defaultdict(float)
        for node in nodes[:_MAX_COMPARED_ROWS]:
            row = reader.read(node)
            for shift in _SHIFTS:
                agreement[shift] += max(
                    _compare_shifted(page, _merge_like(row, cells), shift, table)
                    for table, cells in self._tables[paths[node]]
                )
        return max(_SHIFTS, key=lambda shift: agreement[shift])

    def list_rows(self, paths: Sequence[int]) -> list[int]:
        """Return the nodes that may be rows."""
        return [node for node, path in enumerate(paths) if path in self._tables]


# Redesigns add or remove a column or two; 0 is first, because the first of the best counts.
_SHIFTS = (0, 1, -1, 2)


def _merge_like(row: Row, table: frozenset[CellPath]) -> Row:
    """Return a row with whole cells if the columns of a table are whole cells."""
    return row.merge_cells() if any(cell.is_whole for cell in table) else row


_MAX_COMPARED_ROWS = 20


def _compare_shifted(page: Page, row: Row, shift: int, table: RowTable) -> float:
    """Return how much the cells of a row, so many cells to the left, agree with the columns."""
    agreement = 0.0
    for column in table.columns:
        path, number = column.cell
        cell = CellPath(path, number + shift if number else 0)
        text_node = row.cells.get((cell, column.number or 0))
        if text_node is not None:
            looks = [compare_values(page.texts[text_node], each) for each in column.examples]
            agreement += 1 + max(looks, default=0.0)
    return agreement


def _compare_cells(row: frozenset[CellPath], table: frozenset[CellPath]) -> float:
    """Return the similarity of a row and a table from 0 to 1; 0 if the node is not a row."""
    common = len(row & table)
    is_whole = any(cell.is_whole for cell in table)
    min_common = _MIN_COLUMN_SHARE * len(table)
    if common < (min_common if is_whole else min(len(row), min_common)):
        return 0.0
    return common / max(1, len(row | table))


def read_columns(page: Page, rows: Sequence[tuple[RowTable, Row]]) -> dict[str, list[str | None]]:
    """Return the cells of each column by name, without the columns that no row has."""
    columns: dict[str, list[str | None]] = {}
    for table, cells_of_rows in _group_by_table(rows):
        for column in table.columns:
            texts = [_join_cell(page, find_text_nodes(cells, column)) for cells in cells_of_rows]
            if any(texts):
                columns[column.name] = texts
    return columns


def find_column_text_nodes(rows: Sequence[tuple[RowTable, Row]]) -> dict[str, list[int]]:
    """Return the text nodes of each column by name, without the columns that no row has."""
    text_nodes_by_name: dict[str, list[int]] = {}
    for table, cells_of_rows in _group_by_table(rows):
        for column in table.columns:
            text_nodes: list[int] = []
            for cells in cells_of_rows:
                text_nodes += find_text_nodes(cells, column)
            if text_nodes:
                text_nodes_by_name[column.name] = text_nodes
    return text_nodes_by_name


def _group_by_table(
    rows: Sequence[tuple[RowTable, Row]],
) -> Iterable[tuple[RowTable, list[Cells]]]:
    groups: dict[str, tuple[RowTable, list[Cells]]] = {}
    for table, row in rows:
        groups.setdefault(table.name, (table, []))[1].append(row.cells)
    return groups.values()


def find_text_nodes(cells: Cells, column: RowColumn) -> list[int]:
    """Return the text nodes of a row that belong to a column."""
    if column.number is not None:
        text_node = cells.get((column.cell, column.number))
        return [] if text_node is None else [text_node]
    return [text_node for (cell, _), text_node in cells.items() if cell == column.cell]


def _join_cell(page: Page, text_nodes: Sequence[int]) -> str | None:
    """Return the text of a cell: text nodes that follow each other are one text."""
    if not text_nodes:
        return None
    whole = range(text_nodes[0], text_nodes[-1] + 1)
    if len(whole) == len(text_nodes):
        return page.join_text_nodes(whole)
    return LIST_SEPARATOR.join([page.texts[text_node] for text_node in text_nodes])


def hide_rows(page: Page, paths: Sequence[int], rows: Sequence[tuple[RowTable, Row]]) -> list[int]:
    """Return the template paths of the nodes of a page, with those inside of rows hidden."""
    visible = list(paths)
    for _, row in rows:
        stop = page.tree.ends[row.node]
        visible[row.node : stop] = [HIDDEN_PATH] * (stop - row.node)
    return visible
