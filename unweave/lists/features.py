"""Features: numbers that describe a candidate; ``model.json`` has their weights.

Quick features are sums over the records and are computed for every candidate. The others compare
the text nodes of all records with each other and are computed for the best candidates only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from unweave.lists.candidates import Spans
from unweave.lists.listing import Record
from unweave.lists.page_index import PageIndex
from unweave.lists.tag_similarity import measure_tag_similarity

SHARE_EPSILON = 0.001
"""What is added to shares before their logarithm is taken."""


@dataclass(frozen=True, slots=True)
class FeatureLimits:
    """How much of a candidate is examined. The model was fitted to features with these limits."""

    max_missed_siblings: float = 3.0
    """The largest value of the feature: more than three per record say nothing more."""
    max_siblings_per_parent: int = 1_000
    """Against hostile pages."""
    max_texts_per_start: int = 3
    """How many texts are the start of a record: the first may be a badge that many records have."""
    max_compared_records: int = 40
    """How many records are compared with the next: enough to estimate their similarity."""
    max_compared_tags: int = 400
    """How many tags of a record are compared with those of the next."""


_LIMITS = FeatureLimits()


class Features(NamedTuple):
    """The features of a candidate.

    The first 14 are the quick ones; the others are 0 until they are computed.
    """

    coverage: float
    """Logarithm of the share of the page's text that is in the records."""
    relative_count: float
    """Number of records, divided by the largest number of a candidate of the page."""
    gap_share: float
    """Share of the text from the first record to the last that is in no record."""
    size_variation: float
    """Standard deviation of the sizes of the records, divided by their mean."""
    shortest_length: float
    """Logarithm of the text length of the shortest record."""
    has_joined_records: float
    """1 if a record consists of several elements, else 0."""
    boilerplate_depth: float
    """Number of elements around the first record that are marked as boilerplate."""
    content_depth: float
    """Number of elements around the first record that are marked as content."""
    link_share: float
    """Share of the records' text that is linked."""
    log_count: float
    """Logarithm of the number of records."""
    image_share: float
    """Share of the records that have an image."""
    depth: float
    """Number of elements from the root to the first record, divided by 10."""
    off_center: float
    """Distance of the middle of the list from that of the page's text, as a share of the text."""
    parent_spread: float
    """Number of different parents of the records less one, divided by the number of records."""
    template_gain: float = 0.0
    """Share of the page's text nodes that one template for all records makes redundant."""
    log_gain: float = 0.0
    """Logarithm of the template gain, which tells small ones apart."""
    relative_gain: float = 0.0
    """Logarithm of (template gain / largest template gain of the page)."""
    repetition: float = 0.0
    """Logarithm of how often a record has the same path: above 0 if it holds several records."""
    single_share: float = 0.0
    """Share of the common paths that no record has twice."""
    entropy: float = 0.0
    """Mean entropy of whether a record has a path: high if the records are of two templates."""
    common_paths: float = 0.0
    """Logarithm of the number of paths that at least half of the records have."""
    missed_siblings: float = 0.0
    """Siblings that look like records and are in none, divided by the number of records."""
    distinct_share: float = 0.0
    """Number of different record starts, divided by the number of records."""
    tag_similarity: float = 0.0
    """Mean similarity of the tags of each record and the next."""


QUICK_FEATURE_COUNT = 14


def compute_quick_features(
    index: PageIndex, spans: Spans, records: Sequence[Record], max_count: int
) -> Features:
    """Return the quick features; ``max_count`` is the most records of any candidate."""
    count = len(spans)
    sums, link_sums, image_sums = index.length_sums, index.link_length_sums, index.image_sums
    ends, page_length = index.ends, max(1, index.length_sums[-1])
    lengths = [sums[stop] - sums[start] for start, stop in spans]
    length = max(1, sum(lengths))
    list_start = sums[spans[0][0]]
    list_length = sums[max([stop for _, stop in spans])] - list_start
    first = records[0][0]
    sizes = [ends[record[-1]] - record[0] for record in records]
    mean_size = sum(sizes) / len(sizes)
    variance = sum([(size - mean_size) ** 2 for size in sizes]) / len(sizes)
    with_image = sum([image_sums[ends[record[-1]]] > image_sums[record[0]] for record in records])
    return Features(
        coverage=math.log(length / page_length + SHARE_EPSILON),
        relative_count=count / max_count,
        gap_share=1 - length / max(1, list_length),
        size_variation=math.sqrt(variance) / mean_size,
        shortest_length=math.log(1 + min(lengths)),
        has_joined_records=float(max(map(len, records)) > 1),
        boilerplate_depth=index.boilerplate_depths[first],
        content_depth=index.content_depths[first],
        link_share=sum([link_sums[stop] - link_sums[start] for start, stop in spans]) / length,
        log_count=math.log(count),
        image_share=with_image / count,
        depth=index.depths[first] / 10,
        off_center=abs(0.5 - (list_start + list_length / 2) / page_length),
        parent_spread=(len({index.parents[record[0]] for record in records}) - 1) / count,
    )


def compute_features(
    index: PageIndex, candidates: Sequence[tuple[Features, Spans, Sequence[Record]]]
) -> list[Features]:
    """Return all features of candidates, given the quick ones."""
    features = [
        _compare_records(index, quick, spans, records) for quick, spans, records in candidates
    ]
    max_gain = max((row.template_gain for row in features), default=0.0)
    if not max_gain:
        return features
    return [
        row._replace(relative_gain=math.log(row.template_gain / max_gain + SHARE_EPSILON))
        for row in features
    ]


def _compare_records(
    index: PageIndex, quick: Features, spans: Spans, records: Sequence[Record]
) -> Features:
    """Return the quick features with those that compare the records with each other."""
    count, page_texts = len(spans), index.page.texts
    records_with: Counter[int] = Counter()
    total: Counter[int] = Counter()
    for span in spans:
        counts = index.count_paths(span)
        records_with.update(counts.keys())
        total.update(counts)
    common = {path for path, number in records_with.items() if 2 * number >= count}
    gain = sum(total[path] - total[path] / records_with[path] for path in common) / max(
        1, len(page_texts)
    )
    starts = {
        tuple(page_texts[start : min(stop, start + _LIMITS.max_texts_per_start)])
        for start, stop in spans
    }
    repetition = _mean([total[path] / records_with[path] for path in common])
    missed = _count_missed_siblings(index, records, common)
    return quick._replace(
        template_gain=gain,
        log_gain=math.log(gain + SHARE_EPSILON),
        repetition=math.log(repetition or 1.0),
        single_share=_mean([total[path] == records_with[path] for path in common]),
        entropy=_mean([_compute_entropy(number / count) for number in records_with.values()]),
        common_paths=math.log(1 + len(common)),
        missed_siblings=min(_LIMITS.max_missed_siblings, missed / count),
        distinct_share=len(starts) / count,
        tag_similarity=_compare_neighbours(index, records),
    )


def _count_missed_siblings(index: PageIndex, records: Sequence[Record], common: set[int]) -> float:
    """Count siblings with the tag of a record, each by its share of the records' common paths."""
    inside = {node for record in records for node in record}
    tags = {index.labels[record[0]] for record in records}
    missed = 0.0
    for parent in {index.parents[record[0]] for record in records}:
        if parent < 0:
            continue
        for child in index.children_with_text[parent][: _LIMITS.max_siblings_per_parent]:
            if child not in inside and index.labels[child] in tags:
                span = (index.first_texts[child], index.stop_texts[child])
                paths = index.count_paths(span).keys()
                missed += len(paths & common) / max(1, len(paths | common))
    return missed


def _compare_neighbours(index: PageIndex, records: Sequence[Record]) -> float:
    """Return the mean similarity of the tags of each record and the next."""
    tags, ends = index.page.tree.tag_string, index.ends
    tag_strings: list[str] = []
    for record in records[: _LIMITS.max_compared_records]:
        start = record[0]
        tag_strings.append(tags[start : min(start + _LIMITS.max_compared_tags, ends[record[-1]])])
    return _mean(
        [
            1.0 if left == right else measure_tag_similarity(left, right)
            for left, right in pairwise(tag_strings)
        ]
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _compute_entropy(share: float) -> float:
    rest = 1 - share
    return 0.0 if share in (0, 1) else -share * math.log2(share) - rest * math.log2(rest)
