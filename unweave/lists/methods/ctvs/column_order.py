"""The order of columns: which of them precede which in some record, and which can be joined."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from unweave.lists.methods.ctvs.values import RecordPath, Values

# Joining compares all pairs of columns; a larger table is of no use to people anyway.
_MAX_JOINED_COLUMNS = 2_000
_NO_COLUMN = -1


class Vertex(NamedTuple):
    """A value by its record and its position in the record."""

    record: int
    position: int


Column = list[Vertex]


class ColumnOrder:
    """Columns, and for each the columns that directly follow it in some record.

    Values outside of the columns do not count.
    """

    def __init__(self, rows: Sequence[Values], columns: Sequence[Column]) -> None:
        self._rows = rows
        self.columns = columns
        self._numbers = [[_NO_COLUMN] * len(values) for values in rows]
        for number, column in enumerate(columns):
            for record, position in column:
                self._numbers[record][position] = number
        self.following: list[set[int]] = [set() for _ in columns]
        for numbers in self._numbers:
            in_columns = [number for number in numbers if number != _NO_COLUMN]
            for number, next_number in pairwise(in_columns):
                self.following[number].add(next_number)

    def find_values_before(self, number: int, next_number: int) -> list[Vertex]:
        """Return the values of a column that are right before a value of another."""
        numbers = self._numbers
        return [
            vertex
            for vertex in self.columns[number]
            if numbers[vertex.record][vertex.position + 1 : vertex.position + 2] == [next_number]
        ]

    def find_values_after(self, number: int, previous: int) -> list[Vertex]:
        """Return the values of a column that are right after a value of another."""
        numbers = self._numbers
        return [
            vertex
            for vertex in self.columns[number]
            if vertex.position and numbers[vertex.record][vertex.position - 1] == previous
        ]

    def find_cycle(self) -> list[int]:
        """Return columns that each precede the next, and the last the first; empty if there is an
        order.
        """
        unordered = set(range(len(self.columns))).difference(self._order)
        if not unordered:
            return []
        # Walking backwards from column to column must come to a column of a cycle twice.
        preceding: dict[int, int] = {}
        for number in unordered:
            for next_number in self.following[number]:
                preceding[next_number] = number
        number = min(unordered)
        visited: set[int] = set()
        while number not in visited:
            visited.add(number)
            number = preceding[number]
        return self._find_shortest_cycle(number)

    def _find_shortest_cycle(self, start: int) -> list[int]:
        came_from: dict[int, int] = {}
        waiting = deque([start])
        while start not in came_from:
            number = waiting.popleft()
            for next_number in sorted(self.following[number]):
                if next_number not in came_from:
                    came_from[next_number] = number
                    waiting.append(next_number)
        cycle = [start]
        while (number := came_from[cycle[-1]]) != start:
            cycle.append(number)
        return cycle[::-1]

    def sort_columns(self, *, join: bool) -> list[Column]:
        """Return the columns from left to right; with ``join``, those that exclude each other as
        one.
        """
        order = self._order
        if not join or len(order) > _MAX_JOINED_COLUMNS:
            return [self.columns[number] for number in order]
        firsts = [column[0] for column in self.columns]
        paths = [self._rows[vertex.record][vertex.position].path for vertex in firsts]
        return _ColumnJoiner(order, self.following, paths).join(self.columns)

    @cached_property
    def _order(self) -> list[int]:
        """The columns in an order that agrees with every record, ties by mean position; those
        before any cycle.
        """
        counts = [0] * len(self.columns)  # of the columns directly before
        for following in self.following:
            for number in following:
                counts[number] += 1
        ready = [
            (self._compute_mean_position(number), number)
            for number, count in enumerate(counts)
            if not count
        ]
        heapify(ready)
        order: list[int] = []
        while ready:
            _, number = heappop(ready)
            order.append(number)
            for next_number in self.following[number]:
                counts[next_number] -= 1
                if not counts[next_number]:
                    heappush(ready, (self._compute_mean_position(next_number), next_number))
        return order

    def _compute_mean_position(self, number: int) -> float:
        rows, column = self._rows, self.columns[number]
        return sum([position / len(rows[record]) for record, position in column]) / len(column)


class _ColumnJoiner:
    """Joins columns of one path that never precede each other, directly or by way of others.

    Cutting leaves many columns with one or two values. Where no record has values of both, two of
    them are one column with gaps, and an order of all columns remains.
    """

    def __init__(
        self, order: Sequence[int], following: Sequence[set[int]], paths: Sequence[RecordPath]
    ) -> None:
        self._order = order
        self._paths = paths
        # Bit sets of all columns after and before each column.
        self._after = [0] * len(order)
        self._before = [0] * len(order)
        for number in reversed(order):
            for next_number in following[number]:
                self._after[number] |= self._after[next_number] | 1 << next_number
        for number in order:
            for next_number in following[number]:
                self._before[next_number] |= self._before[number] | 1 << number

    def join(self, columns: Sequence[Column]) -> list[Column]:
        """Return the joined columns from left to right."""
        kept: dict[RecordPath, list[int]] = {}
        joined: dict[int, Column] = {}
        for number in self._order:
            candidates = kept.setdefault(self._paths[number], [])
            target = next(
                (column for column in candidates if self._is_unordered(column, number)), None
            )
            if target is None:
                candidates.append(number)
                joined[number] = columns[number]
            else:
                self._unite(target, number)
                joined[target] = sorted(joined[target] + columns[number])
        rank = {number: position for position, number in enumerate(self._order)}
        in_order = sorted(joined, key=lambda n: (self._before[n].bit_count(), rank[n]))
        return [joined[number] for number in in_order]

    def _is_unordered(self, left: int, right: int) -> bool:
        return not ((self._after[left] | self._before[left]) >> right) & 1

    def _unite(self, left: int, right: int) -> None:
        """Update the order: columns before or after one of the two are so for both."""
        both = 1 << left | 1 << right
        before = self._before[left] | self._before[right]
        after = self._after[left] | self._after[right]
        for number in range(len(self._order)):
            if before >> number & 1:
                self._after[number] |= after | both
            if after >> number & 1:
                self._before[number] |= before | both
        self._before[left] = self._before[right] = before
        self._after[left] = self._after[right] = after
