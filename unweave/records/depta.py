"""DEPTA (Zhai, Liu: WWW 2005): MDR with eyes, and records aligned into columns by partial tree alignment.

The record finder is the paper's MDR-2. It differs from MDR in what it takes for a false combination of nodes: with boxes,
one in which something stands further apart inside a generalized node than two of them do; with and without, one whose parts
are similar to each other, because several nodes in one generalized node mean that they are not (section 3.4.1).
"""

from __future__ import annotations

from itertools import pairwise

from unweave.page.page import Page
from unweave.records.gaps import GapRule
from unweave.records.mdr import Records, check_parameters
from unweave.records.region import Listing, Record, Region
from unweave.records.regions import K, T, find_regions
from unweave.trees.distance import similar


def find(page: Page, *, k: int = K, t: float = T) -> list[Listing]:
    """All lists of the page, in document order."""
    check_parameters(k, t)
    eyes = GapRule(page.boxes, page.unseen) if page.boxes is not None else None

    def accept(region: Region) -> bool:
        return eyes is None or eyes.accepts(region.generalized)

    found = _Records(page, find_regions(page.tree, k=k, t=t, accept=accept if eyes else None), t).listings()
    if page.drawn_tree.parents == page.tree.parents:
        return found
    drawn = _Records(page, find_regions(page.drawn_tree, k=k, t=t, accept=accept), t, tree=page.drawn_tree).listings()
    known = {listing.records for listing in found}
    new = [listing for listing in drawn if listing.records not in known and _is_whole(page, listing)]
    return sorted(found + new, key=lambda listing: listing.records)


def _is_whole(page: Page, listing: Listing) -> bool:
    """Is what is drawn as a record one in the document too? Only then do its text and its paths mean the same in both."""
    return all(page.drawn_tree.ends[node] == page.tree.ends[node] for node in listing.nodes)


class _Records(Records):
    """As in MDR, after false combinations are taken apart."""

    def of_region(self, region: Region) -> list[Record]:
        """The records of a region, whose generalized nodes are cut into their smallest similar parts."""
        period, offset = self._smallest_period(region)
        nodes = region.nodes
        parts = [nodes[start : start + period] for start in range(offset, len(nodes), period)]
        return [record for part in parts for record in self.of_generalized(part)]

    def _smallest_period(self, region: Region) -> tuple[int, int]:
        """The least number of nodes, and the first place, in which some generalized node repeats itself.

        All generalized nodes of a region are alike, so what one of them is, all are. One odd entry in a list, or a heading
        before it, makes a wider combination cover more nodes than the right one; a generalized node that has neither in it
        shows what the combination is made of.
        """
        for period in range(1, region.width // 2 + 1):
            for offset in range(period):
                if any(self._repeats(node, period, offset) for node in region.generalized):
                    return period, offset
        return region.width, 0

    def _repeats(self, generalized: Record, period: int, offset: int) -> bool:
        """Is every run of so many nodes from there on similar to the next?"""
        starts = range(offset, len(generalized) - period + 1, period)
        runs = [self.tags(generalized[start : start + period]) for start in starts]
        return len(runs) > 1 and all(similar(run, following, self._t) for run, following in pairwise(runs))
