"""Landmark grammars learned from pages of one template."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import count
from random import Random
from typing import TypeVar

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.variants import Variant, check_variant
from unweave.wrappers.base import is_value
from unweave.wrappers.landmarks.apply import SEEN, UNSEEN, LandmarkWrapper, Node
from unweave.wrappers.landmarks.astar import a_star
from unweave.wrappers.landmarks.exact import MORE_TOKENS, exact
from unweave.wrappers.landmarks.sample import ABSENT, RegionSet, Sample, sample_of
from unweave.wrappers.landmarks.search import (
    Decisions,
    Found,
    Ties,
    found_by_one_pass,
    greedy,
    random,
)
from unweave.wrappers.landmarks.tokens import Tokens, Unit, tokenize


class Search(StrEnum):
    """How the tree is found."""

    EXACT = "exact"
    """By branch and bound over sets of regions."""
    ASTAR = "astar"
    """By A* over whole trees, as in the paper."""
    GREEDY = "greedy"
    RANDOM = "random"


def learn(
    pages: Sequence[Page],
    *,
    search: str = Search.EXACT,
    tokens: str = Unit.WORDS,
    k: int = 2,
    attributes: bool = True,
    ties: str = Ties.INFORMED,
    seed: int = 0,
    budget: int = MORE_TOKENS,
    variant: str = Variant.CORRECTED,
) -> LandmarkWrapper:
    """Learn the grammar that leaves the fewest tokens to extract, as far as the search finds it.

    Every landmark stands once in ``k`` pages at least. ``attributes`` is the paper's dynamic tokenization. ``ties`` is for
    the greedy search, ``seed`` for what is random, ``budget`` is how many tokens the exact search and A* look at. In the
    variant ``printed``, the exact search is A* with the estimate that the paper prints.
    """
    if k < 1:
        raise UsageError("a landmark must stand in one page at least: k must not be less than 1")
    if budget < 0:
        raise UsageError("the budget must not be negative")
    unit, how, tie_rule = (
        _choice(Unit, "tokens", tokens),
        _choice(Search, "search", search),
        _choice(Ties, "ties", ties),
    )
    is_printed = check_variant(variant) is Variant.PRINTED
    rows = [tokenize(page, unit, attributes=attributes) for page in pages]
    sample = sample_of(rows, k)
    found = _find(sample, how, tie_rule, Random(seed), budget, is_printed)  # noqa: S311
    nodes = tuple(_nodes(sample, found.decisions, rows))
    wrapper = LandmarkWrapper(nodes, unit, attributes, found.cost, found.bound, found.splits.total)
    if wrapper.nodes[0].landmark is None:
        raise WrapperError(
            f"the pages have no landmark, which would stand once in {k} pages at least"
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


_Choice = TypeVar("_Choice", bound=StrEnum)


def _choice(choices: type[_Choice], name: str, value: str) -> _Choice:
    try:
        return choices(value)
    except ValueError:
        raise UsageError(f"unknown {name} {value!r}; there are {', '.join(choices)}") from None


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
        field = f"{SEEN}{next(seen)}" if is_seen else f"{UNSEEN}{next(unseen)}"
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
