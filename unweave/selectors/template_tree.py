"""The places of a template as a tree, and the shortest steps that lead to one place and to no other.

Steps are tried on the places before any page is seen: they tell a place if they lead to no other place that the template's
pages have. Sets of places are whole numbers, one bit a place in document order, so that all below a place is a run of bits.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from unweave.errors import WrapperError
from unweave.page.page import INLINE_TAGS
from unweave.selectors.expressions import Axis, Kind, Step, Steps, Word

ADDED = frozenset(["tbody"])
"""Browsers add these elements, lxml does not: no step names them."""

# lxml closes these where an element begins that breaks the line, browsers do not: they are no way to what is below.
_CLOSED_BY_BLOCKS = INLINE_TAGS | frozenset("p h1 h2 h3 h4 h5 h6 pre".split())
# What every page has around everything tells nothing.
_AROUND_ALL = frozenset(["html", "body"])

# How little a step tells, by what it names: of ways that tell a place, the one that costs least is taken.
_COSTS = {Kind.PROPERTY: 1.0, Kind.ID: 1.0, Kind.CLASS: 1.5}
# Classes that say how something looks or where it stands, and not what it is.
_OF_LAYOUT = re.compile(
    r"\d|^(?:row|col|clearfix|first|last|odd|even|left|right|active|container|wrap|inner|bold)$"
)
_COST_OF_LAYOUT = 0.3
_COST_OF_TAG = 2.0
_LONE_TAGS = frozenset(["h1", "title"])
_COST_OF_DISTANCE = 0.05

MAX_PLACES_VISITED = 20_000
"""The search for the steps to one place ends after so many visits of places, about 10 ms."""

# No page is as deep as this.
_DEEPEST = 1_000
_MOST_CONTEXTS = 40
_MOST_WAYS = 6


class Element(NamedTuple):
    """What the elements at one place are called."""

    tag: str
    words: tuple[Word, ...] = ()


class _Context(NamedTuple):
    """An element above a place, by one of its words."""

    cost: float
    place: int
    step: Step


class Outline:
    """A tree of places. Number 0 is the root, which stands for the document or for a row; no step leads to it."""

    def __init__(self, parents: Sequence[int], elements: Sequence[Element]) -> None:
        self.parents, self.elements = parents, elements
        self.ways = cache(self._find_ways)
        self.below = cache(self._find_below)
        self._under = cache(self._find_under)
        self._called = cache(self._find_called)
        self._children: list[list[int]] = [[] for _ in parents]
        for number, parent in enumerate(parents[1:], start=1):
            self._children[parent].append(number)
        self._first, self._stop = self._in_order()
        self._visited = 0
        self._at = sorted(range(len(parents)), key=self._first.__getitem__)
        self._named: defaultdict[str | tuple[str, Word], list[int]] = defaultdict(list)
        for number, (tag, words) in enumerate(elements[1:], start=1):
            self._named[tag].append(number)
            for word in words:
                self._named[tag, word].append(number)

    def _in_order(self) -> tuple[list[int], list[int]]:
        """For each place its number in document order, and that of the first place after all below it."""
        first, stop = [0] * len(self.parents), [0] * len(self.parents)
        count, open_ = 1, [(0, iter(self._children[0]))]
        while open_:
            number, rest = open_[-1]
            child = next(rest, None)
            if child is None:
                open_.pop()
                stop[number] = count
            else:
                first[child] = count
                count += 1
                open_.append((child, iter(self._children[child])))
                if len(open_) > _DEEPEST:
                    raise WrapperError(
                        f"the wrapper has places that are nested more than {_DEEPEST} levels deep"
                    )
        return first, stop

    def led_to(self, steps: Sequence[Step]) -> list[int]:
        """The places that steps lead to, in document order."""
        return list(self._each(self._found(steps)))

    def _find_below(self, place: int) -> tuple[Outline, dict[int, int]]:
        """The tree below a place, which is its root, and the number there of each place."""
        inside = self._at[self._first[place] : self._stop[place]]
        numbers = {own: number for number, own in enumerate(inside)}
        parents = [-1, *(numbers[self.parents[own]] for own in inside[1:])]
        return Outline(parents, [self.elements[own] for own in inside]), numbers

    def path(self, place: int) -> list[int]:
        """The places from the root to this one, without the root and without what lxml does not have there."""
        found = [place] if place > 0 else []
        above, is_around_block = self.parents[place], self.elements[place].tag not in INLINE_TAGS
        while above > 0:
            tag = self.elements[above].tag
            if tag not in ADDED and not (is_around_block and tag in _CLOSED_BY_BLOCKS):
                found.append(above)
            is_around_block = is_around_block or tag not in INLINE_TAGS
            above = self.parents[above]
        return found[::-1]

    def chain(self, places: Iterable[int], above: int, *, is_strict: bool = False) -> Steps:
        """Steps down these places, which stand one below the other, with all of their words.

        If it is strict, siblings that are called the same and more are left out.
        """
        steps: list[Step] = []
        for place in places:
            axis = Axis.CHILD if self.parents[place] == above else Axis.BELOW
            lacks = self._lacks(place) if is_strict else ()
            steps.append(Step(*self.elements[place], lacks, axis=axis))
            above = place
        return tuple(steps)

    def _lacks(self, place: int) -> tuple[Word, ...]:
        """What siblings have that have all words of a place, and more: as few of these as are needed."""
        tag, words = self.elements[place]
        siblings = [self.elements[sibling] for sibling in self._children[self.parents[place]]]
        same = [{*other.words} for other in siblings if other.tag == tag]
        rivals = [more.difference(words) for more in same if more > {*words}]
        found: list[Word] = []
        while rivals:
            count = Counter(word for more in rivals for word in more)
            found.append(max(count, key=lambda word: (count[word], word.text)))
            rivals = [more for more in rivals if found[-1] not in more]
        return tuple(found)

    def _find_ways(self, place: int) -> list[Steps]:
        """Find steps that lead to this place and to no other, the shortest first."""
        return self.short_ways([place]) or [self._least_way(place)]

    def short_ways(self, places: Sequence[int]) -> list[Steps]:
        """Short steps that lead to these places and to no other, the shortest first; seen from the first of them."""
        ways = sorted(self._short_ways(places[0], self._set_of(places)), key=lambda way: way[0])
        return [
            steps for _, steps in ways if all(self._leads(steps, place) for place in places[1:])
        ][:_MOST_WAYS]

    def _leads(self, steps: Steps, place: int) -> bool:
        """Do the steps lead to a place? What stands above the first of several may stand otherwise above another."""
        path = self.path(place)
        reached = {-1}
        for step in steps:
            like = self._like(step)
            reached = {
                below
                for below, own in enumerate(path)
                if like & self._bit(own)
                and any(
                    below == above + 1 if step.axis is Axis.CHILD else below > above
                    for above in reached
                )
            }
        return len(path) - 1 in reached

    # ---- one or two elements above ---------------------------------------------------------------------------

    def _short_ways(self, place: int, wanted: int) -> Iterator[tuple[float, Steps]]:
        """Ways with two elements above at most, with their costs."""
        contexts = list(self._contexts(place))[-_MOST_CONTEXTS:]
        for cost, last in _by_words(self.elements[place]):
            for above in self._telling(self._like(last), wanted, contexts):
                yield (
                    cost + sum(context.cost for context in above),
                    self._steps([*above, _Context(cost, place, last)]),
                )

    def _telling(
        self, found: int, own: int, contexts: Sequence[_Context]
    ) -> Iterator[Sequence[_Context]]:
        """The elements above that leave one place of those that were found: none, one, or two."""
        if found == own:
            yield ()
            return
        alone = [context for context in contexts if found & self._under(context.step) == own]
        yield from ([context] for context in alone)
        for one, other in combinations(contexts, 2) if not alone else ():
            if (
                one.place != other.place
                and found & self._under(one.step) & self._under(other.step) == own
            ):
                yield (one, other)

    def _contexts(self, place: int) -> Iterator[_Context]:
        """The elements above, from the top, by each of their words."""
        above = [own for own in self.path(place)[:-1] if self.elements[own].tag not in _AROUND_ALL]
        for distance, own in zip(range(len(above), 0, -1), above, strict=True):
            for cost, step in _by_words(self.elements[own]):
                yield _Context(cost + distance * _COST_OF_DISTANCE, own, step)

    def _steps(self, contexts: Sequence[_Context]) -> Steps:
        last = -1
        steps: list[Step] = []
        for _, place, step in contexts:
            steps.append(step.along(Axis.CHILD if self.parents[place] == last else Axis.BELOW))
            last = place
        return tuple(steps)

    # ---- as many as are needed -------------------------------------------------------------------------------

    def _least_way(self, place: int) -> Steps:
        """Return the path to a place without the steps and words that can be left out of it.

        At most ``MAX_PLACES_VISITED`` places are visited; the path is right, if longer, where that ends the search.
        """
        self._visited = 0
        steps = self._apart(place)
        wanted = self._found(steps)
        steps = self._shortest_end(steps, wanted)
        size = len(steps) // 2
        while size:  # runs of steps at once: first halves, at last single steps
            start = 0
            while start + size < len(steps):
                fewer = [*steps[:start], *_from_anywhere(steps[start + size :])]
                if self._is_affordable and self._found(fewer) == wanted:
                    steps = fewer
                else:
                    start += size
            size //= 2
        for number, step in enumerate(steps):
            for word in sorted(step.words, key=cost_of) if len(step.words) > 1 else ():
                fewer = [*steps[:number], step._replace(words=(word,)), *steps[number + 1 :]]
                if self._is_affordable and self._found(fewer) == wanted:
                    steps = fewer
                    break
        return tuple(steps)

    def _shortest_end(self, steps: list[Step], wanted: int) -> list[Step]:
        """Return the last few of the steps, as many as lead to the same places: more of them never lead to more."""
        few, many = 0, len(steps)
        while many - few > 1 and self._is_affordable:
            middle = (few + many) // 2
            if self._found(_from_anywhere(steps[-middle:])) == wanted:
                many = middle
            else:
                few = middle
        return steps if many == len(steps) else _from_anywhere(steps[-many:])

    def _apart(self, place: int) -> list[Step]:
        """Return the steps down to a place, with what tells it from others that are called the same and more."""
        path = self.path(place)
        steps = list(self.chain(path, 0))
        found = self._found(steps)
        for rival in self._each(found & ~self._bit(place)):
            pairs = list(zip(path, self.path(rival), strict=False))
            for number in reversed(range(len(pairs))):
                if not found & self._bit(rival) or not self._is_affordable:
                    break
                own, other = (self.elements[one].words for one in pairs[number])
                lacks = steps[number].lacks
                if more := [word for word in other if word not in own and word not in lacks]:
                    steps[number] = steps[number]._replace(lacks=(*lacks, more[0]))
                    found = self._found(steps)
        return steps

    @property
    def _is_affordable(self) -> bool:
        return self._visited < MAX_PLACES_VISITED

    # ---- which places are like that --------------------------------------------------------------------------

    def _found(self, steps: Sequence[Step]) -> int:
        found = self._bit(0)
        for step in steps:
            around = self._children_of(found) if step.axis is Axis.CHILD else self._all_below(found)
            found = around & self._like(step)
        return found

    def _like(self, step: Step) -> int:
        """The places of elements like this, wherever they stand."""
        found = self._called(step.tag)
        for word in step.words:
            found &= self._called((step.tag, word))
        for word in step.lacks:
            found &= ~self._called((step.tag, word))
        return found

    def _find_called(self, name: str | tuple[str, Word]) -> int:
        return self._set_of(self._named.get(name, ()))

    def _find_under(self, step: Step) -> int:
        return self._all_below(self._like(step))

    def _all_below(self, places: int) -> int:
        found, stop = 0, 0
        for place in self._each(places):
            if self._first[place] >= stop:  # else it is below one that was seen
                stop = self._stop[place]
                found |= (1 << stop) - (1 << self._first[place] + 1)
        return found

    def _children_of(self, places: int) -> int:
        return self._set_of(
            child for place in self._each(places) for child in self._children[place]
        )

    def _set_of(self, places: Iterable[int]) -> int:
        """Return places as a set, in time that grows with their number and not with its square."""
        digits = bytearray(b"0") * len(self.parents)
        for place in places:
            digits[-1 - self._first[place]] = ord("1")
        return int(digits, 2)

    def _bit(self, place: int) -> int:
        return 1 << self._first[place]

    def _each(self, places: int) -> Iterator[int]:
        """Yield the numbers of places, in document order."""
        bits = bin(places)[:1:-1]
        bit = bits.find("1")
        while bit >= 0:
            self._visited += 1
            yield self._at[bit]
            bit = bits.find("1", bit + 1)


def _from_anywhere(steps: Sequence[Step]) -> list[Step]:
    """Return the steps with a first one that goes down any number of levels."""
    first, *rest = steps
    return [first.along(Axis.BELOW), *rest]


def _by_words(element: Element) -> list[tuple[float, Step]]:
    """Steps to an element by one of its words each, and by its name alone, with their costs."""
    of_tag = min(_COSTS.values()) if element.tag in _LONE_TAGS else _COST_OF_TAG
    return [
        *((cost_of(word), Step(element.tag, (word,))) for word in element.words),
        (of_tag, Step(element.tag)),
    ]


def cost_of(word: Word) -> float:
    """How little a word tells."""
    return _COSTS[word.kind] + (_COST_OF_LAYOUT if _OF_LAYOUT.search(word.text) else 0)
