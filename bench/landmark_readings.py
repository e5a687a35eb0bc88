"""Compare the fields of landmark grammars with the truth by several readings of the paper.

The paper (section 7) says that a precision and a recall are computed for each attribute from the
set of extracted and the set of true values, with the output attribute of the best F-measure, and
that
Table 3 has their averages. It does not say what an output attribute is, when two values are equal,
nor over what the average is taken. Each ``Reading`` answers that.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import unweave
from bench.corpus import PageSet
from unweave.page.page import Page
from unweave.wrappers.landmarks.apply import LandmarkWrapper
from unweave.wrappers.landmarks.learn import LandmarkLearner
from unweave.wrappers.landmarks.tokens import tokenize

_MIN_SHARED_WORD_SHARE = 0.9
"""A word in this share of the true values of an attribute on a site is part of its template."""

_MAX_WORDS = 200
"""Longer regions are no values: their texts are not made."""

_TOO_LONG = ("\0",)

Words = tuple[str, ...]
Truth = Mapping[str, Sequence[str]]
"""The true values of the attributes of a page."""


@dataclass(frozen=True)
class Reading:
    """What counts as a field, and as right."""

    with_inner_regions: bool = False
    """Whether the region of an inner node is a field, too, or only extracted texts."""
    ignores_punctuation: bool = False
    ignores_shared_words: bool = False
    """Whether words of nearly all true values of the site are left out, such as ``Phone:``."""
    accepts_parts: bool = False
    """Whether a run of words of a true value is right."""
    needs_one_value: bool = False
    """Whether one of several true values of a page is enough."""
    across_pages: bool = False
    """Whether the values of all pages of a site are one set, regardless of the page."""


class Score(NamedTuple):
    """Of one attribute on one site, or a mean of them."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean."""
        total = sum(self)
        return 2 * self.precision * self.recall / total if total else 0.0


Fields = dict[tuple[int, bool], str]
"""Texts by the node of the grammar, and whether they are all that its region has."""


def extract_regions(wrapper: LandmarkWrapper, page: Page) -> Fields:
    """Return the texts of the nodes of a grammar on a page: extracted, and of whole regions."""
    tokens = tokenize(page, wrapper.unit, attributes=wrapper.attributes)
    words_before = [0]
    for token in tokens.tokens:
        words_before.append(words_before[-1] + (token.text is not None))
    found: Fields = {}
    for part in wrapper.parse(tokens):
        count = words_before[part.end] - words_before[part.start]
        if count:
            text = tokens.join_text(part.start, part.end) if count <= _MAX_WORDS else _TOO_LONG[0]
            found[part.node, True] = text
            if not part.is_split:
                found[part.node, False] = text
    return found


def score_site(pages: Sequence[tuple[Truth, Fields]], reading: Reading) -> dict[str, Score]:
    """Return the score of each attribute of a site: that of the field with the best F1."""
    to_words = _bare_words if reading.ignores_punctuation else _words
    fields = [
        {
            name: to_words(text)
            for name, text in found.items()
            if reading.with_inner_regions or not name[1]
        }
        for _, found in pages
    ]
    attributes = {name for truth, _ in pages for name in truth}
    return {
        attribute: _best(
            [{to_words(value) for value in truth.get(attribute, ())} for truth, _ in pages],
            fields,
            reading,
        )
        for attribute in sorted(attributes)
    }


def _best(
    truths: list[set[Words]], fields: list[dict[tuple[int, bool], Words]], reading: Reading
) -> Score:
    """Return the score of the best field of an attribute, given the true values of each page."""
    ignored = _shared_words(truths) if reading.ignores_shared_words else frozenset()
    given: defaultdict[tuple[int, bool], set[object]] = defaultdict(set)
    right: defaultdict[tuple[int, bool], set[object]] = defaultdict(set)
    reached: defaultdict[tuple[int, bool], set[object]] = defaultdict(set)
    wanted: set[object] = set()
    everywhere = {_without(value, ignored) for values in truths for value in values} - {()}
    for number, (values, found) in enumerate(zip(truths, fields, strict=True)):
        page = None if reading.across_pages else number
        true = {_without(value, ignored) for value in values} - {()}
        wanted.update([(page, None if reading.needs_one_value else value) for value in true])
        candidates = everywhere if reading.across_pages else true
        matches: dict[Words, list[Words]] = {}
        for name, words in found.items():
            value = _without(words, ignored)
            if not value:
                continue
            if value not in matches:
                matches[value] = _matches(value, candidates, reading)
            given[name].add((page, value))
            if matches[value]:
                right[name].add((page, value))
                reached[name].update(
                    (page, None if reading.needs_one_value else match) for match in matches[value]
                )
    scores = [
        Score(len(right[name]) / len(given[name]), len(reached[name]) / len(wanted))
        for name in right
    ]
    return max(scores, key=lambda score: score.f1, default=Score(0.0, 0.0))


def _matches(value: Words, true: set[Words], reading: Reading) -> list[Words]:
    """Return the true values that an extracted one is right for."""
    if not reading.accepts_parts:
        return [value] if value in true else []
    return [
        whole
        for whole in true
        if len(value) <= len(whole) and f" {' '.join(value)} " in f" {' '.join(whole)} "
    ]


def _words(text: str) -> Words:
    return tuple(unicodedata.normalize("NFKC", text).casefold().split())


def _bare_words(text: str) -> Words:
    return tuple(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _without(words: Words, ignored: frozenset[str]) -> Words:
    return tuple(word for word in words if word not in ignored) if ignored else words


def _shared_words(truths: Iterable[set[Words]]) -> frozenset[str]:
    """Return the words that nearly all true values of an attribute have, if they differ at all."""
    values = [value for page in truths for value in page]
    if len(set(values)) < 2:
        return frozenset()
    counts = Counter(word for value in values for word in set(value))
    return frozenset(
        word for word, count in counts.items() if count >= _MIN_SHARED_WORD_SHARE * len(values)
    )


def mean_over_attributes(sites: Mapping[str, Mapping[str, Score]]) -> Score:
    """Return the mean over all attributes of all sites."""
    scores = [score for site in sites.values() for score in site.values()]
    return Score(mean(score.precision for score in scores), mean(score.recall for score in scores))


def mean_over_domains(sites: Mapping[str, Mapping[str, Score]]) -> Score:
    """Return the mean over domains of the means over attributes; sites are ``domain-site``."""
    domains: defaultdict[str, dict[str, Mapping[str, Score]]] = defaultdict(dict)
    for name, scores in sites.items():
        domains[name.split("-")[0]][name] = scores
    means = [mean_over_attributes(scores) for scores in domains.values()]
    return Score(mean(score.precision for score in means), mean(score.recall for score in means))


_EQUAL = Reading()
_TOLERANT = Reading(ignores_punctuation=True, ignores_shared_words=True)
READINGS = {
    "extracted texts, equal to the truth": _EQUAL,
    "values of all pages as one set": replace(_EQUAL, across_pages=True),
    "without punctuation": replace(_EQUAL, ignores_punctuation=True),
    "one of several true values is enough": replace(_EQUAL, needs_one_value=True),
    "without words that all true values share": _TOLERANT,
    "the same, one value is enough": replace(_TOLERANT, needs_one_value=True),
    "a part of them is right, all are needed": replace(_TOLERANT, accepts_parts=True),
    "regions of inner nodes are fields": Reading(with_inner_regions=True),
    "the same, without shared words": replace(_TOLERANT, with_inner_regions=True),
    "the same, one value is enough too": replace(
        _TOLERANT, with_inner_regions=True, needs_one_value=True
    ),
}
"""The readings by name; "the same" is the one above with one more difference."""

LEARNED: dict[str, dict[str, Any]] = {
    "greedy, k = 2": {"search": "greedy"},
    "greedy, k = 4": {"search": "greedy", "k": 4},
    "greedy, k = 8": {"search": "greedy", "k": 8},
    "greedy, k = 2, without attributes": {"search": "greedy", "attributes": False},
    "greedy, k = 2, whole texts": {"search": "greedy", "tokens": "texts"},
    "greedy, k = 2, 10 pages": {"search": "greedy", "pages": 10},
    "random, k = 2": {"search": "random"},
    "random, k = 4": {"search": "random", "k": 4},
    "random, k = 8": {"search": "random", "k": 8},
    "random, k = 2, whole texts": {"search": "random", "tokens": "texts"},
}
_LEARNED_PAGES = 20


def print_readings(sets: Sequence[PageSet], *, every: int, only: str) -> None:
    """Print precision, recall and F1 by each reading: means over attributes, and over domains.

    The figures of its Table 3 are whole eighths for SWDE, which has eight domains, and whole thirds
    for the expanded set, which has three: they are means over domains of whole percentages.
    """
    for page_set in sets:
        sites: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for page in page_set.read_pages():
            sites[page["site"]].append(page)
        names = list(sites)[:: every if page_set is sets[0] else 1]
        for title, parameters in LEARNED.items():
            if only not in title:
                continue
            with ProcessPoolExecutor() as workers:
                scored = list(
                    workers.map(
                        _site_by_readings,
                        repeat(page_set.folder),
                        map(sites.__getitem__, names),
                        repeat(parameters),
                    )
                )
            print(
                f"{page_set.name}, {len(names)} sites: {title}; means over attributes; over domains"
            )
            for reading in READINGS:
                scores = {name: site[reading] for name, site in zip(names, scored, strict=True)}
                figures = (mean_over_attributes(scores), mean_over_domains(scores))
                print(
                    f"  {reading:44}",
                    *(f"{p:.3f} / {r:.3f} / {Score(p, r).f1:.3f}" for p, r in figures),
                    flush=True,
                )


def _site_by_readings(
    folder: Path, pages: Sequence[dict[str, Any]], parameters: dict[str, Any]
) -> dict[str, dict[str, Score]]:
    """Learn from some pages of a site, apply to all, and score by each reading."""
    count = min(parameters.get("pages", _LEARNED_PAGES), len(pages))
    drawn = random.Random(0).sample([page["page"] for page in pages], count)
    given = {name: value for name, value in parameters.items() if name != "pages"}
    learned_from = [unweave.load_page(folder / name) for name in drawn]
    wrapper = LandmarkLearner(**given).learn(learned_from)
    read = [
        (page["fields"], extract_regions(wrapper, unweave.load_page(folder / page["page"])))
        for page in pages
    ]
    return {name: score_site(read, reading) for name, reading in READINGS.items()}
