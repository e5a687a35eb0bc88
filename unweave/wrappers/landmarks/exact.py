"""The best landmark tree by branch and bound over region sets.

The best tree of a region set depends on that set alone, and the cost of a split is the sum of the
costs of its parts. So every set is solved once, however many trees have it, and the parts of a
split are solved one by one. The search begins with the smallest sets of the greedy tree: a budget
that is too small for whole pages suffices for most of their parts.

The lower bound is larger than the paper's. A token that is repeated in a region can be a landmark
only after another landmark has separated it from the others, so the tokens that landmarks match in
any tree grow from those that occur once (``find_removable_tokens``). And in a set of exactly k
regions, landmarks are in all of them, in one order: there are at most as many as the longest common
subsequence of two regions has tokens.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from unweave.wrappers.landmarks.costs import IncompressibleCost
from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Split, TokenTable, count_tokens
from unweave.wrappers.landmarks.search import (
    MAX_WORK,
    Greedy,
    SearchResult,
    SplitCount,
    WorkBudget,
    compute_cost,
)

DEFAULT_BUDGET = 500_000
"""The tokens to look at, in all region sets together, after those of the greedy tree."""

_MAX_BUDGET_SHARE = 10
"""A set of the greedy tree may use one part in this many of the budget that is left."""


def search_exact(
    table: TokenTable, *, budget: int = DEFAULT_BUDGET, regions: RegionSet | None = None
) -> SearchResult:
    """Return the best tree of whole pages, or of some regions.

    When the budget is used up, it is the best tree so far, never worse than the greedy one.
    """
    whole = table.whole_pages if regions is None else regions
    return _BranchAndBound(table, budget).run(whole)


@dataclass(eq=False)
class _Option:
    """A split of a region set, and a lower bound of the trees that begin with it."""

    split: Split
    finished: int
    """How many tokens are in regions without the landmark."""
    parts: tuple[RegionSet, ...]
    bound: int


@dataclass(eq=False)
class _Solution:
    """The bounds of the cost of a region set, and the split that leads to the upper one."""

    lower: int
    upper: int
    split: Split | None
    options: list[_Option] | None = None


class _BranchAndBound:
    def __init__(self, table: TokenTable, budget: int) -> None:
        self._table = table
        self._budget = budget
        self._work = WorkBudget.for_greedy(table)
        self._greedy = Greedy(table, work=self._work)
        self._solutions: dict[RegionSet, _Solution] = {}
        self._lower_bounds: dict[RegionSet, int] = {}
        self._splits = SplitCount()

    def run(self, whole: RegionSet) -> SearchResult:
        budget = self._budget
        self._get_solution(whole)
        # If the work did not suffice for the greedy tree, no better one is searched for.
        self._work.left = MAX_WORK if self._work.left > 0 else 0
        self._budget = budget
        self._solve_greedy_parts(whole)
        self._solve(whole)
        tree: dict[RegionSet, Split] = {}
        for regions in self._list_best_tree(whole):
            split = self._solutions[regions].split
            if split is not None:
                tree[regions] = split
        cost = compute_cost(self._table, tree, whole)
        return SearchResult(tree, cost, self._solutions[whole].lower, self._splits)

    def _list_best_tree(self, whole: RegionSet) -> list[RegionSet]:
        """Return the region sets of the best tree so far, parents before their parts."""
        region_sets: list[RegionSet] = []
        waiting = [whole]
        while waiting:
            regions = waiting.pop()
            region_sets.append(regions)
            split = self._solutions[regions].split
            if split is not None:
                waiting.extend(self._table.apply_split(regions, split)[1])
        return region_sets

    def _get_solution(self, regions: RegionSet) -> _Solution:
        """Return what is known of a region set: at first, the greedy tree and its bound."""
        waiting = [regions]
        while waiting:
            region_set = waiting[-1]
            if region_set in self._solutions:
                waiting.pop()
                continue
            split, lower = self._greedy.choose_split(region_set)
            finished, parts = (
                self._table.apply_split(region_set, split)
                if split is not None
                else (count_tokens(region_set), ())
            )
            unknown = [part for part in parts if part not in self._solutions]
            if unknown:
                waiting.extend(unknown)
                continue
            self._budget -= count_tokens(region_set)
            upper = finished + sum(self._solutions[part].upper for part in parts)
            self._solutions[region_set] = _Solution(lower, upper, split)
            if split is not None:
                self._splits.add(region_set, split)
        return self._solutions[regions]

    def _solve_greedy_parts(self, whole: RegionSet) -> None:
        """Solve sets of the greedy tree, parts first, as long as all parts of a set are solved."""
        for regions in reversed(self._list_best_tree(whole)):
            solution = self._solutions[regions]
            if solution.split is None:
                continue
            finished, parts = self._table.apply_split(regions, solution.split)
            solutions = [self._solutions[part] for part in parts]
            solution.upper = finished + sum(part.upper for part in solutions)
            if self._can_continue() and all(part.lower >= part.upper for part in solutions):
                allowed = self._budget // _MAX_BUDGET_SHARE
                rest, self._budget = self._budget - allowed, allowed
                self._solve(regions)
                self._budget += rest

    def _solve(self, regions: RegionSet) -> None:
        """Solve a region set and its parts, without recursion: trees may be deep."""
        stack = [self._improve(regions, math.inf)]
        while stack:
            part = next(stack[-1], None)
            if part is None:
                stack.pop()
            else:
                stack.append(self._improve(*part))

    def _improve(
        self, regions: RegionSet, limit: float
    ) -> Generator[tuple[RegionSet, float], None, None]:
        """Find the cost of a region set, or that it is not below the limit.

        Yields the parts that are to be solved first, each with its limit.
        """
        solution = self._get_solution(regions)
        if not self._can_continue():
            return
        solution.lower = max(solution.lower, self._bound(regions))
        if solution.lower >= min(solution.upper, limit):
            return
        for option in self._list_options(regions, solution):
            if not self._is_promising(option, solution, limit):
                continue
            self._splits.add(regions, option.split)
            largest_first = sorted(option.parts, key=count_tokens, reverse=True)
            if not all(self._is_promising(option, solution, limit, part) for part in largest_first):
                continue
            for part in largest_first:
                self._get_solution(part)
                self._raise_bound(option)
                slack = min(solution.upper, limit) - option.bound
                if slack <= 0:
                    break
                yield part, self._known_bound(part) + slack
            self._raise_bound(option)
            cost = option.finished + sum(self._get_solution(part).upper for part in option.parts)
            if cost < solution.upper:
                solution.upper, solution.split = cost, option.split
        bounds = [option.bound for option in solution.options or ()]
        solution.lower = max(solution.lower, min([solution.upper, *bounds]))

    def _can_continue(self) -> bool:
        return self._budget > 0 and self._work.left > 0

    def _is_promising(
        self, option: _Option, solution: _Solution, limit: float, part: RegionSet | None = None
    ) -> bool:
        """Tell whether a split may lead to a lower cost, with the bound of a part if given."""
        if part is not None and self._can_continue():
            self._bound(part)
        self._raise_bound(option)
        lower = max(solution.lower, option.bound)
        return self._can_continue() and lower < min(solution.upper, limit)

    def _raise_bound(self, option: _Option) -> None:
        """Raise the bound of an option to what is known of its parts."""
        parts = sum(map(self._known_bound, option.parts))
        option.bound = max(option.bound, option.finished + parts)

    def _known_bound(self, regions: RegionSet) -> int:
        solution = self._solutions.get(regions)
        return max(solution.lower if solution else 0, self._lower_bounds.get(regions, 0))

    def _bound(self, regions: RegionSet) -> int:
        if regions not in self._lower_bounds:
            removable = self._find_removable(regions)
            self._lower_bounds[regions] = compute_lower_bound(self._table, regions, removable)
        return self._lower_bounds[regions]

    def _find_removable(self, regions: RegionSet) -> RemovableTokens:
        removable = find_removable_tokens(self._table, regions, max_steps=self._work.left)
        self._work.left -= removable.steps
        return removable

    def _list_options(self, regions: RegionSet, solution: _Solution) -> list[_Option]:
        """Return the splits of a region set, the most promising first.

        It is one split only if a best tree is certain to begin with it.
        """
        if solution.options is None:
            self._budget -= count_tokens(regions)
            self._work.spend_on(self._table, regions)
            splits = self._table.find_splits(regions)
            incompressible = IncompressibleCost(self._table, regions)
            costs = incompressible.compute_after(
                splits, cutoff=solution.upper, max_moves=self._work.left
            )
            self._work.left -= incompressible.moves
            ranked = [(cost, split) for cost, split in zip(costs, splits, strict=True)]
            ranked.sort(key=lambda entry: (entry[0], entry[1].rank))
            if len(regions) == self._table.k:
                ranked = self._find_certain_split(regions, ranked, incompressible.cost)
            solution.options = [
                _Option(split, *self._table.apply_split(regions, split), cost)
                for cost, split in ranked
            ]
        return solution.options

    def _find_certain_split(
        self, regions: RegionSet, ranked: list[tuple[int, Split]], cost: int
    ) -> list[tuple[int, Split]]:
        """Return the split that a best tree is certain to begin with, or all if none is known."""
        removable = self._find_removable(regions)
        occurrences = sum(map(len, removable.occurrences.values()))
        for cost_after, split in ranked:
            if cost_after > cost or self._work.left <= 0:
                break  # it makes tokens incompressible, so it separates landmarks
            self._work.left -= occurrences
            if is_root_of_best_tree(self._table, regions, split, removable):
                return [(cost_after, split)]
        return ranked


# ---- lower bounds --------------------------------------------------------------------------------

_NONE = -1


@dataclass(frozen=True, eq=False)
class RemovableTokens:
    """The tokens of a region set that a landmark or its end tag could match in some tree."""

    flags: list[bytearray]
    """For every token of every region, whether it is removable."""
    occurrences: dict[int, list[tuple[int, int]]]
    """Where each landmark could be one: numbers of regions, and positions."""
    steps: int
    """How many tokens and landmarks were looked at to find them."""


def find_removable_tokens(
    table: TokenTable, regions: RegionSet, *, max_steps: float = math.inf
) -> RemovableTokens:
    """Return a superset of the tokens that landmarks match in any tree of these regions.

    A landmark occurs once in the part of the region that its node parses. That part ends at tokens
    that landmarks match. So there is one between the landmark and its next occurrence on either
    side, or that occurrence itself is one, by a more special landmark. This must hold in k regions.
    When ``max_steps`` are done, all landmarks in k regions are taken to be separated.
    """
    flags = [bytearray(end - start) for _, start, end in regions]
    waiting = list(_list_occurrences(table, regions))
    separated: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    regions_with: defaultdict[int, set[int]] = defaultdict(set)
    steps = 0
    while True:
        steps += count_tokens(regions) + len(waiting)
        is_last = steps > max_steps
        counts = [list(accumulate(row, initial=0)) for row in flags]
        new: set[int] = set()
        rest = []
        for occurrence in waiting:
            landmark, number, position, before, after = occurrence
            start, count = regions[number][1], counts[number]
            is_separated = (
                before == _NONE or count[position - start] > count[before - start]
            ) and (after == _NONE or count[after + 1 - start] > count[position + 1 - start])
            if is_separated or is_last:
                separated[landmark].append((number, position))
                regions_with[landmark].add(number)
                new.add(landmark)
            else:
                rest.append(occurrence)
        is_changed = False
        for landmark in new:
            if len(regions_with[landmark]) < table.k:
                continue
            for number, position in separated[landmark]:
                page, start, _ = regions[number]
                if not flags[number][position - start]:
                    flags[number][position - start] = 1
                    flags[number][table.partners[page][position] - start] = 1
                    is_changed = True
        if not is_changed or is_last:
            usable = {
                landmark: positions
                for landmark, positions in separated.items()
                if len(regions_with[landmark]) >= table.k
            }
            return RemovableTokens(flags, usable, steps)
        waiting = rest


def _list_occurrences(
    table: TokenTable, regions: RegionSet
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield landmark, region, position, and the positions of the same landmark before and after it.

    Landmarks in fewer than k regions are left out, and tags whose partner is in another region.
    """
    positions_by_region: list[defaultdict[int, list[int]]] = []
    regions_with: Counter[int] = Counter()
    for page, start, end in regions:
        first, last = table.landmark_offsets[page][start], table.landmark_offsets[page][end]
        positions: defaultdict[int, list[int]] = defaultdict(list)
        for landmark, position in zip(
            table.landmark_ids[page][first:last],
            table.landmark_positions[page][first:last],
            strict=True,
        ):
            positions[landmark].append(position)
        positions_by_region.append(positions)
        regions_with.update(positions.keys())
    for number, (page, start, end) in enumerate(regions):
        partners = table.partners[page]
        for landmark, occurrences in positions_by_region[number].items():
            if regions_with[landmark] < table.k:
                continue
            for before, position, after in zip(
                [_NONE, *occurrences], occurrences, [*occurrences[1:], _NONE], strict=False
            ):
                if start <= partners[position] < end:
                    yield landmark, number, position, before, after


def compute_lower_bound(table: TokenTable, regions: RegionSet, removable: RemovableTokens) -> int:
    """Return a number of tokens that every tree of these regions extracts at least."""
    tokens = count_tokens(regions)
    bound = tokens - sum(map(sum, removable.flags))
    if 2 <= len(regions) == table.k:
        rows: list[list[int]] = []
        for (page, start, end), flags in zip(regions, removable.flags, strict=True):
            symbols = table.symbols[page][start:end]
            rows.append([symbol for symbol, flag in zip(symbols, flags, strict=True) if flag])
        common = min(compute_common_length(left, right) for left, right in combinations(rows, 2))
        bound = max(bound, tokens - len(regions) * common)
    return bound


def compute_common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence, bit-parallel."""
    positions: defaultdict[Hashable, int] = defaultdict(int)
    for position, symbol in enumerate(left):
        positions[symbol] |= 1 << position
    all_bits = (1 << len(left)) - 1
    row = all_bits
    for symbol in right:
        matched = row & positions.get(symbol, 0)
        row = ((row + matched) | (row - matched)) & all_bits
    return len(left) - row.bit_count()


def is_root_of_best_tree(
    table: TokenTable, regions: RegionSet, split: Split, removable: RemovableTokens
) -> bool:
    """Tell whether a best tree is certain to begin with this split; False if it is not known.

    In a set of exactly k regions, all landmarks are in all regions. If every other landmark is on
    the same side of the split in all of them, a tree can be divided at the split without loss.
    """
    if len(regions) != table.k or ABSENT in split.positions:
        return False
    for occurrences in removable.occurrences.values():
        sides: set[str] = set()
        for number, position in occurrences:
            partners = table.partners[regions[number][0]]
            start = split.positions[number]
            partner, end = partners[position], partners[start]
            if partner < start:
                sides.add("left")
            elif position > end:
                sides.add("right")
            elif position == start:
                sides.add("same")
            elif start < position and partner < end:
                sides.add("inside")
            else:
                return False  # the split separates it from its end tag
            if len(sides) > 1:
                return False
    return True
