"""Pages from what users name: markup, files, URLs and pages that are parsed already."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, TypeGuard

from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.page.parse import is_url, read_file

if TYPE_CHECKING:
    from unweave.fetching.fetch import Fetcher, Response

PageInput = Page | bytes | str | PathLike[str]
"""One page: a parsed page, the bytes of its markup, or a string or path.

A string with a ``<`` is markup, one that starts with http:// or https:// a URL, any other a path.
"""


def is_page_input(pages: PageInput | Iterable[PageInput]) -> TypeGuard[PageInput]:
    """Tell whether this is one page, as opposed to several."""
    return isinstance(pages, (Page, bytes, str, PathLike))


def list_page_inputs(pages: PageInput | Iterable[PageInput]) -> Iterable[PageInput]:
    """Return several pages as they are, and one page as a list of one."""
    if isinstance(pages, (Page, bytes, str, PathLike)):
        return [pages]
    return pages


def get_source_name(source: PageInput) -> str | None:
    """Return the path or the URL of a page as it was given; None for markup and parsed pages."""
    if isinstance(source, Page | bytes) or (isinstance(source, str) and "<" in source):
        return None
    return str(source)


def load_page(
    source: PageInput,
    *,
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    allow_private: bool = False,
) -> Page:
    """Load a page from markup, a file or a URL.

    URLs are fetched, which needs the extra ``fetch``; private addresses, those of this machine and
    its network, are refused unless ``allow_private`` is set. ``url`` and ``charset`` override what
    the server sends.
    """
    if isinstance(source, Page):
        return source
    if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
        return Page.parse(source, url=url, charset=charset, limits=limits)
    if isinstance(source, str) and is_url(source):
        response = fetch(source, limits=limits, allow_private=allow_private)
        return Page.parse(
            response.body,
            url=url or response.url,
            charset=charset or response.charset,
            limits=limits,
        )
    return Page.load(source, url=url, charset=charset, limits=limits)


def read_markup(
    source: bytes | str | PathLike[str],
    *,
    limits: Limits = DEFAULT_LIMITS,
    allow_private: bool = False,
) -> tuple[bytes, str | None]:
    """Return the bytes of a page that is not parsed yet, and the charset that its source states."""
    if isinstance(source, str) and "<" in source:
        return source.encode(errors="surrogatepass"), "utf-8"
    if isinstance(source, str) and is_url(source):
        response = fetch(source, limits=limits, allow_private=allow_private)
        return response.body, response.charset
    return source if isinstance(source, bytes) else read_file(source, limits=limits), None


def fetch(url: str, *, limits: Limits = DEFAULT_LIMITS, allow_private: bool = False) -> Response:
    """Fetch a URL: its bytes, the URL after redirects, and the charset of the server."""
    return make_fetcher(allow_private).fetch(url, max_bytes=limits.bytes)


@cache
def make_fetcher(allow_private: bool) -> Fetcher:
    """Return the fetcher, which is made once: it reads the certificates that the system trusts."""
    from unweave.fetching.fetch import Fetcher

    return Fetcher(allow_private=allow_private)
