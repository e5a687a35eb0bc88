"""Which items of a list's records share a column: by their tag path, or by partial tree alignment."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from unweave.errors import WorkLimit
from unweave.page.page import Page
from unweave.records.items import TEXT, Item, Items
from unweave.records.region import Listing, Record
from unweave.trees.alignment import Links, align
from unweave.trees.matching import Matcher
from unweave.trees.tree import Classes

# Two records of ten thousand nodes each would keep the tree matching busy for minutes. Beyond this, tag paths must do.
_MOST_MATCHING = 3_000_000

Keyed = list[tuple[Hashable, Item]]
"""The items of a record in order, each with the key of its column."""

Aligner = Callable[[Listing], list[Keyed]]


def by_path(page: Page) -> Aligner:
    """Texts at the same tag path of their records share a column, counted within their record."""
    items, paths = Items(page), page.tree.paths

    def aligned(listing: Listing) -> list[Keyed]:
        rows: list[Keyed] = []
        for record in listing.records:
            seen: dict[tuple[int, int], int] = {}
            keyed: Keyed = []
            for item in items.texts(record):
                path = (item.part, paths[item.node])
                seen[path] = count = seen.get(path, 0) + 1
                keyed.append(((*path, count), item))
            rows.append(keyed)
        return rows

    return aligned


def by_tree(page: Page) -> Aligner:
    """Items whose nodes partial tree alignment links to the same node of the seed share a column."""
    return _ByTree(page)


class _ByTree:
    """Made for one page: the shapes of its sub-trees are worked out once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._items = Items(page)
        self._classes = Classes()
        self._shapes = self._classes.of(page.tree, leaves=self._items.running)

    def __call__(self, listing: Listing) -> list[Keyed]:
        found = [self._items.all(record) for record in listing.records]
        shapes = [
            self._classes.intern("#record", tuple(self._shapes[root] for root in record)) for record in listing.records
        ]
        try:
            alignment = align(shapes, list(map(len, found)), matcher=Matcher(self._classes, budget=_MOST_MATCHING))
        except WorkLimit:
            return by_path(self._page)(listing)
        linked = [self._linked(record, links) for record, links in zip(listing.records, alignment.links, strict=True)]
        return _keyed(_running_texts_joined(self._page, found, linked), linked)

    def _linked(self, record: Record, links: Links) -> Links:
        """The seed's node for the page's nodes in the record."""
        tree, running = self._page.tree, self._items.running
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


def _running_texts_joined(page: Page, rows: Sequence[list[Item]], linked: Sequence[Links]) -> list[list[Item]]:
    """Join the texts of a node where its marks differ from record to record: words in bold are no data of their own.

    Where all records have the same marks, as in "<b>Price:</b> 9.98", the texts stay apart.
    """
    patterns: dict[int, set[tuple[str, ...]]] = {}
    for items, links in zip(rows, linked, strict=True):
        for node, texts in _texts_by_node(items):
            if node in links:
                patterns.setdefault(links[node], set()).add(tuple(item.mark for item in texts))
    varying = {target for target, seen in patterns.items() if len(seen) > 1}

    def joined(items: list[Item], links: Links) -> Iterator[Item]:
        done: set[int] = set()
        for item in items:
            if item.kind != TEXT or links.get(item.node) not in varying:
                yield item
            elif item.node not in done:
                done.add(item.node)
                yield item._replace(value=page.text(item.node), mark="")

    return [list(joined(items, links)) for items, links in zip(rows, linked, strict=True)]


def _texts_by_node(items: Sequence[Item]) -> list[tuple[int, list[Item]]]:
    texts: dict[int, list[Item]] = {}
    for item in items:
        if item.kind == TEXT:
            texts.setdefault(item.node, []).append(item)
    return list(texts.items())


def _keyed(rows: Sequence[list[Item]], linked: Sequence[Links]) -> list[Keyed]:
    """A key is the seed's node, the kind, and the number within the node; what has no link has a column of its own."""
    keyed: list[Keyed] = []
    for row, (items, links) in enumerate(zip(rows, linked, strict=True)):
        seen: dict[tuple[int, str], int] = {}
        own: Keyed = []
        for item in items:
            number = seen[item.node, item.kind] = seen.get((item.node, item.kind), 0) + 1
            target = links.get(item.node)
            key = (target, item.kind, number) if target is not None else (row, item.node, item.kind, number)
            own.append((key, item))
        keyed.append(own)
    return keyed
