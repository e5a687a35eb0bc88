"""The records that a wrapper for lists remembers: where the cells of each column stand in them, and what leads there."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import groupby, islice
from typing import NamedTuple

from unweave.lists.listing import AlignedItem
from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.selectors.evaluation import squeezed
from unweave.selectors.expressions import ALL_TEXTS, TEXT, WHOLE, Axis, Selector, Step, Steps, Word
from unweave.selectors.template import element
from unweave.selectors.template_tree import ADDED, Element, Outline, cost_of
from unweave.wrappers.lists.example_records import ExampleRecords

# A word that so many of the records have belongs to the list, others to single records.
_SHARED = 0.3
# The commonest places of a column are looked at.
_MOST_PLACES = 3


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


class Cell(NamedTuple):
    """Where a cell stands: in which record, and in which part of it."""

    record: int
    part: int
    placed: AlignedItem


class Remembered:
    """Records as elements that are called something."""

    def __init__(self, memory: ExampleRecords) -> None:
        self._page, self.records = memory.page, memory.records
        self._walk = Walk(memory.page)
        self._reached = cache(self._find_reached)
        self._said = cache(self._find_said)
        self.cells: defaultdict[int, list[Cell]] = defaultdict(list)
        """The cells of each column."""
        for number, row in enumerate(memory.align(self._page, self.records)):
            for column, placed in row:
                if column is not None:
                    part = sum(root <= placed.node for root in self.records[number][1:])
                    self.cells[column].append(Cell(number, part, placed))

    def right(self, column: int, selector: Selector) -> int:
        """In how many records a selector finds what the column says."""
        said = self._said(column)
        found = [self._walk.first(elements, selector) for elements in self._reached(selector.steps)]
        return sum(
            (text and squeezed(text)) == said.get(number) for number, text in enumerate(found)
        )

    def _find_said(self, column: int) -> dict[int, str]:
        """Return what the column says in each record that has it."""
        return {cell.record: squeezed(cell.placed.value) for cell in reversed(self.cells[column])}

    def _find_reached(self, steps: Steps) -> list[list[int]]:
        """Return the elements that steps lead to in each record: selectors differ most in what they take of them."""
        return [self._walk.elements(record[0], steps) for record in self.records]

    def part(self, column: int) -> int:
        """The part of a record that has a column, mostly."""
        return (
            Counter(cell.part for cell in self.cells[column]).most_common(1)[0][0]
            if self.cells[column]
            else 0
        )

    def ways(self, column: int) -> Iterator[Steps]:
        """Ways from a part of the record to the elements of a column: by words, at last by numbers."""
        part = self.part(column)
        outline, places = self._outline(part)
        nodes = [cell.placed.node for cell in self.cells[column] if cell.placed.node in places]
        usual = [
            place for place, _ in Counter(places[node] for node in nodes).most_common(_MOST_PLACES)
        ]
        for place in usual:
            yield from _by_words(outline, [place, *(own for own in usual if own != place)])
        yield from Counter(map(self._numbers, nodes)) if usual != [0] else ()

    def _outline(self, part: int) -> tuple[Outline, dict[int, int]]:
        """The places in a part of the records below its root, and the place of each node."""
        if part not in self._outlines:
            self._outlines[part] = self._find_outline(
                [record[part] for record in self.records if part < len(record)]
            )
        return self._outlines[part]

    @cached_property
    def _outlines(self) -> dict[int, tuple[Outline, dict[int, int]]]:
        return {}

    def _find_outline(self, roots: Sequence[int]) -> tuple[Outline, dict[int, int]]:
        tree, names = self._page.tree, self._page.identifiers
        inside = [range(root, tree.ends[root]) for root in roots]
        own = {
            node: list_identifiers(tree.labels[node], names[node])
            for nodes in inside
            for node in nodes
        }
        count = Counter(
            word for nodes in inside for word in {word for node in nodes for word in own[node]}
        )
        numbers: dict[tuple[int, Element], int] = {}
        places: dict[int, int] = dict.fromkeys(roots, 0)
        for nodes in inside:
            for node in nodes[1:]:
                shared = [word for word in own[node] if count[word] >= _SHARED * len(roots)]
                key = (places[tree.parents[node]], element(tree.labels[node], shared))
                places[node] = numbers.setdefault(key, len(numbers) + 1)
        return Outline(
            [-1, *(above for above, _ in numbers)], [Element(""), *(kind for _, kind in numbers)]
        ), places

    def _numbers(self, node: int) -> Steps:
        """The way to a node by numbers, where it has siblings of the same name."""
        tree = self._page.tree
        steps: list[Step] = []
        while node not in self._roots:
            parent = tree.parents[node]
            same = [own for own in tree.children(parent) if tree.labels[own] == tree.labels[node]]
            axis = (
                Axis.BELOW
                if tree.labels[parent] in ADDED and parent not in self._roots
                else Axis.CHILD
            )
            if tree.labels[node] not in ADDED:
                number = same.index(node) + 1 if len(same) > 1 else None
                steps.append(Step(tree.labels[node], number=number, axis=axis))
            node = parent
        return tuple(reversed(steps))

    @cached_property
    def _roots(self) -> frozenset[int]:
        return frozenset(root for record in self.records for root in record)


def _by_words(outline: Outline, places: Sequence[int]) -> Iterator[Steps]:
    """Ways to all of these places, and then to the first of them."""
    if not places[0]:
        yield ()
        return
    first = outline.elements[places[0]]
    yield from outline.short_ways(places)
    yield from outline.ways(places[0])
    yield from [(Step(first.tag, (word,)),) for word in sorted(first.words, key=cost_of)]
