"""Searches for landmark trees: RANDOM, GREEDY and A* (Cetorelli et al., section 5)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import heappop, heappush
from itertools import count
from random import Random

from unweave.wrappers.landmarks.costs import IncompressibleCost
from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Split, TokenTable, count_tokens

# The work of a greedy or random search, for few pages and for each of many. Three pages of real
# sites need half of it or less; it takes some seconds.
MIN_GREEDY_WORK = 8_000_000
GREEDY_WORK_PER_PAGE = 2_500_000

MAX_WORK = 10_000_000
"""The work of A*, and of the exact search after the greedy tree. It bounds the states of A* too."""

_WORK_PER_LEAF = 4  # to store one leaf of a state of A*
_TRIED_FIRST = 4  # splits that the greedy search tries before it computes the cost of all


class Ties(StrEnum):
    """What GREEDY chooses of equally good candidates: by the order of section 5.2, or at random."""

    INFORMED = "informed"
    RANDOM = "random"


LandmarkTree = dict[RegionSet, Split]
"""The splits of the inner nodes of a landmark tree, by the regions that they split."""


@dataclass
class SplitCount:
    """How many splits a search has performed: the paper's measure of its cost."""

    total: int = 0
    by_region_size: Counter[int] = field(default_factory=Counter)
    """By the number of tokens of a region, each split counted once a region, as in Figure 6c."""

    def add(self, regions: RegionSet, split: Split) -> None:
        """Count a split of these regions."""
        self.total += 1
        for (_, start, end), position in zip(regions, split.positions, strict=True):
            if position != ABSENT:
                self.by_region_size[end - start] += 1


@dataclass(frozen=True)
class SearchResult:
    """A landmark tree; it is known to be the best if its cost is equal to the bound."""

    tree: LandmarkTree
    cost: int
    """How many tokens the tree extracts."""
    bound: int | None
    """No tree extracts fewer; None if unknown."""
    splits: SplitCount


def compute_cost(table: TokenTable, tree: LandmarkTree, regions: RegionSet | None = None) -> int:
    """Return how many tokens a tree extracts from whole pages, or from some regions."""
    cost = 0
    waiting = [table.whole_pages if regions is None else regions]
    while waiting:
        region_set = waiting.pop()
        split = tree.get(region_set)
        if split is None:
            cost += count_tokens(region_set)
        else:
            finished, parts = table.apply_split(region_set, split)
            cost += finished
            waiting.extend(parts)
    return cost


class WorkBudget:
    """The work that a search may still do, in tokens moved from one side of a landmark to another.

    All time is spent in moving tokens, and in looking at the tokens of region sets.
    """

    def __init__(self, limit: int) -> None:
        self.left = limit

    @classmethod
    def for_greedy(cls, table: TokenTable) -> WorkBudget:
        """Return the work of a greedy search of these pages."""
        return cls(max(MIN_GREEDY_WORK, GREEDY_WORK_PER_PAGE * len(table.symbols)))

    def spend_on(self, table: TokenTable, regions: RegionSet) -> bool:
        """Spend the work of finding the splits of regions; return False if too little was left."""
        self.left -= estimate_work(table, regions)
        return self.left >= 0


def estimate_work(table: TokenTable, regions: RegionSet) -> int:
    """Return the work of finding the splits of regions."""
    landmarks = 0
    for page, start, end in regions:
        offsets = table.landmark_offsets[page]
        landmarks += offsets[end] - offsets[start]
    return 2 * (count_tokens(regions) + landmarks)


# ---- RANDOM and GREEDY (section 5.2) -------------------------------------------------------------


def search_random(table: TokenTable, random: Random) -> SearchResult:
    """Return a tree of candidates that are chosen at random."""
    work = WorkBudget.for_greedy(table)

    def choose_split(regions: RegionSet) -> Split | None:
        splits = table.find_splits(regions) if work.spend_on(table, regions) else []
        return random.choice(splits) if splits else None

    return _grow_tree(table, choose_split, table.whole_pages)


def search_greedy(
    table: TokenTable,
    *,
    ties: Ties = Ties.INFORMED,
    random: Random | None = None,
    regions: RegionSet | None = None,
) -> SearchResult:
    """Return the tree of the best next splits, of whole pages or of some regions."""
    greedy = Greedy(table, ties, random)
    whole = table.whole_pages if regions is None else regions
    return _grow_tree(table, lambda region_set: greedy.choose_split(region_set)[0], whole)


def _grow_tree(
    table: TokenTable, choose_split: Callable[[RegionSet], Split | None], regions: RegionSet
) -> SearchResult:
    tree: LandmarkTree = {}
    splits = SplitCount()
    waiting = [regions]
    while waiting:
        region_set = waiting.pop()
        split = choose_split(region_set)
        if split is not None:
            tree[region_set] = split
            splits.add(region_set, split)
            waiting.extend(table.apply_split(region_set, split)[1])
    return SearchResult(tree, compute_cost(table, tree, regions), None, splits)


class Greedy:
    """Chooses the split with the least incompressible cost, then with the fewest tokens left.

    When its work is done, it splits nothing more.
    """

    def __init__(
        self,
        table: TokenTable,
        ties: Ties = Ties.INFORMED,
        random: Random | None = None,
        work: WorkBudget | None = None,
    ) -> None:
        self._table = table
        self._ties = ties
        self._random = random or Random(0)  # noqa: S311
        self._work = work or WorkBudget.for_greedy(table)
        self._choices: dict[RegionSet, tuple[Split | None, int]] = {}

    def choose_split(self, regions: RegionSet) -> tuple[Split | None, int]:
        """Return the split of a region set, if it has one, and a lower bound of its cost."""
        if regions not in self._choices:
            self._choices[regions] = self._find_best_split(regions)
        return self._choices[regions]

    def _find_best_split(self, regions: RegionSet) -> tuple[Split | None, int]:
        if not self._work.spend_on(self._table, regions):
            return None, 0
        splits = self._table.find_splits(regions)
        if not splits:
            return None, count_tokens(regions)
        if self._ties is Ties.RANDOM:
            splits = self._random.sample(splits, len(splits))
        else:
            splits.sort(key=lambda split: split.rank)
        splits.sort(key=lambda split: -self._table.count_matched(regions, split))
        incompressible = IncompressibleCost(self._table, regions)
        # Often one of the first splits makes no token incompressible, and none can be better.
        best = None
        for split in splits[:_TRIED_FIRST]:
            if incompressible.compute_after([split])[0] == incompressible.cost:
                best = split
                break
        if best is None:
            costs = incompressible.compute_after(splits, max_moves=self._work.left)
            best = splits[costs.index(min(costs))]
        self._work.left -= incompressible.moves
        return best, incompressible.cost


# ---- A* (section 5.1) ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Step:
    """The last split of a state, and the steps before it."""

    regions: RegionSet
    split: Split
    previous: _Step | None


@dataclass(frozen=True)
class _Leaf:
    """A region set that may be split, its incompressible cost, and that after each split."""

    cost: int
    splits: list[Split]
    costs_after: list[int]


def search_astar(
    table: TokenTable,
    *,
    is_printed: bool = False,
    budget: int | None = None,
    regions: RegionSet | None = None,
) -> SearchResult:
    """Return the best tree of whole pages, or of some regions, by A* over trees.

    A state is a tree, and its estimate f is the incompressible cost of its leaves. The state of the
    least f is expanded next, by every split of its first leaf that has any. The paper leaves open
    which leaf that is; with one order, each tree is reached once. Of equal estimates, the latest
    state comes first, then the split that matches the most tokens, then the order of section 5.2.

    As printed, tokens that are repeated in the regions of a leaf are not part of f, though they are
    extracted, so a goal may be taken for the best that is not. Corrected, a leaf without candidates
    counts with all its tokens.

    Args:
        table: The pages.
        is_printed: Whether f is the printed one.
        budget: The tokens to look at. When they are used up, the greedy tree is returned.
        regions: The regions, whole pages by default.
    """
    return _AStar(table, is_printed, budget).run(table.whole_pages if regions is None else regions)


class _AStar:
    def __init__(self, table: TokenTable, is_printed: bool, budget: int | None) -> None:
        self._table = table
        self._is_printed = is_printed
        self._budget = math.inf if budget is None else budget
        self._work = WorkBudget(MAX_WORK)
        self._leaves: dict[RegionSet, _Leaf] = {}

    def run(self, whole: RegionSet) -> SearchResult:
        splits = SplitCount()
        serial_numbers = count(0, -1)
        estimate = self._expand_leaf(whole).cost if self._can_expand(whole) else 0
        states: list[tuple[int, int, tuple[RegionSet, ...], _Step | None]] = []
        heappush(states, (estimate, next(serial_numbers), (whole,), None))
        while True:
            estimate, _, leaves, last = heappop(states)
            while leaves and self._can_expand(leaves[0]):
                leaf = self._expand_leaf(leaves[0])
                if leaf.splits:
                    break
                if not self._is_printed:
                    estimate += count_tokens(leaves[0]) - leaf.cost
                leaves = leaves[1:]
            if leaves and not self._can_expand(leaves[0]):
                bound = min(estimate, states[0][0]) if states else estimate
                return self._give_up(whole, bound, splits)
            if states and estimate > states[0][0]:
                heappush(states, (estimate, next(serial_numbers), leaves, last))
                continue
            if last is not None:
                splits.add(last.regions, last.split)
            if not leaves:
                tree: LandmarkTree = {}
                while last is not None:
                    tree[last.regions] = last.split
                    last = last.previous
                cost = compute_cost(self._table, tree, whole)
                return SearchResult(tree, cost, estimate, splits)
            regions, rest = leaves[0], leaves[1:]
            leaf = self._expand_leaf(regions)
            self._work.left -= _WORK_PER_LEAF * (len(rest) + 3) * len(leaf.splits)
            for split, cost in zip(reversed(leaf.splits), reversed(leaf.costs_after), strict=True):
                parts = self._table.apply_split(regions, split)[1]
                step = _Step(regions, split, last)
                number = next(serial_numbers)
                heappush(states, (estimate + cost - leaf.cost, number, (*parts, *rest), step))

    def _can_expand(self, regions: RegionSet) -> bool:
        if regions in self._leaves:
            return self._work.left > 0
        is_in_budget = self._budget >= count_tokens(regions)
        return is_in_budget and self._work.left >= estimate_work(self._table, regions)

    def _expand_leaf(self, regions: RegionSet) -> _Leaf:
        if regions not in self._leaves:
            self._work.spend_on(self._table, regions)
            self._budget -= count_tokens(regions)
            splits = self._table.find_splits(regions)
            splits.sort(key=lambda split: (-self._table.count_matched(regions, split), split.rank))
            incompressible = IncompressibleCost(self._table, regions)
            # When the work is done, costs are lower bounds, and the search ends.
            costs = incompressible.compute_after(splits, cutoff=math.inf, max_moves=self._work.left)
            self._work.left -= incompressible.moves
            self._leaves[regions] = _Leaf(incompressible.cost, splits, costs)
        return self._leaves[regions]

    def _give_up(self, whole: RegionSet, bound: int, splits: SplitCount) -> SearchResult:
        greedy = search_greedy(self._table, regions=whole)
        for regions, split in greedy.tree.items():
            splits.add(regions, split)
        return SearchResult(greedy.tree, greedy.cost, bound, splits)
