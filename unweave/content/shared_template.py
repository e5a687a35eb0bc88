"""What the pages of one template share: boilerplate, and the paths of bodies and of titles.

It is learned from some pages of a template, and helps to read the others.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from unweave.content.blocks import Block, BlockScores, describe_step, replace_numbers
from unweave.content.title import HeadTitles, TitleCandidate
from unweave.page.page import Page
from unweave.trees.paths import hash_paths

MIN_PAGES = 3
"""With fewer pages, nothing can be learned from what they share."""

# Pages are copies of one article if they share two blocks, and 70 % of the words of the shorter
# one. Blocks that 80 % of the pages have do not count.
_MIN_COPY_SHARE, _MIN_COPY_BLOCKS = 0.7, 2
_COMMON_BLOCK_SHARE = 0.8

# What at least two articles and this share of them have is part of the template.
_MIN_TEMPLATE_ARTICLES = 2
_MIN_TEMPLATE_SHARE = 0.2

# The best elements of each page are candidates; a container has 30 % of the best score.
_CANDIDATES_PER_PAGE = 8
_MIN_CONTAINER_SHARE = 0.3

Mark = tuple[int, str]
"""The path of a block, and its text in lower case with "#" for numbers."""


@dataclass(frozen=True, slots=True)
class SharedTemplate:
    """What the pages of one template share."""

    marks: frozenset[Mark]
    """The blocks that many articles have."""
    body_path_scores: Mapping[int, float]
    """The scores of paths as that of the body, by the number of the path."""
    site_names: frozenset[str]
    """The titles in the head, and parts of them, that name the site."""
    title_path_prior: Mapping[str, float]
    """What a title at an element with a tag and class gets in addition to its score."""

    def to_json(self) -> dict[str, Any]:
        """Return the template as plain data."""
        scores = [[path, round(score, 6)] for path, score in self.body_path_scores.items()]
        prior = {step: round(score, 6) for step, score in sorted(self.title_path_prior.items())}
        return {
            "marks": sorted(map(list, self.marks)),
            "votes": sorted(scores),
            "names": sorted(self.site_names),
            "favour": prior,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SharedTemplate:
        """Read plain data."""
        return cls(
            frozenset((int(path), str(text)) for path, text in data["marks"]),
            {int(path): float(score) for path, score in data["votes"]},
            frozenset(map(str, data["names"])),
            {str(step): float(score) for step, score in data["favour"].items()},
        )


def find_copies(pages: Sequence[Sequence[Block]]) -> list[int]:
    """Return for each page, given by its blocks, a number that all copies of its article share."""
    words_of = [
        {block.text: block.words for block in blocks if not block.is_link} for blocks in pages
    ]
    pages_with = Counter(text for words in words_of for text in words)
    common = {
        text for text, count in pages_with.items() if count >= _COMMON_BLOCK_SHARE * len(pages)
    }
    words_of = [
        {text: count for text, count in words.items() if text not in common} for words in words_of
    ]
    numbers = list(range(len(pages)))
    for left, right in combinations(range(len(pages)), 2):
        if numbers[left] != numbers[right] and _is_copy(words_of[left], words_of[right]):
            old, new = numbers[right], numbers[left]
            numbers = [new if number == old else number for number in numbers]
    return numbers


def _is_copy(left: Mapping[str, float], right: Mapping[str, float]) -> bool:
    if not left and not right:
        return True  # neither has a text that most pages do not have
    both = left.keys() & right.keys()
    shorter = min(sum(left.values()), sum(right.values()))
    return (
        len(both) >= _MIN_COPY_BLOCKS
        and sum([left[text] for text in both]) >= _MIN_COPY_SHARE * shorter
    )


def find_template_marks(
    pages: Sequence[tuple[Page, Sequence[Block]]], articles: Sequence[int]
) -> frozenset[Mark]:
    """Return the marks that many articles have; ``articles`` has the article of each page."""
    articles_with: dict[Mark, set[int]] = defaultdict(set)
    for article, (page, blocks) in zip(articles, pages, strict=True):
        for mark in _mark_blocks(page, blocks):
            articles_with[mark].add(article)
    minimum = max(_MIN_TEMPLATE_ARTICLES, _MIN_TEMPLATE_SHARE * len(set(articles)))
    return frozenset(mark for mark, those in articles_with.items() if len(those) >= minimum)


def match_template_blocks(page: Page, blocks: Sequence[Block], marks: Collection[Mark]) -> set[int]:
    """Return the numbers of the blocks of a page that belong to the template."""
    return {number for number, mark in enumerate(_mark_blocks(page, blocks)) if mark in marks}


def _mark_blocks(page: Page, blocks: Sequence[Block]) -> list[Mark]:
    path_of = _number_paths(page)
    return [(path_of[block.owner], replace_numbers(block.text.casefold())) for block in blocks]


def _number_paths(page: Page) -> list[int]:
    """Return a number for the path of each element that is the same on all pages of a site."""
    steps = [describe_step(page, node) for node in range(len(page.tree))]
    return hash_paths(page.tree.parents, steps)


def score_body_paths(pages: Iterable[BlockScores]) -> dict[int, float]:
    """Return the score of each path as that of the body: the sum of its shares on the pages."""
    totals: dict[int, float] = defaultdict(float)
    for scores in pages:
        for path, (_, share) in _candidate_paths(scores).items():
            totals[path] += share
    return dict(totals)


def choose_container(scores: BlockScores, body_path_scores: Mapping[int, float]) -> int:
    """Return the element of a page that has a high score itself and at its path."""
    candidates: list[tuple[float, int]] = []
    for path, (node, share) in _candidate_paths(scores).items():
        if share >= _MIN_CONTAINER_SHARE:
            candidates.append((body_path_scores.get(path, 0.0) * math.sqrt(share), node))
    return max(candidates)[1] if candidates else 0


def _candidate_paths(scores: BlockScores) -> dict[int, tuple[int, float]]:
    """Return the paths of the best elements of a page.

    Each comes with the best element there, and its share of the best score of the page.
    """
    element_scores = scores.element_scores
    nodes = sorted(range(len(element_scores)), key=element_scores.__getitem__, reverse=True)
    best_score = element_scores[nodes[0]]
    path_of = _number_paths(scores.page)
    candidates: dict[int, tuple[int, float]] = {}
    for node in nodes[:_CANDIDATES_PER_PAGE]:
        if element_scores[node] > 0:
            candidates.setdefault(path_of[node], (node, element_scores[node] / best_score))
    return candidates


def find_site_names(pages: Iterable[Page], articles: Sequence[int]) -> frozenset[str]:
    """Return the titles, and parts of titles, that the heads of many articles have."""
    articles_with: dict[str, set[int]] = defaultdict(set)
    for page, article in zip(pages, articles, strict=True):
        for title in HeadTitles(page).terms:
            articles_with[title].add(article)
    minimum = max(_MIN_TEMPLATE_ARTICLES, _MIN_TEMPLATE_SHARE * len(set(articles)))
    return frozenset(title for title, those in articles_with.items() if len(those) >= minimum)


def compute_title_prior(pages: Sequence[Sequence[TitleCandidate]]) -> Mapping[str, float]:
    """Return for each tag and class how good, and how often best, its titles are on the pages."""
    totals: dict[str, float] = defaultdict(float)
    wins = Counter[str]()
    for candidates in pages:
        best_at: dict[str, float] = {}
        for candidate in candidates:
            if candidate.step:
                best_at[candidate.step] = max(candidate.score, best_at.get(candidate.step, 0.0))
        for step, score in best_at.items():
            totals[step] += score
        if best_at:
            wins[max(best_at, key=best_at.__getitem__)] += 1
    return {step: (total + wins[step]) / len(pages) for step, total in totals.items()}
