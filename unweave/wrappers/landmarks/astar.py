"""A* over whole landmark trees, as in section 5.1 of the paper.

A state is a tree. Its estimate is the number of tokens that no landmark can ever stand for in the regions of its leaves,
the paper's incompressible cost. The tree of the least estimate is expanded next: by every split of its first leaf that has
any. The paper leaves open which leaf comes first, and a tree can be reached by splits in any order; with one order each
tree is reached once. Of equal estimates, the tree of the last split comes first, then landmarks that stand for more tokens,
then the paper's order of ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from unweave.wrappers.landmarks.regions import RegionSet, Sample, Split, size
from unweave.wrappers.landmarks.search import Decisions, Found, SplitCount, Work, cost, greedy
from unweave.wrappers.landmarks.sweep import Sweep

MAX_WORK = 10_000_000
"""The limit of the work, in the units of ``search.Work``. It bounds the number of states as well."""

_WORK_PER_LEAF = 4
"""What it takes to store a leaf of a state."""


@dataclass(frozen=True, eq=False)
class _Step:
    """The last split of a tree, and the tree without it."""

    regions: RegionSet
    split: Split
    before: _Step | None


@dataclass(frozen=True)
class _Leaf:
    bound: int
    """How many tokens of the regions no landmark can stand for."""
    splits: list[Split]
    bounds_after: list[int]
    """The same after each of the splits."""


def a_star(
    sample: Sample,
    *,
    is_printed: bool = False,
    budget: int | None = None,
    regions: RegionSet | None = None,
) -> Found:
    """Find the best tree of the pages, or of some regions of them; when the budget of tokens is used up, the greedy tree.

    As printed, the search is misled: tokens that stand several times in the regions of a leaf are extracted, but the
    paper's estimate does not count them, so a tree may look better than it is and is taken for the best. Corrected, a leaf
    without candidates counts with all its tokens.
    """
    return _AStar(sample, is_printed, budget).run(sample.whole if regions is None else regions)


class _AStar:
    def __init__(self, sample: Sample, is_printed: bool, budget: int | None) -> None:
        self._sample = sample
        self._is_printed = is_printed
        self._budget = budget
        self._work = Work(MAX_WORK)
        self._leaves: dict[RegionSet, _Leaf] = {}
        self._splits = SplitCount()

    def run(self, whole: RegionSet) -> Found:
        tickets = count(0, -1)
        states: list[tuple[int, int, tuple[RegionSet, ...], _Step | None]] = [
            (0, next(tickets), (whole,), None)
        ]
        if self._has_work_for(whole):
            states[0] = (self._look(whole).bound, next(tickets), (whole,), None)
        while True:
            estimate, _, leaves, last = heappop(states)
            while leaves and self._has_work_for(leaves[0]) and not self._look(leaves[0]).splits:
                if not self._is_printed:
                    estimate += size(leaves[0]) - self._look(leaves[0]).bound
                leaves = leaves[1:]
            if leaves and not self._has_work_for(leaves[0]):
                return self._give_up(whole, estimate if not states else min(estimate, states[0][0]))
            if states and estimate > states[0][0]:
                heappush(states, (estimate, next(tickets), leaves, last))
                continue
            if last is not None:
                self._splits.add(last.regions, last.split)
            if not leaves:
                decisions = _decisions(last)
                return Found(
                    decisions, cost(self._sample, decisions, whole), estimate, self._splits
                )
            regions, rest = leaves[0], leaves[1:]
            leaf = self._look(regions)
            self._work.left -= _WORK_PER_LEAF * (len(rest) + 3) * len(leaf.splits)
            for split, bound_after in zip(
                reversed(leaf.splits), reversed(leaf.bounds_after), strict=True
            ):
                parts = self._sample.parts(regions, split)[1]
                step = _Step(regions, split, last)
                heappush(
                    states,
                    (estimate + bound_after - leaf.bound, next(tickets), (*parts, *rest), step),
                )

    def _has_work_for(self, regions: RegionSet) -> bool:
        if regions in self._leaves:
            return self._work.left > 0
        in_budget = self._budget is None or self._budget >= size(regions)
        return in_budget and self._work.left >= self._sample.work(regions)

    def _look(self, regions: RegionSet) -> _Leaf:
        if regions not in self._leaves:
            self._work.look(self._sample, regions)
            if self._budget is not None:
                self._budget -= size(regions)
            splits = self._sample.splits(regions)
            splits.sort(key=lambda split: (-self._sample.removed(regions, split), split.rank))
            sweep = Sweep(self._sample, regions)
            # Where the work ends, the values are lower bounds, and the search ends with it.
            bounds_after = (
                sweep.after(splits, cutoff=float("inf"), max_moves=self._work.left)
                if splits
                else []
            )
            self._work.left -= sweep.moves
            self._leaves[regions] = _Leaf(sweep.bound, splits, bounds_after)
        return self._leaves[regions]

    def _give_up(self, whole: RegionSet, bound: int) -> Found:
        decisions = greedy(self._sample, regions=whole)
        for regions, split in decisions.items():
            self._splits.add(regions, split)
        return Found(decisions, cost(self._sample, decisions, whole), bound, self._splits)


def _decisions(last: _Step | None) -> Decisions:
    decisions: Decisions = {}
    while last is not None:
        decisions[last.regions] = last.split
        last = last.before
    return decisions
