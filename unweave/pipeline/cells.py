"""Values as the cells of a database: typed where they have a type, and their text kept where they could not be read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from unweave.table import LIST, Cell, CellValue, Column
from unweave.values.parsing import MAX_INTEGER, Price
from unweave.values.types import FRACTIONAL, TYPED

# What values of each type are in a database; all others are texts.
TYPE_OF: dict[str, str] = {
    "integer": "integer",
    **dict.fromkeys(FRACTIONAL, "number"),
    "date": "date",
    "datetime": "datetime",
    "time": "time",
    "boolean": "boolean",
    LIST: "list",
}

CURRENCY, UNREAD = "_currency", "_text"
"""What stands behind the name of a column for the currencies of its prices, and for texts that could not be read."""


def cells(column: Column, cell: Cell) -> Iterator[tuple[str, str, Any]]:
    """The cells that a cell of a page fills: name, type and value as JSON has it.

    A price fills a second one with its currency. A text that shows no value of its column's type is kept in one of its own.
    """
    if cell is None:
        return
    if isinstance(cell, list):
        yield column.name, LIST, cell
        return
    if column.type not in TYPED:
        yield column.name, "text", cell
        return
    value = column.parse(cell)
    own = plain(value)
    if own is None:
        yield column.name + UNREAD, "text", cell
        return
    yield column.name, TYPE_OF[column.type], own
    if isinstance(value, Price) and value.currency:
        yield column.name + CURRENCY, "text", value.currency


def plain(value: CellValue) -> Any:
    """A value as JSON and databases have it; None if they cannot hold it."""
    if isinstance(value, Price):
        value = value.amount
    if isinstance(value, Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, datetime):
        return (
            (value.astimezone(UTC) if value.tzinfo else value)
            .replace(tzinfo=None)
            .isoformat(timespec="seconds")
        )
    if isinstance(value, date | time):
        return value.isoformat()
    return None if type(value) is int and abs(value) > MAX_INTEGER else value
