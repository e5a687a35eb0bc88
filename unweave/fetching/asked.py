"""Addresses as they are asked for: taken apart once, so that what is looked at and what is fetched cannot differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import quote, urlsplit

from unweave.errors import FetchError, MissingExtra

_PORTS = {"http": 80, "https": 443}
_LONGEST = 8_000
_LONGEST_HOST = 253
# Python's own parser would drop some of these without a word.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_HOST = re.compile(r"[a-z0-9_.-]+")
_AS_IT_IS = "%/:=&~+!$,;'@()*[]"


@dataclass(frozen=True, slots=True)
class Asked:
    """An address in parts."""

    scheme: str
    host: str
    """A name in ASCII, or an address of IPv4 or IPv6, without brackets."""
    port: int
    target: str
    """Path and query, with everything quoted that must be."""

    @property
    def place(self) -> str:
        """Host and port, as the Host header has them."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == _PORTS[self.scheme] else f"{shown}:{self.port}"

    @property
    def url(self) -> str:
        """The address in full."""
        return f"{self.scheme}://{self.place}{self.target}"


def asked(url: str) -> Asked:
    """Read an address, which comes from a stranger."""
    if len(url) > _LONGEST:
        raise FetchError("it is too long for an address")
    if _CONTROL.search(url):
        raise FetchError("it holds characters that no address may hold")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise FetchError("it is no address") from None
    if parts.scheme not in _PORTS:
        raise FetchError("only addresses that begin with http:// or https:// can be opened")
    if parts.username is not None or parts.password is not None:
        raise FetchError("names and passwords in addresses are not sent")
    path, query = _quoted(parts.path or "/"), _quoted(parts.query, "?")
    target = f"{path}?{query}" if query else path
    return Asked(parts.scheme, _host(host), _PORTS[parts.scheme] if port is None else port, target)


def _quoted(text: str, safe: str = "") -> str:
    # Bytes of a Location header that are no UTF-8 are sent back as they came.
    return quote(text, safe=_AS_IT_IS + safe, errors="surrogateescape")


def _host(host: str) -> str:
    if ":" in host:
        return _ipv6(host)
    name = (host if host.isascii() else _in_ascii(host)).casefold()
    if len(name) > _LONGEST_HOST or not _HOST.fullmatch(name):
        raise FetchError("it names no host")
    return name


def _ipv6(host: str) -> str:
    try:
        address = IPv6Address(host)
    except ValueError:
        raise FetchError("it names no host") from None
    if address.scope_id:
        raise FetchError("it names a network card, which only means something on one machine")
    return str(address)


def _in_ascii(host: str) -> str:
    """The name as the domain name system has it, as browsers write it: letters that look alike become one."""
    try:
        import idna
    except ImportError:
        raise MissingExtra("idna", "fetch") from None
    if len(host) > _LONGEST_HOST:
        raise FetchError("it names no host")
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except UnicodeError:
        raise FetchError("it names no host") from None
