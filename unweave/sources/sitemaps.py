"""Sitemaps: lists of the addresses of a site, as XML or as plain text, packed or not, and lists of such lists."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from typing import Any

from unweave.errors import MissingExtra, SourceError

LARGEST = 50 * 1024 * 1024
"""The most bytes of a sitemap, unpacked: what the protocol allows."""

PAGES = "pages"
SITEMAPS = "sitemaps"
# The root of each kind of file, and the element in it that holds an address.
_KINDS = {"urlset": (PAGES, "url"), "sitemapindex": (SITEMAPS, "sitemap")}

_PACKED = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_ADDRESS = re.compile(rb"https?://\S+", re.IGNORECASE)
_IN_ROBOTS = re.compile(rb"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_RULE = re.compile(rb"^\s*(user-agent|disallow|allow)\s*:", re.IGNORECASE | re.MULTILINE)
# Many who write sitemaps by hand forget to escape it.
_BARE_AMPERSAND = re.compile(rb"&(?!#?\w{1,10};)")


def urls_of(data: bytes) -> tuple[str, list[str]]:
    """What a sitemap lists, ``"pages"`` or further ``"sitemaps"``, and the addresses.

    A robots.txt lists sitemaps too. What is none of these is a SourceError. From a sitemap that is broken, what stands
    before the break is taken.
    """
    text = _unpacked(data).removeprefix(_MARK).lstrip()
    if not text.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _listed(text)
    found = list(_in_xml(text))
    if not found:
        raise SourceError("no sitemap: its root is neither <urlset> nor <sitemapindex>")
    return found[0][0], [url for _, url in found if url]


def _unpacked(data: bytes) -> bytes:
    """The bytes without compression. One that unpacks to more than a sitemap may have is refused."""
    if not data.startswith(_PACKED):
        return data
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        text = unpacker.decompress(data, LARGEST)
    except zlib.error:
        raise SourceError("no sitemap: it is compressed, and damaged") from None
    if unpacker.unconsumed_tail:
        raise SourceError(f"the sitemap has more than {LARGEST:,} bytes, which is the limit")
    return text


def _listed(text: bytes) -> tuple[str, list[str]]:
    """The addresses of a plain list, one a line, or of a robots.txt."""
    named = _IN_ROBOTS.findall(text)
    if named or _RULE.search(text):
        return SITEMAPS, [_read(url) for url in named]
    lines = text.split()
    if not lines or not all(map(_ADDRESS.fullmatch, lines)):
        raise SourceError("no sitemap: neither XML nor a list of addresses")
    return PAGES, [_read(url) for url in lines]


def _read(url: bytes) -> str:
    return url.decode("utf-8", "replace")


def _in_xml(text: bytes) -> Iterator[tuple[str, str]]:
    """The kind and the addresses of a sitemap in XML, until it ends or breaks; first an empty one, which tells the kind."""
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("lxml", "crawl") from None
    is_escaped = b"<![CDATA[" in text or b"\x00" in text[:4]  # by other means, or it is UTF-16
    if not is_escaped:
        text = _BARE_AMPERSAND.sub(b"&amp;", text)
    # Nothing is loaded, no entity is put in, and the parser's own limits of depth and of length hold.
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
    try:
        yield from _addresses(events)
    except etree.XMLSyntaxError:
        return


def _addresses(events: Any) -> Iterator[tuple[str, str]]:
    _, root = next(events)
    if _name(root) not in _KINDS:
        return
    kind, holder = _KINDS[_name(root)]
    yield kind, ""
    for event, element in events:
        if event == "end" and element.getparent() is root:
            if _name(element) == holder:
                yield kind, _address_in(element)
            element.clear()
            while element.getprevious() is not None:  # what was read is not needed any more
                del root[0]


def _address_in(element: Any) -> str:
    """The text of its <loc>. One with an entity of the file's own in it is none: it is not known what it stands for."""
    found = next((own for own in element if _name(own) == "loc"), None)
    return "" if found is None or len(found) else (found.text or "").strip()


def _name(element: Any) -> str:
    """The name of an element without its namespace; of an entity, nothing."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
