"""The query result section: which list a person would choose, and what continues it elsewhere (sections 2.3 and 2.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate

from unweave.page.boxes import Box
from unweave.page.page import Page
from unweave.records.ctvs.tags import T, tag_similarity, tags_of
from unweave.records.rank import rank
from unweave.records.region import Listing
from unweave.trees.distance import ROUNDING

# Without boxes, the middle of a page and the number of values are weak signs: together they weigh half of the area.
_WEIGHT_WITHOUT_EYES = 0.25
_SAME_PLACE = 3
# A list has a few shapes of records. Beyond these, and beyond so many pairs of shapes on a page, nothing is merged.
_MOST_SHAPES = 12
_MOST_PAIRS = 100_000


def sections(page: Page, listings: Sequence[Listing]) -> list[tuple[float, Listing]]:
    """The lists, best first, with a score from 0 to 1; each takes in later ones whose records are like its own.

    The paper merges first and chooses then. In that order the many small menus of today's pages, which are all alike,
    become the largest list of all (docs/quality.md).
    """
    with_text = rank(page, listings)
    weights = _weights_of_text(page, with_text) if page.boxes is None else _weights_of_boxes(page, with_text, page.boxes)
    ranked = sorted(zip(weights, with_text, strict=True), key=lambda pair: (-pair[0], pair[1][1].records))
    return _merged(page, [(weight, listing) for weight, (_, listing) in ranked])


# ---- choosing ----------------------------------------------------------------------------------------------------


def _weights_of_boxes(page: Page, listings: Sequence[tuple[float, Listing]], boxes: Sequence[Box]) -> list[float]:
    """The share of the largest area, of the smallest distance from the page's centre, and of the most values a record."""
    middle = _centre(boxes[0])
    areas = [sum([_area(boxes[node]) for node in listing.nodes]) for _, listing in listings]
    around = [reduce(Box.union, [boxes[node] for node in listing.nodes]) for _, listing in listings]
    distances = [math.dist(middle, _centre(box)) for box in around]
    nearest = min(distances, default=0.0)
    centred = [nearest / distance if distance else 1.0 for distance in distances]
    counts = [_values_a_record(page, listing) for _, listing in listings]
    return [sum(shares) / 3 for shares in zip(_shares(areas), centred, _shares(counts), strict=True)]


def _weights_of_text(page: Page, listings: Sequence[tuple[float, Listing]]) -> list[float]:
    """Stand-ins: the worth of the text for the area, its place among all text for the distance from the centre."""
    ends = list(accumulate(map(len, page.texts), initial=0))
    areas = _shares([worth for worth, _ in listings])
    centred = [_closeness(page, listing, ends) for _, listing in listings]
    counts = _shares([math.log1p(_values_a_record(page, listing)) for _, listing in listings])
    return [
        (area + _WEIGHT_WITHOUT_EYES * (centre + count)) / (1 + 2 * _WEIGHT_WITHOUT_EYES)
        for area, centre, count in zip(areas, centred, counts, strict=True)
    ]


def _closeness(page: Page, listing: Listing, ends: Sequence[int]) -> float:
    """1 for a list in the middle of the page's text, 0 at either end."""
    first, last = listing.records[0][0], listing.records[-1][-1]
    middle = (ends[page.first_chunks[first]] + ends[page.stop_chunks[last]]) / 2
    return 1 - abs(2 * middle / ends[-1] - 1)


def _values_a_record(page: Page, listing: Listing) -> float:
    return sum([page.count_texts(node) for node in listing.nodes]) / len(listing.records)


def _shares(amounts: Sequence[float]) -> list[float]:
    """Each amount as a share of the largest."""
    largest = max(amounts, default=0.0) or 1.0
    return [amount / largest for amount in amounts]


def _area(box: Box) -> float:
    return 0.0 if box.is_empty else (box.right - box.left) * (box.bottom - box.top)


def _centre(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


# ---- merging -----------------------------------------------------------------------------------------------------


def _merged(page: Page, ranked: Sequence[tuple[float, Listing]]) -> list[tuple[float, Listing]]:
    """Each list with all later ones that stand at a place like its own and whose records are like its own."""
    kin = _Kinship(page)
    waiting: dict[tuple[str, ...], list[Listing]] = {}
    for _, listing in ranked:
        waiting.setdefault(kin.place(listing), []).append(listing)
    found: list[tuple[float, Listing]] = []
    taken: set[Listing] = set()
    for weight, listing in ranked:
        if listing in taken:
            continue
        place = kin.place(listing)
        others = [other for other in waiting[place] if other is not listing and kin.are_alike(listing, other)]
        waiting[place] = [other for other in waiting[place] if other is not listing and other not in others]
        taken.update(others)
        records = sorted(record for part in (listing, *others) for record in part.records)
        found.append((weight, Listing(tuple(records))))
    return found


class _Kinship:
    """Whether the records of two lists are alike on average, over their commonest shapes."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._known: dict[tuple[str, str], float] = {}
        self._shapes: dict[Listing, Counter[str]] = {}
        self._left = _MOST_PAIRS

    def place(self, listing: Listing) -> tuple[str, ...]:
        """The tags of a record and of the elements that it stands in, and how many siblings a record has."""
        tree, record = self._page.tree, listing.records[0]
        above = [tree.labels[node] for _, node in zip(range(_SAME_PLACE), tree.ancestors(record[0]), strict=False)]
        return (str(len(record)), *above)

    def are_alike(self, one: Listing, other: Listing) -> bool:
        """Is the average similarity of their records at least 0.6?"""
        first, second = self._shapes_of(one), self._shapes_of(other)
        self._left -= len(first) * len(second)
        if self._left < 0:
            return False
        pairs = first.total() * second.total()
        total = sum(a * b * self._similarity(x, y) for x, a in first.items() for y, b in second.items())
        return total / pairs >= 1 - T - ROUNDING

    def _shapes_of(self, listing: Listing) -> Counter[str]:
        known = self._shapes.get(listing)
        if known is None:
            shapes = Counter(tags_of(self._page.tree, record) for record in listing.records)
            known = self._shapes[listing] = Counter(dict(shapes.most_common(_MOST_SHAPES)))
        return known

    def _similarity(self, one: str, other: str) -> float:
        pair = (one, other) if one < other else (other, one)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = tag_similarity(one, other)
        return known
