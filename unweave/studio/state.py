"""The state of a studio: its open pages, its page sets, and what fetches URLs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from unweave.errors import SourceError, UnweaveError
from unweave.fetching.fetch import Fetcher
from unweave.page.parse import is_url, read_file
from unweave.sources.selection import find_files, is_archive
from unweave.studio.assets import MAX_ASSET_BYTES, MAX_TOTAL_BYTES, Asset
from unweave.studio.page_sets import PageSets, read_source
from unweave.studio.page_store import OpenPage, PageStore
from unweave.studio.request_bodies import PageBody, refuse_wrapper

MAX_FETCHED_ASSETS = 200
MAX_PARALLEL_FETCHES = 8
ASSET_TIMEOUT_SECONDS = 15.0
"""For all style sheets and images of a page."""


@dataclass
class StudioState:
    """What all requests share."""

    fetcher: Fetcher
    pages: PageStore = field(default_factory=PageStore)
    sets: PageSets = field(init=False)

    def __post_init__(self) -> None:
        """Create the page sets, which store their pages with the others."""
        self.sets = PageSets(self.pages)

    def open_page(self, body: PageBody, *, is_listed: bool = True) -> OpenPage:
        """Open the page that a request sent, or fetch it from the URL that it named."""
        if body.markup is not None:
            refuse_wrapper(body.name, body.markup)
            markup, url, charset = body.markup, body.url, body.charset
        else:
            response = self.fetcher.fetch(body.url or "")
            markup, url, charset = response.body, response.url, response.charset
        return self.pages.open(body.name, markup, url=url, charset=charset, is_listed=is_listed)

    def fetch_assets(self, urls: Iterable[str]) -> dict[str, Asset]:
        """Return the style sheets and images that can be fetched in time, in the given order."""
        urls = list(urls)[:MAX_FETCHED_ASSETS]
        assets: dict[str, Asset] = {}
        threads = ThreadPoolExecutor(MAX_PARALLEL_FETCHES, thread_name_prefix="unweave-assets")
        tasks = [threads.submit(self._fetch_asset, url, assets) for url in urls]
        wait(tasks, timeout=ASSET_TIMEOUT_SECONDS)
        threads.shutdown(wait=False, cancel_futures=True)
        return {url: assets[url] for url in urls if url in assets}

    def _fetch_asset(self, url: str, assets: dict[str, Asset]) -> None:
        """Add an asset to ``assets``, unless they have too many bytes already."""
        if sum(len(asset.body) for asset in list(assets.values())) > MAX_TOTAL_BYTES:
            return
        with suppress(UnweaveError):
            response = self.fetcher.fetch(url, max_bytes=MAX_ASSET_BYTES)
            assets[url] = Asset(response.body, response.charset)


@contextmanager
def open_studio(source: str | None, *, allow_private: bool = False) -> Iterator[StudioState]:
    """Give the state of a studio in which a source is open: a page, a URL, a folder or an archive.

    ``allow_private`` lets the studio fetch from addresses of this machine and its networks.
    """
    state = StudioState(Fetcher(allow_private=allow_private))
    try:
        if source is not None:
            _open_source(state, source)
        yield state
    finally:
        state.sets.close_all()


def _open_source(state: StudioState, source: str) -> None:
    path = Path(source)
    if is_url(source):
        state.open_page(PageBody(None, source, source, None))
    elif path.is_dir() or is_archive(path):
        if not any(find_files(path)):
            raise SourceError(f"{source}: it contains no pages")
        state.sets.open(path.name or source, read_source(path))
    else:
        markup = read_file(path)
        refuse_wrapper(source, markup)
        state.pages.open(source, markup, folder=path.resolve().parent)


def _get_state(request: Request) -> StudioState:
    state: StudioState = request.app.state.studio
    return state


State = Annotated[StudioState, Depends(_get_state)]
"""The parameter of a route that holds the state."""
