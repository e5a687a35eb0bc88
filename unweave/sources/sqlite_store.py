"""Stores of pages: SQLite files for pages that are copied between the steps of a run."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from unweave.errors import SinkError, SourceError
from unweave.files import explain_write_errors, make_temporary_path
from unweave.sources.source import FetchedPage, Item, Redirect, Skipped

_SCHEMA = """
create table page (
    number integer primary key, name text, is_address integer, time text, charset text,
    damage text, body blob
);
create table aside (name text, reason text, time text);
create table moved (name text, target text);
"""
_COMPRESSION_LEVEL = 1  # the fastest of zlib: stores are read once or twice


class Store:
    """A store that is being written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, item: Item) -> None:
        """Add an item; the body of a page is compressed."""
        row: tuple[object, ...]
        if isinstance(item, FetchedPage):
            body = zlib.compress(item.body, _COMPRESSION_LEVEL)
            time = format_time(item.time)
            row = (item.name, item.is_url, time, item.charset, item.damage, body)
            self._connection.execute("insert into page values (null, ?, ?, ?, ?, ?, ?)", row)
        elif isinstance(item, Skipped):
            row = (item.name, item.reason, format_time(item.time))
            self._connection.execute("insert into aside values (?, ?, ?)", row)
        else:
            row = (item.name, item.target)
            self._connection.execute("insert into moved values (?, ?)", row)


@contextmanager
def create_store(path: Path) -> Iterator[Store]:
    """Give a store to fill. The file appears when it is complete. Raises SinkError."""
    with create_database(path, _SCHEMA) as connection:
        yield Store(connection)


def read_store(path: Path) -> Iterator[Item]:
    """Yield the items of a store: the pages in the order of ``Store.add``, then the others."""
    with open_database(path) as connection:
        for name, is_url, time, charset, damage, body in connection.execute(
            "select name, is_address, time, charset, damage, body from page order by number"
        ):
            yield FetchedPage(
                name, zlib.decompress(body), bool(is_url), parse_time(time), charset, damage
            )
        for name, reason, time in connection.execute("select name, reason, time from aside"):
            yield Skipped(name, reason, parse_time(time))
        for name, target in connection.execute("select name, target from moved"):
            yield Redirect(name, target)


@contextmanager
def create_database(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Give an SQLite database to fill. The file appears when it is complete.

    Raises SinkError if it cannot be written, as on a full disk.
    """
    part = make_temporary_path(path)
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(part)) as connection:
            # No other process sees the file before it is complete, so no journal is needed.
            connection.executescript(
                "pragma journal_mode = off; pragma synchronous = off;" + schema
            )
            connection.execute("begin")
            yield connection
            connection.commit()
        os.replace(part, path)
    except sqlite3.Error as error:
        raise SinkError(f"cannot write {path}: {error}") from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def open_database(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a complete SQLite database for reading. Raises SourceError."""
    if not path.exists():
        raise SourceError(f"{path}: no such file")
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        yield connection
    except sqlite3.DatabaseError as error:
        raise SourceError(f"{path}: the file is damaged: {error}") from None
    finally:
        connection.close()


def format_time(time: datetime | None) -> str | None:
    """Return a time in UTC as text, to the second, as in all files of a run."""
    return None if time is None else time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def parse_time(text: str | None) -> datetime | None:
    """Return the time that ``format_time`` has formatted."""
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)
