"""The pages of a set, read once from where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from unweave.errors import PageError, SourceError
from unweave.page.limits import MIB
from unweave.pipeline.scan import rank
from unweave.sources.discovery import below, files, items
from unweave.sources.fetched_page import Aside, Fetched, Item
from unweave.studio.page_store import Opened, Shelf

MOST_PAGES = 2_000
"""So many pages of a set are looked at."""
MOST_BYTES = 256 * MIB
"""And so many bytes of them."""

# So many more are counted, to say how many there are.
_MOST_COUNTED = 10_000
# So many of those that are left out are named.
_MOST_NAMED = 200

Progress = Callable[[int], None]
"""Is told how many there are by now; may raise to put an end to it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a source has, and the folder that it lies in, if it does."""

    item: Item
    folder: Path | None = None
    root: Path | None = None
    """The folder of all."""


@dataclass(frozen=True, slots=True)
class Member:
    """A page of a set: as it was fetched, and as it is open."""

    fetched: Fetched
    opened: Opened


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is no page of the set, and why."""

    name: str
    reason: str


@dataclass
class Gathered:
    """The pages of a set, and what is left out: some by name, and the number of the rest."""

    members: list[Member] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    unnamed: int = 0

    def leave_out(self, name: str, reason: str) -> None:
        """Note what is left out."""
        if len(self.left_out) < _MOST_NAMED:
            self.left_out.append(LeftOut(name, reason))
        else:
            self.unnamed += 1

    def all_left_out(self) -> list[LeftOut]:
        """What is left out, with one entry for all that are not named."""
        rest = [LeftOut("", f"and {self.unnamed:,} more were left out")] if self.unnamed else []
        return [*self.left_out, *rest]


def found_at(path: Path) -> Iterator[Found]:
    """What a folder, an archive or a file has. An archive that breaks off gives what stands before."""
    names, archives = below(path)
    folder = path if path.is_dir() else path.parent
    if len(names) > MOST_PAGES:
        names.sort(key=rank)  # as if drawn by chance: the first ones by name would be of one kind
    for part in files(path, names):
        for item in part.items():
            yield Found(item, (folder / item.name).parent, folder)
    for archive in archives:
        try:
            yield from map(Found, items(archive))
        except SourceError as error:
            yield Found(Aside(archive.name, str(error).removeprefix(f"{archive}: ")))


def found_open(pages: Iterable[Opened]) -> Iterator[Found]:
    """What pages that are open already have."""
    for own in pages:
        yield Found(
            Fetched(own.url or own.name, own.markup, bool(own.url), charset=own.charset),
            own.folder,
            own.root,
        )


def gather(source: Iterable[Found], shelf: Shelf, gathered: Gathered, progress: Progress) -> None:
    """Open the pages of a source, as many as there is room for."""
    rest = iter(source)
    size = 0
    for found in rest:
        progress(len(gathered.members))
        item = replace(found.item, name=_writable(found.item.name))
        if isinstance(item, Aside):
            gathered.leave_out(item.name, item.reason)
        elif isinstance(item, Fetched):
            size += len(item.body)
            if len(gathered.members) == MOST_PAGES or size > MOST_BYTES:
                gathered.leave_out("", _not_read(rest, progress, len(gathered.members)))
                break
            _open(item, found, shelf, gathered)


def _writable(name: str) -> str:
    """A name that can be written: those of files may have bytes that are no text."""
    return name.encode(errors="replace").decode()


def _open(item: Fetched, found: Found, shelf: Shelf, gathered: Gathered) -> None:
    url = item.name if item.is_address else None
    places = {"folder": found.folder, "root": found.root}
    try:
        opened = shelf.open(
            item.name, item.body, url=url, charset=item.charset, **places, is_listed=False
        )
    except PageError as error:
        gathered.leave_out(item.name, str(error))
    else:
        gathered.members.append(Member(item, opened))


def _not_read(source: Iterator[Found], progress: Progress, read: int) -> str:
    """How many pages are left out because there are too many, in words: one, and what is behind it."""
    more, size = 1, 0
    for found in source:
        progress(read)
        if isinstance(found.item, Fetched):
            more += 1
            size += len(found.item.body)
        if more == _MOST_COUNTED or size > MOST_BYTES:
            return f"only {read:,} pages were read; there are {more:,} more at least"
    return f"only {read:,} pages were read; there are {more:,} more"
