"""Everything that unweave raises on purpose.

UnweaveError
├── UsageError                wrong use: an unknown method, a parameter out of range
├── TreeSyntaxError           a tree notation that cannot be read
├── WorkLimit                 a search was given up: it would have taken too long
├── MissingExtra              an optional package is needed; the message says what to install
├── WrapperError              a wrapper that cannot be read, learned or used
├── SourceError               a page cannot be fetched from where it was said to be
│   └── FetchError            an address does not answer, or not with what was asked for
│       └── PrivateAddress    it leads into a network that strangers' pages must not reach
├── SinkError                 a result cannot be written to where it should go
└── PageError                 the page was fetched, and cannot be used
    ├── EmptyPage             nothing in it
    ├── NotHTML               a picture, a PDF, an archive, …
    ├── RenderError           the browser cannot draw it, or there is no browser
    └── PageTooLarge          over a limit of bytes, nodes or depth
"""

from __future__ import annotations


class UnweaveError(Exception):
    """The root of the tree; its text is meant to be shown to a user."""


class UsageError(UnweaveError, ValueError):
    """Wrong use: an unknown method, a parameter out of range."""


class TreeSyntaxError(UnweaveError, ValueError):
    """A tree notation that cannot be read."""


class WorkLimit(UnweaveError):
    """A search was given up: it would have taken too long. Callers have something simpler to fall back on."""


class MissingExtra(UnweaveError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'unweave[{extra}]'")
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        """Errors of workers travel between processes; else this one would be made anew from its text alone."""
        return type(self), (self.package, self.extra)


class WrapperError(UnweaveError):
    """A wrapper that cannot be read, learned or used."""


class SourceError(UnweaveError, OSError):
    """A page cannot be fetched from where it was said to be."""


class FetchError(SourceError):
    """An address does not answer, or not with what was asked for."""


class PrivateAddress(FetchError):
    """An address leads into a network that strangers' pages must not reach."""


class SinkError(UnweaveError, OSError):
    """A result cannot be written to where it should go."""


class PageError(UnweaveError):
    """The page was fetched, and cannot be used."""


class EmptyPage(PageError):
    """There is nothing in the page."""


class NotHTML(PageError):
    """The bytes are something else: a picture, a PDF, an archive."""


class RenderError(PageError):
    """The browser cannot draw the page, or there is no browser."""


class PageTooLarge(PageError):
    """The page is over a limit of bytes, nodes or depth."""
