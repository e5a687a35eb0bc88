"""Where things stand in the pages of a template: paths of tags with the attributes that all its pages have, as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from unweave.page.page import Page
from unweave.page.parse import Names

NOWHERE = -1
"""The number of a place that no page had which was learned from."""

HIDDEN = -2
"""The number of a place inside a row of a table, where fields are not looked for."""

LONGEST_WORD = 100
_MOST_KNOWN = 20_000
_FOLDED = re.compile(r"\(s\)$|\W+$")


def words(label: str, names: Names) -> list[str]:
    """What an element is called: its classes, its id and its property, each behind its tag."""
    classes, id_, property_ = names
    found = [f"{label}.{word[:LONGEST_WORD]}" for word in (classes or "").split()]
    if id_:
        found.append(f"{label}#{id_[:LONGEST_WORD]}")
    if property_:
        found.append(f"{label}@{property_[:LONGEST_WORD]}")
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


def label_key(text: str) -> str:
    """A label without what differs between pages that mean the same: case, the colon, the plural."""
    key = _FOLDED.sub("", _FOLDED.sub("", text.casefold().strip()))
    return key[:-1] if key.endswith("s") and len(key) > len("is") + 1 else key
