"""Simple tree matching (DEPTA, section 4.2): the most nodes that two trees share, keeping order, parents and labels.

Works on classes of identical sub-trees, so that what repeats is matched once; no recursion, so that depth is no limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unweave.errors import WorkLimit
from unweave.trees.tree import SubtreeClasses, Tree, collect_mapped_pairs


class Matcher:
    """Matches trees over one table of classes and remembers what it has matched."""

    def __init__(self, classes: SubtreeClasses | None = None, *, budget: float = math.inf) -> None:
        """``budget`` is the number of pairs of nodes that may be looked at before WorkLimit is raised."""
        self.classes = SubtreeClasses() if classes is None else classes
        self._budget = budget
        self._values: dict[tuple[int, int], int] = {}

    def compute_value(self, a: Tree, b: Tree) -> int:
        """The number of node pairs in a maximum matching; 0 if the roots' labels differ."""
        return self.compute_class_value(self.classes.classify(a)[0], self.classes.classify(b)[0])

    def compute_normalized_value(self, a: Tree, b: Tree) -> float:
        """``value`` over the mean size, from 0 to 1; 1 if and only if the trees are identical."""
        return 2 * self.compute_value(a, b) / (len(a) + len(b))

    def find_mapping(self, a: Tree, b: Tree) -> list[tuple[int, int]]:
        """The node pairs of a maximum matching, in preorder. Ties prefer earlier children, those of ``a`` first."""
        return self.find_class_mapping(self.classes.classify(a)[0], self.classes.classify(b)[0])

    def find_class_mapping(self, a: int, b: int) -> list[tuple[int, int]]:
        """``mapping`` of two trees of these classes; nodes are numbered in preorder from each root."""
        if self.classes.labels[a] != self.classes.labels[b]:
            return []
        children = self.classes.children
        return collect_mapped_pairs(
            self.classes, a, b, lambda x, y: self._aligned(children[x], children[y])
        )

    def compute_class_value(self, a: int, b: int) -> int:
        """``value`` of two trees of these classes: the pairs below them first, by a stack of its own."""
        values = self._values
        waiting = [(a, b)]
        while waiting:
            x, y = pair = waiting[-1]
            if self._known(x, y) is None:
                below = self._pairs_below(x, y)
                if below:
                    waiting.extend(below)
                    continue
                values[pair] = (
                    1 + self._rows(*self._trimmed(x, y))[-1][-1] + self._trimmed_value(x, y)
                )
            waiting.pop()
        return self._known(a, b) or 0

    def spend(self, pairs: int) -> None:
        """Take from the budget."""
        self._budget -= pairs
        if self._budget < 0:
            raise WorkLimit("the trees are too large to be matched")

    def _known(self, x: int, y: int) -> int | None:
        if x == y:
            return self.classes.sizes[x]
        if self.classes.labels[x] != self.classes.labels[y]:
            return 0
        return self._values.get((x, y))

    def _pairs_below(self, x: int, y: int) -> list[tuple[int, int]]:
        """The pairs of children that must be known first."""
        kids_x, kids_y = self._trimmed(x, y)
        self.spend(len(kids_x) * len(kids_y))
        return [
            (u, v)
            for u in dict.fromkeys(kids_x)
            for v in dict.fromkeys(kids_y)
            if self._known(u, v) is None
        ]

    def _trimmed(self, x: int, y: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The children without their common prefix and suffix, which a maximum matching may always take."""
        kids_x, kids_y = self.classes.children[x], self.classes.children[y]
        start = _common_prefix(kids_x, kids_y)
        stop = _common_prefix(kids_x[start:][::-1], kids_y[start:][::-1])
        return kids_x[start : len(kids_x) - stop], kids_y[start : len(kids_y) - stop]

    def _trimmed_value(self, x: int, y: int) -> int:
        """The nodes that ``_trimmed`` took away."""
        sizes, left = self.classes.sizes, self._trimmed(x, y)[0]
        return sizes[x] - 1 - sum(sizes[kid] for kid in left)

    def _rows(self, kids_x: Sequence[int], kids_y: Sequence[int]) -> list[list[int]]:
        """The table M of the paper: M[i][j] is the best value of the first i and the first j children."""
        self.spend(len(kids_x) * len(kids_y))
        row = [0] * (len(kids_y) + 1)
        rows = [row]
        for u in kids_x:
            above, row = row, [0]
            for j, v in enumerate(kids_y):
                row.append(max(row[j], above[j + 1], above[j] + (self._known(u, v) or 0)))
            rows.append(row)
        return rows

    def _aligned(self, kids_x: Sequence[int], kids_y: Sequence[int]) -> list[tuple[int, int]]:
        """Which child goes with which, by the traceback that prefers earlier children.

        A common prefix may be taken as it is; a common suffix may not, as it would take the latest child of several.
        """
        start = _common_prefix(kids_x, kids_y)
        pairs = [(k, k) for k in range(start)]
        for u in set(kids_x[start:]):
            for v in set(kids_y[start:]):
                self.compute_class_value(u, v)  # a value further up may have been found without it
        rows = self._rows(kids_x[start:], kids_y[start:])
        i, j = len(kids_x) - start, len(kids_y) - start
        while i and j:
            if rows[i][j] == rows[i - 1][j]:
                i -= 1
            elif rows[i][j] == rows[i][j - 1]:
                j -= 1
            else:
                i, j = i - 1, j - 1
                pairs.append((start + i, start + j))
        return pairs


def _common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return length
