"""One table as a file of its own, a record a row."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from unweave.errors import UsageError
from unweave.sinks import columnar, sheets
from unweave.sinks.files import dumps, format_of
from unweave.sinks.opening import open_binary
from unweave.table import Table, as_json


def _csv(table: Table, values: bool) -> bytes:
    return table.to_csv(values=values).encode(errors="backslashreplace")


def _json_lines(table: Table, values: bool) -> bytes:
    lines = io.StringIO()
    columns = table.by_name(values=values)
    for row in zip(*columns.values(), strict=True):
        cells: dict[str, Any] = dict(zip(columns, map(as_json, row), strict=True))
        lines.write(dumps(cells) + "\n")
    return lines.getvalue().encode()


def _excel(table: Table, values: bool) -> bytes:
    return sheets.workbook({sheets.NAME: table.by_name(values=True)})


def _parquet(table: Table, values: bool) -> bytes:
    return columnar.parquet(table.by_name(values=True))


_WRITERS: dict[str, Callable[[Table, bool], bytes]] = {
    "csv": _csv,
    "xlsx": _excel,
    "parquet": _parquet,
    "jsonl": _json_lines,
}
FORMATS = tuple(_WRITERS)
"""The formats by the endings of files."""


def as_bytes(table: Table, format: str, *, values: bool = False) -> bytes:
    """The table as the bytes of a file. Excel and Parquet have values in any case."""
    return _WRITERS[format](table, values)


def save(table: Table, path: str, *, values: bool = False) -> None:
    """Write the table to a file, whose ending tells the format."""
    format = format_of(path)
    if format not in _WRITERS:
        raise UsageError(f"a table of its own is written as {', '.join(_WRITERS)}, and not as {format}")
    data = as_bytes(table, format, values=values)
    with open_binary(path) as file:
        file.write(data)
