"""Candidates: everything on a page that may be a list.

Children that start in the same way, alone and each with what follows it, of one parent and of all
parents at one tag path; children with similar trees; all elements of a class; and the lists of
data records that the mining of data regions gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain

from unweave.lists.listing import Listing, Record
from unweave.lists.page_index import PageIndex, Span, StartTokens
from unweave.lists.tag_similarity import MAX_TAG_DISTANCE, TagGrouper

# A list has at least this share of the page's text.
_MIN_TEXT_SHARE = 0.01
# Controls of forms have choices, not content.
_FORM_CONTROLS = frozenset(["select", "optgroup", "datalist"])
# Limits for hostile pages.
_MAX_CANDIDATES = 2_000
_MAX_RECORDS = 200_000
# Of two children with similar trees, the tags that they start with are the same already.
_MIN_SIMILAR_CHILDREN = 3

Spans = tuple[Span, ...]
"""The text nodes of each record of a candidate. They identify the candidate."""

GENERATORS = ("data records", "children", "runs", "families", "classes", "similar")
"""What generates candidates; ``_find_repetitions`` describes each."""

_Repetitions = Iterator[tuple[str, Sequence[int], Sequence[int]]]
"""Records that may be a list: their generator, and the first and the last element of each.

Both are the same object if the records are one element each, but for runs.
"""


def find_candidates(
    index: PageIndex,
    data_lists: Iterable[Listing] = (),
    generators: Container[str] = frozenset(GENERATORS),
) -> dict[Spans, Listing]:
    """Return the candidates of a page by the text nodes of their records.

    ``data_lists`` are the page's lists of data records; those with records in several pieces are
    left out. Only candidates of these ``generators`` are returned.
    """
    candidates: dict[Spans, Listing] = {}
    min_length = max(1, _MIN_TEXT_SHARE * index.length_sums[-1])
    length_before, length_to_end = index.length_before, index.length_to_end
    records_left = _MAX_RECORDS
    rows_with_header = index.rows_with_header
    contiguous = filter(index.is_contiguous, data_lists)
    for generator, starts, ends in _find_repetitions(index, contiguous, min_length):
        if starts is ends:
            starts = ends = _drop_header_cells(index, starts)
        elif not rows_with_header.isdisjoint(ends):
            continue  # a record of a table with headers is one row of it
        records_left -= len(starts)
        if records_left < 0 or len(candidates) >= _MAX_CANDIDATES:
            break
        length = sum(map(length_to_end.__getitem__, ends)) - sum(
            map(length_before.__getitem__, starts)
        )
        if length < min_length or generator not in generators:
            continue
        if starts is ends:
            spans = tuple(map(index.spans.__getitem__, starts))
        else:
            firsts = map(index.first_texts.__getitem__, starts)
            spans = tuple(zip(firsts, map(index.stop_texts.__getitem__, ends), strict=True))
        if len(spans) > 1 and spans not in candidates:
            records: tuple[Record, ...]
            if starts is ends:
                records = tuple(zip(starts, strict=True))
            else:
                bounds = zip(starts, ends, strict=True)
                records = tuple([_list_siblings(index, start, end) for start, end in bounds])
            candidates[spans] = Listing(records)
    return candidates


def _drop_header_cells(index: PageIndex, nodes: Sequence[int]) -> Sequence[int]:
    """Return the nodes that are not header rows of tables, their cells, or cells with a header."""
    grid, parents = index.page.table_grid, index.parents
    if not grid.header_rows:
        return nodes
    return [
        node
        for node in nodes
        if node not in grid.header_rows
        and node not in grid.headers
        and parents[node] not in grid.header_rows
    ]


def _list_siblings(index: PageIndex, start: int, end: int) -> Record:
    """Return the elements from one sibling to another, both included."""
    siblings = [start]
    while siblings[-1] != end:
        siblings.append(index.ends[siblings[-1]])
    return tuple(siblings)


def _find_repetitions(
    index: PageIndex, data_lists: Iterable[Listing], min_length: float
) -> _Repetitions:
    """Yield everything on the page that repeats, from six generators.

    ``data records`` are the lists of MDR's records; ``children`` the children of one element with
    the same start token (tag, class, or the tags that they start with); ``runs`` the same, each
    with its siblings up to the next; ``families`` the children of all elements with one tag path;
    ``classes`` all elements with one class; ``similar`` the children of one element with similar
    tags.
    """
    stop_texts, first_texts = index.stop_texts, index.first_texts
    for listing in data_lists:
        records = [
            record for record in listing.records if stop_texts[record[-1]] > first_texts[record[0]]
        ]
        starts, ends = [record[0] for record in records], [record[-1] for record in records]
        yield "data records", starts, starts if starts == ends else ends
    families: defaultdict[int, list[int]] = defaultdict(list)
    paths = index.page.tree.path_ids
    for node, children in enumerate(index.children_with_text):
        if children and index.labels[node] not in _FORM_CONTROLS:
            families[paths[node]].append(node)
            if len(children) > 1 and index.measure_text(node) >= min_length:
                yield from _find_by_start(index, [node])
    for parents in families.values():
        # Parents with one child each would only repeat the candidate that they are themselves.
        has_siblings = len(parents) > 1 and any(
            len(index.children_with_text[node]) > 1 for node in parents
        )
        if has_siblings and sum([index.measure_text(node) for node in parents]) >= min_length:
            yield from _find_by_start(index, parents)
    yield from _find_by_class(index)
    yield from _find_similar_children(index, min_length)


def _find_by_start(index: PageIndex, parents: Sequence[int]) -> _Repetitions:
    """Yield for each start token the children that have it.

    Of a single parent, they are also yielded each with its siblings up to the next.
    """
    is_single = len(parents) == 1
    children, start_of = index.children_with_text, index.starts
    by_start: defaultdict[StartTokens, list[int]] = defaultdict(list)
    count = 0
    for parent in parents:
        count += len(children[parent])
        for child in children[parent]:
            by_start[start_of[child]].append(child)
    starts_with: defaultdict[str, list[StartTokens]] = defaultdict(list)
    for tokens in by_start:
        for token in tokens:
            starts_with[token].append(tokens)
    # Different tokens often give the same children.
    for start_group in dict.fromkeys(map(tuple, starts_with.values())):
        starts = by_start[start_group[0]]
        if len(start_group) > 1:
            starts = sorted(chain.from_iterable([by_start[tokens] for tokens in start_group]))
        if len(starts) < 2:
            continue
        yield "children" if is_single else "families", starts, starts
        if is_single and len(starts) < count and index.spend_steps(count):
            yield "runs", starts, _find_run_ends(index, parents[0], starts)


def _find_run_ends(index: PageIndex, parent: int, starts: Sequence[int]) -> list[int]:
    """Return the last siblings of records that start at these children and end before the next.

    The last record ends before a sibling whose tag the other records do not have, and is no
    longer than they are.
    """
    children = index.page.tree.children(parent)
    position_of = {child: position for position, child in enumerate(children)}
    *firsts, last = [position_of[start] for start in starts]
    stops = [*firsts[1:], last]
    max_length = max([stop - first for first, stop in zip(firsts, stops, strict=True)])
    tags = {index.labels[child] for child in children[firsts[0] : last]}
    stop = last + 1
    while stop < min(last + max_length, len(children)) and index.labels[children[stop]] in tags:
        stop += 1
    return [children[position - 1] for position in (*stops, stop)]


def _find_by_class(index: PageIndex) -> _Repetitions:
    """Yield all elements of each class, anywhere on the page, but for those inside of others."""
    by_class: defaultdict[str, list[int]] = defaultdict(list)
    ends = index.ends
    for node, tokens in index.class_tokens.items():
        for token in tokens:
            nodes = by_class[token]
            if not nodes or node >= ends[nodes[-1]]:
                nodes.append(node)
    for nodes in by_class.values():
        if len(nodes) > 1:
            yield "classes", nodes, nodes


def _find_similar_children(index: PageIndex, min_length: float) -> _Repetitions:
    """Yield children of one parent with similar trees; equal ones have equal start tokens too."""
    grouper, tags, ends = TagGrouper(MAX_TAG_DISTANCE), index.page.tree.tag_string, index.ends
    for parent, children in enumerate(index.children_with_text):
        if (
            len(children) < _MIN_SIMILAR_CHILDREN
            or index.measure_text(parent) < min_length
            or index.labels[parent] in _FORM_CONTROLS
        ):
            continue
        tag_strings = [tags[child : ends[child]] for child in children]
        if len(set(tag_strings)) > 1:
            groups: defaultdict[int, list[int]] = defaultdict(list)
            for child, number in zip(children, grouper.group(tag_strings), strict=True):
                if number is not None:
                    groups[number].append(child)
            for nodes in groups.values():
                yield "similar", nodes, nodes
