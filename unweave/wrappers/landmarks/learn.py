"""Landmark grammars learned from pages of one template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from random import Random

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.variants import Variant, check_variant
from unweave.wrappers.base import is_value
from unweave.wrappers.landmarks.apply import SEEN_PREFIX, UNSEEN_PREFIX, LandmarkWrapper, Node
from unweave.wrappers.landmarks.astar import a_star
from unweave.wrappers.landmarks.exact import MORE_TOKENS, exact
from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Sample, sample_of
from unweave.wrappers.landmarks.search import (
    Decisions,
    Found,
    Ties,
    found_by_one_pass,
    greedy,
    random,
)
from unweave.wrappers.landmarks.tokens import Tokens, TokenUnit, tokenize


class Search(StrEnum):
    """How the tree is found."""

    EXACT = "exact"
    """By branch and bound over sets of regions."""
    ASTAR = "astar"
    """By A* over whole trees, as in the paper."""
    GREEDY = "greedy"
    RANDOM = "random"


@dataclass(frozen=True, kw_only=True)
class LandmarkOptions:
    """How a landmark grammar is learned."""

    search: str = Search.EXACT
    tokens: str = TokenUnit.WORDS
    k: int = 2
    """Every landmark occurs exactly once in at least this many pages (k-SEP)."""
    attributes: bool = True
    """Whether landmarks may name attributes of tags: the paper's dynamic tokenization."""
    ties: str = Ties.INFORMED
    """What the greedy search chooses of equal candidates."""
    seed: int = 0
    """Of the random search, and of ties at random."""
    budget: int = MORE_TOKENS
    """How many tokens the exact search and A* look at."""
    variant: str = Variant.CORRECTED
    """``printed``: the exact search is A* with the estimate that the paper prints."""

    def __post_init__(self) -> None:
        _check_choice(Search, "search", self.search)
        _check_choice(TokenUnit, "tokens", self.tokens)
        _check_choice(Ties, "ties", self.ties)
        check_variant(self.variant)
        if self.k < 1:
            raise UsageError(
                "a landmark must stand in one page at least: k must not be less than 1"
            )
        if self.budget < 0:
            raise UsageError("the budget must not be negative")


def _check_choice(choices: type[StrEnum], name: str, value: str) -> None:
    if value not in list(choices):
        raise UsageError(f"unknown {name} {value!r}; there are {', '.join(choices)}")


def learn(pages: Sequence[Page], options: LandmarkOptions | None = None) -> LandmarkWrapper:
    """Learn the grammar that leaves the fewest tokens to extract, as far as the search finds it."""
    options = options or LandmarkOptions()
    unit = TokenUnit(options.tokens)
    rows = [tokenize(page, unit, attributes=options.attributes) for page in pages]
    sample = sample_of(rows, options.k)
    found = _find(
        sample,
        Search(options.search),
        Ties(options.ties),
        Random(options.seed),  # noqa: S311
        options.budget,
        check_variant(options.variant) is Variant.PRINTED,
    )
    nodes = tuple(_nodes(sample, found.decisions, rows))
    wrapper = LandmarkWrapper(
        nodes, unit, options.attributes, found.cost, found.bound, found.splits.total
    )
    if wrapper.nodes[0].landmark is None:
        raise WrapperError(
            f"the pages have no landmark, which would stand once in {options.k} pages at least"
        )
    return wrapper


def _find(
    sample: Sample, search: Search, ties: Ties, chance: Random, budget: int, is_printed: bool
) -> Found:
    if search is Search.ASTAR or (is_printed and search is Search.EXACT):
        return a_star(sample, is_printed=is_printed, budget=budget)
    if search is Search.EXACT:
        return exact(sample, budget=budget)
    if search is Search.GREEDY:
        return found_by_one_pass(sample, greedy(sample, ties=ties, chance=chance))
    return found_by_one_pass(sample, random(sample, chance=chance))


def _nodes(sample: Sample, decisions: Decisions, pages: Sequence[Tokens]) -> list[Node]:
    """The tree as a wrapper has it. Fields that the learned pages have are numbered apart from those that they lack."""
    seen, unseen = count(1), count(1)
    nodes: list[Node] = []
    waiting: list[tuple[RegionSet, int, int]] = [(sample.whole, -1, 0)]
    while waiting:
        regions, parent, side = waiting.pop()
        if parent >= 0:
            sides = nodes[parent].sides
            nodes[parent] = nodes[parent]._replace(
                sides=(*sides[:side], len(nodes), *sides[side + 1 :])
            )
        split = decisions.get(regions)
        places = split.places if split else (ABSENT,) * len(regions)
        left = [region for region, place in zip(regions, places, strict=True) if place == ABSENT]
        is_seen = any(is_value(pages[page].text(start, stop)) for page, start, stop in left)
        field = f"{SEEN_PREFIX}{next(seen)}" if is_seen else f"{UNSEEN_PREFIX}{next(unseen)}"
        if split is None:
            nodes.append(Node(field))
            continue
        landmark = sample.names[split.mark]
        share = (len(regions) - len(left)) / len(pages)
        before, inside, after = sample.sides(regions, split)
        below = [before, inside, after] if landmark.end_tag else [before, after]
        waiting.extend(
            (part, len(nodes), number) for number, part in reversed(list(enumerate(below)))
        )
        nodes.append(Node(field, landmark, share, (0,) * len(below)))
    return nodes
