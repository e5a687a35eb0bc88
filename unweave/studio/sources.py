"""What the studio opens with: a page, an address, or many pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unweave.errors import SourceError
from unweave.fetching.fetch import Fetcher
from unweave.page.parse import is_url, read_file
from unweave.sources.discovery import below, is_archive
from unweave.studio.bodies import Given
from unweave.studio.page_sets.gathered import found_at
from unweave.studio.state import Desk
from unweave.studio.wrapper_files import refuse_wrapper


@contextmanager
def desk_with(source: str | None, *, allow_private: bool = False) -> Iterator[Desk]:
    """A desk on which a page lies, or many, until the studio is closed."""
    desk = Desk(Fetcher(allow_private=allow_private))
    try:
        if source is not None:
            _lay(desk, source)
        yield desk
    finally:
        desk.sets.close_all()


def _lay(desk: Desk, source: str) -> None:
    path = Path(source)
    if is_url(source):
        desk.open(Given(None, source, source, None))
    elif path.is_dir() or is_archive(path):
        if not any(below(path)):
            raise SourceError(f"{source}: there are no pages in it")
        desk.sets.open(path.name or source, found_at(path))
    else:
        body = read_file(path)
        refuse_wrapper(source, body)
        desk.shelf.open(source, body, folder=path.resolve().parent)
