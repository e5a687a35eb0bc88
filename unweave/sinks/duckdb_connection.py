"""DuckDB connections with little memory, no network, and no files but those of one folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unweave.errors import SinkError, UnweaveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_BYTES = 512 * 2**20

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
"""The types of DuckDB for the types of columns."""

# The oldest version of DuckDB that can open the databases.
_STORAGE_VERSION = "v1.2.0"


def connect(
    folder: Path,
    *,
    database: Path | None = None,
    memory_bytes: int = MEMORY_BYTES,
    read_only: bool = False,
) -> DuckDBPyConnection:
    """Open a database, in memory by default, that can read and write files in the folder only.

    What does not fit into memory is written to the folder. One thread keeps the order of rows
    without holding them for it.
    """
    import duckdb

    settings: dict[str, Any] = {
        "memory_limit": f"{memory_bytes}B",
        "threads": 1,
        "preserve_insertion_order": False,
        "temp_directory": str(folder / "spill"),
        "storage_compatibility_version": _STORAGE_VERSION,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
        "access_mode": "READ_ONLY" if read_only else "AUTOMATIC",
    }
    connection = duckdb.connect(str(database) if database else ":memory:", config=settings)
    connection.execute(f"SET allowed_directories = [{quote_text(str(folder) + os.sep)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def quote_name(name: str) -> str:
    """Return the name of a table or column for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return a text as a literal for SQL."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def explain_sink_errors(out: str) -> Iterator[None]:
    """Turn errors of the system and DuckDB into a SinkError of one line that names the output."""
    import duckdb

    try:
        yield
    except UnweaveError:
        raise
    except OSError as error:
        raise SinkError(f"cannot write {out}: {error.strerror or error}") from None
    except (duckdb.Error, UnicodeError) as error:
        raise SinkError(f"cannot write {out}: {str(error).partition(chr(10))[0]}") from None
