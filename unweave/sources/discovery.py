"""What is at a path: pages, and archives of them, cut into parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from unweave.errors import SourceError
from unweave.sources import warc
from unweave.sources.fetched_page import Aside, Item
from unweave.sources.parts import Files, Part, Records, Stored, Zipped
from unweave.sources.store import new_store
from unweave.sources.tars import read_tar
from unweave.sources.zips import Member, read_directory

PAGES_A_PART = 200
"""Few enough that a part that must be read again costs little, enough that its files do not count."""

_WARC = (".warc", ".warc.gz", ".warc.zst")
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_ZIP = (".zip",)
ARCHIVES = _WARC + _TAR + _ZIP
"""How the names of archives end."""

# Files that lie beside pages and are none. All others are looked into: pages of a mirror have all kinds of names.
_NO_PAGES = frozenset(
    ".css .js .mjs .map .json .jsonl .xml .rss .atom .txt .csv .md .png .jpg .jpeg .gif .svg .webp .avif .ico .bmp"
    " .tif .tiff .woff .woff2 .ttf .otf .eot .mp3 .mp4 .m4a .m4v .webm .ogg .wav .avi .mov .pdf .doc .docx .xls .xlsx .ppt"
    " .pptx .epub .gz .bz2 .xz .zst .7z .rar .jar .exe .dmg .iso .db .sqlite .duckdb .parquet .py .pyc .sh .lock".split()
)

Thing = TypeVar("Thing")


def is_archive(path: Path) -> bool:
    """Does the name say that it is an archive of pages?"""
    return path.name.casefold().endswith(ARCHIVES)


def below(source: Path) -> tuple[list[str], list[Path]]:
    """The pages below a folder, by their paths from there, and the archives; or the file itself."""
    if not source.exists():
        raise SourceError(f"{source}: no such file or folder")
    if not source.is_dir():
        return ([], [source]) if is_archive(source) else ([source.name], [])
    names: list[str] = []
    archives: list[Path] = []
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(own for own in folders if not own.startswith("."))
        for name in sorted(own for own in files if not own.startswith(".")):
            path = Path(folder, name)
            if is_archive(path):
                archives.append(path)
            elif path.suffix.casefold() not in _NO_PAGES and path.is_file():
                names.append(path.relative_to(source).as_posix())
    return sorted(names), archives


def files(source: Path, names: Sequence[str]) -> list[Part]:
    """Files below a folder, in parts."""
    folder = source if source.is_dir() else source.parent
    return [Files(str(folder.resolve()), tuple(own)) for own in _cut(names)]


def items(archive: Path) -> Iterator[Item]:
    """What an archive has, one after the other from the first on."""
    ending = archive.name.casefold()
    if ending.endswith(_ZIP):
        members, damage = _zip_members(archive)
        yield from Zipped(str(archive), tuple(members), damage).items()
    elif ending.endswith(_TAR):
        yield from (
            item for item in read_tar(archive) if isinstance(item, Aside) or _may_be_page(item.name)
        )
    else:
        warc.check(archive)
        yield from (warc.item_of(record, archive.name) for record in warc.read_records(archive))


def items_below(source: Path) -> Iterator[Item]:
    """What is in a folder and in the archives below it, or in one archive; pages are named by their paths from there."""
    names, archives = below(source)
    for part in files(source, names):
        yield from part.items()
    for archive in archives:
        yield from items(archive)


def split(archive: Path, folder: Path) -> list[Part]:
    """An archive in parts. What cannot be read from the middle is copied into stores in the folder."""
    ending = archive.name.casefold()
    path = str(archive.resolve())
    if ending.endswith(_ZIP):
        members, damage = _zip_members(archive)
        runs = list(_cut(members)) or ([[]] if damage else [])
        return [
            Zipped(path, tuple(run), None if number else damage) for number, run in enumerate(runs)
        ]
    if ending.endswith(_TAR):
        return _copied(items(archive), folder)
    warc.check(archive)
    points = warc.split_points(archive, PAGES_A_PART)
    if points is None:
        return _copied(items(archive), folder)
    return [Records(path, start, count) for start, count in points]


def _zip_members(archive: Path) -> tuple[list[Member], str | None]:
    """Return the members of a ZIP archive that may be pages, and what is wrong with the archive.

    They are sorted by name, and of several with one name the last comes first, because it replaces the others.
    """
    try:
        directory = read_directory(archive)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"{archive}: cannot be read: {error.strerror or error}") from None
    members = [member for member in directory.members if _may_be_page(member.name)]
    return sorted(members, key=lambda member: (member.name, -member.offset)), directory.damage


def _may_be_page(name: str) -> bool:
    path = Path(name)
    return not path.name.startswith(".") and path.suffix.casefold() not in _NO_PAGES


def _copied(items: Iterable[Item], folder: Path) -> list[Part]:
    """The items in stores of so many each."""
    parts: list[Part] = []
    left = iter(items)
    while some := list(islice(left, PAGES_A_PART)):
        path = folder / f"{len(parts):06d}.pages"
        with new_store(path) as store:
            for item in some:
                store.add(item)
        parts.append(Stored(str(path.resolve())))
    return parts


def _cut(things: Sequence[Thing]) -> Iterator[Sequence[Thing]]:
    for start in range(0, len(things), PAGES_A_PART):
        yield things[start : start + PAGES_A_PART]
