"""Where things stand in the pages of a template: paths of tags with the attributes that all its pages have, as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from unweave.page.page import Page
from unweave.page.parse import Names

NOWHERE = -1
"""The number of a place that no page had which was learned from."""

HIDDEN = -2
"""The number of a place inside a row of a table, where fields are not looked for."""

_CELLS = frozenset(["td", "th"])
_TABLE_PARTS = frozenset(["table", "tbody", "thead", "tfoot", "tr"])
_PAIR = 2
_LEAST_COLUMNS = 3
# With more texts in a cell of its first row, a table is there for the layout.
_MOST_TEXTS = 2
_LONGEST_WORD = 100
_MOST_KNOWN = 20_000
_FOLDED = re.compile(r"\(s\)$|\W+$")


def words(label: str, names: Names) -> list[str]:
    """What an element is called: its classes, its id and its property, each behind its tag."""
    classes, id_, property_ = names
    found = [f"{label}.{word[:_LONGEST_WORD]}" for word in (classes or "").split()]
    if id_:
        found.append(f"{label}#{id_[:_LONGEST_WORD]}")
    if property_:
        found.append(f"{label}@{property_[:_LONGEST_WORD]}")
    return found


@dataclass(frozen=True)
class Places:
    """The places of a template. While it is being learned, new ones get new numbers; after that they are nowhere."""

    stable: frozenset[str]
    """The words of attributes that (nearly) all pages have; the others belong to single pages."""
    numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    """Numbers by the number of the place above and the step from there."""
    _known: dict[tuple[str, Names], str] = field(init=False, repr=False, compare=False, default_factory=dict)

    def of(self, page: Page, *, learning: bool = False) -> list[int]:
        """The place of every element of a page."""
        numbers = self.numbers
        found: list[int] = []
        steps = self._steps(page)
        if learning:
            for step, parent in zip(steps, page.tree.parents, strict=True):
                above = found[parent] if parent >= 0 else NOWHERE
                found.append(numbers.setdefault((above, step), len(numbers)))
        else:
            for step, parent in zip(steps, page.tree.parents, strict=True):
                above = found[parent] if parent >= 0 else NOWHERE
                found.append(numbers.get((above, step), NOWHERE) if above >= 0 or parent < 0 else NOWHERE)
        return found

    @cached_property
    def above(self) -> dict[int, tuple[int, str]]:
        """For each place the one above it and the step from there. To be asked when nothing is learned any more."""
        return {number: pair for pair, number in self.numbers.items()}

    def path(self, place: int) -> list[str]:
        """The steps from the root to a place."""
        steps: list[str] = []
        while place != NOWHERE:
            place, step = self.above[place]
            steps.append(step)
        return steps[::-1]

    def _steps(self, page: Page) -> list[str]:
        """Each element's tag with its stable words. Elements of one kind are met again and again, and so remembered."""
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        steps: list[str] = []
        for kind in zip(page.tree.labels, page.names, strict=True):
            step = known.get(kind)
            if step is None:
                step = known[kind] = self._step(*kind)
            steps.append(step)
        return steps

    def _step(self, label: str, names: Names) -> str:
        own = sorted({word for word in words(label, names) if word in self.stable})
        return label + "".join([word[len(label) :] for word in own])


def columns(page: Page) -> list[int]:
    """For each node the number of the table cell that it stands in, counted in its row from 1; 0 if in none."""
    tree = page.tree
    cells: dict[int, int] = {}
    found: list[int] = []
    for label, parent in zip(tree.labels, tree.parents, strict=True):
        if label in _CELLS:
            cells[parent] = cells.get(parent, 0) + 1
            found.append(cells[parent])
        else:
            found.append(0 if label in _TABLE_PARTS or parent < 0 else found[parent])
    return found


def key_cells(page: Page) -> list[bool]:
    """Which nodes stand where labels stand by the meaning of the tags: in a th beside one td, or in a dt."""
    keys = {cells[0] for cells in _pairs(page) if [page.tree.labels[cell] for cell in cells] == ["th", "td"]}
    return _inside(page, keys, "dt")


def value_cells(page: Page) -> list[bool]:
    """Which nodes stand where values stand by the meaning of the tags: in the second of two cells of a row, or in a dd."""
    return _inside(page, {cells[1] for cells in _pairs(page)}, "dd")


def _pairs(page: Page) -> Iterator[list[int]]:
    """The cells of rows that have two."""
    for row, label in enumerate(page.tree.labels):
        if label == "tr":
            cells = [cell for cell in page.tree.children(row) if page.tree.labels[cell] in _CELLS]
            if len(cells) == _PAIR:
                yield cells


def _inside(page: Page, cells: set[int], tag: str) -> list[bool]:
    """Which nodes stand in one of these cells, or in an element of this tag, and not in a table within."""
    found: list[bool] = []
    for node, (label, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
        if label in _TABLE_PARTS or parent < 0:
            found.append(False)
        else:
            found.append(node in cells if label in _CELLS else label == tag or found[parent])
    return found


def headers(page: Page) -> dict[int, int]:
    """The header above each cell, in tables of at least three columns that are not there for the layout."""
    labels = page.tree.labels
    found: dict[int, int] = {}
    above: dict[int, list[int]] = {}
    for row, label in enumerate(labels):
        if label != "tr":
            continue
        cells = [cell for cell in page.tree.children(row) if labels[cell] in _CELLS]
        if len(cells) < _LEAST_COLUMNS:
            continue
        table = _table_of(page, row)
        head = above.get(table)
        if head is None or len(head) != len(cells) or all(labels[cell] == "th" for cell in cells):
            above[table] = cells
        elif all(page.count_texts(cell) <= _MOST_TEXTS for cell in head):
            found.update(zip(cells, head, strict=True))
    return found


def _table_of(page: Page, row: int) -> int:
    return next((node for node in page.tree.ancestors(row) if page.tree.labels[node] == "table"), 0)


def label_key(text: str) -> str:
    """A label without what differs between pages that mean the same: case, the colon, the plural."""
    key = _FOLDED.sub("", _FOLDED.sub("", text.casefold().strip()))
    return key[:-1] if key.endswith("s") and len(key) > len("is") + 1 else key
