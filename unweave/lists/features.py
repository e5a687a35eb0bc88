"""Features: numbers that describe a candidate; ``model.json`` has their weights.

Quick features are sums over the records and are computed for every candidate. The others look at
every record and its place in the page, and are computed for the best candidates only.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import mul
from typing import NamedTuple

from unweave.lists.candidates import Spans
from unweave.lists.listing import Record
from unweave.lists.page_index import (
    CONTENT_GROUPS,
    DATE,
    DIGIT,
    FILTER_GROUP,
    LONG,
    MENU_GROUPS,
    PRICE,
    RESULT_GROUP,
    PageIndex,
    Span,
)

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
    max_named_records: int = 8
    """How many records are asked for the names that all of them have."""
    max_sampled_records: int = 40
    """How many records are examined one by one."""
    few: float = math.log(8)
    many: float = math.log(50)
    """The number of records counts differently below ``few``, up to ``many`` and above."""
    near_heading: int = 200
    """A heading above a list ends at most this many characters before it."""
    max_heading_distance: int = 2_000


_LIMITS = FeatureLimits()


class Features(NamedTuple):
    """The features of a candidate.

    The first 22 are the quick ones; the others are 0 until they are computed.
    """

    coverage: float
    """Logarithm of the share of the page's text that is in the records."""
    few_records: float
    """Logarithm of the number of records, up to 8."""
    several_records: float
    """Logarithm of the number of records above 8, up to 50."""
    many_records: float
    """Logarithm of the number of records above 50."""
    gap_share: float
    """Share of the text from the first record to the last that is in no record."""
    size_variation: float
    """Standard deviation of the sizes of the records, divided by their mean."""
    shortest_length: float
    """Logarithm of the text length of the shortest record."""
    has_joined_records: float
    """1 if a record consists of several elements, else 0."""
    link_share: float
    """Share of the records' text that is linked."""
    image_share: float
    """Share of the records that have an image."""
    off_center: float
    """Distance of the middle of the list from that of the page's text, as a share of the text."""
    parent_spread: float
    """Number of different parents of the records less one, divided by the number of records."""
    boilerplate_depth: float
    """Number of elements around the first record whose names are those of boilerplate."""
    content_depth: float
    """Number of elements around the first record whose names are those of content."""
    menu_names_of_records: float
    """Number of groups of boilerplate names that the records have."""
    content_names_of_records: float
    """Number of groups of content names that the records have."""
    menu_names_of_parent: float
    """The same for the two elements around the first record."""
    content_names_of_parent: float
    menu_names_around: float
    """The same for all elements around the first record."""
    content_names_around: float
    result_names: float
    """In how many of these places, from 0 to 3, a name is one of search results."""
    filter_names: float
    """In how many of these places, from 0 to 3, a name is one of filters."""
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
    similarity: float = 0.0
    """Mean share of a record's paths that are common, and of the common ones that it has."""
    last_similarity: float = 0.0
    """The same for the last record, which is often a pager or an advertisement."""
    missed_siblings: float = 0.0
    """Siblings that look like records and are in none, divided by the number of records."""
    sibling_share: float = 0.0
    """Share of the first record's siblings, itself included, that are in records."""
    parent_share: float = 0.0
    """Share of the text of the first record's parent that the records have."""
    same_path_elsewhere: float = 0.0
    """Logarithm of how many elements have the tag path of the records, for each record."""
    same_class_elsewhere: float = 0.0
    """Logarithm of how many elements have the class of the records, for each record."""
    distinct_share: float = 0.0
    """Number of different record starts, divided by the number of records."""
    repeated_share: float = 0.0
    """Share of the records whose first text the page has several times."""
    emphasized_share: float = 0.0
    """Share of the records that start with a heading, a link or bold text."""
    single_text_share: float = 0.0
    """Share of the records that have one text only."""
    long_text_share: float = 0.0
    """Share of the records with a text of a sentence or more."""
    bare_link_share: float = 0.0
    """Share of the records that are nothing but one linked text."""
    paragraph_share: float = 0.0
    """Share of the records that are nothing but long texts without links."""
    longest_text: float = 0.0
    """Logarithm of the mean length of the longest text of a record."""
    digit_share: float = 0.0
    """Share of the records with a digit."""
    date_share: float = 0.0
    """Share of the records with a date, a year, a time or an age such as "2 days"."""
    price_share: float = 0.0
    """Share of the records with a price."""
    several_headings_share: float = 0.0
    """Share of the records with several headings."""
    hidden_share: float = 0.0
    """Share of the records that attributes hide."""
    linked_share: float = 0.0
    """Share of the records with a link."""
    links_per_record: float = 0.0
    """Logarithm of the mean number of links of a record."""
    distinct_link_share: float = 0.0
    """Number of different first links, divided by the number of records."""
    link_pattern_share: float = 0.0
    """Share of the records whose first link has an address of the most common form."""
    file_link_share: float = 0.0
    """Share of the records whose first link leads to a document file."""
    is_in_table: float = 0.0
    """1 if the parent of the first record is a table, else 0."""
    is_in_list_element: float = 0.0
    """1 if the parent of the first record is a ul or ol element, else 0."""
    header_share: float = 0.0
    """Share of the records that are table rows below headers."""
    has_stated_count: float = 0.0
    """1 if the page states that there are as many results as records, else 0."""
    start: float = 0.0
    """Share of the page's text before the first record."""
    is_after_main_heading: float = 0.5
    """1 if the list starts after the first h1 element, 0 if before; 0.5 without an h1."""
    main_heading_distance: float = 0.3
    """Share of the page's text between the first h1 element and the list."""
    has_heading: float = 0.0
    """1 if a heading stands right above the list, else 0."""
    heading_distance: float = 1.0
    """Length of the text from the last heading above to the list, from 0 to 1."""
    is_outside_main: float = 0.0
    """1 if the page marks its main content and the list is outside, else 0."""
    prose_outside: float = 0.0
    """Logarithm of (length of the prose outside of the records / length of the records)."""


QUICK_FEATURE_COUNT = 22


def compute_quick_features(index: PageIndex, spans: Spans, records: Sequence[Record]) -> Features:
    """Return the quick features of a candidate; the others are 0."""
    count = len(spans)
    sums, link_sums, image_sums = index.length_sums, index.link_length_sums, index.image_sums
    ends, page_length = index.ends, max(1, index.length_sums[-1])
    starts, stops = zip(*spans, strict=True)
    lengths = [sums[stop] - sums[start] for start, stop in spans]
    length = max(1, sum(lengths))
    linked = sum(map(link_sums.__getitem__, stops)) - sum(map(link_sums.__getitem__, starts))
    list_start = sums[starts[0]]
    list_length = sums[max(stops)] - list_start
    first = records[0][0]
    roots = [record[0] for record in records]
    has_joined_records = max(map(len, records)) > 1
    lasts = [record[-1] for record in records] if has_joined_records else roots
    sizes = [ends[last] - root for root, last in zip(roots, lasts, strict=True)]
    size, squares = sum(sizes), sum(map(mul, sizes, sizes))
    with_image = 0
    if image_sums[ends[lasts[-1]]] > image_sums[first]:
        bounds = zip(roots, lasts, strict=True)
        with_image = sum([image_sums[ends[last]] > image_sums[root] for root, last in bounds])
    log_count = math.log(count)
    of_records, of_parent, around = names = _find_names(index, records)
    names_of_first = index.names[first]
    return Features(
        coverage=math.log(length / page_length + SHARE_EPSILON),
        few_records=min(log_count, _LIMITS.few),
        several_records=min(max(log_count, _LIMITS.few), _LIMITS.many) - _LIMITS.few,
        many_records=max(log_count, _LIMITS.many) - _LIMITS.many,
        gap_share=1 - length / max(1, list_length),
        size_variation=math.sqrt(count * squares - size * size) / size,
        shortest_length=math.log(1 + min(lengths)),
        has_joined_records=float(has_joined_records),
        link_share=linked / length,
        image_share=with_image / count,
        off_center=abs(0.5 - (list_start + list_length / 2) / page_length),
        parent_spread=(len(set(map(index.parents.__getitem__, roots))) - 1) / count,
        boilerplate_depth=names_of_first.boilerplate_depth,
        content_depth=names_of_first.content_depth,
        menu_names_of_records=(of_records & MENU_GROUPS).bit_count(),
        content_names_of_records=(of_records & CONTENT_GROUPS).bit_count(),
        menu_names_of_parent=(of_parent & MENU_GROUPS).bit_count(),
        content_names_of_parent=(of_parent & CONTENT_GROUPS).bit_count(),
        menu_names_around=(around & MENU_GROUPS).bit_count(),
        content_names_around=(around & CONTENT_GROUPS).bit_count(),
        result_names=sum([groups & RESULT_GROUP != 0 for groups in names]),
        filter_names=sum([groups & FILTER_GROUP != 0 for groups in names]),
    )


def _find_names(index: PageIndex, records: Sequence[Record]) -> tuple[int, int, int]:
    """Return the groups of names of the records, of the two elements around, and of all around."""
    names, of_records = index.names, -1
    for record in records[: _LIMITS.max_named_records]:
        of_records &= names[record[0]].groups
    parent = index.parents[records[0][0]]
    if parent < 0:
        return of_records, 0, 0
    grandparent = index.parents[parent]
    of_grandparent = names[grandparent].groups if grandparent >= 0 else 0
    return of_records, names[parent].groups | of_grandparent, names[parent].around


def compute_features(
    index: PageIndex, candidates: Sequence[tuple[Features, Spans, Sequence[Record]]]
) -> list[Features]:
    """Return all features of candidates, given the quick ones."""
    described = [
        {
            **_compare_paths(index, spans, records),
            **_describe_neighbourhood(index, spans, records),
            **_describe_texts(index, spans),
            **_describe_links(index, records),
            **_describe_position(index, spans, records),
        }
        for _, spans, records in candidates
    ]
    max_gain = max((values["template_gain"] for values in described), default=0.0)
    if max_gain:
        for values in described:
            gain_share = values["template_gain"] / max_gain
            values["relative_gain"] = math.log(gain_share + SHARE_EPSILON)
    return [
        quick._replace(**values)
        for (quick, _, _), values in zip(candidates, described, strict=True)
    ]


def _compare_paths(index: PageIndex, spans: Spans, records: Sequence[Record]) -> dict[str, float]:
    """Compare the paths of the text nodes of all records."""
    count = len(spans)
    # Records of one template have the same paths.
    path_sets = Counter(map(index.find_paths, spans))
    records_with: defaultdict[int, int] = defaultdict(int)
    for paths, times in path_sets.items():
        for path in paths:
            records_with[path] += times
    total = Counter(chain.from_iterable([index.text_paths[start:stop] for start, stop in spans]))
    common = {path for path, number in records_with.items() if 2 * number >= count}
    entropies = {number: _compute_entropy(number / count) for number in set(records_with.values())}
    similarities = [times * _compare(paths, common) for paths, times in path_sets.items()]
    gain = sum(total[path] - total[path] / records_with[path] for path in common) / max(
        1, len(index.page.texts)
    )
    repetition = _mean([total[path] / records_with[path] for path in common])
    return {
        "template_gain": gain,
        "log_gain": math.log(gain + SHARE_EPSILON),
        "repetition": math.log(repetition or 1.0),
        "single_share": _mean([total[path] == records_with[path] for path in common]),
        "entropy": _mean([entropies[number] for number in records_with.values()]),
        "common_paths": math.log(1 + len(common)),
        "similarity": sum(similarities) / count,
        "last_similarity": measure_similarity(index, spans[-1], common),
        "missed_siblings": min(
            _LIMITS.max_missed_siblings, _count_missed_siblings(index, records, common) / count
        ),
    }


def find_common_paths(index: PageIndex, spans: Spans) -> set[int]:
    """Return the paths that at least half of the records have."""
    records_with: Counter[int] = Counter()
    for span in spans:
        records_with.update(index.find_paths(span))
    return {path for path, number in records_with.items() if 2 * number >= len(spans)}


def measure_similarity(index: PageIndex, span: Span, common: set[int]) -> float:
    """Return how similar the paths of a record are to the common ones, from 0 to 1."""
    return _compare(index.find_paths(span), common)


def _compare(paths: frozenset[int], common: set[int]) -> float:
    """Return the Jaccard similarity of two sets of paths."""
    shared = len(paths & common)
    return shared / max(1, len(paths) + len(common) - shared)


def _count_missed_siblings(index: PageIndex, records: Sequence[Record], common: set[int]) -> float:
    """Count siblings with the tag of a record, each by its similarity to the records."""
    inside = {node for record in records for node in record}
    tags = {index.labels[record[0]] for record in records}
    missed = 0.0
    for parent in {index.parents[record[0]] for record in records}:
        if parent < 0:
            continue
        for child in index.children_with_text[parent][: _LIMITS.max_siblings_per_parent]:
            if child not in inside and index.labels[child] in tags:
                span = (index.first_texts[child], index.stop_texts[child])
                missed += measure_similarity(index, span, common)
    return missed


def _describe_neighbourhood(
    index: PageIndex, spans: Spans, records: Sequence[Record]
) -> dict[str, float]:
    """Describe the elements of the records, their parents, and similar elements elsewhere."""
    count, parents = len(records), index.parents
    parent = parents[records[0][0]]
    paths = index.page.tree.path_ids
    (path, with_path), *_ = Counter([paths[record[0]] for record in records]).most_common(1)
    rows_with_header = index.rows_with_header
    headings, hidden = index.headings, index.hidden_sums
    sample = records[: _LIMITS.max_sampled_records]
    with_headings = sum(
        [
            bisect_left(headings, index.ends[record[-1]]) - bisect_left(headings, record[0]) > 1
            for record in sample
        ]
    )
    length = sum([index.length_sums[stop] - index.length_sums[start] for start, stop in spans])
    siblings = len(index.children_with_text[parent]) if parent >= 0 else 1
    parent_length = index.measure_text(parent) if parent >= 0 else length
    parent_tag = index.labels[parent] if parent >= 0 else ""
    return {
        "sibling_share": min(1.0, sum(map(len, records)) / max(1, siblings)),
        "parent_share": min(1.0, length / max(1, parent_length)),
        "same_path_elsewhere": math.log(max(1.0, index.tag_path_counts[path] / with_path)),
        "same_class_elsewhere": _find_same_class_elsewhere(index, records),
        "several_headings_share": with_headings / len(sample),
        "hidden_share": sum([hidden[record[0] + 1] - hidden[record[0]] for record in sample])
        / len(sample),
        "is_in_table": float(parent_tag in ("table", "tbody")),
        "is_in_list_element": float(parent_tag in ("ul", "ol", "menu")),
        "header_share": sum([record[0] in rows_with_header for record in records]) / count,
    }


def _find_same_class_elsewhere(index: PageIndex, records: Sequence[Record]) -> float:
    """Return the logarithm of the elements that have a class of the records, for each record."""
    classes, most = index.class_tokens, 0.0
    for token in classes.get(records[0][0], ()):
        having = sum([token in classes.get(record[0], ()) for record in records])
        if having >= _MIN_CLASS_SHARE * len(records):
            most = max(most, math.log(max(1.0, index.class_counts[token] / having)))
    return most


# A class is one of the records if this share of them have it.
_MIN_CLASS_SHARE = 0.8


def _describe_texts(index: PageIndex, spans: Spans) -> dict[str, float]:
    """Describe the texts of the records."""
    texts, count = index.page.texts, len(spans)
    sample = spans[: _LIMITS.max_sampled_records]
    looks = [index.find_looks(span) for span in sample]
    longest = [max(map(len, texts[start:stop])) for start, stop in sample]
    starts = {
        tuple(texts[start : min(stop, start + _LIMITS.max_texts_per_start)])
        for start, stop in spans
    }
    page_counts, sums, prose = index.text_counts, index.length_sums, index.prose_length_sums
    paragraphs = [prose[stop] - prose[start] == sums[stop] - sums[start] for start, stop in sample]
    linked = index.link_length_sums
    bare_links = [stop - start == 1 and linked[stop] > linked[start] for start, stop in sample]
    return {
        "distinct_share": len(starts) / count,
        "repeated_share": sum([page_counts[texts[start]] > 1 for start, _ in sample]) / len(sample),
        "emphasized_share": sum([index.is_emphasized(start) for start, _ in sample]) / len(sample),
        "single_text_share": sum([stop - start == 1 for start, stop in spans]) / count,
        "long_text_share": sum([bits & LONG != 0 for bits in looks]) / len(sample),
        "bare_link_share": sum(bare_links) / len(sample),
        "paragraph_share": sum(paragraphs) / len(sample),
        "longest_text": math.log(1 + _mean(longest)),
        "digit_share": sum([bits & DIGIT != 0 for bits in looks]) / len(sample),
        "date_share": sum([bits & DATE != 0 for bits in looks]) / len(sample),
        "price_share": sum([bits & PRICE != 0 for bits in looks]) / len(sample),
        "has_stated_count": float(count in index.stated_counts),
    }


_ADDRESS_WORD = re.compile(r"[^/?&=]+")
_DOCUMENT_FILE = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|zip)(?:$|\?)", re.IGNORECASE)
_MAX_ADDRESS_LENGTH = 300


def _describe_links(index: PageIndex, records: Sequence[Record]) -> dict[str, float]:
    """Describe the links of the records."""
    links, ends, urls = index.links, index.ends, index.page.node_urls
    sample = records[: _LIMITS.max_sampled_records]
    counts: list[int] = []
    addresses: list[str] = []
    for record in sample:
        first = bisect_left(links, record[0])
        counts.append(bisect_left(links, ends[record[-1]]) - first)
        if counts[-1]:
            address = urls[links[first]]
            if address:
                addresses.append(address[:_MAX_ADDRESS_LENGTH])
    values = {
        "linked_share": sum([number > 0 for number in counts]) / len(sample),
        "links_per_record": math.log(1 + _mean(counts)),
    }
    if addresses:
        forms = Counter([_ADDRESS_WORD.sub("x", address) for address in addresses])
        documents = sum([_DOCUMENT_FILE.search(address) is not None for address in addresses])
        values["distinct_link_share"] = len(set(addresses)) / len(sample)
        values["file_link_share"] = documents / len(sample)
        values["link_pattern_share"] = max(forms.values()) / len(sample)
    return values


def _describe_position(
    index: PageIndex, spans: Spans, records: Sequence[Record]
) -> dict[str, float]:
    """Describe where on the page the list stands."""
    sums, ends = index.length_sums, index.ends
    page_length = max(1, sums[-1])
    first, start = records[0][0], sums[spans[0][0]]
    values = {"start": start / page_length}
    if index.main_heading is not None:
        distance = (start - sums[index.first_texts[index.main_heading]]) / page_length
        values["is_after_main_heading"] = float(distance >= 0)
        values["main_heading_distance"] = min(1.0, abs(distance))
    heading = _find_heading_above(index, records)
    if heading is not None:
        distance = start - sums[index.stop_texts[heading]]
        values["has_heading"] = float(distance < _LIMITS.near_heading)
        values["heading_distance"] = min(1.0, distance / _LIMITS.max_heading_distance)
    main = index.main_element
    if main is not None:
        values["is_outside_main"] = float(not main <= first < ends[main])
    prose = index.prose_length_sums
    inside = sum([prose[stop] - prose[begin] for begin, stop in spans])
    length = sum([sums[stop] - sums[begin] for begin, stop in spans])
    values["prose_outside"] = math.log((prose[-1] - inside + 100) / (length + 100))
    return values


def _find_heading_above(index: PageIndex, records: Sequence[Record]) -> int | None:
    """Return the heading above a list, unless most records have such a heading before them."""
    headings, paths = index.headings, index.page.tree.path_ids
    following = bisect_left(headings, records[0][0])
    if not following or index.ends[headings[following - 1]] > records[0][0]:
        return None
    above = headings[following - 1]
    inside = headings[following : bisect_left(headings, records[-1][0])]
    similar = sum([paths[heading] == paths[above] for heading in inside])
    return None if 2 * similar >= len(records) else above


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _compute_entropy(share: float) -> float:
    rest = 1 - share
    return 0.0 if share in (0, 1) else -share * math.log2(share) - rest * math.log2(rest)
