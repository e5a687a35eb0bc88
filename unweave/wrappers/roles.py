"""The role of every text of a page, by what is stable in its template: its place, the label before it, its column.

A text whose place holds one text on every page needs no more than that. Others are told apart by the label in the same row
or by the header of their column, and what has neither by its place and its number there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from unweave.page.grids import columns, headers
from unweave.page.page import INLINE, Page
from unweave.records.prices import Prices
from unweave.wrappers.places import HIDDEN, NOWHERE, Places, label_key

_IN_PARAGRAPHS = INLINE | {"br", "img", "wbr"}
_TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
_HEADINGS = frozenset(["h1", "h2", "h3"])
_LONGEST_LABEL = 60
_LONGEST_HEADER = 40
_NO_LABEL = -1

Spot = tuple[int, int]
"""A place, and the column of the table cell around it."""

LabelPlace = tuple[int, int, str]
"""A label: its place, the column of the table cell around it, and what it says."""


class By(StrEnum):
    """What a role is told by."""

    LABEL = "label"
    COLUMN = "column"
    PLACE = "place"
    JOINED = "joined"
    """The texts of one paragraph together, by its place and the label before it."""


class Role(NamedTuple):
    """What texts of several pages have in common that mean the same."""

    by: By
    place: int
    label: str = ""
    label_place: int = NOWHERE


class Item(NamedTuple):
    """One or several texts of a page, with their role."""

    role: Role
    number: int
    """How many items of this role stand before it."""
    chunks: range
    label: int = _NO_LABEL
    """The text that is the label."""


@dataclass(frozen=True)
class Anchors:
    """What is stable in the pages of a template."""

    places: Places
    labels: frozenset[LabelPlace] = frozenset()
    lone: frozenset[int] = frozenset()
    """The places that hold one text on nearly every page, and never more."""
    label_spots: frozenset[Spot] = frozenset()
    """Where nothing but labels stands, so that a text there is one, known or not."""
    colon_spots: frozenset[Spot] = frozenset()
    """Where labels with a colon stand, so that a text there with a colon is one, known or not."""

    def is_label(self, place: int, column: int, text: str) -> bool:
        """Is a text at this spot a label?"""
        if (place, column, text) in self.labels:
            return True
        is_likely = (place, column) in self.label_spots or (text.endswith(":") and (place, column) in self.colon_spots)
        return is_likely and may_be_label(text)


def may_be_label(text: str) -> bool:
    """Is the text short, and has it letters? Marks between values are no labels."""
    return len(text) <= _LONGEST_LABEL and _TWO_LETTERS.search(text) is not None


def label_chunks(page: Page, places: Sequence[int], anchors: Anchors) -> Iterator[int]:
    """The texts of a page that are labels."""
    cells = columns(page)
    for chunk, (owner, text) in enumerate(zip(page.owners, page.texts, strict=True)):
        if anchors.is_label(places[owner], cells[owner], text):
            yield chunk


def items(page: Page, anchors: Anchors, places: list[int], prices: Prices, *, joined: bool = True) -> list[Item]:
    """The texts of a page that are no labels, with their roles; if asked, paragraphs of several texts once more, joined."""
    return _Walk(page, anchors, places, prices).items(joined)


class _Walk:
    """One pass over the texts of a page."""

    def __init__(self, page: Page, anchors: Anchors, places: list[int], prices: Prices) -> None:
        self._page, self._anchors, self._places, self._prices = page, anchors, places, prices
        self._columns = columns(page)
        self._headers = headers(page)
        self._keys: dict[int, str] = {}
        self._seen: Counter[Role] = Counter()

    def items(self, joined: bool) -> list[Item]:
        page, columns, places = self._page, self._columns, self._places
        anchors = self._anchors
        found: list[Item] = []
        first: dict[int, Item] = {}
        label, row = _NO_LABEL, (0, 0)
        labelled: set[int] = set()
        for chunk, owner in enumerate(page.owners):
            place = places[owner]
            if place == HIDDEN:
                label = _NO_LABEL
                labelled.add(chunk)
                continue
            if self._prices.is_absorbed(chunk):
                continue
            if anchors.is_label(place, columns[owner], page.texts[chunk]):
                label, row = chunk, (0, 0)
                labelled.add(chunk)
                continue
            if label != _NO_LABEL and row == (0, 0):
                row = self._row(page.owners[label], owner)
            if label != _NO_LABEL and not row[0] <= owner < row[1]:
                label = _NO_LABEL
            role, told = self._role(owner, place, label)
            price = self._prices.by_amount.get(chunk)
            item = self._item(role, price.chunks if price else range(chunk, chunk + 1), told)
            first.update(dict.fromkeys(item.chunks, item))
            found.append(item)
            if label != _NO_LABEL and self._is_heading(owner):
                label = _NO_LABEL  # what stands below a heading is not told by a label above it
        if not joined:
            return found
        paragraphs = [(node, chunks) for node, chunks in self._paragraphs(labelled) if chunks.start in first]
        return found + [self._joined(node, chunks, first) for node, chunks in paragraphs]

    def _item(self, role: Role, chunks: range, label: int) -> Item:
        number = self._seen[role]
        self._seen[role] = number + 1
        return Item(role, number, chunks, label)

    def _role(self, owner: int, place: int, label: int) -> tuple[Role, int]:
        """The role of a text in this element behind this label, and the text that names it."""
        if place in self._anchors.lone:
            return Role(By.PLACE, place), label
        header = self._header(owner)
        if header is not None and self._key(header):
            return Role(By.COLUMN, place, self._key(header)), self._page.first_chunks[header]
        if label == _NO_LABEL:
            return Role(By.PLACE, place), label
        key = label_key(self._page.texts[label])
        return Role(By.LABEL, place, key, self._places[self._page.owners[label]]), label

    def _header(self, owner: int) -> int | None:
        """The header above the cell that an element stands in, if there is one."""
        if not self._columns[owner] or not self._headers:
            return None
        labels = self._page.tree.labels
        cell = next((node for node in self._page.tree.ancestors(owner) if labels[node] in ("td", "th")), owner)
        return self._headers.get(cell)

    def _key(self, header: int) -> str:
        """What a header says, as a label; empty if it says too much."""
        key = self._keys.get(header)
        if key is None:
            text = self._page.text(header)
            key = self._keys[header] = label_key(text) if len(text) <= _LONGEST_HEADER and may_be_label(text) else ""
        return key

    def _is_heading(self, node: int) -> bool:
        labels, parents = self._page.tree.labels, self._page.tree.parents
        while labels[node] in INLINE:
            node = parents[node]
        return labels[node] in _HEADINGS

    def _row(self, one: int, other: int) -> tuple[int, int]:
        """The extent of the smallest element that holds a label and the text after it: how far the label reaches."""
        tree = self._page.tree
        node = one
        while not node <= other < tree.ends[node]:
            node = tree.parents[node]
        return node, tree.ends[node]

    def _paragraphs(self, labels: set[int]) -> Iterator[tuple[int, range]]:
        """Elements with several texts and nothing below that breaks the line, and their texts after the last label."""
        page, lines = self._page, self._page.lines
        has_breaks = self._with_breaks
        start = 0
        count = len(page.owners)
        while start < count:
            node = lines[page.owners[start]]
            stop = start + 1
            while stop < count and lines[page.owners[stop]] == node:
                stop += 1
            if not has_breaks[node]:
                start = next((chunk + 1 for chunk in range(stop - 1, start - 1, -1) if chunk in labels), start)
                if stop - start > 1 and not self._prices.is_one(range(start, stop)):
                    yield node, range(start, stop)
            start = stop

    @property
    def _with_breaks(self) -> list[bool]:
        """Which elements have something below them that breaks the line, but for line breaks and pictures."""
        tree = self._page.tree
        found = [False] * len(tree)
        for node in range(len(tree) - 1, 0, -1):
            if found[node] or tree.labels[node] not in _IN_PARAGRAPHS:
                found[tree.parents[node]] = True
        return found

    def _joined(self, node: int, chunks: range, first: dict[int, Item]) -> Item:
        role = first[chunks.start].role
        place = self._places[node]
        if role.by is By.LABEL:
            return self._item(Role(By.JOINED, place, role.label, role.label_place), chunks, first[chunks.start].label)
        return self._item(Role(By.JOINED, place), chunks, first[chunks.start].label)
