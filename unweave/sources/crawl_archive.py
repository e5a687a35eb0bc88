"""The responses of a crawl as WARC files.

Each response is a gzip member, so that a file that was cut off is complete up to there, and can be
read from any record on.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unweave.errors import MissingExtra, SourceError
from unweave.files import DecompressionError, read_gzip_member
from unweave.sources.http_messages import REDIRECT_STATUSES, is_html_type

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord, WarcRecordType

PAGE, START, SITEMAP = "page", "start", "sitemap"
"""The types of URLs of a crawl: a page; a start URL, which may be a sitemap; a sitemap."""

_COMPRESSION_LEVEL = 6
# The server may respond otherwise later; it also sends "forbidden" to crawlers for a while.
_TEMPORARY_STATUSES = frozenset(
    [HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS]
)
# They describe the bytes as they were sent, and not the body that is stored.
_TRANSFER_HEADERS = frozenset([b"content-encoding", b"transfer-encoding", b"content-length"])
# Readers of WARC files refuse more.
_MAX_HEADER_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The response of a server, decompressed, and how the crawl came to its URL."""

    url: str
    status: int
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""
    depth: int = 0
    """The number of links from the start."""
    hops: int = 0
    """The number of redirects, or of sitemap indexes, since the last link."""
    url_type: str = PAGE
    is_truncated: bool = False
    """Whether the body was not stored, because it is not HTML."""
    ip: str = ""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def get_header(self, name: bytes) -> bytes:
        """Return the first header of a name in lower case; empty if there is none."""
        for header, value in self.headers:
            if header.lower() == name:
                return value
        return b""

    @property
    def location(self) -> bytes:
        """The target of a redirect; empty if the response is not a redirect."""
        return self.get_header(b"location") if self.status in REDIRECT_STATUSES else b""

    @property
    def is_page(self) -> bool:
        """Whether this is a page of the site."""
        return (
            self.status == HTTPStatus.OK
            and self.url_type != SITEMAP
            and not self.is_truncated
            and is_html_type(self.get_header(b"content-type").decode("latin-1"))
        )

    @property
    def is_temporary(self) -> bool:
        """Whether the server may respond otherwise later."""
        return self.status in _TEMPORARY_STATUSES or self.status >= 500


def list_warc_files(folder: Path) -> list[Path]:
    """Return the WARC files of a crawl in order."""
    return sorted(folder.glob("crawl-*.warc.gz"))


# ---- reading -------------------------------------------------------------------------------------


def read_responses(folder: Path, *, with_bodies: bool = True) -> Iterator[StoredResponse]:
    """Yield the responses in the WARC files of a crawl, in the order in which they were stored."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise MissingExtra("fastwarc", "crawl") from None
    for path in list_warc_files(folder):
        try:
            with path.open("rb") as file:
                for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                    yield _parse_record(record, with_bodies)
        except (ValueError, OSError, EOFError) as error:
            raise SourceError(f"{path}: the file is damaged: {error}") from None


def _parse_record(record: WarcRecord, with_body: bool) -> StoredResponse:
    headers, http = record.headers, record.http_headers
    return StoredResponse(
        url=headers["WARC-Target-URI"],
        status=http.status_code or 0,
        headers=http.items_bytes(),
        body=record.reader.read() if with_body else b"",
        depth=int(headers.get("Unweave-Depth") or 0),
        hops=int(headers.get("Unweave-Hops") or 0),
        url_type=headers.get("Unweave-Role") or PAGE,
        is_truncated="WARC-Truncated" in headers,
        ip=headers.get("WARC-IP-Address") or "",
        time=record.record_date,
    )


def remove_incomplete_record(folder: Path) -> None:
    """Truncate the last WARC file behind its last complete gzip member.

    A crawl that was killed while it wrote leaves an incomplete record there.
    """
    for path in list_warc_files(folder)[-1:]:
        complete_bytes = 0
        with path.open("rb") as file, suppress(DecompressionError):
            while True:
                for _ in read_gzip_member(file):
                    pass
                complete_bytes = file.tell()
        if complete_bytes < path.stat().st_size:
            os.truncate(path, complete_bytes)


# ---- writing -------------------------------------------------------------------------------------


class ArchiveWriter:
    """Write responses to WARC files of about ``max_file_bytes`` each, behind earlier ones."""

    def __init__(self, folder: Path, *, max_file_bytes: int, user_agent: str) -> None:
        self._folder = folder
        self._max_file_bytes = max_file_bytes
        self._user_agent = user_agent
        self._file: BinaryIO | None = None

    def add(self, response: StoredResponse) -> None:
        """Write a response, and leave nothing of it in buffers: the process may be killed."""
        file = self._open_file()
        file.write(_format_response(response))
        file.flush()

    def close(self) -> None:
        """Close the file when its content is on the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None

    def _open_file(self) -> BinaryIO:
        """Return the last file, or a new one if it is full."""
        if self._file is not None and self._file.tell() >= self._max_file_bytes:
            self.close()
        if self._file is None:
            paths = list_warc_files(self._folder)
            if not paths or paths[-1].stat().st_size >= self._max_file_bytes:
                paths.append(self._folder / f"crawl-{len(paths):05d}.warc.gz")
            self._file = paths[-1].open("ab")
            if not self._file.tell():
                self._file.write(_format_warcinfo(paths[-1].name, self._user_agent))
        return self._file


def _format_warcinfo(file_name: str, user_agent: str) -> bytes:
    from fastwarc.warc import WarcRecordType

    fields = {"software": user_agent, "format": "WARC File Format 1.1", "robots": "classic"}
    block = "".join([f"{name}: {value}\r\n" for name, value in fields.items()]).encode()
    headers = {"WARC-Filename": file_name, "Content-Type": "application/warc-fields"}
    return _format_record(WarcRecordType.warcinfo, headers, block)


def _format_response(response: StoredResponse) -> bytes:
    from fastwarc.warc import WarcRecordType

    headers = {
        "WARC-Target-URI": response.url,
        "WARC-Date": response.time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-IP-Address": response.ip,
        "WARC-Truncated": "unspecified" if response.is_truncated else "",
        "Unweave-Depth": str(response.depth),
        "Unweave-Hops": str(response.hops),
        "Unweave-Role": response.url_type,
        "Content-Type": "application/http; msgtype=response",
    }
    phrase = next((status.phrase for status in HTTPStatus if status == response.status), "")
    lines = [f"HTTP/1.1 {response.status} {phrase}".encode()]
    remaining_bytes = _MAX_HEADER_BYTES
    for name, value in response.headers:
        line = b": ".join((name, b" ".join(value.split())))
        if name.lower() not in _TRANSFER_HEADERS and len(line) <= remaining_bytes:
            lines.append(line)
            remaining_bytes -= len(line)
    lines.append(b"Content-Length: %d" % len(response.body))
    block = b"\r\n".join(lines) + b"\r\n\r\n" + response.body
    return _format_record(WarcRecordType.response, headers, block)


def _format_record(type_: WarcRecordType, headers: dict[str, str], block: bytes) -> bytes:
    """Return a WARC record as a gzip member, without headers that are empty."""
    from fastwarc.warc import WarcRecord

    record = WarcRecord()
    record.init_headers(type_, content_length=len(block))
    for name, value in headers.items():
        if value:
            record.headers[name] = value
    record.set_bytes_content(block)
    data = io.BytesIO()
    record.write(data, checksum_data=True)
    return gzip.compress(data.getvalue(), _COMPRESSION_LEVEL)
