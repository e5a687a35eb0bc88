"""Sections of a list: records under several headings, or with other classes, are one list.

The best candidate of a page often has the records of one section only. Other candidates have the
same records and more: this module decides whether those belong to the list, and finds the headings
of sections.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from unweave.lists.candidates import Spans
from unweave.lists.features import find_common_paths, measure_similarity
from unweave.lists.listing import Listing, Record
from unweave.lists.page_index import HEADING_TAGS, PageIndex
from unweave.page.page import Page
from unweave.scoring.model import LinearModel, compute_probability, read_model_file


class ExtensionFeatures(NamedTuple):
    """The features of records that may be added to a list."""

    count_ratio: float
    """Logarithm of (number of added records / number of records)."""
    similarity: float
    """Mean similarity of the paths of the added records to those of most records."""
    length_difference: float
    """Absolute logarithm of (mean length of the added records / mean length of the records)."""
    relative_length: float
    """The same with its sign."""
    linked_difference: float
    """Share of the added records with a link, less the share of the records with one."""
    boilerplate_difference: float
    """Mean boilerplate depth of the added records, less that of the records."""
    content_difference: float
    """Mean content depth of the added records, less that of the records."""
    depth_difference: float
    """Mean difference of the depth of the added records from that of the first record."""
    repeated_share: float
    """Share of the added records with the text of a record."""
    same_class_share: float
    """Share of the added records that have a class of all records."""
    same_path_share: float
    """Share of the added records with the tag path of the first record."""
    interleaved_share: float
    """Share of the added records between the first record and the last."""
    same_parent_share: float
    """Share of the added records whose parent has records."""


_MODEL_DATA = read_model_file("unweave.lists", "model.json")["extension"]
MODEL = LinearModel.from_json(_MODEL_DATA, ExtensionFeatures._fields)
MIN_PROBABILITY: float = _MODEL_DATA["min_probability"]
# What has less in common with the records separates them, as headings and advertisements do.
_MIN_SIMILARITY = 0.2


def find_extensions(
    index: PageIndex, spans: Spans, listing: Listing, candidates: Mapping[Spans, Listing]
) -> list[tuple[Spans, Listing, ExtensionFeatures]]:
    """Return the candidates that have all records of a list, and more, with their features."""
    extensions: list[tuple[Spans, Listing, ExtensionFeatures]] = []
    known = set(spans)
    description: _ListDescription | None = None
    for longer, extended in candidates.items():
        if len(longer) > len(spans) and known.issubset(longer):
            description = description or _ListDescription(index, spans, listing)
            added = [number for number, span in enumerate(longer) if span not in known]
            features = description.compare(
                [longer[number] for number in added],
                [extended.records[number] for number in added],
            )
            if features.similarity >= _MIN_SIMILARITY:
                extensions.append((longer, extended, features))
    return extensions


def extend_list(
    index: PageIndex, spans: Spans, listing: Listing, candidates: Mapping[Spans, Listing]
) -> tuple[Spans, Listing]:
    """Return the list with the records of other sections that belong to it by the model."""
    best_probability = MIN_PROBABILITY
    for longer, extended, features in find_extensions(index, spans, listing, candidates):
        probability = compute_probability(MODEL.score(features))
        if probability > best_probability:
            best_probability, spans, listing = probability, longer, extended
    return spans, listing


def drop_separators(index: PageIndex, spans: Spans, listing: Listing) -> tuple[Spans, Listing]:
    """Return the list without what separates records: headings and advertisements among them.

    A separator has one text and nothing in common with the records, or is a table row of one wide
    cell, and the records have several texts. A list is mostly records.
    """
    texts_of_records = sorted(stop - start for start, stop in spans)
    if texts_of_records[len(spans) // 2] == 1 or texts_of_records[0] > 1:
        return spans, listing
    common = find_common_paths(index, spans)
    kept = [
        number
        for number, (start, stop) in enumerate(spans)
        if stop - start > 1
        or not (
            index.find_paths((start, stop)).isdisjoint(common)
            or _is_wide_row(index.page, listing.records[number])
        )
    ]
    if len(kept) == len(spans) or len(kept) < max(2, _MIN_RECORD_SHARE * len(spans)):
        return spans, listing
    return tuple([spans[number] for number in kept]), Listing(
        tuple([listing.records[number] for number in kept])
    )


_MIN_RECORD_SHARE = 0.5


def _is_wide_row(page: Page, record: Record) -> bool:
    """Tell whether a record is a table row of one cell that spans several columns."""
    if len(record) > 1 or page.tree.labels[record[0]] != "tr":
        return False
    cells = page.tree.children(record[0])
    return len(cells) == 1 and page.table_grid.widths.get(cells[0], 1) > 1


class _ListDescription:
    """What records of a list have in common, for a comparison with others."""

    def __init__(self, index: PageIndex, spans: Spans, listing: Listing) -> None:
        records = listing.records
        self._index, self._spans, self._records = index, spans, records
        self._common = find_common_paths(index, spans)
        self._length = self._mean_length(spans)
        self._texts = {self._join(span) for span in spans}
        self._parents = {index.parents[record[0]] for record in records}
        self._path = index.page.tree.path_ids[records[0][0]]
        classes = Counter(
            token for record in records for token in set(index.class_tokens.get(record[0], ()))
        )
        self._classes = {token for token, count in classes.items() if count == len(records)}

    def compare(
        self, spans: Sequence[tuple[int, int]], records: Sequence[Record]
    ) -> ExtensionFeatures:
        """Return the features of records that are not in the list."""
        index = self._index
        ratio = (1 + self._mean_length(spans)) / (1 + self._length)
        depth = index.depths[self._records[0][0]]
        start, stop = self._spans[0][0], self._spans[-1][1]
        roots = [record[0] for record in records]

        def share(test: Callable[[int], bool]) -> float:
            return sum(map(test, roots)) / len(roots)

        return ExtensionFeatures(
            count_ratio=math.log(len(records) / len(self._records)),
            similarity=_mean([measure_similarity(index, span, self._common) for span in spans]),
            length_difference=abs(math.log(ratio)),
            relative_length=math.log(ratio),
            linked_difference=_mean(list(map(self._has_link, records)))
            - _mean(list(map(self._has_link, self._records))),
            boilerplate_difference=self._subtract_means(
                lambda node: index.names[node].boilerplate_depth, roots
            ),
            content_difference=self._subtract_means(
                lambda node: index.names[node].content_depth, roots
            ),
            depth_difference=_mean([abs(index.depths[root] - depth) for root in roots]),
            repeated_share=_mean([self._join(span) in self._texts for span in spans]),
            same_class_share=share(
                lambda root: not self._classes.isdisjoint(index.class_tokens.get(root, ()))
            ),
            same_path_share=share(lambda root: index.page.tree.path_ids[root] == self._path),
            interleaved_share=_mean([start < span[0] < stop for span in spans]),
            same_parent_share=share(lambda root: index.parents[root] in self._parents),
        )

    def _subtract_means(self, measure: Callable[[int], float], roots: Sequence[int]) -> float:
        mean_of_records = _mean([measure(record[0]) for record in self._records])
        return _mean(list(map(measure, roots))) - mean_of_records

    def _mean_length(self, spans: Sequence[tuple[int, int]]) -> float:
        sums = self._index.length_sums
        return _mean([sums[stop] - sums[start] for start, stop in spans])

    def _join(self, span: tuple[int, int]) -> str:
        return " ".join(self._index.page.texts[span[0] : span[1]])

    def _has_link(self, record: Record) -> bool:
        links, ends = self._index.links, self._index.ends
        return bisect_left(links, ends[record[-1]]) > bisect_left(links, record[0])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# ---- headings ------------------------------------------------------------------------------------

# A section has at least this many records, on average; else the headings belong to the records.
_MIN_RECORDS_PER_SECTION = 1.5
_MAX_HEADING_LENGTH = 120


def find_section_headings(page: Page, listing: Listing) -> list[int | None]:
    """Return for each record the heading of its section; empty if the list has no sections.

    A heading stands between two records and is in none: a heading element, or an element with one
    short text beside the records, such as a row of a table. All headings have the same tag path.
    The records before the first of them have the last heading with this path before the list, or
    None.
    """
    tree, ends = page.tree, page.tree.ends
    records = listing.records
    parents = {tree.parents[root] for record in records for root in record}
    by_path: dict[int, dict[int, int]] = {}  # for each tag path, by record, the heading before it
    for number in range(1, len(records)):
        node, stop = ends[records[number - 1][-1]], records[number][0]
        while node < stop:
            if _is_heading(page, node, parents):
                by_path.setdefault(tree.path_ids[node], {})[number] = node
                node = ends[node]
            else:
                node += 1
    if not by_path:
        return []
    path = max(by_path, key=lambda path: (_count_headings(page, by_path[path]), len(by_path[path])))
    heading_before = by_path[path]
    if _MIN_RECORDS_PER_SECTION * (len(heading_before) + 1) > len(records):
        return []
    current = next(
        (node for node in range(records[0][0] - 1, 0, -1) if tree.path_ids[node] == path), None
    )
    headings: list[int | None] = []
    for number in range(len(records)):
        current = heading_before.get(number, current)
        headings.append(current)
    texts = {page.text(node) for node in {*headings} if node is not None}
    return headings if len(texts) > 1 else []


def _is_heading(page: Page, node: int, parents: set[int]) -> bool:
    """Tell whether an element may be the heading of a section of records with these parents."""
    label = page.tree.labels[node]
    if label not in HEADING_TAGS and page.tree.parents[node] not in parents:
        return False
    max_texts = len(page.texts) if label in HEADING_TAGS else 1
    return 0 < page.count_texts(node) <= max_texts and len(page.text(node)) <= _MAX_HEADING_LENGTH


def _count_headings(page: Page, heading_before: Mapping[int, int]) -> int:
    return sum(page.tree.labels[node] in HEADING_TAGS for node in heading_before.values())
