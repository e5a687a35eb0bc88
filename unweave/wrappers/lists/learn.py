"""Learning a wrapper for list pages: the list that the pages have in common, aligned over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from unweave.column_selection import ColumnSpec
from unweave.errors import UsageError, WrapperError
from unweave.lists import default
from unweave.lists.data_records import T
from unweave.lists.listing import Listing, Record
from unweave.lists.table_building import ColumnOrder
from unweave.page.composite import JoinedPages
from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.wrappers.lists.apply import ListWrapper
from unweave.wrappers.lists.example_records import ExampleRecords

# The commonest shapes of a part; what is similar to one of them is a part.
_MOST_EXAMPLES = 20
_MOST_RECORDS = 500
# What so many of the elements at one place are called belongs to the list, other words to single records.
_SHARED = 0.9

Paths = tuple[tuple[str, ...], ...]


def learn(
    pages: Sequence[Page],
    candidates: Sequence[Sequence[Listing]] | None = None,
    *,
    selected_columns: Sequence[ColumnSpec] = (),
) -> ListWrapper:
    """Learn the list that is the first candidate of most pages.

    Args:
        pages: Pages of one template.
        candidates: The lists of each page, best first; those of the default method if None.
        selected_columns: The columns of the result, and their names and types; all if there are none.
    """
    if candidates is None:
        candidates = [[listing for _, listing in default.rank_lists(page)] for page in pages]
    ranked = list(zip(pages, candidates, strict=True))
    favourites = Counter(
        _commonest_paths(page, listings[0]) for page, listings in ranked if listings
    )
    if not favourites:
        raise WrapperError("none of the pages has a list")
    paths = favourites.most_common(1)[0][0]
    found = [
        (page, listing) for page, listings in ranked if (listing := _same(page, listings, paths))
    ]
    wrapper = replace(_wrapper(found, paths), selected_columns=tuple(selected_columns))
    known = {column.name for column in wrapper.columns}
    if unknown := [pick.column for pick in selected_columns if pick.column not in known]:
        raise UsageError(
            f"the list has no column {unknown[0][:60]!r}; it has {', '.join(sorted(known))}"
        )
    return wrapper


def _same(page: Page, listings: Sequence[Listing], paths: Paths) -> Listing | None:
    """The page's best list whose records stand at these paths."""
    return next((listing for listing in listings if _commonest_paths(page, listing) == paths), None)


def _commonest_paths(page: Page, listing: Listing) -> Paths:
    """Where most of the list's records stand."""
    return Counter(_paths(page, record) for record in listing.records).most_common(1)[0][0]


def _paths(page: Page, record: Record) -> Paths:
    labels = page.tree.labels
    return tuple(
        tuple(labels[node] for node in reversed([*page.tree.ancestors(root)])) for root in record
    )


def _wrapper(found: Sequence[tuple[Page, Listing]], paths: Paths) -> ListWrapper:
    pages = JoinedPages([page for page, _ in found])
    records = [
        tuple([pages.to_joined_node(number, node) for node in record])
        for number, (page, listing) in enumerate(found)
        for record in listing.records
        if _paths(page, record) == paths
    ]
    listing = Listing(tuple(records[:_MOST_RECORDS]))
    rows = default.make_aligner(pages)(listing).rows
    columns = ColumnOrder(rows)
    if not columns.keys:
        raise WrapperError("the records of the list hold nothing")
    return ListWrapper(
        paths=paths,
        shapes=tuple(_examples(pages, listing, part) for part in range(len(paths))),
        levels=max(_levels(page, listing, paths) for page, listing in found),
        t=T,
        columns=tuple(default.name_columns(pages, listing, *columns.group_items(rows))),
        example_records=ExampleRecords.of(
            pages, listing.records, rows, {key: number for number, key in enumerate(columns.keys)}
        ),
        ancestor_identifiers=_words(pages, listing),
    )


def _examples(pages: Page, listing: Listing, part: int) -> tuple[tuple[str, ...], ...]:
    """The commonest label strings of a part of the records."""
    tree = pages.tree
    seen = Counter(
        tuple(tree.labels[record[part] : tree.ends[record[part]]]) for record in listing.records
    )
    return tuple(labels for labels, _ in seen.most_common(_MOST_EXAMPLES))


def _words(pages: JoinedPages, listing: Listing) -> tuple[tuple[str, ...], ...]:
    """What the elements from the root of each page to the records are called."""
    paths = [list(pages.tree.ancestors(record[0]))[-2::-1] for record in listing.records]
    return tuple(_shared_words(pages, nodes) for nodes in zip(*paths, strict=True))


def _shared_words(pages: JoinedPages, nodes: Sequence[int]) -> tuple[str, ...]:
    count = Counter(
        word
        for node in nodes
        for word in set(list_identifiers(pages.tree.labels[node], pages.identifiers[node]))
    )
    return tuple(sorted(word for word, times in count.items() if times >= _SHARED * len(nodes)))


def _levels(page: Page, listing: Listing, paths: Paths) -> int:
    """How far up from the records' roots they have a common ancestor."""
    nodes = {record[0] for record in listing.records if _paths(page, record) == paths}
    levels = 0
    while len(nodes) > 1:
        nodes = {page.tree.parents[node] for node in nodes}
        levels += 1
    return max(1, levels)
