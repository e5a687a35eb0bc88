"""The values of records as CTVS sees them: texts with their tag paths from the record's root, and with their addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from unweave.page.page import Page
from unweave.records.items import IMAGE, TEXT, Item, Items, varying
from unweave.records.region import Listing, Record

# Which of its texts a link belongs to is looked for among so many of the first.
_MAX_TEXTS_OF_LINK = 20


class Place(NamedTuple):
    """Only values of the same place may share a column (the same record path constraint)."""

    path: int
    """The number of a tag path."""
    kind: str
    mark: str


class Address(NamedTuple):
    """Where a link leads, or what an image shows."""

    place: Place
    text: str
    node: int
    is_before: bool
    """Does its element begin before the text that it belongs to?"""


class Value(NamedTuple):
    """One text of a record with its links and images, or a link or image without text."""

    place: Place
    text: str
    node: int
    addresses: tuple[Address, ...] = ()

    @property
    def kind(self) -> str:
        """Text, link or image."""
        return self.place.kind

    @property
    def says_something(self) -> bool:
        """Can it be compared with others? Of addresses only the place counts."""
        return self.place.kind == TEXT


Values = list[Value]
"""The values of one record in order."""


class _Located(NamedTuple):
    """An item, its place, the element that has it, and the texts in that element, as numbers of items."""

    place: Place
    item: Item
    element: int
    texts: Sequence[int]


class Reader:
    """Reads the values of one page's records.

    With ``join_texts``, a running text whose marks differ from record to record is one value.
    """

    def __init__(self, page: Page, join_texts: bool) -> None:
        self.page = page
        self._tree = page.tree
        self._items = Items(page)
        self._join_texts = join_texts
        self._paths: dict[tuple[int, str], int] = {}

    def items(self, record: Record) -> list[Item]:
        """The texts, links and images of a record."""
        return self._items.all(record)

    def values(self, listing: Listing) -> list[Values]:
        """Return the values of every record of a list.

        A link belongs to the text inside it; of several, to the first at the tag path where most links of the same tag path
        have a text, so that a badge at the start of some of them makes no difference. An image belongs to the text of the
        link that it stands in. What is left without a text is a value by itself, an image together with its link.
        """
        items = [self._items.all(record) for record in listing.records]
        paths = [self.paths(record) for record in listing.records]
        joined = varying(items, paths) if self._join_texts else frozenset()
        located = [
            list(self._locate(record, of_record, numbers, joined))
            for record, of_record, numbers in zip(listing.records, items, paths, strict=True)
        ]
        main = _main_places(located)
        return [self._gather(row, main) for row in located]

    def _locate(
        self, record: Record, items: Sequence[Item], paths: dict[int, int], joined: Collection[int]
    ) -> Iterator[_Located]:
        """Yield the items of a record with their places, those of a joined text once."""
        page, ends = self.page, self._tree.ends
        elements = iter([node for root in record for node in range(root, ends[root]) if self._items.address(node)])
        chunks = [chunk for root in record for chunk in page.chunks(root)]
        numbers: dict[int, int] = {}  # of a chunk, the number of its item
        first: dict[int, int] = {}  # of a node with a joined text, the number of its item
        kept: list[tuple[Place, Item, int]] = []
        text = 0
        for item in items:
            if item.kind != TEXT:
                element = next(elements)
                holder = item.node if self._join_texts else element
                kept.append((Place(paths[holder], item.kind, ""), item._replace(node=holder), element))
                continue
            chunk = chunks[text]
            text += 1
            is_joined = paths[item.node] in joined and item.node in self._items.running
            if is_joined and item.node in first:
                numbers[chunk] = first[item.node]
                continue
            numbers[chunk] = len(kept)
            owner = page.owners[chunk]
            if is_joined:
                first[item.node] = len(kept)
                item = item._replace(value=page.text(item.node), mark="")
            elif not self._join_texts:
                item = item._replace(node=owner, mark="")
            kept.append((Place(paths[item.node], TEXT, item.mark), item, owner))
        for place, item, element in kept:
            inside = page.chunks(element)[:_MAX_TEXTS_OF_LINK] if item.kind != TEXT else ()
            yield _Located(place, item, element, [numbers[chunk] for chunk in inside])

    def _gather(self, row: Sequence[_Located], main: dict[Place, Place]) -> Values:
        """Return the values of a record: each address with the text, or the link, that it belongs to."""
        owner_of: dict[int, int] = {}
        link, link_end = -1, -1  # the last link, and where it ends
        for number, located in enumerate(row):
            if located.item.kind == TEXT:
                continue
            texts = [text for text in located.texts if row[text].place == main.get(located.place)]
            if texts:
                owner_of[number] = texts[0]
            elif located.item.kind == IMAGE and located.element < link_end:
                owner_of[number] = owner_of.get(link, link)
            if located.item.kind != IMAGE:
                link, link_end = number, self._tree.ends[located.element]
        addresses: dict[int, list[Address]] = {}
        for number, owner in owner_of.items():
            place, item, _, _ = row[number]
            addresses.setdefault(owner, []).append(Address(place, item.value, item.node, number < owner))
        return [
            Value(place, item.value, item.node, tuple(addresses.get(number, ())))
            for number, (place, item, _, _) in enumerate(row)
            if number not in owner_of
        ]

    def paths(self, record: Record) -> dict[int, int]:
        """The tag path of every node of the record, from the record's root on, as a number."""
        labels, parents, ends = self._tree.labels, self._tree.parents, self._tree.ends
        found: dict[int, int] = {}
        for part, root in enumerate(record):
            found[root] = self._number(-1 - part, labels[root])
            for node in range(root + 1, ends[root]):
                found[node] = self._number(found[parents[node]], labels[node])
        return found

    def _number(self, above: int, label: str) -> int:
        return self._paths.setdefault((above, label), len(self._paths))


def _main_places(rows: Sequence[Sequence[_Located]]) -> dict[Place, Place]:
    """Return for each place of links the place at which most of them have a text, of equal ones the first.

    Where no record has two links at a place, and some have no such text, the links are told apart by their place alone, and
    a text that some of them hold is no reason to.
    """
    texts: dict[Place, Counter[Place]] = {}
    links: Counter[Place] = Counter()
    repeated: set[Place] = set()
    for row in rows:
        of_record: set[Place] = set()
        for located in row:
            if located.item.kind == TEXT:
                continue
            place = located.place
            links[place] += 1
            (repeated if place in of_record else of_record).add(place)
            inside = dict.fromkeys(row[text].place for text in located.texts)
            texts.setdefault(place, Counter()).update(inside.keys())
    main: dict[Place, Place] = {}
    for place, counts in texts.items():
        for text, count in counts.most_common(1):
            if place in repeated or count == links[place]:
                main[place] = text
    return main
