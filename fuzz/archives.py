"""Archives of pages, built in memory."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable, Sequence

KINDS = ("warc", "warc.gz", "zip", "tar", "tar.gz", "folder")
"""The types of archives: the endings of their file names."""

DATE = "2024-05-01T10:00:00Z"
"""The date of the records of a WARC file."""
HTML = (("Content-Type", "text/html; charset=utf-8"),)


def pack(archive_type: str, pages: Sequence[bytes]) -> bytes:
    """Return an archive of the pages."""
    if archive_type.startswith("warc"):
        records = [
            build_warc_record(number, f"http://example.org/{number}", page)
            for number, page in enumerate(pages)
        ]
        return b"".join(
            gzip.compress(record, 1, mtime=0) if archive_type.endswith("gz") else record
            for record in records
        )
    buffer = io.BytesIO()
    if archive_type == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, page in enumerate(pages):
                archive.writestr(zipfile.ZipInfo(f"{number}.html"), page)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for number, page in enumerate(pages):
            info = tarfile.TarInfo(f"{number}.html")
            info.size = len(page)
            tar.addfile(info, io.BytesIO(page))
    return (
        gzip.compress(buffer.getvalue(), 1, mtime=0)
        if archive_type.endswith("gz")
        else buffer.getvalue()
    )


def build_warc_record(
    number: int,
    url: str,
    body: bytes,
    status: str = "200 OK",
    headers: Iterable[tuple[str, str]] = HTML,
) -> bytes:
    """Return the record of a WARC file with the response of a server."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
    block = "".join(f"{line}\r\n" for line in [*lines, ""]).encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {DATE}\r\n"
        f"WARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"
