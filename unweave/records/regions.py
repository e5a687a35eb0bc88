"""Regions: runs of adjacent siblings, cut into generalized nodes that are similar to each other (MDR, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import groupby

from unweave.records.region import Region
from unweave.trees.distance import ROUNDING, distance
from unweave.trees.tree import Tree

K = 10
T = 0.3

# A node with only one level below it holds no records (Figures 5 and 8).
_MIN_HEIGHT = 3


def find_regions(
    tree: Tree,
    *,
    k: int = K,
    t: float = T,
    accept: Callable[[Region], bool] | None = None,
    roots: Sequence[int] = (0,),
    labels: Container[str] | None = None,
) -> list[Region]:
    """Return the data regions below the roots, the whole tree by default, in preorder (FindDRs, Figure 8).

    The paper searches below every node and then discards what a region further up covers. Here nothing below a covered
    child is searched at all, which gives the same regions. With ``accept``, only regions that it accepts are taken; with
    ``labels``, only elements of these labels are parts of generalized nodes.
    """
    heights = tree.heights
    found: list[Region] = []
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if heights[node] < _MIN_HEIGHT:
            continue
        children = tree.children(node)
        covered: set[int] = set()
        for siblings in [children] if labels is None else _runs_of(tree, children, labels):
            if len(siblings) > 1:
                for region in Siblings(tree, siblings, t).regions(node, k, accept):
                    found.append(region)
                    covered.update(region.nodes)
        if covered:
            children = [child for child in children if child not in covered]
        waiting.extend(reversed(children))
    return found


def _runs_of(tree: Tree, children: Sequence[int], labels: Container[str]) -> list[list[int]]:
    """Return the runs of adjacent children that have these labels."""
    runs = groupby(children, key=lambda child: tree.labels[child] in labels)
    return [list(run) for has_label, run in runs if has_label]


class Siblings:
    """Adjacent children of one node, and which runs of them are alike.

    Adjacent siblings stand side by side in the tag string, so a run of them is a slice of it.
    """

    def __init__(self, tree: Tree, children: Sequence[int], t: float) -> None:
        self._tags = tree.tags
        self._bounds = [*children, tree.ends[children[-1]]]
        self._count = len(children)
        self._half_t = t / 2
        self._searched: dict[tuple[int, int], int] = {}

    def near(self, width: int, start: int) -> bool:
        """Are the ``width`` children from ``start`` on similar to the ``width`` after them?"""
        bounds, tags = self._bounds, self._tags
        a, b, c = bounds[start], bounds[start + width], bounds[start + 2 * width]
        allowed = self._half_t * (c - a) + ROUNDING
        if abs(a + c - b - b) > allowed:
            return False
        first, second = tags[a:b], tags[b:c]
        return first == second or distance(first, second, cutoff=int(allowed)) <= allowed

    def regions(self, parent: int, k: int, accept: Callable[[Region], bool] | None = None) -> list[Region]:
        """The regions below the parent in order (IdentDRs, Figure 9)."""

        def is_accepted(width: int, start: int, stop: int) -> bool:
            return accept is None or accept(Region(parent, tuple(self._bounds[start:stop]), width))

        found: list[Region] = []
        start = 0
        while start < self._count - 1:
            region = self._first_region(start, k, is_accepted)
            if region is None:
                break
            width, begin, start = region
            found.append(Region(parent, tuple(self._bounds[begin:start]), width))
        return found

    def _first_region(
        self, first: int, k: int, is_accepted: Callable[[int, int, int], bool]
    ) -> tuple[int, int, int] | None:
        """The region that covers most, not starting after any that covers less, the narrowest first.

        A start or width is left out where the region found there could not be taken: it would cover too little or start
        too late.
        """
        count = self._count
        best: tuple[int, int, int] | None = None
        covered, latest = 0, count
        for width in range(1, min(k, (count - first) // 2) + 1):
            for begin in range(first, first + width + 1):
                if (count - begin) // width * width <= covered:
                    break
                start = self._next_near(width, begin, latest)
                if start >= count:
                    continue
                stop = start + 2 * width
                while stop + width <= count and self.near(width, stop - width):
                    stop += width
                if stop - start > covered and is_accepted(width, start, stop):
                    best, covered, latest = (width, start, stop), stop - start, start
        return best

    def _next_near(self, width: int, begin: int, latest: int) -> int:
        """The first of begin, begin + width, … that is near the next; ``count`` if there is none up to ``latest``.

        What was searched in vain for an earlier region is not searched again, so all regions together take time linear
        in the number of children.
        """
        lane = (width, begin % width)
        start = max(begin, self._searched.get(lane, 0))
        last = min(latest, self._count - 2 * width)
        while start <= last:
            if self.near(width, start):
                self._searched[lane] = start
                return start
            start += width
        self._searched[lane] = start
        return self._count
