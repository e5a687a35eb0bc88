"""DuckDB, which writes and reads Parquet: with little memory, no network, and no files but those in its folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unweave.errors import SinkError, UnweaveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SQL_TYPES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
    "list": "VARCHAR[]",
}

MEMORY = 512 * 2**20

# Older versions than the newest should be able to open what we write.
_STORAGE = "v1.2.0"


def connect(
    folder: Path, *, database: Path | None = None, memory: int = MEMORY
) -> DuckDBPyConnection:
    """A connection that touches only files in the folder, and its database.

    What does not fit into memory waits in the folder.
    It has one thread: rows then come and go in the order in which they stand, without being held for it.
    """
    import duckdb

    settings: dict[str, Any] = {
        "memory_limit": f"{memory}B",
        "threads": 1,
        "preserve_insertion_order": False,
        "temp_directory": str(folder / "spill"),
        "storage_compatibility_version": _STORAGE,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }
    connection = duckdb.connect(str(database) if database else ":memory:", config=settings)
    connection.execute(f"SET allowed_directories = [{literal(str(folder) + os.sep)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def quoted(name: str) -> str:
    """A name of a table or column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def parquet(path: Path) -> str:
    """The rows of a Parquet file in SQL. Names of folders such as year=2024 tell no columns."""
    return f"read_parquet({literal(str(path))}, hive_partitioning = false)"


def rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of a Parquet file, one at a time: it costs little more than many at once, and rows may be large."""
    with closing(connect(path.parent)) as connection:
        yield from iter(connection.execute(f"SELECT * FROM {parquet(path)}").fetchone, None)  # noqa: S608 (quoted)


def rows_of(path: Path) -> int:
    """How many rows a Parquet file has."""
    with closing(connect(path.parent)) as connection:
        found = connection.execute(f"SELECT count(*) FROM {parquet(path)}").fetchone()  # noqa: S608 (quoted)
    return int(found[0]) if found else 0


@contextmanager
def explained(out: str) -> Iterator[None]:
    """Tell what went wrong in one line."""
    import duckdb

    try:
        yield
    except UnweaveError:
        raise
    except OSError as error:
        raise SinkError(f"cannot write {out}: {error.strerror or error}") from None
    except (duckdb.Error, UnicodeError) as error:
        raise SinkError(f"cannot write {out}: {str(error).partition(chr(10))[0]}") from None
