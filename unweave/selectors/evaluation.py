"""Selectors on pages as unweave reads them: as much of them as the columns of records need.

A wrapper for lists remembers some of its records, so its selectors are tried even where there are no pages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby, islice

from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.selectors.expressions import ALL_TEXTS, TEXT, WHOLE, Axis, Selector, Step, Word
from unweave.selectors.template import element


class Walk:
    """Follows the steps of selectors in one page. Conditions other than words and numbers are not asked."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def first(self, elements: Sequence[int], selector: Selector) -> str | None:
        """Return what a selector takes first of the elements that its steps lead to."""
        texts = filter(None, self._texts_of(elements, selector))
        return next(islice(texts, (selector.nth or 1) - 1, None), None)

    def _texts_of(self, elements: Sequence[int], selector: Selector) -> Iterator[str | None]:
        page, end = self._page, selector.end
        for node in elements:
            if end in (TEXT, ALL_TEXTS):
                for chunk in page.text_nodes(node):
                    if end is ALL_TEXTS or page.text_parents[chunk] == node:
                        yield page.texts[chunk]
            else:
                yield page.text(node) if end is WHOLE else page.node_urls[node]

    def elements(self, start: int, steps: Sequence[Step]) -> list[int]:
        """Return the elements that steps lead to, in document order; each step visits an element once."""
        found = [start]
        for step in steps:
            found = self._follow(found, step)
        return found

    def _follow(self, starts: Sequence[int], step: Step) -> list[int]:
        tree = self._page.tree
        if step.axis is Axis.BELOW:
            stop, below = 0, list[int]()
            for start in starts:
                below += range(max(start + 1, stop), tree.ends[start])
                stop = max(stop, tree.ends[start])
            return [node for node in below if self._is_like(node, step)]
        if step.axis is Axis.CHILD:
            return sorted(
                node
                for start in starts
                for node in tree.children(start)
                if self._is_like(node, step)
            )
        later: set[int] = set()
        for parent, siblings in groupby(
            sorted(starts, key=tree.parents.__getitem__), tree.parents.__getitem__
        ):
            like = [node for node in tree.children(parent) if self._is_like(node, step)]
            for start in siblings:
                after = bisect_right(like, start)
                later.update(like[after : after + 1] if step.axis is Axis.NEXT else like[after:])
        return sorted(later)

    def _is_like(self, node: int, step: Step) -> bool:
        own = self._words[node]
        if (
            self._page.tree.labels[node] != step.tag
            or not own.issuperset(step.words)
            or not own.isdisjoint(step.lacks)
        ):
            return False
        return step.number is None or self._numbers[node] == step.number

    @cached_property
    def _numbers(self) -> list[int]:
        """For each element, which of the siblings of its name it is, counted from 1."""
        tree = self._page.tree
        seen: Counter[tuple[int, str]] = Counter()
        numbers: list[int] = []
        for named in zip(tree.parents, tree.labels, strict=True):
            seen[named] += 1
            numbers.append(seen[named])
        return numbers

    @cached_property
    def _words(self) -> list[frozenset[Word]]:
        """What every element is called."""
        page = self._page
        pairs = zip(page.tree.labels, page.identifiers, strict=True)
        return [
            frozenset(element(label, list_identifiers(label, names)).words)
            for label, names in pairs
        ]
