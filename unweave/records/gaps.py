"""The gap rule: the layout shows more room between two records than inside one."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import reduce
from itertools import pairwise

from unweave.page.boxes import ROUNDING, Box
from unweave.records.region import Record


class GapRule:
    """The gap between two records is no smaller than any gap within one (DEPTA, section 3.3; CTVS, section 2.2)."""

    def __init__(self, boxes: Sequence[Box], unseen: Container[int]) -> None:
        self._boxes = boxes
        self._unseen = unseen

    def accepts(self, records: Sequence[Record]) -> bool:
        """May these be records, as far as the layout shows?"""
        drawn = [[self._boxes[node] for node in record if node not in self._unseen] for record in records]
        drawn = [boxes for boxes in drawn if boxes]
        inside = [one.gap(other) for boxes in drawn for one, other in pairwise(boxes)]
        whole = [reduce(Box.union, boxes) for boxes in drawn]
        between = [one.gap(other) for one, other in pairwise(whole)]
        return not inside or not between or min(between) >= max(inside) - ROUNDING
