"""What a source is, and what it yields: fetched pages, skipped documents and redirects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from urllib.parse import quote, urlsplit

from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page

_FILE_SCHEME = "file:///"
_DEFAULT_PORTS = (None, 80, 443)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it was fetched, before it is parsed."""

    name: str
    """Its URL, or the path of a file below the source."""
    body: bytes
    is_url: bool = False
    """Whether the name is a URL."""
    time: datetime | None = None
    """When it was fetched, in UTC."""
    charset: str | None = None
    """The charset of the Content-Type header."""
    damage: str | None = None
    """What is wrong with a body that can be read all the same, such as that it is cut off."""

    @property
    def url(self) -> str:
        """The URL of the page; a file has one too, so that links between files can be resolved."""
        return self.name if self.is_url else _FILE_SCHEME + quote(self.name)

    @property
    def site(self) -> str:
        """The site of the page as ``get_site`` returns it; empty for files."""
        return get_site(self.name) if self.is_url else ""

    def parse(self, limits: Limits = DEFAULT_LIMITS) -> Page:
        """Parse the page. Raises PageError."""
        return Page.parse(self.body, url=self.url, charset=self.charset, limits=limits)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document of a source that is not a page, or cannot be read, and the reason."""

    name: str
    reason: str
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """A URL that redirects to another."""

    name: str
    target: str


Item = FetchedPage | Skipped | Redirect


class Source(Protocol):
    """Where pages come from: an object that reads the pages at a location.

    A location is what a user gives: a path, a URL, or any other text that the source accepts.
    """

    def accepts(self, location: str) -> bool:
        """Tell whether this source can read the location, by its text and by what exists there."""

    def read(self, location: str) -> Iterator[Item]:
        """Yield the pages at a location one by one, and what was skipped. Raises SourceError."""


def escape_name(name: str) -> str:
    """Return a file name that can be encoded: bytes that are not UTF-8 are escaped."""
    return name.encode(errors="backslashreplace").decode()


def get_site(url: str) -> str:
    """Return the host of a URL without ``www.``, and its port unless it is 80 or 443.

    The result is empty if the URL has no host.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    return host.removeprefix("www.") + ("" if port in _DEFAULT_PORTS else f":{port}")
