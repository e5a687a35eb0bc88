"""Learning a wrapper for list pages: the list that the pages have in common, aligned over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from unweave.errors import WorkLimit, WrapperError
from unweave.page.page import Page
from unweave.page.pages import Pages
from unweave.records.cells import Columns, Namer
from unweave.records.columns import MOST_MATCHING, RecordShapes, align_trees
from unweave.records.region import Listing, Ranked, Record
from unweave.records.regions import T
from unweave.trees.matching import Matcher
from unweave.trees.tree import Classes, Tree
from unweave.wrappers.records import RecordWrapper, Slot

# The commonest shapes of a part; what is similar to one of them is a part.
_MOST_EXAMPLES = 20
_MOST_RECORDS = 500
_SLOT_LENGTH = 3

Paths = tuple[tuple[str, ...], ...]


def learn(pages: Sequence[Page], ranked_lists: Callable[[Page], Ranked], name: Namer, *, t: float = T) -> RecordWrapper:
    """The wrapper of the list that most of the pages show first, of those that are found on each, best first."""
    ranked = [(page, [listing for _, listing in ranked_lists(page)]) for page in pages]
    favourites = Counter(_commonest_paths(page, listings[0]) for page, listings in ranked if listings)
    if not favourites:
        raise WrapperError("none of the pages has a list")
    paths = favourites.most_common(1)[0][0]
    found = [(page, listing) for page, listings in ranked if (listing := _same(page, listings, paths))]
    return _wrapper(found, paths, name, t)


def _same(page: Page, listings: Sequence[Listing], paths: Paths) -> Listing | None:
    """The page's best list whose records stand at these paths."""
    return next((listing for listing in listings if _commonest_paths(page, listing) == paths), None)


def _commonest_paths(page: Page, listing: Listing) -> Paths:
    """Where most of the list's records stand."""
    return Counter(_paths(page, record) for record in listing.records).most_common(1)[0][0]


def _paths(page: Page, record: Record) -> Paths:
    labels = page.tree.labels
    return tuple(tuple(labels[node] for node in reversed([*page.tree.ancestors(root)])) for root in record)


def _wrapper(found: Sequence[tuple[Page, Listing]], paths: Paths, name: Namer, t: float) -> RecordWrapper:
    pages = Pages([page for page, _ in found])
    listing = Listing(
        tuple(
            [
                tuple([pages.joined(number, node) for node in record])
                for number, (page, listing) in enumerate(found)
                for record in listing.records
                if _paths(page, record) == paths
            ][:_MOST_RECORDS]
        )
    )
    classes = Classes()
    shapes = RecordShapes(pages, classes)
    records = [(shapes, record) for record in listing.records]
    try:
        alignment = align_trees(records, Matcher(classes, budget=MOST_MATCHING))
    except WorkLimit:
        raise WrapperError("the records are too large to be aligned") from None
    order = {node: place for place, node in enumerate(alignment.seed.preorder())}
    rows = [[placed for placed in row if _is_linked(placed.key)] for row in alignment.rows]
    columns = Columns(rows)
    slots = tuple(_slot(order, key) for key in columns.keys)
    return RecordWrapper(
        paths=paths,
        examples=tuple(_examples(records, part) for part in range(len(paths))),
        levels=max(_levels(page, listing, paths) for page, listing in found),
        t=t,
        seed=_tree(alignment.seed.labels, alignment.seed.children, order),
        joined=frozenset(order[node] for node in alignment.joined),
        slots=slots,
        columns=tuple(name(pages, listing, *columns.cells(rows))),
    )


def _is_linked(key: object) -> bool:
    """Keys of what has no link are longer."""
    return isinstance(key, tuple) and len(key) == _SLOT_LENGTH


def _slot(order: dict[int, int], key: object) -> Slot:
    node, kind, number = cast(Slot, key)
    return order[node], kind, number


def _examples(records: Sequence[tuple[RecordShapes, Record]], part: int) -> tuple[tuple[str, ...], ...]:
    """The commonest label strings of a part of the records."""
    seen: Counter[tuple[str, ...]] = Counter()
    for shapes, record in records:
        tree = shapes.page.tree
        seen[tuple(tree.labels[record[part] : tree.ends[record[part]]])] += 1
    return tuple(labels for labels, _ in seen.most_common(_MOST_EXAMPLES))


def _levels(page: Page, listing: Listing, paths: Paths) -> int:
    """How far up from the records' roots they have a common ancestor."""
    nodes = {record[0] for record in listing.records if _paths(page, record) == paths}
    levels = 0
    while len(nodes) > 1:
        nodes = {page.tree.parents[node] for node in nodes}
        levels += 1
    return max(1, levels)


def _tree(labels: Sequence[str], children: Sequence[Sequence[int]], order: dict[int, int]) -> Tree:
    """The seed as a tree whose nodes are numbered in preorder."""
    parents = [-1] * len(order)
    for node, kids in enumerate(children):
        for kid in kids:
            parents[order[kid]] = order[node]
    return Tree([labels[node] for node in order], parents)
