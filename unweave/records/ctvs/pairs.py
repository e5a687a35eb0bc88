"""Pairwise alignment: which values of two records belong to the same attribute (section 3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from unweave.fields.similarity import Similarity
from unweave.records.ctvs.values import Place, Value

# Two titles that share no word must still be aligned. So little is added for a pair that it decides between alignments of
# equal similarity only, in favour of the one that leaves fewest values alone.
_PAIR = 1e-9


def worth(one: Value, other: Value, similarity: Similarity) -> float:
    """How alike two values of the same place are; two addresses are as alike as two values of one specific type."""
    return similarity(one.text, other.text) if one.says_something else 1.0


def work(one: Sequence[Value], other: Sequence[Value]) -> int:
    """About how many steps of a tenth of a microsecond it takes to align two records."""
    counts = Counter(value.place for value in other)
    return len(one) * len(other) // 4 + 20 * sum(counts[value.place] for value in one)


def align(one: Sequence[Value], other: Sequence[Value], similarity: Similarity) -> list[tuple[int, int]]:
    """The pairs of positions with the largest sum of similarities, in order.

    Only values of the same place are paired, each with at most one other, and no two pairs cross.
    """
    places = _positions(other)
    best = [[0.0] * (len(other) + 1)]
    for value in one:
        above = best[-1]
        row = above.copy()
        for position in places.get(value.place, ()):
            sum_ = above[position] + worth(value, other[position], similarity) + _PAIR
            if sum_ > row[position + 1]:
                row[position + 1] = sum_
        best.append(list(accumulate(row, max)))
    return _traced(best)


def _positions(values: Sequence[Value]) -> dict[Place, list[int]]:
    found: dict[Place, list[int]] = {}
    for position, value in enumerate(values):
        found.setdefault(value.place, []).append(position)
    return found


def _traced(best: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The pairs behind the last sum; among equals those that stand first."""
    row, column = len(best) - 1, len(best[0]) - 1
    pairs: list[tuple[int, int]] = []
    while row and column:
        here = best[row][column]
        if here == best[row - 1][column]:
            row -= 1
        elif here == best[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
    return pairs[::-1]
