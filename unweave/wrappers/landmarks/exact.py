"""The landmark tree that leaves the fewest tokens: branch and bound over sets of regions.

What is best for a set depends on that set alone, and the cost of a split is the sum of what its parts cost. So every set is
solved once, however many trees have it, and the parts of a split are solved one by one. The search begins with the smallest
sets of the greedy tree: where the budget does not suffice for the pages as a whole, it does for most of their parts.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from unweave.wrappers.landmarks.bounds import (
    Removable,
    find_removable,
    is_first_in_a_best_tree,
    least_extraction,
)
from unweave.wrappers.landmarks.regions import RegionSet, Sample, Split, size
from unweave.wrappers.landmarks.search import Found, Greedy, SplitCount, Work, cost
from unweave.wrappers.landmarks.sweep import Sweep

MORE_TOKENS = 500_000
"""How many tokens are looked at, in all sets of regions together, after those of the greedy tree."""

MAX_WORK = 10_000_000
"""The limit of the work after the greedy tree, in the units of ``search.Work``. Each split of a set may move all tokens."""

_SHARE_OF_ONE_SET = 10
"""No set of the greedy tree may use more than this part of what is left of the budget, but the whole pages."""


def exact(sample: Sample, *, budget: int = MORE_TOKENS, regions: RegionSet | None = None) -> Found:
    """Find the best tree of the pages, or of some regions of them.

    If the budget runs out, it is the best so far, which is never worse than the greedy one.
    """
    return _Search(sample, budget).run(sample.whole if regions is None else regions)


@dataclass(eq=False)
class _Option:
    """A split, and what a tree that begins with it costs at least."""

    split: Split
    finished: int
    parts: tuple[RegionSet, ...]
    estimate: int


@dataclass(eq=False)
class _Set:
    """What is known of a set of regions: its cost is from ``low`` to ``high``, and ``split`` leads to the latter."""

    low: int
    high: int
    split: Split | None
    options: list[_Option] | None = None


_Solving = Generator[tuple[RegionSet, float], None, None]


class _Search:
    def __init__(self, sample: Sample, budget: int) -> None:
        self._sample = sample
        self._budget = budget
        self._work = Work.for_pages(sample)
        self._greedy = Greedy(sample, work=self._work)
        self._known: dict[RegionSet, _Set] = {}
        self._least: dict[RegionSet, int] = {}
        self._splits = SplitCount()

    def run(self, whole: RegionSet) -> Found:
        budget = self._budget
        self._look(whole)
        # If there was not even time for the greedy tree, no better one is looked for.
        self._work.left = MAX_WORK if self._work.left > 0 else 0
        self._budget = budget
        self._solve_parts(whole)
        self._run(whole)
        decisions = {
            regions: split for regions in self._tree(whole) if (split := self._known[regions].split)
        }
        return Found(
            decisions, cost(self._sample, decisions, whole), self._known[whole].low, self._splits
        )

    def _tree(self, whole: RegionSet) -> list[RegionSet]:
        """Return the sets of the best tree so far, parents before their parts."""
        found, waiting = [], [whole]
        while waiting:
            regions = waiting.pop()
            found.append(regions)
            split = self._known[regions].split
            if split is not None:
                waiting.extend(self._sample.parts(regions, split)[1])
        return found

    def _solve_parts(self, whole: RegionSet) -> None:
        """Solve sets of the greedy tree, parts before their parents, as long as all parts of a set could be solved."""
        for regions in reversed(self._tree(whole)):
            own = self._known[regions]
            if own.split is None:
                continue
            finished, parts = self._sample.parts(regions, own.split)
            own.high = finished + sum(self._known[part].high for part in parts)
            if not self._is_open() or any(
                self._known[part].low < self._known[part].high for part in parts
            ):
                continue
            allowed = self._budget // _SHARE_OF_ONE_SET
            saved, self._budget = self._budget - allowed, allowed
            self._run(regions)
            self._budget += saved

    def _run(self, whole: RegionSet) -> None:
        """Solve a set with all that it asks for. Trees are deeper than Python's stack may be."""
        stack = [self._solve(whole, float("inf"))]
        while stack:
            asked = next(stack[-1], None)
            if asked is None:
                stack.pop()
            else:
                stack.append(self._solve(*asked))

    def _solve(self, regions: RegionSet, limit: float) -> _Solving:
        """Find the cost of a set, or that it is not below the limit."""
        own = self._look(regions)
        if not self._is_open():
            return
        own.low = max(own.low, self._bound(regions))
        if own.low >= min(own.high, limit):
            return
        for option in self._options(regions, own):
            if not self._can_improve(option, own, limit):
                continue
            self._splits.add(regions, option.split)
            largest_first = sorted(option.parts, key=size, reverse=True)
            if not all(self._can_improve(option, own, limit, part) for part in largest_first):
                continue
            for part in largest_first:
                self._look(part)
                self._refresh(option)
                room = min(own.high, limit) - option.estimate
                if room <= 0:
                    break
                yield part, self._low(part) + room
            self._refresh(option)
            reached = option.finished + sum(self._look(part).high for part in option.parts)
            if reached < own.high:
                own.high, own.split = reached, option.split
        own.low = max(own.low, min([own.high, *(option.estimate for option in own.options or ())]))

    def _is_open(self) -> bool:
        return self._budget > 0 and self._work.left > 0

    def _can_improve(
        self, option: _Option, own: _Set, limit: float, part: RegionSet | None = None
    ) -> bool:
        """Tell whether a split may lead to less than is known, after a look at the bound of one of its parts."""
        if part is not None and self._is_open():
            self._bound(part)
        self._refresh(option)
        return self._is_open() and max(own.low, option.estimate) < min(own.high, limit)

    def _refresh(self, option: _Option) -> None:
        """What has become known of the parts may raise the estimate."""
        option.estimate = max(option.estimate, option.finished + sum(map(self._low, option.parts)))

    def _low(self, regions: RegionSet) -> int:
        known = self._known.get(regions)
        return max(known.low if known else 0, self._least.get(regions, 0))

    def _bound(self, regions: RegionSet) -> int:
        """Return what a set costs at least."""
        if regions not in self._least:
            self._least[regions] = least_extraction(self._sample, regions, self._removable(regions))
        return self._least[regions]

    def _removable(self, regions: RegionSet) -> Removable:
        removable = find_removable(self._sample, regions, max_steps=self._work.left)
        self._work.left -= removable.steps
        return removable

    def _options(self, regions: RegionSet, own: _Set) -> list[_Option]:
        """All splits of a set, the most promising first; only one if a best tree is sure to begin with it."""
        if own.options is None:
            self._budget -= size(regions)
            self._work.look(self._sample, regions)
            splits = self._sample.splits(regions)
            sweep = Sweep(self._sample, regions)
            left = sweep.after(splits, cutoff=own.high, max_moves=self._work.left)
            self._work.left -= sweep.moves
            ordered = sorted(
                (estimate, split.rank, split) for estimate, split in zip(left, splits, strict=True)
            )
            if len(regions) == self._sample.k:
                ordered = self._first_in_a_best_tree(regions, ordered, sweep.bound) or ordered
            own.options = [
                _Option(split, *self._sample.parts(regions, split), estimate)
                for estimate, _, split in ordered
            ]
        return own.options

    def _first_in_a_best_tree(
        self, regions: RegionSet, ordered: list[tuple[int, tuple[object, ...], Split]], bound: int
    ) -> list[tuple[int, tuple[object, ...], Split]]:
        """Return the one split that a best tree is sure to begin with, if one is found."""
        removable = self._removable(regions)
        marks = sum(map(len, removable.occurrences.values()))
        for entry in ordered:
            estimate, _, split = entry
            if estimate > bound or self._work.left <= 0:
                break  # it makes tokens incompressible, so others are on both sides of it
            self._work.left -= marks
            if is_first_in_a_best_tree(self._sample, regions, split, removable):
                return [entry]
        return []

    def _look(self, regions: RegionSet) -> _Set:
        """What is known of a set; at first a lower bound, and the cost of the greedy tree."""
        waiting = [regions]
        while waiting:
            here = waiting[-1]
            if here in self._known:
                waiting.pop()
                continue
            split, low = self._greedy.choose(here)
            finished, parts = self._sample.parts(here, split) if split else (size(here), ())
            unknown = [part for part in parts if part not in self._known]
            if unknown:
                waiting.extend(unknown)
                continue
            self._budget -= size(here)
            self._known[here] = _Set(
                low, finished + sum(self._known[part].high for part in parts), split
            )
            if split is not None:
                self._splits.add(here, split)
        return self._known[regions]
