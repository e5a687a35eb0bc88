"""Clusters of pages made from one template, by the similarity of their trees (Reis et al., section 4.1).

Hierarchical with average linkage: the two groups whose pages are most alike on average become one, as long as they are
alike enough. No number of clusters is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import combinations
from typing import Protocol, TypeVar

from unweave.errors import UsageError, WorkLimit
from unweave.page.page import Page
from unweave.trees.edit_distance import FLOAT_TOLERANCE
from unweave.trees.paths import PathProfile, PathProfiler
from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import SubtreeClasses

PAPER = 0.8
"""The paper's own threshold: 80 % similarity. Real sites fall into more clusters than they have templates."""

DEFAULT = 0.5
"""Pages of one template of forty real sites are rarely less alike, those of two sites never more (docs/quality.md)."""

# The budget of one comparison, in the units of Rtdm.
MAX_COMPARISON_COST = 3_000_000
# And that of all comparisons for each page; beyond, bounds must do.
MAX_COMPARISONS_COST_PER_PAGE = 600_000

# A new page is compared with so many pages of each cluster.
_MOST_COMPARED = 10


Member = TypeVar("Member")


class Clusters:
    """Pages in clusters, numbered from 0 in the order of their first pages. New pages can join."""

    def __init__(self, threshold: float = DEFAULT) -> None:
        if not 0 < threshold <= 1:
            raise UsageError(f"the threshold must be above 0 and at most 1, not {threshold}")
        self._threshold = threshold
        self._trees = _Trees()
        self._members: list[list[int]] = []

    def add(self, pages: Iterable[Page]) -> list[int]:
        """Put pages into clusters of their own and give the number of each page's cluster. Only their trees are kept."""
        first = len(self._members)
        trees = [self._trees.add(page) for page in pages]
        groups = Linkage(trees, self._trees, self._threshold).groups()
        self._members += groups
        number = {tree: first + n for n, group in enumerate(groups) for tree in group}
        return [number[tree] for tree in trees]

    def join(self, page: Page) -> int:
        """The number of the cluster that a new page joins: the most similar, or a new one if none is similar enough."""
        tree = self._trees.add(page)
        means = [self._mean(tree, members[:_MOST_COMPARED]) for members in self._members]
        best = max(range(len(means)), key=means.__getitem__, default=0)
        if not means or means[best] < self._threshold:
            self._members.append([])
            best = len(self._members) - 1
        self._members[best].append(tree)
        return best

    def __len__(self) -> int:
        return len(self._members)

    @property
    def estimated(self) -> int:
        """How many similarities were not worked out, because that would have taken too long: upper bounds were used."""
        return self._trees.estimated

    def _mean(self, tree: int, members: Sequence[int]) -> float:
        bound = sum([self._trees.bound(tree, member) for member in members]) / len(members)
        if bound < self._threshold:
            return bound
        return sum([self._trees.similarity(tree, member) for member in members]) / len(members)


def grouped(members: Iterable[Member], numbers: Sequence[int]) -> list[list[Member]]:
    """What belongs to each cluster, clusters in order."""
    groups: dict[int, list[Member]] = {}
    for member, number in zip(members, numbers, strict=True):
        groups.setdefault(number, []).append(member)
    return [groups[number] for number in sorted(groups)]


class _Trees:
    """The trees of pages, what bounds their similarity from above, and their similarity."""

    def __init__(self) -> None:
        self._classes = SubtreeClasses()
        self._rtdm = Rtdm(self._classes, budget=MAX_COMPARISON_COST)
        self._profiles = PathProfiler()
        self._roots: list[int] = []
        self._outlines: list[PathProfile] = []
        self._known: dict[tuple[int, int], float] = {}
        self._left = float(MAX_COMPARISON_COST)
        self.estimated = 0

    def add(self, page: Page) -> int:
        """Take the tree of a page; words are no structure, so all texts are alike."""
        tree = page.build_tree_with_texts()
        self._left += MAX_COMPARISONS_COST_PER_PAGE
        self._roots.append(self._classes.classify(tree)[0])
        self._outlines.append(self._profiles.compute_profile(tree))
        return len(self._roots) - 1

    def bound(self, one: int, other: int) -> float:
        """At least the similarity of two trees."""
        return self._outlines[one].compute_similarity_bound(self._outlines[other])

    def similarity(self, one: int, other: int) -> float:
        """The similarity of two trees; the bound of it if finding out would take too long."""
        pair = (min(one, other), max(one, other))
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._worked_out(one, other)
        return known

    def _worked_out(self, one: int, other: int) -> float:
        if self._left > 0:
            try:
                return self._rtdm.compute_normalized_similarity(
                    self._roots[one], self._roots[other]
                )
            except WorkLimit:
                pass
            finally:
                self._left -= self._rtdm.spent
        self.estimated += 1
        return self.bound(one, other)


class Measure(Protocol):
    """How alike things are that have numbers."""

    def bound(self, one: int, other: int) -> float:
        """At least the similarity of two."""

    def similarity(self, one: int, other: int) -> float:
        """The similarity of two, from 0 to 1."""


def _never(one: Sequence[int], other: Sequence[int]) -> bool:
    return False


class Linkage:
    """Average linkage of trees, or of other things that have numbers.

    Similarities are worked out only where they decide something: a pair of groups is judged by upper bounds first, and only
    if those are high enough by the similarities themselves. Groups that ``differ`` stay apart, however alike they are.
    """

    def __init__(
        self,
        trees: Sequence[int],
        measure: Measure,
        threshold: float,
        differ: Callable[[Sequence[int], Sequence[int]], bool] = _never,
    ) -> None:
        self._measure = measure
        self._threshold = threshold
        self._differ = differ
        self._groups = {number: [tree] for number, tree in enumerate(trees)}
        self._sums: dict[int, dict[int, float]] = {number: {} for number in self._groups}
        self._heap: list[tuple[float, int, int]] = []
        for one, other in combinations(self._groups, 2):
            self._weigh(one, other, measure.bound(trees[one], trees[other]))

    def groups(self) -> list[list[int]]:
        """The groups in the order of their first trees."""
        while self._heap:
            mean, one, other = heappop(self._heap)
            if one in self._groups and other in self._groups and -mean == self._mean(one, other):
                exact = self._exact_sum(one, other)
                if exact < self._sums[one][other] - FLOAT_TOLERANCE:
                    self._weigh(one, other, exact)
                elif not self._differ(self._groups[one], self._groups[other]):
                    self._merge(one, other)
        return sorted(self._groups.values(), key=min)

    def _weigh(self, one: int, other: int, sum_: float) -> None:
        """Note the sum of similarities of two groups, or an upper bound of it."""
        self._sums[one][other] = self._sums[other][one] = sum_
        mean = self._mean(one, other)
        if mean >= self._threshold:
            heappush(self._heap, (-mean, one, other))

    def _mean(self, one: int, other: int) -> float:
        return self._sums[one][other] / (len(self._groups[one]) * len(self._groups[other]))

    def _exact_sum(self, one: int, other: int) -> float:
        return sum(
            [self._measure.similarity(a, b) for a in self._groups[one] for b in self._groups[other]]
        )

    def _merge(self, one: int, other: int) -> None:
        number = len(self._sums)
        self._groups[number] = self._groups.pop(one) + self._groups.pop(other)
        sums_of_one, sums_of_other = self._sums[one], self._sums[other]
        self._sums[number] = {}
        for third in self._groups:
            if third != number:
                self._weigh(third, number, sums_of_one[third] + sums_of_other[third])
