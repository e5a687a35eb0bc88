"""How many tokens every landmark tree of a set of regions leaves at least.

Two facts are used that the paper's bound does not have. A token that stands several times in a region can be a landmark
only after another landmark has parted it from the others of its kind; so the tokens that can ever be one grow from those
that stand once (``find_removable``). And where as many regions are left as a landmark must stand in, every further landmark
stands in all of them, in the same order: there are no more of them than the longest common subsequence of two regions has.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Sample, Split, size

_NONE = -1


@dataclass(frozen=True, eq=False)
class Removable:
    """The tokens of a set of regions that a landmark, or its end tag, could stand for in some tree."""

    flags: list[bytearray]
    """For every token of every region."""
    occurrences: dict[int, list[tuple[int, int]]]
    """Where each mark could be a landmark: numbers of regions, and places."""
    steps: int
    """How many tokens and marks were looked at to find them."""


def find_removable(sample: Sample, regions: RegionSet, *, max_steps: float = math.inf) -> Removable:
    """Return a superset of the tokens that landmarks stand for in any tree of these regions.

    A landmark is the only token of its mark in the part of the region that its node parses. That part ends at tokens that
    stand for landmarks themselves, so one of these is between the landmark and the next token of its mark on either side,
    or is that token, which may have been a landmark by another of its marks. The mark must be like that in k regions.
    When there are no steps left, all tokens of marks in k regions are taken for such.
    """
    flags = [bytearray(stop - start) for _, start, stop in regions]
    waiting = list(_occurrences(sample, regions))
    parted: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    regions_with: defaultdict[int, set[int]] = defaultdict(set)
    steps = 0
    while True:
        steps += size(regions) + len(waiting)
        is_ended = steps > max_steps
        counts = [list(accumulate(own, initial=0)) for own in flags]
        is_new: set[int] = set()
        rest = []
        for occurrence in waiting:
            mark, number, place, before, after = occurrence
            start, count = regions[number][1], counts[number]
            is_alone = (before == _NONE or count[place - start] > count[before - start]) and (
                after == _NONE or count[after + 1 - start] > count[place + 1 - start]
            )
            if is_alone or is_ended:
                parted[mark].append((number, place))
                regions_with[mark].add(number)
                is_new.add(mark)
            else:
                rest.append(occurrence)
        is_changed = False
        for mark in is_new:
            if len(regions_with[mark]) < sample.k:
                continue
            for number, place in parted[mark]:
                page, start, _ = regions[number]
                if not flags[number][place - start]:
                    flags[number][place - start] = flags[number][
                        sample.partners[page][place] - start
                    ] = 1
                    is_changed = True
        if not is_changed or is_ended:
            usable = {
                mark: places
                for mark, places in parted.items()
                if len(regions_with[mark]) >= sample.k
            }
            return Removable(flags, usable, steps)
        waiting = rest


def _occurrences(sample: Sample, regions: RegionSet) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield marks with their region, their place, and the places of the same mark before and after; _NONE if there is none.

    Marks that too few regions have are left out, and so are start tags whose end is in no region.
    """
    places: list[defaultdict[int, list[int]]] = []
    regions_with: defaultdict[int, int] = defaultdict(int)
    for page, start, stop in regions:
        first, last = sample.first_marks[page][start], sample.first_marks[page][stop]
        own: defaultdict[int, list[int]] = defaultdict(list)
        for mark, place in zip(
            sample.marks[page][first:last], sample.mark_places[page][first:last], strict=True
        ):
            own[mark].append(place)
        places.append(own)
        for mark in own:
            regions_with[mark] += 1
    for number, ((page, start, stop), own) in enumerate(zip(regions, places, strict=True)):
        partners = sample.partners[page]
        for mark, found in own.items():
            if regions_with[mark] >= sample.k:
                for before, place, after in zip(
                    [_NONE, *found], found, [*found[1:], _NONE], strict=False
                ):
                    if start <= partners[place] < stop:
                        yield mark, number, place, before, after


def least_extraction(sample: Sample, regions: RegionSet, removable: Removable) -> int:
    """Return a number of tokens that no tree of these regions leaves fewer than."""
    least = size(regions) - sum(map(sum, removable.flags))
    if 2 <= len(regions) == sample.k:
        rows = [
            [kind for kind, flag in zip(sample.kinds[page][start:stop], flags, strict=True) if flag]
            for (page, start, stop), flags in zip(regions, removable.flags, strict=True)
        ]
        common = min(common_length(left, right) for left, right in combinations(rows, 2))
        least = max(least, size(regions) - len(regions) * common)
    return least


def common_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence. The rows of its table are the bits of whole numbers."""
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, kind in enumerate(left):
        places[kind] |= 1 << place
    everything = (1 << len(left)) - 1
    row = everything
    for kind in right:
        matched = row & places.get(kind, 0)
        row = ((row + matched) | (row - matched)) & everything
    return len(left) - row.bit_count()


def is_first_in_a_best_tree(
    sample: Sample, regions: RegionSet, split: Split, removable: Removable
) -> bool:
    """Tell whether some best tree is sure to begin with this split. False means that it is not known.

    Where every landmark must stand in all regions, a tree may be cut at the split: if every other landmark is on the same
    side of it in all regions, the tree of each side is what is left of the whole tree, and leaves no more of that side.
    """
    if len(regions) != sample.k or ABSENT in split.places:
        return False
    ends = [
        sample.partners[page][place]
        for (page, _, _), place in zip(regions, split.places, strict=True)
    ]
    for places in removable.occurrences.values():
        sides = {
            _side(
                place,
                sample.partners[regions[number][0]][place],
                split.places[number],
                ends[number],
            )
            for number, place in places
        }
        if len(sides) > 1 or None in sides:
            return False
    return True


def _side(place: int, partner: int, split: int, end: int) -> str | None:
    """Return where a token and its partner are: before, inside or after a landmark, or at it; None if it parts them."""
    if partner < split:
        return "before"
    if place > end:
        return "after"
    if place == split:
        return "at"
    return "inside" if split < place and partner < end else None
