"""Tables as an SQLite database, which needs no other program to be read.

SQLite has texts, integers and real numbers. Booleans are 0 and 1; dates and times are texts in
ISO 8601, which sort as what they mean; lists are JSON arrays.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, time
from pathlib import Path
from typing import Any

from unweave.errors import SinkError
from unweave.files import create_scratch_folder, replace_file
from unweave.sinks.cells import SiteColumn, make_names_unique, make_site_rows
from unweave.sinks.duckdb_connection import explain_sink_errors, quote_name
from unweave.sinks.output import check_database_file
from unweave.sinks.parquet import read_parquet_rows
from unweave.sinks.row_writers import ColumnWriter
from unweave.sinks.site_tables import SortedTable, check_keys

SQLITE_ENDINGS = (".db", ".sqlite", ".sqlite3")
TABLE_NAME = "records"
"""The table of a file that holds one table."""

_MAGIC = b"SQLite format 3\0"
_SQL_TYPES = {
    "text": "TEXT",
    "integer": "INTEGER",
    "number": "REAL",
    "boolean": "INTEGER",
    "date": "TEXT",
    "datetime": "TEXT",
    "time": "TEXT",
    "list": "TEXT",
}
_RESERVED_PREFIX = "sqlite_"
_MAX_COLUMNS = 2_000  # SQLite's own default


class SQLiteFile:
    """An SQLite database that is replaced as a whole."""

    def __init__(self, out: str) -> None:
        self._out = out
        self._target = Path(os.path.realpath(out))

    def check(self) -> None:
        """Raise SinkError if the file cannot be written, or is no database to replace."""
        with explain_sink_errors(self._out):
            check_database_file(
                self._out,
                self._target,
                name="an SQLite database",
                magic=_MAGIC,
                log_endings=("-wal", "-journal"),
            )

    def write(self, tables: Sequence[SortedTable]) -> list[str]:
        """Write the tables and return their names in the database."""
        check_keys(tables)
        names = make_table_names([table.name for table in tables])
        with explain_sqlite_errors(self._out), create_scratch_folder(self._target) as scratch:
            new = scratch / "new"
            with closing(sqlite3.connect(new)) as connection:
                # Nobody sees the file before it is complete.
                connection.execute("pragma journal_mode = off")
                connection.execute("pragma synchronous = off")
                for table, name in zip(tables, names, strict=True):
                    key = table.key if table.has_indexable_key else ()
                    rows = read_parquet_rows(table.path)
                    write_table(connection, name, table.columns, rows, key=key)
                connection.commit()
            self.check()
            replace_file(new, self._target)
        return names


class SQLiteWriter(ColumnWriter):
    """Collects rows and writes them as an SQLite database with one table."""

    def close(self) -> None:
        """Write the database."""
        columns = self.get_columns()
        if not columns:
            raise SinkError("there is no table, and SQLite cannot hold one without columns")
        site_columns, rows = make_site_rows(columns)
        with explain_sqlite_errors("SQLite"), closing(sqlite3.connect(":memory:")) as connection:
            write_table(connection, TABLE_NAME, site_columns, rows)
            connection.commit()
            self._file.write(connection.serialize())


def make_table_names(names: Sequence[str]) -> list[str]:
    """Return unique names of tables; those that SQLite keeps for itself get an underscore."""
    safe = [f"_{name}" if name.casefold().startswith(_RESERVED_PREFIX) else name for name in names]
    return make_names_unique(safe)


def write_table(
    connection: sqlite3.Connection,
    name: str,
    columns: Sequence[SiteColumn],
    rows: Iterable[Sequence[Any]],
    *,
    key: Sequence[str] = (),
) -> None:
    """Create a table with rows, whose cells are in the order of the columns."""
    if len(columns) > _MAX_COLUMNS:
        raise SinkError(
            f"the table {name} has {len(columns):,} columns; SQLite holds {_MAX_COLUMNS:,}"
        )
    definitions = [
        f"{quote_name(column.name)} {_SQL_TYPES[column.type]}"
        + (" NOT NULL" if column.name in key else "")
        for column in columns
    ]
    if key:
        definitions.append(f"PRIMARY KEY ({', '.join(map(quote_name, key))})")
    connection.execute(f"CREATE TABLE {quote_name(name)} ({', '.join(definitions)})")
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f"INSERT INTO {quote_name(name)} VALUES ({marks})",  # noqa: S608 (quoted)
        (tuple(map(_convert, row)) for row in rows),
    )


def _convert(cell: Any) -> str | int | float | None:
    """Return a cell as SQLite stores it."""
    if isinstance(cell, list):
        return json.dumps(cell, ensure_ascii=False)
    if isinstance(cell, date | time):
        return cell.isoformat()
    plain: str | int | float | None = cell
    return plain


@contextmanager
def explain_sqlite_errors(out: str) -> Iterator[None]:
    """Turn errors of the system and SQLite into a SinkError of one line that names the output."""
    with explain_sink_errors(out):
        try:
            yield
        except sqlite3.Error as error:
            raise SinkError(f"cannot write {out}: {error}") from None
