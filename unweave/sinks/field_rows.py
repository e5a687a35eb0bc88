"""The fields of pages as rows, with typed values for the formats that have types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from unweave.sinks.row_writers import Row
from unweave.table import Column
from unweave.values.column_format import infer_column_format, is_placeholder
from unweave.values.parsing import Price
from unweave.values.types import TYPED, Type


class RowSink(Protocol):
    """What takes rows."""

    def write(self, row: Row) -> None:
        """Write a row."""


class TypedRowWriter:
    """Collects the rows of pages, and writes them with the types that all their values have.

    A field has a type only if all its texts convert, so that no value is lost; a type that was
    asked for is kept, and what does not convert is left out and counted.
    """

    def __init__(self, rows: RowSink, requested: Mapping[str, Column], kept: Sequence[str]) -> None:
        """Write to ``rows``; ``kept`` are the names of cells that are written as they are."""
        self._rows = rows
        self._requested = requested
        self._kept = frozenset(kept)
        self._collected: list[Row] = []
        self.unconverted: dict[str, int] = {}
        """How many texts of a requested type did not convert, by field."""

    def write(self, row: Row) -> None:
        """Collect a row."""
        self._collected.append(row)

    def close(self) -> None:
        """Write the rows."""
        names = dict.fromkeys(name for row in self._collected for name in row)
        columns = {name: self._choose_column(name) for name in names if name not in self._kept}
        for row in self._collected:
            typed: dict[str, Any] = {}
            for name in names:
                column = columns.get(name)
                if column is None or column.type not in TYPED:
                    typed[name] = row.get(name)
                else:
                    self._add_value(typed, name, column, row.get(name), names)
            self._rows.write(typed)

    def _choose_column(self, name: str) -> Column:
        """Return a column of the requested type, or else of one that holds all texts."""
        requested = self._requested.get(name)
        if requested is not None and requested.is_requested_type:
            return requested
        cells = [row[name] for row in self._collected if row.get(name) is not None]
        if not cells or not all(isinstance(cell, str) for cell in cells):
            return Column(name)
        found = infer_column_format(cells)
        column = Column(
            name, found.type, prefix=found.prefix, suffix=found.suffix, date_order=found.date_order
        )
        texts = [cell for cell in cells if not is_placeholder(cell)]
        return column if column.type in TYPED and column.converts_all(texts) else Column(name)

    def _add_value(
        self, typed: dict[str, Any], name: str, column: Column, cell: Any, names: Mapping[str, Any]
    ) -> None:
        value = column.parse(cell) if isinstance(cell, str) else None
        if (
            cell is not None
            and value is None
            and not (isinstance(cell, str) and is_placeholder(cell))
        ):
            self.unconverted[name] = self.unconverted.get(name, 0) + 1
        if column.type != Type.PRICE:
            typed[name] = value
            return
        currency_name = f"{name}_currency"
        while currency_name in names:
            currency_name += "_"
        price = value if isinstance(value, Price) else None
        typed[name] = price and price.amount
        typed[currency_name] = price and price.currency
