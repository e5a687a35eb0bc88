"""Data regions and the data records in them, by MDR (Liu et al. 2003) and DEPTA (Zhai, Liu 2005).

A data region is a run of adjacent siblings, cut into generalized nodes that are similar to each
other (MDR, section 3.2). A generalized node is a record, has records one level below, or is a part
of records (MDR, sections 3.3 and 3.4; DEPTA, section 3.4). The default method takes the lists as
candidates; the methods of the papers call this with the rules of their papers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, groupby, pairwise

from unweave.lists.listing import Listing, Record, find_textless_items, slice_nodes
from unweave.lists.tag_similarity import join_tags
from unweave.page.layout import PIXEL_ROUNDING, Box
from unweave.page.page import Page
from unweave.trees.edit_distance import FLOAT_TOLERANCE, are_similar, compute_distance
from unweave.trees.tree import Tree

K = 10
"""The most siblings that one generalized node may have."""
T = 0.3
"""The largest normalized edit distance at which tag strings are similar."""

MAX_STRAY_WORK = 5_000_000
"""The budget of one page for comparing what is outside of regions with the records of each region,
which could take quadratic time. Beyond, no stray records are searched for. A comparison costs 10,
and 1 for every tag of the shorter string."""
_WORK_PER_COMPARISON = 10

# A node with only one level below it has no records (Figures 5 and 8).
_MIN_HEIGHT = 3

# The parts of a false combination continue over the borders of generalized nodes if neighbours
# there are similar at least this share of the times that neighbours inside are.
_MIN_SIMILARITY_AT_BORDERS = 0.5


# ---- data regions --------------------------------------------------------------------------------


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
    """Return the data regions below the roots in preorder (FindDRs, Figure 8).

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
        """Tell whether ``width`` children from ``start`` on are similar to as many after them."""
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
        regions: list[Region] = []
        start = 0
        while start < self._count - 1:
            region, start = self._find_first_region(parent, start, k, accept)
            if region is None:
                break
            regions.append(region)
        return regions

    def _find_first_region(
        self, parent: int, first: int, k: int, accept: Callable[[Region], bool] | None
    ) -> tuple[Region | None, int]:
        """Return the region that covers most, the narrowest of several, and where it stops.

        It does not start after any that covers less. A start or width is left out where its region
        could not be taken: it would cover too little or start too late.
        """
        count = self._count
        best: Region | None = None
        covered, latest, end = 0, count, count
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
                if stop - start > covered:
                    region = Region(parent, tuple(self._bounds[start:stop]), width)
                    if accept is None or accept(region):
                        best, covered, latest, end = region, stop - start, start, stop
        return best, end

    def _find_next_similar(self, width: int, begin: int, latest: int) -> int:
        """Return the first of begin, begin + width, … that is similar to the next.

        It is ``count`` if there is none up to ``latest``. What was searched in vain for an earlier
        region is not searched again, so all regions together take time linear in the number of
        children.
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

    def __init__(self, boxes: Sequence[Box], invisible: Container[int]) -> None:
        self._boxes = boxes
        self._invisible = invisible

    def accepts(self, records: Sequence[Record]) -> bool:
        """Tell whether these may be records, as far as the layout shows."""
        gaps_inside: list[float] = []
        record_boxes: list[Box] = []
        for record in records:
            boxes = [self._boxes[node] for node in record if node not in self._invisible]
            gaps_inside += [above.measure_gap(below) for above, below in pairwise(boxes)]
            if boxes:
                record_boxes.append(reduce(Box.union, boxes))
        gaps_between = [above.measure_gap(below) for above, below in pairwise(record_boxes)]
        if not gaps_inside or not gaps_between:
            return True
        return min(gaps_between) >= max(gaps_inside) - PIXEL_ROUNDING


# ---- data records --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordRules:
    """Rules for the records in a data region."""

    as_printed: bool = False
    """As in Figure 15 of MDR, similar components of one generalized node are one record."""
    split_combinations: bool = False
    """Take false combinations of nodes apart (DEPTA, sections 3.3 and 3.4.1)."""
    split_across_borders: bool = False
    """Let parts of false combinations cross borders of generalized nodes (not in the papers)."""


DEFAULT_RULES = RecordRules(split_combinations=True, split_across_borders=True)


def find_data_record_lists(page: Page, *, k: int = K, t: float = T) -> list[Listing]:
    """Return the lists of data records of a page, in document order.

    They are searched for in the tree of the document and, if the page has a layout, in the tree
    of the boxes that contain each other. Records of the second must be records of the first too:
    only then do their text and their paths mean the same in both.
    """
    listings = find_data_record_lists_in(page, page.tree, k=k, t=t, rules=DEFAULT_RULES)
    drawn_tree = page.layout_tree
    if drawn_tree.parents == page.tree.parents:
        return listings
    known = {listing.records for listing in listings}
    added: list[Listing] = []
    for listing in find_data_record_lists_in(page, drawn_tree, k=k, t=t, rules=DEFAULT_RULES):
        is_whole = all(drawn_tree.ends[node] == page.tree.ends[node] for node in listing.nodes)
        if is_whole and listing.records not in known:
            added.append(listing)
    return sorted(listings + added, key=lambda listing: listing.records)


def find_data_record_lists_in(
    page: Page, tree: Tree, *, k: int, t: float, rules: RecordRules
) -> list[Listing]:
    """Return the lists of data records of a page in one of its trees, in document order."""
    gaps = GapRule(page.boxes, page.invisible) if page.boxes is not None else None
    regions = find_regions(
        tree,
        k=k,
        t=t,
        accept=None if gaps is None else lambda region: gaps.accepts(region.generalized),
    )
    return RecordFinder(
        page, regions, t, tree=tree, rules=rules, gaps=gaps
    ).find_data_record_lists()


class RecordFinder:
    """Finds the records of all data regions of one page."""

    def __init__(
        self,
        page: Page,
        regions: Sequence[Region],
        t: float,
        *,
        tree: Tree | None = None,
        rules: RecordRules = RecordRules(),
        gaps: GapRule | None = None,
    ) -> None:
        self._tree = page.tree if tree is None else tree
        self._t = t
        self._rules = rules
        self._gaps = gaps
        self._page = page
        self._stray_work = MAX_STRAY_WORK
        self._by_parent: dict[int, list[Region]] = {}
        for region in regions:
            self._by_parent.setdefault(region.parent, []).append(region)

    def find_data_record_lists(self) -> list[Listing]:
        """Return the lists in document order."""
        lists: list[list[Record]] = []
        all_strays: set[int] = set()
        joined: set[int] = set()
        for parent, regions in self._by_parent.items():
            if parent in joined:
                continue
            rows = self._find_noncontiguous_rows(parent)
            if len(rows) > 1:
                joined.update(rows)
                lists.append(_join_rows([self._by_parent[row][0].generalized for row in rows]))
                continue
            records_of_regions = [self._find_records(region) for region in regions]
            strays_of_regions = self._find_strays(parent, records_of_regions)
            for records, strays in zip(records_of_regions, strays_of_regions, strict=True):
                lists.append(sorted([*records, *((stray,) for stray in strays)]))
                all_strays.update(strays)
        if not self._rules.as_printed:
            # A row too short for its region is a region too; its cells are stray records already.
            lists = [
                records
                for records in lists
                if any(node not in all_strays for record in records for node in record)
            ]
        return [Listing(tuple(records)) for records in sorted(lists)]

    def drop_table_rows(self, listings: Sequence[Listing]) -> list[int]:
        """Return the roots of all records but for rows of data tables (Figure 13)."""
        nodes = {node for listing in listings for node in listing.nodes}
        return sorted(node for node in nodes if not self._is_table_row(self._tree.children(node)))

    def _find_records(self, region: Region) -> list[Record]:
        parts = region.generalized
        if self._rules.split_combinations:
            parts = self._split_combinations(region)
        return [record for part in parts for record in self._find_records_of_part(part)]

    def _find_records_of_part(self, generalized: Record) -> list[Record]:
        """Return the records of one generalized node (Figures 12 and 15).

        As printed, Figure 15 takes a generalized node of several components for one record
        wherever their children do not form columns. By the constraint above it, records inside
        one node are similar; where the components themselves are, they are the records. Without
        this, a list with one odd entry comes out as pairs of records.
        """
        is_combined = len(generalized) > 1
        if is_combined and not self._rules.as_printed and self._are_similar(generalized):
            return [
                record for node in generalized for record in self._find_records_of_part((node,))
            ]
        # The records one level below, unless the node is a record itself.
        columns = [self._tree.children(node) for node in generalized]
        count = len(columns[0])
        if count < 2 or any(len(column) != count for column in columns):
            return [generalized]
        if not is_combined and self._is_table_row(columns[0]):
            return [generalized]
        if not all(map(self._are_similar, columns)):
            return [generalized]
        return list(zip(*columns, strict=True))

    def _are_similar(self, nodes: Sequence[int]) -> bool:
        """Tell whether each of these adjacent siblings is similar to the next."""
        siblings = Siblings(self._tree, nodes, self._t)
        return all(siblings.is_similar_to_next(1, start) for start in range(len(nodes) - 1))

    def _is_table_row(self, cells: Sequence[int]) -> bool:
        """Tell whether these are cells of a data table, with one item each (Figure 13): no records.

        A linked text and a linked image are one item each.
        """
        ends, textless = self._page.tree.ends, self._textless_items
        for cell in cells:
            items = self._page.count_texts(cell) + len(slice_nodes(textless, cell, ends[cell]))
            if items > 1:
                return False
        return True

    @cached_property
    def _textless_items(self) -> list[int]:
        return find_textless_items(self._page)

    # ---- records outside of regions, and over several regions ------------------------------------

    def _find_strays(self, parent: int, lists: Sequence[Sequence[Record]]) -> list[list[int]]:
        """Return the records outside of regions for each list below a parent (Figure 19).

        These are children of the parent's other children that look like the last record of the
        list, if its records are one level below its region's nodes. What looks like the records
        of several lists belongs to the nearest list before it, else to the nearest after it.
        """
        strays: list[list[int]] = [[] for _ in lists]
        patterns = [
            (number, join_tags(self._tree, records[-1]))
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
                    tags = join_tags(self._tree, (child,))
                    number = self._find_similar_pattern(tags, patterns, following)
                    if number is not None:
                        strays[number].append(child)
        return strays

    def _find_similar_pattern(
        self, tags: str, patterns: Sequence[tuple[int, str]], following: int
    ) -> int | None:
        """Return the number of the first similar pattern, backwards from ``following``, then on."""
        for index in chain(range(following - 1, -1, -1), range(following, len(patterns))):
            number, pattern = patterns[index]
            self._stray_work -= _WORK_PER_COMPARISON + min(len(tags), len(pattern))
            if self._stray_work < 0:
                return None
            if are_similar(tags, pattern, self._t):
                return number
        return None

    def _find_noncontiguous_rows(self, parent: int) -> list[int]:
        """Return consecutive siblings from this one on, each with one part of every record.

        This is the second case of non-contiguous records. The siblings are the parents of one
        region each, with equally many generalized nodes, and are not similar themselves.
        """
        tree, rows = self._tree, [parent]
        while True:
            row = rows[-1]
            below = tree.ends[row]
            if below >= len(tree) or tree.parents[row] != tree.parents[below]:
                return rows
            regions = [self._by_parent.get(row, []), self._by_parent.get(below, [])]
            if any(len(region) != 1 for region in regions):
                return rows
            if len({len(region[0].generalized) for region in regions}) > 1:
                return rows
            if are_similar(join_tags(tree, (row,)), join_tags(tree, (below,)), self._t):
                return rows
            rows.append(below)

    # ---- false combinations ----------------------------------------------------------------------

    def _split_combinations(self, region: Region) -> list[Record]:
        """Return the generalized nodes, or the parts that they are false combinations of.

        All generalized nodes of a region are similar, so all consist of the same parts. One odd
        entry in a list makes a wider combination cover more nodes than the right one, and the
        generalized nodes without it show what the combination is made of.
        """
        for length in range(1, region.width // 2 + 1):
            for start in range(length if self._rules.split_across_borders else 1):
                if self._consists_of_parts(region, length, start):
                    runs = (region.nodes[:start], *_split(region.nodes[start:], length))
                    parts = [run for run in runs if run]
                    if self._gaps is None or self._gaps.accepts(parts):
                        return parts
        return region.generalized

    def _consists_of_parts(self, region: Region, length: int, start: int) -> bool:
        """Tell whether the region consists of similar parts of this length from ``start`` on.

        Within borders, parts begin and end with generalized nodes, and some generalized node
        consists of them whole. Across borders, some generalized node consists of them but for its
        edges, and they continue over the borders of generalized nodes: else what is at the edges
        is a part of the record (a record of five rows may begin with two similar pairs).
        """
        if region.width % length == start == 0:
            return any(self._is_repetition(_split(node, length)) for node in region.generalized)
        if not self._rules.split_across_borders:
            return False
        if not any(
            self._is_repetition(_split_whole(node[start:], length)) for node in region.generalized
        ):
            return False
        at_borders: list[bool] = []
        inside: list[bool] = []
        parts = _split_whole(region.nodes[start:], length)
        for number, neighbours_match in enumerate(self._compare_neighbours(parts)):
            first = start + number * length
            last = first + 2 * length - 1
            is_inside = first // region.width == last // region.width
            (inside if is_inside else at_borders).append(neighbours_match)
        if not at_borders or not inside:
            return True
        share_inside = sum(inside) / len(inside)
        return sum(at_borders) / len(at_borders) >= _MIN_SIMILARITY_AT_BORDERS * share_inside

    def _is_repetition(self, parts: Sequence[Record]) -> bool:
        """Tell whether there are several parts and each is similar to the next."""
        return len(parts) > 1 and all(self._compare_neighbours(parts))

    def _compare_neighbours(self, parts: Sequence[Record]) -> Iterable[bool]:
        """Yield for each part but the last whether it is similar to the next."""
        for part, following in pairwise(parts):
            yield are_similar(
                join_tags(self._tree, part), join_tags(self._tree, following), self._t
            )


def _join_rows(rows: Sequence[Sequence[Record]]) -> list[Record]:
    """Return records of which the t-th is made of the t-th generalized node of every row."""
    return [tuple(node for part in parts for node in part) for parts in zip(*rows, strict=True)]


def _split(nodes: Record, length: int) -> list[Record]:
    """Return the nodes in runs of this length; the last may be shorter."""
    return [nodes[start : start + length] for start in range(0, len(nodes), length)]


def _split_whole(nodes: Record, length: int) -> list[Record]:
    """Return the nodes in runs of this length, without a shorter last one."""
    return [run for run in _split(nodes, length) if len(run) == length]
