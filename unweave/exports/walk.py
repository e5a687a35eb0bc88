"""Selectors on pages as unweave reads them: as much of them as the columns of records need.

A wrapper for lists remembers some of its records, so its selectors are tried even where there are no pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from unweave.exports.selectors import ALL_TEXTS, TEXT, WHOLE, Axis, Selector, Step, Word
from unweave.exports.template import element
from unweave.page.page import Page
from unweave.wrappers.places import words


class Walk:
    """Follows the steps of selectors in one page. Conditions other than words and numbers are not asked."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def first(self, record: int, selector: Selector) -> str | None:
        """What a selector finds first in a record."""
        page = self._page
        texts: list[str] = []
        for node in self.elements(record, selector.steps):
            if selector.end in (TEXT, ALL_TEXTS):
                is_inside = selector.end is ALL_TEXTS
                texts += [page.texts[chunk] for chunk in page.chunks(node) if is_inside or page.owners[chunk] == node]
            else:
                texts.append(page.text(node) if selector.end is WHOLE else page.addresses[node] or "")
        said = [text for text in texts if text]
        number = (selector.nth or 1) - 1
        return said[number] if number < len(said) else None

    def elements(self, start: int, steps: Sequence[Step]) -> list[int]:
        """The elements that steps lead to, in document order."""
        found = [start]
        for step in steps:
            found = sorted({node for own in found for node in self._along(own, step)})
        return found

    def _along(self, node: int, step: Step) -> Iterator[int]:
        for other in self._around(node, step.axis):
            if self._is_like(other, step):
                yield other
                if step.axis is Axis.NEXT:
                    return

    def _around(self, node: int, axis: Axis) -> Sequence[int]:
        tree = self._page.tree
        if axis is Axis.BELOW:
            return range(node + 1, tree.ends[node])
        if axis is Axis.CHILD:
            return tree.children(node)
        return [own for own in tree.children(tree.parents[node]) if own > node]

    def _is_like(self, node: int, step: Step) -> bool:
        tree = self._page.tree
        own = self._words[node]
        if tree.labels[node] != step.tag or not own.issuperset(step.words) or not own.isdisjoint(step.lacks):
            return False
        if step.number is None:
            return True
        same = [other for other in tree.children(tree.parents[node]) if tree.labels[other] == step.tag]
        return same.index(node) + 1 == step.number

    @cached_property
    def _words(self) -> list[frozenset[Word]]:
        """What every element is called."""
        page = self._page
        pairs = zip(page.tree.labels, page.names, strict=True)
        return [frozenset(element(label, words(label, names)).words) for label, names in pairs]
