"""DEPTA (Zhai, Liu: WWW 2005): MDR with layout, and records aligned into columns by partial tree alignment.

The record finder is the paper's MDR-2: MDR, with false combinations of nodes taken apart. A generalized node of several
nodes is false if the layout shows something further apart inside it than two of them are (section 3.3), or if its nodes
are similar to each other: that several nodes are in one "indicates that these are not similar" (section 3.4.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from unweave.page.boxes import close_entries, tree_by_containment
from unweave.page.page import Page
from unweave.records.gaps import GapRule
from unweave.records.mdr import Records, check_parameters
from unweave.records.products import is_product_list
from unweave.records.region import Listing, Record, Region
from unweave.records.regions import K, T, find_regions
from unweave.trees.distance import similar
from unweave.trees.tree import Tree
from unweave.variants import Variant, check_variant

# The box of words in a line is by so many pixels taller than the line.
_MAX_PROTRUSION = 2.0
# Parts that go on over the borders of generalized nodes are similar there at least so many times as often as inside.
_MIN_SIMILARITY_AT_BORDERS = 0.5


def find(
    page: Page, *, k: int = K, t: float = T, variant: str = Variant.CORRECTED, products: bool = False
) -> list[Listing]:
    """All lists of the page, in document order; with ``products``, those whose records have an image and a price."""
    check_parameters(k, t)
    form = check_variant(variant)
    view = as_drawn(page, variant=variant, t=t)
    found = _find_in(view, view.tree, k, t, form)
    if form is Variant.IMPROVED and page.drawn_tree.parents != page.tree.parents:
        known = {listing.records for listing in found}
        drawn = _find_in(page, page.drawn_tree, k, t, form)
        new = [listing for listing in drawn if listing.records not in known and _is_whole(page, listing)]
        found = sorted(found + new, key=lambda listing: listing.records)
    return [listing for listing in found if not products or is_product_list(view, listing)]


def as_drawn(page: Page, *, variant: str = Variant.CORRECTED, t: float = T) -> Page:
    """The page as the method reads it: with layout, nested as its boxes contain each other (section 3.2).

    Nodes keep their numbers, so that records are nodes of the document too. The corrected form also parts the entries that
    nobody closed, and lets letters stick out of their line. The improved one keeps the document's tree, and looks for lists
    in both.
    """
    form = check_variant(variant)
    if page.boxes is None or page.document is not None or form is Variant.IMPROVED:
        return page
    if form is Variant.PRINTED:
        return page.with_tree(tree_by_containment(page.tree, page.boxes, page.unseen))
    tree = tree_by_containment(page.tree, page.boxes, page.unseen, tolerance=_MAX_PROTRUSION)
    return page.with_tree(close_entries(tree, page.boxes, t))


def _find_in(page: Page, tree: Tree, k: int, t: float, variant: Variant) -> list[Listing]:
    """The lists of a page in one of its trees."""
    gaps = GapRule(page.boxes, page.unseen) if page.boxes is not None else None
    regions = find_regions(tree, k=k, t=t, accept=None if gaps is None else lambda region: gaps.accepts(region.generalized))
    if variant is Variant.PRINTED:
        return Records(page, regions, t, tree=tree, variant=variant).listings()
    return _Records(page, regions, t, tree=tree, gaps=gaps, across=variant is Variant.IMPROVED).listings()


def _is_whole(page: Page, listing: Listing) -> bool:
    """Is what is drawn as a record one in the document too? Only then do its text and its paths mean the same in both."""
    return all(page.drawn_tree.ends[node] == page.tree.ends[node] for node in listing.nodes)


class _Records(Records):
    """The records of MDR, after false combinations are taken apart."""

    def __init__(
        self, page: Page, regions: Sequence[Region], t: float, *, tree: Tree, gaps: GapRule | None, across: bool
    ) -> None:
        super().__init__(page, regions, t, tree=tree)
        self._gaps = gaps
        self._across = across

    def of_region(self, region: Region) -> list[Record]:
        """The records of a region, of the smallest parts that its generalized nodes consist of."""
        return [record for part in self._parts(region) for record in self.of_generalized(part)]

    def _parts(self, region: Region) -> list[Record]:
        """The generalized nodes, or what they are cut into.

        All generalized nodes of a region are similar, so what one of them consists of, all do. One odd entry in a list
        makes a wider combination cover more nodes than the right one, and the generalized nodes without it show what the
        combination is made of.
        """
        for length in range(1, region.width // 2 + 1):
            for start in range(length if self._across else 1):
                if self._is_cut(region, length, start):
                    parts = [part for part in (region.nodes[:start], *_runs(region.nodes[start:], length)) if part]
                    if self._gaps is None or self._gaps.accepts(parts):
                        return parts
        return region.generalized

    def _is_cut(self, region: Region, length: int, start: int) -> bool:
        """Does the region consist of similar parts of this length, the first of them at this place?

        Without ``across``, parts begin and end with generalized nodes, and some generalized node consists of them whole.
        With it, some generalized node consists of them but for its edges, and they go on over the borders of generalized
        nodes: else what is at the edges is a part of the record (a record of five rows may begin with two similar pairs).
        """
        if region.width % length == start == 0:
            return any(self._is_repetition(_runs(node, length)) for node in region.generalized)
        if not self._across or not any(
            self._is_repetition(_whole_runs(node[start:], length)) for node in region.generalized
        ):
            return False
        return self._goes_on_over_borders(region, length, start)

    def _is_repetition(self, runs: Sequence[Record]) -> bool:
        """Are there several, and is each similar to the next?"""
        return len(runs) > 1 and all(self._similar_pairs(runs))

    def _goes_on_over_borders(self, region: Region, length: int, start: int) -> bool:
        """Are neighbouring parts about as often similar at the borders of generalized nodes as inside?"""
        at_borders: list[bool] = []
        inside: list[bool] = []
        pairs = self._similar_pairs(_whole_runs(region.nodes[start:], length))
        for number, are_similar in enumerate(pairs):
            first = start + number * length
            last = first + 2 * length - 1
            (inside if first // region.width == last // region.width else at_borders).append(are_similar)
        return not at_borders or not inside or _share(at_borders) >= _MIN_SIMILARITY_AT_BORDERS * _share(inside)

    def _similar_pairs(self, runs: Sequence[Record]) -> Iterable[bool]:
        """For each run but the last: is it similar to the next?"""
        return (similar(self.tags(run), self.tags(following), self._t) for run, following in pairwise(runs))


def _runs(nodes: Record, length: int) -> list[Record]:
    """The nodes in runs of this length; the last may be shorter."""
    return [nodes[start : start + length] for start in range(0, len(nodes), length)]


def _whole_runs(nodes: Record, length: int) -> list[Record]:
    """The runs that are not shorter."""
    return [run for run in _runs(nodes, length) if len(run) == length]


def _share(answers: Sequence[bool]) -> float:
    return sum(answers) / len(answers)
