"""Ways to a landmark tree that look at every set of regions once: greedy, and random."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from random import Random

from unweave.induce.landmarks.sample import RegionSet, Sample, Split, size
from unweave.induce.landmarks.sweep import Sweep

Decisions = dict[RegionSet, Split]
"""The splits of a tree by the regions that they split. Sets that are not in it are leaves."""

MOST_TOKENS = 10_000_000
"""How many tokens are looked at, in all sets of regions together. Pages of real sites need a tenth of it."""

# So many splits are looked at, each on its own, before all of them are counted in one sweep.
_TRIED_FIRST = 4


class Ties(StrEnum):
    """What decides between landmarks that leave as little: the paper's order of them, or chance."""

    INFORMED = "informed"
    RANDOM = "random"


class Greedy:
    """Always the landmark that leaves the fewest incompressible tokens, then the fewest tokens.

    When the budget of tokens that are looked at runs out, nothing is split any more.
    """

    def __init__(
        self, sample: Sample, ties: Ties = Ties.INFORMED, chance: Random | None = None, budget: int = MOST_TOKENS
    ) -> None:
        self._sample = sample
        self._budget = budget
        self._ties = ties
        self._chance = chance or Random(0)  # noqa: S311
        self._known: dict[RegionSet, tuple[Split | None, int]] = {}

    def choose(self, regions: RegionSet) -> tuple[Split | None, int]:
        """The split of a set of regions, and how many of its tokens no landmark can ever stand for."""
        if regions not in self._known:
            self._known[regions] = self._look(regions)
        return self._known[regions]

    def _look(self, regions: RegionSet) -> tuple[Split | None, int]:
        self._budget -= size(regions)
        if self._budget < 0:
            return None, 0
        splits = self._sample.splits(regions)
        if not splits:
            return None, size(regions)
        if self._ties is Ties.RANDOM:
            splits = self._chance.sample(splits, len(splits))
        else:
            splits.sort(key=lambda own: own.rank)
        splits.sort(key=lambda own: -self._sample.removed(regions, own))
        sweep = Sweep(self._sample, regions)
        # Often one of the first makes no token incompressible, and none can be better.
        for split in splits[:_TRIED_FIRST]:
            if sweep.after([split])[0] == sweep.bound:
                return split, sweep.bound
        left = sweep.after(splits)
        return splits[left.index(min(left))], sweep.bound


def greedy(sample: Sample, *, ties: Ties = Ties.INFORMED, chance: Random | None = None) -> Decisions:
    """The tree of best next steps."""
    search = Greedy(sample, ties, chance)
    return _decisions(sample, lambda regions: search.choose(regions)[0])


def random(sample: Sample, *, chance: Random | None = None) -> Decisions:
    """A tree of any candidates."""
    drawn = chance or Random(0)  # noqa: S311
    budget = MOST_TOKENS

    def choose(regions: RegionSet) -> Split | None:
        nonlocal budget
        budget -= size(regions)
        splits = sample.splits(regions) if budget >= 0 else []
        return drawn.choice(splits) if splits else None

    return _decisions(sample, choose)


def _decisions(sample: Sample, choose: Callable[[RegionSet], Split | None]) -> Decisions:
    decisions: Decisions = {}
    waiting = [sample.whole]
    while waiting:
        regions = waiting.pop()
        split = choose(regions)
        if split is not None:
            decisions[regions] = split
            waiting.extend(sample.parts(regions, split)[1])
    return decisions


def cost(sample: Sample, decisions: Decisions) -> int:
    """How many tokens a tree leaves to extract."""
    total = 0
    waiting = [sample.whole]
    while waiting:
        regions = waiting.pop()
        split = decisions.get(regions)
        if split is None:
            total += size(regions)
        else:
            finished, parts = sample.parts(regions, split)
            total += finished
            waiting.extend(parts)
    return total
