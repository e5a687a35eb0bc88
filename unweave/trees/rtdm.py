"""RTDM, the restricted top-down mapping of two trees (Reis, Golgher, Silva, Laender: WWW 2004, section 3).

A top-down mapping maps no vertex unless its parent is mapped, and in a restricted one nothing is mapped below two vertices
of different labels. So the distance of two trees is an edit distance of the lists of children of their roots, in which to
replace a child by one of the same label is the same question one level below.

Trees are given as classes of one table, in which identical sub-trees are one class: what was found for two classes holds
wherever they stand, in all trees of the table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from unweave.errors import WorkLimit
from unweave.trees.tree import Classes, mapped_pairs


@dataclass(frozen=True, slots=True)
class Costs:
    """What it costs to delete, to insert and to replace a vertex, by its label. To keep a label costs nothing."""

    delete: Callable[[str], float]
    insert: Callable[[str], float]
    replace: Callable[[str, str], float]


UNIT = Costs(lambda label: 1, lambda label: 1, lambda label, other: 1)


_MOST_KNOWN = 2_000_000
_TOO_DIFFERENT = "the trees are too large and too different to be compared"


class Rtdm:
    """Distances and mappings of trees that share a table of classes.

    With unit costs much is known without looking: sizes bound a distance from below, and children that are equal at both
    ends of two lists are mapped to each other in some cheapest mapping. Of other costs nothing is taken for granted.
    """

    def __init__(self, classes: Classes, costs: Costs = UNIT, *, budget: float = math.inf) -> None:
        """``budget`` bounds the pairs of children that are looked at for one distance or mapping; above, WorkLimit."""
        self._classes = classes
        self._costs = costs
        self._budget = self._left = budget
        self._is_unit = costs is UNIT
        self._below: dict[tuple[int, int], float] = {}
        self._exceeding: set[tuple[int, int]] = set()
        self._deletions: list[float] = []
        self._insertions: list[float] = []
        self._histograms: dict[int, Counter[str]] = {}

    def distance(self, one: int, other: int, *, limit: float = math.inf) -> float:
        """The cost of a cheapest mapping; infinity if it is above the limit."""
        if one == other:
            return 0
        if limit < math.inf and self.lower_bound(one, other) > limit:
            return math.inf
        self._learn_costs()
        self._start()
        if (one, other) in self._exceeding:
            raise WorkLimit(_TOO_DIFFERENT)
        try:
            found = self._replacement(one, other) + self._distance_below(one, other)
        except WorkLimit:
            self._exceeding.add((one, other))
            raise
        return found if found <= limit else math.inf

    def similarity(self, one: int, other: int) -> float:
        """1 for identical trees, 0 for trees that share no label: the distance over the sum of both sizes."""
        return 1 - self.distance(one, other) / (self._classes.sizes[one] + self._classes.sizes[other])

    def lower_bound(self, one: int, other: int) -> float:
        """At most the distance, by the numbers of labels alone; 0 for costs of one's own.

        A label that one tree has more often must be deleted, inserted or replaced; a replacement settles two of them.
        """
        if not self._is_unit:
            return 0
        first, second = self._histogram(one), self._histogram(other)
        surplus = sum([abs(first[label] - second[label]) for label in first.keys() | second.keys()])
        return max(abs(self._classes.sizes[one] - self._classes.sizes[other]), math.ceil(surplus / 2))

    def mapping(self, one: int, other: int) -> list[tuple[int, int]]:
        """The pairs of a cheapest mapping, nodes numbered in preorder from each root.

        Of equally cheap ones the leftmost: what one list of siblings has more of comes after what is mapped.
        """
        self._learn_costs()
        self._start()
        children = self._classes.children

        def aligned(x: int, y: int) -> list[tuple[int, int]]:
            is_open = (x, y) == (one, other) or self._is_same_question(x, y)
            return self._aligned(children[x], children[y]) if is_open else []

        return mapped_pairs(self._classes, one, other, aligned)

    # ---- costs ---------------------------------------------------------------------------------------------------

    def _learn_costs(self) -> None:
        """What it costs to delete and to insert the sub-trees that the table has got since it was last asked."""
        if self._is_unit:
            self._deletions = self._insertions = self._classes.sizes  # type: ignore[assignment]
            return
        for number in range(len(self._deletions), len(self._classes.labels)):
            label, children = self._classes.labels[number], self._classes.children[number]
            self._deletions.append(self._costs.delete(label) + sum([self._deletions[child] for child in children]))
            self._insertions.append(self._costs.insert(label) + sum([self._insertions[child] for child in children]))

    def _replacement(self, one: int, other: int) -> float:
        """What it costs to replace the root of one tree by that of the other."""
        labels = self._classes.labels
        return 0 if labels[one] == labels[other] else self._costs.replace(labels[one], labels[other])

    def _is_same_question(self, one: int, other: int) -> bool:
        """May something below the two be mapped?"""
        labels, children = self._classes.labels, self._classes.children
        return labels[one] == labels[other] and bool(children[one]) and bool(children[other])

    def _exchange(self, one: int, other: int) -> float:
        """What it costs to replace a vertex by another, and to delete and insert all that is below."""
        labels = self._classes.labels
        below = self._deletions[one] - self._costs.delete(labels[one])
        return self._replacement(one, other) + below + self._insertions[other] - self._costs.insert(labels[other])

    def _histogram(self, tree: int) -> Counter[str]:
        """How often each label stands in a tree."""
        known = self._histograms.get(tree)
        if known is None:
            known = Counter({self._classes.labels[tree]: 1})
            for child in self._classes.children[tree]:
                known.update(self._histogram(child))
            self._histograms[tree] = known
        return known

    # ---- distances -----------------------------------------------------------------------------------------------

    def _distance_below(self, one: int, other: int) -> float:
        """The cost of mapping what is below two vertices that are mapped to each other, two rows of the table at a time.

        It asks itself for the levels below, in one step a level: trees are as deep as pages may be.
        """
        pair = (one, other) if one < other or not self._is_unit else (other, one)
        known = self._below.get(pair)
        if known is not None:
            return known
        kids, others = self._trimmed(self._classes.children[one], self._classes.children[other])
        self._spend(len(self._classes.children[one]) + len(kids) * len(others))
        sizes, insertions = self._classes.sizes, self._insertions
        above = list(accumulate([insertions[kid] for kid in others], initial=0.0))
        for kid in kids:
            deletion = self._deletions[kid]
            row = [above[0] + deletion]
            for column, match in enumerate(others):
                best = min(above[column + 1] + deletion, row[column] + insertions[match])
                diagonal = above[column]
                if kid == match:
                    best = min(best, diagonal)
                elif diagonal < best and self._is_same_question(kid, match):
                    if not self._is_unit or diagonal + abs(sizes[kid] - sizes[match]) < best:
                        best = min(best, diagonal + self._distance_below(kid, match))
                elif diagonal < best:
                    best = min(best, diagonal + self._exchange(kid, match))
                row.append(best)
            above = row
        self._below[pair] = above[-1]
        return above[-1]

    def _start(self) -> None:
        """A new question. What was found for earlier ones is kept as long as there is room."""
        self._left = self._budget
        if len(self._below) > _MOST_KNOWN:
            self._below.clear()

    @property
    def spent(self) -> float:
        """How many pairs of children were looked at for the last distance or mapping."""
        return self._budget - self._left

    def _spend(self, pairs: int) -> None:
        self._left -= pairs
        if self._left < 0:
            raise WorkLimit(_TOO_DIFFERENT)

    def _trimmed(self, kids: Sequence[int], others: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """The lists without what is equal at their beginnings and ends."""
        if not self._is_unit:
            return kids, others
        start, shorter = 0, min(len(kids), len(others))
        while start < shorter and kids[start] == others[start]:
            start += 1
        end = 0
        while end < shorter - start and kids[-1 - end] == others[-1 - end]:
            end += 1
        return kids[start : len(kids) - end], others[start : len(others) - end]

    def _aligned(self, kids: Sequence[int], others: Sequence[int]) -> list[tuple[int, int]]:
        """The positions of children that are mapped to each other: traced back by deletions first, then insertions."""
        self._spend(len(kids) * len(others))
        table = [list(accumulate([self._insertions[kid] for kid in others], initial=0.0))]
        for kid in kids:
            row = [table[-1][0] + self._deletions[kid]]
            for column, match in enumerate(others):
                kept = table[-1][column] + self._substitution(kid, match)
                row.append(min(table[-1][column + 1] + self._deletions[kid], row[column] + self._insertions[match], kept))
            table.append(row)
        pairs: list[tuple[int, int]] = []
        i, j = len(kids), len(others)
        while i and j:
            if math.isclose(table[i][j], table[i - 1][j] + self._deletions[kids[i - 1]]):
                i -= 1
            elif math.isclose(table[i][j], table[i][j - 1] + self._insertions[others[j - 1]]):
                j -= 1
            else:
                i, j = i - 1, j - 1
                pairs.append((i, j))
        return pairs[::-1]

    def _substitution(self, one: int, other: int) -> float:
        if one == other:
            return 0
        return self._distance_below(one, other) if self._is_same_question(one, other) else self._exchange(one, other)
