"""HTTP responses as archives store them: status, headers, and the body decoded within limits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from unweave.errors import SourceError
from unweave.files import DecompressionError, decompress

MAX_HEADER_BYTES = 64 * 1024
"""Size of one block of headers. Servers and browsers refuse far shorter ones."""

REDIRECT_STATUSES = frozenset([301, 302, 303, 307, 308])

# Only attackers use more.
_MAX_CONTENT_ENCODINGS = 3
_MAX_CHUNK_LINE_BYTES = 1024
_MAX_SHOWN_CHARACTERS = 40

_HTML_TYPES = frozenset(["text/html", "application/xhtml+xml", ""])
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_LINE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r?", re.DOTALL)
_IDENTITY_ENCODINGS = frozenset(["", "identity", "none", "binary", "8bit"])


@dataclass(frozen=True, slots=True)
class Response:
    """The response of a server."""

    status: int
    headers: dict[str, str]
    """The headers by their names in lower case; the first of each name."""
    body: bytes
    """The body as it was sent."""


def parse_response(message: bytes) -> Response:
    """Split an HTTP message into status, headers and body. Raises SourceError."""
    status = _STATUS_LINE.match(message)
    if status is None:
        raise SourceError("invalid HTTP response: no status line")
    end = find_headers_end(message)
    if end is None:
        if len(message) < MAX_HEADER_BYTES:
            raise SourceError("incomplete HTTP response: it is cut off within the headers")
        raise SourceError(
            f"the HTTP headers have more than {MAX_HEADER_BYTES:,} bytes, which is the limit"
        )
    return Response(int(status[1]), parse_headers(message[:end]), message[end:])


def find_headers_end(data: bytes | bytearray) -> int | None:
    """Return the end of the empty line behind headers, or None if the limit is reached before."""
    end = _HEADERS_END.search(data, 0, MAX_HEADER_BYTES)
    return None if end is None else end.end()


def parse_headers(block: bytes | bytearray) -> dict[str, str]:
    """Return the headers behind the first line by their names in lower case; the first of each."""
    headers: dict[str, str] = {}
    lines = re.sub(rb"\r?\n[ \t]+", b" ", block).decode("utf-8", "replace").split("\n")
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    return headers


def is_html_type(content_type: str) -> bool:
    """Tell whether a Content-Type header is that of HTML, or missing."""
    return content_type.partition(";")[0].strip().lower() in _HTML_TYPES


def decode_body(response: Response, max_bytes: int) -> tuple[bytes, str | None]:
    """Return at most ``max_bytes`` of a body without chunks and compression, and its damage.

    The damage is that the body is cut off, or not encoded as the headers say. Raises SourceError
    for a body that cannot be decoded.
    """
    body, damage = response.body, None
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        if _is_markup(body):
            damage = "wrong Transfer-Encoding: the body is not chunked; it was read as it is"
        else:
            body, is_complete = _join_chunks(body)
            damage = None if is_complete else "cut off: the last chunk is missing"
    else:
        length = response.headers.get("content-length", "")
        if re.fullmatch(r"[0-9]{1,15}", length) and int(length) > len(body):
            damage = f"cut off: the body has {len(body):,} of {int(length):,} bytes"
    names = response.headers.get("content-encoding", "").lower().split(",")
    encodings = [name.strip() for name in names if name.strip() not in _IDENTITY_ENCODINGS]
    if len(encodings) > _MAX_CONTENT_ENCODINGS:
        raise SourceError(
            f"{len(encodings)} Content-Encodings; the limit is {_MAX_CONTENT_ENCODINGS}"
        )
    for encoding in reversed(encodings):
        name = encoding[:_MAX_SHOWN_CHARACTERS]
        if _is_markup(body):
            return body, f"wrong Content-Encoding: the body is not {name}; it was read as it is"
        try:
            body, is_complete = decompress([body], encoding, max_bytes)
        except DecompressionError as error:
            raise SourceError(f"cannot be decompressed: {error}") from None
        if not is_complete and not damage:
            damage = f"cut off: the {name} data of the body ends early"
    return body, damage


def _is_markup(body: bytes) -> bool:
    """Tell whether a body is HTML although the headers say that it is compressed or chunked.

    Many crawlers store the decoded body with the headers of the server.
    """
    return body[:_MAX_CHUNK_LINE_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def _join_chunks(data: bytes) -> tuple[bytes, bool]:
    """Return the body of a chunked message, and whether its last chunk is there."""
    body = bytearray()
    position = 0
    while True:
        line_end = data.find(b"\n", position, position + _MAX_CHUNK_LINE_BYTES)
        line = data[position : line_end if line_end >= 0 else position + _MAX_CHUNK_LINE_BYTES]
        if not line and line_end < 0:
            return bytes(body), False
        size = _CHUNK_LINE.fullmatch(line)
        if size is None:
            raise SourceError(f"invalid chunk: no size at byte {position:,} of the body")
        if line_end < 0:
            return bytes(body), False
        start = line_end + 1
        position = start + int(size[1], 16)
        if position == start:
            return bytes(body), True
        body += data[start:position]
        if position >= len(data):
            return bytes(body), False
        if data.startswith(b"\r\n", position):
            position += 2
        elif data.startswith((b"\n", b"\r"), position):
            position += 1
        else:
            raise SourceError(
                f"invalid chunk: it is longer than its size, at byte {position:,} of the body"
            )
