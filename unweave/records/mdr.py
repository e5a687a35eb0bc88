"""MDR, mining data records (Liu, Grossman, Zhai: KDD 2003).

Three steps: find regions of similar adjacent siblings, find the records in the generalized nodes of each region, then join
what the layout of the page has torn apart. docs/methods.md lists for every step whether it is as printed, corrected, or
chosen by us where the paper leaves it open.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain

from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.records.items import ItemCounts
from unweave.records.region import Listing, Record, Region
from unweave.records.regions import K, Siblings, T, find_regions
from unweave.trees.distance import similar
from unweave.trees.tree import Tree
from unweave.variants import Variant, check_variant

TAGS: dict[str, frozenset[str] | None] = {
    "all": None,
    "tables": frozenset(
        "table caption colgroup col thead tbody tfoot tr th td"
        " form fieldset legend label input button select optgroup option textarea".split()
    ),
}
"""The elements that records are made of, by the names of the parameter ``tags``: any, or those of tables and forms only."""

# Comparing what is left out beside many regions with the records of each could take time quadratic in the size of a page.
# A comparison costs its own ten and one for every tag of the shorter string. Beyond this, no stray records are looked for.
MAX_STRAY_WORK = 5_000_000
_WORK_OF_A_COMPARISON = 10


def find(
    page: Page,
    *,
    k: int = K,
    t: float = T,
    variant: str = Variant.CORRECTED,
    tags: str = "all",
    nested: bool = False,
) -> list[Listing]:
    """Return all lists of the page, in document order.

    ``k`` is the most siblings that one generalized node may have, and ``t`` the largest normalized edit distance at which
    tag strings are similar. With ``tags="tables"``, generalized nodes consist of elements of tables and forms only, as in
    the paper's system. With ``nested``, the records of each list are searched for lists, too.
    """
    check_parameters(k, t)
    form = check_variant(variant)
    if tags not in TAGS:
        raise UsageError(f"unknown tags {tags!r}; there are {', '.join(TAGS)}")
    found: set[Listing] = set()
    roots: Sequence[int] = [0]
    # With the default t, two similar siblings are about half of their parent each at most: few lists are inside each other.
    while roots:
        regions = find_regions(page.tree, k=k, t=t, roots=roots, labels=TAGS[tags])
        records = Records(page, regions, t, variant=form)
        listings = records.listings()
        found.update(listings)
        roots = records.without_table_rows(listings) if nested else []
    return sorted(found, key=lambda listing: listing.records)


def check_parameters(k: int, t: float) -> None:
    """Raise if a parameter is out of its range."""
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    if not 0 <= t < 2:
        raise UsageError(f"t must be at least 0 and below 2, not {t}")


class Records:
    """The records of all regions of one page (sections 3.3 and 3.4)."""

    def __init__(
        self,
        page: Page,
        regions: Sequence[Region],
        t: float,
        *,
        tree: Tree | None = None,
        variant: Variant = Variant.CORRECTED,
    ) -> None:
        self._tree = page.tree if tree is None else tree
        self._t = t
        self._is_printed = variant is Variant.PRINTED
        self._items = ItemCounts(page)
        self._stray_work = MAX_STRAY_WORK
        self._by_parent: dict[int, list[Region]] = {}
        for region in regions:
            self._by_parent.setdefault(region.parent, []).append(region)

    def listings(self) -> list[Listing]:
        """Return the lists in document order."""
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
            lists = [self.of_region(region) for region in regions]
            for records, beside in zip(lists, self._strays(parent, lists), strict=True):
                found.append(sorted([*records, *((stray,) for stray in beside)]))
                strays.update(beside)
        if not self._is_printed:
            # A row too short for its region is a region itself; as stray records its cells have been counted already.
            found = [records for records in found if any(node not in strays for record in records for node in record)]
        return [Listing(tuple(records)) for records in sorted(found)]

    def without_table_rows(self, listings: Sequence[Listing]) -> list[int]:
        """Return the roots of all records, but for rows of data tables: their cells are no records (Figure 13)."""
        nodes = {node for listing in listings for node in listing.nodes}
        return sorted(node for node in nodes if not self._is_table_row(self._tree.children(node)))

    def of_region(self, region: Region) -> list[Record]:
        """Return the records of a region."""
        return [record for generalized in region.generalized for record in self.of_generalized(generalized)]

    def of_generalized(self, generalized: Record) -> list[Record]:
        """Return the records of one generalized node.

        As printed, Figure 15 takes a generalized node of several components for one record wherever their children do not
        form columns. By the constraint above it, records inside one node are similar; where the components themselves are,
        they are the records. Without this, a list with one odd entry comes out as pairs of records.
        """
        if len(generalized) > 1 and not self._is_printed and self._are_similar(generalized):
            return [record for node in generalized for record in self.of_generalized((node,))]
        return self._inside(generalized) or [generalized]

    def _inside(self, generalized: Record) -> list[Record]:
        """Return the records one level below a generalized node, none if it is a record itself (Figures 12 and 15)."""
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
        """Are these the cells of a data table, which hold one item each and are no records (Figure 13)?"""
        return all(self._items.count(cell) <= 1 for cell in cells)

    def _strays(self, parent: int, lists: Sequence[Sequence[Record]]) -> list[list[int]]:
        """Return for each list below a parent the records of it that stand in no region (section 3.4, Figure 19).

        These are children of the parent's other children that look like the last record of the list, if its records are
        one level below its region's nodes. What looks like the records of several lists belongs to the nearest list before
        it, else to the nearest after it.
        """
        strays: list[list[int]] = [[] for _ in lists]
        patterns = [
            (number, self.tags(records[-1]))
            for number, records in enumerate(lists)
            if self._tree.parents[records[-1][0]] != parent
        ]
        if not patterns:
            return strays
        covered = {node for region in self._by_parent[parent] for node in region.nodes}
        starts = [lists[number][0][0] for number, _ in patterns]
        for node in self._tree.children(parent):
            if node not in covered:
                following = bisect_left(starts, node)
                for child in self._tree.children(node):
                    number = self._first_similar(self.tags((child,)), patterns, following)
                    if number is not None:
                        strays[number].append(child)
        return strays

    def _first_similar(self, tags: str, patterns: Sequence[tuple[int, str]], following: int) -> int | None:
        """Return the number of the first similar pattern, from ``following`` backwards and then forwards; None for none."""
        for place in chain(range(following - 1, -1, -1), range(following, len(patterns))):
            number, pattern = patterns[place]
            self._stray_work -= _WORK_OF_A_COMPARISON + min(len(tags), len(pattern))
            if self._stray_work < 0:
                return None
            if similar(tags, pattern, self._t):
                return number
        return None

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
