"""Shards of a source: pages that a worker reads without the rest of the source.

A shard is plain data, so it can be sent to any machine that has access to the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from unweave.errors import SourceError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.parse import read_file
from unweave.sources.source import FetchedPage, Item, Skipped, escape_name
from unweave.sources.sqlite_store import create_store, read_store
from unweave.sources.warc import make_item, read_records
from unweave.sources.zip_archive import Member, read_member

PAGES_PER_SHARD = 200
"""Few enough that reading a shard again costs little, and enough that its files cost little."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileShard:
    """Files below a folder."""

    folder: str
    names: tuple[str, ...]

    def read(self) -> Iterator[Item]:
        """Yield the pages one by one."""
        for name in self.names:
            path = Path(self.folder, name)
            try:
                time = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
                yield FetchedPage(escape_name(name), read_file(path), time=time)
            except SourceError as error:
                yield Skipped(escape_name(name), escape_name(str(error)))
            except OSError as error:
                yield Skipped(escape_name(name), f"cannot be read: {error.strerror}")


@dataclass(frozen=True, slots=True)
class ZipShard:
    """Members of a ZIP archive."""

    path: str
    members: tuple[Member, ...]
    damage: str | None = None
    """What is wrong with the archive as a whole."""

    def read(self) -> Iterator[Item]:
        """Yield the pages one by one."""
        if self.damage:
            yield Skipped(Path(self.path).name, self.damage)
        with Path(self.path).open("rb") as file:
            for member in self.members:
                try:
                    body, damage = read_member(file, member, DEFAULT_LIMITS.bytes + 1)
                    yield FetchedPage(member.name, body, time=member.time, damage=damage)
                except SourceError as error:
                    yield Skipped(member.name, str(error), member.time)


@dataclass(frozen=True, slots=True)
class WarcShard:
    """Consecutive records of a WARC file."""

    path: str
    start: int
    """Where the first record begins, in bytes."""
    count: int
    """The number of records, with those that are damaged."""

    def read(self) -> Iterator[Item]:
        """Yield the pages one by one."""
        path = Path(self.path)
        for record in islice(read_records(path, self.start), self.count):
            yield make_item(record, path.name)


@dataclass(frozen=True, slots=True)
class StoreShard:
    """Pages that were copied into a store."""

    path: str

    def read(self) -> Iterator[Item]:
        """Yield the pages one by one."""
        return read_store(Path(self.path))


Shard = FileShard | ZipShard | WarcShard | StoreShard

_TYPES: dict[str, type[Shard]] = {
    "files": FileShard,
    "zip": ZipShard,
    "warc": WarcShard,
    "store": StoreShard,
}


def encode_shard(shard: Shard) -> dict[str, Any]:
    """Return a shard as plain data for JSON."""
    data: dict[str, Any] = {}
    for name, type_ in _TYPES.items():
        if isinstance(shard, type_):
            data["kind"] = name
    for field in fields(shard):
        data[field.name] = getattr(shard, field.name)
    return data


def decode_shard(data: dict[str, Any]) -> Shard:
    """Return the shard that ``encode_shard`` has encoded."""
    values = dict(data)
    type_ = _TYPES[values.pop("kind")]
    if "names" in values:
        values["names"] = tuple(values["names"])
    if "members" in values:
        values["members"] = tuple(Member(*member) for member in values["members"])
    return type_(**values)


def make_file_shards(source: Path, names: Sequence[str]) -> list[Shard]:
    """Return shards of files below a folder, or of the one file that the source is."""
    folder = source if source.is_dir() else source.parent
    path = str(folder.resolve())
    return [FileShard(path, tuple(batch)) for batch in split_sequence(names)]


def store_items(items: Iterable[Item], folder: Path) -> list[Shard]:
    """Copy items into stores in a folder, and return a shard for each.

    This is for sources that can be read from their beginning only.
    """
    shards: list[Shard] = []
    remaining = iter(items)
    while batch := list(islice(remaining, PAGES_PER_SHARD)):
        path = folder / f"{len(shards):06d}.pages"
        with create_store(path) as store:
            for item in batch:
                store.add(item)
        shards.append(StoreShard(str(path.resolve())))
    return shards


def split_sequence(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in batches of the size of a shard."""
    for start in range(0, len(values), PAGES_PER_SHARD):
        yield values[start : start + PAGES_PER_SHARD]
