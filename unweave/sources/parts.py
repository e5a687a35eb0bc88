"""Parts of a source: so many pages that can be read by themselves, in any order and on any machine that sees the files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from unweave.errors import SourceError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.parse import read_file
from unweave.sources import warc
from unweave.sources.fetched_page import Aside, Fetched, Item, printable_name
from unweave.sources.store import stored
from unweave.sources.zips import Member, read_member


@dataclass(frozen=True, slots=True)
class Files:
    """Files below a folder."""

    folder: str
    names: tuple[str, ...]

    def items(self) -> Iterator[Item]:
        """The pages, one after the other."""
        for name in self.names:
            path = Path(self.folder, name)
            try:
                time = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
                yield Fetched(printable_name(name), read_file(path), time=time)
            except SourceError as error:
                yield Aside(printable_name(name), printable_name(str(error)))
            except OSError as error:
                yield Aside(printable_name(name), f"cannot be read: {error.strerror}")


@dataclass(frozen=True, slots=True)
class Zipped:
    """Members of a ZIP archive."""

    path: str
    members: tuple[Member, ...]
    damage: str | None = None
    """What is wrong with the archive as a whole."""

    def items(self) -> Iterator[Item]:
        """The pages, one after the other."""
        if self.damage:
            yield Aside(Path(self.path).name, self.damage)
        with Path(self.path).open("rb") as file:
            for member in self.members:
                try:
                    body, damage = read_member(file, member, DEFAULT_LIMITS.bytes + 1)
                    yield Fetched(member.name, body, time=member.time, damage=damage)
                except SourceError as error:
                    yield Aside(member.name, str(error), member.time)


@dataclass(frozen=True, slots=True)
class Records:
    """Records of a WARC file, from one on."""

    path: str
    start: int
    """Where the first record begins, in bytes."""
    count: int
    """How many records, with those that are damaged."""

    def items(self) -> Iterator[Item]:
        """The pages, one after the other."""
        path = Path(self.path)
        for record in islice(warc.read_records(path, self.start), self.count):
            yield warc.item_of(record, path.name)


@dataclass(frozen=True, slots=True)
class Stored:
    """A store of our own."""

    path: str

    def items(self) -> Iterator[Item]:
        """The pages, one after the other."""
        return stored(Path(self.path))


Part = Files | Zipped | Records | Stored

_KINDS: dict[str, type[Part]] = {"files": Files, "zip": Zipped, "warc": Records, "store": Stored}


def to_json(part: Part) -> dict[str, Any]:
    """Plain data."""
    kind = next(kind for kind, type_ in _KINDS.items() if isinstance(part, type_))
    return {"kind": kind, **{each.name: getattr(part, each.name) for each in fields(part)}}


def from_json(data: dict[str, Any]) -> Part:
    """The part that plain data describes."""
    own = dict(data)
    type_ = _KINDS[own.pop("kind")]
    if "names" in own:
        own["names"] = tuple(own["names"])
    if "members" in own:
        own["members"] = tuple(Member(*member) for member in own["members"])
    return type_(**own)
