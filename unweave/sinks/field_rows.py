"""The fields of pages as rows, with typed values for the formats that have types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from unweave.names import append_underscores
from unweave.sinks.cells import INT64
from unweave.sinks.row_writers import Row
from unweave.table import CellValue, Column
from unweave.values.column_format import infer_column_format, is_placeholder
from unweave.values.parsing import Price
from unweave.values.types import TYPED, Type


class RowSink(Protocol):
    """What takes rows."""

    def write(self, row: Row) -> None:
        """Write a row."""


class FieldRowWriter:
    """Collects the rows of pages, and writes them with their columns in the order of the wrapper.

    If they are typed, a field has a type only if all its texts convert, so that no value is lost; a
    type that was requested is kept, and what does not convert is left out.
    """

    def __init__(
        self,
        rows: RowSink,
        order: Sequence[str],
        requested: Mapping[str, Column],
        *,
        is_typed: bool,
    ) -> None:
        """Write to ``rows``; ``order`` are the names that come first, such as that of the page."""
        self._rows = rows
        self._order = order
        self._requested = requested
        self._is_typed = is_typed
        self._collected: list[Row] = []

    def write(self, row: Row) -> None:
        """Collect a row."""
        self._collected.append(row)

    def close(self) -> None:
        """Write the rows."""
        used = dict.fromkeys(name for row in self._collected for name in row)
        names = dict.fromkeys([*[name for name in self._order if name in used], *used])
        columns = {name: self._choose_column(name) for name in names} if self._is_typed else {}
        for row in self._collected:
            typed: dict[str, Any] = {}
            for name in names:
                column = columns.get(name)
                if column is None or column.type not in TYPED:
                    typed[name] = row.get(name)
                else:
                    self._add_value(typed, column, row.get(name), names)
            self._rows.write(typed)

    def _choose_column(self, name: str) -> Column:
        """Return a column of the requested type, or else of one that holds all texts."""
        cells = [row[name] for row in self._collected if row.get(name) is not None]
        requested = self._requested.get(name)
        if requested is not None and requested.is_requested_type:
            has_texts = not cells or any(isinstance(cell, str) for cell in cells)
            return requested if has_texts else Column(name)
        if not cells or not all(isinstance(cell, str) for cell in cells):
            return Column(name)
        found = infer_column_format(cells)
        column = Column(
            name, found.type, prefix=found.prefix, suffix=found.suffix, date_order=found.date_order
        )
        if column.type not in TYPED:
            return column
        values = [column.parse(cell) for cell in cells if not is_placeholder(cell)]
        return column if all(map(_is_storable, values)) else Column(name)

    @staticmethod
    def _add_value(
        typed: dict[str, Any], column: Column, cell: Any, names: Mapping[str, Any]
    ) -> None:
        value = column.parse(cell) if isinstance(cell, str) else None
        if column.type != Type.PRICE:
            typed[column.name] = value
            return
        currency_name = append_underscores(f"{column.name}_currency", names)
        price = value if isinstance(value, Price) else None
        typed[column.name] = price and price.amount
        typed[currency_name] = price and price.currency


def _is_storable(value: CellValue) -> bool:
    """Tell whether every format of files has a value for it: they have integers of 64 bits."""
    if isinstance(value, Price):
        value = value.amount
    return value is not None and not (isinstance(value, int) and value not in INT64)
