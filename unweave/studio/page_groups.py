"""Groups of pages that were generated from one template, and the learning of their wrappers."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Event, RLock

from unweave.clustering.site_templates import (
    Fingerprint,
    cluster_fingerprints,
    compute_min_similarity,
    find_nearest_template,
    select_examples,
)
from unweave.errors import UnweaveError, UsageError, WorkLimit, WrapperError
from unweave.page.page import Page
from unweave.pipeline.learn import MAX_NAMING_PAGES, learn_unnamed_template
from unweave.pipeline.options import SAMPLE_PAGES
from unweave.pipeline.page_types import PageType, find_shared_texts
from unweave.pipeline.run import MAX_ROUNDS
from unweave.pipeline.scan import compute_rank
from unweave.pipeline.subjects import list_subjects
from unweave.pipeline.templates import Template, make_site_prefixes, name_templates
from unweave.runners.cancellable import POLL_SECONDS, call_in_process
from unweave.sources.source import FetchedPage
from unweave.studio.learned_wrappers import (
    AUTO,
    GIVEN,
    LearnedWrapper,
    get_wrapper_kind,
    is_slow,
    learn_wrapper,
    parse_or_none,
)
from unweave.studio.page_store import NotOpen, OpenPage
from unweave.wrappers.base import Wrapper

MAX_SAMPLE_PAGES = 40
"""The pages of a group that its template and wrappers are learned from."""
MAX_LEARNING_SECONDS = 300.0
MAX_LEARNING_PROCESSES = 2
"""The processes that learn at the same time, for all sets."""

_learning_processes = BoundedSemaphore(MAX_LEARNING_PROCESSES)

Check = Callable[[], None]
"""A function that is called again and again, and raises to stop the work."""


class LearningCancelled(UnweaveError):
    """A user cancelled the learning that was waited for."""


@dataclass(frozen=True, slots=True)
class Member:
    """A page of a set: as it was read, and as it is open in the studio."""

    fetched: FetchedPage
    open_page: OpenPage


@dataclass
class LearningRun:
    """The progress of learning by one method."""

    of: int
    """The number of pages that the wrapper will be applied to."""
    done: int = 0
    state: str = "waiting"
    """``waiting`` for another run to end, then ``learning``, then ``trying``."""
    _started: float = field(default_factory=time.monotonic)
    _cancelled: Event = field(default_factory=Event, repr=False)

    def cancel(self) -> None:
        """Stop learning. Whoever waits for it gets LearningCancelled."""
        self._cancelled.set()

    def check_cancelled(self) -> None:
        """Raise LearningCancelled if it was cancelled."""
        if self._cancelled.is_set():
            raise LearningCancelled("learning was cancelled")

    def get_seconds(self) -> float:
        """Return the seconds since it started."""
        return time.monotonic() - self._started


@dataclass
class Group:
    """The pages of one template, and the wrappers that were learned from them."""

    members: list[Member]
    template: Template
    auto: LearnedWrapper | None = None
    """The wrapper that its page type asks for; None if nothing could be learned."""
    auto_error: str = ""
    """Why nothing could be learned."""
    _learned: dict[str, LearnedWrapper] = field(default_factory=dict)
    _runs: dict[str, LearningRun] = field(default_factory=dict)
    """The learning that is running, by method."""
    _lock: RLock = field(default_factory=RLock, repr=False)

    def learn(self, method: str, check: Check = lambda: None) -> LearnedWrapper:
        """Return the wrapper of a method, which is learned on the first call."""
        learned = self._get_learned(method)
        if learned is not None:
            return learned
        if method == AUTO and self.auto_error:
            raise WrapperError(self.auto_error)
        if method == GIVEN:
            raise UsageError("no wrapper file was opened for these pages")
        with self._lock:
            learned = self._get_learned(method) or self._run(method, check)
            self._learned.setdefault(learned.method, learned)
            if method == AUTO:
                self.auto = learned
            return learned

    def use_given(self, wrapper: Wrapper, check: Check) -> LearnedWrapper:
        """Apply a wrapper from a file to all pages, and keep it as the method ``given``."""
        pages = _parse_members(self.members[:MAX_SAMPLE_PAGES], check)
        shared = find_shared_texts([page for page in pages if page is not None])
        given = LearnedWrapper(get_wrapper_kind(wrapper), wrapper, shared, 0.0)
        given.apply_to_all(_parse_members(self.members, check))
        self._learned[GIVEN] = given
        return given

    def get_run(self, method: str) -> LearningRun | None:
        """Return the progress of learning by a method; None if it is not running."""
        return self._runs.get(method)

    def parse_pages(self, check: Check) -> Iterator[tuple[str, Page | None]]:
        """Yield the name and the parsed page of each member; None if it cannot be parsed."""
        names = [member.open_page.name for member in self.members]
        return zip(names, _parse_members(self.members, check), strict=True)

    def get_member(self, id: str) -> Member:
        """Return the member whose page has an id."""
        for member in self.members:
            if member.open_page.id == id:
                return member
        raise NotOpen("this page is not in the group")

    def _get_learned(self, method: str) -> LearnedWrapper | None:
        return self.auto if method == AUTO else self._learned.get(method)

    def _run(self, method: str, check_caller: Check) -> LearnedWrapper:
        """Learn by a method and apply the wrapper to all pages, with progress."""
        run = self._runs[method] = LearningRun(len(self.members))

        def check() -> None:
            check_caller()
            run.check_cancelled()

        def parse_with_progress() -> Iterator[Page | None]:
            run.state = "trying"
            for page in _parse_members(self.members, check):
                yield page
                run.done += 1

        try:
            learned = self._learn_wrapper(method, run, check)
            learned.apply_to_all(parse_with_progress())
            return learned
        finally:
            del self._runs[method]

    def _learn_wrapper(self, method: str, run: LearningRun, check: Check) -> LearnedWrapper:
        """Learn by a method; if that may be slow, in another process, which can be killed."""
        sample = [member.fetched for member in self.members[:MAX_SAMPLE_PAGES]]
        if not is_slow(method, self.template):
            run.state = "learning"
            return learn_wrapper(method, sample, self.template)
        while not _learning_processes.acquire(timeout=POLL_SECONDS):
            check()
        try:
            run.state = "learning"
            return call_in_process(
                learn_wrapper,
                method,
                sample,
                self.template,
                check=check,
                max_seconds=MAX_LEARNING_SECONDS,
            )
        except WorkLimit as error:
            raise WrapperError(f"learning by {method} was stopped: {error}") from None
        finally:
            _learning_processes.release()


def _parse_members(members: Iterable[Member], check: Check) -> Iterator[Page | None]:
    for member in members:
        check()
        yield parse_or_none(member.fetched)


# ---- grouping ------------------------------------------------------------------------------------


def group_by_template(
    indexes: Mapping[int, Fingerprint], members: Sequence[Member]
) -> tuple[list[list[int]], list[int]]:
    """Return the numbers of the members in groups, and of those like no other page of their site.

    ``indexes`` has the page index of every member that can be parsed. The largest group is first.
    """
    numbers_by_site: dict[str, list[int]] = defaultdict(list)
    for number in sorted(
        indexes, key=lambda number: (compute_rank(members[number].fetched.name), number)
    ):
        numbers_by_site[members[number].fetched.site].append(number)
    groups: list[list[int]] = []
    ungrouped: list[int] = []
    for numbers in numbers_by_site.values():
        site_groups, site_ungrouped = _group_site(numbers, indexes)
        groups += site_groups
        ungrouped += site_ungrouped
    groups.sort(key=lambda group: (-len(group), min(group)))
    return groups, ungrouped


def _group_site(
    numbers: Sequence[int], indexes: Mapping[int, Fingerprint]
) -> tuple[list[list[int]], list[int]]:
    """Group the pages of one site, which are in random order.

    A sample is clustered and the others are added to the most similar cluster; rare templates are
    found by doing the same with what is left.
    """
    groups: list[list[int]] = []
    ungrouped = list(numbers)
    for _ in range(MAX_ROUNDS):
        sample, others = ungrouped[:SAMPLE_PAGES], ungrouped[SAMPLE_PAGES:]
        clusters: list[list[int]] = []
        templates: list[tuple[Sequence[Fingerprint], float]] = []
        for cluster in cluster_fingerprints([indexes[number] for number in sample]):
            clusters.append([sample[position] for position in cluster])
            cluster_indexes = [indexes[number] for number in clusters[-1]]
            example_indexes = select_examples(cluster_indexes)
            templates.append(
                (example_indexes, compute_min_similarity(cluster_indexes, example_indexes))
            )
        ungrouped = []
        for number in others:
            position = find_nearest_template(indexes[number], templates)
            (ungrouped if position is None else clusters[position]).append(number)
        groups += clusters
        if not ungrouped:
            break
    return groups, ungrouped


def learn_template(members: Sequence[Member], indexes: Sequence[Fingerprint]) -> Template:
    """Learn the template of a group; an empty one if the pages are above a limit."""
    sample = [member.fetched for member in members[:MAX_SAMPLE_PAGES]]
    try:
        return learn_unnamed_template(sample, indexes)
    except UnweaveError:
        return Template("", sample[0].site, PageType.NEITHER, len(sample), tuple(indexes[:1]), 1.0)


def name_groups(groups: Sequence[Group]) -> None:
    """Give the templates of the groups unique names; those of several sites begin with the site."""
    prefixes = make_site_prefixes(sorted({group.template.site for group in groups}))
    for site, prefix in prefixes.items():
        site_groups = [group for group in groups if group.template.site == site]
        templates = [group.template for group in site_groups]
        urls = [[member.fetched.url for member in group.members] for group in site_groups]
        subjects: list[list[str]] = []
        for group in site_groups:
            pages = [parse_or_none(member.fetched) for member in group.members[:MAX_NAMING_PAGES]]
            subjects.append(list_subjects([page for page in pages if page is not None]))
        named = name_templates(templates, urls, subjects, prefix=prefix)
        for group, template in zip(site_groups, named, strict=True):
            group.template = template
