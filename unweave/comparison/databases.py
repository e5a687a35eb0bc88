"""Tables of DuckDB and SQLite databases, and Parquet files. They are opened for reading only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unweave.comparison.keys import format_names, suggest_name
from unweave.comparison.rows import RowCollector, RowTable
from unweave.errors import SourceError, UnweaveError, UsageError
from unweave.sinks.duckdb_connection import connect, quote_name
from unweave.sinks.parquet import format_parquet_source
from unweave.sources.sqlite_store import open_database

_DUCKDB_MAGIC = b"DUCK"
_DUCKDB_MAGIC_OFFSET = 8
_SQLITE_MAGIC = b"SQLite format 3\0"
_GLOB_CHARACTERS = re.compile(r"[*?\[]")
_BATCH_ROWS = 256

SITE_TABLES = frozenset(["pages", "templates", "columns"])
"""The tables in which ``site`` describes a run, beside those of the templates."""


def is_duckdb(path: Path) -> bool:
    """Tell whether a file is a DuckDB database."""
    with path.open("rb") as file:
        file.seek(_DUCKDB_MAGIC_OFFSET)
        return file.read(len(_DUCKDB_MAGIC)) == _DUCKDB_MAGIC


def is_sqlite(path: Path) -> bool:
    """Tell whether a file is an SQLite database."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def read_duckdb(path: Path, name: str, table: str | None) -> RowTable:
    """Return a table of a DuckDB database."""
    with (
        _explain_duckdb_errors(name),
        TemporaryDirectory(prefix="unweave-") as folder,
        closing(
            connect(Path(folder).resolve(), database=path.resolve(), read_only=True)
        ) as connection,
    ):
        tables = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables()"
            " WHERE NOT internal AND database_name = current_database() ORDER BY ALL"
        ).fetchall()
        schemas = {
            table_name if schema == "main" else f"{schema}.{table_name}": (schema, table_name)
            for schema, table_name in tables
        }
        chosen = _choose_table(name, list(schemas), table)
        query = f"SELECT * FROM {'.'.join(map(quote_name, schemas[chosen]))}"  # noqa: S608 (quoted)
        return _collect_rows(connection.execute(query), f"{name}:{chosen}")


def read_parquet(path: Path, name: str) -> RowTable:
    """Return the table of a Parquet file."""
    target = path.resolve()
    # DuckDB takes a path for a pattern of paths.
    pattern = target.with_name(_GLOB_CHARACTERS.sub(lambda match: f"[{match[0]}]", target.name))
    with _explain_duckdb_errors(name), closing(connect(target.parent)) as connection:
        query = f"SELECT * FROM {format_parquet_source(pattern)}"  # noqa: S608 (quoted)
        return _collect_rows(connection.execute(query), name)


def read_sqlite(path: Path, name: str, table: str | None) -> RowTable:
    """Return a table of an SQLite database."""
    journal = Path(f"{path}-wal")
    if journal.exists() and journal.stat().st_size:
        raise SourceError(f"{name}: is in use or was not closed ({journal.name} exists)")
    with open_database(path) as connection:
        connection.execute("pragma trusted_schema = off")
        names = connection.execute(
            "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%'"
            " escape '\\' order by name"
        ).fetchall()
        chosen = _choose_table(name, [str(row[0]) for row in names], table)
        query = f"select * from {quote_name(chosen)}"  # noqa: S608 (quoted)
        return _collect_rows(connection.execute(query), f"{name}:{chosen}")


def _collect_rows(result: Any, name: str) -> RowTable:
    """Return the rows of a query, a few at a time."""
    columns = [str(column[0]) for column in result.description]
    collector = RowCollector(name, columns)
    while rows := result.fetchmany(_BATCH_ROWS):
        for row in rows:
            collector.add(zip(columns, row, strict=True))
    return collector.build()


def _choose_table(name: str, tables: Sequence[str], table: str | None) -> str:
    """Return the table that is named, or the only one. Raises UsageError."""
    if table is not None:
        if table in tables:
            return table
        raise UsageError(
            f"{name} has no table {table!r}{suggest_name(table, tables)};"
            f" its tables are {format_names(tables)}"
        )
    # A database of ``site`` with one template has one table of data.
    candidates = tables
    if set(tables) >= SITE_TABLES:
        candidates = [each for each in tables if each not in SITE_TABLES]
    if len(candidates) == 1:
        return candidates[0]
    if not tables:
        raise SourceError(f"{name}: the database has no tables")
    raise UsageError(
        f"{name} has several tables; choose one with --table: {format_names(candidates or tables)}"
    )


@contextmanager
def _explain_duckdb_errors(name: str) -> Iterator[None]:
    """Turn errors of DuckDB into a SourceError of one line that names the file."""
    import duckdb

    try:
        yield
    except UnweaveError:
        raise
    except duckdb.Error as error:
        raise SourceError(f"{name}: cannot be read: {str(error).partition(chr(10))[0]}") from None
