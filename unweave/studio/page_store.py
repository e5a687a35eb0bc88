"""The pages that are open in the studio, as long as it runs."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from unweave import api
from unweave.errors import EmptyPage, PageTooLarge
from unweave.page.page import Page
from unweave.page.parse import build_document
from unweave.studio.assets import Look, beside, few
from unweave.studio.drawing import Drawing, addresses, draw
from unweave.table import Table

# A page takes up to a hundred times its bytes once it is read, so only the last ones stay so.
_MOST_READ = 8
# What is found in a page is kept for so many wishes.
_MOST_KNOWN = 30
_MOST_BYTES = 512 * 1024 * 1024
_MOST_PAGES = 5_000

_ONLY_SCRIPTS = (
    "the page has nothing but scripts, and the studio runs none: save it from your browser once it is shown there, or use"
    " `unweave records --render --network`"
)

T = TypeVar("T")

Load = Callable[[Iterable[str]], Mapping[str, Look]]
"""What gets style sheets and pictures from their absolute addresses, as far as they can be had."""


class Closed(LookupError):
    """There is no such page, or it has been closed."""


@dataclass
class Opened:
    """A page that is open: its bytes, and what has been found in it so far."""

    id: str
    name: str
    markup: bytes
    url: str | None = None
    charset: str | None = None
    folder: Path | None = None
    """Where style sheets and pictures may lie beside it."""
    root: Path | None = None
    """The folder of the whole site, if it is a page of one: they may lie anywhere below."""
    is_listed: bool = True
    """Is it a page of its own, and not one of many?"""
    _lock: RLock = field(default_factory=RLock, repr=False)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is told of the page in a list of pages."""
        page = self.page()
        return {
            "id": self.id,
            "name": self.name,
            "url": self.url,
            "title": page.title,
            "bytes": len(self.markup),
            "nodes": len(page.tree),
            "encoding": page.encoding,
            "notes": list(page.notes),
        }

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """What was made under a key, or is made now. One at a time, so that nothing is made twice."""
        with self._lock:
            known = self._known
            if key not in known:
                if len(known) > _MOST_KNOWN:
                    known.clear()
                known[key] = make()
            found: T = known[key]
            return found

    def forget(self) -> None:
        """Keep the bytes alone. Who is at work on it goes on with what was there."""
        self._known = {}

    def page(self) -> Page:
        """The page as it was read."""
        return self.once(
            "page", lambda: Page.parse(self.markup, url=self.url, charset=self.charset)
        )

    def tables(self, method: str, want: str | None) -> Sequence[Table]:
        """Its tables, best first."""
        parameters: dict[str, Any] = {"want": want} if want else {}
        return self.once(
            ("tables", method, want), lambda: api.records(self.page(), method=method, **parameters)
        )

    def meant(self, one: int, other: int) -> Table:
        """The table of two records."""
        key = ("meant", *sorted((one, other)))
        return self.once(key, lambda: api.records(self.page(), like=(one, other))[0])

    def drawing(self, load: Load | None = None) -> Drawing:
        """The page to be drawn, with what lies beside it, and with what is loaded if that is asked for."""
        document = build_document(self.markup, self.charset, [])
        named = list(addresses(document))
        looks = {name: look for name in named if (look := self._beside(name)) is not None}
        if load:
            wanted = {name: self.page().resolve_url(name) for name in named if name not in looks}
            loaded = load(dict.fromkeys(wanted.values()))
            looks |= {
                name: loaded[address] for name, address in wanted.items() if address in loaded
            }
        return draw(document, self.page(), few(looks))

    def _beside(self, address: str) -> Look | None:
        return beside(self.folder, address, self.root) if self.folder else None


class Shelf:
    """All pages that are open, by their ids. An id cannot be guessed."""

    def __init__(self) -> None:
        self._pages: dict[str, Opened] = {}
        self._read: OrderedDict[str, None] = OrderedDict()
        self._lock = RLock()
        self._bytes = 0

    def open(
        self,
        name: str,
        markup: bytes,
        *,
        url: str | None = None,
        charset: str | None = None,
        folder: Path | None = None,
        root: Path | None = None,
        is_listed: bool = True,
    ) -> Opened:
        """Open a page. One that cannot be read is not kept."""
        opened = Opened(
            secrets.token_urlsafe(12), name, markup, url, charset, folder, root, is_listed
        )
        if is_listed:
            try:
                _ = opened.facts
            except EmptyPage:
                if b"<script" not in markup.lower():
                    raise
                raise EmptyPage(_ONLY_SCRIPTS) from None
        with self._lock:
            if self._bytes + len(markup) > _MOST_BYTES or len(self._pages) >= _MOST_PAGES:
                raise PageTooLarge("too many pages are open; close some of them")
            self._bytes += len(markup)
            self._pages[opened.id] = opened
        self._used(opened.id)
        return opened

    def page(self, id: str) -> Opened:
        """The page of an id."""
        opened = self._pages.get(id)
        if opened is None:
            raise Closed("this page is not open, or has been closed")
        self._used(id)
        return opened

    def listed(self) -> list[Opened]:
        """The pages that are open, the first one first."""
        return [opened for opened in list(self._pages.values()) if opened.is_listed]

    def close(self, id: str) -> None:
        """Close a page."""
        with self._lock:
            opened = self._pages.pop(id, None)
            if opened is None:
                raise Closed("this page is not open, or has been closed")
            self._read.pop(id, None)
            self._bytes -= len(opened.markup)

    def _used(self, id: str) -> None:
        """Forget what was found in the pages that nobody has asked for lately.

        Not while the shelf is locked: a page that is being worked on would keep all others waiting.
        """
        with self._lock:
            if id in self._pages:
                self._read[id] = None
                self._read.move_to_end(id)
            old = [self._read.popitem(last=False)[0] for _ in range(len(self._read) - _MOST_READ)]
            forgotten = [self._pages[own] for own in old if own in self._pages]
        for own in forgotten:
            own.forget()
