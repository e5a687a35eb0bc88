"""Pages as rows of numbers: what the search for landmarks works on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from unweave.wrappers.landmarks.tokens import (
    MOST_CONDITIONS,
    Condition,
    Landmark,
    Tokens,
    Traits,
    generalisations,
)

Region = tuple[int, int, int]
"""The tokens of a page from a place up to, and without, another."""

RegionSet = tuple[Region, ...]
"""Regions that one node of the grammar parses, at most one of each page."""


class Split(NamedTuple):
    """A landmark, and the parts of the regions that have it; the other regions are finished."""

    mark: int
    places: tuple[int, ...]
    """Where it stands in each region; ABSENT where it does not."""
    rank: tuple[object, ...]
    """The smaller, the better, where nothing else tells."""


ABSENT = -1

_MOST_LANDMARKS = 100_000


@dataclass(frozen=True, eq=False)
class Sample:
    """The pages that a grammar is looked for. Every token has a kind; tokens that may be landmarks have marks.

    A start tag has a mark for each of its generalisations, a text has one, an end tag has none.
    """

    kinds: Sequence[Sequence[int]]
    partners: Sequence[Sequence[int]]
    marks: Sequence[Sequence[int]]
    """The marks of each page, in the order of their tokens."""
    mark_places: Sequence[Sequence[int]]
    """The token of each of those marks."""
    first_marks: Sequence[Sequence[int]]
    """How many marks a page has before each token."""
    depths: Sequence[Sequence[int]]
    names: Sequence[Landmark]
    """What the marks stand for."""
    k: int
    """A landmark stands once in so many regions at least."""

    @property
    def whole(self) -> RegionSet:
        """All pages, each as one region; empty pages are none."""
        return tuple((page, 0, len(kinds)) for page, kinds in enumerate(self.kinds) if kinds)

    def work(self, regions: RegionSet) -> int:
        """Return what it takes to find the splits of these regions, in tokens that could be moved by a sweep meanwhile."""
        marks = sum(
            self.first_marks[page][stop] - self.first_marks[page][start]
            for page, start, stop in regions
        )
        return 2 * (size(regions) + marks)

    def splits(self, regions: RegionSet) -> list[Split]:
        """The candidates: landmarks that stand at most once in every region, and once in k at least, with their partners.

        Of those that stand at the same places, the most general is taken.
        """
        times: Counter[int] = Counter()
        places: dict[int, dict[int, int]] = defaultdict(dict)
        doubled: set[int] = set()
        for number, (page, start, stop) in enumerate(regions):
            first, last = self.first_marks[page][start], self.first_marks[page][stop]
            here = self.marks[page][first:last]
            if len(set(here)) < len(here):
                doubled.update(mark for mark, count in Counter(here).items() if count > 1)
            times.update(here)
            partners = self.partners[page]
            for mark, place in zip(here, self.mark_places[page][first:last], strict=True):
                if start <= partners[place] < stop:
                    places[mark][number] = place
        found: dict[tuple[int, ...], Split] = {}
        for mark, own in places.items():
            if mark in doubled or len(own) < self.k or times[mark] > len(own):
                continue
            key = tuple([own.get(number, ABSENT) for number in range(len(regions))])
            known = found.get(key)
            if known is None or self._generality(mark) < self._generality(known.mark):
                found[key] = Split(mark, key, ())
        return [own._replace(rank=self._rank(own, regions)) for own in found.values()]

    def _generality(self, mark: int) -> tuple[int, int]:
        return len(self.names[mark].conditions), mark

    def _rank(self, split: Split, regions: RegionSet) -> tuple[object, ...]:
        """Texts before tags, longer texts first, then what is higher in the page, then what is earlier."""
        landmark = self.names[split.mark]
        page, place = next(
            (region[0], place)
            for region, place in zip(regions, split.places, strict=True)
            if place != ABSENT
        )
        length = len(landmark.text) if landmark.text is not None else -1
        return -length, self.depths[page][place], page, place, str(landmark)

    def sides(self, regions: RegionSet, split: Split) -> tuple[RegionSet, RegionSet, RegionSet]:
        """What stands left of the landmark, inside of it and right of it, in the regions that have it."""
        left: list[Region] = []
        inside: list[Region] = []
        right: list[Region] = []
        for (page, start, stop), place in zip(regions, split.places, strict=True):
            if place == ABSENT:
                continue
            partner = self.partners[page][place]
            for side, one, other in (
                (left, start, place),
                (inside, place + 1, partner),
                (right, partner + 1, stop),
            ):
                if one < other:
                    side.append((page, one, other))
        return tuple(left), tuple(inside), tuple(right)

    def parts(self, regions: RegionSet, split: Split) -> tuple[int, tuple[RegionSet, ...]]:
        """How many tokens are finished because the landmark is absent, and the sets that are still to be parsed."""
        absent = [
            region for region, place in zip(regions, split.places, strict=True) if place == ABSENT
        ]
        return size(tuple(absent)), tuple(filter(None, self.sides(regions, split)))

    def removed(self, regions: RegionSet, split: Split) -> int:
        """How many tokens a landmark stands for: its own, and those of its partners."""
        return sum(
            1 + (self.partners[page][place] != place)
            for (page, _, _), place in zip(regions, split.places, strict=True)
            if place != ABSENT
        )


def size(regions: RegionSet) -> int:
    """How many tokens the regions have."""
    return sum(stop - start for _, start, stop in regions)


def sample_of(pages: Sequence[Tokens], k: int) -> Sample:
    """The pages as numbers."""
    kinds: dict[tuple[str | None, str], int] = {}
    lattice = _Lattice(pages, k)
    rows = [
        [kinds.setdefault(_kind(page, place), len(kinds)) for place in range(len(page.tokens))]
        for page in pages
    ]
    marked = [
        [lattice.marks.get((token.text, token.tag, token.traits), ()) for token in page.tokens]
        for page in pages
    ]
    return Sample(
        kinds=rows,
        partners=[page.partners for page in pages],
        marks=[[mark for marks in own for mark in marks] for own in marked],
        mark_places=[[place for place, marks in enumerate(own) for _ in marks] for own in marked],
        first_marks=[list(accumulate(map(len, own), initial=0)) for own in marked],
        depths=[_depths(page) for page in pages],
        names=lattice.names,
        k=k,
    )


def _kind(page: Tokens, place: int) -> tuple[str | None, str]:
    """What a token is: its text, or the name of its element, with a stroke if it is the end of one."""
    token = page.tokens[place]
    if token.text is not None or token.tag:
        return token.text, token.tag
    return None, "/" + page.tokens[page.partners[place]].tag


def _depths(page: Tokens) -> list[int]:
    depths: list[int] = []
    depth = 0
    for place, partner in enumerate(page.partners):
        depth -= partner < place
        depths.append(depth)
        depth += partner > place
    return depths


Shape = tuple[str | None, str, Traits]
"""All that landmarks can see of a token."""


class _Lattice:
    """The marks of every shape of tokens. Of generalisations that stand for the same tokens, the most general is kept."""

    def __init__(self, pages: Sequence[Tokens], k: int) -> None:
        pages_with = _shapes(pages)
        usual = _usual_traits(pages_with, k)
        shapes_of: defaultdict[Landmark, list[Shape]] = defaultdict(list)
        for conditions in range(MOST_CONDITIONS + 1):
            if len(shapes_of) > _MOST_LANDMARKS:
                break  # only a page that is made for it has so many
            for shape in pages_with:
                for landmark in _landmarks(shape, usual, conditions):
                    shapes_of[landmark].append(shape)
        self.names: list[Landmark] = []
        self.marks: defaultdict[Shape, tuple[int, ...]] = defaultdict(tuple)
        for landmark, shapes in _most_general(shapes_of):
            if len(set().union(*(pages_with[shape] for shape in shapes))) >= k:
                for shape in shapes:
                    self.marks[shape] += (len(self.names),)
                self.names.append(landmark)


def _shapes(pages: Sequence[Tokens]) -> Mapping[Shape, set[int]]:
    """The pages that have tokens of each shape."""
    found: defaultdict[Shape, set[int]] = defaultdict(set)
    for number, page in enumerate(pages):
        for token in page.tokens:
            if token.text is not None or token.tag:
                found[token.text, token.tag, token.traits].add(number)
    return found


def _usual_traits(pages_with: Mapping[Shape, set[int]], k: int) -> dict[str, Traits]:
    """For every element, what so many pages have of its attributes that a landmark could ask for it."""
    pages: defaultdict[tuple[str, Condition], set[int]] = defaultdict(set)
    for (_, tag, traits), own in pages_with.items():
        for trait in traits:
            pages[tag, trait] |= own
    found: defaultdict[str, set[Condition]] = defaultdict(set)
    for (tag, trait), own in pages.items():
        if len(own) >= k:
            found[tag].add(trait)
    return {tag: frozenset(traits) for tag, traits in found.items()}


def _landmarks(shape: Shape, usual: Mapping[str, Traits], conditions: int) -> Iterable[Landmark]:
    """The landmarks of a shape with so many conditions."""
    text, tag, traits = shape
    if text is None:
        return generalisations(tag, traits & usual.get(tag, frozenset()), conditions)
    return () if conditions else (Landmark(text),)


def _most_general(
    shapes_of: Mapping[Landmark, list[Shape]],
) -> Iterable[tuple[Landmark, list[Shape]]]:
    known: set[frozenset[Shape]] = set()
    for landmark, shapes in sorted(
        shapes_of.items(), key=lambda entry: (len(entry[0].conditions), str(entry[0]))
    ):
        key = frozenset(shapes)
        if key not in known:
            known.add(key)
            yield landmark, shapes
