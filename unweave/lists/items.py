"""Data items: the texts, links and images of records, in the order in which they stand in the page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from unweave.lists.listing import Record
from unweave.page.page import Page

TEXT, LINK, IMAGE = "text", "link", "image"

# What stands in an attribute as an address and leads nowhere.
LEADS_NOWHERE = ("javascript:", "#", "data:")

_NO_PLACE = -1

# Elements that mark words inside a running text. A link's words are part of the text that it stands in; where it leads is
# an item of its own.
MARKS = frozenset(
    "a abbr acronym b bdi bdo big br cite code del dfn em font i ins kbd mark nobr q s samp small span strike strong sub"
    " sup tt u var wbr".split()
)


class Item(NamedTuple):
    """One datum: of which kind, in which part of the record, in which node, and what it says."""

    kind: str
    part: int
    node: int
    value: str
    mark: str = ""
    """The label of the element that marks the text inside its node, if one does."""


def textless_items(page: Page) -> list[int]:
    """Return the pictures of a page, and the links that hold neither text nor picture, in document order."""
    labels, ends, first, stop = (
        page.tree.labels,
        page.tree.ends,
        page.text_starts,
        page.text_ends,
    )
    pictures = [node for node, label in enumerate(labels) if label == "img"]
    links = [
        node for node, label in enumerate(labels) if label == "a" and first[node] == stop[node]
    ]
    return sorted(
        [*pictures, *(link for link in links if not slice_within(pictures, link, ends[link]))]
    )


def slice_within(nodes: Sequence[int], start: int, stop: int) -> Sequence[int]:
    """Return those of the nodes, which are in order, that are at least ``start`` and less than ``stop``."""
    return nodes[bisect_left(nodes, start) : bisect_left(nodes, stop)]


class ItemCounts:
    """How many items sub-trees of a page have: texts, pictures, and links that hold neither."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def count(self, node: int) -> int:
        """Return the number of items in the sub-tree of a node. A linked text and a linked picture are one item each."""
        return self._page.count_texts(node) + len(
            slice_within(self._textless, node, self._page.tree.ends[node])
        )

    @cached_property
    def _textless(self) -> list[int]:
        return textless_items(self._page)


class Items:
    """The items of one page's records.

    A node whose own text has marked words in it (bold, linked, line breaks) is one running text: its marks are no nodes of
    their own, and its items are those of the node. Without ``running_text``, every marked word is an item of its own.
    """

    def __init__(self, page: Page, *, running_text: bool = True) -> None:
        self._page = page
        self._running_text = running_text

    @cached_property
    def running(self) -> set[int]:
        """The nodes that hold one running text, outermost only."""
        if not self._running_text:
            return set()
        tree, owners = self._page.tree, set(self._page.text_parents)
        marks_below = [True] * len(tree)
        for node in range(len(tree) - 1, 0, -1):
            if not marks_below[node] or tree.labels[node] not in MARKS:
                marks_below[tree.parents[node]] = False
        found: set[int] = set()
        node = 0
        while node < len(tree):
            is_running = marks_below[node] and node in owners
            if is_running:
                found.add(node)
            node = tree.ends[node] if is_running else node + 1
        return found

    def all(self, record: Record) -> list[Item]:
        """The texts, links and images of a record; texts inside a running text belong to its node."""
        page, running, labels = self._page, self.running, self._page.tree.labels
        placed: list[tuple[int, int, Item]] = []
        for part, root in enumerate(record):
            holder, end = root, root
            for node in range(root, page.tree.ends[root]):
                if node >= end:  # the running text before this node has ended
                    holder = node
                    end = page.tree.ends[node] if node in running else node + 1
                address = self.address(node)
                if address:
                    placed.append((2 * node, 0, Item(address[0], part, holder, address[1])))
                for chunk in self._own_chunks.get(node, ()):
                    mark = labels[node] if holder != node else ""
                    placed.append(
                        (
                            2 * page.text_positions[chunk] - 1,
                            chunk,
                            Item(TEXT, part, holder, page.texts[chunk], mark),
                        )
                    )
        return [item for _, _, item in sorted(placed, key=itemgetter(0, 1))]

    def join(
        self, items: Sequence[Item], places: Mapping[int, int], joined: Container[int]
    ) -> Iterator[Item]:
        """The items, with those of a running text at one of these places as one."""
        done: set[int] = set()
        for item in items:
            if (
                item.kind != TEXT
                or places.get(item.node, _NO_PLACE) not in joined
                or item.node not in self.running
            ):
                yield item
            elif item.node not in done:
                done.add(item.node)
                yield item._replace(value=self._page.text(item.node), mark="")

    @cached_property
    def _own_chunks(self) -> dict[int, list[int]]:
        own: dict[int, list[int]] = {}
        for chunk, owner in enumerate(self._page.text_parents):
            own.setdefault(owner, []).append(chunk)
        return own

    def address(self, node: int) -> tuple[str, str] | None:
        """Where a link leads, or what a picture shows; absolute if the page's own address is known."""
        value = (self._page.node_urls[node] or "").strip()
        if not value or value.casefold().startswith(LEADS_NOWHERE):
            return None
        return IMAGE if self._page.tree.labels[node] == "img" else LINK, self._page.resolve_url(
            value
        )


def varying(rows: Sequence[Sequence[Item]], places: Sequence[Mapping[int, int]]) -> frozenset[int]:
    """The places in a list's records whose marks differ from record to record: words in bold are no data of their own.

    Where all records have the same marks, as in "<b>Price:</b> 9.98", the texts stay apart.
    """
    patterns: dict[int, set[tuple[str, ...]]] = {}
    for items, own_places in zip(rows, places, strict=True):
        marks: dict[int, list[str]] = {}
        for item in items:
            if item.kind == TEXT and item.node in own_places:
                marks.setdefault(item.node, []).append(item.mark)
        for node, own in marks.items():
            patterns.setdefault(own_places[node], set()).add(tuple(own))
    return frozenset(place for place, seen in patterns.items() if len(seen) > 1)
