"""The query result section: which list a person would choose, and what continues it elsewhere (sections II-C and II-D)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import accumulate

from unweave.page.boxes import Box
from unweave.page.page import Page
from unweave.records.ctvs.options import Options, options_of
from unweave.records.ctvs.regions import find
from unweave.records.ctvs.tags import T, tag_similarity, tags_of
from unweave.records.rank import rank
from unweave.records.region import Listing, Ranked
from unweave.trees.distance import ROUNDING
from unweave.variants import Variant

# Without layout, the middle of a page and the number of values are weak signs: together they weigh half of the area.
_WEIGHT_WITHOUT_LAYOUT = 0.25
_SAME_PLACE_TAGS = 3
# A list has a few shapes of records. Beyond these, and beyond so many pairs of shapes on a page, nothing is merged.
_MAX_SHAPES = 12
_MAX_SHAPE_PAIRS = 100_000
# A pair of tag strings with so many pairs of tags counts as two.
_LONG_PAIR = 20_000

Section = tuple[Listing, ...]
"""Regions of similar records that were merged."""


def ranked(
    page: Page,
    *,
    variant: str = Variant.CORRECTED,
    merge_first: bool | None = None,
    equal_weights: bool | None = None,
    prefer_coverage: bool | None = None,
    keep_last: bool | None = None,
    open_containers: bool | None = None,
    merge_same_place: bool | None = None,
) -> Ranked:
    """Find the lists of a page; the best first is the query result section. ``Options`` describes the switches."""
    options = options_of(
        variant,
        merge_first=merge_first,
        equal_weights=equal_weights,
        prefer_coverage=prefer_coverage,
        keep_last=keep_last,
        open_containers=open_containers,
        merge_same_place=merge_same_place,
    )
    return rank_sections(page, find(page, options), options)


def rank_sections(page: Page, listings: Sequence[Listing], options: Options) -> Ranked:
    """Return the lists that have text, merged with those whose records are similar, best first, with scores from 0 to 1."""
    similarity = _RegionSimilarity(page, options.merge_same_place)
    scores = {listing: score for score, listing in rank(page, listings)}
    sections: list[Section] = [(listing,) for listing in scores]
    if options.merge_first:
        sections = _merge_all(sections, similarity)
    if page.boxes is not None:
        weights = _weights_of_boxes(page, sections, page.boxes)
    elif options.equal_weights:
        weights = _weights_of_letters(page, sections)
    else:
        weights = _weights_of_text(page, sections, scores)
    weighted = zip(weights, sections, strict=True)
    best_first = sorted(weighted, key=lambda pair: (-pair[0], pair[1][0].records))
    if not options.merge_first:
        best_first = _merge_later_ones(best_first, similarity)
    return [(weight, _join(section)) for weight, section in best_first]


def _join(section: Section) -> Listing:
    return Listing(tuple(sorted(record for listing in section for record in listing.records)))


# ---- choosing ----------------------------------------------------------------------------------------------------


def _weights_of_boxes(page: Page, sections: Sequence[Section], boxes: Sequence[Box]) -> list[float]:
    """Return the means of three shares: of the largest area, the smallest distance from the page's centre, the most values.

    The distance of a merged region is that of its largest part.
    """
    middle = _centre(boxes[0])
    areas = [[sum([_area(boxes[node]) for node in part.nodes]) for part in section] for section in sections]
    distances: list[float] = []
    for section, sizes in zip(sections, areas, strict=True):
        largest = section[sizes.index(max(sizes))]
        box = reduce(Box.union, [boxes[node] for node in largest.nodes])
        distances.append(math.dist(middle, _centre(box)))
    return _mean_shares(page, sections, [sum(sizes) for sizes in areas], distances)


def _weights_of_letters(page: Page, sections: Sequence[Section]) -> list[float]:
    """Return the same without layout: the length of the text is the area, its middle among all text the centre."""
    ends = list(accumulate(map(len, page.texts), initial=0))

    def count_letters(listing: Listing) -> int:
        return sum([ends[page.stop_chunks[node]] - ends[page.first_chunks[node]] for node in listing.nodes])

    areas = [[count_letters(part) for part in section] for section in sections]
    distances = [
        abs(_middle_of_text(page, section[sizes.index(max(sizes))], ends) - ends[-1] / 2)
        for section, sizes in zip(sections, areas, strict=True)
    ]
    return _mean_shares(page, sections, [sum(sizes) for sizes in areas], distances)


def _mean_shares(
    page: Page, sections: Sequence[Section], areas: Sequence[float], distances: Sequence[float]
) -> list[float]:
    nearest = min(distances, default=0.0)
    centred = [nearest / distance if distance else 1.0 for distance in distances]
    counts = [_values_a_record(page, section) for section in sections]
    return [sum(shares) / 3 for shares in zip(_shares(areas), centred, _shares(counts), strict=True)]


def _weights_of_text(page: Page, sections: Sequence[Section], scores: Mapping[Listing, float]) -> list[float]:
    """Return stand-ins for the layout: the score of the text for the area, its place among all text for the centre."""
    ends = list(accumulate(map(len, page.texts), initial=0))
    areas = _shares([sum(scores[part] for part in section) for section in sections])
    centred = [1 - abs(2 * _middle_of_text(page, section[0], ends) / ends[-1] - 1) for section in sections]
    counts = _shares([math.log1p(_values_a_record(page, section)) for section in sections])
    return [
        (area + _WEIGHT_WITHOUT_LAYOUT * (centre + count)) / (1 + 2 * _WEIGHT_WITHOUT_LAYOUT)
        for area, centre, count in zip(areas, centred, counts, strict=True)
    ]


def _middle_of_text(page: Page, listing: Listing, ends: Sequence[int]) -> float:
    """Return how many letters of the page stand before the middle of a list."""
    first, last = listing.records[0][0], listing.records[-1][-1]
    return (ends[page.first_chunks[first]] + ends[page.stop_chunks[last]]) / 2


def _values_a_record(page: Page, section: Section) -> float:
    texts = sum([page.count_texts(node) for part in section for node in part.nodes])
    return texts / sum(len(part.records) for part in section)


def _shares(amounts: Sequence[float]) -> list[float]:
    """Each amount as a share of the largest."""
    largest = max(amounts, default=0.0) or 1.0
    return [amount / largest for amount in amounts]


def _area(box: Box) -> float:
    return 0.0 if box.is_empty else (box.right - box.left) * (box.bottom - box.top)


def _centre(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


# ---- merging -----------------------------------------------------------------------------------------------------


def _merge_all(sections: Sequence[Section], similarity: _RegionSimilarity) -> list[Section]:
    """Return the sections of similar regions, directly or by way of others: each with all that are like one of it."""
    waiting = [part for section in sections for part in section]
    merged: list[Section] = []
    while waiting:
        section = [waiting.pop(0)]
        for part in section:
            others = similarity.select(part, waiting)
            section += others  # which the loop comes to in turn
            if others:
                taken = set(others)
                waiting = [other for other in waiting if other not in taken]
        merged.append(tuple(sorted(section, key=lambda part: part.records)))
    return merged


def _merge_later_ones(
    best_first: Sequence[tuple[float, Section]], similarity: _RegionSimilarity
) -> list[tuple[float, Section]]:
    """Return each section with all later ones whose records are like its own, without these."""
    waiting: dict[tuple[str, ...], list[Listing]] = {}
    for _, (listing,) in best_first:
        waiting.setdefault(similarity.place(listing), []).append(listing)
    merged: list[tuple[float, Section]] = []
    taken: set[Listing] = set()
    for weight, (listing,) in best_first:
        if listing in taken:
            continue
        place = similarity.place(listing)
        rest = [other for other in waiting[place] if other is not listing]
        others = similarity.select(listing, rest)
        taken.update(others)
        waiting[place] = [other for other in rest if other not in taken]
        merged.append((weight, (listing, *others)))
    return merged


class _RegionSimilarity:
    """Whether the records of two regions are similar on average, over their commonest shapes."""

    def __init__(self, page: Page, same_place: bool) -> None:
        self._page = page
        self._same_place = same_place
        self._known: dict[tuple[str, str], float] = {}
        self._shapes: dict[Listing, Counter[str]] = {}
        self._left = _MAX_SHAPE_PAIRS

    def place(self, listing: Listing) -> tuple[str, ...]:
        """Return what two regions must share to be merged: with ``same_place`` the number of siblings a record has, its tag
        and those of the elements around it.
        """
        if not self._same_place:
            return ()
        tree, record = self._page.tree, listing.records[0]
        above = [tree.labels[node] for _, node in zip(range(_SAME_PLACE_TAGS), tree.ancestors(record[0]), strict=False)]
        return (str(len(record)), *above)

    def select(self, region: Listing, others: Sequence[Listing]) -> list[Listing]:
        """Return those of the others that may be merged with the region; none once too much was compared on the page."""
        selected: list[Listing] = []
        place = self.place(region)
        for other in others:
            if self._left <= 0:
                break
            if self.place(other) == place and self._are_similar(region, other):
                selected.append(other)
        return selected

    def _are_similar(self, region: Listing, other: Listing) -> bool:
        """Is the average similarity of their records at least 0.6?"""
        first, second = self._shapes_of(region), self._shapes_of(other)
        self._left -= sum(1 + len(x) * len(y) // _LONG_PAIR for x in first for y in second)
        pairs = first.total() * second.total()
        total = sum(a * b * self._similarity(x, y) for x, a in first.items() for y, b in second.items())
        return total / pairs >= 1 - T - ROUNDING

    def _shapes_of(self, listing: Listing) -> Counter[str]:
        known = self._shapes.get(listing)
        if known is None:
            shapes = Counter(tags_of(self._page.tree, record) for record in listing.records)
            known = self._shapes[listing] = Counter(dict(shapes.most_common(_MAX_SHAPES)))
        return known

    def _similarity(self, one: str, other: str) -> float:
        pair = (one, other) if one < other else (other, one)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = tag_similarity(one, other)
        return known
