"""The answers of servers as WARC files.

Each is a gzip member of its own, so that a file that broke off is whole up to there, and can be read from any record on.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unweave.errors import MissingExtra, SourceError

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord, WarcRecordType

PAGE, START, SITEMAP = "page", "start", "sitemap"
"""What an address is to the crawl: a page; one that was named to begin with, which may be a sitemap; a sitemap."""

_NAMES = "crawl-*.warc.gz"
_CHUNK = 1024 * 1024
_LEVEL = 6
_MOVED = frozenset([301, 302, 303, 307, 308])
# Crawlers that are not welcome any more are told "forbidden" too.
_FOR_NOW = frozenset(
    [HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS]
)
_HTML = frozenset(["text/html", "application/xhtml+xml", ""])
# What was true of the bytes on their way, and is not of the body that is kept.
_ON_THE_WAY = frozenset([b"content-encoding", b"transfer-encoding", b"content-length"])
# Readers refuse longer heads.
_LONGEST_HEAD = 16 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said when it was asked for an address, unpacked."""

    url: str
    status: int
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""
    depth: int = 0
    """How many links lead to it from the start."""
    hops: int = 0
    """How many redirects, or lists of sitemaps, lead to it from the page that links to it."""
    role: str = PAGE
    is_cut: bool = False
    """Was the body left out, because it is no page?"""
    ip: str = ""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def header(self, name: bytes) -> bytes:
        """The first header of this name, which is in lower case; empty if there is none."""
        return next((value for own, value in self.headers if own.lower() == name), b"")

    @property
    def location(self) -> bytes:
        """Where a redirect leads; empty if it is none."""
        return self.header(b"location") if self.status in _MOVED else b""

    @property
    def is_page(self) -> bool:
        """Is it a page of the site?"""
        is_found = self.status == HTTPStatus.OK and self.role != SITEMAP
        return is_found and not self.is_cut and is_html(self.header(b"content-type"))

    @property
    def is_for_now(self) -> bool:
        """Does the server say that another time it may have something else to say?"""
        return self.status in _FOR_NOW or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


def is_html(content_type: bytes) -> bool:
    """Is this, or nothing, what servers call HTML?"""
    return content_type.partition(b";")[0].strip().lower().decode("latin-1") in _HTML


def files(folder: Path) -> list[Path]:
    """The WARC files of a crawl, in their order."""
    return sorted(folder.glob(_NAMES))


class Archive:
    """Takes one answer after the other, in files of about this size. What was taken is in the file."""

    def __init__(self, folder: Path, *, file_bytes: int, agent: str) -> None:
        self._folder = folder
        self._file_bytes = file_bytes
        self._agent = agent
        self._file: BinaryIO | None = None

    def add(self, answer: Answer) -> None:
        """Take an answer."""
        file = self._opened()
        file.write(_response(answer))
        file.flush()  # no answer waits in this process, which may be killed

    def close(self) -> None:
        """Make sure that all is on the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        """The last file; a new one if that is full."""
        if self._file is not None and self._file.tell() >= self._file_bytes:
            self.close()
        if self._file is None:
            there = files(self._folder)
            if there and there[-1].stat().st_size >= self._file_bytes:
                there.append(self._named(len(there)))
            self._file = (there[-1] if there else self._named(0)).open("ab")
            if not self._file.tell():
                self._file.write(_information(Path(self._file.name).name, self._agent))
        return self._file

    def _named(self, number: int) -> Path:
        return self._folder / f"crawl-{number:05d}.warc.gz"


def answers(folder: Path, *, bodies: bool = True) -> Iterator[Answer]:
    """The answers in the files of a crawl, in the order in which they came; without their bodies if nobody wants them."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise MissingExtra("fastwarc", "crawl") from None
    for path in files(folder):
        try:
            with path.open("rb") as file:
                for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                    yield _read(record, bodies)
        except (ValueError, OSError, EOFError) as error:
            raise SourceError(f"{path}: is damaged: {error}") from None


def repair(folder: Path) -> None:
    """Cut off what was being written when the crawl was killed. Only the last file can have been open."""
    for path in files(folder)[-1:]:
        whole = _whole(path)
        if whole < path.stat().st_size:
            os.truncate(path, whole)


def _whole(path: Path) -> int:
    """How many bytes of the file are complete gzip members."""
    whole = 0
    with path.open("rb") as file, suppress(zlib.error):
        unpacker, data = zlib.decompressobj(zlib.MAX_WBITS | 16), b""
        while data := data or file.read(_CHUNK):
            unpacker.decompress(data, _CHUNK)
            data = unpacker.unconsumed_tail
            if unpacker.eof:
                data = unpacker.unused_data
                whole = file.tell() - len(data)
                unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    return whole


def _information(name: str, agent: str) -> bytes:
    from fastwarc.warc import WarcRecordType

    lines = {"software": agent, "format": "WARC File Format 1.1", "robots": "classic"}
    block = "".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode()
    return _member(
        WarcRecordType.warcinfo,
        {"WARC-Filename": name, "Content-Type": "application/warc-fields"},
        block,
    )


def _response(answer: Answer) -> bytes:
    from fastwarc.warc import WarcRecordType

    headers = {
        "WARC-Target-URI": answer.url,
        "WARC-Date": answer.time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-IP-Address": answer.ip,
        "WARC-Truncated": "unspecified" if answer.is_cut else "",
        "Unweave-Depth": str(answer.depth),
        "Unweave-Hops": str(answer.hops),
        "Unweave-Role": answer.role,
        "Content-Type": "application/http; msgtype=response",
    }
    return _member(WarcRecordType.response, headers, _head(answer) + answer.body)


def _member(kind: WarcRecordType, headers: dict[str, str], block: bytes) -> bytes:
    from fastwarc.warc import WarcRecord

    record = WarcRecord()
    record.init_headers(kind, content_length=len(block))
    for name, value in headers.items():
        if value:
            record.headers[name] = value
    record.set_bytes_content(block)
    plain = io.BytesIO()
    record.write(plain, checksum_data=True)
    return gzip.compress(plain.getvalue(), _LEVEL)


def _head(answer: Answer) -> bytes:
    """The status line and the headers, which fit the body as it is kept."""
    phrase = next((own.phrase for own in HTTPStatus if own == answer.status), "")
    lines = [f"HTTP/1.1 {answer.status} {phrase}".encode()]
    left = _LONGEST_HEAD
    for name, value in answer.headers:
        line = b": ".join((name, b" ".join(value.split())))
        if name.lower() not in _ON_THE_WAY and len(line) <= left:
            lines.append(line)
            left -= len(line)
    lines.append(b"Content-Length: %d" % len(answer.body))
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _read(record: WarcRecord, bodies: bool) -> Answer:
    told, http = record.headers, record.http_headers
    return Answer(
        url=told["WARC-Target-URI"],
        status=http.status_code or 0,
        headers=http.items_bytes(),
        body=record.reader.read() if bodies else b"",
        depth=int(told.get("Unweave-Depth") or 0),
        hops=int(told.get("Unweave-Hops") or 0),
        role=told.get("Unweave-Role") or PAGE,
        is_cut="WARC-Truncated" in told,
        ip=told.get("WARC-IP-Address") or "",
        time=record.record_date,
    )
