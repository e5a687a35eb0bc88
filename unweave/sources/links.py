"""Where an answer leads: the links of a page, the target of a redirect, the entries of a sitemap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from urllib.parse import urljoin, urlsplit

from unweave.errors import PageError, SourceError
from unweave.page.page import Page
from unweave.sources.addresses import normal
from unweave.sources.archive import Answer
from unweave.sources.sitemaps import urls_of

# The largest menus have some hundred. A page that has more than this is made to keep crawlers busy.
_MOST_LINKS = 10_000
# The attribute that has the address. Old sites are made of frames.
_LINKS = {"a": "href", "area": "href", "frame": "src"}
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w:.+-]+)", re.IGNORECASE)
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*url\s*=\s*[\"']?([^\"'\s]+)", re.IGNORECASE)


def redirect(answer: Answer) -> str | None:
    """The address that a redirect leads to."""
    return normal(answer.location.decode("utf-8", "replace"), answer.url)


def listed(answer: Answer) -> tuple[str, list[str]] | None:
    """What a sitemap lists, and the addresses; None if the answer is no sitemap."""
    try:
        kind, urls = urls_of(answer.body)
    except SourceError:
        return None
    return kind, [url for own in urls if (url := normal(own, answer.url))]


def links(answer: Answer) -> Iterator[str]:
    """The addresses of pages that a page links to.

    Links that say "nofollow" are left out. It forbids nothing, which is what robots.txt is for. But inside of a site it
    marks what is of no use to a crawler and often has no end: filters, calendars, baskets.
    """
    charset = _CHARSET.search(answer.header(b"content-type"))
    try:
        page = Page.parse(
            answer.body, url=answer.url, charset=charset[1].decode() if charset else None
        )
    except PageError:
        return
    base = page.base_url
    top = urljoin(base, "/")
    for address in islice(dict.fromkeys(_addresses(page)), _MOST_LINKS):
        # Most links are the same on all pages, if they are not seen from each of them.
        url = normal(address, top if address.startswith("/") else base)
        if url is not None and not _is_file(url):
            yield url


def _addresses(page: Page) -> Iterator[str]:
    """Where a page leads, as it says it."""
    # Where it sends its readers after a while: many old sites begin with such a page.
    refresh = _REFRESH.match(page.metadata.find_first("refresh"))
    if refresh:
        yield refresh[1]
    for label, attributes in zip(page.tree.labels, page.attributes, strict=True):
        address = attributes.get(_LINKS.get(label, ""))
        if address and "nofollow" not in attributes.get("rel", "").lower().split():
            yield address


def _is_file(url: str) -> bool:
    """Does its ending say that it is a picture, a document, an archive?"""
    _, dot, ending = urlsplit(url).path.rpartition("/")[2].rpartition(".")
    return bool(dot) and ending.lower() in _endings()


@cache
def _endings() -> frozenset[str]:
    from scrapy.linkextractors import IGNORED_EXTENSIONS

    return frozenset(IGNORED_EXTENSIONS)
