"""Tables inside detail pages, such as reviews or a cast: rows that repeat, and their columns.

Their cells are given as one list for each column, all of one length: the n-th entries of them are the n-th row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from operator import itemgetter
from typing import NamedTuple

from unweave.page.grids import columns
from unweave.page.page import Page
from unweave.table import BETWEEN_VALUES
from unweave.wrappers.fields import Fields, is_value
from unweave.wrappers.places import HIDDEN, NOWHERE, Places

# A row has so many of the columns of its table. Others at the same place are something else.
_LEAST_COLUMNS = 0.4


class Spot(NamedTuple):
    """Where a text stands in a row: the steps down to it, and the column of the table cell around it, or 0."""

    path: str
    column: int


class Column(NamedTuple):
    """One column: the n-th text at a spot of the row, or all of them."""

    name: str
    spot: Spot
    number: int | None
    examples: tuple[str, ...] = ()


class Table(NamedTuple):
    """Rows at one or several places, such as both halves of a list that is set in two columns."""

    name: str
    places: tuple[int, ...]
    share: float
    """The share of the learned pages that had it."""
    columns: tuple[Column, ...]


Cells = dict[tuple[Spot, int], int]
"""The texts of a row, by their spot and their number there."""


class Row(NamedTuple):
    """An element, and what it says."""

    node: int
    cells: Cells

    @property
    def spots(self) -> frozenset[Spot]:
        """Where the row says something."""
        return frozenset(spot for spot, _ in self.cells)


class RowReader:
    """Reads what stands where in the rows of one page."""

    def __init__(self, page: Page, places: Sequence[int], template: Places) -> None:
        self._page, self._places, self._template = page, places, template
        self._path = cache(self._find_path)

    def read(self, node: int) -> Row:
        """The cells of a row."""
        page = self._page
        cells: Cells = {}
        seen: Counter[Spot] = Counter()
        for chunk in page.chunks(node):
            if is_value(page.texts[chunk]):
                owner = page.owners[chunk]
                spot = Spot(self._path(self._places[node], self._places[owner]), self._columns[owner])
                cells[spot, seen[spot]] = chunk
                seen[spot] += 1
        return Row(node, cells)

    @cached_property
    def _columns(self) -> list[int]:
        return columns(self._page)

    def _find_path(self, row: int, place: int) -> str:
        steps: list[str] = []
        while place not in (row, NOWHERE):
            place, step = self._template.above[place]
            steps.append(step)
        return "/".join(reversed(steps))


class Tables:
    """The tables of a wrapper, ready to be read from pages."""

    def __init__(self, tables: Sequence[Table], places: Places) -> None:
        self._template = places
        self._at: dict[int, list[_Known]] = defaultdict(list)
        for table in tables:
            known = _Known(table, frozenset(column.spot for column in table.columns))
            for place in table.places:
                self._at[place].append(known)

    def rows(self, page: Page, places: Sequence[int]) -> list[tuple[Table, Row]]:
        """The rows of a page with their tables. What stands inside of a row is none."""
        reader = RowReader(page, places, self._template)
        found: list[tuple[Table, Row]] = []
        stop = 0
        for node, place in enumerate(places):
            if place in self._at and node >= stop:
                row = reader.read(node)
                likeness, table = max(((own.likeness(row), own.table) for own in self._at[place]), key=itemgetter(0))
                if likeness > 0:
                    found.append((table, row))
                    stop = page.tree.ends[node]
        return found


class _Known(NamedTuple):
    """A table, and where the cells of its rows stand."""

    table: Table
    spots: frozenset[Spot]

    def likeness(self, row: Row) -> float:
        """How much of a row is in the columns and the other way, from 0 to 1; 0 for what is no row of the table."""
        own = row.spots
        known = len(own & self.spots)
        if known < min(len(own), _LEAST_COLUMNS * len(self.spots)):
            return 0.0
        return known / max(1, len(own | self.spots))


def columns_of(page: Page, rows: Sequence[tuple[Table, Row]]) -> dict[str, list[str | None]]:
    """The columns of the tables of a page by name, without those that no row has."""
    found: dict[str, list[str | None]] = {}
    for table, own in _by_table(rows):
        for column in table.columns:
            cells = [_cell(page, _chunks(row, column)) for row in own]
            if any(cells):
                found[column.name] = cells
    return found


def chunks_of(rows: Sequence[tuple[Table, Row]]) -> dict[str, list[int]]:
    """The same, with the numbers of the texts of all rows for each column."""
    found: dict[str, list[int]] = {}
    for table, own in _by_table(rows):
        for column in table.columns:
            if chunks := [chunk for row in own for chunk in _chunks(row, column)]:
                found[column.name] = chunks
    return found


def _by_table(rows: Sequence[tuple[Table, Row]]) -> Iterable[tuple[Table, list[Cells]]]:
    of_table: dict[str, tuple[Table, list[Cells]]] = {}
    for table, row in rows:
        of_table.setdefault(table.name, (table, []))[1].append(row.cells)
    return of_table.values()


def _chunks(row: Cells, column: Column) -> list[int]:
    """The texts of a cell."""
    if column.number is not None:
        chunk = row.get((column.spot, column.number))
        return [] if chunk is None else [chunk]
    return [chunk for (spot, _), chunk in row.items() if spot == column.spot]


def _cell(page: Page, chunks: Sequence[int]) -> str | None:
    if not chunks:
        return None
    whole = range(chunks[0], chunks[-1] + 1)
    return page.join(whole) if len(whole) == len(chunks) else BETWEEN_VALUES.join([page.texts[chunk] for chunk in chunks])


def rows_of(fields: Fields, table: Table) -> list[dict[str, str | None]]:
    """The rows of a table that a page has, put together from the fields that are its columns."""
    every = [(column.name, fields.get(column.name)) for column in table.columns]
    own = {name: cells for name, cells in every if isinstance(cells, list)}
    return [dict(zip(own, cells, strict=True)) for cells in zip(*own.values(), strict=True)]


def hide(page: Page, places: Sequence[int], rows: Sequence[tuple[Table, Row]]) -> list[int]:
    """The places without those inside of rows, which have no fields."""
    found = list(places)
    for _, row in rows:
        stop = page.tree.ends[row.node]
        found[row.node : stop] = [HIDDEN] * (stop - row.node)
    return found
