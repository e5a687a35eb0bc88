"""A wrapper for lists to selectors: one for the records, and one in the record for each column.

The records that the wrapper remembers show what tells a column, and selectors are tried on them before any page is seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from unweave.lists.listing import IMAGE, LINK
from unweave.selectors.example_records import Remembered
from unweave.selectors.expressions import (
    ALL_TEXTS,
    TEXT,
    WHOLE,
    Axis,
    Condition,
    End,
    Selector,
    Step,
    Steps,
    attribute,
    xpath_string,
)
from unweave.selectors.label_conditions import holds
from unweave.selectors.template import element
from unweave.selectors.template_tree import Element, Outline, cost_of
from unweave.wrappers.lists.apply import ListWrapper

_ENDS: dict[str, tuple[End, ...]] = {LINK: (attribute("href"),), IMAGE: (attribute("src"),)}
_ENDS_OF_TEXTS = (TEXT, WHOLE, ALL_TEXTS)
_SAYS_SOMETHING = Condition("normalize-space() or self::img", None)
_NOT_FIRST = Condition("position()>1", None, is_position=True)
# What these are called tells the browser or the kind of page, and no list.
_AROUND_ALL = frozenset(["html", "body"])
# With neither words nor pages, so many last steps of the path must do.
_LAST_STEPS = 3
# What so many of the records have tells them from what is none.
_IN_NEARLY_ALL = 0.9
_MOST_TELLING = 4
_MOST_NUMBER = 6
_MOST_TRIED = 100


class Records:
    """The selectors of a wrapper's records and columns."""

    def __init__(self, wrapper: ListWrapper) -> None:
        self._wrapper = wrapper
        self._known = Remembered(wrapper.example_records)
        words = wrapper.ancestor_identifiers or [()] * len(wrapper.paths[0])
        path = [
            element(label, () if label in _AROUND_ALL else own)
            for label, own in zip(wrapper.paths[0], words, strict=True)
        ]
        self._around = Outline(list(range(-1, len(path))), [Element(""), *path])

    @property
    def can_be_told(self) -> bool:
        """Is a record one element, or several side by side? If its parts stand in rows, no selector has them together."""
        paths = self._wrapper.paths
        return len(paths) == 1 or (
            self._wrapper.levels == 1 and len({path[:-1] for path in paths}) == 1
        )

    # ---- records ---------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[Selector]:
        """Selectors of the first element of each record: by its words, then by those of what is around it."""
        for steps in self._ways() if self.can_be_told else ():
            yield Selector(steps, WHOLE)
            *above, last = steps
            for condition in [*self._conditions, _NOT_FIRST]:
                yield Selector((*above, last.that(condition)), WHOLE)

    def surest_rows(self) -> Iterator[Selector]:
        """By the words of the record, and by those of the nearest element around it that has some."""
        around = self._around
        path = [
            place
            for place in around.path(len(around.parents) - 1)
            if around.elements[place].tag != "html"
        ]
        named = [place for place in path[:-1] if around.elements[place].words]
        *above, last = self._from(named[-1] if named else path[-_LAST_STEPS:][0])
        if self.can_be_told:
            yield Selector(
                (*above, last if last.words else last.that(*self._conditions[:1])), WHOLE
            )
            yield Selector((*above, last), WHOLE)

    def _ways(self) -> Iterator[Steps]:
        elements, last = self._around.elements, len(self._around.parents) - 1
        for place in range(last, 0, -1):
            for word in sorted(elements[place].words, key=cost_of):
                first, *rest = self._from(place)
                yield (first._replace(words=(word,)), *rest)
        for place in range(last, 0, -1):
            yield self._from(place)

    def _from(self, place: int) -> Steps:
        """Steps from an element around the records down to them."""
        path = self._around.path(len(self._around.parents) - 1)
        first, *rest = self._around.chain([own for own in path if own >= place] or path[-1:], 0)
        return (first.along(Axis.BELOW), *rest)

    @cached_property
    def _conditions(self) -> list[Condition]:
        """What tells records from others at the same place: their other parts, or a column that nearly all have."""
        tags = [path[-1] for path in self._wrapper.paths[1:]]
        parts = [
            f"following-sibling::*[{number}][name()={xpath_string(tag)}]"
            for number, tag in enumerate(tags, start=1)
        ]
        found = [Condition(" and ".join(parts), None)] if parts else []
        for column, cells in sorted(self._known.cells.items()):
            is_telling = len(cells) >= _IN_NEARLY_ALL * len(
                self._known.records
            ) and not self._known.part(column)
            ways = [steps for steps in self._known.ways(column) if steps] if is_telling else []
            found += [holds(steps, _SAYS_SOMETHING) for steps in ways[:1]]
        return found[:_MOST_TELLING]

    # ---- columns ---------------------------------------------------------------------------------------------

    def cells(self, column: int) -> list[Selector]:
        """Selectors of a column, seen from the record: first those that find it in most of the records that are known."""
        tried = list(dict.fromkeys(self._candidates(column)))[:_MOST_TRIED]
        right = {selector: self._known.right(column, selector) for selector in tried}
        return sorted(tried, key=lambda selector: -right[selector])

    def _candidates(self, column: int) -> Iterator[Selector]:
        part, ends = self._known.part(column), self._ends(column)
        to_part = tuple(
            Step(path[-1], axis=Axis.NEXT) for path in self._wrapper.paths[1 : part + 1]
        )
        for nth in (None, *range(2, _MOST_NUMBER)):
            for steps in self._known.ways(column):
                yield from [
                    Selector((*to_part, *steps), end, nth, is_relative=True) for end in ends
                ]

    def _ends(self, column: int) -> Sequence[End]:
        kinds = Counter(cell.placed.kind for cell in self._known.cells[column])
        return _ENDS.get(kinds.most_common(1)[0][0], _ENDS_OF_TEXTS) if kinds else ()

    def is_address(self, column: int) -> bool:
        """Is it the address of a link or of a picture?"""
        return self._ends(column) in _ENDS.values()
