"""Cluster pages of one template by the similarity of their trees (Reis et al., section 4.1).

Hierarchical clustering with average linkage: the two groups whose pages are most similar on average
are merged, as long as they are similar enough. The number of clusters is not given.
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

PAPER_THRESHOLD = 0.8
"""The threshold of the paper. Real sites fall into more clusters than they have templates."""

DEFAULT_THRESHOLD = 0.5
"""Pages of one template of forty real sites are rarely less similar, those of two sites never more
(docs/explanation/quality.md).
"""

MAX_COMPARISON_COST = 3_000_000
"""The budget of one comparison, in the units of Rtdm."""
MAX_COMPARISONS_COST_PER_PAGE = 600_000
"""The budget of all comparisons, for each page. Beyond it, upper bounds are used."""
MAX_COMPARED_PAGES = 10
"""A new page is compared with this many pages of each cluster."""

Member = TypeVar("Member")


class Clusters:
    """Clusters of pages, numbered from 0 in the order of their first pages."""

    def __init__(self, threshold: float = DEFAULT_THRESHOLD) -> None:
        if not 0 < threshold <= 1:
            raise UsageError(f"the threshold must be above 0 and at most 1, not {threshold}")
        self._threshold = threshold
        self._trees = _Trees()
        self._members: list[list[int]] = []

    def add(self, pages: Iterable[Page]) -> list[int]:
        """Cluster pages, apart from those added before, and return the cluster number of each.

        Only the trees of the pages are kept.
        """
        first = len(self._members)
        trees = [self._trees.add(page) for page in pages]
        groups = AverageLinkage(trees, self._trees, self._threshold).build_groups()
        self._members += groups
        numbers = {tree: first + n for n, group in enumerate(groups) for tree in group}
        return [numbers[tree] for tree in trees]

    def join(self, page: Page) -> int:
        """Add a page to the most similar cluster, or to a new one, and return its number."""
        tree = self._trees.add(page)
        best, best_mean = len(self._members), 0.0
        for number, members in enumerate(self._members):
            mean = self._compute_mean(tree, members[:MAX_COMPARED_PAGES])
            if mean >= self._threshold and mean > best_mean:
                best, best_mean = number, mean
        if best == len(self._members):
            self._members.append([])
        self._members[best].append(tree)
        return best

    def __len__(self) -> int:
        return len(self._members)

    @property
    def estimated_pairs(self) -> int:
        """The number of pairs of pages whose similarity was replaced by an upper bound."""
        return self._trees.estimated_pairs

    def _compute_mean(self, tree: int, members: Sequence[int]) -> float:
        """Return the mean similarity of a tree and others, or a bound below the threshold."""
        bounds = [self._trees.compute_upper_bound(tree, member) for member in members]
        bound = sum(bounds) / len(members)
        if bound < self._threshold:
            return bound
        return sum([self._trees.compute_similarity(tree, member) for member in members]) / len(
            members
        )


def group_by_cluster(members: Iterable[Member], numbers: Sequence[int]) -> list[list[Member]]:
    """Return the members of each cluster, given the cluster number of each member."""
    groups: dict[int, list[Member]] = {}
    for member, number in zip(members, numbers, strict=True):
        groups.setdefault(number, []).append(member)
    return [groups[number] for number in sorted(groups)]


class _Trees:
    """The trees of pages, with their similarities and upper bounds of these."""

    def __init__(self) -> None:
        self._classes = SubtreeClasses()
        self._rtdm = Rtdm(self._classes, budget=MAX_COMPARISON_COST)
        self._profiler = PathProfiler()
        self._roots: list[int] = []
        self._profiles: list[PathProfile] = []
        self._similarities: dict[tuple[int, int], float] = {}
        self._budget = float(MAX_COMPARISON_COST)
        self.estimated_pairs = 0

    def add(self, page: Page) -> int:
        """Add the tree of a page and return its number. All texts count as equal."""
        tree = page.build_tree_with_texts()
        self._budget += MAX_COMPARISONS_COST_PER_PAGE
        self._roots.append(self._classes.classify(tree)[0])
        self._profiles.append(self._profiler.compute_profile(tree))
        return len(self._roots) - 1

    def compute_upper_bound(self, left: int, right: int) -> float:
        """Return an upper bound of the similarity of two trees, quickly."""
        return self._profiles[left].compute_similarity_bound(self._profiles[right])

    def compute_similarity(self, left: int, right: int) -> float:
        """Return the similarity of two trees, or an upper bound if the budget is spent."""
        pair = (min(left, right), max(left, right))
        similarity = self._similarities.get(pair)
        if similarity is None:
            similarity = self._similarities[pair] = self._compare(left, right)
        return similarity

    def _compare(self, left: int, right: int) -> float:
        if self._budget > 0:
            try:
                return self._rtdm.compute_normalized_similarity(
                    self._roots[left], self._roots[right]
                )
            except WorkLimit:
                pass
            finally:
                self._budget -= self._rtdm.spent
        self.estimated_pairs += 1
        return self.compute_upper_bound(left, right)


class Measure(Protocol):
    """The similarity of items that are given by numbers."""

    def compute_upper_bound(self, left: int, right: int) -> float:
        """Return a number that is not below the similarity of two items."""

    def compute_similarity(self, left: int, right: int) -> float:
        """Return the similarity of two items, from 0 to 1."""


def _never_differ(left: Sequence[int], right: Sequence[int]) -> bool:
    return False


class AverageLinkage:
    """Average linkage of items that are given by numbers.

    A similarity is computed only where it decides something: two groups are compared by upper
    bounds first, and by similarities if the bounds reach the threshold. Groups for which ``differ``
    returns True are not merged, however similar they are.
    """

    def __init__(
        self,
        items: Sequence[int],
        measure: Measure,
        threshold: float,
        differ: Callable[[Sequence[int], Sequence[int]], bool] = _never_differ,
    ) -> None:
        self._measure = measure
        self._threshold = threshold
        self._differ = differ
        self._groups = {number: [item] for number, item in enumerate(items)}
        self._sums: dict[int, dict[int, float]] = {number: {} for number in self._groups}
        """For each pair of groups the sum of the similarities of their items, or an upper bound."""
        self._heap: list[tuple[float, int, int]] = []
        for left, right in combinations(self._groups, 2):
            self._set_sum(left, right, measure.compute_upper_bound(items[left], items[right]))

    def build_groups(self) -> list[list[int]]:
        """Return the items in groups, in the order of their first items."""
        while self._heap:
            mean, left, right = heappop(self._heap)
            if left not in self._groups or right not in self._groups:
                continue
            if -mean != self._get_mean(left, right):
                continue  # the sum has changed since
            exact = self._compute_sum(left, right)
            if exact < self._sums[left][right] - FLOAT_TOLERANCE:
                self._set_sum(left, right, exact)
            elif not self._differ(self._groups[left], self._groups[right]):
                self._merge(left, right)
        return sorted(self._groups.values(), key=min)

    def _set_sum(self, left: int, right: int, similarity_sum: float) -> None:
        self._sums[left][right] = self._sums[right][left] = similarity_sum
        mean = self._get_mean(left, right)
        if mean >= self._threshold:
            heappush(self._heap, (-mean, left, right))

    def _get_mean(self, left: int, right: int) -> float:
        return self._sums[left][right] / (len(self._groups[left]) * len(self._groups[right]))

    def _compute_sum(self, left: int, right: int) -> float:
        similarities = [
            self._measure.compute_similarity(left_item, right_item)
            for left_item in self._groups[left]
            for right_item in self._groups[right]
        ]
        return sum(similarities)

    def _merge(self, left: int, right: int) -> None:
        merged = len(self._sums)
        self._groups[merged] = self._groups.pop(left) + self._groups.pop(right)
        self._sums[merged] = {}
        for group in self._groups:
            if group != merged:
                similarity_sum = self._sums[left][group] + self._sums[right][group]
                self._set_sum(group, merged, similarity_sum)
