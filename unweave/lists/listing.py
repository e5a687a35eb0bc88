"""Lists of a page as data: lists have records, records have items, aligned items have columns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from unweave.page.page import Page

TEXT, LINK, IMAGE = "text", "link", "image"
"""The kinds of items."""

IGNORED_URL_PREFIXES = ("javascript:", "#", "data:")
"""The beginnings of URLs that are not the address of another page or of an image file."""

MARK_TAGS = frozenset(
    "a abbr acronym b bdi bdo big br cite code del dfn em font i ins kbd mark nobr q s samp small"
    " span strike strong sub sup tt u var wbr".split()
)
"""Elements that mark words inside a running text. The words of a link are a part of the text that
it is in; its address is an item of its own."""


Record = tuple[int, ...]
"""The roots of the sub-trees of one record: several if no element contains the whole record."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The records of one list of the page, in document order."""

    records: tuple[Record, ...]

    @property
    def nodes(self) -> list[int]:
        """The roots of all records."""
        return [node for record in self.records for node in record]


RankedLists = list[tuple[float, Listing]]
"""Lists, best first, each with its score."""


class AlignedItem(NamedTuple):
    """A text, link or image of a record, with the key of its column."""

    key: Hashable
    kind: str
    value: str
    node: int


AlignedRecord = list[AlignedItem]
"""The items of a record in document order."""


@dataclass(frozen=True, slots=True)
class AlignedList:
    """The aligned records of a list."""

    rows: list[AlignedRecord]
    order: Sequence[Hashable] | None = None
    """The keys of the columns from left to right, if the aligner gives an order."""
    multi_valued: frozenset[Hashable] = frozenset()
    """The keys of columns that may have several values in a record."""


Aligner = Callable[[Listing], AlignedList]
"""A function that aligns the records of a list."""


def cache_alignment(aligner: Aligner) -> Aligner:
    """Return an aligner that aligns each list once, whatever is left of its budget later."""
    known: dict[Listing, AlignedList] = {}

    def align(listing: Listing) -> AlignedList:
        if listing not in known:
            known[listing] = aligner(listing)
        return known[listing]

    return align


# ---- the items of a page -------------------------------------------------------------------------


def read_address(page: Page, node: int) -> tuple[str, str] | None:
    """Return the kind and the URL of a link or image, None for other nodes.

    The URL is absolute if that of the page is known.
    """
    url = (page.node_urls[node] or "").strip()
    if not url or url.casefold().startswith(IGNORED_URL_PREFIXES):
        return None
    return IMAGE if page.tree.labels[node] == "img" else LINK, page.resolve_url(url)


def find_textless_items(page: Page) -> list[int]:
    """Return the images, and the links that have neither text nor image, in document order."""
    labels, ends = page.tree.labels, page.tree.ends
    images = [node for node, label in enumerate(labels) if label == "img"]
    items = list(images)
    for node, label in enumerate(labels):
        is_textless_link = label == "a" and page.text_starts[node] == page.text_ends[node]
        if is_textless_link and not slice_nodes(images, node, ends[node]):
            items.append(node)
    return sorted(items)


def slice_nodes(nodes: Sequence[int], start: int, stop: int) -> Sequence[int]:
    """Return those of the sorted nodes that are at least ``start`` and less than ``stop``."""
    return nodes[bisect_left(nodes, start) : bisect_left(nodes, stop)]


def find_running_texts(page: Page) -> set[int]:
    """Return the elements with text of their own and nothing but marks below, outermost only.

    The text of such an element reads as one, marked words (bold, linked) and line breaks included.
    """
    ends = page.tree.ends
    others = (label not in MARK_TAGS for label in page.tree.labels)
    others_before = list(accumulate(others, initial=0))  # the elements that are not marks
    running_texts: set[int] = set()
    end = 0
    for node in sorted(set(page.text_parents)):
        if node >= end and others_before[node + 1] == others_before[ends[node]]:
            running_texts.add(node)
            end = ends[node]
    return running_texts
