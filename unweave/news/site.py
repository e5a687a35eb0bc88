"""What the pages of one template have in common: text that is no news, where bodies stand, and where titles stand.

It is learned from some pages of the template, and tells the article of others.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from unweave.news.blocks import Blocks
from unweave.news.names import Names
from unweave.news.title import Candidate
from unweave.news.worth import Worth, step_of, without_numbers
from unweave.page.page import Page
from unweave.trees.paths import paths

LEAST_PAGES = 3
"""From so many pages on, there is something to learn from what they share."""

# Pages that share so much of their text are one article at two addresses, and count once. What nearly all have is none.
_SAME_SHARE, _SAME_BLOCKS = 0.7, 2
_LEAST_WORDS = 3
_NEARLY_ALL = 0.8

# What so many of the articles have is template.
_TEMPLATE_SHARE = 0.2
_LEAST_TEMPLATE = 2
_SHARED_NAME = 0.3

# Each page votes for so many elements; an element must have so much of the best score to be chosen.
_VOTES = 8
_LEAST_SCORE = 0.3

# How much the place of a title counts that other pages have theirs in.
_AGREEMENT = 2.0

Mark = tuple[int, str]
"""The path of a block, and what it says."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the pages of one template share."""

    marks: frozenset[Mark]
    """Blocks that many articles have."""
    votes: Mapping[int, float]
    """How much speaks for each path as that of the body."""
    names: frozenset[str]
    """Names of the site."""
    favour: Mapping[str, float]
    """What speaks for each place as that of the title."""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "marks": sorted(map(list, self.marks)),
            "votes": sorted([path, round(vote, 6)] for path, vote in self.votes.items()),
            "names": sorted(self.names),
            "favour": {step: round(own, 6) for step, own in sorted(self.favour.items())},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Shared:
        """Read plain data."""
        return cls(
            frozenset((int(path), str(text)) for path, text in data["marks"]),
            {int(path): float(vote) for path, vote in data["votes"]},
            frozenset(map(str, data["names"])),
            {str(step): float(own) for step, own in data["favour"].items()},
        )


def copies(pages: Sequence[Blocks]) -> list[int]:
    """For each page a number that it shares with all pages of the same article."""
    texts = [
        {block.text: block.words for block in own if block.words >= _LEAST_WORDS and not block.is_link} for own in pages
    ]
    pages_with = Counter(text for own in texts for text in own)
    shared = {text for text, count in pages_with.items() if count >= _NEARLY_ALL * len(pages)}
    texts = [{text: words for text, words in own.items() if text not in shared} for own in texts]
    number = list(range(len(pages)))
    for one, other in combinations(range(len(pages)), 2):
        if number[one] != number[other] and _is_copy(texts[one], texts[other]):
            old, new = number[other], number[one]
            number = [new if its == old else its for its in number]
    return number


def _is_copy(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    if not one and not other:
        return True  # nothing is their own
    both = one.keys() & other.keys()
    less = min(sum(one.values()), sum(other.values()))
    return len(both) >= _SAME_BLOCKS and sum([one[text] for text in both]) >= _SAME_SHARE * less


def template_marks(pages: Sequence[Blocks], numbers: Sequence[int]) -> frozenset[Mark]:
    """What many articles say, each at the same place in the template."""
    articles: dict[Mark, set[int]] = defaultdict(set)
    for number, blocks in zip(numbers, pages, strict=True):
        for mark in _marks(blocks):
            articles[mark].add(number)
    least = max(_LEAST_TEMPLATE, _TEMPLATE_SHARE * len(set(numbers)))
    return frozenset(mark for mark, own in articles.items() if len(own) >= least)


def template_blocks(blocks: Blocks, marks: Collection[Mark]) -> set[int]:
    """The numbers of the blocks of a page that are template."""
    return {place for place, mark in enumerate(_marks(blocks)) if mark in marks}


def _marks(blocks: Blocks) -> list[Mark]:
    own = _paths(blocks.page)
    return [(own[block.owner], without_numbers(block.text.casefold())) for block in blocks]


def _paths(page: Page) -> list[int]:
    """A number for the path of each element, the same on all pages of a site."""
    return paths(page.tree.parents, [step_of(page, node) for node in range(len(page.tree))])


def votes(pages: Iterable[Worth]) -> dict[int, float]:
    """How much speaks for each path as that of the body."""
    sums: dict[int, float] = defaultdict(float)
    for worth in pages:
        for path, (_, share) in _ballot(worth).items():
            sums[path] += share
    return dict(sums)


def container(worth: Worth, votes: Mapping[int, float]) -> int:
    """The container of a page: one that is worth much, and that stands where those of other pages stand."""
    able = [
        (votes.get(path, 0.0) * math.sqrt(share), node)
        for path, (node, share) in _ballot(worth).items()
        if share >= _LEAST_SCORE
    ]
    return max(able)[1] if able else 0


def _ballot(worth: Worth) -> dict[int, tuple[int, float]]:
    """The paths of a page's best elements, each with the best element there and its share of the best score."""
    best = sorted(range(len(worth.scores)), key=worth.scores.__getitem__, reverse=True)[:_VOTES]
    most = worth.scores[best[0]]
    own = _paths(worth.page)
    ballot: dict[int, tuple[int, float]] = {}
    for node in best:
        if worth.scores[node] > 0:
            ballot.setdefault(own[node], (node, worth.scores[node] / most))
    return ballot


def shared_names(pages: Iterable[Page], numbers: Sequence[int]) -> frozenset[str]:
    """Names and parts of names that the heads of many articles have: they name the site."""
    articles: dict[str, set[int]] = defaultdict(set)
    for page, number in zip(pages, numbers, strict=True):
        for name in Names(page).all:
            articles[name].add(number)
    least = max(_LEAST_TEMPLATE, _SHARED_NAME * len(set(numbers)))
    return frozenset(name for name, those in articles.items() if len(those) >= least)


def favour(pages: Sequence[Sequence[Candidate]]) -> Mapping[str, float]:
    """What speaks for each place in the template: how good its titles are on the pages, and how often they are the best."""
    sums: dict[str, float] = defaultdict(float)
    wins = Counter[str]()
    for found in pages:
        best_at: dict[str, float] = {}
        for candidate in found:
            if candidate.step:
                best_at[candidate.step] = max(candidate.score, best_at.get(candidate.step, 0.0))
        for step, score in best_at.items():
            sums[step] += score
        if best_at:
            wins[max(best_at, key=best_at.__getitem__)] += 1
    return {step: (sum_ + _AGREEMENT * wins[step]) / len(pages) for step, sum_ in sums.items()}
