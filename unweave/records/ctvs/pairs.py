"""Pairwise alignment: which values of two records belong to the same attribute (section III-A)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate

from unweave.fields.similarity import Similarity
from unweave.records.ctvs.values import Place, Value

# Two titles that share no word must still be aligned. So little is added for a pair that it decides between alignments of
# equal similarity only, in favour of the one that leaves fewest values alone.
_PAIR = 1e-9


def worth(one: Value, other: Value, similarity: Similarity) -> float:
    """Return how alike two values of the same place are: as their texts are, and 1 more for each address that both have.

    Two addresses of one place are as alike as two values of one specific type.
    """
    alike = similarity(one.text, other.text) if one.says_something else 1.0
    if one.addresses and other.addresses:
        alike += (Counter(address.place for address in one.addresses) & Counter(a.place for a in other.addresses)).total()
    return alike


def align(one: Sequence[Place], other: Sequence[Place], worth_of: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """The pairs of positions with the largest sum of their worths, in order.

    Only positions of the same place are paired, each with at most one other, and no two pairs cross.
    """
    positions = _positions(other)
    best = [[0.0] * (len(other) + 1)]
    for position, place in enumerate(one):
        above = best[-1]
        row = above.copy()
        for match in positions.get(place, ()):
            sum_ = above[match] + worth_of(position, match) + _PAIR
            if sum_ > row[match + 1]:
                row[match + 1] = sum_
        best.append(list(accumulate(row, max)))
    return _traced(best)


def work(one: Sequence[Place], other: Sequence[Place]) -> int:
    """About how many steps of a tenth of a microsecond it takes to align them."""
    counts = Counter(other)
    return len(one) * len(other) // 4 + 20 * sum([counts[place] for place in one])


def _positions(places: Sequence[Place]) -> dict[Place, list[int]]:
    found: dict[Place, list[int]] = {}
    for position, place in enumerate(places):
        found.setdefault(place, []).append(position)
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
