"""WARC files, as crawlers and Common Crawl write them: read as a stream, from any record on.

Any server that was crawled, and any disk, can damage a record. A damaged record is given with what is wrong with it, and
reading goes on at the next one: at the next gzip member that begins with a record, or at the next line ``WARC/1.0`` and
the like. fastwarc only unpacks zstd here: it ends at the first damage, and takes all gzip members for one stream, in which
a wrong length swallows the records behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import IO
from urllib.parse import urljoin

from unweave.errors import MissingExtra, PageTooLarge, SourceError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.sources.compressed import GZIP
from unweave.sources.fetched_page import Aside, Fetched, Item, Moved
from unweave.sources.responses import (
    MAX_HEADER_BYTES,
    Response,
    find_headers_end,
    parse_headers,
    parse_response,
    unpack_body,
)
from unweave.sources.warc_pieces import (
    CUT,
    PIECE_BYTES,
    RECORD_BEGIN,
    ZSTD,
    Piece,
    find_member,
    gzip_pieces,
    zstd_pieces,
)

MAX_BLOCK_BYTES = DEFAULT_LIMITS.bytes + MAX_HEADER_BYTES
"""Of a record that is held in memory. A page in a longer one is too large in any case."""

_PAGE_TYPES = frozenset(["response", "resource"])
_TYPES = _PAGE_TYPES | frozenset(
    "warcinfo request metadata revisit conversion continuation".split()
)
_FOUND = 200
_MOVED = frozenset([301, 302, 303, 307, 308])
_HTML = frozenset(["text/html", "application/xhtml+xml", ""])
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w:.+-]+)", re.IGNORECASE)
_MAX_NAME_CHARACTERS = 2_000

_VERSION = re.compile(rb"WARC/[01]\.\d{1,2}\r?\n")
_RECORD_START = re.compile(_VERSION.pattern + rb"[A-Za-z][A-Za-z0-9-]{0,60}[ \t]*:")
_MAX_RECORD_START_BYTES = 200
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LENGTH = re.compile(r"[0-9]{1,15}")
_SEPARATOR = b"\r\n\r\n"
# Enough to see what stands behind a record.
_PEEK_BYTES = 64

_BUFFER_BYTES = 256 * 1024
_NO_RECORD = "cannot be read: no WARC record"


@dataclass(frozen=True, slots=True)
class Record:
    """A record that may hold a page, or one that is damaged."""

    position: int
    """The byte of the file from which on it can be read, if ``is_seekable``."""
    is_seekable: bool
    headers: Mapping[str, str] = field(default_factory=dict)
    block: bytes = b""
    """What follows the headers; of a record that is larger than a page, only its begin."""
    length: int = 0
    """The length of the block that the headers tell."""
    damage: str | None = None
    """Why it cannot be used."""
    is_cut: bool = False
    """Does the file end within it?"""


def read_records(path: Path, start: int = 0) -> Iterator[Record]:
    """Yield the records from this byte on that may hold a page, and those of any type that are damaged."""
    for record in _all_records(path, start):
        if record.damage is not None or record.headers.get("warc-type", "").lower() in _PAGE_TYPES:
            yield record


def check(path: Path) -> None:
    """Raise if there is no record in a file, not even a damaged one."""
    if not any(record.headers for record in _all_records(path)):
        raise SourceError(f"{path}: is no WARC file, or is damaged: no record in it")


def split_points(path: Path, count: int) -> list[tuple[int, int]] | None:
    """Return where every n-th record begins, and how many there are from there to the next.

    None if the file was packed as a whole, so that it can be read from its beginning only.
    """
    runs: list[tuple[int, int]] = []
    begin, seen = 0, 0
    for record in read_records(path):
        if seen == count:
            runs.append((begin, seen))
            seen = 0
            if not record.is_seekable:
                return None
        if not seen:
            begin = record.position
        seen += 1
    return [*runs, (begin, seen)] if seen else runs


def item_of(record: Record, archive: str) -> Item:
    """Return what a record of an archive of this name holds."""
    name = record.headers.get("warc-target-uri", "").strip("<> ")[:_MAX_NAME_CHARACTERS]
    time = _parse_time(record.headers.get("warc-date", ""))
    if record.damage is not None or not name:
        place = f"{archive}, byte {record.position:,}"
        return Aside(
            name or place,
            record.damage or "the record has no address: WARC-Target-URI is missing",
            time,
        )
    try:
        return _read_page(record, name, time)
    except (SourceError, PageTooLarge, MissingExtra) as error:
        return Aside(name, str(error), time)


def _read_page(record: Record, name: str, time: datetime | None) -> Item:
    response = _response_of(record)
    location, kind = response.header("location"), response.header("content-type")
    if response.status in _MOVED and location:
        return Moved(name, _absolute(name, location))
    if response.status != _FOUND:
        return Aside(name, f"the server answered {response.status}", time)
    media = kind.partition(";")[0].strip()
    if media.lower() not in _HTML:
        return Aside(name, f"not HTML but {media[:60]}", time)
    DEFAULT_LIMITS.check_bytes(record.length - (len(record.block) - len(response.body)))
    body, damage = unpack_body(response, DEFAULT_LIMITS.bytes + 1)
    DEFAULT_LIMITS.check_bytes(len(body))
    charset = _CHARSET.search(kind)
    damage = _cut_by_crawler(record) or damage
    return Fetched(
        name, body, is_address=True, time=time, charset=charset and charset[1], damage=damage
    )


def _response_of(record: Record) -> Response:
    """Return the response in a record; what was stored without one is as if a server had sent it."""
    kind = record.headers.get("content-type", "")
    if record.headers.get("warc-type", "").lower() == "resource" or not (
        kind.lower().startswith("application/http") or record.block.startswith(b"HTTP/")
    ):
        return Response(_FOUND, {"content-type": kind}, record.block)
    return parse_response(record.block)


def _cut_by_crawler(record: Record) -> str | None:
    if record.is_cut:
        return CUT
    if "warc-truncated" in record.headers:
        return f"cut off: the crawler says {record.headers['warc-truncated'][:60] or 'nothing about why'}"
    if "warc-segment-number" in record.headers:
        return "cut off: the record is one segment of several"
    return None


def _parse_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _absolute(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


# ---- records in plain bytes ----------------------------------------------------------------------------------------


def _all_records(path: Path, start: int = 0) -> Iterator[Record]:
    try:
        with path.open("rb", buffering=_BUFFER_BYTES) as file:
            for segment in _segments(file, path, start):
                yield from _parse_segment(segment)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from None


class Segment:
    """Plain bytes that records are parsed from: a whole file, or gzip members up to the next that begins with a record.

    No more of them is in memory than was asked for at once.
    """

    def __init__(
        self, position: int, pieces: Iterator[Piece], file: IO[bytes] | None = None
    ) -> None:
        self.buffer = bytearray()
        self.error: str | None = None
        self.next: Piece | None = None
        """The first piece of the next segment."""
        self._position = position
        self._dropped = 0
        self._pieces = pieces
        self._member: int | None = None
        self._file = file
        self._is_at_end = False

    @property
    def end(self) -> int:
        """How many bytes were read."""
        return self._dropped + len(self.buffer)

    @property
    def position(self) -> int:
        """The byte of the file that the buffer begins at; of packed data, where the segment does."""
        return self._position + (self._dropped if self._file else 0)

    @property
    def is_seekable(self) -> bool:
        """Can the file be read from here on?"""
        return self._file is not None or not self._dropped

    @property
    def is_plain(self) -> bool:
        """Is the file not packed?"""
        return self._file is not None

    def fill(self, size: int) -> bool:
        """Read until the buffer has this many bytes; False if there are fewer."""
        while len(self.buffer) < size and not self._is_at_end:
            piece = next(self._pieces, None)
            if piece is None:
                self._is_at_end = True
            elif self.end and self._is_of_next(piece):
                self.next, self._is_at_end = piece, True
            elif piece.error is not None:
                self.error, self._is_at_end = piece.error, True
            else:
                self.buffer += piece.data
                self._member = self._member if piece.member is None else piece.member
        return len(self.buffer) >= size

    def _is_of_next(self, piece: Piece) -> bool:
        """Does a piece begin another gzip member, with a record, or one that cannot be unpacked?"""
        is_new = piece.member not in (None, self._member)
        return is_new and (piece.error is not None or piece.data.startswith(RECORD_BEGIN))

    def drop(self, size: int) -> None:
        """Leave bytes behind."""
        self._dropped += size
        del self.buffer[:size]

    def begins_record_at(self, offset: int) -> bool:
        """Look into the file whether a record begins, or the file ends, that many bytes further on."""
        if self._file is None:
            return False
        here = self._file.tell()
        try:
            size = self._file.seek(0, 2)
            self._file.seek(self.position + offset)
            behind = self._file.read(_PEEK_BYTES)
        finally:
            self._file.seek(here)
        return self.position + offset <= size and _is_boundary(behind)

    def seek(self, offset: int) -> None:
        """Leave that many bytes of a plain file behind without reading them."""
        if self._file is not None:
            self._file.seek(self.position + offset)
            self._dropped += offset
            self.buffer.clear()

    def drop_line_breaks(self) -> bool:
        """Leave line breaks behind; False if nothing else is left."""
        while self.fill(1):
            content = re.match(rb"[\r\n]*", self.buffer)
            self.drop(content.end() if content else 0)
            if self.buffer:
                return True
        return False

    def drop_to_next_record(self, after: int) -> int:
        """Leave these bytes behind, and all up to the next record. Returns how many that were."""
        before = self._dropped
        self.drop(after)
        while not (found := _RECORD_START.search(self.buffer)):
            self.drop(max(0, len(self.buffer) - _MAX_RECORD_START_BYTES))
            if not self.fill(len(self.buffer) + 1):
                break
        self.drop(found.start() if found else len(self.buffer))
        return self._dropped - before

    def has_record(self, start: int, end: int) -> bool:
        """Does a record begin between two bytes of the buffer?"""
        return _RECORD_START.search(self.buffer, start, end) is not None

    def take_error(self) -> str | None:
        """Return the error that ended the segment, once, if nothing is left before it."""
        if self.buffer.strip(b"\r\n"):
            return None
        error, self.error = self.error, None
        return error


def _is_boundary(behind: bytes | bytearray) -> bool:
    """Is this what stands behind a record: line breaks, and then the next one or nothing?"""
    rest = behind.lstrip(b"\r\n")
    return not rest or rest.startswith(RECORD_BEGIN)


def _parse_segment(segment: Segment) -> Iterator[Record]:
    while segment.drop_line_breaks():
        segment.fill(_MAX_RECORD_START_BYTES)
        if _VERSION.match(segment.buffer):
            yield _parse_record(segment)
        else:
            position, is_seekable = segment.position, segment.is_seekable
            size = segment.drop_to_next_record(0)
            damage = segment.take_error() or f"{_NO_RECORD}, but {size:,} bytes of something else"
            yield Record(position, is_seekable, damage=damage)
    if error := segment.take_error():
        yield Record(segment.position, segment.is_seekable, damage=error)


def _parse_record(segment: Segment) -> Record:
    """Read the record that the segment begins with, and leave it behind."""
    record = Record(segment.position, segment.is_seekable)
    is_long = segment.fill(MAX_HEADER_BYTES)
    block_start = find_headers_end(segment.buffer)
    inner = _RECORD_START.search(segment.buffer, 1, block_start or MAX_HEADER_BYTES)
    headers = parse_headers(
        segment.buffer[: inner.start() if inner else block_start or MAX_HEADER_BYTES]
    )
    record = replace(record, headers=headers)
    length = headers.get("content-length", "")
    kind = headers.get("warc-type", "")
    if inner or (block_start is None and not is_long):
        return _set_aside(segment, record, "the header of the record is cut off", 1)
    if _CONTROL.search(segment.buffer, 0, block_start or MAX_HEADER_BYTES):
        return _set_aside(segment, record, "the header of the record is damaged", 1)
    if block_start is None:
        reason = f"the header of the record is longer than {MAX_HEADER_BYTES:,} bytes, which is the limit"
        return _set_aside(segment, record, reason, 1)
    if not _LENGTH.fullmatch(length):
        return _set_aside(
            segment, record, f"wrong Content-Length of the record: {length[:40]!r}", block_start
        )
    record = replace(record, length=int(length))
    if kind.lower() not in _TYPES:
        record = replace(record, damage=f"unknown WARC-Type {kind[:40]!r}")
    if record.length > MAX_BLOCK_BYTES:
        return _skip_block(segment, record, block_start)
    return _read_block(segment, record, block_start)


def _set_aside(segment: Segment, record: Record, reason: str, after: int) -> Record:
    """Leave a damaged record behind, of which so many bytes are no other record."""
    segment.drop_to_next_record(after)
    return replace(record, damage=segment.take_error() or reason)


def _wrong_length(record: Record) -> str:
    return f"wrong Content-Length of the record: no record ends after {record.length:,} bytes"


def _read_block(segment: Segment, record: Record, start: int) -> Record:
    """Read what a record holds, and check that it ends where it says."""
    end = start + record.length
    segment.fill(end + _PEEK_BYTES)
    if len(segment.buffer) < end:
        is_cut = segment.error == CUT or (segment.is_plain and segment.error is None)
        if not is_cut or segment.has_record(start, end):
            return _set_aside(segment, record, _wrong_length(record), start)
        block = bytes(segment.buffer[start:])
        segment.drop(len(segment.buffer))
        segment.take_error()
        return replace(record, block=block, length=len(block), is_cut=True)
    behind = segment.buffer[end : end + _PEEK_BYTES]
    if not _is_boundary(behind) and (
        not behind.startswith(_SEPARATOR) or segment.has_record(start, end)
    ):
        return _set_aside(segment, record, _wrong_length(record), start)
    block = bytes(segment.buffer[start:end])
    segment.drop(end)
    error = segment.take_error()
    if (
        error is not None and error != CUT
    ):  # if only the end of the packing is missing, the record is whole
        return replace(record, damage=error)
    return replace(record, block=block)


def _skip_block(segment: Segment, record: Record, start: int) -> Record:
    """Leave behind what is larger than a page, except for its first bytes, which tell what it is."""
    end = start + record.length
    segment.fill(start + MAX_HEADER_BYTES)
    block = bytes(segment.buffer[start : start + MAX_HEADER_BYTES])
    if segment.is_plain and segment.begins_record_at(end):
        segment.seek(end)
        return replace(record, block=block)
    size = segment.drop_to_next_record(start)
    error = segment.take_error() or (
        _wrong_length(record) if segment.is_plain or size < end else None
    )
    return replace(record, block=block, damage=error or record.damage)


# ---- plain bytes of files ------------------------------------------------------------------------------------------


def _segments(file: IO[bytes], path: Path, start: int) -> Iterator[Segment]:
    head = file.read(len(RECORD_BEGIN))
    if head.startswith(ZSTD) or path.suffix.lower() == ".zst":
        yield from _packed_segments(zstd_pieces(file, start))
    elif head.startswith(GZIP) or (
        path.suffix.lower() == ".gz" and find_member(file, 0) is not None
    ):
        yield from _packed_segments(gzip_pieces(file, start))
    else:
        file.seek(start)
        yield Segment(start, map(Piece, iter(lambda: file.read(PIECE_BYTES), b"")), file)


def _packed_segments(pieces: Iterator[Piece]) -> Iterator[Segment]:
    piece = next(pieces, None)
    while piece is not None:
        segment = Segment(piece.member or 0, chain([piece], pieces))
        yield segment
        piece = segment.next or next(pieces, None)
