"""Markup that would keep the parser busy for minutes or fill the memory, refused before it is parsed.

HTML's own rules allow a small page to build a large tree. Formatting elements that are never closed are opened again in
every block that follows, so n of them and n blocks make n² elements; and the attributes of every further html and body tag
are merged into the first one. Real pages have a few of either.

To look at every tag would cost a tenth of the parser's time. So one window in 64 is looked at, spread evenly, and all of it
only where that looks odd. The places depend on nothing but the page's length, so the same page always gets the
same answer.
"""

from __future__ import annotations

import re

from unweave.errors import PageTooLarge

_FORMATTING = rb"(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
_ROOT = re.compile(rb"<(?:html|body)(?=[\s/>])([^>]*)", re.IGNORECASE)
_OPENED = re.compile(rb"<" + _FORMATTING + rb"(?=[\s/>])", re.IGNORECASE)
_CLOSED = re.compile(rb"</" + _FORMATTING + rb"(?=[\s/>])", re.IGNORECASE)

_HARMLESS = 6_000
_WINDOW = 1024
_STRIDE = 64 * _WINDOW

_MANY_ATTRIBUTES = 20
_MOST_ROOTS = 1_000
_MOST_ROOT_LETTERS = 100_000
_MOST_REOPENED = 20_000_000


def refuse_hostile(data: bytes) -> None:
    """Raise if the page would explode."""
    if len(data) < _HARMLESS:
        return
    if b"\x00" in data[:4]:
        data = data.replace(b"\x00", b"")  # UTF-16
    windows = [data[start : start + _WINDOW] for start in _places(len(data))]
    if any(map(_looks_like_roots, windows)):
        _refuse_many_roots(data)
    if any(map(_looks_like_unclosed_formatting, windows)):
        _refuse_unclosed_formatting(data)


def _places(length: int) -> range:
    return range(length * 2_654_435_761 % _STRIDE % max(1, length - _WINDOW), length, _STRIDE)


def _looks_like_roots(window: bytes) -> bool:
    """Several roots, or nothing but attributes."""
    if b"<" not in window:
        return b">" not in window and window.count(b"=") > _MANY_ATTRIBUTES
    return _has_second_root(window)


def _refuse_many_roots(data: bytes) -> None:
    if not _has_second_root(data):
        return
    roots = _ROOT.findall(data)
    if len(roots) > _MOST_ROOTS or (len(roots) > 1 and sum(map(len, roots)) > _MOST_ROOT_LETTERS):
        raise PageTooLarge(f"the page has more than {_MOST_ROOTS:,} html and body tags, or too much in them")


def _has_second_root(data: bytes) -> bool:
    letters = data.lower()
    return letters.count(b"<html") > 1 or letters.count(b"<body") > 1


def _looks_like_unclosed_formatting(window: bytes) -> bool:
    if window.count(b"<") <= 8 + 2 * window.count(b"</"):
        return False
    return len(_OPENED.findall(window)) > 4 + len(_CLOSED.findall(window))


def _refuse_unclosed_formatting(data: bytes) -> None:
    unclosed = len(_OPENED.findall(data)) - len(_CLOSED.findall(data))
    if unclosed * data.count(b"<") > _MOST_REOPENED:
        raise PageTooLarge(f"the page has {unclosed:,} formatting elements that are never closed")
