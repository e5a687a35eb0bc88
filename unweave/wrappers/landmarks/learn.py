"""Learn landmark grammars from pages of one template (Cetorelli et al.)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from random import Random

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.registry import check_option_types
from unweave.variants import Variant, check_variant
from unweave.wrappers.base import is_value
from unweave.wrappers.landmarks.apply import SEEN_PREFIX, UNSEEN_PREFIX, LandmarkWrapper, Node
from unweave.wrappers.landmarks.exact import DEFAULT_BUDGET, search_exact
from unweave.wrappers.landmarks.regions import (
    ABSENT,
    RegionSet,
    TokenTable,
    build_token_table,
)
from unweave.wrappers.landmarks.search import (
    LandmarkTree,
    SearchResult,
    Ties,
    search_astar,
    search_greedy,
    search_random,
)
from unweave.wrappers.landmarks.tokens import TokenSequence, TokenUnit, tokenize
from unweave.wrappers.learning import Learner


class Search(StrEnum):
    """How the landmark tree is searched for."""

    EXACT = "exact"
    """By branch and bound over region sets."""
    ASTAR = "astar"
    """By A* over whole trees, as in the paper."""
    GREEDY = "greedy"
    RANDOM = "random"


@dataclass(frozen=True, kw_only=True)
class LandmarkLearner(Learner):
    """Learns a landmark grammar."""

    search: str = Search.EXACT
    tokens: str = TokenUnit.WORDS
    k: int = 2
    """Every landmark occurs exactly once in at least this many pages (k-SEP)."""
    attributes: bool = True
    """Whether landmarks may have conditions on attributes: the paper's dynamic tokenization."""
    ties: str = Ties.INFORMED
    """What the greedy search chooses of equally good candidates."""
    seed: int = 0
    """Of the random search, and of ties at random."""
    budget: int = DEFAULT_BUDGET
    """How many tokens the exact search and A* look at."""
    variant: str = Variant.CORRECTED
    """``printed``: the exact search is A* with the estimate that the paper prints."""

    def __post_init__(self) -> None:
        check_option_types(self)
        _check_choice(Search, "search", self.search)
        _check_choice(TokenUnit, "tokens", self.tokens)
        _check_choice(Ties, "ties", self.ties)
        check_variant(self.variant)
        if self.k < 1:
            raise UsageError(f"k must be at least 1, not {self.k}")
        if self.budget < 0:
            raise UsageError(f"budget must be at least 0, not {self.budget}")

    def learn(self, pages: Sequence[Page]) -> LandmarkWrapper:
        """Return a wrapper with the grammar that extracts the fewest tokens, as far as known."""
        unit = TokenUnit(self.tokens)
        sequences = [tokenize(page, unit, attributes=self.attributes) for page in pages]
        table = build_token_table(sequences, self.k)
        result = self._search_tree(table)
        nodes = _build_nodes(table, result.tree, sequences)
        if nodes[0].landmark is None:
            raise WrapperError(f"the pages have no landmark that occurs once in {self.k} of them")
        return LandmarkWrapper(
            tuple(nodes), unit, self.attributes, result.cost, result.bound, result.splits.total
        )

    def _search_tree(self, table: TokenTable) -> SearchResult:
        random = Random(self.seed)  # noqa: S311
        is_printed = self.variant == Variant.PRINTED
        if self.search == Search.ASTAR or (is_printed and self.search == Search.EXACT):
            return search_astar(table, is_printed=is_printed, budget=self.budget)
        if self.search == Search.EXACT:
            return search_exact(table, budget=self.budget)
        if self.search == Search.GREEDY:
            return search_greedy(table, ties=Ties(self.ties), random=random)
        return search_random(table, random)


def _check_choice(choices: type[StrEnum], name: str, value: str) -> None:
    if value not in list(choices):
        raise UsageError(f"unknown {name} {value!r}; choose from {', '.join(choices)}")


def _build_nodes(
    table: TokenTable, tree: LandmarkTree, sequences: Sequence[TokenSequence]
) -> list[Node]:
    """Return the nodes of a wrapper. Fields that no learned page has are numbered separately."""
    seen_numbers, unseen_numbers = count(1), count(1)
    nodes: list[Node] = []
    waiting: list[tuple[RegionSet, int, int]] = [(table.whole_pages, -1, 0)]
    while waiting:
        regions, parent, side = waiting.pop()
        if parent >= 0:
            sides = list(nodes[parent].sides)
            sides[side] = len(nodes)
            nodes[parent] = nodes[parent]._replace(sides=tuple(sides))
        split = tree.get(regions)
        positions = split.positions if split else (ABSENT,) * len(regions)
        extracted = [region for region, at in zip(regions, positions, strict=True) if at == ABSENT]
        if any(is_value(sequences[page].join_text(start, end)) for page, start, end in extracted):
            field = f"{SEEN_PREFIX}{next(seen_numbers)}"
        else:
            field = f"{UNSEEN_PREFIX}{next(unseen_numbers)}"
        if split is None:
            nodes.append(Node(field))
            continue
        landmark = table.landmarks[split.landmark]
        share = (len(regions) - len(extracted)) / len(sequences)
        left, inside, right = table.split_regions(regions, split)
        parts = [left, inside, right] if landmark.end_tag else [left, right]
        for number, part in reversed(list(enumerate(parts))):
            waiting.append((part, len(nodes), number))
        nodes.append(Node(field, landmark, share, (0,) * len(parts)))
    return nodes
