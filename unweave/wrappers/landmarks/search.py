"""What all searches for a landmark tree share, and those that look at every set of regions once: greedy, and random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Sample, Split, size
from unweave.wrappers.landmarks.sweep import Sweep

Decisions = dict[RegionSet, Split]
"""The splits of a tree by the regions that they split. Sets that are not in it are leaves."""

MIN_GREEDY_WORK = 8_000_000
GREEDY_WORK_PER_PAGE = 2_500_000
"""Limits of the work of a greedy or random search, in the units of ``Work``, for few pages and for each of many. Three
pages of real sites need half of it or less, and it takes some seconds.
"""

# So many splits are looked at, each on its own, before all of them are counted in one sweep.
_TRIED_FIRST = 4


@dataclass
class SplitCount:
    """The splits that a search performs: the paper's measure of its cost."""

    total: int = 0
    by_region_size: Counter[int] = field(default_factory=Counter)
    """Splits of regions by the number of their tokens, each split counted once for every region, as in Figure 6c."""

    def add(self, regions: RegionSet, split: Split) -> None:
        """Count a split of these regions."""
        self.total += 1
        self.by_region_size.update(
            stop - start
            for (_, start, stop), place in zip(regions, split.places, strict=True)
            if place != ABSENT
        )


@dataclass(frozen=True)
class Found:
    """A tree, what it costs, what no tree costs less than, and the splits that were performed to find it.

    Cost and bound are equal if the tree is known to be the best.
    """

    decisions: Decisions
    cost: int
    bound: int | None
    splits: SplitCount


def found_by_one_pass(
    sample: Sample, decisions: Decisions, regions: RegionSet | None = None
) -> Found:
    """Return the result of a search that performs the splits of its tree and no others."""
    whole = sample.whole if regions is None else regions
    splits = SplitCount()
    for split_regions, split in decisions.items():
        splits.add(split_regions, split)
    return Found(decisions, cost(sample, decisions, whole), None, splits)


class Ties(StrEnum):
    """What decides between landmarks that leave as little: the paper's order of them, or chance."""

    INFORMED = "informed"
    RANDOM = "random"


class Work:
    """What a search may still do, in tokens that are moved from one side of a landmark to another.

    All time is spent in moving them, and in looking at the tokens of a set of regions and at their marks.
    """

    def __init__(self, limit: int) -> None:
        self.left = limit

    @classmethod
    def for_pages(cls, sample: Sample) -> Work:
        """Return the work that a greedy search of this sample may do."""
        return cls(max(MIN_GREEDY_WORK, GREEDY_WORK_PER_PAGE * len(sample.kinds)))

    def look(self, sample: Sample, regions: RegionSet) -> bool:
        """Spend what it takes to look at a set of regions; return False if that is more than was left."""
        self.left -= sample.work(regions)
        return self.left >= 0


class Greedy:
    """Always the landmark that leaves the fewest incompressible tokens, then the fewest tokens.

    When the work that it may do is done, nothing is split any more.
    """

    def __init__(
        self,
        sample: Sample,
        ties: Ties = Ties.INFORMED,
        chance: Random | None = None,
        work: Work | None = None,
    ) -> None:
        self._sample = sample
        self._work = work or Work.for_pages(sample)
        self._ties = ties
        self._chance = chance or Random(0)  # noqa: S311
        self._known: dict[RegionSet, tuple[Split | None, int]] = {}

    def choose(self, regions: RegionSet) -> tuple[Split | None, int]:
        """The split of a set of regions, and how many of its tokens no landmark can ever stand for."""
        if regions not in self._known:
            self._known[regions] = self._look(regions)
        return self._known[regions]

    def _look(self, regions: RegionSet) -> tuple[Split | None, int]:
        if not self._work.look(self._sample, regions):
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
        try:
            return self._best(sweep, splits), sweep.bound
        finally:
            self._work.left -= sweep.moves

    def _best(self, sweep: Sweep, splits: Sequence[Split]) -> Split:
        """Return the first of the splits after which the fewest tokens are incompressible."""
        # Often one of the first makes no token incompressible, and none can be better.
        for split in splits[:_TRIED_FIRST]:
            if sweep.after([split])[0] == sweep.bound:
                return split
        left = sweep.after(splits, max_moves=self._work.left)
        return splits[left.index(min(left))]


def greedy(
    sample: Sample,
    *,
    ties: Ties = Ties.INFORMED,
    chance: Random | None = None,
    regions: RegionSet | None = None,
) -> Decisions:
    """Return the tree of best next steps, of the pages or of some regions of them."""
    search = Greedy(sample, ties, chance)
    return _decisions(sample, lambda own: search.choose(own)[0], regions)


def random(sample: Sample, *, chance: Random | None = None) -> Decisions:
    """A tree of any candidates."""
    drawn = chance or Random(0)  # noqa: S311
    work = Work.for_pages(sample)

    def choose(regions: RegionSet) -> Split | None:
        splits = sample.splits(regions) if work.look(sample, regions) else []
        return drawn.choice(splits) if splits else None

    return _decisions(sample, choose)


def _decisions(
    sample: Sample, choose: Callable[[RegionSet], Split | None], whole: RegionSet | None = None
) -> Decisions:
    decisions: Decisions = {}
    waiting = [sample.whole if whole is None else whole]
    while waiting:
        regions = waiting.pop()
        split = choose(regions)
        if split is not None:
            decisions[regions] = split
            waiting.extend(sample.parts(regions, split)[1])
    return decisions


def cost(sample: Sample, decisions: Decisions, whole: RegionSet | None = None) -> int:
    """Return how many tokens a tree leaves to extract, of the pages or of some regions of them."""
    total = 0
    waiting = [sample.whole if whole is None else whole]
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
