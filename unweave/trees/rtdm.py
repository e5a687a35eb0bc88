"""RTDM, the restricted top-down mapping of two trees (Reis, Golgher, Silva, Laender: WWW 2004).

Section 3 of the paper: a top-down mapping maps a vertex only if its parent is mapped; a restricted
one maps nothing below two vertices of different labels. So the distance of two trees is an edit
distance of the lists of children of their roots, in which replacing a child by one of the same
label costs the distance of the lists one level below.

Trees are given as classes of one table, in which identical sub-trees are one class. What is known
of two classes holds wherever they occur, in all trees of the table.
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
    """The costs of the operations, by label. Keeping a label costs nothing."""

    delete: Callable[[str], float]
    insert: Callable[[str], float]
    replace: Callable[[str, str], float]


UNIT_COSTS = Costs(lambda label: 1, lambda label: 1, lambda left, right: 1)

# Starting a comparison of two lists of children takes as long as comparing this many pairs.
COMPARISON_COST = 12
_MAX_CACHED_PAIRS = 2_000_000
_NO_CHAIN = -1
_BUDGET_ERROR = "the trees are too large and too different to be compared"


class Rtdm:
    """Distances and mappings of trees that share a table of classes.

    With unit costs, sizes bound distances from below, and children that are equal at both ends of
    two lists are mapped to each other in some cheapest mapping. With other costs, neither is
    assumed.
    """

    def __init__(
        self,
        classes: SubtreeClasses,
        costs: Costs = UNIT_COSTS,
        *,
        restricted: bool = True,
        budget: float = math.inf,
    ) -> None:
        """Prepare for trees of a table.

        Args:
            classes: The table; it may grow later.
            costs: The costs of the operations.
            restricted: If False, vertices below replaced ones may be mapped: the traditional
                top-down distance, for which the paper alters lines 20 to 25 of Figure 5.
            budget: The work for one distance or mapping: one for each pair of children, and
                ``COMPARISON_COST`` for each pair of lists. Beyond, WorkLimit is raised.
        """
        self._classes = classes
        self._costs = costs
        self._budget = self._left = budget
        self._is_unit = costs is UNIT_COSTS
        self._is_restricted = restricted
        self._limit = math.inf
        # The cost of the mapping below two vertices; or a limit that it is above.
        self._costs_below: dict[tuple[int, int], float] = {}
        self._exceeded_limits: dict[tuple[int, int], float] = {}
        self._over_budget: set[tuple[int, int]] = set()
        self._deletions: list[float] = []
        self._insertions: list[float] = []
        self._label_counts: dict[int, Counter[str]] = {}
        self._chains: list[int] = []
        self._chain_ends: list[int] = []
        self._chain_numbers: dict[tuple[str, int], int] = {}

    @property
    def spent(self) -> float:
        """The part of the budget that the last distance or mapping took."""
        return self._budget - self._left

    def compute_distance(self, left: int, right: int, *, limit: float = math.inf) -> float:
        """Return the cost of a cheapest mapping; infinity if it is above the limit.

        Children after those that exceed the limit are not compared: lines 15 and 16 of Figure 5.
        """
        if left == right:
            return 0
        if limit < math.inf and self.compute_lower_bound(left, right) > limit:
            return math.inf
        self._start(limit)
        pair = self._make_key(left, right)
        if pair in self._over_budget:
            raise WorkLimit(_BUDGET_ERROR)
        try:
            cost = self._replace_label(left, right) + self._compute_cost_below(left, right)
        except WorkLimit:
            self._over_budget.add(pair)
            raise
        return cost if cost <= limit else math.inf

    def compute_normalized_similarity(self, left: int, right: int) -> float:
        """Return 1 less the distance over the sum of sizes: 1 for identical trees."""
        total_size = self._classes.sizes[left] + self._classes.sizes[right]
        return 1 - self.compute_distance(left, right) / total_size

    def compute_lower_bound(self, left: int, right: int) -> float:
        """Return a lower bound of the distance from the counts of labels; 0 without unit costs.

        A label that one tree has more often needs an operation; a replacement settles two of them.
        """
        if not self._is_unit:
            return 0
        in_left, in_right = self._count_labels(left), self._count_labels(right)
        labels = in_left.keys() | in_right.keys()
        surplus = sum([abs(in_left[label] - in_right[label]) for label in labels])
        sizes = self._classes.sizes
        return max(abs(sizes[left] - sizes[right]), math.ceil(surplus / 2))

    def find_mapping(self, left: int, right: int) -> list[tuple[int, int]]:
        """Return the pairs of a cheapest mapping, vertices numbered in preorder from each root.

        Of several, the leftmost: deleted and inserted siblings come after mapped ones.
        """
        self._start()

        def align_children(x: int, y: int) -> list[tuple[int, int]]:
            is_root = (x, y) == (left, right)
            return self._align_children(x, y) if is_root or self._can_map_below(x, y) else []

        return collect_mapped_pairs(self._classes, left, right, align_children)

    def _start(self, limit: float = math.inf) -> None:
        """Reset the budget, bound the cache, and prepare classes that are new in the table."""
        self._left = self._budget
        self._limit = limit
        if len(self._costs_below) + len(self._exceeded_limits) > _MAX_CACHED_PAIRS:
            self._costs_below.clear()
            self._exceeded_limits.clear()
        classes, deletions, insertions = self._classes, self._deletions, self._insertions
        if self._is_unit:
            self._deletions = self._insertions = classes.sizes  # type: ignore[assignment]
            self._number_chains()
            return
        for number in range(len(deletions), len(classes.labels)):
            label, children = classes.labels[number], classes.children[number]
            below = sum([deletions[child] for child in children])
            deletions.append(self._costs.delete(label) + below)
            below = sum([insertions[child] for child in children])
            insertions.append(self._costs.insert(label) + below)

    def _number_chains(self) -> None:
        """Number the chains of labels below each class, down to the first vertex that branches.

        A chain goes on while a vertex has a single child, which has children itself.
        """
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

    def _spend(self, pairs: int) -> None:
        self._left -= pairs
        if self._left < 0:
            raise WorkLimit(_BUDGET_ERROR)

    def _make_key(self, left: int, right: int) -> tuple[int, int]:
        """Return the key of two sub-trees; with unit costs their order does not matter."""
        return (right, left) if self._is_unit and right < left else (left, right)

    # ---- operations ------------------------------------------------------------------------------

    def _replace_label(self, left: int, right: int) -> float:
        """Return the cost of replacing one root by the other, without what is below."""
        labels = self._classes.labels
        if labels[left] == labels[right]:
            return 0
        return self._costs.replace(labels[left], labels[right])

    def _replace_all(self, left: int, right: int) -> float:
        """Return the cost of replacing a vertex, and deleting and inserting all that is below."""
        labels, deletion, insertion = (
            self._classes.labels,
            self._deletions[left],
            self._insertions[right],
        )
        if self._is_unit:
            return deletion + insertion - 2 + (labels[left] != labels[right])
        deletion_below = deletion - self._costs.delete(labels[left])
        insertion_cost = self._costs.insert(labels[right])
        return self._replace_label(left, right) + deletion_below + insertion - insertion_cost

    def _can_map_below(self, left: int, right: int) -> bool:
        """Tell whether anything below two mapped vertices may be mapped."""
        labels, children = self._classes.labels, self._classes.children
        is_allowed = labels[left] == labels[right] or not self._is_restricted
        return is_allowed and bool(children[left]) and bool(children[right])

    def _count_labels(self, tree: int) -> Counter[str]:
        counts = self._label_counts.get(tree)
        if counts is None:
            counts = self._label_counts[tree] = Counter()
            pending = [tree]
            while pending:
                vertex = pending.pop()
                counts[self._classes.labels[vertex]] += 1
                pending.extend(self._classes.children[vertex])
        return counts

    # ---- distances -------------------------------------------------------------------------------

    def _compute_cost_below(self, left: int, right: int) -> float:
        """Return the cost of the mapping below two vertices that are mapped to each other.

        With unit costs, two single children of one label that have children are always mapped to
        each other. Such levels are passed in a loop, and chains of equal labels at once. For others
        it calls itself, once a level: trees are as deep as pages may be.
        """
        labels, children = self._classes.labels, self._classes.children
        passed: list[tuple[int, int]] = []
        while True:
            if self._is_unit and self._chains[left] == self._chains[right]:
                left, right = self._chain_ends[left], self._chain_ends[right]
            pair = self._make_key(left, right)
            cost = self._costs_below.get(pair)
            if cost is None and self._exceeded_limits.get(pair, -1) >= self._limit:
                cost = math.inf
            if cost is not None:
                break
            passed.append(pair)
            self._spend(COMPARISON_COST + len(children[left]))
            lefts, rights = self._trim_children(children[left], children[right])
            is_single_pair = self._is_unit and len(lefts) == len(rights) == 1
            if not is_single_pair or not (
                labels[lefts[0]] == labels[rights[0]] and children[lefts[0]] and children[rights[0]]
            ):
                *_, last = self._fill_table(lefts, rights)
                cost = last[-1]
                break
            left, right = lefts[0], rights[0]
        if cost > self._limit:  # the cut-off does not tell by how much
            self._exceeded_limits.update(dict.fromkeys(passed, self._limit))
            return math.inf
        self._costs_below.update(dict.fromkeys(passed, cost))
        return cost

    def _trim_children(
        self, lefts: Sequence[int], rights: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return the children without those that are equal at both ends."""
        if not self._is_unit:
            return lefts, rights
        start, shorter = 0, min(len(lefts), len(rights))
        while start < shorter and lefts[start] == rights[start]:
            start += 1
        end = 0
        while end < shorter - start and lefts[-1 - end] == rights[-1 - end]:
            end += 1
        return lefts[start : len(lefts) - end], rights[start : len(rights) - end]

    def _fill_table(self, lefts: Sequence[int], rights: Sequence[int]) -> Iterator[list[float]]:
        """Yield the rows of the table of Figure 5: distances of the first i and j children."""
        self._spend(len(lefts) * len(rights))
        labels, children = self._classes.labels, self._classes.children
        insertions = self._insertions
        row = list(accumulate([insertions[right] for right in rights], initial=0.0))
        yield row
        for left in lefts:
            deletion, label = self._deletions[left], labels[left]
            has_children = bool(children[left])
            above, row = row, [row[0] + deletion]
            for column, right in enumerate(rights):
                best, insertion = above[column + 1] + deletion, insertions[right]
                if row[column] + insertion < best:
                    best = row[column] + insertion
                mapped = above[column]
                if left != right and mapped < best:
                    if mapped > self._limit or (
                        self._is_unit and mapped + abs(deletion - insertion) >= best
                    ):
                        mapped = best  # the limit or the sizes show that mapping costs no less
                    elif (
                        has_children
                        and children[right]
                        and (label == labels[right] or not self._is_restricted)
                    ):
                        mapped += self._compute_cost_below(left, right)
                        if label != labels[right]:
                            mapped += self._replace_label(left, right)
                    else:
                        mapped += self._replace_all(left, right)
                row.append(mapped if mapped < best else best)
            yield row

    def _align_children(self, x: int, y: int) -> list[tuple[int, int]]:
        """Return the positions of mapped children: traced back by deletions, then insertions."""
        lefts, rights = self._classes.children[x], self._classes.children[y]
        table = list(self._fill_table(lefts, rights))
        pairs: list[tuple[int, int]] = []
        i, j = len(lefts), len(rights)
        while i and j:
            if math.isclose(table[i][j], table[i - 1][j] + self._deletions[lefts[i - 1]]):
                i -= 1
            elif math.isclose(table[i][j], table[i][j - 1] + self._insertions[rights[j - 1]]):
                j -= 1
            else:
                i, j = i - 1, j - 1
                pairs.append((i, j))
        return pairs[::-1]
