"""Writers of rows to open files: JSON Lines, JSON, CSV, and a base for formats of columns."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TextIO

from unweave.files import format_json
from unweave.sinks.cells import stringify_items
from unweave.table import to_csv_cell, to_json_value

Row = Mapping[str, Any]
"""The cells of a row by column name: texts, lists of texts, typed values, None."""


class RowWriter(Protocol):
    """A file format: takes one row after the other and writes them to a file that is open."""

    def write(self, row: Row) -> None:
        """Take a row."""

    def close(self) -> None:
        """Write what has not been written yet. The file stays open."""


class JsonLinesWriter:
    """Writes a row as a line of JSON."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: Row) -> None:
        """Write a row."""
        self._file.write(_format_row(row) + "\n")

    def close(self) -> None:
        """Do nothing: all rows have been written."""


class JsonWriter:
    """Writes an array of rows, also if there is only one, so that readers have one case."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._is_empty = True

    def write(self, row: Row) -> None:
        """Write a row."""
        self._file.write(("[\n" if self._is_empty else ",\n") + _format_row(row))
        self._is_empty = False

    def close(self) -> None:
        """Write the end of the array."""
        self._file.write("[]\n" if self._is_empty else "\n]\n")


def _format_row(row: Row) -> str:
    return format_json({name: to_json_value(cell) for name, cell in row.items()})


class StreamingCsvWriter:
    """Writes a header line and a line for each row; the names are known before the first row."""

    def __init__(self, file: TextIO, names: Sequence[str]) -> None:
        # csv quotes a carriage return in a cell only if the line ends with one. So lines do, and
        # _LineFeedFile removes it again.
        self._writer = csv.writer(_LineFeedFile(file), lineterminator="\r\n")
        self._names = names
        self._writer.writerow(names)

    def write(self, row: Row) -> None:
        """Write a row."""
        self._writer.writerow([_format_csv_cell(row.get(name)) for name in self._names])

    def close(self) -> None:
        """Do nothing: all rows have been written."""


def _format_csv_cell(cell: Any) -> Any:
    return to_csv_cell(stringify_items(cell) if isinstance(cell, list) else cell)


class _LineFeedFile:
    """Takes lines that end with a carriage return and line feed, and ends them with a line feed."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix("\r\n") + "\n")


class ColumnWriter:
    """Collects rows, which may have different names; the base of formats made of whole columns."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._rows: list[Row] = []
        self._names: dict[str, None] = {}

    def add_columns(self, names: Iterable[str]) -> None:
        """Add columns, which the table has even if it has no rows."""
        self._names.update(dict.fromkeys(names))

    def write(self, row: Row) -> None:
        """Take a row."""
        self._rows.append(row)
        self._names.update(dict.fromkeys(row))

    def get_columns(self) -> dict[str, list[Any]]:
        """Return the cells of all rows by column name, in the order of the first use of names."""
        return {name: [row.get(name) for row in self._rows] for name in self._names}


class CsvWriter(ColumnWriter):
    """Collects rows and writes them as CSV."""

    def close(self) -> None:
        """Write the header and the rows."""
        if self._names:
            writer = StreamingCsvWriter(self._file, list(self._names))
            for row in self._rows:
                writer.write(row)
