"""What a source gives: pages as they were fetched, what is no page and why, and addresses that lead elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlsplit

from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page

_LOCAL = "file:///"
_USUAL_PORTS = (None, 80, 443)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it was fetched, not yet read."""

    name: str
    """Its address; or, of a file, its path below the source."""
    body: bytes
    is_address: bool = False
    time: datetime | None = None
    """When it was fetched, in UTC."""
    charset: str | None = None
    """What the transport said."""
    damage: str | None = None
    """What is wrong with the body, which can be read all the same: mostly that it is cut off."""

    @property
    def url(self) -> str:
        """Its address. A file has one too, so that links between the files of a folder lead somewhere."""
        return self.name if self.is_address else _LOCAL + quote(self.name)

    @property
    def site(self) -> str:
        """The host that it is from, as ``host_of`` tells it; empty for files."""
        return host_of(self.name) if self.is_address else ""

    def page(self, limits: Limits = DEFAULT_LIMITS) -> Page:
        """Read it."""
        return Page.parse(self.body, url=self.url, charset=self.charset, limits=limits)


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that was fetched and is no page, or cannot be read."""

    name: str
    reason: str
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """An address that leads to another."""

    name: str
    to: str


Item = Fetched | Aside | Moved


def printable_name(name: str) -> str:
    """Return a name that can be written anywhere: names of files may have bytes that are no text, which Python escapes."""
    return name.encode(errors="backslashreplace").decode()


def host_of(url: str) -> str:
    """The host of an address without a leading "www.", with the port if it is no usual one; empty if there is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    return host.removeprefix("www.") + ("" if port in _USUAL_PORTS else f":{port}")
