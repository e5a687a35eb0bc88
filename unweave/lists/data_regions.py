"""Data regions: runs of adjacent siblings, cut into generalized nodes that are similar to each other (MDR, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, pairwise

from unweave.lists.listing import Record
from unweave.page.layout import PIXEL_ROUNDING as PIXEL_ROUNDING
from unweave.page.layout import Box
from unweave.trees.distance import FLOAT_TOLERANCE, compute_distance
from unweave.trees.tree import Tree

K = 10
"""The most siblings that one generalized node may have."""
T = 0.3
"""The largest normalized edit distance at which tag strings are similar."""

# A node with only one level below it holds no records (Figures 5 and 8).
_MIN_HEIGHT = 3


@dataclass(frozen=True, slots=True)
class Region:
    """A run of children of one parent, cut into generalized nodes of ``width`` children each."""

    parent: int
    nodes: tuple[int, ...]
    width: int = 1

    @property
    def generalized(self) -> list[Record]:
        """The generalized nodes in order."""
        return [self.nodes[k : k + self.width] for k in range(0, len(self.nodes), self.width)]


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

    The paper searches below every node and then discards what a region further up covers. Here
    nothing below a covered child is searched at all, which gives the same regions. With
    ``accept``, only regions that it accepts are taken; with ``labels``, only elements of these
    labels are parts of generalized nodes.
    """
    heights = tree.heights
    regions: list[Region] = []
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if heights[node] < _MIN_HEIGHT:
            continue
        children = tree.children(node)
        covered: set[int] = set()
        for siblings in [children] if labels is None else _split_runs(tree, children, labels):
            if len(siblings) > 1:
                for region in Siblings(tree, siblings, t).find_regions(node, k, accept):
                    regions.append(region)
                    covered.update(region.nodes)
        if covered:
            children = [child for child in children if child not in covered]
        waiting.extend(reversed(children))
    return regions


def _split_runs(tree: Tree, children: Sequence[int], labels: Container[str]) -> list[list[int]]:
    """Return the runs of adjacent children that have these labels."""
    runs = groupby(children, key=lambda child: tree.labels[child] in labels)
    return [list(run) for has_label, run in runs if has_label]


class Siblings:
    """Adjacent children of one node, and which runs of them are similar.

    Adjacent siblings are neighbours in the tag string too, so a run of them is a slice of it.
    """

    def __init__(self, tree: Tree, children: Sequence[int], t: float) -> None:
        self._tags = tree.tag_string
        self._bounds = [*children, tree.ends[children[-1]]]
        self._count = len(children)
        self._half_t = t / 2
        self._searched: dict[tuple[int, int], int] = {}

    def is_similar_to_next(self, width: int, start: int) -> bool:
        """Tell whether the ``width`` children from ``start`` on are similar to the ``width`` after them."""
        bounds, tags = self._bounds, self._tags
        a, b, c = bounds[start], bounds[start + width], bounds[start + 2 * width]
        max_edits = self._half_t * (c - a) + FLOAT_TOLERANCE
        if abs(a + c - b - b) > max_edits:
            return False
        left, right = tags[a:b], tags[b:c]
        return left == right or compute_distance(left, right, cutoff=int(max_edits)) <= max_edits

    def find_regions(
        self, parent: int, k: int, accept: Callable[[Region], bool] | None = None
    ) -> list[Region]:
        """Return the regions below the parent in order (IdentDRs, Figure 9)."""

        def is_accepted(width: int, start: int, stop: int) -> bool:
            return accept is None or accept(Region(parent, tuple(self._bounds[start:stop]), width))

        regions: list[Region] = []
        start = 0
        while start < self._count - 1:
            bounds = self._find_first_region(start, k, is_accepted)
            if bounds is None:
                break
            width, begin, start = bounds
            regions.append(Region(parent, tuple(self._bounds[begin:start]), width))
        return regions

    def _find_first_region(
        self, first: int, k: int, is_accepted: Callable[[int, int, int], bool]
    ) -> tuple[int, int, int] | None:
        """Return the region that covers most, not starting after any that covers less, the narrowest first.

        A start or width is left out where its region could not be taken: it would cover too
        little or start too late. The result is (width, start, stop).
        """
        count = self._count
        best: tuple[int, int, int] | None = None
        covered, latest = 0, count
        for width in range(1, min(k, (count - first) // 2) + 1):
            for begin in range(first, first + width + 1):
                if (count - begin) // width * width <= covered:
                    break
                start = self._find_next_similar(width, begin, latest)
                if start >= count:
                    continue
                stop = start + 2 * width
                while stop + width <= count and self.is_similar_to_next(width, stop - width):
                    stop += width
                if stop - start > covered and is_accepted(width, start, stop):
                    best, covered, latest = (width, start, stop), stop - start, start
        return best

    def _find_next_similar(self, width: int, begin: int, latest: int) -> int:
        """Return the first of begin, begin + width, … that is similar to the next, ``count`` if none is up to ``latest``.

        What was searched in vain for an earlier region is not searched again, so all regions
        together take time linear in the number of children.
        """
        lane = (width, begin % width)
        start = max(begin, self._searched.get(lane, 0))
        last = min(latest, self._count - 2 * width)
        while start <= last:
            if self.is_similar_to_next(width, start):
                self._searched[lane] = start
                return start
            start += width
        self._searched[lane] = start
        return self._count


class GapRule:
    """The rule that the gap between two records is no smaller than any gap within one.

    Gaps are those of the rendered layout (DEPTA, section 3.3; CTVS, section 2.2).
    """

    def __init__(self, boxes: Sequence[Box], unseen: Container[int]) -> None:
        self._boxes = boxes
        self._unseen = unseen

    def accepts(self, records: Sequence[Record]) -> bool:
        """Tell whether these may be records, as far as the layout shows."""
        drawn = [
            [self._boxes[node] for node in record if node not in self._unseen] for record in records
        ]
        drawn = [boxes for boxes in drawn if boxes]
        gaps_inside = [
            above.measure_gap(below) for boxes in drawn for above, below in pairwise(boxes)
        ]
        outlines = [reduce(Box.union, boxes) for boxes in drawn]
        gaps_between = [above.measure_gap(below) for above, below in pairwise(outlines)]
        if not gaps_inside or not gaps_between:
            return True
        return min(gaps_between) >= max(gaps_inside) - PIXEL_ROUNDING
