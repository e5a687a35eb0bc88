"""What no landmark can stand for any more after each of the possible splits, counted for all of them in one sweep.

A token is incompressible if its kind stands in fewer than k regions of its set, or if its partner is in another set. A
split moves tokens between the sets left of, inside and right of the landmark. Two landmarks that follow each other in the
pages differ by the few tokens that stand between them, so going from one to the next moves only those.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Sample, Split
from unweave.wrappers.landmarks.tokens import UNMATCHED

_LEFT, _INSIDE, _RIGHT, _GONE = range(4)
_NOWHERE = -1
_WHOLE = (_NOWHERE, _NOWHERE)
"""Before any split, all tokens are right of it."""


class Sweep:
    """The counts of one set of regions. Tokens of kinds that stand in too few regions are left out: they never change."""

    def __init__(self, sample: Sample, regions: RegionSet) -> None:
        self._k = sample.k
        self._regions = regions
        self._sample = sample
        self._kinds: list[int] = []
        self._groups: list[int] = []
        """Tokens of one kind in one region are a group."""
        self._partners: list[int] = []
        self._places: list[list[int]] = []
        self._offsets: list[int] = []
        groups, kinds = self._number_tokens(_frequent(sample, regions))
        self._sides = [_GONE] * len(self._kinds)
        self._in_group = [0] * (3 * groups)
        self._count_of_groups, self._count_of_kinds = groups, kinds
        self._occurrences = [0] * (3 * kinds)
        self._unbalanced = [0] * (3 * kinds)
        self._regions_with = [0] * (3 * kinds)
        self._states: list[tuple[int, int] | None] = [None] * len(regions)
        self.moves = 0
        """How many tokens were moved, so far, from one side of a landmark to another."""
        self._changing = 0
        """The incompressible ones among the tokens that are numbered and not finished."""
        for region in range(len(regions)):
            self._set(region, _WHOLE)
        self.bound = self._total()
        self._compressible = list(map(self._count_compressible, range(len(regions))))

    def _number_tokens(self, frequent: set[int]) -> tuple[int, int]:
        numbers: dict[int, int] = {}
        groups = 0
        for page, start, stop in self._regions:
            kinds, partners = self._sample.kinds[page], self._sample.partners[page]
            places = [
                place
                for place in range(start, stop)
                if kinds[place] in frequent or kinds[partners[place]] in frequent
            ]
            index_of = {place: index for index, place in enumerate(places, start=len(self._kinds))}
            group_of: dict[int, int] = {}
            self._places.append(places)
            self._offsets.append(len(self._kinds))
            for place in places:
                kind = numbers.setdefault(kinds[place], len(numbers))
                self._kinds.append(kind)
                self._groups.append(groups + group_of.setdefault(kind, len(group_of)))
                self._partners.append(index_of.get(partners[place], UNMATCHED))
            groups += len(group_of)
        return groups, len(numbers)

    def _count_compressible(self, region: int) -> int:
        first = self._offsets[region]
        return sum(
            self._partners[token] != UNMATCHED
            and self._regions_with[_RIGHT * self._count_of_kinds + self._kinds[token]] >= self._k
            for token in range(first, first + len(self._places[region]))
        )

    def after(
        self, splits: Sequence[Split], cutoff: float | None = None, *, max_moves: float = math.inf
    ) -> list[int]:
        """What is incompressible after each of the splits. Where that is beyond the cut-off, any value beyond it.

        Without a cut-off, values above the least are lower bounds only. So are those of the splits that are not tried
        because more tokens than ``max_moves`` have been moved since the sweep was made.
        """
        found = [0] * len(splits)
        floors = [
            self.bound + sum(self._compressible[r] for r, p in enumerate(own.places) if p == ABSENT)
            for own in splits
        ]
        best = float("inf") if cutoff is None else cutoff
        for number in sorted(
            range(len(splits)), key=lambda number: self._order(splits[number], floors[number])
        ):
            if floors[number] > best or self.moves > max_moves:
                found[number] = floors[number]
                continue
            self._split(splits[number].places)
            found[number] = self._total()
            if cutoff is None and found[number] < best:
                best = found[number]
        return found

    def _order(self, split: Split, floor: int) -> tuple[object, ...]:
        """Splits that differ by few tokens follow each other; those that finish no region come first."""
        absent = tuple([number for number, place in enumerate(split.places) if place == ABSENT])
        region, place = next(
            (number, place) for number, place in enumerate(split.places) if place != ABSENT
        )
        is_pair = self._sample.partners[self._regions[region][0]][place] != place
        return floor, absent, is_pair, place

    def _total(self) -> int:
        total = self._changing
        for places, state, (_, start, stop) in zip(
            self._places, self._states, self._regions, strict=True
        ):
            total += stop - start - (0 if state is None else len(places))
        return total

    def _split(self, places: Iterable[int]) -> None:
        for region, place in enumerate(places):
            state: tuple[int, int] | None = None
            if place != ABSENT:
                own, page = self._places[region], self._regions[region][0]
                start = bisect_left(own, place)
                partner = self._sample.partners[page][place]
                state = (start, start if partner == place else bisect_left(own, partner))
            if state != self._states[region]:
                self._set(region, state)

    def _set(self, region: int, state: tuple[int, int] | None) -> None:
        """Move the tokens of a region to the sides of a landmark at another place; None: the region is finished."""
        offset, old = self._offsets[region], self._states[region]
        everything = (offset, offset + len(self._places[region]))
        self._states[region] = state
        if state is None:
            self._move(*everything, _GONE)
            return
        start, stop = offset + state[0], offset + state[1]
        touched = (
            (everything,)
            if old is None
            else _between((offset + old[0], offset + old[1]), (start, stop))
        )
        for one, other in touched:
            first, last = max(one, everything[0]), min(other, everything[1])
            self._move(first, min(start, last), _LEFT)
            self._move(max(start + 1, first), min(stop, last), _INSIDE)
            self._move(max(stop + 1, first), last, _RIGHT)
        if state != _WHOLE:
            self._move(start, start + 1, _GONE)
            self._move(stop, stop + 1, _GONE)

    def _move(self, first: int, last: int, side: int) -> None:
        """Move tokens to a side. All time is spent here, so nothing is called."""
        self.moves += max(0, last - first)
        sides, kinds, groups, partners, k = (
            self._sides,
            self._kinds,
            self._groups,
            self._partners,
            self._k,
        )
        regions_with, in_group = self._regions_with, self._in_group
        occurrences, unbalanced, changing = self._occurrences, self._unbalanced, self._changing
        count_of_kinds, count_of_groups = self._count_of_kinds, self._count_of_groups
        to, to_group = side * count_of_kinds, side * count_of_groups
        for token in range(first, last):
            old = sides[token]
            if old == side:
                continue
            sides[token] = side
            partner, kind, group = partners[token], kinds[token], groups[token]
            was_parted = is_parted = partner == UNMATCHED
            if partner != token and not is_parted:
                other = sides[partner]
                was_parted, is_parted = other != old, other != side
                if was_parted != is_parted and other != _GONE:
                    slot = other * count_of_kinds + kinds[partner]
                    unbalanced[slot] += is_parted - was_parted
                    if regions_with[slot] >= k:
                        changing += is_parted - was_parted
            if old != _GONE:
                slot, place = old * count_of_kinds + kind, old * count_of_groups + group
                occurrences[slot] -= 1
                unbalanced[slot] -= was_parted
                in_group[place] -= 1
                changing -= 1 if regions_with[slot] < k else was_parted
                if not in_group[place]:
                    regions_with[slot] -= 1
                    if regions_with[slot] == k - 1:
                        changing += occurrences[slot] - unbalanced[slot]
            if side != _GONE:
                slot, place = to + kind, to_group + group
                if not in_group[place]:
                    regions_with[slot] += 1
                    if regions_with[slot] == k:
                        changing -= occurrences[slot] - unbalanced[slot]
                occurrences[slot] += 1
                unbalanced[slot] += is_parted
                in_group[place] += 1
                changing += 1 if regions_with[slot] < k else is_parted
        self._changing = changing


def _between(old: tuple[int, int], new: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The tokens that may change sides when the landmark and its partner move."""
    first = (min(old[0], new[0]), max(old[0], new[0]) + 1)
    second = (min(old[1], new[1]), max(old[1], new[1]) + 1)
    return ((first[0], second[1]),) if second[0] <= first[1] else (first, second)


def _frequent(sample: Sample, regions: RegionSet) -> set[int]:
    """The kinds that stand in k regions at least."""
    regions_with: Counter[int] = Counter()
    for page, start, stop in regions:
        regions_with.update(set(sample.kinds[page][start:stop]))
    return {kind for kind, count in regions_with.items() if count >= sample.k}
