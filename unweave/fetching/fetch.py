"""Fetch one page, style sheet or image from an untrusted URL.

A page may name any URL, also one inside the network of whoever opened it. So every host name is
resolved and checked, again after every redirect, and private addresses are refused. Responses are
limited in bytes, compressed and decompressed, and in time.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import responses
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from unweave._version import __version__
from unweave.errors import FetchError, MissingExtra
from unweave.fetching.urls import ParsedUrl, parse_url
from unweave.files import DecompressionError, decompress
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.sniffing import parse_content_type_charset
from unweave.text_cleaning import replace_control_characters

if TYPE_CHECKING:
    import httpcore

    from unweave.fetching.network import Connect, Deadline, Resolve

TIMEOUT_SECONDS = 20.0
MAX_REDIRECTS = 5

_HEADERS = [
    ("User-Agent", f"unweave/{__version__}"),
    ("Accept", "text/html,application/xhtml+xml,text/css,image/*;q=0.9,*/*;q=0.5"),
    ("Accept-Encoding", "gzip, deflate"),
    ("Connection", "close"),
]
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_MAX_SHOWN_CHARACTERS = 200

_log = logging.getLogger("unweave.fetching")


@dataclass(frozen=True, slots=True)
class Response:
    """A successful HTTP response, decompressed."""

    url: str
    """The URL after all redirects."""
    body: bytes
    charset: str | None
    """The charset of the Content-Type header."""
    media_type: str
    """The media type in lower case, such as text/html; empty if there is no Content-Type."""


class Fetcher:
    """Fetch URLs one by one; several threads may share a fetcher.

    ``allow_private`` permits addresses of this machine and its networks; ``timeout_seconds`` is for
    one call with all its redirects. ``resolve`` and ``connect`` replace the network in tests.
    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_redirects: int = MAX_REDIRECTS,
        resolve: Resolve = socket.getaddrinfo,
        connect: Connect | None = None,
    ) -> None:
        try:
            import httpcore
        except ImportError:
            raise MissingExtra("httpcore", "fetch") from None
        self._allow_private = allow_private
        self._timeout_seconds = timeout_seconds
        self._max_redirects = max_redirects
        self._resolve = resolve
        self._connect = connect
        # The certificates of the system and of certifi. Loading them is slow, so it is done once.
        self._ssl_context = httpcore.default_ssl_context()

    def fetch(self, url: str, *, max_bytes: int = DEFAULT_LIMITS.bytes) -> Response:
        """Fetch a URL and follow its redirects. Raises FetchError, also above ``max_bytes``."""
        from unweave.fetching.network import Deadline

        deadline = Deadline(self._timeout_seconds)
        requested = target = url.strip(" ")
        for _ in range(self._max_redirects + 1):
            with _name_errors(requested, target, deadline):
                result = self._request(parse_url(target), deadline, max_bytes)
            if isinstance(result, Response):
                return result
            target = result
        raise FetchError(f"{_shorten_url(url)}: too many redirects ({self._max_redirects})")

    def _request(self, url: ParsedUrl, deadline: Deadline, max_bytes: int) -> Response | str:
        """Return the response of one URL, or the URL that it redirects to.

        Every request has a connection of its own, whose address is checked.
        """
        import httpcore

        from unweave.fetching.network import CheckedNetwork, connect_tcp

        _log.debug("GET %s", url.url)
        network = CheckedNetwork(
            deadline,
            allow_private=self._allow_private,
            resolve=self._resolve,
            connect=self._connect or connect_tcp,
        )
        target = httpcore.URL(
            scheme=url.scheme.encode(),
            host=url.host.encode(),
            port=url.port,
            target=url.target.encode(),
        )
        headers = [("Host", url.netloc), *_HEADERS]
        with (
            httpcore.ConnectionPool(ssl_context=self._ssl_context, network_backend=network) as pool,
            pool.stream("GET", target, headers=headers) as response,
        ):
            return _read_response(url, response, max_bytes)


def _read_response(url: ParsedUrl, response: httpcore.Response, max_bytes: int) -> Response | str:
    """Return a response, or the URL that it redirects to."""
    headers = _join_headers(response)
    status = response.status
    if status in _REDIRECT_STATUSES and "location" in headers:
        try:
            return urljoin(url.url, headers["location"])
        except ValueError:
            raise FetchError("invalid redirect: its Location header is not a URL") from None
    if status >= 400 or status in _REDIRECT_STATUSES:
        # The reason phrase of the server may contain anything.
        phrase = f"{status} {responses.get(status, '')}".strip()
        raise FetchError(f"the server returned {phrase}")
    if int(headers.get("content-length", 0)) > max_bytes:
        raise _make_size_error(max_bytes)
    encoding = headers.get("content-encoding", "")
    body = _read_body(response.iter_stream(), encoding, max_bytes)
    content_type = headers.get("content-type", "")
    charset = parse_content_type_charset(content_type)
    return Response(url.url, body, charset, content_type.partition(";")[0].strip().lower())


def _join_headers(response: httpcore.Response) -> dict[str, str]:
    """Return the headers by name in lower case; repeated headers are joined with commas."""
    headers: dict[str, str] = {}
    for name, value in response.headers:
        key, text = name.decode("latin-1").lower(), value.decode("utf-8", "surrogateescape")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """Return a decompressed body. The limit holds for the bytes as sent, too."""
    name = encoding.strip().casefold()
    chunks = _limit_bytes(chunks, max_bytes)
    if name in ("", "identity"):
        return b"".join(chunks)
    if name not in ("gzip", "x-gzip", "deflate"):
        raise FetchError(f"unsupported Content-Encoding {encoding!r:.40}")
    chunks = filter(None, chunks)
    first = next(chunks, None)
    if first is None:
        return b""
    try:
        # One byte above the limit shows that there are too many; a bomb gets no further.
        body, is_complete = decompress(chain([first], chunks), name, max_bytes + 1)
    except DecompressionError:
        raise FetchError(f"cannot decompress the response: invalid {name} data") from None
    if len(body) > max_bytes:
        raise _make_size_error(max_bytes)
    if not is_complete:
        raise FetchError(f"cannot decompress the response: its {name} data is incomplete")
    return body


def _limit_bytes(chunks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise _make_size_error(max_bytes)
        yield chunk


def _make_size_error(max_bytes: int) -> FetchError:
    return FetchError(f"the response has more than {max_bytes:,} bytes, which is the limit")


@contextmanager
def _name_errors(requested: str, target: str, deadline: Deadline) -> Iterator[None]:
    """Turn all errors into a FetchError that begins with the URL, and the URL of a redirect."""
    import httpcore

    name = _shorten_url(requested)
    if target != requested:
        name = f"{name}: redirected to {_shorten_url(target)}"
    try:
        yield
    except FetchError as error:
        raise type(error)(f"{name}: {error}") from None
    except httpcore.TimeoutException:
        raise FetchError(f"{name}: {deadline.make_error()}") from None
    except httpcore.NetworkError as error:
        raise FetchError(
            f"{name}: connection failed ({replace_control_characters(str(error))})"
        ) from None
    except httpcore.ProtocolError:
        raise FetchError(f"{name}: invalid or incomplete HTTP response") from None


def _shorten_url(url: str) -> str:
    """Return a URL for messages: printable, and cut if it is long."""
    text = replace_control_characters(url.encode("utf-8", "replace").decode())
    is_short = len(text) <= _MAX_SHOWN_CHARACTERS
    return text if is_short else f"{text[:_MAX_SHOWN_CHARACTERS]}…"
