"""Which items of a list's records share a column: by their tag path, or by partial tree alignment."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from unweave.errors import WorkLimit
from unweave.lists.items import TEXT, Item, Items, slice_within, textless_items, varying
from unweave.lists.listing import (
    AlignedItem,
    AlignedList,
    AlignedRecord,
    Aligner,
    Listing,
    Record,
    cache_alignment,
)
from unweave.lists.table_building import order_keys
from unweave.page.page import Page
from unweave.trees.alignment import Links, Seed, align_to_seed
from unweave.trees.matching import Matcher
from unweave.trees.tree import SubtreeClasses
from unweave.variants import Variant, check_variant

# Two records of ten thousand nodes each would keep the tree matching busy for minutes. Beyond so many pairs of nodes on one
# page, tag paths must do.
MOST_MATCHING = 6_000_000

RECORD_LABEL = "#record"

LINKED_KEY_LENGTH = 3


def by_path(page: Page) -> Aligner:
    """Items at the same tag path of their records share a column, counted within their record.

    Items are texts, pictures, and links that hold neither.
    """
    paths, owners, texts = page.tree.path_ids, page.text_parents, page.texts
    textless, address = textless_items(page), Items(page).address
    new = tuple.__new__  # in the hot path of mdr, half the cost of AlignedItem(...)

    def aligned(listing: Listing) -> AlignedList:
        rows: list[AlignedRecord] = []
        for record in listing.records:
            seen: dict[int, int] = {}
            row: AlignedRecord = []
            for part, root in enumerate(record):
                start = page.text_starts[root]
                # The texts up to each picture, and those after the last.
                for node in [*slice_within(textless, root, page.tree.ends[root]), None]:
                    stop = page.text_ends[root] if node is None else page.text_starts[node]
                    for chunk in range(start, stop):
                        owner = owners[chunk]
                        path = paths[owner] * len(record) + part
                        seen[path] = count = seen.get(path, 0) + 1
                        row.append(new(AlignedItem, ((path, count), TEXT, texts[chunk], owner)))
                    start = stop
                    if node is not None and (item := address(node)):
                        kind, value = item
                        path = ~(
                            paths[node] * len(record) + part
                        )  # a link without text is in no column of texts
                        seen[path] = count = seen.get(path, 0) + 1
                        row.append(new(AlignedItem, ((path, count), kind, value, node)))
            rows.append(row)
        return AlignedList(rows)

    return aligned


def by_tree(
    page: Page, *, variant: str = Variant.CORRECTED, running_text: bool | None = None
) -> Aligner:
    """Items whose nodes partial tree alignment links to the same node of the seed share a column.

    With ``running_text``, as in every variant but the printed one, words that are marked inside a text are no nodes of
    the record's tree. All lists of the page share one budget; what it does not suffice for is aligned by tag paths.
    """
    if running_text is None:
        running_text = check_variant(variant) is not Variant.PRINTED
    shapes = RecordShapes(page, SubtreeClasses(), running_text=running_text)
    matcher = Matcher(shapes.classes, budget=MOST_MATCHING)

    def aligned(listing: Listing) -> AlignedList:
        try:
            alignment = align_trees([(shapes, record) for record in listing.records], matcher)
            return AlignedList(alignment.rows, alignment.order)
        except WorkLimit:
            return AlignedList(
                [by_path_of_all_items(page, shapes.items(record)) for record in listing.records]
            )

    return cache_alignment(aligned)


def by_path_of_all_items(page: Page, items: Iterable[Item]) -> AlignedRecord:
    """Texts, links and pictures at the same tag path of the page, counted within their record."""
    paths = page.tree.path_ids
    seen: dict[tuple[int, str, int], int] = {}
    row: AlignedRecord = []
    for item in items:
        place = (item.part, item.kind, paths[item.node])
        seen[place] = count = seen.get(place, 0) + 1
        row.append(AlignedItem((*place, count), item.kind, item.value, item.node))
    return row


class RecordShapes:
    """The records of one page as trees: their shapes, their items, and which node of the page is which of the tree.

    Marks inside a running text are no nodes of the tree.
    """

    def __init__(self, page: Page, classes: SubtreeClasses, *, running_text: bool = True) -> None:
        self.page = page
        self.classes = classes
        self._items = Items(page, running_text=running_text)
        self._shapes = classes.classify(page.tree, leaves=self._items.running)

    def items(self, record: Record) -> list[Item]:
        """The texts, links and images of a record."""
        return self._items.all(record)

    def join(self, items: Sequence[Item], links: Links, joined: Collection[int]) -> Iterator[Item]:
        """The items, with those of a running text that is linked to one of these nodes as one."""
        return self._items.join(items, links, joined)

    def shape(self, record: Record) -> int:
        """The class of the record's tree: an artificial root over its parts."""
        return self.classes.intern(RECORD_LABEL, tuple(self._shapes[root] for root in record))

    def linked(self, record: Record, links: Links) -> Links:
        """Links of the tree's nodes, which are numbered in preorder, as links of the page's nodes."""
        tree, running = self.page.tree, self._items.running
        found: Links = {}
        number = 0
        for root in record:
            node = root
            while node < tree.ends[root]:
                number += 1
                if number in links:
                    found[node] = links[number]
                node = tree.ends[node] if node in running else node + 1
        return found


@dataclass(frozen=True, slots=True)
class TreeAlignment:
    """Records aligned by their trees."""

    rows: list[AlignedRecord]
    """A key is (node of the seed, kind, number within the node), or longer for what has no link."""
    seed: Seed
    joined: frozenset[int]
    """The nodes of the seed whose running text is one item."""

    @property
    def order(self) -> list[Hashable]:
        """The keys in the order of the seed (line 22 of Figure 13).

        A text that stands after elements of its node comes after them, and what has no link after what is left of it.
        """
        places = {node: place for place, node in enumerate(self.seed.preorder())}
        last: dict[Hashable, int] = {}
        for row in self.rows:
            place = 0
            for key, *_ in row:
                if is_linked(key):
                    place = max(place, places[key[0]])
                last[key] = max(place, last.get(key, 0))
        return sorted(order_keys(self.rows), key=last.__getitem__)


def align_trees(records: Sequence[tuple[RecordShapes, Record]], matcher: Matcher) -> TreeAlignment:
    """Align records, of one page or of several that share the matcher's table of classes."""
    found = [shapes.items(record) for shapes, record in records]
    trees = [shapes.shape(record) for shapes, record in records]
    alignment = align_to_seed(trees, list(map(len, found)), matcher=matcher)
    linked = [
        shapes.linked(record, links)
        for (shapes, record), links in zip(records, alignment.links, strict=True)
    ]
    joined = varying(found, linked)
    rows = [
        keyed(shapes.join(items, links, joined), links, row)
        for row, ((shapes, _), items, links) in enumerate(zip(records, found, linked, strict=True))
    ]
    return TreeAlignment(rows, alignment.seed, joined)


def keyed(items: Iterator[Item], links: Links, row: int) -> AlignedRecord:
    """The items with their keys; what has no link has one of its own."""
    seen: dict[tuple[int, str], int] = {}
    found: AlignedRecord = []
    for item in items:
        number = seen[item.node, item.kind] = seen.get((item.node, item.kind), 0) + 1
        target = links.get(item.node)
        key = (
            (target, item.kind, number)
            if target is not None
            else (row, item.node, item.kind, number)
        )
        found.append(AlignedItem(key, item.kind, item.value, item.node))
    return found


def is_linked(key: Hashable) -> TypeGuard[tuple[int, str, int]]:
    """Is this the key of an item that is linked to a node of the seed?"""
    return isinstance(key, tuple) and len(key) == LINKED_KEY_LENGTH
