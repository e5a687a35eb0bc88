"""Matching a pattern with a tree: what each wildcard stands for (Reis et al., section 4.3).

In Definition 7, every vertex of the pattern that is not a wildcard must be in the tree, and every
vertex of the tree must be mapped or consumed by a wildcard. Leaving out an optional wildcard costs
one; any other difference makes the match impossible.

This rejects nearly every page that the pattern was not composed from. With a tolerance, differences
cost one a vertex: a fixed vertex that the tree lacks, a vertex of the tree without a wildcard, a
text in the position of another. The tree matches if the cost is within the tolerance.
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

_OMITTED_WILDCARD_COST = 1
_REPLACED_TEXT_COST = 1

MAX_SIBLING_PAIRS = 10_000_000
"""The default budget of a match, in pairs of siblings."""

Table = tuple[list[list[float]], list[list[float]]]
"""Costs for the first i children of a vertex of the pattern and the first j of one of the tree: the
least cost, and the least cost if the i-th consumes the j-th."""


class Consumed(NamedTuple):
    """A wildcard, and the roots of the sub-trees that it stands for; none if it is left out."""

    wildcard: int
    roots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A cheapest match of a pattern with a tree."""

    cost: float
    consumed: list[Consumed]
    """In the order of the pattern."""
    unexpected: list[Consumed] = field(default_factory=list)
    """With a tolerance: sub-trees without a wildcard, in order. Instead of a wildcard, each has the
    vertex of the pattern that it replaces or follows."""

    def list_passages(self) -> list[Consumed]:
        """Return what differs from the fixed part of the pattern, in the order of the pattern."""
        return sorted([*self.consumed, *self.unexpected])


def match_pattern(
    pattern: Tree, tree: Tree, *, tolerance: float = 0, budget: int = MAX_SIBLING_PAIRS
) -> Match | None:
    """Return a cheapest match, or None. Of several, the one whose leftmost wildcards take most.

    ``tolerance`` is the largest cost of a match as a share of the sum of both sizes; 0 accepts what
    Definition 7 accepts. Raises WorkLimit after ``budget`` pairs of siblings.
    """
    max_cost = tolerance * (len(pattern) + len(tree)) if tolerance else math.inf
    matching = _Matching(pattern, tree, budget, max_cost, is_strict=not tolerance)
    cost = matching.compute_cost(0, 0)
    if math.isinf(cost) or cost > max_cost:
        return None
    matching.trace(0, 0)
    return Match(cost, sorted(matching.consumed), sorted(matching.unexpected))


class _Matching:
    """The costs of matching vertices p of a pattern with vertices t of a tree."""

    def __init__(
        self, pattern: Tree, tree: Tree, budget: int, max_cost: float, *, is_strict: bool
    ) -> None:
        self._pattern = pattern
        self._tree = tree
        self._budget = budget
        self._max_cost = max_cost
        self._is_strict = is_strict
        classes = SubtreeClasses()
        self._pattern_classes = classes.classify(pattern)
        self._tree_classes = classes.classify(tree)
        self._tables: dict[tuple[int, int], Table] = {}
        self.consumed: list[Consumed] = []
        self.unexpected: list[Consumed] = []

    def compute_cost(self, p: int, t: int) -> float:
        """Return the cost of matching two sub-trees; infinity if it is impossible."""
        cost = self._compare_roots(p, t)
        return self._get_table(p, t)[0][-1][-1] if cost is None else cost

    def _compare_roots(self, p: int, t: int) -> float | None:
        """Return the cost if it is known without comparing children, else None."""
        label = self._pattern.labels[p]
        if label in WILDCARDS or self._pattern_classes[p] == self._tree_classes[t]:
            return 0
        if label != self._tree.labels[t]:
            return _REPLACED_TEXT_COST if self._is_replaced_text(p, t) else math.inf
        return None

    def _is_replaced_text(self, p: int, t: int) -> bool:
        """Tell whether both are texts, of which a tolerance lets one replace the other."""
        if self._is_strict:
            return False
        return is_text_label(self._pattern.labels[p]) and is_text_label(self._tree.labels[t])

    def _get_removal_cost(self, p: int) -> float:
        """Return the cost if the tree has nothing for a vertex of the pattern."""
        if self._pattern.labels[p] in OPTIONAL_WILDCARDS:
            return _OMITTED_WILDCARD_COST
        return math.inf if self._is_strict else self._pattern.ends[p] - p

    def _get_insertion_cost(self, t: int) -> float:
        """Return the cost if the pattern has nothing for a vertex of the tree."""
        return math.inf if self._is_strict else self._tree.ends[t] - t

    # ---- the table of Figure 9 -------------------------------------------------------------------

    def _get_table(self, p: int, t: int) -> Table:
        table = self._tables.get((p, t))
        if table is not None:
            return table
        parts, targets = self._pattern.children(p), self._tree.children(t)
        self._budget -= (len(parts) + 1) * (len(targets) + 1)
        if self._budget < 0:
            raise WorkLimit("the pattern and the page are too large to be matched")
        insertions = [self._get_insertion_cost(target) for target in targets]
        best = [list(accumulate(insertions, initial=0.0))]
        consuming = [[math.inf] * (len(targets) + 1)]
        for part in parts:
            if self._pattern.labels[part] in WILDCARDS:
                row, consuming_row = self._fill_wildcard_row(part, insertions, best[-1])
            else:
                row = self._fill_fixed_row(part, targets, insertions, best[-1])
                consuming_row = consuming[0]
            best.append(row)
            consuming.append(consuming_row)
        self._tables[p, t] = best, consuming
        return best, consuming

    def _fill_fixed_row(
        self, part: int, targets: list[int], insertions: list[float], above: list[float]
    ) -> list[float]:
        """Return the next row of costs for a child of the pattern that is not a wildcard."""
        removal = self._get_removal_cost(part)
        row = [above[0] + removal]
        for column, target in enumerate(targets):
            cell = min(above[column + 1] + removal, row[column] + insertions[column])
            # Lines 15 and 16 of Figure 5: nothing is compared below what costs too much already.
            if above[column] < cell and above[column] <= self._max_cost:
                cost = self._compare_roots(part, target)
                if cost is None:
                    # Not compute_cost: a call less a level, and trees are as deep as pages may be.
                    cost = self._get_table(part, target)[0][-1][-1]
                cell = min(cell, above[column] + cost)
            row.append(cell)
        return row

    def _fill_wildcard_row(
        self, part: int, insertions: list[float], above: list[float]
    ) -> tuple[list[float], list[float]]:
        """Return the next row of costs for a wildcard, and that if it consumes the last vertex."""
        removal = self._get_removal_cost(part)
        is_repeated = self._pattern.labels[part] in REPEATED_WILDCARDS
        row, consuming_row = [above[0] + removal], [math.inf]
        for column, insertion in enumerate(insertions):
            consuming = above[column]
            if is_repeated:
                consuming = min(consuming, consuming_row[column])
            row.append(min(consuming, above[column + 1] + removal, row[column] + insertion))
            consuming_row.append(consuming)
        return row, consuming_row

    # ---- the traceback ---------------------------------------------------------------------------

    def trace(self, p: int, t: int) -> None:
        """Record what the wildcards below a vertex consume, and what is unexpected."""
        if self._pattern.labels[p] in WILDCARDS:
            self.consumed.append(Consumed(p, (t,)))
        elif self._pattern_classes[p] == self._tree_classes[t]:
            return
        elif self._is_replaced_text(p, t):
            self.unexpected.append(Consumed(p, (t,)))
        else:
            self._trace_children(p, t)

    def _trace_children(self, p: int, t: int) -> None:
        best, consuming = self._get_table(p, t)
        parts, targets = self._pattern.children(p), self._tree.children(t)
        i, j = len(parts), len(targets)
        inserted_end = j
        while i or j:
            if j and best[i][j] == best[i][j - 1] + self._get_insertion_cost(targets[j - 1]):
                j -= 1
                continue
            if inserted_end > j:
                last = self._pattern.ends[parts[i - 1]] - 1 if i else p
                self.unexpected.append(Consumed(last, tuple(targets[j:inserted_end])))
            if i:
                i, j = i - 1, self._trace_part(parts[i - 1], (best, consuming), targets, i, j)
            inserted_end = j
        if inserted_end > j:
            self.unexpected.append(Consumed(p, tuple(targets[j:inserted_end])))

    def _trace_part(self, part: int, table: Table, targets: list[int], i: int, j: int) -> int:
        """Record what the i-th child of the pattern consumes; return how many targets remain."""
        best, consuming = table
        is_wildcard = self._pattern.labels[part] in WILDCARDS
        # Optional wildcards on the right are left out first, so that those on the left take most.
        if best[i][j] == best[i - 1][j] + self._get_removal_cost(part):
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
