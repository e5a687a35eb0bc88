"""The pages that are open in the studio, and what was computed for them."""

from __future__ import annotations

import logging
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
from unweave.page.limits import MIB
from unweave.page.page import Page
from unweave.page.parse import build_document
from unweave.studio.assets import Asset, limit_total_bytes, read_local_asset
from unweave.studio.drawing import Drawing, build_drawing, list_asset_urls
from unweave.table import Table

MAX_PARSED_PAGES = 8
"""The least recently used pages beyond are parsed again: that takes 100 times their bytes."""
MAX_CACHED_RESULTS = 30
"""Results of one page that are cached."""
MAX_BYTES = 512 * MIB
"""For all open pages."""
MAX_PAGES = 5_000

_ONLY_SCRIPTS = (
    "the page contains only scripts, which the studio does not run: save it from your browser once"
    " it is shown there, or use `unweave records --render --network`"
)

_log = logging.getLogger("unweave.studio")

T = TypeVar("T")

FetchAssets = Callable[[Iterable[str]], Mapping[str, Asset]]
"""A function that returns the style sheets and images, by URL, that can be fetched."""


class NotOpen(LookupError):
    """There is no such page or page set, or it has been closed."""


@dataclass
class OpenPage:
    """An open page: its bytes, and a cache of what was computed from them."""

    id: str
    name: str
    markup: bytes
    url: str | None = None
    charset: str | None = None
    folder: Path | None = None
    """The folder that contains its style sheets and images, for pages that are files."""
    root: Path | None = None
    """The folder of the whole site, for pages of one: its assets may be anywhere below."""
    is_listed: bool = True
    """Whether it was opened by itself, not as one of a set."""
    _lock: RLock = field(default_factory=RLock, repr=False)
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def info(self) -> dict[str, Any]:
        """The page as ``PageInfo`` describes it."""
        page = self.parse()
        return {
            "id": self.id,
            "name": self.name,
            "url": self.url,
            "title": page.title,
            "bytes": len(self.markup),
            "nodes": len(page.tree),
            "encoding": page.encoding,
            "notes": list(page.warnings),
        }

    def get_or_compute(self, key: Any, compute: Callable[[], T]) -> T:
        """Return the cached result of a key, or compute it, one at a time so that none is twice."""
        with self._lock:
            cache = self._cache
            if key not in cache:
                if len(cache) > MAX_CACHED_RESULTS:
                    cache.clear()
                cache[key] = compute()
            result: T = cache[key]
            return result

    def clear_cache(self) -> None:
        """Keep only the bytes. Computations that are running keep the old cache."""
        self._cache = {}

    def parse(self) -> Page:
        """Return the parsed page."""
        return self.get_or_compute(
            "page", lambda: Page.parse(self.markup, url=self.url, charset=self.charset)
        )

    def find_tables(self, method: str, want: str | None) -> Sequence[Table]:
        """Return its tables, best first."""
        options: dict[str, Any] = {"want": want} if want else {}
        return self.get_or_compute(
            ("tables", method, want), lambda: api.records(self.parse(), method=method, **options)
        )

    def find_table_by_example(self, left: int, right: int) -> Table:
        """Return the table of the list with two nodes in two of its records."""
        key = ("like", *sorted((left, right)))
        return self.get_or_compute(key, lambda: api.records(self.parse(), like=(left, right))[0])

    def draw(self, fetch_assets: FetchAssets | None = None) -> Drawing:
        """Return the drawing of the page, with local assets, and with fetched ones if asked for."""
        document = build_document(self.markup, self.charset, [])
        urls = list_asset_urls(document)
        assets: dict[str, Asset] = {}
        if self.folder is not None:
            for url in urls:
                asset = read_local_asset(self.folder, url, self.root)
                if asset is not None:
                    assets[url] = asset
        if fetch_assets:
            absolute = {url: self.parse().resolve_url(url) for url in urls if url not in assets}
            fetched = fetch_assets(dict.fromkeys(absolute.values()))
            for url, absolute_url in absolute.items():
                if absolute_url in fetched:
                    assets[url] = fetched[absolute_url]
        return build_drawing(document, self.parse(), limit_total_bytes(assets))


class PageStore:
    """All open pages by their ids, which cannot be guessed."""

    def __init__(self) -> None:
        self._pages: dict[str, OpenPage] = {}
        self._recently_used: OrderedDict[str, None] = OrderedDict()
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
    ) -> OpenPage:
        """Open a page. A listed page that cannot be parsed is not stored."""
        page = OpenPage(
            secrets.token_urlsafe(12), name, markup, url, charset, folder, root, is_listed
        )
        if is_listed:
            try:
                _ = page.info
            except EmptyPage:
                if b"<script" not in markup.lower():
                    raise
                raise EmptyPage(_ONLY_SCRIPTS) from None
            _log.info("opened %s (%d bytes)", name, len(markup))
        with self._lock:
            if self._bytes + len(markup) > MAX_BYTES or len(self._pages) >= MAX_PAGES:
                raise PageTooLarge("too many pages are open; close some of them")
            self._bytes += len(markup)
            self._pages[page.id] = page
        self._mark_used(page.id)
        return page

    def get(self, id: str) -> OpenPage:
        """Return the page of an id."""
        page = self._pages.get(id)
        if page is None:
            raise NotOpen("this page is not open, or has been closed")
        self._mark_used(id)
        return page

    def list_pages(self) -> list[OpenPage]:
        """Return the pages that were opened by themselves, in the order of opening."""
        return [page for page in list(self._pages.values()) if page.is_listed]

    def close(self, id: str) -> None:
        """Close a page."""
        with self._lock:
            page = self._pages.pop(id, None)
            if page is None:
                raise NotOpen("this page is not open, or has been closed")
            self._recently_used.pop(id, None)
            self._bytes -= len(page.markup)

    def _mark_used(self, id: str) -> None:
        """Clear the caches of the pages that were not used for the longest time.

        Not while the store is locked: a page that is busy would block all others.
        """
        outdated: list[OpenPage] = []
        with self._lock:
            if id in self._pages:
                self._recently_used[id] = None
                self._recently_used.move_to_end(id)
            while len(self._recently_used) > MAX_PARSED_PAGES:
                old_id, _ = self._recently_used.popitem(last=False)
                if old_id in self._pages:
                    outdated.append(self._pages[old_id])
        for page in outdated:
            page.clear_cache()
