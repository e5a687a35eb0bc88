"""The wrapper of a group of pages: learn it, apply it to every page, and describe it."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from unweave import api
from unweave.errors import PageError, UnweaveError, UsageError, WrapperError
from unweave.page.page import Page
from unweave.pipeline.page_types import (
    LocatedText,
    PageType,
    find_shared_texts,
    select_shared_texts,
)
from unweave.pipeline.templates import Template
from unweave.sources.source import FetchedPage
from unweave.table import Cell, Table, format_cell
from unweave.wrappers.base import (
    EXPECTED_SHARE,
    MIN_FIT,
    Extraction,
    FieldDescription,
    Fields,
    Wrapper,
)
from unweave.wrappers.landmarks.apply import UNSEEN_PREFIX
from unweave.wrappers.landmarks.learn import LandmarkLearner
from unweave.wrappers.landmarks.tokens import TokenUnit

AUTO, FIELDS, RECORDS, PATTERN, LANDMARK = "auto", "fields", "records", "pattern", "landmark"
METHODS = (AUTO, FIELDS, RECORDS, PATTERN, LANDMARK)
"""The methods of learning; ``auto`` depends on the page type."""
GIVEN = "given"
"""The method of a wrapper that was opened from a file."""

MAX_PAGES = 40
MAX_PATTERN_PAGES = 20
MAX_LANDMARK_TOKENS = 100_000
"""The greedy search takes 0.1 s for 1,000 tokens, which are two an element and one a text."""
MAX_EXAMPLES = 5
MAX_EXAMPLE_CHARACTERS = 300
MAX_TREE_LEVELS = 60
"""Deeper JSON is more than some programs parse, and than people look at."""
MAX_PATTERN_LINES = 5_000


@dataclass(frozen=True, slots=True)
class PageFit:
    """How well a page matches a wrapper, and what it lacks of what nearly every page has."""

    number: int
    """The number of the page in its group."""
    fit: float
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageExtraction:
    """What a wrapper extracts from a page, and which texts are template and which are data."""

    fit: float
    missing: tuple[str, ...]
    fields: Fields | None
    others: Fields
    table: Table | None
    template_texts: list[int]
    data_texts: dict[str, list[int]]
    """The numbers of text nodes by field or column."""


@dataclass
class LearnedWrapper:
    """A wrapper, and statistics of what it extracts from the pages of its group."""

    method: str
    wrapper: Wrapper
    shared_texts: frozenset[LocatedText]
    """The texts that nearly all pages have at the same template path."""
    seconds: float
    page_fits: list[PageFit] = field(default_factory=list)
    """The fit of every page, the worst first."""
    pages_with: Counter[str] = field(default_factory=Counter)
    """The number of pages that have a field."""
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Some texts of each field."""

    @property
    def average_fit(self) -> float:
        """The average fit of the pages."""
        fits = [page_fit.fit for page_fit in self.page_fits]
        return sum(fits) / len(fits) if fits else 0.0

    def count_unfit_pages(self) -> int:
        """Return the number of pages that do not match."""
        return sum(page_fit.fit < MIN_FIT for page_fit in self.page_fits)

    def compute_share(self, name: str) -> float:
        """Return the share of the pages that have a field."""
        return self.pages_with[name] / len(self.page_fits) if self.page_fits else 0.0

    def apply_to_all(self, pages: Iterable[Page | None]) -> None:
        """Apply the wrapper to every page of the group; None has a fit of 0, as have errors."""
        names_by_page: list[set[str]] = []
        for number, page in enumerate(pages):
            try:
                extraction = self.wrapper.apply(page) if page else Extraction()
            except UnweaveError:
                extraction = Extraction()
            texts_by_name = _collect_texts(extraction)
            for name, texts in texts_by_name.items():
                self.pages_with[name] += 1
                example, examples = texts[0][:MAX_EXAMPLE_CHARACTERS], self.examples[name]
                if len(examples) < MAX_EXAMPLES and example not in examples:
                    examples.append(example)
            names_by_page.append(set(texts_by_name))
            self.page_fits.append(PageFit(number, extraction.fit, extraction.missing))
        if not self.wrapper.knows_missing:
            for number, names in enumerate(names_by_page):
                missing = self._list_missing(names)
                self.page_fits[number] = replace(self.page_fits[number], missing=missing)
        self.page_fits.sort(key=lambda page: (page.fit, -len(page.missing), page.number))

    def extract(self, page: Page) -> PageExtraction:
        """Return what the wrapper extracts from a page, also one outside of the group."""
        extraction = self.wrapper.apply(page)
        missing = extraction.missing
        if not self.wrapper.knows_missing:
            missing = self._list_missing(set(_collect_texts(extraction)))
        data = self.wrapper.provenance(page)
        data_texts = {text for texts in data.values() for text in texts}
        shared = select_shared_texts(page, self.shared_texts)
        template = [text for text in shared if text not in data_texts]
        return PageExtraction(
            fit=extraction.fit,
            missing=missing,
            fields=extraction.fields,
            others=extraction.others,
            table=extraction.table,
            template_texts=template,
            data_texts=data,
        )

    def _list_missing(self, names: set[str]) -> tuple[str, ...]:
        """Return the fields that nearly all pages have and that are not among the names."""
        expected = [name for name in self.pages_with if self.compute_share(name) >= EXPECTED_SHARE]
        return tuple(name for name in expected if name not in names)


def _collect_texts(extraction: Extraction) -> dict[str, list[str]]:
    """Return the texts of a page by field or column, without those that have none."""
    cells_by_name: dict[str, Sequence[Cell]] = {}
    if extraction.table is not None:
        for position, name in enumerate(extraction.table.names):
            cells_by_name[name] = [row[position] for row in extraction.table.rows]
    else:
        for name, value in (extraction.fields or {}).items():
            cells_by_name[name] = value if isinstance(value, list) else [value]
    texts_by_name: dict[str, list[str]] = {}
    for name, cells in cells_by_name.items():
        texts = [text for cell in cells if (text := format_cell(cell))]
        if texts:
            texts_by_name[name] = texts
    return texts_by_name


# ---- learning ------------------------------------------------------------------------------------


def learn_wrapper(method: str, sample: Sequence[FetchedPage], template: Template) -> LearnedWrapper:
    """Learn a wrapper from sample pages of a template; pages that cannot be parsed are skipped.

    A wrapper that the template has already is not learned again.
    """
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; choose from {', '.join(METHODS)}")
    pages = [page for page in map(parse_or_none, sample) if page is not None]
    shared = find_shared_texts(pages)
    start = time.perf_counter()
    methods = [method]
    if method == AUTO:
        # On a single page no field differs, but it may have a list.
        is_list = template.page_type is PageType.LIST or len(pages) == 1
        methods = [RECORDS, FIELDS] if is_list else [FIELDS, RECORDS]
    errors: list[str] = []
    for candidate in methods:
        try:
            wrapper = _get_learned(candidate, template) or _learn(candidate, pages)
        except UnweaveError as error:
            errors.append(str(error))
        else:
            return LearnedWrapper(candidate, wrapper, shared, time.perf_counter() - start)
    raise WrapperError(f"nothing can be learned from these pages: {errors[0]}")


def is_slow(method: str, template: Template) -> bool:
    """Tell whether learning by a method is a search that users may want to cancel."""
    return method != AUTO and _get_learned(method, template) is None


def parse_or_none(fetched: FetchedPage) -> Page | None:
    """Return the parsed page, or None if it cannot be parsed."""
    try:
        return fetched.parse()
    except PageError:
        return None


def _get_learned(method: str, template: Template) -> Wrapper | None:
    """Return the wrapper that was learned when the page type of the template was determined."""
    if method == FIELDS:
        return template.fields
    return template.records if method == RECORDS else None


def _learn(method: str, pages: Sequence[Page]) -> Wrapper:
    if method != LANDMARK:
        max_pages = MAX_PATTERN_PAGES if method == PATTERN else MAX_PAGES
        return api.learn(pages[:max_pages], method=method)
    sample: list[Page] = []
    remaining_tokens = MAX_LANDMARK_TOKENS
    for page in pages[:MAX_PAGES]:
        remaining_tokens -= 2 * len(page.tree) + len(page.texts)
        if remaining_tokens < 0:
            break
        sample.append(page)
    if len(sample) < min(2, len(pages)):
        raise WrapperError("the pages are too large to learn a landmark grammar in the studio")
    return LandmarkLearner(search="greedy", tokens=TokenUnit.TEXTS).learn(sample)


# ---- descriptions --------------------------------------------------------------------------------


def get_wrapper_kind(wrapper: Wrapper) -> str:
    """Return the method that a wrapper was learned by, as the API names it."""
    return PATTERN if wrapper.method == "news-pattern" else wrapper.method


def describe_fields(learned: LearnedWrapper) -> list[dict[str, Any]]:
    """Return the fields or columns that the pages of the group have, as ``FieldInfo``."""
    described: list[dict[str, Any]] = []
    for description in learned.wrapper.describe_fields():
        name = description.name
        if description.share is not None:
            described.append(_describe_field(description))
        elif learned.pages_with[name]:
            examples = tuple(learned.examples[name])
            share = learned.compute_share(name)
            described.append(_describe_field(replace(description, share=share, examples=examples)))
    return described


def describe_all_fields(wrapper: Wrapper) -> list[dict[str, Any]]:
    """Return all fields or columns of a wrapper, as ``FieldInfo``."""
    return [
        _describe_field(description)
        for description in wrapper.describe_fields()
        if description.share is not None or not description.name.startswith(UNSEEN_PREFIX)
    ]


def _describe_field(description: FieldDescription) -> dict[str, Any]:
    return {
        "name": description.name,
        "told_by": description.located_by,
        "share": description.share or 0.0,
        "is_list": description.is_list,
        "examples": description.examples,
        "table": description.table,
    }


def format_lines(learned: LearnedWrapper) -> list[str]:
    """Return the lines of a pattern or a grammar; none for wrappers that are a list of fields."""
    return list(islice(learned.wrapper.format_pattern(), MAX_PATTERN_LINES))


def make_landmark_tree(learned: LearnedWrapper) -> dict[str, Any] | None:
    """Return the tree of landmarks, cut below ``MAX_TREE_LEVELS``; None if there is none."""
    return learned.wrapper.to_landmark_tree(learned.examples, max_levels=MAX_TREE_LEVELS)
