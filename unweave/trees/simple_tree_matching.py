"""Simple tree matching (DEPTA, section 4.2): the most nodes that two trees can share.

A matching keeps labels, parents and the order of siblings. Trees are given as classes of identical
sub-trees, so that what repeats is matched once. There is no recursion: depth is no limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unweave.errors import WorkLimit
from unweave.trees.tree import SubtreeClasses, collect_mapped_pairs


class Matcher:
    """Matches trees of one table of classes and remembers the similarities of sub-trees."""

    def __init__(self, classes: SubtreeClasses | None = None, *, budget: float = math.inf) -> None:
        """``budget`` is the number of pairs of nodes to compare before WorkLimit is raised."""
        self.classes = SubtreeClasses() if classes is None else classes
        self._budget = budget
        self._similarities: dict[tuple[int, int], int] = {}

    def compute_similarity(self, left: int, right: int) -> int:
        """Return the number of node pairs in a maximum matching; 0 if the root labels differ."""
        similarities, sizes = self._similarities, self.classes.sizes
        pending = [(left, right)]
        while pending:
            x, y = pair = pending[-1]
            if self._get_similarity(x, y) is None:
                children_x, children_y = self._trim_children(x, y)
                self.spend(len(children_x) * len(children_y))
                unknown = [
                    (u, v)
                    for u in dict.fromkeys(children_x)
                    for v in dict.fromkeys(children_y)
                    if self._get_similarity(u, v) is None
                ]
                if unknown:
                    pending.extend(unknown)
                    continue
                trimmed = sizes[x] - 1 - sum(sizes[child] for child in children_x)
                similarities[pair] = 1 + trimmed + self._fill_table(children_x, children_y)[-1][-1]
            pending.pop()
        return self._get_similarity(left, right) or 0

    def find_mapping(self, left: int, right: int) -> list[tuple[int, int]]:
        """Return the node pairs of a maximum matching, nodes numbered in preorder from each root.

        Of several, the one with the earliest children, those of ``left`` first.
        """
        if self.classes.labels[left] != self.classes.labels[right]:
            return []
        return collect_mapped_pairs(self.classes, left, right, self._align_children)

    def spend(self, pairs: int) -> None:
        """Take pairs from the budget. Raises WorkLimit if there are too few left."""
        self._budget -= pairs
        if self._budget < 0:
            raise WorkLimit("the trees are too large to be matched")

    def _get_similarity(self, x: int, y: int) -> int | None:
        """Return the similarity as far as it is known without comparing children."""
        if x == y:
            return self.classes.sizes[x]
        if self.classes.labels[x] != self.classes.labels[y]:
            return 0
        return self._similarities.get((x, y))

    def _trim_children(self, x: int, y: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the children without common prefix and suffix, which a maximum may match."""
        left, right = self.classes.children[x], self.classes.children[y]
        start = _count_common_prefix(left, right)
        end = _count_common_prefix(left[start:][::-1], right[start:][::-1])
        return left[start : len(left) - end], right[start : len(right) - end]

    def _fill_table(self, left: Sequence[int], right: Sequence[int]) -> list[list[int]]:
        """Return the table M of Figure 9: M[i][j] for the first i and the first j children."""
        self.spend(len(left) * len(right))
        row = [0] * (len(right) + 1)
        table = [row]
        for u in left:
            above, row = row, [0]
            for j, v in enumerate(right):
                row.append(max(row[j], above[j + 1], above[j] + (self._get_similarity(u, v) or 0)))
            table.append(row)
        return table

    def _align_children(self, x: int, y: int) -> list[tuple[int, int]]:
        """Return the positions of children that are matched: the traceback through M.

        A common prefix is matched as it is. A common suffix is not, as it would take the last child
        of several that match.
        """
        left, right = self.classes.children[x], self.classes.children[y]
        start = _count_common_prefix(left, right)
        pairs = [(position, position) for position in range(start)]
        left, right = left[start:], right[start:]
        for u in set(left):
            for v in set(right):
                self.compute_similarity(u, v)  # that of x and y may be known without it
        table = self._fill_table(left, right)
        i, j = len(left), len(right)
        while i and j:
            if table[i][j] == table[i - 1][j]:
                i -= 1
            elif table[i][j] == table[i][j - 1]:
                j -= 1
            else:
                i, j = i - 1, j - 1
                pairs.append((start + i, start + j))
        return pairs


def _count_common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    length = 0
    for x, y in zip(left, right, strict=False):
        if x != y:
            break
        length += 1
    return length
