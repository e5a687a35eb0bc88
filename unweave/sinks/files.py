"""The tables of pages into files: JSON Lines, JSON, CSV, Excel and Parquet, or to standard output.

A file appears under its name only when it is complete.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO

from unweave.errors import UsageError
from unweave.files import format_json
from unweave.sinks import columnar, sheets
from unweave.sinks.output import open_binary, open_text
from unweave.table import Table, to_csv_cell, to_json_value

Row = Mapping[str, Any]


class RowWriter(Protocol):
    """Takes one row after the other."""

    def write(self, row: Row) -> None:
        """Take a row."""

    def close(self) -> None:
        """Write what is still to be written."""


class JsonLinesWriter:
    """One row a line."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: Row) -> None:
        """Take a row."""
        self._file.write(format_json(row) + "\n")

    def close(self) -> None:
        """Write what is still to be written."""


class JsonWriter:
    """One array of rows, also where there is only one of them, so that readers need no two cases."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._before = "[\n"

    def write(self, row: Row) -> None:
        """Take a row."""
        self._file.write(self._before + format_json(row))
        self._before = ",\n"

    def close(self) -> None:
        """Write what is still to be written."""
        self._file.write("\n]\n" if self._before == ",\n" else "[]\n")


class NamedCsvWriter:
    """One row a line below names that are known before the first row."""

    def __init__(self, file: TextIO, names: Sequence[str]) -> None:
        # A carriage return in a cell is quoted only if it is a part of the line's end. So it is, and is taken away again.
        self._writer = csv.writer(_PlainLines(file), lineterminator="\r\n")
        self._names = names
        self._writer.writerow(names)

    def write(self, row: Row) -> None:
        """Take a row."""
        self._writer.writerow([_shown(row.get(name)) for name in self._names])

    def close(self) -> None:
        """Write what is still to be written."""


class _PlainLines:
    """Takes whole lines, and ends them with a line feed alone."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        """Take a line."""
        return self._file.write(line.removesuffix("\r\n") + "\n")


class _Gathered:
    """Rows that may have different names, so that all of the names are known only at the end."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._rows: list[Row] = []

    def write(self, row: Row) -> None:
        """Take a row."""
        self._names.update(dict.fromkeys(row))
        self._rows.append(row)


class CsvWriter(_Gathered):
    """One row a line below the names."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file

    def close(self) -> None:
        """Write what is still to be written."""
        if self._names:
            writer = NamedCsvWriter(self._file, list(self._names))
            for row in self._rows:
                writer.write(row)


class _ColumnWriter(_Gathered):
    """A file that is no text, made of whole columns."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [row.get(name) for row in self._rows] for name in self._names}


class ExcelWriter(_ColumnWriter):
    """One sheet, a record a row."""

    def __init__(self, file: BinaryIO) -> None:
        sheets.check_installed()
        super().__init__(file)

    def close(self) -> None:
        """Write what is still to be written."""
        self._file.write(sheets.workbook({sheets.NAME: self._columns()}))


class ParquetWriter(_ColumnWriter):
    """A record a row, and a type for each column."""

    def close(self) -> None:
        """Write what is still to be written."""
        self._file.write(columnar.parquet(self._columns()))


def _shown(value: Any) -> Any:
    """A value as a cell of CSV."""
    if isinstance(value, list):
        return to_csv_cell(["" if own is None else str(own) for own in value])
    return to_csv_cell(value)


class TableWriter:
    """Takes the tables of one page after the other and writes a page a row, with all of its tables or the chosen one."""

    def __init__(self, rows: RowWriter, *, table: int | None, with_fit: bool) -> None:
        self._rows = rows
        self._table = table
        self._with_fit = with_fit

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Take the tables of one page."""
        self._rows.write(_page_object(page, tables, self._table, self._with_fit))


class RecordWriter:
    """Takes the tables of one page after the other and writes a record a row: of the first table, or of the chosen one."""

    def __init__(self, rows: RowWriter, *, table: int | None, many: bool, values: bool) -> None:
        self._rows = rows
        self._table = table or 1
        self._many = many
        self._values = values
        self._waiting: list[_Typed] = []

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Take the tables of one page. With values, a later page may show that a column is a text in all of them."""
        head = {"page": page} if self._many else {}
        for table in _chosen(tables, self._table):
            if self._values:
                self._waiting.append(_Typed.of(head, table))
            else:
                for row in rows_of(table, values=False):
                    self._rows.write({**head, **row})

    def close(self) -> None:
        """Write what is still to be written."""
        for row in _rows_of_one_type(self._waiting):
            self._rows.write(row)


def rows_of(table: Table, *, values: bool) -> Iterator[Row]:
    """The records of a table, each with its cells by name; with values, numbers and days are such."""
    columns = table.to_columns(values=values)
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


@dataclass(frozen=True)
class _Typed:
    """A table as texts and with values, what every row of it begins with, and the types of its columns that have cells."""

    head: Row
    shown: Mapping[str, Sequence[Any]]
    values: Mapping[str, Sequence[Any]]
    types: Mapping[str, str]

    @classmethod
    def of(cls, head: Row, table: Table) -> _Typed:
        shown = table.to_columns()
        types = {
            column.name: column.type
            for column in table.drop_constant_columns().resolve_column_types()
        }
        full = {
            name: own
            for name, own in types.items()
            if any(cell is not None for cell in shown[name])
        }
        return cls(head, shown, table.to_columns(values=True), full)


_COMPATIBLE = (frozenset(["integer", "number"]), frozenset(["date", "datetime"]))


def _rows_of_one_type(tables: Sequence[_Typed]) -> Iterator[Row]:
    """Return the records of tables, with values in the columns that have one type in all of them, and texts in others."""
    types: dict[str, set[str]] = {}
    for table in tables:
        for name, own in table.types.items():
            types.setdefault(name, set()).add(own)
    mixed = {name for name, own in types.items() if len(own) > 1 and own not in _COMPATIBLE}
    for table in tables:
        columns: dict[str, Sequence[Any]] = {}
        is_text = False
        for name, cells in table.values.items():
            if name in table.shown:
                is_text = name in mixed
                columns[name] = table.shown[name] if is_text else cells
            elif not is_text:  # the currency of the price before it
                columns[name] = cells
        for row in zip(*columns.values(), strict=True):
            yield {**table.head, **dict(zip(columns, row, strict=True))}


def typed_rows(tables: Iterable[tuple[Row, Table]]) -> Iterator[Row]:
    """Return the records of several tables with values, each behind what its rows begin with; a column has one type."""
    return _rows_of_one_type([_Typed.of(head, table) for head, table in tables])


_WRITERS: dict[str, Callable[[TextIO], RowWriter]] = {
    "jsonl": JsonLinesWriter,
    "json": JsonWriter,
    "csv": CsvWriter,
}
_BINARY: dict[str, Callable[[BinaryIO], RowWriter]] = {
    "xlsx": ExcelWriter,
    "parquet": ParquetWriter,
}
FORMATS = (*_WRITERS, *_BINARY)
BY_RECORD = ("csv", *_BINARY)
"""The formats that hold one table, a record a row. The others hold all that was found, a page a row."""


def format_of(path: str) -> str:
    """The format that a file's ending asks for."""
    ending = Path(path).suffix.removeprefix(".").casefold()
    if ending in FORMATS:
        return ending
    known = ", ".join(f".{name}" for name in FORMATS)
    raise UsageError(f"cannot tell the format of {path!r} from its ending; there are {known}")


@contextmanager
def open_rows(path: str, format: str) -> Iterator[RowWriter]:
    """A writer of plain rows to a file or to standard output."""
    with ExitStack() as stack:
        if format in _BINARY:
            writer = _BINARY[format](stack.enter_context(open_binary(path)))
        else:
            writer = _WRITERS[format](stack.enter_context(open_text(path)))
        yield writer
        writer.close()


@contextmanager
def open_writer(
    path: str,
    format: str,
    *,
    table: int | None = None,
    many: bool = False,
    with_fit: bool = False,
    values: bool = False,
) -> Iterator[TableWriter | RecordWriter]:
    """A writer of tables to a file or to standard output.

    ``table`` chooses the N-th table of each page, counted from 1; ``many`` names the page in every row of CSV, Excel and
    Parquet; ``with_fit`` gives the fit of each page in JSON, 0 where nothing was found; ``values`` gives what cells show,
    in CSV, as Excel and Parquet always have it.
    """
    with open_rows(path, format) as rows:
        if format in BY_RECORD:
            writer = RecordWriter(rows, table=table, many=many, values=values or is_typed(format))
            yield writer
            writer.close()
        else:
            yield TableWriter(rows, table=table, with_fit=with_fit)


def as_bytes(rows: Iterable[Row], format: str) -> bytes:
    """Rows as the bytes of a file."""
    text, binary = io.StringIO(newline=""), io.BytesIO()
    writer = _BINARY[format](binary) if format in _BINARY else _WRITERS[format](text)
    for row in rows:
        writer.write(
            row
            if format in BY_RECORD
            else {name: to_json_value(cell) for name, cell in row.items()}
        )
    writer.close()
    return binary.getvalue() or text.getvalue().encode(errors="backslashreplace")


def is_typed(format: str) -> bool:
    """Are numbers and days always such in it, and not texts?"""
    return format in _BINARY


def _page_object(
    page: str, tables: Sequence[Table], number: int | None, with_fit: bool
) -> dict[str, Any]:
    chosen = tables if number is None else _chosen(tables, number)
    fit = {"fit": round(tables[0].score, 4) if tables else 0.0} if with_fit else {}
    return {"page": page, "tables": [table.to_json() for table in chosen], **fit}


def _chosen(tables: Sequence[Table], number: int) -> Sequence[Table]:
    return tables[number - 1 : number]
