"""Lists by example: the list that two nodes are records of."""

from __future__ import annotations

from unweave.errors import UsageError
from unweave.lists.candidates import find_candidates
from unweave.lists.data_records import find_listings
from unweave.lists.listing import Listing
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import measure_candidates, score_features
from unweave.page.page import Page


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
            "these are the same element, or one stands in the other: point at two different records"
        )
    index, data_lists = PageIndex(page), find_listings(page)
    candidates = {
        spans: listing
        for spans, listing in find_candidates(index, data_lists).items()
        if _separates(page, listing, left, right)
    }
    if candidates:
        measured = measure_candidates(index, candidates)
        return max(measured, key=lambda candidate: score_features(candidate[2]))[1]
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
    """Return the siblings of those ancestors of two nodes that are siblings, if they have the same tag and classes."""
    tree = page.tree
    ancestors = set(tree.ancestors(left))
    parent = next(node for node in tree.ancestors(right) if node in ancestors)
    first = next(node for node in tree.ancestors(left) if tree.parents[node] == parent)
    second = next(node for node in tree.ancestors(right) if tree.parents[node] == parent)
    if tree.labels[first] != tree.labels[second]:
        raise UsageError("these two have nothing in common: point at two records of one list")
    classes = _split_classes(page, first) & _split_classes(page, second)
    siblings = [
        node
        for node in tree.children(parent)
        if tree.labels[node] == tree.labels[first] and classes <= _split_classes(page, node)
    ]
    return Listing(tuple((node,) for node in siblings))


def _split_classes(page: Page, node: int) -> set[str]:
    return set((page.identifiers[node][0] or "").split())
