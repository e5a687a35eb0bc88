"""The sources of pages, and the one place where they are chosen by a location.

Folders, files and archives are read where they are. Sites and the pages of a sitemap are crawled
into WARC files first.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from unweave.errors import SourceError
from unweave.files import MAX_COMPRESSION_RATIO, create_folder
from unweave.page.parse import is_url, read_file
from unweave.registry import Registry
from unweave.sources import warc
from unweave.sources.crawl import Crawl, CrawlOptions, Progress, crawl
from unweave.sources.har import read_har
from unweave.sources.shards import (
    PAGES_PER_SHARD,
    Shard,
    WarcShard,
    ZipShard,
    make_file_shards,
    split_sequence,
    store_items,
)
from unweave.sources.sitemaps import PAGES, parse_sitemap
from unweave.sources.source import FetchedPage, Item, Skipped, Source, escape_name
from unweave.sources.tar_archive import read_tar
from unweave.sources.zip_archive import Member, copy_member, read_directory

_WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
_TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_ZIP_SUFFIXES = (".zip",)
_WACZ_SUFFIXES = (".wacz",)
_HAR_SUFFIXES = (".har",)
_SITEMAP_SUFFIXES = (".xml", ".xml.gz")
_MAX_COPY_BYTES = 1 << 30
# Of the WARC files in a WACZ file that are compressed once more, beyond MAX_COMPRESSION_RATIO.
_MAX_EXCESS_BYTES = 1 << 30
ARCHIVE_SUFFIXES = _WARC_SUFFIXES + _TAR_SUFFIXES + _ZIP_SUFFIXES + _WACZ_SUFFIXES + _HAR_SUFFIXES

# Files beside pages that are not pages. All others are read: pages of a mirror have names of all
# kinds.
_OTHER_SUFFIXES = frozenset(
    """
    .css .js .mjs .map .json .jsonl .xml .rss .atom .txt .csv .md
    .png .jpg .jpeg .gif .svg .webp .avif .ico .bmp .tif .tiff
    .woff .woff2 .ttf .otf .eot .mp3 .mp4 .m4a .m4v .webm .ogg .wav .avi .mov
    .pdf .doc .docx .xls .xlsx .ppt .pptx .epub .gz .bz2 .xz .zst .7z .rar .jar .exe .dmg .iso
    .har .wacz .cdx .cdxj .idx .db .sqlite .duckdb .parquet .py .pyc .sh .lock
    """.split()
)


_log = logging.getLogger("unweave.sources")

SOURCES: Registry[Callable[[], Source]] = Registry("source", "unweave.sources")
"""Sources that programs and packages add, by name. They are tried before the built-in ones."""


def choose_added_source(location: str) -> Source | None:
    """Return the first source that was added by a program or package and accepts a location."""
    for name in SOURCES:
        source = SOURCES[name]()
        if source.accepts(location):
            return source
    return None


def choose_source(location: str, options: CrawlOptions | None = None) -> Source:
    """Return the first source that accepts a location.

    ``options`` are for locations that are crawled. A location that no other source accepts is
    taken for a file.
    """
    crawl_options = options or CrawlOptions()
    sources: tuple[Source, ...] = (
        CrawlSource(crawl_options),
        FolderSource(),
        SitemapSource(crawl_options),
        WarcSource(),
        WaczSource(),
        HarSource(),
        ZipSource(),
        TarSource(),
        FileSource(),
    )
    source = choose_added_source(location) or next(
        source for source in sources if source.accepts(location)
    )
    _log.debug("%s: read by %s", location, type(source).__name__)
    return source


def is_archive(path: Path) -> bool:
    """Tell whether a path has the suffix of an archive of pages."""
    return path.name.casefold().endswith(ARCHIVE_SUFFIXES)


def is_collection(location: str) -> bool:
    """Tell whether a location is a folder, an archive or an added source, not one page or a URL."""
    if choose_added_source(location):
        return True
    return not is_url(location) and (os.path.isdir(location) or is_archive(Path(location)))


# ---- folders and files ---------------------------------------------------------------------------


def find_files(path: Path) -> tuple[list[str], list[Path]]:
    """Return the pages below a folder, as paths relative to it, and the archives there.

    If the path is a file, it is the only page or archive.
    """
    _check_exists(path)
    if not path.is_dir():
        return ([], [path]) if is_archive(path) else ([path.name], [])
    names: list[str] = []
    archives: list[Path] = []
    for folder, subfolders, files in os.walk(path):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if name.startswith("."):
                continue
            if is_archive(file):
                archives.append(file)
            elif _may_be_page(name) and file.is_file():
                names.append(file.relative_to(path).as_posix())
    return sorted(names), archives


def _check_exists(path: Path) -> None:
    if not path.exists():
        raise SourceError(f"{path}: no such file or folder")


def _may_be_page(name: str) -> bool:
    path = Path(name)
    return not path.name.startswith(".") and path.suffix.casefold() not in _OTHER_SUFFIXES


class FileSource:
    """One page in a file."""

    def accepts(self, location: str) -> bool:
        """Accept any location: a file that does not exist is an error when it is read."""
        return True

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages of a file or folder, and of the archives below it."""
        path = Path(location)
        names, archives = find_files(path)
        for shard in make_file_shards(path, names):
            yield from shard.read()
        for archive in archives:
            yield from read_archive(archive)


class FolderSource(FileSource):
    """The pages and archives below a folder; pages are named by their paths relative to it."""

    def accepts(self, location: str) -> bool:
        """Tell whether the location is a folder."""
        return not is_url(location) and os.path.isdir(location)


# ---- archives ------------------------------------------------------------------------------------


class ArchiveSource:
    """An archive of pages in one file, recognized by the suffix of its name."""

    suffixes: tuple[str, ...]

    def accepts(self, location: str) -> bool:
        """Tell whether the location has a suffix of such archives."""
        return location.casefold().endswith(self.suffixes)


class WarcSource(ArchiveSource):
    """A WARC file."""

    suffixes = _WARC_SUFFIXES

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages of the archive one by one."""
        path = Path(location)
        _check_exists(path)
        warc.check(path)
        for record in warc.read_records(path):
            yield warc.make_item(record, path.name)

    def split(self, location: str, folder: Path) -> list[Shard]:
        """Return shards; a file that was compressed as a whole is copied to the folder."""
        path = Path(location)
        warc.check(path)
        points = warc.find_split_points(path, PAGES_PER_SHARD)
        if points is None:
            _log.info("%s: compressed as a whole; copying its pages to %s", path, folder)
            return store_items(self.read(location), folder)
        return [WarcShard(str(path.resolve()), start, count) for start, count in points]


class ZipSource(ArchiveSource):
    """A ZIP archive."""

    suffixes = _ZIP_SUFFIXES

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages of the archive, sorted by name."""
        members, damage = self._list_members(Path(location))
        yield from ZipShard(location, tuple(members), damage).read()

    def split(self, location: str, folder: Path) -> list[Shard]:
        """Return shards; the first has the damage of the archive as a whole."""
        path = Path(location)
        members, damage = self._list_members(path)
        batches = list(split_sequence(members)) or ([[]] if damage else [])
        shards: list[Shard] = []
        for number, batch in enumerate(batches):
            shard_damage = damage if number == 0 else None
            shards.append(ZipShard(str(path.resolve()), tuple(batch), shard_damage))
        return shards

    def _is_wanted(self, name: str) -> bool:
        """Tell whether a member may be a page."""
        return _may_be_page(name)

    def _list_members(self, path: Path) -> tuple[list[Member], str | None]:
        """Return the members that are read, and what is wrong with the archive.

        Of several with one name the last comes first, because it replaces the others.
        """
        _check_exists(path)
        try:
            members, damage = read_directory(path)
        except SourceError:
            raise
        except OSError as error:
            raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from None
        if damage:
            _log.warning("%s: %s", path, damage)
        pages = [member for member in members if self._is_wanted(member.name)]
        return sorted(pages, key=lambda member: (member.name, -member.offset)), damage


class TarSource(ArchiveSource):
    """A tar archive, compressed or not."""

    suffixes = _TAR_SUFFIXES

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages of the archive one by one."""
        path = Path(location)
        _check_exists(path)
        for item in read_tar(path):
            if isinstance(item, Skipped) or _may_be_page(item.name):
                yield item

    def split(self, location: str, folder: Path) -> list[Shard]:
        """Copy the archive to the folder, because it can be read from its beginning only."""
        return store_items(self.read(location), folder)


class WaczSource(ZipSource):
    """A WACZ archive: a ZIP archive of WARC files and their indexes."""

    suffixes = _WACZ_SUFFIXES

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages of the WARC files one by one."""
        with TemporaryDirectory() as folder:
            for warc_file in self._extract(Path(location), Path(folder)):
                if isinstance(warc_file, Skipped):
                    yield warc_file
                    continue
                try:
                    yield from WarcSource().read(str(warc_file))
                except SourceError as error:
                    yield Skipped(warc_file.name, _drop_path(error, warc_file))
                warc_file.unlink()

    def split(self, location: str, folder: Path) -> list[Shard]:
        """Copy the WARC files to the folder, and return their shards."""
        shards: list[Shard] = []
        skipped: list[Item] = []
        for warc_file in self._extract(Path(location), folder):
            if isinstance(warc_file, Skipped):
                skipped.append(warc_file)
                continue
            try:
                shards += WarcSource().split(str(warc_file), warc_file.parent)
            except SourceError as error:
                skipped.append(Skipped(warc_file.name, _drop_path(error, warc_file)))
        return [*shards, *store_items(skipped, folder)]

    def _is_wanted(self, name: str) -> bool:
        """Tell whether a member is a WARC file."""
        return name.casefold().endswith(_WARC_SUFFIXES)

    def _extract(self, path: Path, folder: Path) -> Iterator[Path | Skipped]:
        """Copy the WARC files to folders below a folder and yield them one by one."""
        members, damage = self._list_members(path)
        if damage:
            yield Skipped(path.name, damage)
        if not members:
            raise SourceError(f"{path}: not a WACZ archive, or damaged: it has no WARC files")
        remaining_bytes = MAX_COMPRESSION_RATIO * path.stat().st_size + _MAX_EXCESS_BYTES
        with path.open("rb") as file:
            for number, member in enumerate(members):
                # Names of members are untrusted; of this one only the suffix is used.
                suffix = next(
                    suffix
                    for suffix in reversed(_WARC_SUFFIXES)
                    if member.name.casefold().endswith(suffix)
                )
                target = folder / f"{number:06d}" / f"{path.stem}-{number}{suffix}"
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    with target.open("wb") as copy:
                        damage = copy_member(file, member, copy, remaining_bytes)
                except SourceError as error:
                    target.unlink()
                    yield Skipped(escape_name(member.name), str(error), member.time)
                    continue
                if damage:
                    yield Skipped(escape_name(member.name), damage, member.time)
                remaining_bytes -= target.stat().st_size
                yield target


def _drop_path(error: SourceError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")


class HarSource(ArchiveSource):
    """A HAR file."""

    suffixes = _HAR_SUFFIXES

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages of the file one by one."""
        path = Path(location)
        _check_exists(path)
        yield from read_har(path)

    def split(self, location: str, folder: Path) -> list[Shard]:
        """Copy the pages to the folder, because the file is parsed as a whole."""
        return store_items(self.read(location), folder)


def _choose_archive_source(
    path: Path,
) -> WarcSource | ZipSource | TarSource | HarSource:
    for source in (WaczSource(), HarSource(), ZipSource(), TarSource()):
        if source.accepts(path.name):
            return source
    return WarcSource()


def read_archive(path: Path) -> Iterator[Item]:
    """Yield the pages of an archive one by one."""
    return _choose_archive_source(path).read(str(path))


def make_archive_shards(path: Path, folder: Path) -> list[Shard]:
    """Return the shards of an archive.

    Archives that can be read from their beginning only are copied into stores in the folder.
    """
    return _choose_archive_source(path).split(str(path), folder)


def copy_to_archive(items: Iterable[Item], folder: Path) -> list[Path]:
    """Copy the pages of an added source to WARC files in a folder, unless it exists."""
    from unweave.sources.crawl_archive import ArchiveWriter, StoredResponse, list_warc_files

    if not folder.exists():
        with create_folder(folder) as part:
            writer = ArchiveWriter(part, max_file_bytes=_MAX_COPY_BYTES, user_agent="unweave")
            for item in items:
                if isinstance(item, FetchedPage):
                    charset = f"; charset={item.charset}" if item.charset else ""
                    headers = ((b"content-type", f"text/html{charset}".encode()),)
                    time = item.time or datetime.now(UTC)
                    writer.add(StoredResponse(item.url, 200, headers, item.body, time=time))
            writer.close()
    return list_warc_files(folder)


# ---- crawls --------------------------------------------------------------------------------------


class CrawlSource:
    """A site that is crawled, from the URL of a page, a sitemap or a robots.txt."""

    def __init__(self, options: CrawlOptions) -> None:
        self.options = options

    def accepts(self, location: str) -> bool:
        """Tell whether the location is a URL."""
        return is_url(location)

    def read(self, location: str) -> Iterator[Item]:
        """Crawl into a temporary folder, and yield the pages."""
        with TemporaryDirectory() as folder:
            for path in self.download(location, Path(folder)):
                yield from read_archive(path)

    def download(self, location: str, folder: Path, progress: Progress | None = None) -> list[Path]:
        """Crawl into WARC files in a folder, or continue a crawl there, and return the files."""
        return crawl(self._plan(location), folder, progress=progress)

    def _plan(self, location: str) -> Crawl:
        return Crawl((location,), self.options)


class SitemapSource(CrawlSource):
    """The pages of a sitemap that is a file."""

    def accepts(self, location: str) -> bool:
        """Tell whether the location ends as names of sitemaps do."""
        return location.endswith(_SITEMAP_SUFFIXES)

    def _plan(self, location: str) -> Crawl:
        sitemap_type, urls = parse_sitemap(read_file(location))
        options = self.options
        if sitemap_type == PAGES and options.max_depth is None:
            options = replace(options, max_depth=0)
        return Crawl(tuple(urls), options)
