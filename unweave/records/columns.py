"""Which items of a list's records share a column: by their tag path, or by partial tree alignment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from unweave.errors import WorkLimit
from unweave.page.page import Page
from unweave.records.items import TEXT, Item, Items, slice_within, textless_items, varying
from unweave.records.region import Listing, Record
from unweave.trees.alignment import Links, Seed, align
from unweave.trees.matching import Matcher
from unweave.trees.tree import Classes
from unweave.variants import Variant, check_variant

# Two records of ten thousand nodes each would keep the tree matching busy for minutes. Beyond so many pairs of nodes on one
# page, tag paths must do.
MOST_MATCHING = 6_000_000

RECORD_LABEL = "#record"

LINKED_KEY_LENGTH = 3


class Placed(NamedTuple):
    """An item with the key of its column."""

    key: Hashable
    kind: str
    value: str
    node: int


Keyed = list[Placed]
"""The items of a record in order, each with the key of its column."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """The records of a list with the keys of their items."""

    rows: list[Keyed]
    order: Sequence[Hashable] | None = None
    """The keys from left to right, if the aligner knows."""
    lists: frozenset[Hashable] = frozenset()
    """The keys that a record may hold several times."""


Aligner = Callable[[Listing], Aligned]


def by_path(page: Page) -> Aligner:
    """Items at the same tag path of their records share a column, counted within their record.

    Items are texts, pictures, and links that hold neither.
    """
    paths, owners, texts = page.tree.paths, page.owners, page.texts
    textless, address = textless_items(page), Items(page).address
    new = tuple.__new__  # in the hot path of mdr, half the price of Placed(...)

    def aligned(listing: Listing) -> Aligned:
        rows: list[Keyed] = []
        for record in listing.records:
            seen: dict[int, int] = {}
            row: Keyed = []
            for part, root in enumerate(record):
                start = page.first_chunks[root]
                # The texts up to each picture, and those after the last.
                for node in [*slice_within(textless, root, page.tree.ends[root]), None]:
                    stop = page.stop_chunks[root] if node is None else page.first_chunks[node]
                    for chunk in range(start, stop):
                        owner = owners[chunk]
                        path = paths[owner] * len(record) + part
                        seen[path] = count = seen.get(path, 0) + 1
                        row.append(new(Placed, ((path, count), TEXT, texts[chunk], owner)))
                    start = stop
                    if node is not None and (item := address(node)):
                        kind, value = item
                        path = ~(paths[node] * len(record) + part)  # a link without text is in no column of texts
                        seen[path] = count = seen.get(path, 0) + 1
                        row.append(new(Placed, ((path, count), kind, value, node)))
            rows.append(row)
        return Aligned(rows)

    return aligned


def by_tree(page: Page, *, variant: str = Variant.CORRECTED, running_text: bool | None = None) -> Aligner:
    """Items whose nodes partial tree alignment links to the same node of the seed share a column.

    With ``running_text``, as in every variant but the printed one, words that are marked inside a text are no nodes of
    the record's tree. All lists of the page share one budget; what it does not suffice for is aligned by tag paths.
    """
    if running_text is None:
        running_text = check_variant(variant) is not Variant.PRINTED
    shapes = RecordShapes(page, Classes(), running_text=running_text)
    matcher = Matcher(shapes.classes, budget=MOST_MATCHING)

    def aligned(listing: Listing) -> Aligned:
        try:
            alignment = align_trees([(shapes, record) for record in listing.records], matcher)
            return Aligned(alignment.rows, alignment.order)
        except WorkLimit:
            return Aligned([by_path_of_all_items(page, shapes.items(record)) for record in listing.records])

    return remembered(aligned)


def remembered(aligner: Aligner) -> Aligner:
    """An aligner that is asked once: the second time, a list must not get other columns because a budget is spent."""
    known: dict[Listing, Aligned] = {}

    def aligned(listing: Listing) -> Aligned:
        if listing not in known:
            known[listing] = aligner(listing)
        return known[listing]

    return aligned


def by_path_of_all_items(page: Page, items: Iterable[Item]) -> Keyed:
    """Texts, links and pictures at the same tag path of the page, counted within their record."""
    paths = page.tree.paths
    seen: dict[tuple[int, str, int], int] = {}
    row: Keyed = []
    for item in items:
        place = (item.part, item.kind, paths[item.node])
        seen[place] = count = seen.get(place, 0) + 1
        row.append(Placed((*place, count), item.kind, item.value, item.node))
    return row


class RecordShapes:
    """The records of one page as trees: their shapes, their items, and which node of the page is which of the tree.

    Marks inside a running text are no nodes of the tree.
    """

    def __init__(self, page: Page, classes: Classes, *, running_text: bool = True) -> None:
        self.page = page
        self.classes = classes
        self._items = Items(page, running_text=running_text)
        self._shapes = classes.of(page.tree, leaves=self._items.running)

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

    rows: list[Keyed]
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
        return sorted(left_to_right(self.rows), key=last.__getitem__)


def align_trees(records: Sequence[tuple[RecordShapes, Record]], matcher: Matcher) -> TreeAlignment:
    """Align records, of one page or of several that share the matcher's table of classes."""
    found = [shapes.items(record) for shapes, record in records]
    trees = [shapes.shape(record) for shapes, record in records]
    alignment = align(trees, list(map(len, found)), matcher=matcher)
    linked = [shapes.linked(record, links) for (shapes, record), links in zip(records, alignment.links, strict=True)]
    joined = varying(found, linked)
    rows = [
        keyed(shapes.join(items, links, joined), links, row)
        for row, ((shapes, _), items, links) in enumerate(zip(records, found, linked, strict=True))
    ]
    return TreeAlignment(rows, alignment.seed, joined)


def keyed(items: Iterator[Item], links: Links, row: int) -> Keyed:
    """The items with their keys; what has no link has one of its own."""
    seen: dict[tuple[int, str], int] = {}
    found: Keyed = []
    for item in items:
        number = seen[item.node, item.kind] = seen.get((item.node, item.kind), 0) + 1
        target = links.get(item.node)
        key = (target, item.kind, number) if target is not None else (row, item.node, item.kind, number)
        found.append(Placed(key, item.kind, item.value, item.node))
    return found


def is_linked(key: Hashable) -> TypeGuard[tuple[int, str, int]]:
    """Is this the key of an item that is linked to a node of the seed?"""
    return isinstance(key, tuple) and len(key) == LINKED_KEY_LENGTH


def left_to_right(aligned: Sequence[Keyed]) -> list[Hashable]:
    """The keys in an order: a new one comes right after its neighbour on the left."""
    following: dict[Hashable, Hashable] = {None: None}
    for keyed in aligned:
        left: Hashable = None
        for key, _, _, _ in keyed:
            if key not in following:
                following[left], following[key] = key, following[left]
            left = key
    found: list[Hashable] = []
    key = following[None]
    while key is not None:
        found.append(key)
        key = following[key]
    return found
