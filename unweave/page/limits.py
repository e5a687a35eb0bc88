"""Limits on the size of a page, and rejection of markup that would exhaust time or memory.

The defaults are far above real pages. Of 2,093 real pages the deepest had 55 levels. The parser, as
Chromium does, flattens elements that are nested more than 512 levels deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from unweave.errors import PageTooLarge, UsageError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest page that is read; beyond, PageTooLarge is raised."""

    bytes: int = 32 * MIB
    """Size of the markup in bytes."""
    nodes: int = 500_000
    """Number of elements."""
    depth: int = 256
    """Levels of nested elements."""
    name: int = 100
    """Characters in the name of an element."""

    def __post_init__(self) -> None:
        """Check that every limit is positive."""
        if min(self.bytes, self.nodes, self.depth, self.name) < 1:
            raise UsageError("a limit must be at least 1")

    def check_bytes(self, size: int) -> None:
        """Raise PageTooLarge if the markup has too many bytes."""
        if size > self.bytes:
            raise PageTooLarge(f"the page has {size:,} bytes or more; the limit is {self.bytes:,}")

    def check_nodes(self, count: int) -> None:
        """Raise PageTooLarge if there are too many elements."""
        if count > self.nodes:
            raise PageTooLarge(
                f"the page has more than {self.nodes:,} elements, which is the limit"
            )

    def check_depth(self, depth: int) -> None:
        """Raise PageTooLarge if elements are nested too deeply."""
        if depth > self.depth:
            raise PageTooLarge(
                f"elements are nested more than {self.depth:,} levels deep, which is the limit"
            )

    def check_names(self, names: Iterable[str]) -> None:
        """Raise PageTooLarge if the name of an element is too long: XPaths repeat it."""
        if any(len(name) > self.name for name in names):
            raise PageTooLarge(
                f"an element's name has more than {self.name:,} characters, which is the limit"
            )


DEFAULT_LIMITS = Limits()


# ---- hostile markup ------------------------------------------------------------------------------
# The rules of HTML let a small page build a large tree. Formatting elements that are never closed
# are opened again in every block that follows, so n of them and n blocks make n² elements; and the
# attributes of every further html and body tag are merged into the first one. Real pages have a few
# of either.
#
# Scanning every tag would cost a tenth of the parser's time. Therefore one window in 64 is scanned,
# spread evenly, and the whole page only if a window looks suspicious. The offsets depend only on
# the length of the page, so that the result is deterministic.

_FORMATTING = rb"(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
_ROOT_TAG = re.compile(rb"<(?:html|body)(?=[\s/>])([^>]*)", re.IGNORECASE)
_OPENING_TAG = re.compile(rb"<" + _FORMATTING + rb"(?=[\s/>])", re.IGNORECASE)
_CLOSING_TAG = re.compile(rb"</" + _FORMATTING + rb"(?=[\s/>])", re.IGNORECASE)

_MIN_PAGE_BYTES = 6_000  # smaller pages cannot do harm
_WINDOW_BYTES = 1024
_STRIDE_BYTES = 64 * _WINDOW_BYTES

_MAX_WINDOW_ATTRIBUTES = 20
_MAX_ROOT_TAGS = 1_000
_MAX_ROOT_TAG_BYTES = 100_000
_MAX_REOPENED_ELEMENTS = 20_000_000


def refuse_hostile_markup(data: bytes) -> None:
    """Raise PageTooLarge if the tree of the page would be out of proportion to its size."""
    if len(data) < _MIN_PAGE_BYTES:
        return
    if b"\x00" in data[:4]:
        data = data.replace(b"\x00", b"")  # UTF-16
    length = len(data)
    first = length * 2_654_435_761 % _STRIDE_BYTES % max(1, length - _WINDOW_BYTES)
    windows = [data[start : start + _WINDOW_BYTES] for start in range(first, length, _STRIDE_BYTES)]
    if any(map(_may_have_many_roots, windows)):
        _check_root_tags(data)
    if any(map(_may_have_unclosed_formatting, windows)):
        unclosed = len(_OPENING_TAG.findall(data)) - len(_CLOSING_TAG.findall(data))
        if unclosed * data.count(b"<") > _MAX_REOPENED_ELEMENTS:
            raise PageTooLarge(
                f"the page has {unclosed:,} formatting elements that are never closed"
            )


def _may_have_many_roots(window: bytes) -> bool:
    """Tell whether a window has several root tags, or nothing but attributes."""
    if b"<" not in window:
        return b">" not in window and window.count(b"=") > _MAX_WINDOW_ATTRIBUTES
    return _has_second_root(window)


def _may_have_unclosed_formatting(window: bytes) -> bool:
    if window.count(b"<") <= 8 + 2 * window.count(b"</"):
        return False
    return len(_OPENING_TAG.findall(window)) > 4 + len(_CLOSING_TAG.findall(window))


def _check_root_tags(data: bytes) -> None:
    if not _has_second_root(data):
        return
    attributes = _ROOT_TAG.findall(data)
    size = sum(map(len, attributes))
    if len(attributes) > _MAX_ROOT_TAGS or (len(attributes) > 1 and size > _MAX_ROOT_TAG_BYTES):
        raise PageTooLarge(
            f"the page has more than {_MAX_ROOT_TAGS:,} html and body tags, or too much in them"
        )


def _has_second_root(data: bytes) -> bool:
    markup = data.lower()
    return markup.count(b"<html") > 1 or markup.count(b"<body") > 1
