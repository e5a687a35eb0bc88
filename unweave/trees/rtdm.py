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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from unweave.errors import WorkLimit
from unweave.trees.tree import SubtreeClasses, collect_mapped_pairs


@dataclass(frozen=True, slots=True)
class Costs:
    """What it costs to delete, to insert and to replace a vertex, by its label. To keep a label costs nothing."""

    delete: Callable[[str], float]
    insert: Callable[[str], float]
    replace: Callable[[str, str], float]


UNIT_COSTS = Costs(lambda label: 1, lambda label: 1, lambda label, other: 1)


_MOST_KNOWN = 2_000_000
_NO_CHAIN = -1
# To begin a comparison of two lists of children takes as long as to look at so many pairs of children.
COMPARISON_COST = 12
_TOO_DIFFERENT = "the trees are too large and too different to be compared"


class Rtdm:
    """Distances and mappings of trees that share a table of classes.

    With unit costs much is known without looking: sizes bound a distance from below, and children that are equal at both
    ends of two lists are mapped to each other in some cheapest mapping. Of other costs nothing is taken for granted.
    """

    def __init__(
        self,
        classes: SubtreeClasses,
        costs: Costs = UNIT_COSTS,
        *,
        restricted: bool = True,
        budget: float = math.inf,
    ) -> None:
        """Without ``restricted``, what is below vertices of different labels may be mapped as well: that is the traditional
        top-down distance, for which the paper alters lines 20 to 25 of its Figure 5.

        ``budget`` bounds the work for one distance or mapping: pairs of children that are looked at, and for each
        comparison of two lists of children ``COMPARISON_COST`` of them. Above, WorkLimit is raised.
        """
        self._classes = classes
        self._costs = costs
        self._budget = self._left = budget
        self._is_unit = costs is UNIT_COSTS
        self._is_restricted = restricted
        self._limit = math.inf
        self._below: dict[tuple[int, int], float] = {}
        self._above_limit: dict[tuple[int, int], float] = {}
        self._exceeding: set[tuple[int, int]] = set()
        self._deletions: list[float] = []
        self._insertions: list[float] = []
        self._histograms: dict[int, Counter[str]] = {}
        self._chains: list[int] = []
        self._chain_ends: list[int] = []
        self._chain_numbers: dict[tuple[str, int], int] = {}

    def compute_distance(self, one: int, other: int, *, limit: float = math.inf) -> float:
        """The cost of a cheapest mapping; infinity if it is above the limit.

        Of vertices before which the limit is passed already, nothing below is looked at: lines 15 and 16 of Figure 5.
        """
        if one == other:
            return 0
        if limit < math.inf and self.compute_lower_bound(one, other) > limit:
            return math.inf
        self._learn_costs()
        self._start(limit)
        if self._pair(one, other) in self._exceeding:
            raise WorkLimit(_TOO_DIFFERENT)
        try:
            found = self._replacement(one, other) + self._distance_below(one, other)
        except WorkLimit:
            self._exceeding.add(self._pair(one, other))
            raise
        return found if found <= limit else math.inf

    def compute_normalized_similarity(self, one: int, other: int) -> float:
        """1 for identical trees, 0 for trees that share no label: the distance over the sum of both sizes."""
        return 1 - self.compute_distance(one, other) / (
            self._classes.sizes[one] + self._classes.sizes[other]
        )

    def compute_lower_bound(self, one: int, other: int) -> float:
        """At most the distance, by the numbers of labels alone; 0 for costs of one's own.

        A label that one tree has more often must be deleted, inserted or replaced; a replacement settles two of them.
        """
        if not self._is_unit:
            return 0
        first, second = self._histogram(one), self._histogram(other)
        surplus = sum([abs(first[label] - second[label]) for label in first.keys() | second.keys()])
        return max(
            abs(self._classes.sizes[one] - self._classes.sizes[other]), math.ceil(surplus / 2)
        )

    def find_mapping(self, one: int, other: int) -> list[tuple[int, int]]:
        """The pairs of a cheapest mapping, nodes numbered in preorder from each root.

        Of equally cheap ones the leftmost: what one list of siblings has more of comes after what is mapped.
        """
        self._learn_costs()
        self._start()
        children = self._classes.children

        def aligned(x: int, y: int) -> list[tuple[int, int]]:
            is_open = (x, y) == (one, other) or self._is_mapped_below(x, y)
            return self._aligned(children[x], children[y]) if is_open else []

        return collect_mapped_pairs(self._classes, one, other, aligned)

    # ---- costs ---------------------------------------------------------------------------------------------------

    def _learn_costs(self) -> None:
        """What it costs to delete and to insert the sub-trees that the table has got since it was last asked."""
        if self._is_unit:
            self._deletions = self._insertions = self._classes.sizes  # type: ignore[assignment]
            self._find_chains()
            return
        for number in range(len(self._deletions), len(self._classes.labels)):
            label, children = self._classes.labels[number], self._classes.children[number]
            self._deletions.append(
                self._costs.delete(label) + sum([self._deletions[child] for child in children])
            )
            self._insertions.append(
                self._costs.insert(label) + sum([self._insertions[child] for child in children])
            )

    def _pair(self, one: int, other: int) -> tuple[int, int]:
        """Return the key of two sub-trees; with unit costs their order does not matter."""
        return (other, one) if self._is_unit and other < one else (one, other)

    def _find_chains(self) -> None:
        """Note of each sub-tree the labels down to the first vertex that has not a single child with children."""
        labels, children = self._classes.labels, self._classes.children
        for number in range(len(self._chains), len(labels)):
            child = children[number][0] if len(children[number]) == 1 else number
            if child == number or not children[child]:
                self._chains.append(_NO_CHAIN)
                self._chain_ends.append(number)
            else:
                key = (labels[child], self._chains[child])
                self._chains.append(self._chain_numbers.setdefault(key, len(self._chain_numbers)))
                self._chain_ends.append(self._chain_ends[child])

    def _replacement(self, one: int, other: int) -> float:
        """What it costs to replace the root of one tree by that of the other."""
        labels = self._classes.labels
        return (
            0 if labels[one] == labels[other] else self._costs.replace(labels[one], labels[other])
        )

    def _is_same_question(self, one: int, other: int) -> bool:
        """Have both the same label, and children?"""
        labels, children = self._classes.labels, self._classes.children
        return labels[one] == labels[other] and bool(children[one]) and bool(children[other])

    def _is_mapped_below(self, one: int, other: int) -> bool:
        """May something below the two be mapped?"""
        labels, children = self._classes.labels, self._classes.children
        is_open = labels[one] == labels[other] or not self._is_restricted
        return is_open and bool(children[one]) and bool(children[other])

    def _exchange(self, one: int, other: int) -> float:
        """What it costs to replace a vertex by another, and to delete and insert all that is below."""
        labels = self._classes.labels
        if self._is_unit:
            return (
                self._deletions[one] + self._insertions[other] - 2 + (labels[one] != labels[other])
            )
        below = self._deletions[one] - self._costs.delete(labels[one])
        return (
            self._replacement(one, other)
            + below
            + self._insertions[other]
            - self._costs.insert(labels[other])
        )

    def _histogram(self, tree: int) -> Counter[str]:
        """How often each label stands in a tree."""
        known = self._histograms.get(tree)
        if known is None:
            known = self._histograms[tree] = Counter()
            waiting = [tree]
            while waiting:
                vertex = waiting.pop()
                known[self._classes.labels[vertex]] += 1
                waiting.extend(self._classes.children[vertex])
        return known

    # ---- distances -----------------------------------------------------------------------------------------------

    def _distance_below(self, one: int, other: int) -> float:
        """Return the cost of mapping what is below two vertices that are mapped to each other.

        With unit costs, two single children of one label that have children are always mapped to each other, and cost
        what is below them: such levels are passed in a loop, and chains of equal labels at once. For all others it calls
        itself, once a level: trees are as deep as pages may be.
        """
        children = self._classes.children
        passed: list[tuple[int, int]] = []
        while True:
            if self._is_unit and self._chains[one] == self._chains[other]:
                one, other = self._chain_ends[one], self._chain_ends[other]
            pair = self._pair(one, other)
            cost = self._below.get(pair)
            if cost is None and self._above_limit.get(pair, -1) >= self._limit:
                cost = math.inf
            if cost is not None:
                break
            passed.append(pair)
            self._spend(COMPARISON_COST + len(children[one]))
            kids, others = self._trimmed(children[one], children[other])
            is_single = self._is_unit and len(kids) == len(others) == 1
            if not is_single or not self._is_same_question(kids[0], others[0]):
                *_, last = self._rows(kids, others)
                cost = last[-1]
                break
            one, other = kids[0], others[0]
        if cost > self._limit:  # how much more, the cut-off leaves open
            self._above_limit.update(dict.fromkeys(passed, self._limit))
            return math.inf
        self._below.update(dict.fromkeys(passed, cost))
        return cost

    def _rows(self, kids: Sequence[int], others: Sequence[int]) -> Iterator[list[float]]:
        """Yield the rows of the table of edit distances between the first children of both lists."""
        self._spend(len(kids) * len(others))
        labels, children, insertions = (
            self._classes.labels,
            self._classes.children,
            self._insertions,
        )
        row = list(accumulate([insertions[kid] for kid in others], initial=0.0))
        yield row
        for kid in kids:
            deletion, label, has_children = self._deletions[kid], labels[kid], bool(children[kid])
            above, row = row, [row[0] + deletion]
            for column, match in enumerate(others):
                best, insertion = above[column + 1] + deletion, insertions[match]
                if row[column] + insertion < best:
                    best = row[column] + insertion
                kept = above[column]
                if kid != match and kept < best:
                    if kept > self._limit or (
                        self._is_unit and kept + abs(deletion - insertion) >= best
                    ):
                        kept = best  # it costs more to replace one by the other: the limit, or sizes alone tell
                    elif (
                        has_children
                        and children[match]
                        and (label == labels[match] or not self._is_restricted)
                    ):
                        kept += self._distance_below(kid, match)
                        if label != labels[match]:
                            kept += self._replacement(kid, match)
                    else:
                        kept += self._exchange(kid, match)
                row.append(kept if kept < best else best)
            yield row

    def _start(self, limit: float = math.inf) -> None:
        """A new question. What was found for earlier ones is kept as long as there is room."""
        self._left = self._budget
        self._limit = limit
        if len(self._below) + len(self._above_limit) > _MOST_KNOWN:
            self._below.clear()
            self._above_limit.clear()

    @property
    def spent(self) -> float:
        """What the last distance or mapping took of the budget."""
        return self._budget - self._left

    def _spend(self, pairs: int) -> None:
        self._left -= pairs
        if self._left < 0:
            raise WorkLimit(_TOO_DIFFERENT)

    def _trimmed(
        self, kids: Sequence[int], others: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[int]]:
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
        table = list(self._rows(kids, others))
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
