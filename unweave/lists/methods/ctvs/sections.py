"""Choose the query result section, and merge it with regions that continue it (sections II-C and
II-D).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import accumulate, islice

from unweave.lists.listing import Listing, RankedLists
from unweave.lists.methods.ctvs.options import DEFAULT_OPTIONS, CtvsOptions
from unweave.lists.methods.ctvs.regions import find_lists
from unweave.lists.paper_ranking import rank_by_text
from unweave.lists.tag_similarity import MAX_TAG_DISTANCE, join_tags, measure_tag_similarity
from unweave.page.layout import Box
from unweave.page.page import Page
from unweave.trees.edit_distance import FLOAT_TOLERANCE

# Without layout, the centre of a page and the number of values are weak signs: together they weigh
# half of the area.
_WEIGHT_WITHOUT_LAYOUT = 0.25
_TAGS_OF_PLACE = 3
# The records of a list have a few different tag strings; the most frequent ones are compared.
# Beyond the budget of pairs on a page, nothing is merged.
_MAX_TAG_STRINGS = 12
_MAX_COMPARISONS = 100_000
# A comparison costs 1, and 1 more for this many pairs of tags.
_TAG_PAIRS_PER_COMPARISON = 20_000

Section = tuple[Listing, ...]
"""Regions of similar records that were merged."""


def find_ranked_lists(page: Page, options: CtvsOptions = DEFAULT_OPTIONS) -> RankedLists:
    """Return the lists of a page with their scores, best first; the first is the query result
    section.
    """
    return rank_sections(page, find_lists(page, options), options)


def rank_sections(page: Page, listings: Sequence[Listing], options: CtvsOptions) -> RankedLists:
    """Return the lists with text and their scores from 0 to 1, merged with lists of similar
    records, best first.
    """
    similarity = _RegionSimilarity(page, bool(options.merge_same_place))
    scores = {listing: score for score, listing in rank_by_text(page, listings)}
    sections: list[Section] = [(listing,) for listing in scores]
    if options.merge_first:
        sections = _merge_all(sections, similarity)
    if page.boxes is not None:
        weights = _weigh_by_boxes(page, sections, page.boxes)
    elif options.equal_weights:
        weights = _weigh_by_letters(page, sections)
    else:
        weights = _weigh_by_text_scores(page, sections, scores)
    weighted = zip(weights, sections, strict=True)
    best_first = sorted(weighted, key=lambda pair: (-pair[0], pair[1][0].records))
    if not options.merge_first:
        best_first = _merge_with_later(best_first, similarity)
    merged: RankedLists = []
    for weight, section in best_first:
        records = sorted(record for listing in section for record in listing.records)
        merged.append((weight, Listing(tuple(records))))
    return merged


# ---- choosing ------------------------------------------------------------------------------------


def _weigh_by_boxes(page: Page, sections: Sequence[Section], boxes: Sequence[Box]) -> list[float]:
    """Return the mean of three shares: of the largest area, the smallest distance to the centre,
    the most values.

    The distance of a merged region is that of its largest part.
    """
    page_centre = _get_centre(boxes[0])
    areas = [
        [sum([_get_area(boxes[node]) for node in part.nodes]) for part in section]
        for section in sections
    ]
    distances: list[float] = []
    for section, sizes in zip(sections, areas, strict=True):
        largest = section[sizes.index(max(sizes))]
        box = reduce(Box.union, [boxes[node] for node in largest.nodes])
        distances.append(math.dist(page_centre, _get_centre(box)))
    return _average_shares(page, sections, [sum(sizes) for sizes in areas], distances)


def _weigh_by_letters(page: Page, sections: Sequence[Section]) -> list[float]:
    """Return the same without layout: the length of the text as area, its middle among all text as
    centre.
    """
    ends = list(accumulate(map(len, page.texts), initial=0))

    def count_letters(listing: Listing) -> int:
        return sum(
            [ends[page.text_ends[node]] - ends[page.text_starts[node]] for node in listing.nodes]
        )

    areas = [[count_letters(part) for part in section] for section in sections]
    distances = [
        abs(_find_text_middle(page, section[sizes.index(max(sizes))], ends) - ends[-1] / 2)
        for section, sizes in zip(sections, areas, strict=True)
    ]
    return _average_shares(page, sections, [sum(sizes) for sizes in areas], distances)


def _average_shares(
    page: Page, sections: Sequence[Section], areas: Sequence[float], distances: Sequence[float]
) -> list[float]:
    nearest = min(distances, default=0.0)
    centred = [nearest / distance if distance else 1.0 for distance in distances]
    counts = [_count_values_per_record(page, section) for section in sections]
    return [
        sum(shares) / 3
        for shares in zip(_to_shares(areas), centred, _to_shares(counts), strict=True)
    ]


def _weigh_by_text_scores(
    page: Page, sections: Sequence[Section], scores: Mapping[Listing, float]
) -> list[float]:
    """Return weights without layout: the score of the text as area, its middle among all text as
    centre.
    """
    ends = list(accumulate(map(len, page.texts), initial=0))
    areas = _to_shares([sum(scores[part] for part in section) for section in sections])
    centred = [
        1 - abs(2 * _find_text_middle(page, section[0], ends) / ends[-1] - 1)
        for section in sections
    ]
    counts = _to_shares(
        [math.log1p(_count_values_per_record(page, section)) for section in sections]
    )
    return [
        (area + _WEIGHT_WITHOUT_LAYOUT * (centre + count)) / (1 + 2 * _WEIGHT_WITHOUT_LAYOUT)
        for area, centre, count in zip(areas, centred, counts, strict=True)
    ]


def _find_text_middle(page: Page, listing: Listing, ends: Sequence[int]) -> float:
    """Return how many letters of the page are before the middle of a list."""
    first, last = listing.records[0][0], listing.records[-1][-1]
    return (ends[page.text_starts[first]] + ends[page.text_ends[last]]) / 2


def _count_values_per_record(page: Page, section: Section) -> float:
    texts = sum([page.count_texts(node) for part in section for node in part.nodes])
    return texts / sum(len(part.records) for part in section)


def _to_shares(amounts: Sequence[float]) -> list[float]:
    """Return each amount as a share of the largest."""
    largest = max(amounts, default=0.0) or 1.0
    return [amount / largest for amount in amounts]


def _get_area(box: Box) -> float:
    return 0.0 if box.is_empty else (box.right - box.left) * (box.bottom - box.top)


def _get_centre(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


# ---- merging -------------------------------------------------------------------------------------


def _merge_all(sections: Sequence[Section], similarity: _RegionSimilarity) -> list[Section]:
    """Return the sections of regions that are similar, directly or by way of others."""
    waiting = [part for section in sections for part in section]
    merged: list[Section] = []
    while waiting:
        section = [waiting.pop(0)]
        for part in section:
            similar_parts = similarity.select_similar(part, waiting)
            section += similar_parts  # the loop visits them in turn
            if similar_parts:
                taken = set(similar_parts)
                waiting = [listing for listing in waiting if listing not in taken]
        merged.append(tuple(sorted(section, key=lambda part: part.records)))
    return merged


def _merge_with_later(
    best_first: Sequence[tuple[float, Section]], similarity: _RegionSimilarity
) -> list[tuple[float, Section]]:
    """Return each section merged with all later ones that have are_similar records, best first."""
    waiting: dict[tuple[str, ...], list[Listing]] = {}
    for _, (listing,) in best_first:
        waiting.setdefault(similarity.get_tags_around(listing), []).append(listing)
    merged: list[tuple[float, Section]] = []
    taken: set[Listing] = set()
    for weight, (listing,) in best_first:
        if listing in taken:
            continue
        tags = similarity.get_tags_around(listing)
        rest = [candidate for candidate in waiting[tags] if candidate is not listing]
        similar_lists = similarity.select_similar(listing, rest)
        taken.update(similar_lists)
        waiting[tags] = [candidate for candidate in rest if candidate not in taken]
        merged.append((weight, (listing, *similar_lists)))
    return merged


class _RegionSimilarity:
    """Compares the records of two regions, on average over their most frequent tag strings.

    With ``same_place``, regions are similar only if their records have the same tags around them.
    """

    def __init__(self, page: Page, same_place: bool) -> None:
        self._page = page
        self._same_place = same_place
        self._similarities: dict[tuple[str, str], float] = {}
        self._tag_strings: dict[Listing, Counter[str]] = {}
        self._comparisons_left = _MAX_COMPARISONS

    def get_tags_around(self, listing: Listing) -> tuple[str, ...]:
        """Return the number of nodes, the tag and the tags around the first record, which similar
        regions share.
        """
        if not self._same_place:
            return ()
        tree, record = self._page.tree, listing.records[0]
        nodes = islice(tree.ancestors(record[0]), _TAGS_OF_PLACE)
        return (str(len(record)), *(tree.labels[node] for node in nodes))

    def select_similar(self, listing: Listing, candidates: Sequence[Listing]) -> list[Listing]:
        """Return the candidates that are similar to a list; none once the budget of the page is
        exhausted.
        """
        selected: list[Listing] = []
        tags = self.get_tags_around(listing)
        for candidate in candidates:
            if self._comparisons_left <= 0:
                break
            if self.get_tags_around(candidate) == tags and self._is_similar(listing, candidate):
                selected.append(candidate)
        return selected

    def _is_similar(self, left: Listing, right: Listing) -> bool:
        """Tell whether the average similarity of their records is at least 0.6."""
        left_counts, right_counts = self._count_tag_strings(left), self._count_tag_strings(right)
        total = 0.0
        for left_tags, left_count in left_counts.items():
            for right_tags, right_count in right_counts.items():
                work = 1 + len(left_tags) * len(right_tags) // _TAG_PAIRS_PER_COMPARISON
                self._comparisons_left -= work
                total += left_count * right_count * self._compare(left_tags, right_tags)
        pairs = left_counts.total() * right_counts.total()
        return total / pairs >= 1 - MAX_TAG_DISTANCE - FLOAT_TOLERANCE

    def _count_tag_strings(self, listing: Listing) -> Counter[str]:
        counts = self._tag_strings.get(listing)
        if counts is None:
            counts = Counter(join_tags(self._page.tree, record) for record in listing.records)
            counts = Counter(dict(counts.most_common(_MAX_TAG_STRINGS)))
            self._tag_strings[listing] = counts
        return counts

    def _compare(self, left: str, right: str) -> float:
        pair = (left, right) if left < right else (right, left)
        similarity = self._similarities.get(pair)
        if similarity is None:
            similarity = self._similarities[pair] = measure_tag_similarity(left, right)
        return similarity
