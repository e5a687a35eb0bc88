"""Tables into a DuckDB file, with their types and keys."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from unweave.errors import SinkError
from unweave.files import create_scratch_folder, replace_file
from unweave.sinks.engine import MEMORY, SQL_TYPES, connect, explained, parquet, quoted
from unweave.sinks.keys import check_keys, has_index
from unweave.sinks.merged import VECTOR, Sorted
from unweave.sinks.names import make_names_unique
from unweave.sinks.output import check_parent

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ENDING = ".duckdb"

_MAGIC = slice(8, 12), b"DUCK"
# DuckDB needs three times the memory of the rows that it holds at once.
_HEAVIEST = 2 * 2**30
# An index is built in memory, some 200 bytes a row.
_MOST_INDEXED = 4_000_000


class DuckDBFile:
    """Where the tables are one database."""

    def __init__(self, out: str) -> None:
        self._out = out
        self._target = Path(os.path.realpath(out))

    def check(self) -> None:
        """Raise if something stands there that is not ours to replace."""
        with explained(self._out):
            if self._target.is_dir():
                raise SinkError(f"cannot write {self._out}: it is a folder")
            check_parent(self._out, self._target)
            if self._target.exists() and not _is_duckdb(self._target):
                raise SinkError(
                    f"cannot write {self._out}: a file of this name exists and is no DuckDB database"
                )
            if Path(f"{self._target}.wal").exists():
                raise SinkError(
                    f"cannot replace {self._out}: it is in use, or was not closed ({self._target.name}.wal is there)"
                )

    def write(self, tables: Sequence[Sorted]) -> list[str]:
        """Write the tables; gives their names."""
        check_keys(tables)
        _check_weights(self._out, tables)
        memory = MEMORY + 3 * max((table.heaviest for table in tables), default=0) // 2
        with explained(self._out), create_scratch_folder(self._target) as part:
            new = part / "new"
            spill = tables[0].path.parent if tables else part
            with closing(connect(spill, database=new, memory=memory)) as connection:
                names = make_names_unique(
                    [table.name for table in tables], reserved=_views(connection)
                )
                for table, name in zip(tables, names, strict=True):
                    _fill(connection, table, name)
                connection.execute("CHECKPOINT")
            self.check()
            replace_file(new, self._target)
        return names


def _is_duckdb(path: Path) -> bool:
    where, magic = _MAGIC
    with path.open("rb") as file:
        return file.read(where.stop)[where] == magic


def _check_weights(out: str, tables: Sequence[Sorted]) -> None:
    for table in tables:
        if table.heaviest > _HEAVIEST:
            raise SinkError(
                f"cannot write {out}: {VECTOR:,} rows of the table {table.name} have {table.heaviest / 2**30:.1f} GB, and "
                "DuckDB would hold them in memory at once; a folder of files can take them"
            )


def _views(connection: DuckDBPyConnection) -> list[str]:
    """The names that every database has already."""
    found = connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE internal AND schema_name = 'main'"
    )
    return [name for (name,) in found.fetchall()]


def _fill(connection: DuckDBPyConnection, table: Sorted, name: str) -> None:
    columns = ", ".join(
        f"{quoted(own.name)} {SQL_TYPES[own.type]}{' NOT NULL' if own.name in table.key else ''}"
        for own in table.attributes
    )
    connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
    connection.execute(f"INSERT INTO {quoted(name)} SELECT * FROM {parquet(table.path)}")  # noqa: S608 (quoted)
    if has_index(table) and table.rows <= _MOST_INDEXED:
        connection.execute(
            f"ALTER TABLE {quoted(name)} ADD PRIMARY KEY ({', '.join(map(quoted, table.key))})"
        )
