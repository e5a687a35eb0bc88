"""MDR, mining data records (Liu, Grossman, Zhai: KDD 2003), with the errors of the printed pseudo-code mended.

Three steps: find regions of similar adjacent siblings, find the records in the generalized nodes of each region, then join
what the page's layout has torn apart. Nothing is added to the paper; the parameters are its own: ``k``, the most siblings
that one generalized node may have, and ``t``, the largest normalized edit distance at which tag strings are similar.
"""

from __future__ import annotations

from collections.abc import Sequence

from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.records.region import Listing, Record, Region
from unweave.trees.distance import allowed_edits, distance, similar
from unweave.trees.tree import Tree

K = 10
T = 0.3

# A node with only one level below it holds no records (Figures 5 and 8).
_MIN_HEIGHT = 3


def find(page: Page, *, k: int = K, t: float = T) -> list[Listing]:
    """All lists of the page, in document order."""
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    if not 0 <= t < 2:
        raise UsageError(f"t must be at least 0 and below 2, not {t}")
    regions = find_regions(page.tree, k=k, t=t)
    return _Records(page, regions, t).listings()


# ---- step 1: regions -------------------------------------------------------------------------------------------


def find_regions(tree: Tree, *, k: int = K, t: float = T) -> list[Region]:
    """The data regions of the tree in preorder (FindDRs, Figure 8).

    The paper searches below every node and then discards what a region further up covers. Here nothing below a covered
    child is searched at all, which gives the same regions.
    """
    heights = tree.heights
    found: list[Region] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if heights[node] < _MIN_HEIGHT:
            continue
        children = tree.children(node)
        if len(children) > 1:
            covered: set[int] = set()
            for width, start, stop in Siblings(tree, children, t).regions(k):
                region = Region(node, tuple(children[start:stop]), width)
                found.append(region)
                covered.update(region.nodes)
            if covered:
                children = [child for child in children if child not in covered]
        waiting.extend(reversed(children))
    return found


class Siblings:
    """The children of one node, and which runs of them are alike.

    Adjacent siblings stand side by side in the tag string, so a run of them is a slice of it.
    """

    def __init__(self, tree: Tree, children: Sequence[int], t: float) -> None:
        self._tags = tree.tags
        self._bounds = [*children, tree.ends[children[-1]]]
        self._count = len(children)
        self._t = t
        self._searched: dict[tuple[int, int], int] = {}

    def near(self, width: int, start: int) -> bool:
        """Are the ``width`` children from ``start`` on similar to the ``width`` after them?"""
        bounds, tags = self._bounds, self._tags
        a, b, c = bounds[start], bounds[start + width], bounds[start + 2 * width]
        allowed = allowed_edits(c - a, self._t)
        if abs(a + c - 2 * b) > allowed:
            return False
        first, second = tags[a:b], tags[b:c]
        return first == second or distance(first, second, cutoff=allowed) <= allowed

    def regions(self, k: int) -> list[tuple[int, int, int]]:
        """The regions as (width, start, stop) in order (IdentDRs, Figure 9)."""
        found: list[tuple[int, int, int]] = []
        start = 0
        while start < self._count - 1:
            region = self._first_region(start, k)
            if region is None:
                break
            found.append(region)
            start = region[2]
        return found

    def _first_region(self, first: int, k: int) -> tuple[int, int, int] | None:
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
                if start > latest or start >= count:
                    continue
                stop = start + 2 * width
                while stop + width <= count and self.near(width, stop - width):
                    stop += width
                if stop - start > covered:
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


# ---- steps 2 and 3: records ------------------------------------------------------------------------------------


class _Records:
    """The records of all regions of one page (sections 3.3 and 3.4)."""

    def __init__(self, page: Page, regions: Sequence[Region], t: float) -> None:
        self._page = page
        self._tree = page.tree
        self._t = t
        self._by_parent: dict[int, list[Region]] = {}
        for region in regions:
            self._by_parent.setdefault(region.parent, []).append(region)

    def listings(self) -> list[Listing]:
        """The lists in document order."""
        found: list[list[Record]] = []
        strays: set[int] = set()
        joined: set[int] = set()
        for parent, regions in self._by_parent.items():
            if parent in joined:
                continue
            torn = self._torn_apart(parent)
            if len(torn) > 1:
                joined.update(torn)
                found.append(_joined([self._by_parent[row][0].generalized for row in torn]))
                continue
            for region in regions:
                records, stray = self._of_region(region)
                found.append(sorted(records + stray))
                strays.update(node for record in stray for node in record)
        # A row too short for its region is a region itself; as stray records its cells have been counted already.
        kept = [records for records in found if not all(record[0] in strays for record in records)]
        return [Listing(tuple(records)) for records in sorted(kept)]

    def _of_region(self, region: Region) -> tuple[list[Record], list[Record]]:
        """The records of a region, and the stray ones beside it if its records are one level below its nodes."""
        records: list[Record] = []
        for generalized in region.generalized:
            records.extend(self._of_generalized(generalized))
        last = records[-1]
        is_below = self._tree.parents[last[0]] != region.parent
        return records, self._strays(region, last) if is_below else []

    def _of_generalized(self, generalized: Record) -> list[Record]:
        """The records of one generalized node.

        Figure 15 takes a generalized node of several components for one record wherever their children do not form
        columns. By the constraint above it, records inside one node are similar; where the components themselves are, they
        are the records. Without this, a list with one odd entry comes out as pairs of records.
        """
        if len(generalized) > 1 and self._are_similar(generalized):
            return [record for node in generalized for record in self._of_generalized((node,))]
        return self._inside(generalized) or [generalized]

    def _inside(self, generalized: Record) -> list[Record]:
        """The records one level below a generalized node, none if it is a record itself (Figures 12 and 15)."""
        columns = [self._tree.children(node) for node in generalized]
        count = len(columns[0])
        if count < 2 or any(len(column) != count for column in columns):
            return []
        if len(generalized) == 1 and self._is_table_row(columns[0]):
            return []
        return list(zip(*columns, strict=True)) if all(map(self._are_similar, columns)) else []

    def _are_similar(self, nodes: Sequence[int]) -> bool:
        """Is every one of these adjacent siblings similar to the next?"""
        siblings = Siblings(self._tree, nodes, self._t)
        return all(siblings.near(1, start) for start in range(len(nodes) - 1))

    def _is_table_row(self, cells: Sequence[int]) -> bool:
        """Are these the cells of a data table, which hold one text each and are no records (Figure 13)?"""
        return all(self._page.count_texts(cell) <= 1 for cell in cells)

    def _strays(self, region: Region, last: Record) -> list[Record]:
        """Children of the region's left-out siblings that look like its last record (section 3.4, Figure 19)."""
        taken = {node for other in self._by_parent[region.parent] for node in other.nodes}
        pattern = self._tags(last)
        return [
            (child,)
            for sibling in self._tree.children(region.parent)
            if sibling not in taken
            for child in self._tree.children(sibling)
            if similar(self._tags((child,)), pattern, self._t)
        ]

    def _torn_apart(self, parent: int) -> list[int]:
        """Consecutive siblings, this one first, that each hold one part of every record (non-contiguous, second case).

        They are the parents of one region each, with equally many generalized nodes, and are not alike themselves.
        """
        rows = [parent]
        while True:
            row = rows[-1]
            below = self._tree.ends[row]
            if not (self._is_sibling(row, below) and self._same_length(row, below)):
                return rows
            if similar(self._tags((row,)), self._tags((below,)), self._t):
                return rows
            rows.append(below)

    def _is_sibling(self, node: int, after: int) -> bool:
        return after < len(self._tree) and self._tree.parents[node] == self._tree.parents[after]

    def _same_length(self, *rows: int) -> bool:
        regions = [self._by_parent.get(row, []) for row in rows]
        return all(len(region) == 1 for region in regions) and len({len(r[0].generalized) for r in regions}) == 1

    def _tags(self, record: Record) -> str:
        tags, ends = self._tree.tags, self._tree.ends
        return "".join([tags[node : ends[node]] for node in record])


def _joined(rows: Sequence[Sequence[Record]]) -> list[Record]:
    """The t-th record is made of the t-th generalized node of every row."""
    return [tuple(node for part in parts for node in part) for parts in zip(*rows, strict=True)]
