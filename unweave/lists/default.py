"""The default method: find the lists of a page that a person would call its lists.

The steps from a page to its tables are, in this order:

1. ``candidates``: everything on the page that repeats, and the lists of ``data_records``;
2. ``features``, ``ranking`` and ``sections``: score the candidates with the weights of
   ``model.json``, and select the best ones that share little text, each with all its sections;
3. ``segmentation``: cut each record into segments, and give each the path of its element;
4. ``columns``: align segments of different records to columns;
5. ``naming``: name the columns and find their types;
6. ``table_building``: make the table.

This module has the first two steps, in three forms: the lists of a page, the list that two example
nodes are records of, and the list that several pages continue.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from unweave.errors import UsageError
from unweave.lists.candidates import find_candidates
from unweave.lists.columns import make_aligner
from unweave.lists.data_records import find_data_record_lists
from unweave.lists.listing import Aligner, Listing, RankedLists, Record
from unweave.lists.method import ListMethod
from unweave.lists.naming import name_columns
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import (
    MIN_LIST_CONFIDENCE,
    MODEL,
    Candidate,
    find_finer_list,
    measure_candidates,
    parse_required_types,
    score_candidates,
    select_lists,
)
from unweave.lists.sections import find_section_headings
from unweave.lists.table_building import Namer
from unweave.page.composite import JoinedPages
from unweave.page.page import Page

__all__ = [
    "DefaultMethod",
    "PageLists",
    "check_example",
    "find_example_list",
    "find_list_by_example",
    "find_lists",
    "find_shared_list",
    "make_aligner",
    "name_columns",
    "rank_lists",
]

_MAX_ALTERNATIVES = 10
# Pages of a site differ most near the root, so only the last steps of a path count.
_MAX_PATH_STEPS = 3

RecordPath = tuple[tuple[str, ...], ...]
"""For every part of a record the tags of its root and of the elements around it."""


@dataclass(frozen=True, slots=True)
class PageLists:
    """The top candidates of a page and the lists that are selected from them, both best first."""

    candidates: list[Candidate]
    lists: list[Candidate]

    def to_ranked_lists(self) -> RankedLists:
        """Return all selected lists, each with its confidence."""
        return [(candidate.confidence, candidate.listing) for candidate in self.lists]


def find_lists(page: Page, *, want: Iterable[str] = ()) -> PageLists:
    """Find the candidates and the lists of a page.

    ``want`` names types that the list has, such as ``price`` or ``image``: lists with more of them
    come first. A list of data records that are not contiguous replaces one with fewer records on
    the same text: candidates cannot have such records.
    """
    required = parse_required_types(want)
    index = PageIndex(page)
    data_lists = find_data_record_lists(page)
    candidates = find_candidates(index, data_lists)
    scored = score_candidates(index, candidates, required)
    non_contiguous = [listing for listing in data_lists if not index.is_contiguous(listing)]
    lists: list[Candidate] = []
    for candidate in select_lists(index, scored, candidates):
        finer = find_finer_list(index, candidate.listing, non_contiguous)
        lists.append(replace(candidate, listing=finer))
    return PageLists(scored, lists)


def rank_lists(page: Page, *, want: Iterable[str] = ()) -> RankedLists:
    """Return the lists of a page that share little text, each with its confidence from 0 to 1.

    The first is the page's list; the others follow by their confidence, however low it is.
    """
    return find_lists(page, want=want).to_ranked_lists()


# ---- the list of two example nodes ---------------------------------------------------------------


def check_example(elements: Sequence[str | int]) -> None:
    """Raise UsageError unless these are two elements, or none."""
    if isinstance(elements, str) or len(elements) not in (0, 2):
        count = 1 if isinstance(elements, str) else len(elements)
        raise UsageError(f"like takes two elements, one from each of two records, not {count}")


def find_example_list(page: Page, elements: Sequence[str | int]) -> Listing:
    """Return the list that has two elements, given as XPaths or node numbers, in two records."""
    nodes: list[int] = []
    for element in elements:
        node = page.find_xpath(element) if isinstance(element, str) else element
        if node is None:
            raise UsageError(f"the page has no element {str(element)[:200]}")
        nodes.append(node)
    left, right = nodes
    return find_list_by_example(page, left, right)


def find_list_by_example(page: Page, left: int, right: int) -> Listing:
    """Return the list that has two nodes in different records.

    It is the best of all candidates that have them so. Without one, it is the siblings of the two
    nodes, or of elements around them, that have the same tag and classes.
    """
    first, second = sorted((left, right))
    if not 0 <= first <= second < len(page.tree):
        raise UsageError("the page has no such element")
    if second < page.tree.ends[first]:
        raise UsageError(
            "these are the same element, or one contains the other:"
            " give elements of two different records"
        )
    index, data_lists = PageIndex(page), find_data_record_lists(page)
    candidates = {
        spans: listing
        for spans, listing in find_candidates(index, data_lists).items()
        if _separates(page, listing, left, right)
    }
    if candidates:
        measured = measure_candidates(index, candidates)
        return max(measured, key=lambda candidate: MODEL.ranking.score(candidate[2]))[1]
    for listing in data_lists:
        if _separates(page, listing, left, right):
            return listing
    return _find_siblings(page, left, right)


def _separates(page: Page, listing: Listing, left: int, right: int) -> bool:
    """Tell whether the two nodes are in different records."""
    number = _find_record(page, listing, left)
    return number is not None and _find_record(page, listing, right) not in (None, number)


def _find_record(page: Page, listing: Listing, node: int) -> int | None:
    ends = page.tree.ends
    for number, record in enumerate(listing.records):
        if any(root <= node < ends[root] for root in record):
            return number
    return None


def _find_siblings(page: Page, left: int, right: int) -> Listing:
    """Return the siblings of the ancestors of two nodes below their common ancestor.

    They have the tag and the classes that these two share.
    """
    tree = page.tree
    ancestors = set(tree.ancestors(left))
    parent = next(node for node in tree.ancestors(right) if node in ancestors)
    first = next(node for node in tree.ancestors(left) if tree.parents[node] == parent)
    second = next(node for node in tree.ancestors(right) if tree.parents[node] == parent)
    if tree.labels[first] != tree.labels[second]:
        raise UsageError(
            "the two elements have nothing in common: give elements of two records of one list"
        )
    classes = _split_classes(page, first) & _split_classes(page, second)
    siblings = [
        node
        for node in tree.children(parent)
        if tree.labels[node] == tree.labels[first] and classes <= _split_classes(page, node)
    ]
    return Listing(tuple((node,) for node in siblings))


def _split_classes(page: Page, node: int) -> set[str]:
    return set((page.identifiers[node][0] or "").split())


# ---- the list that several pages continue --------------------------------------------------------


def find_shared_list(
    pages: Sequence[Page], *, want: Iterable[str] = ()
) -> tuple[float, JoinedPages, Listing] | None:
    """Return the list that the pages share, its score and the joined pages; None if there is none.

    On every page it is the best list whose records have the path that all pages score highest.
    """
    required = parse_required_types(want)
    ranked_lists = [rank_lists(page, want=required) for page in pages]
    paths = [
        [_find_record_path(page, listing) for _, listing in lists]
        for page, lists in zip(pages, ranked_lists, strict=True)
    ]
    path_scores: defaultdict[RecordPath, float] = defaultdict(float)
    for lists, paths_of_page in zip(ranked_lists, paths, strict=True):
        best: dict[RecordPath, float] = {}
        for rank, ((score, _), path) in enumerate(zip(lists, paths_of_page, strict=True)):
            # A first rank counts whatever its score: scores of unlike pages may be near 0.
            best.setdefault(path, score + 1 / (10 * (1 + rank)))
        for path, score in best.items():
            path_scores[path] += score
    if not path_scores:
        return None
    chosen = max(path_scores, key=lambda path: (path_scores[path], path))
    joined = JoinedPages(pages)
    records: list[Record] = []
    scores: list[float] = []
    for number, (lists, paths_of_page) in enumerate(zip(ranked_lists, paths, strict=True)):
        if chosen in paths_of_page:
            score, listing = lists[paths_of_page.index(chosen)]
            scores.append(score)
            records += [
                tuple([joined.to_joined_node(number, node) for node in record])
                for record in listing.records
            ]
    return sum(scores) / len(pages), joined, Listing(tuple(records))


def _find_record_path(page: Page, listing: Listing) -> RecordPath:
    """Return the path that most of the records have."""
    labels, ancestors = page.tree.labels, page.tree.ancestors
    paths: Counter[RecordPath] = Counter()
    for record in listing.records:
        steps = [islice(ancestors(root), _MAX_PATH_STEPS) for root in record]
        paths[tuple([tuple([labels[node] for node in nodes]) for nodes in steps])] += 1
    return paths.most_common(1)[0][0]


@dataclass(frozen=True, kw_only=True)
class DefaultMethod(ListMethod):
    """The default method. Give ``want`` or ``like``, not both."""

    want: Iterable[str] = ()
    """Types that the records hold, such as ``price``: tables with all of them come first."""
    like: Sequence[str | int] = ()
    """Two elements, as XPaths or node numbers, of two records: their list is the only table."""
    alternatives: bool = False
    """Return also what is less likely a list, and other ways to cut the same text into records."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "want", parse_required_types(self.want or ()))
        check_example(self.like)
        if self.want and self.like:
            raise UsageError("want and like exclude each other: like selects the only table")

    def rank_lists(self, page: Page) -> RankedLists:
        """Return the lists of a page, best first."""
        if self.like:
            return [(1.0, find_example_list(page, self.like))]
        found = find_lists(page, want=self.want)
        if self.alternatives:
            known = {candidate.spans for candidate in found.lists}
            others = [candidate for candidate in found.candidates if candidate.spans not in known]
            alternatives = [*found.lists, *others][:_MAX_ALTERNATIVES]
            return [(candidate.confidence, candidate.listing) for candidate in alternatives]
        ranked = found.to_ranked_lists()
        return ranked[:1] + [each for each in ranked[1:] if each[0] >= MIN_LIST_CONFIDENCE]

    def make_aligner(self, page: Page) -> Aligner:
        """Return the aligner of segments."""
        return make_aligner(page)

    @property
    def namer(self) -> Namer:
        """What names the columns by headers, labels, classes and types."""
        return name_columns

    def find_section_headings(self, page: Page, listing: Listing) -> Sequence[int | None]:
        """Return for each record the heading of its section; empty if there are no sections."""
        return find_section_headings(page, listing)

    def join_text(self, page: Page, record: Record) -> str:
        """Return the text of a record with the text between its sub-trees."""
        return page.join_siblings(record)
