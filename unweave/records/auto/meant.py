"""The list that somebody means who points at two of its records."""

from __future__ import annotations

from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.records import depta
from unweave.records.auto.candidates import candidates
from unweave.records.auto.choice import MOST_LOOKED_AT, weighed, worth
from unweave.records.auto.outline import Outline
from unweave.records.region import Listing
from unweave.variants import Variant


def meant(page: Page, one: int, other: int) -> Listing:
    """The list of which two nodes stand in a record each.

    It is the best of all candidates that have them apart. Where there is none, it is the elements beside the two that are
    called as they are.
    """
    _check(page, one, other)
    outline = Outline(page)
    by_tree = depta.find(page, variant=Variant.IMPROVED)
    found = candidates(outline, filter(outline.is_in_one_piece, by_tree))
    having = {spans: listing for spans, listing in found.items() if _has_apart(page, listing, one, other)}
    if having:
        looked_at, rows = weighed(outline, having, MOST_LOOKED_AT)
        return max(zip(looked_at.values(), map(worth, rows), strict=True), key=lambda own: own[1])[0]
    return next((own for own in by_tree if _has_apart(page, own, one, other)), None) or _alike(page, one, other)


def _check(page: Page, one: int, other: int) -> None:
    first, second = sorted((one, other))
    if not 0 <= first <= second < len(page.tree):
        raise UsageError("the page has no such element")
    if second < page.tree.ends[first]:
        raise UsageError("these are the same element, or one stands in the other: point at two different records")


def _has_apart(page: Page, listing: Listing, one: int, other: int) -> bool:
    """Do the two nodes stand in a record each?"""
    number = _record_of(page, listing, one)
    return number is not None and _record_of(page, listing, other) not in (None, number)


def _record_of(page: Page, listing: Listing, node: int) -> int | None:
    ends = page.tree.ends
    for number, record in enumerate(listing.records):
        if any(root <= node < ends[root] for root in record):
            return number
    return None


def _alike(page: Page, one: int, other: int) -> Listing:
    """The elements beside those ancestors of the two nodes that are siblings, as far as they are called the same."""
    tree = page.tree
    above = set(tree.ancestors(one))
    shared = next(node for node in tree.ancestors(other) if node in above)
    first = next(node for node in tree.ancestors(one) if tree.parents[node] == shared)
    second = next(node for node in tree.ancestors(other) if tree.parents[node] == shared)
    if tree.labels[first] != tree.labels[second]:
        raise UsageError("these two have nothing in common: point at two records of one list")
    classes = _classes(page, first) & _classes(page, second)
    same = [
        node
        for node in tree.children(shared)
        if tree.labels[node] == tree.labels[first] and classes <= _classes(page, node)
    ]
    return Listing(tuple((node,) for node in same))


def _classes(page: Page, node: int) -> set[str]:
    return set((page.names[node][0] or "").split())
