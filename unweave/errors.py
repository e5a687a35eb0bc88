"""The exceptions that unweave raises. Their messages are written for users.

UnweaveError
├── UsageError                a parameter is unknown or out of range
├── TreeSyntaxError           a tree or pattern in text form does not parse
├── WorkLimit                 a computation exceeded its budget
├── MissingExtra              an optional package is not installed
├── WrapperError              a wrapper cannot be read, learned or applied
├── SourceError               a page cannot be read from its source
│   └── FetchError            a URL cannot be fetched
│       └── PrivateAddress    a URL leads into a private network
├── SinkError                 a result cannot be written
└── PageError                 a page was read, but cannot be used
    ├── EmptyPage             it has no content
    ├── NotHTML               it is an image, a PDF, an archive, …
    ├── RenderError           the browser cannot render it, or there is no browser
    └── PageTooLarge          it exceeds one of the ``Limits``
"""

from __future__ import annotations


class UnweaveError(Exception):
    """The base class of all errors of unweave."""


class UsageError(UnweaveError, ValueError):
    """A parameter is unknown or out of range."""


class TreeSyntaxError(UnweaveError, ValueError):
    """A tree or pattern in text form does not parse."""


class WorkLimit(UnweaveError):
    """A computation exceeded its budget. Callers fall back on a simpler one."""


class MissingExtra(UnweaveError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'unweave[{extra}]'")
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        """Pickle both arguments: errors of workers are sent to the main process."""
        return type(self), (self.package, self.extra)


class WrapperError(UnweaveError):
    """A wrapper cannot be read, learned or applied."""


class SourceError(UnweaveError, OSError):
    """A page cannot be read from its source."""


class FetchError(SourceError):
    """A URL cannot be fetched."""


class PrivateAddress(FetchError):
    """A URL leads into a private network, which untrusted pages must not reach."""


class SinkError(UnweaveError, OSError):
    """A result cannot be written."""


class PageError(UnweaveError):
    """A page was read, but cannot be used."""


class EmptyPage(PageError):
    """The page has no content."""


class NotHTML(PageError):
    """The bytes are not HTML but an image, a PDF, an archive, …"""


class RenderError(PageError):
    """The browser cannot render the page, or there is no browser."""


class PageTooLarge(PageError):
    """The page exceeds one of the ``Limits``."""
