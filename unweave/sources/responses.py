"""HTTP responses as archives hold them: status, headers, and the body unpacked within limits."""

from __future__ import annotations

import io
import re
import zlib
from dataclasses import dataclass
from typing import Any

from unweave.errors import MissingExtra, SourceError

MAX_HEADER_BYTES = 64 * 1024
"""Of one block of headers. Servers and browsers refuse far shorter ones."""

# More are made by attackers only.
_MAX_ENCODINGS = 3
_MAX_CHUNK_LINE_BYTES = 1024
_READ_BYTES = 64 * 1024

_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_LINE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r?", re.DOTALL)
_NO_ENCODING = frozenset(["", "identity", "none", "binary", "8bit"])
_GZIP = frozenset(["gzip", "x-gzip"])
_ZLIB_METHOD = 0x08


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    """By their names in lower case; of several with one name the first."""
    body: bytes
    """As it was sent."""

    def header(self, name: str) -> str:
        """Return a header by its name in lower case, or an empty text."""
        return self.headers.get(name, "")


def parse_response(message: bytes) -> Response:
    """Split an HTTP message into status, headers and body, or raise a SourceError that says what is wrong."""
    status = _STATUS_LINE.match(message)
    if status is None:
        raise SourceError("no HTTP response: its status line is missing")
    end = find_headers_end(message)
    if end is None:
        if len(message) < MAX_HEADER_BYTES:
            raise SourceError("cut off within the HTTP headers")
        raise SourceError(
            f"the HTTP headers are longer than {MAX_HEADER_BYTES:,} bytes, which is the limit"
        )
    return Response(int(status[1]), parse_headers(message[:end]), message[end:])


def find_headers_end(data: bytes | bytearray) -> int | None:
    """Return where the empty line behind headers ends, or None if there is none within the limit."""
    end = _HEADERS_END.search(data, 0, MAX_HEADER_BYTES)
    return None if end is None else end.end()


def parse_headers(block: bytes | bytearray) -> dict[str, str]:
    """Return the headers behind the first line, by their names in lower case; the first of each name."""
    headers: dict[str, str] = {}
    lines = re.sub(rb"\r?\n[ \t]+", b" ", block).decode("utf-8", "replace").split("\n")
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    return headers


def unpack_body(response: Response, limit: int) -> tuple[bytes, str | None]:
    """Undo the chunks and the compression of a body, up to a limit of bytes.

    Returns the body and what is wrong with it: that it is cut off, or not packed as the headers say. A body that cannot
    be unpacked is a SourceError.
    """
    body, damage = response.body, None
    if "chunked" in response.header("transfer-encoding").lower():
        if _is_markup(body):
            damage = "wrong Transfer-Encoding: the body has no chunks; read as it is"
        else:
            body, is_complete = _join_chunks(body)
            damage = None if is_complete else "cut off: the last chunk is missing"
    else:
        damage = _compare_length(response)
    encodings = [name.strip().lower() for name in response.header("content-encoding").split(",")]
    packed = [name for name in reversed(encodings) if name not in _NO_ENCODING]
    if len(packed) > _MAX_ENCODINGS:
        raise SourceError(f"the body is packed {len(packed)} times; the limit is {_MAX_ENCODINGS}")
    for name in packed:
        if _is_markup(body):
            return (
                body,
                f"wrong Content-Encoding: the body is not packed as {name[:40]}; read as it is",
            )
        body, is_complete = _unpack(body, name, limit)
        damage = damage or (
            None if is_complete else f"cut off: the {name} data of the body ends early"
        )
    return body, damage


def _compare_length(response: Response) -> str | None:
    announced = response.header("content-length")
    if not re.fullmatch(r"[0-9]{1,15}", announced) or int(announced) <= len(response.body):
        return None
    return f"cut off: the body has {len(response.body):,} bytes of the {int(announced):,} that the server announced"


def _is_markup(body: bytes) -> bool:
    """Is this HTML as it is, whatever the headers say? Many crawlers unpack bodies and keep the headers."""
    return body[:_MAX_CHUNK_LINE_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _join_chunks(data: bytes) -> tuple[bytes, bool]:
    """Return the body of a chunked message, and whether its last chunk is there."""
    body = bytearray()
    at = 0
    while True:
        line_end = data.find(b"\n", at, at + _MAX_CHUNK_LINE_BYTES)
        line = data[at : line_end if line_end >= 0 else at + _MAX_CHUNK_LINE_BYTES]
        if not line and line_end < 0:
            return bytes(body), False
        size = _CHUNK_LINE.fullmatch(line)
        if size is None:
            raise SourceError(
                f"cannot be unpacked: a chunk without its size, at byte {at:,} of the body"
            )
        if line_end < 0:
            return bytes(body), False
        start = line_end + 1
        at = start + int(size[1], 16)
        if at == start:
            return bytes(body), True
        body += data[start:at]
        if at >= len(data):
            return bytes(body), False
        if data.startswith(b"\r\n", at):
            at += 2
        elif data.startswith((b"\n", b"\r"), at):
            at += 1
        else:
            raise SourceError(
                f"cannot be unpacked: a chunk that does not end where it says, at byte {at:,} of the body"
            )


def _unpack(data: bytes, encoding: str, limit: int) -> tuple[bytes, bool]:
    """Return at most ``limit`` bytes of what was packed, and whether it is complete up to there."""
    if encoding in _GZIP:
        return _inflate(data, zlib.MAX_WBITS | 16, limit)
    if (
        encoding == "deflate"
    ):  # some servers send it with a header of zlib, as they should, and some without
        has_header = data[:1] and data[0] & 0x0F == _ZLIB_METHOD
        return _inflate(data, zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS, limit)
    if encoding in ("br", "zstd"):
        return _read_packed(data, encoding, limit)
    raise SourceError(f"cannot be unpacked: unknown Content-Encoding {encoding[:40]!r}")


def _inflate(data: bytes, window_bits: int, limit: int) -> tuple[bytes, bool]:
    unpacker = zlib.decompressobj(window_bits)
    try:
        body = unpacker.decompress(data, limit)
    except zlib.error:
        name = "gzip" if window_bits > zlib.MAX_WBITS else "deflate"
        raise SourceError(f"cannot be unpacked: its {name} data is damaged") from None
    return body, unpacker.eof or len(body) >= limit


def _read_packed(data: bytes, encoding: str, limit: int) -> tuple[bytes, bool]:
    try:
        from fastwarc.stream_io import BrotliReader, ZstdReader
    except ImportError:
        raise MissingExtra("fastwarc", "warc") from None
    reader: Any = (BrotliReader if encoding == "br" else ZstdReader)(io.BytesIO(data))
    body = bytearray()
    try:
        while len(body) < limit and (piece := reader.read(min(_READ_BYTES, limit - len(body)))):
            body += piece
    except (OSError, ValueError):  # it does not say whether it is damaged or cut off
        if not body:
            raise SourceError(f"cannot be unpacked: its {encoding} data is damaged") from None
        return bytes(body), False
    return bytes(body), True
