"""Sitemaps: lists of the URLs of a site in XML or plain text, and lists of sitemaps."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from unweave.errors import MissingExtra, SourceError
from unweave.files import GZIP_MAGIC, DecompressionError, decompress

MAX_SITEMAP_BYTES = 50 * 1024 * 1024
"""The limit of the protocol, without compression."""

PAGES, SITEMAPS = "pages", "sitemaps"
# The root of each type of sitemap, and the element in it that has a URL.
_ROOTS = {"urlset": (PAGES, "url"), "sitemapindex": (SITEMAPS, "sitemap")}

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_URL = re.compile(rb"https?://\S+", re.IGNORECASE)
_ROBOTS_SITEMAP = re.compile(rb"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_ROBOTS_RULE = re.compile(rb"^\s*(user-agent|disallow|allow)\s*:", re.IGNORECASE | re.MULTILINE)
# Sitemaps that are written by hand often have ampersands without escape.
_BARE_AMPERSAND = re.compile(rb"&(?!#?\w{1,10};)")


def parse_sitemap(data: bytes) -> tuple[str, list[str]]:
    """Return what a sitemap lists, ``"pages"`` or ``"sitemaps"``, and the URLs.

    A robots.txt lists sitemaps, too. Of a damaged sitemap, the URLs before the damage are returned.
    Raises SourceError if the data is none of these.
    """
    if data.startswith(GZIP_MAGIC):
        try:
            data, _ = decompress([data], "gzip", MAX_SITEMAP_BYTES + 1)
        except DecompressionError as error:
            raise SourceError(f"not a sitemap: {error}") from None
        if len(data) > MAX_SITEMAP_BYTES:
            raise SourceError(
                f"the sitemap has more than {MAX_SITEMAP_BYTES:,} bytes, which is the limit"
            )
    text = data.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if text.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _parse_xml(text)
    robots_urls = _ROBOTS_SITEMAP.findall(text)
    if robots_urls or _ROBOTS_RULE.search(text):
        return SITEMAPS, [url.decode("utf-8", "replace") for url in robots_urls]
    lines = text.split()
    if not lines or not all(map(_URL.fullmatch, lines)):
        raise SourceError("not a sitemap: neither XML nor a list of URLs")
    return PAGES, [url.decode("utf-8", "replace") for url in lines]


def _parse_xml(text: bytes) -> tuple[str, list[str]]:
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("lxml", "crawl") from None
    is_utf16 = b"\x00" in text[:4]
    if b"<![CDATA[" not in text and not is_utf16:
        text = _BARE_AMPERSAND.sub(b"&amp;", text)
    # Nothing is loaded, no entity is resolved, and the parser's limits of depth and length hold.
    events = etree.iterparse(
        io.BytesIO(text),
        events=("start", "end"),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    sitemap_type = None
    urls: list[str] = []
    try:
        _, root = next(events)
        if _get_name(root) in _ROOTS:
            sitemap_type, entry_name = _ROOTS[_get_name(root)]
            for url in _read_entries(events, root, entry_name):
                urls.append(url)  # noqa: PERF402 - those before an error count
    except etree.XMLSyntaxError:
        pass
    if sitemap_type is None:
        raise SourceError("not a sitemap: its root is neither <urlset> nor <sitemapindex>")
    return sitemap_type, urls


def _read_entries(events: Any, root: Any, entry_name: str) -> Iterator[str]:
    """Yield the text of the <loc> of each entry of a sitemap.

    One that contains an entity is left out: entities are not resolved.
    """
    for event, element in events:
        if event != "end" or element.getparent() is not root:
            continue
        if _get_name(element) == entry_name:
            loc = next((child for child in element if _get_name(child) == "loc"), None)
            if loc is not None and not len(loc) and (loc.text or "").strip():
                yield loc.text.strip()
        element.clear()
        while element.getprevious() is not None:  # free the entries that were read
            del root[0]


def _get_name(element: Any) -> str:
    """Return the name of an element without its namespace; empty for an entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
