"""WARC files, as crawlers and Common Crawl write them: read as a stream, from any record on."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from unweave.errors import MissingExtra, SourceError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.sources.fetched import Aside, Fetched, Item, Moved
from unweave.sources.packed import begins_with

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

_BEGIN = b"WARC/"
_FOUND = 200
_MOVED = frozenset([301, 302, 303, 307, 308])
_HTML = frozenset(["text/html", "application/xhtml+xml", ""])
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w:.+-]+)", re.IGNORECASE)


def records(path: Path, start: int = 0) -> Iterator[WarcRecord]:
    """The records of a file from this byte on. Those that hold no page are left out without being looked into."""
    try:
        from fastwarc.stream_io import FastWARCError
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise MissingExtra("fastwarc", "warc") from None
    kinds = WarcRecordType.response | WarcRecordType.resource
    try:
        with path.open("rb") as file:
            file.seek(start)
            yield from ArchiveIterator(file, record_types=kinds, auto_decode="all")
    except (FastWARCError, ValueError, EOFError) as error:
        raise SourceError(f"{path}: is no WARC file, or is damaged: {error}") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from None


def check(path: Path) -> None:
    """Raise if a file does not begin as WARC files do."""
    try:
        is_warc = path.suffix == ".zst" or begins_with(path, _BEGIN)
    except (OSError, zlib.error) as error:
        raise SourceError(f"{path}: is no WARC file, or is damaged: {error}") from None
    if not is_warc:
        raise SourceError(f"{path}: is no WARC file, or is damaged at its beginning")


def starts(path: Path, count: int) -> Iterator[tuple[int, int]]:
    """Where every n-th record begins, and how many records there are from there to the next."""
    begin, seen = 0, 0
    for record in records(path):
        if seen == count:
            yield begin, seen
            seen = 0
        if not seen:
            begin = record.stream_pos
        seen += 1
    if seen:
        yield begin, seen


def item(record: WarcRecord) -> Item | None:
    """What a record says; None if it has no address."""
    name = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    if not name:
        return None
    time = _time(record)
    status, kind, location = _response(record)
    if status in _MOVED and location:
        return Moved(name, _absolute(name, location))
    if status != _FOUND:
        return Aside(name, f"the server answered {status}", time)
    media, _, _ = kind.partition(";")
    if media.strip().lower() not in _HTML:
        return Aside(name, f"not HTML but {media.strip()[:60]}", time)
    charset = _CHARSET.search(kind)
    body = record.reader.read(DEFAULT_LIMITS.bytes + 1)
    return Fetched(name, body, is_address=True, time=time, charset=charset[1] if charset else None)


def _response(record: WarcRecord) -> tuple[int, str, str]:
    """The status, the type and the new address that the server gave."""
    http = record.http_headers
    if http is None:
        return _FOUND, record.headers.get("Content-Type") or "", ""
    return http.status_code or _FOUND, http.get("Content-Type") or "", http.get("Location") or ""


def _time(record: Any) -> datetime | None:
    time = record.record_date
    return None if time is None else (time if time.tzinfo else time.replace(tzinfo=UTC))


def _absolute(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location
