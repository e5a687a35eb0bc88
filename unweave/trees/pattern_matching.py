"""Matching a pattern with a tree: what every wildcard stands for (Reis et al., section 3.3 and Definition 7).

Every vertex of the pattern that is no wildcard must be in the tree, and every vertex of the tree must be mapped or consumed
by a wildcard. It costs one to leave an option out; everything else that does not fit makes the match impossible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from unweave.errors import WorkLimit
from unweave.trees.pattern import OPTIONS, REPEATED, WILDCARDS
from unweave.trees.tree import Tree

_LEFT_OUT = 1

MOST_PAIRS = 10_000_000
"""So many pairs of siblings are looked at before a match is given up."""


class Consumed(NamedTuple):
    """A wildcard, and the roots of the sub-trees that it stands for; none for an option that is left out."""

    wildcard: int
    roots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A cheapest way to match a pattern with a tree."""

    cost: float
    consumed: list[Consumed]
    """In the order of the pattern."""


def match(pattern: Tree, tree: Tree, *, budget: int = MOST_PAIRS) -> Match | None:
    """How the pattern matches the tree; None if it does not. Of equals, the leftmost wildcards take most.

    Raises WorkLimit if finding out would take too long: more pairs of siblings than the budget allows.
    """
    matching = _Matching(pattern, tree, budget)
    cost = matching.cost(0, 0)
    return None if math.isinf(cost) else Match(cost, sorted(matching.consumed(0, 0)))


class _Matching:
    """Costs of matching vertices of a pattern with vertices of a tree."""

    def __init__(self, pattern: Tree, tree: Tree, budget: int) -> None:
        self._pattern = pattern
        self._tree = tree
        self._left = budget
        self._tables: dict[tuple[int, int], tuple[list[list[float]], list[list[float]]]] = {}

    def cost(self, p: int, t: int) -> float:
        """The cost of matching two vertices and all that is below; infinity if it cannot be."""
        if self._pattern.labels[p] in WILDCARDS:
            return 0
        if self._pattern.labels[p] != self._tree.labels[t]:
            return math.inf
        return self._table(p, t)[0][-1][-1]

    def _table(self, p: int, t: int) -> tuple[list[list[float]], list[list[float]]]:
        """For the first children of both, so many of each: the least cost, and that where the last consumes the last."""
        known = self._tables.get((p, t))
        if known is not None:
            return known
        parts, targets = self._pattern.children(p), self._tree.children(t)
        self._left -= (len(parts) + 1) * (len(targets) + 1)
        if self._left < 0:
            raise WorkLimit("the pattern and the page are too large to be matched")
        best = [[0.0] + [math.inf] * len(targets)]
        consuming = [[math.inf] * (len(targets) + 1)]
        for part in parts:
            label = self._pattern.labels[part]
            row = [best[-1][0] + _LEFT_OUT if label in OPTIONS else math.inf]
            consumed = [math.inf]
            for column, target in enumerate(targets):
                cell, taken = math.inf, math.inf
                if label not in WILDCARDS:
                    if best[-1][column] < math.inf:
                        cell = best[-1][column] + self.cost(part, target)
                else:
                    taken = min(best[-1][column], consumed[column] if label in REPEATED else math.inf)
                    cell = min(taken, best[-1][column + 1] + _LEFT_OUT if label in OPTIONS else math.inf)
                row.append(cell)
                consumed.append(taken)
            best.append(row)
            consuming.append(consumed)
        self._tables[p, t] = best, consuming
        return best, consuming

    def consumed(self, p: int, t: int) -> list[Consumed]:
        """What the wildcards at and below a vertex of the pattern stand for."""
        if self._pattern.labels[p] in WILDCARDS:
            return [Consumed(p, (t,))]
        best, consuming = self._table(p, t)
        parts, targets = self._pattern.children(p), self._tree.children(t)
        found: list[Consumed] = []
        i, j = len(parts), len(targets)
        while i:
            part = parts[i - 1]
            if self._pattern.labels[part] not in WILDCARDS:
                found += self.consumed(part, targets[j - 1])
                i, j = i - 1, j - 1
                continue
            # An option further to the right is left out first, so that those on the left take what there is.
            is_left_out = self._pattern.labels[part] in OPTIONS and best[i][j] == best[i - 1][j] + _LEFT_OUT
            roots = [] if is_left_out else self._taken(best, consuming, targets, i, j)
            found.append(Consumed(part, tuple(roots)))
            i, j = i - 1, j - len(roots)
        return found

    def _taken(
        self, best: list[list[float]], consuming: list[list[float]], targets: list[int], i: int, j: int
    ) -> list[int]:
        """The siblings that the i-th child of the pattern consumes, up to the j-th of the tree: as few as cost no more."""
        start = j
        while best[i - 1][start - 1] != consuming[i][j]:
            start -= 1
        return targets[start - 1 : j]
