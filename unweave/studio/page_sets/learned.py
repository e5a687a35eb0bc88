"""What was learned of a group of pages: a wrapper, how well it fits every page, and what it finds on one."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from unweave import api
from unweave.errors import PageError, UnweaveError, UsageError, WrapperError
from unweave.page.page import Page
from unweave.pipeline.page_types import Kind
from unweave.pipeline.templates import Template
from unweave.pipeline.texts import Said, shared_texts, template_texts
from unweave.sources.fetched_page import Fetched
from unweave.table import Cell, Table, format_cell
from unweave.wrappers.base import EXPECTED_SHARE, Extraction, Fields, Wrapper
from unweave.wrappers.landmarks.tokens import TokenUnit

AUTO, FIELDS, RECORDS, PATTERN, LANDMARK = "auto", "fields", "records", "pattern", "landmark"
METHODS = (AUTO, FIELDS, RECORDS, PATTERN, LANDMARK)
"""What a wrapper can be learned by. ``auto`` is what the kind of the pages asks for."""
GIVEN = "given"
"""What a wrapper that was not learned here, but opened from a file, goes by."""

# A wrapper is learned from so many pages.
_LEARNED_FROM = 40
_PATTERN_FROM = 20
# A grammar takes about a tenth of a second for a thousand tokens: of elements two each, and of texts one.
_MOST_TOKENS = 100_000
_MOST_EXAMPLES = 5
_LONGEST_EXAMPLE = 300

_LEAST_FIT = 0.5


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a page fits, and what it lacks of what every page should have."""

    page: int
    fit: float
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """What a wrapper finds on a page, and which texts are template and which are data."""

    fit: float
    missing: tuple[str, ...]
    fields: Fields | None
    table: Table | None
    template: list[int]
    data: dict[str, list[int]]


@dataclass
class Learned:
    """A wrapper, and what it finds on the pages of its group."""

    method: str
    wrapper: Wrapper
    shared: frozenset[Said]
    """What nearly all pages say at the same place."""
    seconds: float
    fits: list[Fit] = field(default_factory=list)
    """Of every page, the worst first."""
    pages_with: Counter[str] = field(default_factory=Counter)
    """How many pages have a field."""
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def fit(self) -> float:
        """How well the pages fit on average."""
        return sum(own.fit for own in self.fits) / len(self.fits) if self.fits else 0.0

    @property
    def unfit(self) -> int:
        """How many pages fit badly."""
        return sum(own.fit < _LEAST_FIT for own in self.fits)

    def share(self, name: str) -> float:
        """The share of the pages that have a field."""
        return self.pages_with[name] / len(self.fits) if self.fits else 0.0

    def try_all(self, pages: Iterable[Page | None]) -> None:
        """Apply the wrapper to every page of the group. A page that cannot be read, or not by it, fits not at all."""
        found: list[frozenset[str]] = []
        for number, page in enumerate(pages):
            try:
                extraction = self.wrapper.apply(page) if page else Extraction()
            except UnweaveError:
                extraction = Extraction()
            self._note(extraction)
            found.append(frozenset(_told(extraction)))
            self.fits.append(Fit(number, extraction.fit, extraction.missing))
        if not self.wrapper.knows_missing:
            self.fits = [
                replace(own, missing=self._missing(names))
                for own, names in zip(self.fits, found, strict=True)
            ]
        self.fits.sort(key=lambda own: (own.fit, -len(own.missing), own.page))

    def read(self, page: Page) -> Read:
        """What the wrapper finds on a page, which may be a new one."""
        extraction = self.wrapper.apply(page)
        data = self.wrapper.provenance(page)
        is_data = {chunk for chunks in data.values() for chunk in chunks}
        template = [chunk for chunk in template_texts(page, self.shared) if chunk not in is_data]
        missing = extraction.missing
        if not self.wrapper.knows_missing:
            missing = self._missing(_told(extraction))
        return Read(extraction.fit, missing, extraction.fields, extraction.table, template, data)

    def _missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """What nearly all pages have, and one with these has not."""
        own = set(names)
        return tuple(
            name
            for name in self.pages_with
            if name not in own and self.share(name) >= EXPECTED_SHARE
        )

    def _note(self, extraction: Extraction) -> None:
        for name, texts in _told(extraction).items():
            self.pages_with[name] += 1
            known = self.examples[name]
            if len(known) < _MOST_EXAMPLES and (text := texts[0][:_LONGEST_EXAMPLE]) not in known:
                known.append(text)


def _told(extraction: Extraction) -> dict[str, list[str]]:
    """Return the texts of a page by name, without names that have none."""
    columns: Iterable[tuple[str, Sequence[Cell]]]
    if extraction.table is not None:
        table = extraction.table
        columns = zip(table.names, zip(*table.rows, strict=True), strict=True)
    else:
        columns = [
            (name, value if isinstance(value, list) else [value])
            for name, value in (extraction.fields or {}).items()
        ]
    found = {
        name: [text for cell in cells if (text := format_cell(cell))] for name, cells in columns
    }
    return {name: texts for name, texts in found.items() if texts}


# ---- learning ------------------------------------------------------------------------------------------------


def learn(
    method: str, pages: Sequence[Page], template: Template, shared: frozenset[Said]
) -> Learned:
    """A wrapper by a method. ``auto`` takes what was learned of the template, or what can be learned of its pages."""
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    start = time.perf_counter()
    reasons: list[str] = []
    for own in _ways(template, len(pages)) if method == AUTO else [method]:
        try:
            wrapper = _known(own, template) or _LEARNERS[own](pages)
        except UnweaveError as error:
            reasons.append(str(error))
        else:
            return Learned(own, wrapper, shared, time.perf_counter() - start)
    raise WrapperError(f"nothing can be learned of these pages: {reasons[0]}")


def kind_of(wrapper: Wrapper) -> str:
    """Return the method that a wrapper was learned by, as the studio names it."""
    return PATTERN if wrapper.method == "news-pattern" else wrapper.method


def learn_from(method: str, sample: Sequence[Fetched], template: Template) -> Learned:
    """Learn a wrapper from pages as they were fetched; those that cannot be read are left out."""
    pages = [page for page in map(parse_or_none, sample) if page is not None]
    return learn(method, pages, template, shared_texts(pages))


def parse_or_none(fetched: Fetched) -> Page | None:
    """Return the parsed page, or None if it cannot be read."""
    try:
        return fetched.page()
    except PageError:
        return None


def takes_long(method: str, template: Template) -> bool:
    """Return whether learning by this method is a search that somebody may want to cancel."""
    return method != AUTO and _known(method, template) is None


def _ways(template: Template, pages: int) -> list[str]:
    """The methods that the kind of the pages asks for. One page alone has no fields that differ, and may have a list."""
    return [RECORDS, FIELDS] if template.kind is Kind.LIST or pages == 1 else [FIELDS, RECORDS]


def _known(method: str, template: Template) -> Wrapper | None:
    """What was learned of a template when its kind was told."""
    known: dict[str, Wrapper | None] = {FIELDS: template.fields, RECORDS: template.records}
    return known.get(method)


def _landmarks(pages: Sequence[Page]) -> Wrapper:
    """A grammar of as many pages as it can be found of in some seconds."""
    few = list(_few(pages))
    if len(few) < min(2, len(pages)):
        raise WrapperError(
            "the pages are too large for a grammar of landmarks to be found while somebody waits"
        )
    return api.LEARNERS[LANDMARK](few, search="greedy", tokens=TokenUnit.TEXTS)


def _few(pages: Sequence[Page]) -> Iterator[Page]:
    room = _MOST_TOKENS
    for page in pages[:_LEARNED_FROM]:
        room -= 2 * len(page.tree) + len(page.texts)
        if room < 0:
            return
        yield page


_LEARNERS: dict[str, Callable[[Sequence[Page]], Wrapper]] = {
    FIELDS: lambda pages: api.LEARNERS[FIELDS](pages[:_LEARNED_FROM]),
    RECORDS: lambda pages: api.LEARNERS[RECORDS](pages[:_LEARNED_FROM]),
    PATTERN: lambda pages: api.LEARNERS[PATTERN](pages[:_PATTERN_FROM]),
    LANDMARK: _landmarks,
}
