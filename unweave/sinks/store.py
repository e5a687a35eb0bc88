"""Several finished tables at once into a folder of files, a DuckDB file, or a PostgreSQL database."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol, cast

from unweave.errors import MissingExtra, UsageError
from unweave.sinks.duckfile import ENDING, DuckDBFile
from unweave.sinks.engine import explained
from unweave.sinks.folder import DEFAULT_FORMAT, FORMATS, Folder
from unweave.sinks.merged import Sorted, merged
from unweave.sinks.output import STANDARD_OUTPUT
from unweave.sinks.relations import Relation

SCHEMES = ("postgresql://", "postgres://")
DEFAULT_SCHEMA = "public"

# Somebody who names such a file expects a file, and would get a folder.
_NO_FOLDERS = (".csv", ".db", ".json", ".jsonl", ".parquet", ".sqlite", ".xlsx", ".zip")


class Stored(NamedTuple):
    """A table that was written: its name or file there, and how many rows it has."""

    relation: str
    name: str
    rows: int


class Sink(Protocol):
    """Takes all tables, or none."""

    def check(self) -> None:
        """Raise if it cannot take them; it is cheap, and better asked before the work than after it."""

    def write(self, tables: Sequence[Sorted]) -> list[str]:
        """Take the tables; gives their names there."""


def sink(
    out: str, *, format: str | None = None, schema: str = DEFAULT_SCHEMA, run: str = ""
) -> Sink:
    """The sink that ``out`` asks for: NAME.duckdb, postgresql://…, or a folder with files of the format.

    ``run`` names runs that write to one database. Tables that an earlier run of the name wrote, and this one does not, are
    dropped.
    """
    is_database = out.startswith(SCHEMES)
    is_file = not is_database and out.casefold().endswith(ENDING)
    if format is not None and (is_database or is_file):
        raise UsageError("a format is for a folder of files; a database has its own")
    if is_database:
        return cast(Sink, _postgres().Postgres(out, schema=schema, run=run))
    if is_file:
        return DuckDBFile(out)
    return _folder(out, format or DEFAULT_FORMAT)


def _folder(out: str, format: str) -> Sink:
    scheme, separator, _ = out.partition("://")
    if separator:
        raise UsageError(
            f"tables cannot be written to {scheme}:// addresses; there is postgresql://"
        )
    if out == STANDARD_OUTPUT or out.casefold().endswith(_NO_FOLDERS):
        raise UsageError(
            f"cannot write several tables to {out!r}: give a folder, NAME{ENDING}, or postgresql://…"
        )
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; there are {', '.join(FORMATS)}")
    return Folder(out, format)


def _postgres() -> ModuleType:
    try:
        from unweave.sinks import postgres
    except ImportError:
        raise MissingExtra("psycopg", "postgres") from None
    return postgres


def write(
    out: str,
    relations: Sequence[Relation],
    *,
    format: str | None = None,
    work: Path,
    schema: str = DEFAULT_SCHEMA,
    run: str = "",
) -> list[Stored]:
    """Write the relations to where ``out`` says. What was there stays until all is complete.

    ``work`` is a folder for what waits on the way. It needs room for the rows twice, and is left as it was.
    """
    target = sink(out, format=format, schema=schema, run=run)
    target.check()
    with explained(shown(out)), tempfile.TemporaryDirectory(prefix="tables-", dir=work) as folder:
        tables = merged(relations, Path(folder))
        names = target.write(tables)
    return [
        Stored(relation.name, name, table.rows)
        for relation, name, table in zip(relations, names, tables, strict=True)
    ]


def shown(out: str) -> str:
    """Where the tables go, for people: without a password."""
    return str(_postgres().shown_address(out)) if out.startswith(SCHEMES) else out
