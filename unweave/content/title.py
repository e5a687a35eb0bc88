"""The title of an article: the line above the body that is most like the titles in the head."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from unweave.content.blocks import Block, count_words, describe_step, join_names
from unweave.content.body import find_first_paragraph
from unweave.content.byline import unescape_text
from unweave.page.page import Page
from unweave.scoring.model import LinearModel, read_model_file
from unweave.text_similarity import TermCounts, compute_dice, count_terms, list_terms

MAX_LINES = 1_000
"""The number of blocks before the body that are tried as titles."""
MAX_CANDIDATES = 2_000
MAX_TITLE_WORDS = 40
MAX_BLOCKS_AFTER_START = 12
"""A heading may be this many blocks after the start of the body and still be the title."""
MAX_HEAD_TITLE_LENGTH = 500
MAX_SEPARATORS = 8
"""The number of separators at which a title of the head is split."""


class TitleFeatures(NamedTuple):
    """The features of a text that may be the title."""

    head_similarity: float = 0.0
    """How similar it is to the most similar title of the head."""
    high_head_similarity: float = 0.0
    """The same, if it is 0.6 or more."""
    social_similarity: float = 0.0
    headline_similarity: float = 0.0
    share_in_body: float = 0.0
    """The share of its long words that are in the body, too."""
    is_sentence: float = 0.0
    is_byline: float = 0.0
    has_date: float = 0.0
    missing_words: float = 0.0
    surplus_words: float = 0.0
    is_named_title: float = 0.0
    """Whether the class or id of its element is that of a title."""
    is_named_otherwise: float = 0.0
    is_in_h1: float = 0.0
    is_in_h2: float = 0.0
    is_in_lower_heading: float = 0.0
    nearness_to_body: float = 0.0
    is_after_start: float = 0.0
    is_link: float = 0.0
    is_in_head_only: float = 0.0
    is_headline: float = 0.0
    is_part_of_head_title: float = 0.0


MODEL = LinearModel.from_json(
    read_model_file("unweave.content", "title_model.json"), TitleFeatures._fields
)
"""Fitted by bench/titles.py, which also measures such weights on sites left out."""

_WEIGHTS = dict(zip(TitleFeatures._fields, MODEL.weights, strict=True))
_HEADING_NAMES = ("is_in_h1", "is_in_h2", "is_in_lower_heading")
_HEAD_NAMES = (
    "head_similarity high_head_similarity social_similarity headline_similarity is_in_head_only"
    " is_headline is_part_of_head_title"
).split()
# What a line may score that has no word of the titles of the head, besides its nearness.
_MAX_UNKNOWN_SCORE = max(0.0, *map(_WEIGHTS.__getitem__, _HEADING_NAMES)) + sum(
    max(0.0, weight)
    for name, weight in _WEIGHTS.items()
    if name not in (*_HEADING_NAMES, *_HEAD_NAMES, "nearness_to_body")
)
_ROUNDING = 1e-6

_SEPARATOR = re.compile(r"\s+[|–—:»«·•/\\>-]+\s+|\s*[|»]\s*|:\s+")
_TITLE_NAMES = re.compile(r"headline|title|heading|\bhed\b", re.IGNORECASE)
_OTHER_NAMES = re.compile(
    "(?:(?<![a-zA-Z])|(?=[A-Z]))(?i:byline|section|logo|date|author|breadcrumb|kicker|caption|meta"
    "|tag|site|brand|credit)"
)
_BYLINE = re.compile(
    r"(by|von|par|por|di|od|written by|posted by|published|updated)\b", re.IGNORECASE
)
_DATE = re.compile(r"\b(19|20)\d\d\b|\d\d?:\d\d|\d\d?[./]\d\d?[./]")
_SENTENCE_ENDS = (".", "。", "।")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_HEADING_FEATURES = {
    "h1": "is_in_h1",
    "h2": "is_in_h2",
    "h3": "is_in_lower_heading",
    "h4": "is_in_lower_heading",
    "h5": "is_in_lower_heading",
}
_EMPHASIS_TAGS = frozenset("b strong font span big em".split())
_MIN_LONG_WORD = 4  # letters


@dataclass(frozen=True, slots=True)
class TitleCandidate:
    """A text that may be the title, and its features."""

    text: str
    features: TitleFeatures
    text_node: int | None = None
    """The number of its first text node; None if only the head of the document has it."""
    step: str = ""
    """The tag and class of its element."""

    @property
    def score(self) -> float:
        """The weighted sum of the features."""
        return MODEL.score(self.features)


class HeadTitles:
    """The titles that the head of a page gives, without ``site_names``, and their parts."""

    def __init__(self, page: Page, site_names: Collection[str] = ()) -> None:
        document = page.title[:MAX_HEAD_TITLE_LENGTH]
        social = page.metadata.find_first("og:title", "twitter:title")[:MAX_HEAD_TITLE_LENGTH]
        self.headline = _read_headline(page)[:MAX_HEAD_TITLE_LENGTH]
        other = page.metadata.find_first("headline", "title", "dc.title", "hdl")[
            :MAX_HEAD_TITLE_LENGTH
        ]
        self.whole: list[str] = []
        """The titles as they are: headline, title for social media, title of the document."""
        for title in (self.headline, social, document):
            if title and title not in site_names:
                self.whole.append(title)
        self.terms: dict[str, TermCounts] = {}
        """The words of every title and of every part of one."""
        for title in [*self.whole, other]:
            for part in split_title(title):
                if part and part not in site_names and part not in self.terms:
                    self.terms[part] = count_terms(part)
        self._words = {word for terms in self.terms.values() for word in terms}
        self._social_terms, self._headline_terms = count_terms(social), count_terms(self.headline)

    def has_none(self, terms: Sequence[str]) -> bool:
        """Tell whether no title has any of some words."""
        return self._words.isdisjoint(terms)

    def measure_similarity(self, terms: TermCounts) -> float:
        """Return the similarity of words to the most similar title, 0 to 1."""
        return max(compute_dice(terms, part) for part in self.terms.values())

    def measure_social_similarity(self, terms: TermCounts) -> float:
        """Return the similarity of words to the title for social media, 0 to 1."""
        return compute_dice(terms, self._social_terms)

    def measure_headline_similarity(self, terms: TermCounts) -> float:
        """Return the similarity of words to the headline of the JSON-LD, 0 to 1."""
        return compute_dice(terms, self._headline_terms)


def _read_headline(page: Page) -> str:
    for thing in page.metadata.jsonld_objects:
        if isinstance(thing.get("headline"), str):
            return unescape_text(thing["headline"])
    return ""


def split_title(text: str) -> Iterator[str]:
    """Yield a title and all runs of its parts between separators: some part may name the site."""
    marks = list(_SEPARATOR.finditer(text))[:MAX_SEPARATORS]
    starts = [0, *(mark.end() for mark in marks)]
    stops = [*(mark.start() for mark in marks), len(text)]
    yield text
    for start in starts:
        for stop in reversed(stops):
            if start < stop and stop - start < len(text):
                yield text[start:stop]


def find_title_candidates(
    page: Page,
    blocks: Sequence[Block],
    body: Sequence[Block],
    site_names: Collection[str] = (),
) -> list[TitleCandidate]:
    """Return all texts that may be the title of a body: lines above it, and titles of the head."""
    titles = HeadTitles(page, site_names)
    if not titles.terms:
        titles = HeadTitles(page)
    return _CandidateFinder(page, blocks, body, titles).find()


def find_best_title(
    page: Page, blocks: Sequence[Block], body: Sequence[Block]
) -> TitleCandidate | None:
    """Return the one of ``find_title_candidates`` that ``choose_title`` chooses, or None.

    Most lines are not described: without a word of the titles of the head, they cannot win.
    """
    return _CandidateFinder(page, blocks, body, HeadTitles(page)).find_best()


class _Line(NamedTuple):
    text: str
    node: int
    text_node: int
    linked: float


class _CandidateFinder:
    """Finds the title candidates of one page and computes their features."""

    def __init__(
        self, page: Page, blocks: Sequence[Block], body: Sequence[Block], titles: HeadTitles
    ) -> None:
        self._blocks, self._page, self._titles = blocks, page, titles
        self._start = body[find_first_paragraph(body)].start if body else len(self._page.texts)
        self._body_words: set[str] = set()
        for block in body:
            self._body_words.update(
                [word for word in list_terms(block.text) if len(word) >= _MIN_LONG_WORD]
            )

    def find(self) -> list[TitleCandidate]:
        lines = [self._make_candidate(line, terms) for line, terms in self._list_lines()]
        return lines + self._describe_head_titles()

    def find_best(self) -> TitleCandidate | None:
        best: tuple[float, int, TitleCandidate] | None = None
        lines = self._list_lines()
        for number, candidate in enumerate(self._describe_head_titles(), start=len(lines)):
            best = _choose_better(best, candidate, number)
        unknown: list[int] = []
        for number, (line, terms) in enumerate(lines):
            if self._titles.has_none(terms):
                unknown.append(number)
            else:
                best = _choose_better(best, self._make_candidate(line, terms), number)
        for number in unknown:
            line, terms = lines[number]
            nearness = _WEIGHTS["nearness_to_body"] * self._measure_nearness(line)
            if best is None or _MAX_UNKNOWN_SCORE + nearness + _ROUNDING >= best[0]:
                best = _choose_better(best, self._make_candidate(line, terms), number)
        return best[2] if best else None

    def _list_lines(self) -> list[tuple[_Line, list[str]]]:
        """Return the lines that may be titles, with their words."""
        lines = islice(self._iter_lines(), MAX_CANDIDATES)
        with_terms = [(line, list_terms(line.text)) for line in lines]
        return [(line, terms) for line, terms in with_terms if terms]

    def _make_candidate(self, line: _Line, terms: Sequence[str]) -> TitleCandidate:
        features = self._describe_line(line, terms)
        step = describe_step(self._page, line.node)
        return TitleCandidate(line.text, features, line.text_node, step)

    def _describe_head_titles(self) -> list[TitleCandidate]:
        """Return the titles of the head and their parts as candidates."""
        candidates: list[TitleCandidate] = []
        for title, terms in self._titles.terms.items():
            if terms:
                features = TitleFeatures(
                    **self._describe_text(title, list_terms(title)),
                    is_in_head_only=1.0,
                    is_headline=float(title == self._titles.headline),
                    is_part_of_head_title=float(title not in self._titles.whole),
                )
                candidates.append(TitleCandidate(title, features))
        return candidates

    def _iter_lines(self) -> Iterator[_Line]:
        """Yield the lines that may be titles."""
        page, labels = self._page, self._page.tree.labels
        stop = sum([block.start < self._start for block in self._blocks])
        for block in self._blocks[max(0, stop - MAX_LINES) : stop + MAX_BLOCKS_AFTER_START]:
            label, is_above = labels[block.owner], block.start < self._start
            if not is_above and label not in ("h1", "h2"):
                continue
            if block.words <= MAX_TITLE_WORDS:
                yield _Line(block.text, block.owner, block.start, block.linked)
            if len(block.text_nodes) > 1 and is_above and label not in _HEADINGS:
                for node in self._iter_emphasis(block):
                    yield _Line(page.text(node), node, page.text_starts[node], block.linked)
        for node in self._iter_multiline_headings():
            yield _Line(page.text(node), node, page.text_starts[node], 0.0)

    def _iter_emphasis(self, block: Block) -> Iterator[int]:
        """Yield the elements within a block that emphasize some of its words."""
        page = self._page
        for text_node in block.text_nodes:
            node = page.text_parents[text_node]
            is_part = (
                page.text_starts[node] == text_node and page.text_nodes(node) != block.text_nodes
            )
            if (
                is_part
                and page.tree.labels[node] in _EMPHASIS_TAGS
                and 1 < count_words(page.text(node)) <= MAX_TITLE_WORDS
            ):
                yield node

    def _iter_multiline_headings(self) -> Iterator[int]:
        """Yield headings of several lines, each of which is a block."""
        page = self._page
        for node, label in enumerate(page.tree.labels):
            if (
                label in ("h1", "h2")
                and page.count_texts(node) > 1
                and page.text_starts[node] < self._start
            ):
                lines = {
                    page.block_ancestors[page.text_parents[text_node]]
                    for text_node in page.text_nodes(node)
                }
                if lines != {node} and count_words(page.text(node)) <= MAX_TITLE_WORDS:
                    yield node

    def _describe_line(self, line: _Line, terms: Sequence[str]) -> TitleFeatures:
        """Return the features of a line of the page."""
        tree = self._page.tree
        nodes = list(islice(tree.ancestors(line.node), 3))
        heading: dict[str, float] = {}
        for node in nodes:
            if tree.labels[node] in _HEADING_FEATURES:
                heading = {_HEADING_FEATURES[tree.labels[node]]: 1.0}
                break
        is_title, is_other = _match_names(" ".join([join_names(self._page, n) for n in nodes[:2]]))
        return TitleFeatures(
            **self._describe_text(line.text, terms),
            **heading,
            is_named_title=is_title,
            is_named_otherwise=is_other,
            nearness_to_body=self._measure_nearness(line),
            is_after_start=float(line.text_node >= self._start),
            is_link=float(line.linked > 1 / 2),
        )

    def _measure_nearness(self, line: _Line) -> float:
        return 1 / (1 + max(0, self._start - line.text_node) / 4)

    def _describe_text(self, text: str, terms: Sequence[str]) -> dict[str, float]:
        """Return the features of a text that do not depend on its element."""
        counts = None if self._titles.has_none(terms) else Counter(terms)
        similarity = self._titles.measure_similarity(counts) if counts else 0.0
        long = {word for word in terms if len(word) >= _MIN_LONG_WORD}
        in_body = len(long & self._body_words)
        words = len(terms)
        features = {
            "head_similarity": similarity,
            "high_head_similarity": similarity if similarity >= 0.6 else 0.0,
            "share_in_body": in_body / len(long) if long else 0.0,
            "is_sentence": float(text.endswith(_SENTENCE_ENDS)),
            "is_byline": float(_BYLINE.match(text) is not None),
            "has_date": float(_DATE.search(text) is not None),
            "missing_words": max(0, 4 - words) / 4,
            "surplus_words": max(0, words - 18) / 10,
        }
        if counts:
            features["social_similarity"] = self._titles.measure_social_similarity(counts)
            features["headline_similarity"] = self._titles.measure_headline_similarity(counts)
        return features


def _choose_better(
    best: tuple[float, int, TitleCandidate] | None, candidate: TitleCandidate, number: int
) -> tuple[float, int, TitleCandidate]:
    """Return the score, number and candidate with the higher score; of equals, the first."""
    score = candidate.score
    if best is None or (score, -number) > (best[0], -best[1]):
        return score, number, candidate
    return best


@lru_cache(maxsize=16_384)  # the same names are all over a site
def _match_names(names: str) -> tuple[float, float]:
    """Return 1 or 0 each: are these classes and ids those of a title, and of something else?"""
    is_title = _TITLE_NAMES.search(names) is not None
    is_other = _OTHER_NAMES.search(names) is not None
    return float(is_title), float(is_other)


def choose_title(
    candidates: Sequence[TitleCandidate], path_prior: Mapping[str, float] | None = None
) -> TitleCandidate | None:
    """Return the candidate with the highest score; ``path_prior`` adds to it by tag and class."""
    prior = path_prior or {}
    return max(
        candidates,
        key=lambda candidate: candidate.score + prior.get(candidate.step, 0.0),
        default=None,
    )
