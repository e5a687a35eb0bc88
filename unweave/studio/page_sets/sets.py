"""Many pages at once: read, sorted by template, and learned from, while somebody waits and can see how far it is."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from threading import BoundedSemaphore, Event, RLock, Thread

from unweave.clustering.site_templates import Outline, outline
from unweave.errors import UnweaveError, UsageError, WorkLimit, WrapperError
from unweave.page.page import Page
from unweave.pipeline.learn import named, template_of
from unweave.pipeline.naming import slugs
from unweave.pipeline.page_types import Kind
from unweave.pipeline.templates import Template
from unweave.pipeline.texts import shared_texts
from unweave.runners.cancellable import POLL_SECONDS, call_in_process
from unweave.studio.page_sets.gathered import Found, Gathered, Member, gather
from unweave.studio.page_sets.learned import (
    AUTO,
    GIVEN,
    Learned,
    kind_of,
    learn_from,
    parse_or_none,
    takes_long,
)
from unweave.studio.page_sets.sorting import by_template
from unweave.studio.page_store import Closed, Opened, Shelf
from unweave.wrappers.base import Wrapper

# What a group is learned from.
_SAMPLE = 40
_MOST_SETS = 20
_MOST_TRIED = 20
MAX_LEARNING_SECONDS = 300.0
_WORKER_SLOTS = BoundedSemaphore(2)  # processes that learn at the same time, of all sets


class Cancelled(UnweaveError):
    """Somebody has put an end to the learning that was waited for."""


class State(StrEnum):
    """How far a set is."""

    READING = "reading"
    SORTING = "sorting"
    LEARNING = "learning"
    READY = "ready"
    FAILED = "failed"


@dataclass
class LearningRun:
    """How far the learning by one method is, and the switch that ends it."""

    of: int
    """How many pages the wrapper will be tried on."""
    done: int = 0
    state: str = "waiting"  # for another one to end; then learning, then trying
    started: float = field(default_factory=time.monotonic)
    _cancelled: Event = field(default_factory=Event, repr=False)

    def cancel(self) -> None:
        """End it; whoever waits for it is told."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise if it was cancelled."""
        if self._cancelled.is_set():
            raise Cancelled("learning was cancelled")

    def seconds(self) -> float:
        """Return how long it has been at work."""
        return time.monotonic() - self.started


@dataclass
class Group:
    """The pages of one template, and the wrappers that were learned from them."""

    members: list[Member]
    template: Template
    auto: Learned | None = None
    """What its kind asks for; None if nothing could be learned."""
    why_not: str = ""
    """Why nothing could be learned."""
    _learned: dict[str, Learned] = field(default_factory=dict)
    _runs: dict[str, LearningRun] = field(default_factory=dict)
    """What is being learned now, by method."""
    _lock: RLock = field(default_factory=RLock, repr=False)

    def learned(self, method: str, check: Callable[[], None] = lambda: None) -> Learned:
        """What a method learns, once. ``check`` is called again and again, and may raise to end it."""
        known = self._known(method)
        if known is not None:
            return known
        if method == AUTO and self.why_not:
            raise WrapperError(self.why_not)
        if method == GIVEN:
            raise UsageError("no wrapper file was opened for these pages")
        with self._lock:
            found = self._known(method) or self._learn(method, check)
            self._learned.setdefault(found.method, found)
            if method == AUTO:
                self.auto = found
            return found

    def _known(self, method: str) -> Learned | None:
        return self.auto if method == AUTO else self._learned.get(method)

    def give(self, wrapper: Wrapper, check: Callable[[], None]) -> Learned:
        """Try a wrapper that was opened from a file on all pages, and keep it as the method ``given``."""
        sample = [page for page in _each(self.members[:_SAMPLE], check) if page is not None]
        given = Learned(kind_of(wrapper), wrapper, shared_texts(sample), 0.0)
        given.try_all(_each(self.members, check))
        self._learned[GIVEN] = given
        return given

    def run(self, method: str) -> LearningRun | None:
        """Return how far the learning by a method is; None if it is not being learned."""
        return self._runs.get(method)

    def _learn(self, method: str, check: Callable[[], None]) -> Learned:
        run = self._runs[method] = LearningRun(len(self.members))

        def check_both() -> None:
            check()
            run.check()

        def pages_to_try() -> Iterator[Page | None]:
            run.state = "trying"
            for page in _each(self.members, check_both):
                yield page
                run.done += 1

        try:
            learned = self._learn_wrapper(method, run, check_both)
            learned.try_all(pages_to_try())
            return learned
        finally:
            del self._runs[method]

    def _learn_wrapper(self, method: str, run: LearningRun, check: Callable[[], None]) -> Learned:
        """Learn by a method; in a process of its own, which can be killed, if it may take long."""
        sample = [own.fetched for own in self.members[:_SAMPLE]]
        if not takes_long(method, self.template):
            run.state = "learning"
            return learn_from(method, sample, self.template)
        while not _WORKER_SLOTS.acquire(timeout=POLL_SECONDS):
            check()
        try:
            run.state = "learning"
            return call_in_process(
                learn_from,
                method,
                sample,
                self.template,
                check=check,
                max_seconds=MAX_LEARNING_SECONDS,
            )
        except WorkLimit as error:
            raise WrapperError(f"learning by {method} was given up: {error}") from None
        finally:
            _WORKER_SLOTS.release()

    def pages(self, check: Callable[[], None]) -> Iterator[tuple[str, Page | None]]:
        """The pages by their names, one after the other; None for one that cannot be read."""
        names = [own.opened.name for own in self.members]
        return zip(names, _each(self.members, check), strict=True)

    def member(self, id: str) -> Member:
        """The page of an id."""
        for own in self.members:
            if own.opened.id == id:
                return own
        raise Closed("this page is not of the group")


class PageSet:
    """A set of pages, and how far it is. A thread of its own does the work."""

    def __init__(self, name: str, shelf: Shelf) -> None:
        self.id = secrets.token_urlsafe(12)
        self.name = name
        self.state = State.READING
        self.done = 0
        self.of = 0
        self.error: str | None = None
        self.gathered = Gathered()
        self.groups: list[Group] = []
        self._shelf = shelf
        self._stop = Event()
        self._thread: Thread | None = None
        self._lock = RLock()
        self._tried: deque[Opened] = deque()
        self._is_over = False

    @property
    def pages(self) -> int:
        """How many pages it has."""
        return (
            sum(len(own.members) for own in self.groups)
            if self.groups
            else len(self.gathered.members)
        )

    def start(self, source: Iterable[Found], finish: Callable[[], None] = lambda: None) -> None:
        """Begin to work on a source. ``finish`` is called when it has been read, or when there is no more to read."""
        self._thread = Thread(
            target=self._work, args=(source, finish), name=f"set {self.id}", daemon=True
        )
        self._thread.start()

    def join(self) -> None:
        """Wait until it is ready, failed or stopped."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Nobody wants it any more: close its pages, and stop as soon as the page is done that is worked on."""
        with self._lock:
            self._stop.set()
            is_over = self._is_over
        if is_over:
            self._close()

    def group(self, number: int) -> Group:
        """A group by its number."""
        if not 0 <= number < len(self.groups):
            raise Closed("there is no such group of pages, or not yet")
        return self.groups[number]

    def keep(self, opened: Opened) -> None:
        """Keep a page on which a wrapper was tried as long as the set, or until there are too many of them."""
        with self._lock:
            self._tried.append(opened)
            is_too_much = len(self._tried) > _MOST_TRIED or self._stop.is_set()
            old = self._tried.popleft() if is_too_much else None
        if old is not None:
            with suppress(Closed):
                self._shelf.close(old.id)
        self.check()

    def check(self) -> None:
        """Raise if the set is not wanted any more."""
        if self._stop.is_set():
            raise Closed("these pages have been closed")

    # ---- the work --------------------------------------------------------------------------------------------

    def _work(self, source: Iterable[Found], finish: Callable[[], None]) -> None:
        try:
            try:
                gather(source, self._shelf, self.gathered, self._read_so_far)
            finally:
                finish()
            self._learn(self._sorted())
            self.done, self.state = self.of, State.READY
        except Closed:
            pass  # nobody wants it any more
        except Exception as error:
            # Whoever waits is told, whatever it is: nobody looks at what a thread raises.
            self.error, self.state = _reason(error), State.FAILED
        finally:
            with self._lock:
                self._is_over = True
            if self._stop.is_set():
                self._close()

    def _close(self) -> None:
        with self._lock:
            pages = [*(own.opened for own in self.gathered.members), *self._tried]
            self.gathered.members, self.groups = [], []
            self._tried.clear()
        for own in pages:
            with suppress(Closed):
                self._shelf.close(own.id)

    def _step(self, state: State, of: int) -> None:
        self.done, self.of, self.state = 0, of, state

    def _read_so_far(self, done: int) -> None:
        self.check()
        self.done = self.of = done

    def _one_more(self) -> None:
        self.check()
        self.done += 1

    def _sorted(self) -> list[tuple[list[Member], list[Outline]]]:
        """The pages in groups, each with the outlines of its first pages. Pages that cannot be read are left out."""
        members = self.gathered.members
        self._step(State.SORTING, len(members))
        outlines = dict(self._outlines(members))
        if not outlines:
            raise UsageError(_nothing(self.gathered))
        sites = {number: members[number].fetched.site for number in outlines}
        groups, alone = by_template(outlines, [own.fetched.name for own in members], sites)
        for number in alone:
            self.gathered.leave_out(
                members[number].fetched.name, "it is like no other page of its site"
            )
        return [
            ([members[own] for own in group], [outlines[own] for own in group[:_SAMPLE]])
            for group in groups
        ]

    def _outlines(self, members: list[Member]) -> Iterator[tuple[int, Outline]]:
        for number, own in enumerate(members):
            self._one_more()
            try:
                yield number, outline(own.fetched.page())
            except Exception as error:
                self.gathered.leave_out(own.fetched.name, _reason(error))

    def _learn(self, groups: list[tuple[list[Member], list[Outline]]]) -> None:
        """Learn what every group is and tells, and try it on each of its pages."""
        self._step(State.LEARNING, sum(len(members) for members, _ in groups))
        found: list[Group] = []
        for members, outlines in groups:
            self.check()
            found.append(Group(members, _template(members, outlines)))
            try:
                found[-1].learned(AUTO, self._one_more)
            except Closed:
                raise
            except Exception as error:
                found[-1].why_not = _reason(error)
        for group, template in zip(found, _named(found), strict=True):
            group.template = template
        self.groups = found


class Sets:
    """The sets of a studio, by their ids."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._sets: dict[str, PageSet] = {}
        self._lock = RLock()

    def open(
        self, name: str, source: Iterable[Found], finish: Callable[[], None] = lambda: None
    ) -> PageSet:
        """A new set of what a source has, on which the work begins. ``finish`` is called when the source is read."""
        with self._lock:
            if len(self._sets) >= _MOST_SETS:
                raise UsageError("too many sets of pages are open; close some of them")
            made = PageSet(name, self._shelf)
            self._sets[made.id] = made
        made.start(source, finish)
        return made

    def all(self) -> list[PageSet]:
        """The sets, the first one first."""
        return list(self._sets.values())

    def get(self, id: str) -> PageSet:
        """The set of an id."""
        found = self._sets.get(id)
        if found is None:
            raise Closed("there is no such set of pages, or it has been closed")
        return found

    def close(self, id: str) -> None:
        """Close a set with its pages, and stop the work on it."""
        with self._lock:
            found = self.get(id)
            del self._sets[id]
        found.stop()

    def close_all(self) -> None:
        """Close all sets."""
        for own in self.all():
            with suppress(Closed):
                self.close(own.id)


def _reason(error: Exception) -> str:
    """What went wrong, in words."""
    return (
        str(error)
        if isinstance(error, UnweaveError)
        else f"something went wrong: {type(error).__name__}"
    )


def _each(members: Iterable[Member], check: Callable[[], None]) -> Iterator[Page | None]:
    for own in members:
        check()
        yield parse_or_none(own.fetched)


def _template(members: list[Member], outlines: list[Outline]) -> Template:
    """What is learned of a group; of one that is too much for it, nothing."""
    sample = [own.fetched for own in members[:_SAMPLE]]
    try:
        return template_of(sample, outlines)
    except UnweaveError:
        return Template("", sample[0].site, Kind.NEITHER, len(sample), tuple(outlines[:1]), 1.0)


def _named(groups: list[Group]) -> list[Template]:
    """The templates of the groups with names, none twice; of several sites, with the names of the sites before them."""
    prefixes = slugs(sorted({own.template.site for own in groups}))
    found: dict[int, Template] = {}
    for site, prefix in prefixes.items():
        numbers = [number for number, own in enumerate(groups) if own.template.site == site]
        addresses = [[page.fetched.url for page in groups[number].members] for number in numbers]
        templates = named([groups[number].template for number in numbers], addresses, prefix=prefix)
        found |= zip(numbers, templates, strict=True)
    return [found[number] for number in range(len(groups))]


def _nothing(gathered: Gathered) -> str:
    """Why a set has no pages, in words."""
    if not gathered.left_out:
        return "there are no pages in it"
    first = gathered.left_out[0]
    others = len(gathered.left_out) + gathered.unnamed - 1
    more = f", and {others:,} more" if others else ""
    return f"there is no page that can be read: {first.name}: {first.reason}{more}"
