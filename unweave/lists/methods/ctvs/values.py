"""The data values of records, with their tag paths, links and images; the similarity of two values
(section III-A).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from unweave.lists.listing import IMAGE, TEXT, Listing, Record, read_address
from unweave.lists.paper_alignment import Item, ItemReader, find_varying_texts
from unweave.page.page import Page
from unweave.values.parsing import detect_type
from unweave.values.types import Type

# The text that a link belongs to is searched among its first texts.
_MAX_TEXTS_OF_LINK = 20
# Longer texts are prose: their beginnings are enough, and two pages of text must not cost as much
# as a whole list.
_MAX_WORDS = 60
_RELATED_TYPES_SIMILARITY = 0.5
# The types that the text of the paper does not name, and the nearest of those that it names.
_PRINTED_TYPES = {Type.TIME: Type.DATETIME, Type.PERCENTAGE: Type.STRING}


class RecordPath(NamedTuple):
    """The path of a value in its record; only values of the same path may share a column."""

    tag_path: int
    """The number of a tag path from the root of the record."""
    kind: str
    mark: str


class Address(NamedTuple):
    """The target of a link, or the source of an image."""

    path: RecordPath
    text: str
    node: int
    is_before: bool
    """Whether its element begins before the text that it belongs to."""


class Value(NamedTuple):
    """A text of a record with its links and images, or a link or image without text."""

    path: RecordPath
    text: str
    node: int
    addresses: tuple[Address, ...] = ()

    @property
    def kind(self) -> str:
        """TEXT, LINK or IMAGE."""
        return self.path.kind

    @property
    def is_text(self) -> bool:
        """Whether it can be compared with others; of links and images only the path counts."""
        return self.path.kind == TEXT


Values = list[Value]
"""The values of one record in order."""


class Similarity:
    """The similarity of two texts, from 0 to 1, with a memory of earlier results (Table 1).

    As ``printed``, there are only the types that the paper names (string, datetime, date, float,
    integer, price), and the similarity is 0.5 not only for parent and child, as in the formula and
    Table 1, but also for two types with a common parent, as in the prose.
    """

    def __init__(self, *, printed: bool = False) -> None:
        self._printed = printed
        self._similarities: dict[tuple[str, str], float] = {}
        self._word_counts: dict[str, tuple[Counter[str], float]] = {}

    def __call__(self, left: str, right: str) -> float:
        """Return 1 for the same specific type, 0.5 for parent and child, the cosine of two strings,
        else 0.
        """
        if left == right:
            return 1.0
        pair = (left, right) if left < right else (right, left)
        similarity = self._similarities.get(pair)
        if similarity is None:
            similarity = self._similarities[pair] = self._compute(left, right)
        return similarity

    def _compute(self, left: str, right: str) -> float:
        left_type, right_type = detect_type(left), detect_type(right)
        if self._printed:
            left_type = _PRINTED_TYPES.get(left_type, left_type)
            right_type = _PRINTED_TYPES.get(right_type, right_type)
        if left_type is right_type:
            return self._compute_cosine(left, right) if left_type is Type.STRING else 1.0
        if Type.STRING in (left_type, right_type):
            return 0.0
        is_related = left_type is right_type.parent or right_type is left_type.parent
        if self._printed and left_type.parent is right_type.parent:
            is_related = True
        return _RELATED_TYPES_SIMILARITY if is_related else 0.0

    def _compute_cosine(self, left: str, right: str) -> float:
        """Return the cosine of the word counts, without stop words or weights."""
        left_words, left_length = self._count_words(left)
        right_words, right_length = self._count_words(right)
        shared = left_words.keys() & right_words.keys()
        product = sum([left_words[word] * right_words[word] for word in shared])
        return product / (left_length * right_length) if product else 0.0

    def _count_words(self, text: str) -> tuple[Counter[str], float]:
        """Return the words of a text with their counts, and the length of that vector."""
        known = self._word_counts.get(text)
        if known is None:
            words = Counter(text.split(None, _MAX_WORDS)[:_MAX_WORDS])
            length = math.sqrt(sum([count * count for count in words.values()]))
            known = self._word_counts[text] = (words, length)
        return known


class _LocatedItem(NamedTuple):
    """An item with its path, its element, and the texts in that element as indices of items."""

    path: RecordPath
    item: Item
    element: int
    texts: Sequence[int]


class ValueReader:
    """Reads the values of the records of one page.

    With ``join_texts``, running text whose inline markup differs between records is one value.
    """

    def __init__(self, page: Page, join_texts: bool) -> None:
        self.page = page
        self._tree = page.tree
        self._items = ItemReader(page)
        self._join_texts = join_texts
        self._path_numbers: dict[tuple[int, str], int] = {}

    def read_items(self, record: Record) -> list[Item]:
        """Return the texts, links and images of a record."""
        return self._items.read_items(record)

    def read_values(self, listing: Listing) -> list[Values]:
        """Return the values of every record of a list.

        A link belongs to the text inside it; of several, to the first at the tag path where most
        links of the same path have a text, so that a badge at the start of some of them makes no
        difference. An image belongs to the text of the link that it is in. A link without text is
        a value, an image without text too, together with its link.
        """
        items = [self._items.read_items(record) for record in listing.records]
        paths = [self.number_tag_paths(record) for record in listing.records]
        joined = find_varying_texts(items, paths) if self._join_texts else frozenset()
        rows = [
            list(self._locate_items(record, record_items, numbers, joined))
            for record, record_items, numbers in zip(listing.records, items, paths, strict=True)
        ]
        text_paths = _find_text_paths(rows)
        return [self._build_values(row, text_paths) for row in rows]

    def number_tag_paths(self, record: Record) -> dict[int, int]:
        """Return the number of the tag path of every node of a record, from its root on."""
        labels, parents, ends = self._tree.labels, self._tree.parents, self._tree.ends
        known = self._path_numbers
        numbers: dict[int, int] = {}
        for part, root in enumerate(record):
            numbers[root] = known.setdefault((-1 - part, labels[root]), len(known))
            for node in range(root + 1, ends[root]):
                key = (numbers[parents[node]], labels[node])
                numbers[node] = known.setdefault(key, len(known))
        return numbers

    def _locate_items(
        self, record: Record, items: Sequence[Item], paths: dict[int, int], joined: Collection[int]
    ) -> Iterator[_LocatedItem]:
        """Yield the items of a record with their paths, those of a joined text once."""
        page, ends = self.page, self._tree.ends
        nodes = [node for root in record for node in range(root, ends[root])]
        elements = iter([node for node in nodes if read_address(page, node)])
        text_nodes = [number for root in record for number in page.text_nodes(root)]
        item_of_text: dict[int, int] = {}  # from a text node to the index of its item
        item_of_node: dict[int, int] = {}  # from a node with a joined text to the index of its item
        located: list[tuple[RecordPath, Item, int]] = []
        text_count = 0
        for item in items:
            if item.kind != TEXT:
                element = next(elements)
                node = item.node if self._join_texts else element
                path = RecordPath(paths[node], item.kind, "")
                located.append((path, item._replace(node=node), element))
                continue
            text_node = text_nodes[text_count]
            text_count += 1
            is_joined = paths[item.node] in joined and item.node in self._items.running_texts
            if is_joined and item.node in item_of_node:
                item_of_text[text_node] = item_of_node[item.node]
                continue
            item_of_text[text_node] = len(located)
            parent = page.text_parents[text_node]
            if is_joined:
                item_of_node[item.node] = len(located)
                item = item._replace(value=page.text(item.node), mark="")
            elif not self._join_texts:
                item = item._replace(node=parent, mark="")
            located.append((RecordPath(paths[item.node], TEXT, item.mark), item, parent))
        for path, item, element in located:
            inside = page.text_nodes(element)[:_MAX_TEXTS_OF_LINK] if item.kind != TEXT else ()
            yield _LocatedItem(path, item, element, [item_of_text[number] for number in inside])

    def _build_values(
        self, row: Sequence[_LocatedItem], text_paths: dict[RecordPath, RecordPath]
    ) -> Values:
        """Return the values of a record: each address with the text, or the link, that it belongs
        to.
        """
        value_of: dict[int, int] = {}
        link, link_end = -1, -1  # the last link, and where it ends
        for index, located in enumerate(row):
            if located.item.kind == TEXT:
                continue
            text_path = text_paths.get(located.path)
            texts = [text for text in located.texts if row[text].path == text_path]
            if texts:
                value_of[index] = texts[0]
            elif located.item.kind == IMAGE and located.element < link_end:
                value_of[index] = value_of.get(link, link)
            if located.item.kind != IMAGE:
                link, link_end = index, self._tree.ends[located.element]
        addresses: dict[int, list[Address]] = {}
        for index, value in value_of.items():
            path, item, _, _ = row[index]
            address = Address(path, item.value, item.node, index < value)
            addresses.setdefault(value, []).append(address)
        return [
            Value(path, item.value, item.node, tuple(addresses.get(index, ())))
            for index, (path, item, _, _) in enumerate(row)
            if index not in value_of
        ]


def _find_text_paths(rows: Sequence[Sequence[_LocatedItem]]) -> dict[RecordPath, RecordPath]:
    """Return for each path of links the path at which most of them have a text, of equal ones the
    first.

    Where no record has two links of a path and some of them have no such text, the links are
    separate values: their path alone tells them from others.
    """
    text_counts: dict[RecordPath, Counter[RecordPath]] = {}
    link_counts: Counter[RecordPath] = Counter()
    repeated: set[RecordPath] = set()
    for row in rows:
        in_record: set[RecordPath] = set()
        for located in row:
            if located.item.kind == TEXT:
                continue
            path = located.path
            link_counts[path] += 1
            (repeated if path in in_record else in_record).add(path)
            inside = dict.fromkeys(row[text].path for text in located.texts)
            text_counts.setdefault(path, Counter()).update(inside.keys())
    text_paths: dict[RecordPath, RecordPath] = {}
    for path, counts in text_counts.items():
        for text_path, count in counts.most_common(1):
            if path in repeated or count == link_counts[path]:
                text_paths[path] = text_path
    return text_paths
