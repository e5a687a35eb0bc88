"""WARC files, as crawlers and Common Crawl write them: read as a stream, from any record on.

Any crawled server, and any disk, can damage a record. A damaged record is returned with its damage,
and reading continues with the next one: at the next gzip member that begins with a record, or at
the next line ``WARC/1.0`` and the like. fastwarc is used for zstd only: it ends at the first
damage, and reads all gzip members as one stream, in which a wrong Content-Length hides the records
behind it.
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
from unweave.files import GZIP_MAGIC
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.sniffing import parse_content_type_charset
from unweave.sources.http_messages import (
    MAX_HEADER_BYTES,
    REDIRECT_STATUSES,
    Response,
    decode_body,
    find_headers_end,
    is_html_type,
    parse_headers,
    parse_response,
)
from unweave.sources.source import FetchedPage, Item, Redirect, Skipped
from unweave.sources.warc_compression import (
    CUT_OFF,
    PIECE_BYTES,
    RECORD_MAGIC,
    ZSTD_MAGIC,
    Piece,
    find_gzip_member,
    read_gzip_pieces,
    read_zstd_pieces,
)

# A record that is kept in memory. A page in a longer one is too large in any case.
_MAX_BLOCK_BYTES = DEFAULT_LIMITS.bytes + MAX_HEADER_BYTES
MAX_NAME_CHARACTERS = 2_000
_MAX_RECORD_START_BYTES = 200
_BUFFER_BYTES = 256 * 1024
# Enough to see whether a record follows.
_PEEK_BYTES = 64

_PAGE_TYPES = frozenset(["response", "resource"])
_RECORD_TYPES = _PAGE_TYPES | frozenset(
    "warcinfo request metadata revisit conversion continuation".split()
)
_VERSION_LINE = re.compile(rb"WARC/[01]\.\d{1,2}\r?\n")
_RECORD_START = re.compile(_VERSION_LINE.pattern + rb"[A-Za-z][A-Za-z0-9-]{0,60}[ \t]*:")
_CONTROL_CHARACTER = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LENGTH = re.compile(r"[0-9]{1,15}")
_RECORD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Record:
    """A record that may contain a page, or a damaged one of any type."""

    position: int
    """Where it begins, in bytes of the file; for compressed data, where its gzip member begins."""
    is_seekable: bool
    """Whether reading can start at the position."""
    headers: Mapping[str, str] = field(default_factory=dict)
    block: bytes = b""
    """What follows the headers; only the first bytes of a record that is larger than a page."""
    length: int = 0
    """The Content-Length of the record."""
    damage: str | None = None
    """Why the record cannot be used."""
    is_cut_off: bool = False
    """Whether the file ends within the record."""


def read_records(path: Path, start: int = 0) -> Iterator[Record]:
    """Yield the records of a file that may contain pages, and damaged ones, from a position on."""
    for record in _read_all_records(path, start):
        if record.damage is not None or record.headers.get("warc-type", "").lower() in _PAGE_TYPES:
            yield record


def check(path: Path) -> None:
    """Raise SourceError if a file has no record, not even a damaged one."""
    if not any(record.headers for record in _read_all_records(path)):
        raise SourceError(f"{path}: not a WARC file, or damaged: it has no WARC record")


def find_split_points(path: Path, count: int) -> list[tuple[int, int]] | None:
    """Return where every ``count``-th record begins, and the number of records up to the next.

    Returns None for a file that was compressed as a whole: it can only be read from its beginning.
    """
    points: list[tuple[int, int]] = []
    start, size = 0, 0
    for record in read_records(path):
        if size == count:
            points.append((start, size))
            size = 0
            if not record.is_seekable:
                return None
        if not size:
            start = record.position
        size += 1
    return [*points, (start, size)] if size else points


# ---- from records to pages -----------------------------------------------------------------------


def make_item(record: Record, archive_name: str) -> Item:
    """Return the page or redirect in a record of an archive, or why it is skipped."""
    headers = record.headers
    name = headers.get("warc-target-uri", "").strip("<> ")[:MAX_NAME_CHARACTERS]
    time = parse_time(headers.get("warc-date", ""))
    if record.damage is not None or not name:
        reason = record.damage or "the record has no WARC-Target-URI"
        return Skipped(name or f"{archive_name}, byte {record.position:,}", reason, time)
    try:
        return _read_page(record, name, time)
    except (SourceError, PageTooLarge, MissingExtra) as error:
        return Skipped(name, str(error), time)


def _read_page(record: Record, url: str, time: datetime | None) -> Item:
    record_type = record.headers.get("content-type", "")
    is_http = record_type.lower().startswith("application/http")
    is_resource = record.headers.get("warc-type", "").lower() == "resource"
    if is_resource or not (is_http or record.block.startswith(b"HTTP/")):
        # The body was stored without the HTTP headers.
        response = Response(200, {"content-type": record_type}, record.block)
    else:
        response = parse_response(record.block)
    location = response.headers.get("location", "")
    if response.status in REDIRECT_STATUSES and location:
        return Redirect(url, join_urls(url, location))
    if response.status != 200:
        return Skipped(url, f"the server returned {response.status}", time)
    content_type = response.headers.get("content-type", "")
    if not is_html_type(content_type):
        media_type = content_type.partition(";")[0].strip()
        return Skipped(url, f"not HTML but {media_type[:60]}", time)
    DEFAULT_LIMITS.check_bytes(record.length - (len(record.block) - len(response.body)))
    body, damage = decode_body(response, DEFAULT_LIMITS.bytes + 1)
    DEFAULT_LIMITS.check_bytes(len(body))
    if record.is_cut_off:
        damage = CUT_OFF
    elif "warc-truncated" in record.headers:
        reason = record.headers["warc-truncated"][:60] or "unspecified"
        damage = f"cut off: truncated by the crawler ({reason})"
    elif "warc-segment-number" in record.headers:
        damage = "cut off: the record is one segment of several"
    charset = parse_content_type_charset(content_type)
    return FetchedPage(url, body, is_url=True, time=time, charset=charset, damage=damage)


def parse_time(text: str) -> datetime | None:
    """Return a time in ISO 8601 in UTC; None if it is invalid."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def join_urls(url: str, location: str) -> str:
    """Return the URL that a redirect leads to; an invalid one as it is."""
    try:
        return urljoin(url, location)
    except ValueError:
        return location


# ---- segments of decompressed bytes --------------------------------------------------------------


class Segment:
    """Decompressed bytes in which records are parsed.

    A segment is a whole file that is not compressed, or the gzip members up to the next one that
    begins with a record. Only ``buffer`` is in memory.
    """

    def __init__(
        self, position: int, pieces: Iterator[Piece], file: IO[bytes] | None = None
    ) -> None:
        """``file`` is the file behind the pieces, if it is not compressed."""
        self.buffer = bytearray()
        self.error: str | None = None
        self.next_piece: Piece | None = None
        """The first piece of the next segment."""
        self._start = position
        self._dropped_bytes = 0
        self._pieces = pieces
        self._member: int | None = None
        self._file = file
        self._is_at_end = False

    @property
    def end(self) -> int:
        """The number of bytes that were read."""
        return self._dropped_bytes + len(self.buffer)

    @property
    def position(self) -> int:
        """Where the buffer begins in the file; for compressed data, where the segment begins."""
        return self._start + (self._dropped_bytes if self._file else 0)

    @property
    def is_seekable(self) -> bool:
        """Whether the file can be read from here on."""
        return self._file is not None or not self._dropped_bytes

    @property
    def is_plain(self) -> bool:
        """Whether the file is not compressed."""
        return self._file is not None

    def fill(self, size: int) -> bool:
        """Read until the buffer has ``size`` bytes; return False if there are fewer."""
        while len(self.buffer) < size and not self._is_at_end:
            piece = next(self._pieces, None)
            if piece is None:
                self._is_at_end = True
            elif self.end and self._is_of_next_segment(piece):
                self.next_piece, self._is_at_end = piece, True
            elif piece.error is not None:
                self.error, self._is_at_end = piece.error, True
            else:
                self.buffer += piece.data
                self._member = piece.member
        return len(self.buffer) >= size

    def _is_of_next_segment(self, piece: Piece) -> bool:
        """Tell whether a piece begins another gzip member, and this with a record or an error."""
        is_new = piece.member != self._member
        return is_new and (piece.error is not None or piece.data.startswith(RECORD_MAGIC))

    def drop(self, size: int) -> None:
        """Drop bytes from the beginning of the buffer."""
        self._dropped_bytes += size
        del self.buffer[:size]

    def drop_line_breaks(self) -> bool:
        """Drop line breaks; return False if nothing else is left."""
        while self.fill(1):
            line_breaks = re.match(rb"[\r\n]*", self.buffer)
            self.drop(line_breaks.end() if line_breaks else 0)
            if self.buffer:
                return True
        return False

    def drop_to_next_record(self, skip: int) -> int:
        """Drop ``skip`` bytes, and all up to the next record; return the number of bytes."""
        before = self._dropped_bytes
        self.drop(skip)
        while not (record_start := _RECORD_START.search(self.buffer)):
            self.drop(max(0, len(self.buffer) - _MAX_RECORD_START_BYTES))
            if not self.fill(len(self.buffer) + 1):
                break
        self.drop(record_start.start() if record_start else len(self.buffer))
        return self._dropped_bytes - before

    def skip_to_record(self, offset: int) -> bool:
        """Skip bytes of a plain file without reading them, if a record or the file ends there."""
        if self._file is None:
            return False
        position = self._file.tell()
        file_bytes = self._file.seek(0, 2)
        target = self.position + offset
        self._file.seek(target)
        if target > file_bytes or not _is_boundary(self._file.read(_PEEK_BYTES)):
            self._file.seek(position)
            return False
        self._file.seek(target)
        self._dropped_bytes += offset
        self.buffer.clear()
        return True

    def has_record(self, start: int, end: int) -> bool:
        """Tell whether a record begins between two positions of the buffer."""
        return _RECORD_START.search(self.buffer, start, end) is not None

    def take_error(self) -> str | None:
        """Return the error that ended the segment, once, if nothing is left before it."""
        if self.buffer.strip(b"\r\n"):
            return None
        error, self.error = self.error, None
        return error


def _is_boundary(data: bytes | bytearray) -> bool:
    """Tell whether bytes can follow a record: line breaks, and then a record or nothing."""
    rest = data.lstrip(b"\r\n")
    return not rest or rest.startswith(RECORD_MAGIC)


def _read_segments(file: IO[bytes], path: Path, start: int) -> Iterator[Segment]:
    magic = file.read(len(RECORD_MAGIC))
    suffix = path.suffix.lower()
    if magic.startswith(ZSTD_MAGIC) or suffix == ".zst":
        pieces = read_zstd_pieces(file, start)
    elif magic.startswith(GZIP_MAGIC) or (
        suffix == ".gz" and find_gzip_member(file, 0) is not None
    ):
        pieces = read_gzip_pieces(file, start)
    else:
        file.seek(start)
        yield Segment(start, map(Piece, iter(lambda: file.read(PIECE_BYTES), b"")), file)
        return
    piece = next(pieces, None)
    while piece is not None:
        segment = Segment(piece.member or 0, chain([piece], pieces))
        yield segment
        piece = segment.next_piece or next(pieces, None)


# ---- records in a segment ------------------------------------------------------------------------


def _read_all_records(path: Path, start: int = 0) -> Iterator[Record]:
    try:
        with path.open("rb", buffering=_BUFFER_BYTES) as file:
            for segment in _read_segments(file, path, start):
                yield from _parse_segment(segment)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from None


def _parse_segment(segment: Segment) -> Iterator[Record]:
    while segment.drop_line_breaks():
        segment.fill(_MAX_RECORD_START_BYTES)
        if _VERSION_LINE.match(segment.buffer):
            yield _parse_record(segment)
        else:
            position, is_seekable = segment.position, segment.is_seekable
            size = segment.drop_to_next_record(0)
            damage = segment.take_error() or f"cannot be read: {size:,} bytes are not a WARC record"
            yield Record(position, is_seekable, damage=damage)
    if error := segment.take_error():
        yield Record(segment.position, segment.is_seekable, damage=error)


def _parse_record(segment: Segment) -> Record:
    """Parse the record at the beginning of a segment, and drop its bytes."""
    position, is_seekable = segment.position, segment.is_seekable
    is_long = segment.fill(MAX_HEADER_BYTES)
    block_start = find_headers_end(segment.buffer)
    headers_end = block_start or MAX_HEADER_BYTES
    inner = _RECORD_START.search(segment.buffer, 1, headers_end)
    headers = parse_headers(segment.buffer[: inner.start() if inner else headers_end])
    record = Record(position, is_seekable, headers)
    if inner or (block_start is None and not is_long):
        return _drop_damaged(segment, record, "the header of the record is cut off", 1)
    if _CONTROL_CHARACTER.search(segment.buffer, 0, headers_end):
        return _drop_damaged(segment, record, "the header of the record is damaged", 1)
    if block_start is None:
        reason = f"the header of the record has more than {MAX_HEADER_BYTES:,} bytes"
        return _drop_damaged(segment, record, f"{reason}, which is the limit", 1)
    length = headers.get("content-length", "")
    if not _LENGTH.fullmatch(length):
        reason = f"wrong Content-Length of the record: {length[:40]!r}"
        return _drop_damaged(segment, record, reason, block_start)
    record = replace(record, length=int(length))
    record_type = headers.get("warc-type", "")
    if record_type.lower() not in _RECORD_TYPES:
        record = replace(record, damage=f"unknown WARC-Type {record_type[:40]!r}")
    if record.length > _MAX_BLOCK_BYTES:
        return _skip_block(segment, record, block_start)
    return _read_block(segment, record, block_start)


def _drop_damaged(segment: Segment, record: Record, reason: str, skip: int) -> Record:
    """Return a damaged record, whose first ``skip`` bytes are dropped, and all up to the next."""
    segment.drop_to_next_record(skip)
    return replace(record, damage=segment.take_error() or reason)


def _describe_wrong_length(record: Record) -> str:
    return f"wrong Content-Length of the record: no record ends after {record.length:,} bytes"


def _read_block(segment: Segment, record: Record, start: int) -> Record:
    """Read the block of a record, and check that the record ends behind it."""
    end = start + record.length
    segment.fill(end + _PEEK_BYTES)
    if len(segment.buffer) < end:
        is_cut_off = segment.error == CUT_OFF or (segment.is_plain and segment.error is None)
        if not is_cut_off or segment.has_record(start, end):
            return _drop_damaged(segment, record, _describe_wrong_length(record), start)
        block = bytes(segment.buffer[start:])
        segment.drop(len(segment.buffer))
        segment.take_error()
        return replace(record, block=block, length=len(block), is_cut_off=True)
    following = segment.buffer[end : end + _PEEK_BYTES]
    if not _is_boundary(following) and (
        not following.startswith(_RECORD_END) or segment.has_record(start, end)
    ):
        return _drop_damaged(segment, record, _describe_wrong_length(record), start)
    block = bytes(segment.buffer[start:end])
    segment.drop(end)
    error = segment.take_error()
    # If only the end of the gzip data is missing, the record is complete.
    if error is not None and error != CUT_OFF:
        return replace(record, damage=error)
    return replace(record, block=block)


def _skip_block(segment: Segment, record: Record, start: int) -> Record:
    """Skip a block that is larger than a page, except for its first bytes, which tell its type."""
    end = start + record.length
    segment.fill(start + MAX_HEADER_BYTES)
    block = bytes(segment.buffer[start : start + MAX_HEADER_BYTES])
    if segment.skip_to_record(end):
        return replace(record, block=block)
    size = segment.drop_to_next_record(start)
    error = segment.take_error()
    if error is None and (segment.is_plain or size < end):
        error = _describe_wrong_length(record)
    return replace(record, block=block, damage=error or record.damage)
