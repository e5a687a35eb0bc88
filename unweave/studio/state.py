"""What all parts of the studio's API work with."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from unweave.errors import UnweaveError
from unweave.fetching.fetch import Fetcher
from unweave.studio.assets import MOST_BYTES, MOST_OF_ALL, Look
from unweave.studio.bodies import Given
from unweave.studio.page_sets.sets import Sets
from unweave.studio.page_store import Opened, Shelf
from unweave.studio.wrapper_files import refuse_wrapper

_MOST_LOOKS = 200
_AT_ONCE = 8
_MOST_SECONDS = 15.0


@dataclass
class Desk:
    """The pages that are open, the sets of them, and what fetches others."""

    fetcher: Fetcher
    shelf: Shelf = field(default_factory=Shelf)
    sets: Sets = field(init=False)

    def __post_init__(self) -> None:
        """Sets keep their pages with the others."""
        self.sets = Sets(self.shelf)

    def open(self, given: Given, *, is_listed: bool = True) -> Opened:
        """Open a page that was sent, or fetch it."""
        if given.markup is not None:
            refuse_wrapper(given.name, given.markup)
            return self.shelf.open(
                given.name, given.markup, url=given.url, charset=given.charset, is_listed=is_listed
            )
        answer = self.fetcher.fetch(given.url or "")
        return self.shelf.open(
            given.name, answer.body, url=answer.url, charset=answer.charset, is_listed=is_listed
        )

    def looks(self, addresses: Iterable[str]) -> dict[str, Look]:
        """Style sheets and pictures from outside, the first ones first, as far as they can be had in a short time."""
        wanted = list(addresses)[:_MOST_LOOKS]
        found: dict[str, Look] = {}
        threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="unweave-looks")
        tasks = {threads.submit(self._look, address, found): address for address in wanted}
        wait(tasks, timeout=_MOST_SECONDS)
        threads.shutdown(wait=False, cancel_futures=True)
        return {address: found[address] for address in wanted if address in found}

    def _look(self, address: str, found: dict[str, Look]) -> None:
        """Fetch one, unless there are too many bytes already."""
        if sum(len(look.body) for look in list(found.values())) > MOST_OF_ALL:
            return
        with suppress(UnweaveError):
            answer = self.fetcher.fetch(address, max_bytes=MOST_BYTES)
            found[address] = Look(answer.body, answer.charset)


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


OnDesk = Annotated[Desk, Depends(_desk)]
