"""Alignment for the methods of papers: by tag path, or by partial tree alignment.

CTVS has an alignment of its own; its items are read here, too.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple, TypeGuard

from unweave.errors import WorkLimit
from unweave.lists.listing import (
    TEXT,
    AlignedItem,
    AlignedList,
    AlignedRecord,
    Aligner,
    Listing,
    Record,
    cache_alignment,
    find_running_texts,
    find_textless_items,
    read_address,
    slice_nodes,
)
from unweave.lists.table_building import order_keys
from unweave.page.page import Page
from unweave.trees.partial_tree_alignment import Links, Seed, align_to_seed
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import SubtreeClasses
from unweave.variants import Variant, check_variant

MAX_MATCHED_PAIRS = 6_000_000
"""The most pairs of nodes that tree matching compares on one page. Beyond, items are aligned by tag
paths: matching two records of ten thousand nodes each would take minutes."""

_RECORD_LABEL = "#record"
_LINKED_KEY_LENGTH = 3


# ---- items ---------------------------------------------------------------------------------------


class Item(NamedTuple):
    """A text, link or image of a record."""

    kind: str
    part: int
    """Which part of the record it is in."""
    node: int
    value: str
    mark: str = ""
    """For text inside a running text, the tag of the element that marks it."""


class ItemReader:
    """Reads the items of one page's records.

    The items in a running text belong to its element: marks are not elements of their own. Without
    ``running_text``, every marked word is an item of its own element.
    """

    def __init__(self, page: Page, *, running_text: bool = True) -> None:
        self._page = page
        self._running_text = running_text

    @cached_property
    def running_texts(self) -> set[int]:
        """The elements whose text is one running text."""
        return find_running_texts(self._page) if self._running_text else set()

    @cached_property
    def _texts_of(self) -> dict[int, list[int]]:
        texts_of: dict[int, list[int]] = {}
        for text, parent in enumerate(self._page.text_parents):
            texts_of.setdefault(parent, []).append(text)
        return texts_of

    def read_items(self, record: Record) -> list[Item]:
        """Return the texts, links and images of a record in document order."""
        page, running_texts = self._page, self.running_texts
        labels, ends = page.tree.labels, page.tree.ends
        items: list[tuple[int, int, Item]] = []
        for part, root in enumerate(record):
            element, end = root, root
            for node in range(root, ends[root]):
                if node >= end:  # the running text before this node has ended
                    element = node
                    end = ends[node] if node in running_texts else node + 1
                if address := read_address(page, node):
                    kind, url = address
                    items.append((2 * node, 0, Item(kind, part, element, url)))
                for text in self._texts_of.get(node, ()):
                    mark = labels[node] if element != node else ""
                    item = Item(TEXT, part, element, page.texts[text], mark)
                    items.append((2 * page.text_positions[text] - 1, text, item))
        return [item for _, _, item in sorted(items, key=itemgetter(0, 1))]

    def join_running_texts(
        self, items: Iterable[Item], links: Mapping[int, int], joined: Collection[int]
    ) -> Iterator[Item]:
        """Yield the items; those of a running text that is linked to a joined node are one."""
        done: set[int] = set()
        for item in items:
            is_joined = (
                item.kind == TEXT
                and links.get(item.node, -1) in joined
                and item.node in self.running_texts
            )
            if not is_joined:
                yield item
            elif item.node not in done:
                done.add(item.node)
                yield item._replace(value=self._page.text(item.node), mark="")


def find_varying_texts(
    rows: Sequence[Sequence[Item]], links: Sequence[Mapping[int, int]]
) -> frozenset[int]:
    """Return the nodes of a seed (or paths) whose marks differ from record to record.

    ``links`` gives the node of the seed for nodes of each record. Words in bold that differ are no
    data of their own. Where all records have the same marks, as in "<b>Price:</b> 9.98", texts stay
    separate.
    """
    patterns: dict[int, set[tuple[str, ...]]] = {}
    for items, links_of_record in zip(rows, links, strict=True):
        marks: dict[int, list[str]] = {}
        for item in items:
            if item.kind == TEXT and item.node in links_of_record:
                marks.setdefault(item.node, []).append(item.mark)
        for node, pattern in marks.items():
            patterns.setdefault(links_of_record[node], set()).add(tuple(pattern))
    return frozenset(target for target, seen in patterns.items() if len(seen) > 1)


# ---- alignment by tag path -----------------------------------------------------------------------


def make_path_aligner(page: Page) -> Aligner:
    """Return an aligner: items at the same tag path share a column, numbered within their record.

    Items are texts, images, and links that have neither.
    """
    paths, parents, texts = page.tree.path_ids, page.text_parents, page.texts
    textless = find_textless_items(page)
    new = tuple.__new__  # in the hot path of mdr, half the cost of AlignedItem(...)

    def align(listing: Listing) -> AlignedList:
        rows: list[AlignedRecord] = []
        for record in listing.records:
            counts: dict[int, int] = {}
            row: AlignedRecord = []
            for part, root in enumerate(record):
                start = page.text_starts[root]
                # The texts up to each textless item, and those after the last.
                for node in [*slice_nodes(textless, root, page.tree.ends[root]), None]:
                    stop = page.text_ends[root] if node is None else page.text_starts[node]
                    for text in range(start, stop):
                        parent = parents[text]
                        path = paths[parent] * len(record) + part
                        counts[path] = count = counts.get(path, 0) + 1
                        row.append(new(AlignedItem, ((path, count), TEXT, texts[text], parent)))
                    start = stop
                    if node is not None and (address := read_address(page, node)):
                        kind, url = address
                        # A negative number: a link without text is in no column of texts.
                        path = ~(paths[node] * len(record) + part)
                        counts[path] = count = counts.get(path, 0) + 1
                        row.append(new(AlignedItem, ((path, count), kind, url, node)))
            rows.append(row)
        return AlignedList(rows)

    return align


def align_items_by_path(page: Page, items: Iterable[Item]) -> AlignedRecord:
    """Return the items of a record with keys by part, kind and tag path, numbered."""
    paths = page.tree.path_ids
    counts: dict[tuple[int, str, int], int] = {}
    row: AlignedRecord = []
    for item in items:
        path = (item.part, item.kind, paths[item.node])
        counts[path] = count = counts.get(path, 0) + 1
        row.append(AlignedItem((*path, count), item.kind, item.value, item.node))
    return row


# ---- partial tree alignment ----------------------------------------------------------------------


def make_tree_aligner(
    page: Page, *, variant: str = Variant.CORRECTED, running_text: bool | None = None
) -> Aligner:
    """Return an aligner: items whose nodes are linked to the same node of the seed share a column.

    With ``running_text``, as in every variant but the printed one, words that are marked inside a
    text are not nodes of the record's tree. All lists of the page share one budget; those that it
    does not suffice for are aligned by tag paths.
    """
    if running_text is None:
        running_text = check_variant(variant) is not Variant.PRINTED
    trees = RecordTrees(page, SubtreeClasses(), running_text=running_text)
    matcher = Matcher(trees.classes, budget=MAX_MATCHED_PAIRS)

    def align(listing: Listing) -> AlignedList:
        try:
            alignment = align_trees([(trees, record) for record in listing.records], matcher)
            return AlignedList(alignment.rows, alignment.order)
        except WorkLimit:
            rows = [align_items_by_path(page, trees.read_items(rec)) for rec in listing.records]
            return AlignedList(rows)

    return cache_alignment(align)


class RecordTrees(ItemReader):
    """The records of one page as trees, with their items. Marks in a running text are not nodes."""

    def __init__(self, page: Page, classes: SubtreeClasses, *, running_text: bool = True) -> None:
        super().__init__(page, running_text=running_text)
        self.classes = classes
        self._tree = page.tree
        self._subtree_classes = classes.classify(page.tree, leaves=self.running_texts)

    def classify_record(self, record: Record) -> int:
        """Return the class of the record's tree: an artificial root with its parts as children."""
        parts = tuple(self._subtree_classes[root] for root in record)
        return self.classes.intern(_RECORD_LABEL, parts)

    def map_links(self, record: Record, links: Links) -> Links:
        """Return links of the nodes of the record's tree, in preorder, as links of page nodes."""
        ends = self._tree.ends
        page_links: Links = {}
        number = 0
        for root in record:
            node = root
            while node < ends[root]:
                number += 1
                if number in links:
                    page_links[node] = links[number]
                node = ends[node] if node in self.running_texts else node + 1
        return page_links


@dataclass(frozen=True, slots=True)
class TreeAlignment:
    """Records aligned by their trees."""

    rows: list[AlignedRecord]
    """A key is (node of the seed, kind, number within the node), or longer for unlinked items."""
    seed: Seed
    joined: frozenset[int]
    """The nodes of the seed whose running text is one item."""

    @property
    def order(self) -> list[Hashable]:
        """The keys in the order of the seed (line 22 of Figure 13).

        A text after elements of its node comes after them, an unlinked item after those before it.
        """
        positions = {node: position for position, node in enumerate(self.seed.preorder())}
        last_positions: dict[Hashable, int] = {}
        for row in self.rows:
            position = 0
            for key, *_ in row:
                if is_linked_key(key):
                    position = max(position, positions[key[0]])
                last_positions[key] = max(position, last_positions.get(key, 0))
        return sorted(order_keys(self.rows), key=last_positions.__getitem__)


def align_trees(records: Sequence[tuple[RecordTrees, Record]], matcher: Matcher) -> TreeAlignment:
    """Align records, of one page or of several that share the matcher's table of classes."""
    items = [trees.read_items(record) for trees, record in records]
    classes = [trees.classify_record(record) for trees, record in records]
    alignment = align_to_seed(classes, list(map(len, items)), matcher=matcher)
    links = [
        trees.map_links(record, seed_links)
        for (trees, record), seed_links in zip(records, alignment.links, strict=True)
    ]
    joined = find_varying_texts(items, links)
    rows: list[AlignedRecord] = []
    for (trees, _), items_of_record, record_links in zip(records, items, links, strict=True):
        joined_items = trees.join_running_texts(items_of_record, record_links, joined)
        rows.append(assign_keys(joined_items, record_links, len(rows)))
    return TreeAlignment(rows, alignment.seed, joined)


def assign_keys(items: Iterable[Item], links: Links, row: int) -> AlignedRecord:
    """Return the items of a row with their keys; a key of an unlinked item occurs once."""
    counts: dict[tuple[int, str], int] = {}
    aligned: AlignedRecord = []
    for item in items:
        number = counts[item.node, item.kind] = counts.get((item.node, item.kind), 0) + 1
        target = links.get(item.node)
        key: Hashable = (row, item.node, item.kind, number)
        if target is not None:
            key = (target, item.kind, number)
        aligned.append(AlignedItem(key, item.kind, item.value, item.node))
    return aligned


def is_linked_key(key: Hashable) -> TypeGuard[tuple[int, str, int]]:
    """Tell whether this is the key of an item that is linked to a node of the seed."""
    return isinstance(key, tuple) and len(key) == _LINKED_KEY_LENGTH
