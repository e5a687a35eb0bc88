"""Matching a pattern with a tree: what every wildcard stands for (Reis et al., section 4.3 and Definition 7).

Every vertex of the pattern that is no wildcard must be in the tree, and every vertex of the tree must be mapped or consumed
by a wildcard. It costs one to leave an option out; everything else that does not fit makes the match impossible.

That refuses nearly every page that the pattern was not composed from. With a tolerance, what does not fit costs one a
vertex: a fixed vertex that the tree lacks, a vertex of the tree that the pattern has no wildcard for, a text in the place
of another. The tree matches if all this costs no more than the tolerance allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from unweave.errors import WorkLimit
from unweave.trees.pattern import OPTIONAL_WILDCARDS, REPEATED_WILDCARDS, WILDCARDS
from unweave.trees.pattern_text import is_text_label
from unweave.trees.tree import SubtreeClasses, Tree

_LEFT_OUT = 1
_OTHER_TEXT = 1

MAX_SIBLING_PAIRS = 10_000_000
"""So many pairs of siblings are looked at before a match is given up."""

Table = tuple[list[list[float]], list[list[float]]]
"""For the first children of two vertices, so many of each: the least cost, and that where the last consumes the last."""


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
    unexpected: list[Consumed] = field(default_factory=list)
    """With a tolerance: sub-trees that the pattern has no wildcard for, in order. Beside each stands the vertex of the
    pattern that it replaces or follows, in the place of a wildcard.
    """

    def list_passages(self) -> list[Consumed]:
        """What differs from the fixed part of the pattern, in the order of the pattern."""
        return sorted([*self.consumed, *self.unexpected])


def match_pattern(
    pattern: Tree, tree: Tree, *, tolerance: float = 0, budget: int = MAX_SIBLING_PAIRS
) -> Match | None:
    """How the pattern matches the tree; None if it does not. Of equals, the leftmost wildcards take most.

    ``tolerance`` is the largest cost of a match as a share of both sizes together; 0 accepts what Definition 7 accepts.
    Raises WorkLimit if finding out would take too long: more pairs of siblings than the budget allows.
    """
    limit = tolerance * (len(pattern) + len(tree)) if tolerance else math.inf
    matching = _Matching(pattern, tree, budget, limit, is_strict=not tolerance)
    cost = matching.cost(0, 0)
    if math.isinf(cost) or cost > limit:
        return None
    matching.trace(0, 0)
    return Match(cost, sorted(matching.consumed), sorted(matching.unexpected))


class _Matching:
    """Costs of matching vertices of a pattern with vertices of a tree."""

    def __init__(
        self, pattern: Tree, tree: Tree, budget: int, limit: float, *, is_strict: bool
    ) -> None:
        self._pattern = pattern
        self._tree = tree
        self._left = budget
        self._limit = limit
        self._is_strict = is_strict
        classes = SubtreeClasses()
        self._pattern_classes, self._tree_classes = (
            classes.classify(pattern),
            classes.classify(tree),
        )
        self._tables: dict[tuple[int, int], Table] = {}
        self.consumed: list[Consumed] = []
        self.unexpected: list[Consumed] = []

    def cost(self, p: int, t: int) -> float:
        """The cost of matching two vertices and all that is below; infinity if it cannot be."""
        known = self._cost_at_sight(p, t)
        return self._table(p, t)[0][-1][-1] if known is None else known

    def _cost_at_sight(self, p: int, t: int) -> float | None:
        """The cost as far as it can be told without looking below the two vertices; None if it cannot."""
        if (
            self._pattern.labels[p] in WILDCARDS
            or self._pattern_classes[p] == self._tree_classes[t]
        ):
            return 0
        if self._pattern.labels[p] != self._tree.labels[t]:
            return _OTHER_TEXT if self._is_other_text(p, t) else math.inf
        return None

    def _is_other_text(self, p: int, t: int) -> bool:
        """Are both texts, so that with a tolerance one may stand in the place of the other?"""
        return (
            not self._is_strict
            and is_text_label(self._pattern.labels[p])
            and is_text_label(self._tree.labels[t])
        )

    def _removal(self, p: int) -> float:
        """What it costs that the tree has nothing for a vertex of the pattern."""
        if self._pattern.labels[p] in OPTIONAL_WILDCARDS:
            return _LEFT_OUT
        return math.inf if self._is_strict else self._pattern.ends[p] - p

    def _insertion(self, t: int) -> float:
        """What it costs that the pattern has nothing for a vertex of the tree."""
        return math.inf if self._is_strict else self._tree.ends[t] - t

    def _table(self, p: int, t: int) -> Table:
        known = self._tables.get((p, t))
        if known is not None:
            return known
        parts, targets = self._pattern.children(p), self._tree.children(t)
        self._left -= (len(parts) + 1) * (len(targets) + 1)
        if self._left < 0:
            raise WorkLimit("the pattern and the page are too large to be matched")
        insertions = [self._insertion(target) for target in targets]
        best = [list(accumulate(insertions, initial=0.0))]
        consuming = [[math.inf] * (len(targets) + 1)]
        for part in parts:
            if self._pattern.labels[part] in WILDCARDS:
                row, consumed = self._wildcard_row(part, insertions, best[-1])
            else:
                row, consumed = self._fixed_row(part, targets, insertions, best[-1]), consuming[0]
            best.append(row)
            consuming.append(consumed)
        self._tables[p, t] = best, consuming
        return best, consuming

    def _fixed_row(
        self, part: int, targets: list[int], insertions: list[float], above: list[float]
    ) -> list[float]:
        """The next row of a table, for a child of the pattern that is no wildcard."""
        removal = self._removal(part)
        row = [above[0] + removal]
        for column, target in enumerate(targets):
            cell = min(above[column + 1] + removal, row[column] + insertions[column])
            # Lines 15 and 16 of Figure 5: what is too much already is not looked into.
            if above[column] < cell and above[column] <= self._limit:
                cost = self._cost_at_sight(part, target)
                if (
                    cost is None
                ):  # one call a level less than by self.cost: trees are as deep as pages may be
                    cost = self._table(part, target)[0][-1][-1]
                cell = min(cell, above[column] + cost)
            row.append(cell)
        return row

    def _wildcard_row(
        self, part: int, insertions: list[float], above: list[float]
    ) -> tuple[list[float], list[float]]:
        """The next row of a table for a wildcard, and what it costs if it consumes the last vertex."""
        removal, is_repeated = self._removal(part), self._pattern.labels[part] in REPEATED_WILDCARDS
        row, consumed = [above[0] + removal], [math.inf]
        for column, insertion in enumerate(insertions):
            taken = min(above[column], consumed[column]) if is_repeated else above[column]
            row.append(min(taken, above[column + 1] + removal, row[column] + insertion))
            consumed.append(taken)
        return row, consumed

    def trace(self, p: int, t: int) -> None:
        """Note what the wildcards at and below a vertex of the pattern stand for, and what is unexpected there."""
        if self._pattern.labels[p] in WILDCARDS:
            self.consumed.append(Consumed(p, (t,)))
        elif self._pattern_classes[p] == self._tree_classes[t]:
            return
        elif self._is_other_text(p, t):
            self.unexpected.append(Consumed(p, (t,)))
        else:
            self._trace_children(p, t)

    def _trace_children(self, p: int, t: int) -> None:
        best, consuming = self._table(p, t)
        parts, targets = self._pattern.children(p), self._tree.children(t)
        i, j = len(parts), len(targets)
        surplus = j
        while i or j:
            if j and best[i][j] == best[i][j - 1] + self._insertion(targets[j - 1]):
                j -= 1
                continue
            if surplus > j:
                last = self._pattern.ends[parts[i - 1]] - 1 if i else p
                self.unexpected.append(Consumed(last, tuple(targets[j:surplus])))
            if i:
                i, j = i - 1, self._trace_part(parts[i - 1], (best, consuming), targets, i, j)
            surplus = j
        if surplus > j:
            self.unexpected.append(Consumed(p, tuple(targets[j:surplus])))

    def _trace_part(self, part: int, table: Table, targets: list[int], i: int, j: int) -> int:
        """Note what the i-th child of a vertex of the pattern stands for; return how many children of the tree are left."""
        best, consuming = table
        is_wildcard = self._pattern.labels[part] in WILDCARDS
        # An option further to the right is left out first, so that those on the left take what there is.
        if best[i][j] == best[i - 1][j] + self._removal(part):
            if is_wildcard:
                self.consumed.append(Consumed(part, ()))
            return j
        if not is_wildcard:
            self.trace(part, targets[j - 1])
            return j - 1
        start = j  # a wildcard takes as few siblings as cost no more
        while best[i - 1][start - 1] != consuming[i][j]:
            start -= 1
        self.consumed.append(Consumed(part, tuple(targets[start - 1 : j])))
        return start - 1
