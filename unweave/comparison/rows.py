"""Rows of tables that are compared: plain cells by column name, within a limit of memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from typing import Any

from unweave.errors import SourceError
from unweave.table import to_json_value

MAX_TABLE_BYTES = 4 * 2**30
"""The memory that the rows of one table may take, roughly."""
MAX_COLUMNS = 100_000
MAX_INTEGER_BITS = 4_096
MAX_DEPTH = 32
"""The levels of lists and objects in a cell."""

# What Python needs for a cell and for a row, besides their texts.
_CELL_OVERHEAD_BYTES = 100
_ROW_OVERHEAD_BYTES = 200

Row = dict[str, Any]
"""The cells of a row that are not empty, by column name: texts, numbers, dates, lists, objects."""


@dataclass
class RowTable:
    """A table to compare: its name in messages, its columns, and its rows."""

    name: str
    columns: list[str] = field(default_factory=list)
    """In the order of the file, or of their first use."""
    rows: list[Row] = field(default_factory=list)

    @cached_property
    def cells(self) -> dict[str, list[Any]]:
        """The cells of each column that are not empty, in the order of the rows."""
        cells: dict[str, list[Any]] = {name: [] for name in self.columns}
        for row in self.rows:
            for name, cell in row.items():
                cells[name].append(cell)
        return cells


class RowCollector:
    """Collects the rows of a table. Raises SourceError if they would take too much memory."""

    def __init__(self, name: str, columns: Iterable[str] = ()) -> None:
        self._name = name
        self._columns = {column: column for column in columns}
        self._rows: list[Row] = []
        self._bytes = 0

    def add(self, cells: Iterable[tuple[Any, Any]]) -> None:
        """Add a row, given as pairs of a column name and a value; empty cells are left out."""
        row: Row = {}
        self._bytes += _ROW_OVERHEAD_BYTES
        for name, value in cells:
            column = self._columns.setdefault(str(name), str(name))  # one object for all rows
            cell = self._clean(value, MAX_DEPTH)
            if cell is not None:
                row[column] = cell
        self._rows.append(row)
        check_column_count(self._name, len(self._columns))
        if self._bytes > MAX_TABLE_BYTES:
            raise SourceError(
                f"{self._name}: the table takes more than {MAX_TABLE_BYTES >> 30} GB of memory;"
                " compare parts of it"
            )

    def build(self) -> RowTable:
        """Return the table."""
        return RowTable(self._name, list(self._columns), self._rows)

    def _clean(self, value: Any, depth: int) -> Any:
        """Return a value as a text, number, date, list or object; None if it is empty."""
        self._bytes += _CELL_OVERHEAD_BYTES
        if isinstance(value, str):
            self._bytes += len(value)
            return value or None
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float | Decimal):
            return _clean_number(value)
        if isinstance(value, date | time):
            return value if value == value else None  # NaT of pandas is not
        if isinstance(value, Mapping | list | tuple):
            if not depth:
                raise SourceError(f"{self._name}: a cell has more than {MAX_DEPTH} levels")
            if isinstance(value, Mapping):
                return {str(name): self._clean(item, depth - 1) for name, item in value.items()}
            return [self._clean(item, depth - 1) for item in value] or None
        if isinstance(value, bytes | bytearray | memoryview):
            return self._clean(bytes(value).hex(), depth)
        if callable(to_list := getattr(value, "tolist", None)):  # numbers and arrays of numpy
            plain = to_list()
            return self._clean(plain if type(plain) is not type(value) else str(plain), depth)
        return self._clean(str(value), depth)


def check_column_count(name: str, count: int) -> None:
    """Raise SourceError if a table has too many columns."""
    if count > MAX_COLUMNS:
        raise SourceError(f"{name}: the table has more than {MAX_COLUMNS:,} columns")


def _clean_number(number: int | float | Decimal) -> Any:
    """Return a number, None for NaN, and a text for infinity and for very long numbers."""
    if isinstance(number, int):
        return number if number.bit_length() < MAX_INTEGER_BITS else str(Decimal(number))
    is_nan = number.is_nan() if isinstance(number, Decimal) else math.isnan(number)
    if is_nan:
        return None
    if not math.isfinite(number):
        return str(number)
    return float(number) if isinstance(number, float) else number  # not a subclass of numpy


def to_plain(cell: Any) -> Any:
    """Return a cell of a ``RowCollector`` as plain data for JSON."""
    if isinstance(cell, Mapping):
        return {name: to_plain(item) for name, item in cell.items()}
    return [to_plain(item) for item in cell] if isinstance(cell, list) else to_json_value(cell)
