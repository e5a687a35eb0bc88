"""Sets of pages: read, grouped by template and learned from in a thread, with progress."""

from __future__ import annotations

import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from threading import Event, RLock, Thread

from unweave.clustering.site_templates import Fingerprint, compute_fingerprint
from unweave.errors import PageError, SourceError, UnweaveError, UsageError
from unweave.page.limits import MIB
from unweave.pipeline.scan import compute_rank
from unweave.sources.selection import find_files, read_archive
from unweave.sources.shards import make_file_shards
from unweave.sources.source import FetchedPage, Item, Skipped
from unweave.studio.learned_wrappers import AUTO
from unweave.studio.page_groups import (
    MAX_SAMPLE_PAGES,
    Group,
    Member,
    group_by_template,
    learn_template,
    name_groups,
)
from unweave.studio.page_store import NotOpen, OpenPage, PageStore

MAX_SETS = 20
MAX_SET_PAGES = 2_000
MAX_SET_BYTES = 256 * MIB
MAX_COUNTED_PAGES = 10_000
"""The pages beyond these limits that are counted, to tell how many there are."""
MAX_NAMED_SKIPPED = 200
MAX_TRIED_PAGES = 20
"""The new pages that wrappers of a set were applied to and that stay open."""

_log = logging.getLogger("unweave.studio")


# ---- sources -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A page of a source, or why something is none, and the folders of a page that is a file."""

    item: Item
    folder: Path | None = None
    root: Path | None = None
    """The folder of the source."""


def read_source(path: Path) -> Iterator[SourceItem]:
    """Yield the items of a folder, an archive or a file; of a damaged one, those before that."""
    names, archives = find_files(path)
    folder = path if path.is_dir() else path.parent
    if len(names) > MAX_SET_PAGES:
        # In random order: the first ones by name may all have one template.
        names.sort(key=compute_rank)
    for shard in make_file_shards(path, names):
        for item in shard.read():
            yield SourceItem(item, (folder / item.name).parent, folder)
    for archive in archives:
        try:
            yield from map(SourceItem, read_archive(archive))
        except SourceError as error:
            yield SourceItem(Skipped(archive.name, str(error).removeprefix(f"{archive}: ")))


def read_open_pages(pages: Iterable[OpenPage]) -> Iterator[SourceItem]:
    """Yield pages that are already open."""
    for page in pages:
        name = page.url or page.name
        fetched = FetchedPage(name, page.markup, bool(page.url), charset=page.charset)
        yield SourceItem(fetched, page.folder, page.root)


@dataclass
class SetContent:
    """The pages of a set, and what was skipped: some by name, the rest as a number."""

    members: list[Member] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Names with reasons."""
    unnamed_skipped: int = 0

    def skip(self, name: str, reason: str) -> None:
        """Record that something is not a page of the set."""
        if len(self.skipped) < MAX_NAMED_SKIPPED:
            self.skipped.append((name, reason))
        else:
            self.unnamed_skipped += 1

    def describe_skipped(self) -> list[dict[str, str]]:
        """Return what was skipped as ``SkippedInfo``, with one entry for all that are not named."""
        skipped = list(self.skipped)
        if self.unnamed_skipped:
            skipped.append(("", f"and {self.unnamed_skipped:,} more were skipped"))
        return [{"name": name, "reason": reason} for name, reason in skipped]

    def explain_emptiness(self) -> str:
        """Return the reason why no page of the set can be parsed."""
        if not self.skipped:
            return "it contains no pages"
        name, reason = self.skipped[0]
        others = len(self.skipped) + self.unnamed_skipped - 1
        more = f", and {others:,} more" if others else ""
        return f"no page can be read: {name}: {reason}{more}"


# ---- a set ---------------------------------------------------------------------------------------


class State(StrEnum):
    """The step that a set is at."""

    READING = "reading"
    SORTING = "sorting"
    LEARNING = "learning"
    READY = "ready"
    FAILED = "failed"


class PageSet:
    """A set of pages, on which a thread works."""

    def __init__(self, name: str, store: PageStore) -> None:
        self.id = secrets.token_urlsafe(12)
        self.name = name
        self.state = State.READING
        self.done = 0
        self.of = 0
        self.error: str | None = None
        self.content = SetContent()
        self.groups: list[Group] = []
        self._store = store
        self._stop = Event()
        self._thread: Thread | None = None
        self._lock = RLock()
        self._tried_pages: deque[OpenPage] = deque()
        self._has_ended = False

    @property
    def page_count(self) -> int:
        """The number of its pages."""
        if self.groups:
            return sum(len(group.members) for group in self.groups)
        return len(self.content.members)

    def start(self, source: Iterable[SourceItem], on_read: Callable[[], None]) -> None:
        """Start to work. ``on_read`` is called when the source has been read, or cannot be."""
        self._thread = Thread(
            target=self._work, args=(source, on_read), name=f"set {self.id}", daemon=True
        )
        self._thread.start()

    def join(self) -> None:
        """Wait until it is ready, failed or stopped."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Close its pages, at once or as soon as the work on the current page is done."""
        with self._lock:
            self._stop.set()
            has_ended = self._has_ended
        if has_ended:
            self._close_pages()

    def check_open(self) -> None:
        """Raise NotOpen if the set was closed."""
        if self._stop.is_set():
            raise NotOpen("these pages have been closed")

    def get_group(self, number: int) -> Group:
        """Return a group by its number."""
        if not 0 <= number < len(self.groups):
            raise NotOpen("there is no such group of pages, or not yet")
        return self.groups[number]

    def add_tried_page(self, page: OpenPage) -> None:
        """Keep a new page open as long as the set, or until there are too many of them."""
        with self._lock:
            self._tried_pages.append(page)
            is_full = len(self._tried_pages) > MAX_TRIED_PAGES or self._stop.is_set()
            oldest = self._tried_pages.popleft() if is_full else None
        if oldest is not None:
            with suppress(NotOpen):
                self._store.close(oldest.id)
        self.check_open()

    # ---- the thread ------------------------------------------------------------------------------

    def _work(self, source: Iterable[SourceItem], on_read: Callable[[], None]) -> None:
        try:
            try:
                self._read(source)
            finally:
                on_read()
            indexes = self._index_pages()
            self._learn(indexes)
            self.done, self.state = self.of, State.READY
            _log.info("%s: %d pages, %d groups", self.name, self.page_count, len(self.groups))
        except NotOpen:
            _log.debug("%s: closed while it was %s", self.name, self.state)
        except Exception as error:  # also our own: the studio shows it, and a thread would lose it
            self.error, self.state = _describe_error(error), State.FAILED
            _log.warning("%s: %s", self.name, self.error)
        finally:
            with self._lock:
                self._has_ended = True
            if self._stop.is_set():
                self._close_pages()

    def _read(self, source: Iterable[SourceItem]) -> None:
        """Open the pages of a source up to the limits."""
        items = iter(source)
        size = 0
        for source_item in items:
            self.check_open()
            self.done = self.of = len(self.content.members)
            # Names of files may have bytes that are not text.
            name = source_item.item.name.encode(errors="replace").decode()
            item = replace(source_item.item, name=name)
            if isinstance(item, Skipped):
                self.content.skip(item.name, item.reason)
            elif isinstance(item, FetchedPage):
                size += len(item.body)
                if len(self.content.members) == MAX_SET_PAGES or size > MAX_SET_BYTES:
                    self.content.skip("", self._count_unread(items))
                    break
                self._open_page(item, source_item)

    def _open_page(self, fetched: FetchedPage, source_item: SourceItem) -> None:
        try:
            page = self._store.open(
                fetched.name,
                fetched.body,
                url=fetched.name if fetched.is_url else None,
                charset=fetched.charset,
                folder=source_item.folder,
                root=source_item.root,
                is_listed=False,
            )
        except PageError as error:
            self.content.skip(fetched.name, str(error))
        else:
            self.content.members.append(Member(fetched, page))

    def _count_unread(self, items: Iterator[SourceItem]) -> str:
        """Return a message with the number of pages above the limits: one, and those after it."""
        read = f"only {len(self.content.members):,} pages were read"
        count, size = 1, 0
        for source_item in items:
            self.check_open()
            if isinstance(source_item.item, FetchedPage):
                count += 1
                size += len(source_item.item.body)
            if count == MAX_COUNTED_PAGES or size > MAX_SET_BYTES:
                return f"{read}; there are at least {count:,} more"
        return f"{read}; there are {count:,} more"

    def _index_pages(self) -> dict[int, Fingerprint]:
        """Return the page indexes by the numbers of members; those that fail are skipped."""
        members = self.content.members
        self._start_step(State.SORTING, len(members))
        indexes: dict[int, Fingerprint] = {}
        for number, member in enumerate(members):
            self._advance()
            try:
                indexes[number] = compute_fingerprint(member.fetched.parse())
            except Exception as error:
                self.content.skip(member.fetched.name, _describe_error(error))
        if not indexes:
            raise UsageError(self.content.explain_emptiness())
        return indexes

    def _learn(self, indexes: dict[int, Fingerprint]) -> None:
        """Group the pages, and learn the wrapper of every group."""
        members = self.content.members
        numbers_by_group, ungrouped = group_by_template(indexes, members)
        for number in ungrouped:
            name = members[number].fetched.name
            self.content.skip(name, "it is like no other page of its site")
        self._start_step(State.LEARNING, sum(map(len, numbers_by_group)))
        groups: list[Group] = []
        for numbers in numbers_by_group:
            self.check_open()
            group_members = [members[number] for number in numbers]
            sample = [indexes[number] for number in numbers[:MAX_SAMPLE_PAGES]]
            group = Group(group_members, learn_template(group_members, sample))
            groups.append(group)
            try:
                group.learn(AUTO, self._advance)
            except NotOpen:
                raise
            except Exception as error:
                group.auto_error = _describe_error(error)
        name_groups(groups)
        self.groups = groups

    def _start_step(self, state: State, of: int) -> None:
        self.done, self.of, self.state = 0, of, state

    def _advance(self) -> None:
        self.check_open()
        self.done += 1

    def _close_pages(self) -> None:
        with self._lock:
            pages = [*(member.open_page for member in self.content.members), *self._tried_pages]
            self.content.members, self.groups = [], []
            self._tried_pages.clear()
        for page in pages:
            with suppress(NotOpen):
                self._store.close(page.id)


def _describe_error(error: Exception) -> str:
    if isinstance(error, UnweaveError):
        return str(error)
    _log.debug("unexpected error", exc_info=error)
    return f"internal error: {type(error).__name__}"


# ---- all sets ------------------------------------------------------------------------------------


class PageSets:
    """The open sets by their ids."""

    def __init__(self, store: PageStore) -> None:
        self._store = store
        self._sets: dict[str, PageSet] = {}
        self._lock = RLock()

    def open(
        self, name: str, source: Iterable[SourceItem], on_read: Callable[[], None] = lambda: None
    ) -> PageSet:
        """Open a set and start to work on it.

        ``on_read`` is called when the source has been read, also if that failed.
        """
        with self._lock:
            if len(self._sets) >= MAX_SETS:
                raise UsageError("too many sets of pages are open; close some of them")
            page_set = PageSet(name, self._store)
            self._sets[page_set.id] = page_set
        page_set.start(source, on_read)
        return page_set

    def list_sets(self) -> list[PageSet]:
        """Return the sets in the order of opening."""
        return list(self._sets.values())

    def get(self, id: str) -> PageSet:
        """Return the set of an id."""
        page_set = self._sets.get(id)
        if page_set is None:
            raise NotOpen("there is no such set of pages, or it has been closed")
        return page_set

    def close(self, id: str) -> None:
        """Close a set with its pages, and stop the work on it."""
        with self._lock:
            page_set = self.get(id)
            del self._sets[id]
        page_set.stop()

    def close_all(self) -> None:
        """Close all sets."""
        for page_set in self.list_sets():
            with suppress(NotOpen):
                self.close(page_set.id)
