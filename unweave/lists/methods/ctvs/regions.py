"""Find the data regions of a page and their records (sections II-A and II-B).

A data region is a run of siblings some of which are similar, whether they are adjacent or not.

Rows of a grid, columns of a page and parts of a list under headings are similar to each other,
often more than the records in them. The paper's rule, to search nothing below similar siblings,
would return these containers as records. They differ from records in that they have at most a
heading outside of the similar parts inside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import NamedTuple

from unweave.lists.data_records import GapRule
from unweave.lists.listing import Listing, Record
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.segments import Letters, segment_letters
from unweave.lists.methods.ctvs.values import Similarity
from unweave.lists.tag_similarity import (
    MAX_TAG_DISTANCE,
    TagGrouper,
    join_tags,
    measure_tag_similarity,
)
from unweave.page.page import Page
from unweave.trees.edit_distance import are_similar
from unweave.trees.tree import Tree

# A container has outside of its records at most one value for each of its nodes, or this share of
# the values of its records. Values that this share of the containers have in common do not count.
_MAX_OUTER_SHARE = 0.15
_MIN_CONSTANT_SHARE = 0.8
_MIN_VALUES_PER_RECORD = 2
_MAX_TAG_STRINGS = 8
# Records of different positions in their containers are as similar as those of the same position:
# at least this ratio of their tags and of their texts, over the first positions and containers.
_MIN_TAG_RATIO = 0.85
_MIN_TEXT_RATIO = 0.5
_MAX_POSITIONS = 4
_MAX_CONTAINERS = 10


@dataclass(frozen=True, slots=True)
class SiblingRegion:
    """A run of siblings, with a letter for each group of similar ones; siblings like no other have
    None.
    """

    nodes: tuple[int, ...]
    letters: Letters
    auxiliary_follows: bool = False
    """Whether the sibling right after the region is auxiliary.

    It is not part of it, but a record may stop before it.
    """


def find_lists(page: Page, options: CtvsOptions) -> list[Listing]:
    """Return the lists of the page in document order, each with its records below one parent."""
    tree = page.tree
    grouper = TagGrouper(MAX_TAG_DISTANCE)
    gap_rule = GapRule(page.boxes, page.invisible) if page.boxes is not None else None

    def find_below(node: int) -> list[Listing]:
        listings: list[Listing] = []
        for region in find_regions(tree, grouper, node):
            records = _segment_region(tree, region, gap_rule, options)
            if len(records) > 1:
                listings.append(Listing(tuple(records)))
        return listings

    listings = find_below(0)
    if options.open_containers:
        listings = [_open_containers(page, listing, find_below) for listing in listings]
    return sorted(listings, key=lambda listing: listing.records)


def find_regions(tree: Tree, grouper: TagGrouper, below: int = 0) -> list[SiblingRegion]:
    """Return all regions below a node.

    Nothing is searched below a node that is similar to one of its siblings: it is a part of a
    record.
    """
    regions: list[SiblingRegion] = []
    waiting = [below]
    while waiting:
        children = tree.children(waiting.pop())
        if not children:
            continue
        letters = grouper.group([tree.tag_string[child : tree.ends[child]] for child in children])
        waiting.extend(
            child for child, letter in zip(children, letters, strict=True) if letter is None
        )
        regions.extend(_split_regions(children, letters))
    return regions


def _split_regions(children: Sequence[int], letters: Letters) -> Iterator[SiblingRegion]:
    """Yield the regions among siblings: groups that interleave, such as names and descriptions, are
    one region.
    """
    spans: dict[int, range] = {}
    for position, letter in enumerate(letters):
        if letter is not None:
            start = spans[letter].start if letter in spans else position
            spans[letter] = range(start, position + 1)
    merged: list[range] = []
    for span in sorted(spans.values(), key=lambda span: span.start):
        if merged and span.start < merged[-1].stop:
            merged[-1] = range(merged[-1].start, max(merged[-1].stop, span.stop))
        else:
            merged.append(span)
    for span in merged:
        follows = span.stop < len(letters) and letters[span.stop] is None
        nodes = tuple(children[span.start : span.stop])
        yield SiblingRegion(nodes, letters[span.start : span.stop], follows)


def _segment_region(
    tree: Tree, region: SiblingRegion, gap_rule: GapRule | None, options: CtvsOptions
) -> list[Record]:
    """Return the records of a region."""

    def cut(span: range) -> Record:
        return region.nodes[span.start : span.stop]

    def is_record(rest: range, last: range) -> bool:
        return bool(options.keep_last) and are_similar(
            join_tags(tree, cut(rest)), join_tags(tree, cut(last)), MAX_TAG_DISTANCE
        )

    def has_gaps(spans: Sequence[range]) -> bool:
        return gap_rule is not None and gap_rule.accepts([cut(span) for span in spans])

    spans = segment_letters(
        region.letters,
        [tree.ends[node] - node for node in region.nodes],
        auxiliary_follows=region.auxiliary_follows,
        is_record=is_record,
        has_gaps=has_gaps,
        prefer_coverage=bool(options.prefer_coverage),
    )
    return [cut(span) for span in spans]


# ---- containers ----------------------------------------------------------------------------------


class _InnerPath(NamedTuple):
    """Where records are in their containers: the tags up to the container, and the nodes of a
    record.
    """

    tags: tuple[str, ...]
    width: int


def _open_containers(
    page: Page, listing: Listing, find_below: Callable[[int], list[Listing]]
) -> Listing:
    """Return the records inside, at any depth, if the records of the list are containers, else the
    list.
    """
    while True:
        inside = _find_inner_list(page, listing, find_below)
        if inside is None:
            return listing
        listing = inside


def _find_inner_list(
    page: Page, listing: Listing, find_below: Callable[[int], list[Listing]]
) -> Listing | None:
    """Return the list of all records inside the records of a list; None if they have none."""
    containers = listing.records
    if sum(page.count_texts(node) for node in listing.nodes) <= len(containers):
        return None  # there must be more inner records than containers, most of them with two texts
    inner_lists = [
        [inner for root in record for inner in find_below(root)] for record in containers
    ]
    path = _choose_path(page, containers, inner_lists)
    if path is None:
        return None
    rows = _collect_records(page, containers, inner_lists, path)
    records = [record for row in rows for record in row]
    if len(records) <= len(containers):
        return None
    # The cells of a data table have one value each.
    values = [sum(page.count_texts(node) for node in record) for record in records]
    if median(values) < _MIN_VALUES_PER_RECORD:
        return None
    if not _are_containers(page, listing, rows, sum(values)) or not _are_interchangeable(
        page, rows
    ):
        return None
    return Listing(tuple(records))


def _choose_path(
    page: Page, containers: Sequence[Record], inner_lists: Sequence[Sequence[Listing]]
) -> _InnerPath | None:
    """Return the path whose records have the most values over all containers."""
    counts: Counter[_InnerPath] = Counter()
    for container, lists in zip(containers, inner_lists, strict=True):
        for inner in lists:
            first = inner.records[0]
            path = _InnerPath(_get_tags_up_to(page, container, first), len(first))
            counts[path] += sum(page.count_texts(node) for node in inner.nodes)
    return max(counts, key=lambda path: (counts[path], path), default=None)


def _get_tags_up_to(page: Page, container: Record, record: Record) -> tuple[str, ...]:
    tags: list[str] = []
    for node in page.tree.ancestors(record[0]):
        tags.append(page.tree.labels[node])
        if node in container:
            break
    return tuple(tags)


def _collect_records(
    page: Page,
    containers: Sequence[Record],
    inner_lists: Sequence[Sequence[Listing]],
    path: _InnerPath,
) -> list[list[Record]]:
    """Return the records at a path for every container, single ones included if similar to others
    elsewhere.
    """
    rows: list[list[Record]] = []
    for container, lists in zip(containers, inner_lists, strict=True):
        rows.append([])
        for record in (record for inner in lists for record in inner.records):
            tags = _get_tags_up_to(page, container, record)
            if _InnerPath(tags, len(record)) == path:
                rows[-1].append(record)
    if path.width > 1:
        return rows
    tree = page.tree
    counts = Counter(join_tags(tree, record) for row in rows for record in row)
    tag_strings = [string for string, _ in counts.most_common(_MAX_TAG_STRINGS)]

    def is_similar(node: int) -> bool:
        string = join_tags(tree, (node,))
        return any(are_similar(string, known, MAX_TAG_DISTANCE) for known in tag_strings)

    rows = []
    for container in containers:
        rows.append([])
        for node in (node for root in container for node in range(root, tree.ends[root])):
            is_at_path = (
                tree.labels[node] == path.tags[0]
                and _get_tags_up_to(page, container, (node,)) == path.tags
            )
            if is_at_path and is_similar(node):
                rows[-1].append((node,))
    return rows


def _are_containers(
    page: Page, listing: Listing, rows: Sequence[Sequence[Record]], inner_values: int
) -> bool:
    """Tell whether the records of a list have few values outside of the inner records, constant
    ones aside.
    """
    outer: list[list[str]] = []
    for container, row in zip(listing.records, rows, strict=True):
        inside = {number for record in row for node in record for number in page.text_nodes(node)}
        numbers = [number for root in container for number in page.text_nodes(root)]
        outer.append([page.texts[number] for number in numbers if number not in inside])
    counts = Counter(text for texts in outer for text in set(texts))
    min_count = max(2, _MIN_CONSTANT_SHARE * len(outer))
    varying = sum(counts[text] < min_count for texts in outer for text in texts)
    return varying <= max(len(listing.nodes), _MAX_OUTER_SHARE * inner_values)


def _are_interchangeable(page: Page, rows: Sequence[Sequence[Record]]) -> bool:
    """Tell whether inner records of different positions are as similar as those of the same
    position.

    The parts of one record are not: the name always has the same tags, the description others, and
    labels keep their positions.
    """
    sample = [row[:_MAX_POSITIONS] for row in rows if len(row) > 1][:_MAX_CONTAINERS]
    tags = [[join_tags(page.tree, record) for record in row] for row in sample]
    texts = [[page.join_subtrees(record) for record in row] for row in sample]
    return (
        _compute_ratio(tags, measure_tag_similarity) >= _MIN_TAG_RATIO
        and _compute_ratio(texts, Similarity()) > _MIN_TEXT_RATIO
    )


def _compute_ratio(rows: Sequence[Sequence[str]], similarity: Callable[[str, str], float]) -> float:
    """Return the mean similarity between different positions of different rows over that between
    the same.
    """
    same: list[float] = []
    different: list[float] = []
    for left_row, right_row in combinations(rows, 2):
        for left_position, left in enumerate(left_row):
            for right_position, right in enumerate(right_row):
                is_same = left_position == right_position
                (same if is_same else different).append(similarity(left, right))
    if not same or not different or not any(same):
        return 1.0
    return sum(different) / len(different) / (sum(same) / len(same))
