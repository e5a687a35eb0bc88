"""Pages in a file of our own, SQLite: what cannot be read from the middle of its source, samples, and what is left over."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from unweave.errors import SinkError, SourceError
from unweave.sources.fetched_page import Aside, Fetched, Item, Moved

_SCHEMA = """
create table page (
    number integer primary key, name text, is_address integer, time text, charset text, damage text, body blob
);
create table aside (name text, reason text, time text);
create table moved (name text, target text);
"""
_FAST = 1


class Store:
    """Takes one item after the other. Bodies are kept compressed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, item: Item) -> None:
        """Take an item."""
        if isinstance(item, Fetched):
            body = zlib.compress(item.body, _FAST)
            row = (item.name, item.is_address, written(item.time), item.charset, item.damage, body)
            self._connection.execute("insert into page values (null, ?, ?, ?, ?, ?, ?)", row)
        elif isinstance(item, Aside):
            self._connection.execute(
                "insert into aside values (?, ?, ?)", (item.name, item.reason, written(item.time))
            )
        else:
            self._connection.execute("insert into moved values (?, ?)", (item.name, item.to))


@contextmanager
def new_store(path: Path) -> Iterator[Store]:
    """A store to be filled. The file appears under its name only when it is complete."""
    with new_database(path, _SCHEMA) as connection:
        yield Store(connection)


@contextmanager
def new_database(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Open an SQLite file to be filled. It appears under its name only when it is complete.

    Raises SinkError if it cannot be written, as on a full disk.
    """
    part = unfinished(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SinkError(f"cannot write {path}: {error.strerror}") from None
    try:
        with closing(sqlite3.connect(part)) as connection:
            # Nobody sees the file before it is complete, so there is nothing to be journaled.
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


def unfinished(path: Path) -> Path:
    """A name for what is to be at a path when it is complete. Nobody else has it: the same may be made twice at a time."""
    return path.with_name(f".{path.name}.{token_hex(6)}.part")


def stored(path: Path) -> Iterator[Item]:
    """The items of a store: the pages in the order in which they came, then the rest."""
    with opened(path) as connection:
        for name, is_address, time, charset, damage, body in connection.execute(
            "select name, is_address, time, charset, damage, body from page order by number"
        ):
            yield Fetched(
                name, zlib.decompress(body), bool(is_address), read_time(time), charset, damage
            )
        for name, reason, time in connection.execute("select name, reason, time from aside"):
            yield Aside(name, reason, read_time(time))
        for name, target in connection.execute("select name, target from moved"):
            yield Moved(name, target)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A complete SQLite file, for reading."""
    if not path.exists():
        raise SourceError(f"{path}: no such file")
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        yield connection
    except sqlite3.DatabaseError as error:
        raise SourceError(f"{path}: is damaged: {error}") from None
    finally:
        connection.close()


def written(time: datetime | None) -> str | None:
    """A time as text, the same in all files: UTC, to the second."""
    return None if time is None else time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def read_time(text: str | None) -> datetime | None:
    """The time that a text of ``written`` says."""
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)
