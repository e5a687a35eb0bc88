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
from unweave.records.regions import K, Siblings, T, find_regions
from unweave.trees.distance import similar
from unweave.trees.tree import Tree

_MOST_REGIONS_WITH_STRAYS = 20


def find(page: Page, *, k: int = K, t: float = T) -> list[Listing]:
    """All lists of the page, in document order."""
    check_parameters(k, t)
    return Records(page, find_regions(page.tree, k=k, t=t), t).listings()


def check_parameters(k: int, t: float) -> None:
    """Raise if a parameter is out of its range."""
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    if not 0 <= t < 2:
        raise UsageError(f"t must be at least 0 and below 2, not {t}")


class Records:
    """The records of all regions of one page (sections 3.3 and 3.4)."""

    def __init__(self, page: Page, regions: Sequence[Region], t: float, *, tree: Tree | None = None) -> None:
        self._page = page
        self._tree = page.tree if tree is None else tree
        self._t = t
        self._left_out_below: dict[int, list[tuple[int, str]]] = {}
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
                records, stray = self._with_strays(region)
                found.append(sorted(records + stray))
                strays.update(node for record in stray for node in record)
        # A row too short for its region is a region itself; as stray records its cells have been counted already.
        kept = [records for records in found if any(node not in strays for record in records for node in record)]
        return [Listing(tuple(records)) for records in sorted(kept)]

    def of_region(self, region: Region) -> list[Record]:
        """The records of a region."""
        return [record for generalized in region.generalized for record in self.of_generalized(generalized)]

    def _with_strays(self, region: Region) -> tuple[list[Record], list[Record]]:
        """The records of a region, and the stray ones beside it if its records are one level below its nodes."""
        records = self.of_region(region)
        last = records[-1]
        is_below = self._tree.parents[last[0]] != region.parent
        return records, self._strays(region, last) if is_below else []

    def of_generalized(self, generalized: Record) -> list[Record]:
        """The records of one generalized node.

        Figure 15 takes a generalized node of several components for one record wherever their children do not form
        columns. By the constraint above it, records inside one node are similar; where the components themselves are, they
        are the records. Without this, a list with one odd entry comes out as pairs of records.
        """
        if len(generalized) > 1 and self._are_similar(generalized):
            return [record for node in generalized for record in self.of_generalized((node,))]
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
        pattern = self.tags(last)
        return [(child,) for child, tags in self._left_out(region.parent) if similar(tags, pattern, self._t)]

    def _left_out(self, parent: int) -> list[tuple[int, str]]:
        """The children of those children of a node that no region covers, with their tag strings.

        None where there are many regions: every list would look at all that is left out by all.
        """
        if len(self._by_parent[parent]) > _MOST_REGIONS_WITH_STRAYS:
            return []
        known = self._left_out_below.get(parent)
        if known is None:
            taken = {node for region in self._by_parent[parent] for node in region.nodes}
            siblings = [node for node in self._tree.children(parent) if node not in taken]
            children = [child for node in siblings for child in self._tree.children(node)]
            known = self._left_out_below[parent] = [(child, self.tags((child,))) for child in children]
        return known

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
            if similar(self.tags((row,)), self.tags((below,)), self._t):
                return rows
            rows.append(below)

    def _is_sibling(self, node: int, after: int) -> bool:
        return after < len(self._tree) and self._tree.parents[node] == self._tree.parents[after]

    def _same_length(self, *rows: int) -> bool:
        regions = [self._by_parent.get(row, []) for row in rows]
        return all(len(region) == 1 for region in regions) and len({len(r[0].generalized) for r in regions}) == 1

    def tags(self, record: Record) -> str:
        """The tag string of these sub-trees."""
        tags, ends = self._tree.tags, self._tree.ends
        return "".join([tags[node : ends[node]] for node in record])


def _joined(rows: Sequence[Sequence[Record]]) -> list[Record]:
    """The t-th record is made of the t-th generalized node of every row."""
    return [tuple(node for part in parts for node in part) for parts in zip(*rows, strict=True)]
