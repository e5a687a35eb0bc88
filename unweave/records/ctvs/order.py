"""The order of columns: which stands before which in some record, and how few columns will do."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from unweave.records.ctvs.values import Place, Values

# Packing looks at every pair of columns; a table of more is no table for people anyway.
_MOST_PACKED = 2_000
_NO_COLUMN = -1


class Vertex(NamedTuple):
    """A value by its record and its position there."""

    record: int
    position: int


Column = list[Vertex]


class Precedence:
    """Columns, and for each the columns that come next in some record. Values that are in none of them do not count."""

    def __init__(self, rows: Sequence[Values], columns: Sequence[Column]) -> None:
        self._rows = rows
        self.columns = columns
        self._numbers = [[_NO_COLUMN] * len(values) for values in rows]
        for number, column in enumerate(columns):
            for record, position in column:
                self._numbers[record][position] = number
        self.after: list[set[int]] = [set() for _ in columns]
        for numbers in self._numbers:
            for number, following in pairwise([number for number in numbers if number != _NO_COLUMN]):
                self.after[number].add(following)

    def followed_by(self, number: int, following: int) -> list[Vertex]:
        """The values of one column that stand right before a value of the other."""
        numbers = self._numbers
        return [
            vertex
            for vertex in self.columns[number]
            if numbers[vertex.record][vertex.position + 1 : vertex.position + 2] == [following]
        ]

    def preceded_by(self, number: int, preceding: int) -> list[Vertex]:
        """The values of one column that stand right after a value of the other."""
        numbers = self._numbers
        return [
            vertex
            for vertex in self.columns[number]
            if vertex.position and numbers[vertex.record][vertex.position - 1] == preceding
        ]

    def ring(self) -> list[int]:
        """Columns that each stand before the next, and the last before the first; empty if there is an order."""
        left = set(range(len(self.columns))).difference(self._order)
        return self._shortest_ring(self._in_a_ring(left)) if left else []

    def _in_a_ring(self, left: set[int]) -> int:
        """A column that stands in a ring: whoever goes back from column to column must come to one again."""
        before = {following: number for number in left for following in self.after[number]}
        number = min(left)
        seen: set[int] = set()
        while number not in seen:
            seen.add(number)
            number = before[number]
        return number

    def _shortest_ring(self, start: int) -> list[int]:
        came_from: dict[int, int] = {}
        waiting = deque([start])
        while start not in came_from:
            number = waiting.popleft()
            for following in sorted(self.after[number]):
                if following not in came_from:
                    came_from[following] = number
                    waiting.append(following)
        ring = [start]
        while (number := came_from[ring[-1]]) != start:
            ring.append(number)
        return ring[::-1]

    def arranged(self, *, packed: bool) -> list[Column]:
        """The columns from left to right; packed, those that exclude each other as one."""
        order = self._order
        if not packed or len(order) > _MOST_PACKED:
            return [self.columns[number] for number in order]
        return _Packing(order, self.after, [self._place(column) for column in self.columns]).packed(self.columns)

    def _place(self, column: Column) -> Place:
        return self._rows[column[0].record][column[0].position].place

    @cached_property
    def _order(self) -> list[int]:
        """The columns in an order that agrees with every record, ties by mean position; not all if there is none."""
        before = [0] * len(self.columns)
        for behind in self.after:
            for following in behind:
                before[following] += 1
        ready = [(self._mean_position(number), number) for number, count in enumerate(before) if not count]
        heapify(ready)
        order: list[int] = []
        while ready:
            _, number = heappop(ready)
            order.append(number)
            for following in self.after[number]:
                before[following] -= 1
                if not before[following]:
                    heappush(ready, (self._mean_position(following), following))
        return order

    def _mean_position(self, number: int) -> float:
        column = self.columns[number]
        return sum([position / len(self._rows[record]) for record, position in column]) / len(column)


class _Packing:
    """Columns of one place that never stand before or after each other, directly or by way of others, become one.

    Cutting leaves many columns with a value or two in them. Where no record tells two of them apart, they are one column
    with gaps, and an order of all columns remains.
    """

    def __init__(self, order: Sequence[int], after: Sequence[set[int]], places: Sequence[Place]) -> None:
        self._order = order
        self._places = places
        self._behind = [0] * len(order)
        self._ahead = [0] * len(order)
        for number in reversed(order):
            for following in after[number]:
                self._behind[number] |= self._behind[following] | 1 << following
        for number in order:
            for following in after[number]:
                self._ahead[following] |= self._ahead[number] | 1 << number

    def packed(self, columns: Sequence[Column]) -> list[Column]:
        """The columns from left to right."""
        kept: dict[Place, list[int]] = {}
        members: dict[int, Column] = {}
        for number in self._order:
            others = kept.setdefault(self._places[number], [])
            host = next((other for other in others if self._are_unordered(other, number)), None)
            if host is None:
                others.append(number)
                members[number] = columns[number]
            else:
                self._unite(host, number)
                members[host] = sorted(members[host] + columns[number])
        rank = {number: place for place, number in enumerate(self._order)}
        return [members[number] for number in sorted(members, key=lambda n: (self._ahead[n].bit_count(), rank[n]))]

    def _are_unordered(self, one: int, other: int) -> bool:
        return not ((self._behind[one] | self._ahead[one]) >> other) & 1

    def _unite(self, host: int, guest: int) -> None:
        """What stands ahead of or behind one of the two now does so for both."""
        both = 1 << host | 1 << guest
        ahead, behind = self._ahead[host] | self._ahead[guest], self._behind[host] | self._behind[guest]
        for number in range(len(self._order)):
            if ahead >> number & 1:
                self._behind[number] |= behind | both
            if behind >> number & 1:
                self._ahead[number] |= ahead | both
        self._ahead[host] = self._ahead[guest] = ahead
        self._behind[host] = self._behind[guest] = behind
