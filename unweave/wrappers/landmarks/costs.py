"""The incompressible cost of region sets: the paper's estimate of a landmark tree (section 5.1).

A token is incompressible if its symbol is in fewer than k regions of the set, or if its partner is
in none of them: no landmark can match it, so it is extracted.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from unweave.wrappers.landmarks.regions import ABSENT, RegionSet, Split, TokenTable
from unweave.wrappers.landmarks.tokens import UNMATCHED

_LEFT, _INSIDE, _RIGHT, _REMOVED = range(4)
"""The sides of a landmark. Landmarks and tokens of finished regions are removed."""

_BEFORE_SPLIT = (-1, -1)
"""The state of a region that is not split: all tokens are to the right of the landmark."""


class IncompressibleCost:
    """The incompressible cost of a region set, and of what is left after each of its splits.

    A split moves tokens to the left, to the inside and to the right of the landmark. Landmarks that
    follow each other in the pages differ by the few tokens between them, so the splits are visited
    in the order of the pages, and only those tokens are moved. Tokens whose symbol is in too few
    regions are always incompressible and are left out.
    """

    def __init__(self, table: TokenTable, regions: RegionSet) -> None:
        self.moves = 0
        """How many tokens have been moved so far."""
        self._k = table.k
        self._partners_of_pages = table.partners
        self._regions = regions
        self._number_tokens(table)
        self._sides = [_REMOVED] * len(self._symbols)
        self._states: list[tuple[int, int] | None] = [None] * len(regions)
        """The landmark and its partner in each region, as indexes into its ``_positions``.

        None is a finished region.
        """
        # Counts by side and symbol: tokens, tokens without their partner, and regions with a token.
        # A group is the tokens of one symbol in one region.
        self._occurrences = [0] * (3 * self._symbol_count)
        self._unbalanced = [0] * (3 * self._symbol_count)
        self._regions_with = [0] * (3 * self._symbol_count)
        self._group_sizes = [0] * (3 * self._group_count)
        self._incompressible = 0
        """How many tokens that are numbered and not removed are incompressible."""
        for region in range(len(regions)):
            self._set_state(region, _BEFORE_SPLIT)
        self.cost = self._sum_cost()
        """The incompressible cost before any split."""
        self._compressible = list(map(self._count_compressible, range(len(regions))))

    def _number_tokens(self, table: TokenTable) -> None:
        regions_with: Counter[int] = Counter()
        for page, start, end in self._regions:
            regions_with.update(set(table.symbols[page][start:end]))
        frequent = {symbol for symbol, count in regions_with.items() if count >= table.k}
        self._symbols: list[int] = []
        self._groups: list[int] = []
        self._partners: list[int] = []
        self._positions: list[list[int]] = []
        self._offsets: list[int] = []
        self._group_count = 0
        numbers: dict[int, int] = {}
        for page, start, end in self._regions:
            symbols, partners = table.symbols[page], table.partners[page]
            positions = [
                position
                for position in range(start, end)
                if symbols[position] in frequent or symbols[partners[position]] in frequent
            ]
            offset = len(self._symbols)
            indexes = {position: index for index, position in enumerate(positions, start=offset)}
            groups: dict[int, int] = {}
            self._positions.append(positions)
            self._offsets.append(offset)
            for position in positions:
                symbol = numbers.setdefault(symbols[position], len(numbers))
                self._symbols.append(symbol)
                self._groups.append(self._group_count + groups.setdefault(symbol, len(groups)))
                self._partners.append(indexes.get(partners[position], UNMATCHED))
            self._group_count += len(groups)
        self._symbol_count = len(numbers)

    def _count_compressible(self, region: int) -> int:
        first = self._offsets[region]
        count = 0
        for token in range(first, first + len(self._positions[region])):
            index = _RIGHT * self._symbol_count + self._symbols[token]
            is_balanced = self._partners[token] != UNMATCHED
            count += is_balanced and self._regions_with[index] >= self._k
        return count

    def compute_after(
        self, splits: Sequence[Split], cutoff: float | None = None, *, max_moves: float = math.inf
    ) -> list[int]:
        """Return the incompressible cost after each of the splits.

        Costs above the cut-off are only known to be above it. Without a cut-off, this holds for
        costs above the smallest. Splits that are left when ``max_moves`` tokens have been moved get
        a lower bound.
        """
        floors: list[int] = []
        for split in splits:
            finished = [
                compressible
                for compressible, position in zip(self._compressible, split.positions, strict=True)
                if position == ABSENT
            ]
            floors.append(self.cost + sum(finished))
        costs = [0] * len(splits)
        smallest = math.inf if cutoff is None else cutoff
        for number in sorted(
            range(len(splits)), key=lambda number: self._rank(splits[number], floors[number])
        ):
            if floors[number] > smallest or self.moves > max_moves:
                costs[number] = floors[number]
                continue
            self._apply_split(splits[number])
            costs[number] = self._sum_cost()
            if cutoff is None:
                smallest = min(smallest, costs[number])
        return costs

    def _rank(self, split: Split, floor: int) -> tuple[object, ...]:
        """Return a sort key: splits that finish the same regions together, by position."""
        absent = tuple([number for number, at in enumerate(split.positions) if at == ABSENT])
        number = next(number for number, at in enumerate(split.positions) if at != ABSENT)
        position = split.positions[number]
        is_pair = self._partners_of_pages[self._regions[number][0]][position] != position
        return floor, absent, is_pair, position

    def _sum_cost(self) -> int:
        cost = self._incompressible
        for positions, state, (_, start, end) in zip(
            self._positions, self._states, self._regions, strict=True
        ):
            cost += end - start - (0 if state is None else len(positions))
        return cost

    def _apply_split(self, split: Split) -> None:
        for region, position in enumerate(split.positions):
            state: tuple[int, int] | None = None
            if position != ABSENT:
                positions, page = self._positions[region], self._regions[region][0]
                start = bisect_left(positions, position)
                partner = self._partners_of_pages[page][position]
                state = start, start if partner == position else bisect_left(positions, partner)
            if state != self._states[region]:
                self._set_state(region, state)

    def _set_state(self, region: int, state: tuple[int, int] | None) -> None:
        """Move the tokens of a region to the sides of a landmark; None finishes the region."""
        first = self._offsets[region]
        last = first + len(self._positions[region])
        previous = self._states[region]
        self._states[region] = state
        if state is None:
            self._move_tokens(first, last, _REMOVED)
            return
        start, end = first + state[0], first + state[1]
        changed = [(first, last)]
        if previous is not None:
            changed = _find_changed_ranges((first + previous[0], first + previous[1]), (start, end))
        for low, high in changed:
            low, high = max(low, first), min(high, last)
            self._move_tokens(low, min(start, high), _LEFT)
            self._move_tokens(max(start + 1, low), min(end, high), _INSIDE)
            self._move_tokens(max(end + 1, low), high, _RIGHT)
        if state != _BEFORE_SPLIT:
            self._move_tokens(start, start + 1, _REMOVED)
            self._move_tokens(end, end + 1, _REMOVED)

    def _move_tokens(self, first: int, last: int, side: int) -> None:
        """Move tokens to a side. All time is spent here, so nothing is called."""
        self.moves += max(0, last - first)
        sides, symbols, groups, partners = self._sides, self._symbols, self._groups, self._partners
        occurrences, unbalanced, regions_with = (
            self._occurrences,
            self._unbalanced,
            self._regions_with,
        )
        group_sizes, incompressible, k = self._group_sizes, self._incompressible, self._k
        symbol_count, group_count = self._symbol_count, self._group_count
        new_symbols, new_groups = side * symbol_count, side * group_count
        for token in range(first, last):
            old_side = sides[token]
            if old_side == side:
                continue
            sides[token] = side
            partner, symbol, group = partners[token], symbols[token], groups[token]
            was_unbalanced = is_unbalanced = partner == UNMATCHED
            if partner != token and not is_unbalanced:
                partner_side = sides[partner]
                was_unbalanced, is_unbalanced = partner_side != old_side, partner_side != side
                if was_unbalanced != is_unbalanced and partner_side != _REMOVED:
                    index = partner_side * symbol_count + symbols[partner]
                    unbalanced[index] += is_unbalanced - was_unbalanced
                    if regions_with[index] >= k:
                        incompressible += is_unbalanced - was_unbalanced
            if old_side != _REMOVED:
                index, group_index = (
                    old_side * symbol_count + symbol,
                    old_side * group_count + group,
                )
                occurrences[index] -= 1
                unbalanced[index] -= was_unbalanced
                group_sizes[group_index] -= 1
                incompressible -= 1 if regions_with[index] < k else was_unbalanced
                if not group_sizes[group_index]:
                    regions_with[index] -= 1
                    if regions_with[index] == k - 1:
                        incompressible += occurrences[index] - unbalanced[index]
            if side != _REMOVED:
                index, group_index = new_symbols + symbol, new_groups + group
                if not group_sizes[group_index]:
                    regions_with[index] += 1
                    if regions_with[index] == k:
                        incompressible -= occurrences[index] - unbalanced[index]
                occurrences[index] += 1
                unbalanced[index] += is_unbalanced
                group_sizes[group_index] += 1
                incompressible += 1 if regions_with[index] < k else is_unbalanced
        self._incompressible = incompressible


def _find_changed_ranges(
    previous: tuple[int, int], current: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the tokens that may change sides when a landmark and its partner move."""
    first = (min(previous[0], current[0]), max(previous[0], current[0]) + 1)
    second = (min(previous[1], current[1]), max(previous[1], current[1]) + 1)
    return [(first[0], second[1])] if second[0] <= first[1] else [first, second]
