"""Fetches one page, style sheet or picture, for programs that strangers' pages try to misuse.

A page may name any address, also one inside the network of whoever opened it. So it is looked at where each name leads, and
again after every redirection, and nothing private is asked. What comes back is limited in bytes, unpacked too, and in time.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import responses
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from unweave._version import __version__
from unweave.errors import FetchError, MissingExtra
from unweave.fetching.asked import Asked, asked
from unweave.fetching.unpacking import ACCEPTED, too_large, unpacked
from unweave.page.limits import DEFAULT_LIMITS
from unweave.text import plain

if TYPE_CHECKING:
    import httpcore

    from unweave.fetching.network import Connect, Deadline, Resolve

SECONDS = 20.0
REDIRECTIONS = 5

_HEADERS = [
    ("User-Agent", f"unweave/{__version__}"),
    ("Accept", "text/html,application/xhtml+xml,text/css,image/*;q=0.9,*/*;q=0.5"),
    ("Accept-Encoding", ACCEPTED),
    ("Connection", "close"),
]
_MOVED = (301, 302, 303, 307, 308)
_FAILED = 400
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w:.+-]+)", re.IGNORECASE)
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What an address holds."""

    url: str
    """The address in full, after all redirections."""
    body: bytes
    charset: str | None
    """The encoding that the server names."""
    kind: str
    """The media type in lower case, such as text/html; empty if the server names none."""


@dataclass(frozen=True, slots=True)
class _Moved:
    to: str


class Fetcher:
    """Fetches addresses one by one; several threads may share it.

    ``allow_private`` opens addresses of the own machine and network too; ``seconds`` is the time for one call, with all
    redirections. ``resolve`` and ``connect`` stand for the network in tests.
    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        seconds: float = SECONDS,
        redirections: int = REDIRECTIONS,
        resolve: Resolve = socket.getaddrinfo,
        connect: Connect | None = None,
    ) -> None:
        try:
            import httpcore
        except ImportError:
            raise MissingExtra("httpcore", "fetch") from None
        self._allow_private = allow_private
        self._seconds = seconds
        self._redirections = redirections
        self._resolve = resolve
        self._connect = connect
        # Trusts what the system and certifi trust. It takes a while to read, so it is read once.
        self._trust = httpcore.default_ssl_context()

    def fetch(self, url: str, *, most: int = DEFAULT_LIMITS.bytes) -> Answer:
        """What an address holds, of at most so many bytes."""
        from unweave.fetching.network import Deadline

        deadline = Deadline(self._seconds)
        first = address = url.strip(" ")
        for _ in range(self._redirections + 1):
            with _naming(first, address, deadline):
                found = self._hop(asked(address), deadline, most)
            if isinstance(found, Answer):
                return found
            address = found.to
        raise FetchError(f"{_shown(url)}: too many redirects ({self._redirections})")

    def _hop(self, address: Asked, deadline: Deadline, most: int) -> Answer | _Moved:
        """Ask one address. It has a connection of its own, which is looked at like the first."""
        import httpcore

        target = httpcore.URL(
            scheme=address.scheme.encode(), host=address.host.encode(), port=address.port, target=address.target.encode()
        )
        headers = [("Host", address.place), *_HEADERS]
        with self._pool(deadline) as pool, pool.stream("GET", target, headers=headers) as response:
            return _read(address, response, most)

    def _pool(self, deadline: Deadline) -> httpcore.ConnectionPool:
        import httpcore

        from unweave.fetching.network import CheckedNetwork, connect_to

        network = CheckedNetwork(
            deadline, allow_private=self._allow_private, resolve=self._resolve, connect=self._connect or connect_to
        )
        return httpcore.ConnectionPool(ssl_context=self._trust, network_backend=network)


def _read(address: Asked, response: httpcore.Response, most: int) -> Answer | _Moved:
    headers = _by_name(response)
    if response.status in _MOVED and "location" in headers:
        return _Moved(_joined(address.url, headers["location"]))
    if response.status >= _FAILED or response.status in _MOVED:
        raise FetchError(f"the server says {_in_words(response.status)}")
    if int(headers.get("content-length", 0)) > most:
        raise too_large(most)
    body = unpacked(response.iter_stream(), headers.get("content-encoding", ""), most)
    kind = headers.get("content-type", "")
    charset = _CHARSET.search(kind)
    return Answer(address.url, body, charset[1] if charset else None, kind.partition(";")[0].strip().lower())


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        raise FetchError("it leads to something that is no address") from None


def _by_name(response: httpcore.Response) -> dict[str, str]:
    """The headers; those that come several times as one, with commas."""
    found: dict[str, str] = {}
    for name, value in response.headers:
        key, text = name.decode("latin-1").lower(), value.decode("utf-8", "surrogateescape")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _in_words(status: int) -> str:
    """A status in our words: those of the server may say anything."""
    return f"{status} {responses.get(status, '')}".strip()


@contextmanager
def _naming(first: str, address: str, deadline: Deadline) -> Iterator[None]:
    """Turn everything that goes wrong into a FetchError that begins with the address, and with where it was redirected."""
    import httpcore

    name = _shown(first) if address == first else f"{_shown(first)}: redirected to {_shown(address)}"
    try:
        yield
    except FetchError as error:
        raise type(error)(f"{name}: {error}") from None
    except httpcore.TimeoutException:
        raise FetchError(f"{name}: {deadline.passed()}") from None
    except httpcore.NetworkError as error:
        raise FetchError(f"{name}: the server cannot be reached ({plain(str(error))})") from None
    except httpcore.ProtocolError:
        raise FetchError(f"{name}: the server's answer is no HTTP, or breaks off") from None


def _shown(address: str) -> str:
    """The address for people, who need not see all of a long one."""
    text = plain(address.encode("utf-8", "replace").decode())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
