"""Parse untrusted URLs once, so that the URL that is checked is the URL that is fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import quote, urlsplit

from unweave.errors import FetchError, MissingExtra

_DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARACTERS = 8_000
MAX_HOST_CHARACTERS = 253
# urlsplit would drop some of these silently.
_CONTROL_CHARACTER = re.compile("[\x00-\x1f\x7f-\x9f]")
_HOST = re.compile(r"[a-z0-9_.-]+")
_UNQUOTED = "%/:=&~+!$,;'@()*[]"


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """An HTTP or HTTPS URL in parts."""

    scheme: str
    host: str
    """A host name in ASCII, or an IPv4 or IPv6 address without brackets."""
    port: int
    target: str
    """The quoted path and query."""

    @property
    def netloc(self) -> str:
        """Host and port as in the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole URL, without a fragment."""
        return f"{self.scheme}://{self.netloc}{self.target}"


def parse_url(url: str) -> ParsedUrl:
    """Parse an untrusted URL, or raise FetchError."""
    if len(url) > MAX_URL_CHARACTERS:
        raise FetchError(f"URL too long (limit {MAX_URL_CHARACTERS:,} characters)")
    if _CONTROL_CHARACTER.search(url):
        raise FetchError("invalid URL: it contains control characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise FetchError("invalid URL") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise FetchError("unsupported protocol: the URL must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise FetchError("user names and passwords in URLs are not supported")
    if port is None:
        port = _DEFAULT_PORTS[parts.scheme]
    path, query = _quote(parts.path or "/"), _quote(parts.query, "?")
    target = f"{path}?{query}" if query else path
    return ParsedUrl(parts.scheme, _parse_host(host), port, target)


def _quote(text: str, safe: str = "") -> str:
    # Bytes of a Location header that are not UTF-8 are sent back unchanged.
    return quote(text, safe=_UNQUOTED + safe, errors="surrogateescape")


def _parse_host(host: str) -> str:
    """Return a host name in lower-case ASCII, or an IPv6 address in its short form."""
    if ":" in host:
        try:
            address = IPv6Address(host)
        except ValueError:
            raise FetchError("invalid host in the URL") from None
        if address.scope_id:
            raise FetchError("invalid host in the URL: IPv6 zone identifiers are not supported")
        return str(address)
    name = (host if host.isascii() else _encode_idna(host)).casefold()
    if len(name) > MAX_HOST_CHARACTERS or not _HOST.fullmatch(name):
        raise FetchError("invalid host in the URL")
    return name


def _encode_idna(host: str) -> str:
    """Return an international host name in ASCII, mapped as in browsers (UTS 46)."""
    try:
        import idna
    except ImportError:
        raise MissingExtra("idna", "fetch") from None
    if len(host) > MAX_HOST_CHARACTERS:
        raise FetchError("invalid host in the URL")
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except UnicodeError:
        raise FetchError("invalid host in the URL") from None
