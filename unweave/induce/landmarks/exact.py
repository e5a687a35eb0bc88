"""The landmark tree that leaves the fewest tokens: branch and bound over sets of regions.

What is best for a set depends on that set alone, and the cost of a split is the sum of what its parts cost. So every set is
solved once, however many trees have it, and the parts of a split are solved one by one.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from unweave.induce.landmarks.sample import RegionSet, Sample, Split, size
from unweave.induce.landmarks.search import Decisions, Greedy, Work
from unweave.induce.landmarks.sweep import Sweep

MORE_TOKENS = 500_000
"""How many tokens are looked at, in all sets of regions together, after those of the greedy tree."""

MAX_WORK = 10_000_000
"""The limit of the work after the greedy tree, in the units of ``search.Work``. Each split of a set may move all tokens."""


@dataclass(frozen=True)
class Found:
    """A tree, what it costs, and what no tree costs less than. The two are equal if the search came to its end."""

    decisions: Decisions
    cost: int
    bound: int


def exact(sample: Sample, *, budget: int = MORE_TOKENS) -> Found:
    """The best tree; if the budget runs out, the best that was found, which is never worse than the greedy one."""
    return _Search(sample, budget).run()


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

    def run(self) -> Found:
        whole, budget = self._sample.whole, self._budget
        self._look(whole)
        self._budget = budget
        # If there was not even time for the greedy tree, no better one is looked for.
        self._work.left = MAX_WORK if self._work.left > 0 else 0
        self._run(whole)
        decisions: Decisions = {}
        waiting = [whole]
        while waiting:
            regions = waiting.pop()
            split = self._known[regions].split
            if split is not None:
                decisions[regions] = split
                waiting.extend(self._sample.parts(regions, split)[1])
        return Found(decisions, self._known[whole].high, self._known[whole].low)

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
        if own.low >= min(own.high, limit):
            return
        for option in self._options(regions, own):
            self._refresh(option)
            if self._budget <= 0 or self._work.left <= 0 or max(own.low, option.estimate) >= min(own.high, limit):
                continue
            for part in sorted(option.parts, key=size, reverse=True):
                self._look(part)
                self._refresh(option)
                room = min(own.high, limit) - option.estimate
                if room <= 0:
                    break
                yield part, self._known[part].low + room
            self._refresh(option)
            cost = option.finished + sum(self._look(part).high for part in option.parts)
            if cost < own.high:
                own.high, own.split = cost, option.split
        own.low = max(own.low, min([own.high, *(option.estimate for option in own.options or ())]))

    def _refresh(self, option: _Option) -> None:
        """What has become known of the parts may raise the estimate."""
        lows = sum(self._known[part].low if part in self._known else 0 for part in option.parts)
        option.estimate = max(option.estimate, option.finished + lows)

    def _options(self, regions: RegionSet, own: _Set) -> list[_Option]:
        """All splits of a set, the most promising first."""
        if own.options is None:
            self._budget -= size(regions)
            self._work.look(self._sample, regions)
            splits = self._sample.splits(regions)
            sweep = Sweep(self._sample, regions)
            left = sweep.after(splits, cutoff=own.high, max_moves=self._work.left)
            self._work.left -= sweep.moves
            own.options = [
                _Option(split, *self._sample.parts(regions, split), estimate)
                for estimate, _, split in sorted(
                    (estimate, split.rank, split) for estimate, split in zip(left, splits, strict=True)
                )
            ]
        return own.options

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
            self._known[here] = _Set(low, finished + sum(self._known[part].high for part in parts), split)
        return self._known[regions]
