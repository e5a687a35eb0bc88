"""Items of microdata and of RDFa Lite in the markup of a page.

Both mark elements as items of a type, and elements inside of them as their properties. What is read
is bounded: pages may nest and repeat items at will.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from turbohtml import Document, Element, Node

T = TypeVar("T")

MICRODATA, RDFA = "microdata", "rdfa"
MAX_ITEMS = 10_000
MAX_DEPTH = 20
"""Of items that are properties of items."""

_MAX_PROPERTIES = 100_000
_MAX_CHARACTERS = 10_000_000
"""Of all texts and types: properties can be nested, so that the text of a page is that of many, and
items have the vocabulary of an element around them in their types."""
_MAX_NAMES = 10
"""Of the names of one property element."""
_SELECTOR = "[itemscope], [itemprop], [typeof], [property]"
_URL_ATTRIBUTES = ("href", "src", "data")
_NAME_SEPARATOR = re.compile(r"[/#:]")


@dataclass(slots=True)
class DataItem:
    """An item: its type, and the texts and items that are its properties, by name."""

    syntax: str
    type: str
    """A URL, or the words of the page if it names no vocabulary; empty if there is none."""
    node: int | None
    """The node of the page; None for elements that are not in its tree."""
    id: str = ""
    """The URL that stands for the item; empty if there is none."""
    depth: int = 0
    """The number of items that it is part of."""
    properties: dict[str, list[str | DataItem]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the item as plain data: a list if a property has several values."""
        head = {"@type": self.type, "@id": self.id}
        data: dict[str, Any] = {name: text for name, text in head.items() if text}
        for name, values in self.properties.items():
            plain = [each if isinstance(each, str) else each.to_dict() for each in values]
            data[name] = plain[0] if len(plain) == 1 else plain
        return data


def read_items(
    document: Document, numbers: dict[Element, int], text_of: Callable[[int], str]
) -> list[DataItem]:
    """Return all items of a page in the order of their elements, also those inside of others.

    Args:
        document: The tree of the parser.
        numbers: The nodes of the elements that the page keeps.
        text_of: Returns the text of a node.
    """
    elements = document.select(_SELECTOR)
    reader = _Reader(numbers, text_of)
    for element in elements:
        reader.read_microdata(element)
        reader.read_rdfa(element)
        if reader.is_exhausted:
            break
    return reader.items


class _Reader:
    """Reads elements in the order of the page, so that an item is known before its properties."""

    def __init__(self, numbers: dict[Element, int], text_of: Callable[[int], str]) -> None:
        self.items: list[DataItem] = []
        self._numbers = numbers
        self._text_of = text_of
        self._items_around: dict[str, dict[Node, DataItem | None]] = {MICRODATA: {}, RDFA: {}}
        self._vocabularies: dict[Node, str | None] = {}
        self._properties = self._characters = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether as much was read as may be."""
        return (
            len(self.items) >= MAX_ITEMS
            or self._properties >= _MAX_PROPERTIES
            or self._characters >= _MAX_CHARACTERS
        )

    def read_microdata(self, element: Element) -> None:
        """Read an element with ``itemscope``, ``itemprop`` or both."""
        names = _list_names(element.attr("itemprop"))
        item = None
        if element.attr("itemscope") is not None:
            type_name = next(iter(_split(element.attr("itemtype"))), "")
            item = self._add_item(MICRODATA, type_name, element, ("itemid",))
        if names:
            self._add_property(MICRODATA, element, names, item, ("content", *_URL_ATTRIBUTES))

    def read_rdfa(self, element: Element) -> None:
        """Read an element with ``typeof``, ``property`` or both."""
        names = _list_names(element.attr("property"))
        item = None
        types = _split(element.attr("typeof"))
        if types:
            type_name = self._resolve_type(element, types[0])
            item = self._add_item(RDFA, type_name, element, ("about", "resource", *_URL_ATTRIBUTES))
        if names:
            attributes = ("content", "resource", *_URL_ATTRIBUTES)
            self._add_property(RDFA, element, names, item, attributes)

    def _add_item(
        self, syntax: str, type_name: str, element: Element, attributes: tuple[str, ...]
    ) -> DataItem:
        item = DataItem(syntax, type_name, self._numbers.get(element))
        item.id = next(filter(None, (_read_attribute(element, name) for name in attributes)), "")
        self._characters += len(item.type) + len(item.id)
        self.items.append(item)
        self._items_around[syntax][element] = item
        return item

    def _resolve_type(self, element: Element, type_name: str) -> str:
        """Return a type of RDFa with its vocabulary."""
        if ":" in type_name:
            return type_name
        vocabulary = _find_around(element, self._vocabularies, _read_vocabulary)
        return f"{vocabulary or ''}{type_name}"

    def _add_property(
        self,
        syntax: str,
        element: Element,
        names: list[str],
        item: DataItem | None,
        attributes: tuple[str, ...],
    ) -> None:
        """Give an item or the value of an element to the item that it is inside of."""
        owner = _find_around(element.parent, self._items_around[syntax], lambda _: None)
        if owner is None or owner.depth >= MAX_DEPTH:
            return
        value: str | DataItem = item or self._read_value(element, attributes)
        if not value:
            return
        if item is not None:
            item.depth = owner.depth + 1
            names = names[:1]  # each further one would double what the items around it hold
        for name in names:
            owner.properties.setdefault(name, []).append(value)
            self._properties += 1

    def _read_value(self, element: Element, attributes: tuple[str, ...]) -> str:
        for name in (*attributes, "datetime", "value"):
            if text := _read_attribute(element, name):
                break
        else:
            node = self._numbers.get(element)
            text = "" if node is None else self._text_of(node)
        self._characters += len(text)
        return text


def _read_attribute(element: Element, name: str) -> str:
    return " ".join((element.attr(name) or "").split())


def _split(names: str | None) -> list[str]:
    return (names or "").split()[:_MAX_NAMES]


def _list_names(names: str | None) -> list[str]:
    """Return the names of a property: "price" for "schema:price" or "https://schema.org/price"."""
    local = [_NAME_SEPARATOR.split(name)[-1] for name in _split(names)]
    return list(dict.fromkeys(filter(None, local)))


def _read_vocabulary(node: Node) -> str | None:
    return (_read_attribute(node, "vocab") if isinstance(node, Element) else "") or None


def _find_around(
    node: Node | None, known: dict[Node, T | None], read: Callable[[Node], T | None]
) -> T | None:
    """Return what is read from a node or the nearest node around it; ``known`` remembers it."""
    passed: list[Node] = []
    found: T | None = None
    while node is not None:
        if node in known:
            found = known[node]
            break
        passed.append(node)
        found = read(node)
        if found is not None:
            break
        node = node.parent
    known.update(dict.fromkeys(passed, found))
    return found
