"""Which sink an output names: file formats by their ending, folders and databases by the address.

A new file format is a ``RowWriter`` that is registered in ``FILE_FORMATS``.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NamedTuple, Protocol

from unweave.errors import MissingExtra, UsageError
from unweave.registry import Registry
from unweave.sinks.duckdb_connection import explain_sink_errors
from unweave.sinks.duckdb_file import ENDING, DuckDBFile, DuckDBWriter
from unweave.sinks.excel import ExcelWriter
from unweave.sinks.folder import DEFAULT_FORMAT, FOLDER_FORMATS, Folder
from unweave.sinks.output import STANDARD_OUTPUT, TEXT_OPTIONS, open_binary, open_text
from unweave.sinks.parquet import ParquetWriter
from unweave.sinks.row_writers import (
    ColumnWriter,
    CsvWriter,
    JsonLinesWriter,
    JsonWriter,
    Row,
    RowWriter,
)
from unweave.sinks.site_tables import SiteTable, SortedTable, sort_tables

DEFAULT_SCHEMA = "public"

_POSTGRES_SCHEMES = ("postgresql://", "postgres://")
# Whoever names such a file expects a file, and would get a folder.
_FILE_ENDINGS = (".csv", ".db", ".json", ".jsonl", ".parquet", ".sqlite", ".xlsx", ".zip")


# ---- files ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileFormat:
    """A file format, and what it holds."""

    make_writer: Callable[[Any], RowWriter]
    """Returns a writer to a file that is open; a binary one if ``is_binary``."""
    is_binary: bool = False
    is_typed: bool = False
    """Numbers and dates are always typed, and not texts."""
    is_tabular: bool = False
    """It holds one table, a record a row. Others hold everything, a page a row."""


FILE_FORMATS: Registry[FileFormat] = Registry("file format", "unweave.file_formats")
"""The file formats by the ending of the file."""
FILE_FORMATS.register("jsonl", FileFormat(JsonLinesWriter))
FILE_FORMATS.register("json", FileFormat(JsonWriter))
FILE_FORMATS.register("csv", FileFormat(CsvWriter, is_tabular=True))
FILE_FORMATS.register(
    "xlsx", FileFormat(ExcelWriter, is_binary=True, is_typed=True, is_tabular=True)
)
FILE_FORMATS.register(
    "parquet", FileFormat(ParquetWriter, is_binary=True, is_typed=True, is_tabular=True)
)
FILE_FORMATS.register(
    "duckdb", FileFormat(DuckDBWriter, is_binary=True, is_typed=True, is_tabular=True)
)


def infer_format(path: str, others: Sequence[str] = ()) -> str:
    """Return the name of the format that the ending of a file stands for. Raises UsageError.

    ``others`` are endings that the caller writes itself.
    """
    ending = Path(path).suffix.removeprefix(".").casefold()
    if ending in FILE_FORMATS or ending in others:
        return ending
    known = ", ".join(f".{name}" for name in [*FILE_FORMATS, *others])
    raise UsageError(
        f"cannot tell the format of {path!r} from its extension; known extensions: {known}"
    )


def is_tabular(format: str) -> bool:
    """Tell whether a format holds one table, a record a row."""
    return format in FILE_FORMATS and FILE_FORMATS[format].is_tabular


def is_typed(format: str) -> bool:
    """Tell whether numbers and dates are always typed in a format."""
    return format in FILE_FORMATS and FILE_FORMATS[format].is_typed


@contextmanager
def open_row_writer(path: str, format: str, *, names: Sequence[str] = ()) -> Iterator[RowWriter]:
    """Open a writer of rows to a file, which appears when it is complete, or to standard output.

    ``names`` are columns that a table has even without rows.
    """
    file_format = FILE_FORMATS[format]
    with open_binary(path) if file_format.is_binary else open_text(path) as file:
        writer = file_format.make_writer(file)
        if names and isinstance(writer, ColumnWriter):
            writer.add_columns(names)
        yield writer
        writer.close()


def encode_rows(rows: Iterable[Row], format: str) -> bytes:
    """Return rows as the bytes of a file."""
    file_format = FILE_FORMATS[format]
    buffer = io.BytesIO()
    file: IO[Any] = buffer if file_format.is_binary else io.TextIOWrapper(buffer, **TEXT_OPTIONS)
    writer = file_format.make_writer(file)
    for row in rows:
        writer.write(row)
    writer.close()
    file.flush()
    return buffer.getvalue()


# ---- folders and databases -----------------------------------------------------------------------


class SiteSink(Protocol):
    """A folder or database that takes all tables of a site, or none."""

    def check(self) -> None:
        """Raise SinkError if tables cannot be written. Cheap, to be called before the work."""

    def write(self, tables: Sequence[SortedTable]) -> list[str]:
        """Write the tables in place of earlier ones and return their names in the sink."""


class StoredTable(NamedTuple):
    """A table that was written: its name, its name or file in the sink, and its size."""

    name: str
    stored_name: str
    row_count: int


def choose_sink(
    out: str, *, format: str | None = None, schema: str = DEFAULT_SCHEMA, run: str = ""
) -> SiteSink:
    """Return the sink for NAME.duckdb, postgresql://…, or a folder with files of the format.

    ``run`` names runs that write to one database: tables that an earlier run of the name wrote, and
    this one does not, are dropped. Raises UsageError for other outputs.
    """
    is_duckdb = not is_database_address(out) and out.casefold().endswith(ENDING)
    if format is not None and (is_database_address(out) or is_duckdb):
        raise UsageError("a format is for a folder of files; a database has its own")
    if is_database_address(out):
        sink: SiteSink = _import_postgres().PostgresSchema(out, schema=schema, run=run)
        return sink
    if is_duckdb:
        return DuckDBFile(out)
    scheme, separator, _ = out.partition("://")
    if separator:
        raise UsageError(
            f"tables cannot be written to {scheme}:// addresses; there is postgresql://"
        )
    if out == STANDARD_OUTPUT or out.casefold().endswith(_FILE_ENDINGS):
        raise UsageError(
            f"cannot write several tables to {out!r}:"
            f" give a folder, NAME{ENDING}, or postgresql://…"
        )
    format = format or DEFAULT_FORMAT
    if format not in FOLDER_FORMATS:
        raise UsageError(f"unknown format {format!r}; choose from {', '.join(FOLDER_FORMATS)}")
    return Folder(out, format)


def write_tables(
    out: str,
    tables: Sequence[SiteTable],
    *,
    format: str | None = None,
    work: Path,
    schema: str = DEFAULT_SCHEMA,
    run: str = "",
) -> list[StoredTable]:
    """Write the tables of a site to an output. Earlier ones stay until all are complete.

    ``work`` is a folder for temporary files, which take twice the space of the rows.
    """
    sink = choose_sink(out, format=format, schema=schema, run=run)
    sink.check()
    with (
        explain_sink_errors(hide_password(out)),
        tempfile.TemporaryDirectory(prefix="tables-", dir=work) as folder,
    ):
        sorted_tables = sort_tables(tables, Path(folder))
        names = sink.write(sorted_tables)
    return [
        StoredTable(table.name, name, sorted_table.row_count)
        for table, name, sorted_table in zip(tables, names, sorted_tables, strict=True)
    ]


def is_database_address(out: str) -> bool:
    """Tell whether an output is the address of a database, and not a path."""
    return out.startswith(_POSTGRES_SCHEMES)


def hide_password(out: str) -> str:
    """Return an output for messages: an address of a database without its password."""
    return str(_import_postgres().hide_password(out)) if is_database_address(out) else out


def _import_postgres() -> ModuleType:
    try:
        from unweave.sinks import postgres
    except ImportError:
        raise MissingExtra("psycopg", "postgres") from None
    return postgres
