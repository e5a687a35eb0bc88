"""One table as a file of its own, a record a row."""

from __future__ import annotations

from unweave.sinks.files import as_bytes, format_of, is_typed, rows_of
from unweave.sinks.output import open_binary
from unweave.table import Table


def table_as_bytes(table: Table, format: str, *, values: bool = False) -> bytes:
    """The table as the bytes of a file. Excel and Parquet have values in any case."""
    return as_bytes(rows_of(table, values=values or is_typed(format)), format)


def save(table: Table, path: str, *, values: bool = False) -> None:
    """Write the table to a file, whose ending tells the format."""
    data = table_as_bytes(table, format_of(path), values=values)
    with open_binary(path) as file:
        file.write(data)
