"""DuckDB databases: with all tables of a site, their types and keys, or with one table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from unweave.errors import SinkError
from unweave.files import create_scratch_folder, replace_file
from unweave.sinks.cells import make_names_unique
from unweave.sinks.duckdb_connection import (
    MEMORY_BYTES,
    SQL_TYPES,
    connect,
    explain_sink_errors,
    quote_name,
)
from unweave.sinks.output import check_parent_folder
from unweave.sinks.parquet import encode_parquet, format_parquet_source
from unweave.sinks.row_writers import ColumnWriter
from unweave.sinks.site_tables import DUCKDB_BATCH_ROWS, SortedTable, check_keys

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ENDING = ".duckdb"

TABLE_NAME = "records"
"""The name of the table in a database with one table."""

_MAGIC = b"DUCK"
_MAGIC_OFFSET = 8
# DuckDB needs three times the memory of the rows that it holds at once.
_MAX_BATCH_BYTES = 2 * 2**30
# An index is built in memory and takes about 200 bytes a row.
_MAX_INDEXED_ROWS = 4_000_000


class DuckDBFile:
    """A DuckDB database that is replaced as a whole."""

    def __init__(self, out: str) -> None:
        self._out = out
        self._target = Path(os.path.realpath(out))

    def check(self) -> None:
        """Raise SinkError if the file cannot be written, or is no database to replace."""
        with explain_sink_errors(self._out):
            if self._target.is_dir():
                raise SinkError(f"cannot write {self._out}: it is a folder")
            check_parent_folder(self._out, self._target)
            if self._target.exists():
                with self._target.open("rb") as file:
                    start = file.read(_MAGIC_OFFSET + len(_MAGIC))
                if start[_MAGIC_OFFSET:] != _MAGIC:
                    raise SinkError(
                        f"cannot write {self._out}: the file exists and is not a DuckDB database"
                    )
            if Path(f"{self._target}.wal").exists():
                raise SinkError(
                    f"cannot replace {self._out}: it is in use or was not closed"
                    f" ({self._target.name}.wal exists)"
                )

    def write(self, tables: Sequence[SortedTable]) -> list[str]:
        """Write the tables and return their names in the database."""
        check_keys(tables)
        for table in tables:
            if table.max_batch_bytes > _MAX_BATCH_BYTES:
                raise SinkError(
                    f"cannot write {self._out}: {DUCKDB_BATCH_ROWS:,} rows of the table"
                    f" {table.name} have {table.max_batch_bytes / 2**30:.1f} GB, and DuckDB holds"
                    " them in memory at once; write a folder of files instead"
                )
        max_batch_bytes = max((table.max_batch_bytes for table in tables), default=0)
        memory_bytes = MEMORY_BYTES + 3 * max_batch_bytes // 2
        with explain_sink_errors(self._out), create_scratch_folder(self._target) as scratch:
            new = scratch / "new"
            readable = tables[0].path.parent if tables else scratch
            with closing(connect(readable, database=new, memory_bytes=memory_bytes)) as connection:
                views = connection.execute(
                    "SELECT view_name FROM duckdb_views() WHERE internal AND schema_name = 'main'"
                )
                names = make_names_unique(
                    [table.name for table in tables],
                    reserved=[name for (name,) in views.fetchall()],
                )
                for table, name in zip(tables, names, strict=True):
                    _create_table(connection, table, name)
                connection.execute("CHECKPOINT")
            self.check()
            replace_file(new, self._target)
        return names


def _create_table(connection: DuckDBPyConnection, table: SortedTable, table_name: str) -> None:
    name = quote_name(table_name)
    columns = ", ".join(
        f"{quote_name(column.name)} {SQL_TYPES[column.type]}"
        + (" NOT NULL" if column.name in table.key else "")
        for column in table.columns
    )
    connection.execute(f"CREATE TABLE {name} ({columns})")
    connection.execute(
        f"INSERT INTO {name} SELECT * FROM {format_parquet_source(table.path)}"  # noqa: S608 (quoted)
    )
    if table.has_indexable_key and table.row_count <= _MAX_INDEXED_ROWS:
        key = ", ".join(map(quote_name, table.key))
        connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY ({key})")


class DuckDBWriter(ColumnWriter):
    """Collects rows and writes them as a DuckDB database with one table."""

    def close(self) -> None:
        """Write the database."""
        with explain_sink_errors("DuckDB"), TemporaryDirectory(prefix="unweave-") as folder:
            rows = Path(folder).resolve() / "rows.parquet"
            rows.write_bytes(encode_parquet(self.get_columns()))
            database = rows.with_name("new")
            with closing(connect(rows.parent, database=database)) as connection:
                query = f"SELECT * FROM {format_parquet_source(rows)}"  # noqa: S608 (quoted)
                connection.execute(f"CREATE TABLE {quote_name(TABLE_NAME)} AS {query}")
                connection.execute("CHECKPOINT")
            self._file.write(database.read_bytes())
