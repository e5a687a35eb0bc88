"""A* over whole landmark trees, as the paper has it: exact, and for small samples only."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

from unweave.induce.landmarks.sample import RegionSet, Sample, size
from unweave.induce.landmarks.search import Decisions
from unweave.induce.landmarks.sweep import Sweep


def a_star(sample: Sample, *, literal: bool = False) -> Decisions:
    """The best tree.

    As printed (``literal``) the search is misled: tokens that stand several times in the regions of a leaf are extracted,
    but the paper's bound does not count them, so a goal may look better than it is. Here a set without candidates counts
    with all its tokens.
    """
    tickets = count()
    states: list[tuple[int, int, tuple[RegionSet, ...], Decisions]] = [(0, next(tickets), (sample.whole,), {})]
    while True:
        bound, _, leaves, decisions = heappop(states)
        regions = next((own for own in leaves if sample.splits(own)), None)
        if regions is None:
            return decisions
        rest = tuple(own for own in leaves if own is not regions)
        for split in sorted(sample.splits(regions), key=lambda own: own.rank):
            finished, parts = sample.parts(regions, split)
            change = finished + sum(_bound(sample, part, literal) for part in parts) - _bound(sample, regions, literal)
            heappush(states, (bound + change, next(tickets), (*rest, *parts), {**decisions, regions: split}))


def _bound(sample: Sample, regions: RegionSet, literal: bool) -> int:
    return Sweep(sample, regions).bound if literal or sample.splits(regions) else size(regions)
