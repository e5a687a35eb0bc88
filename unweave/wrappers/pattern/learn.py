"""Learn patterns: one per template, composed of its pages (Reis et al., section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce

from unweave.clustering.clusters import PAPER_THRESHOLD, Clusters, group_by_cluster
from unweave.errors import UsageError, WorkLimit, WrapperError
from unweave.page.page import Page
from unweave.registry import check_option_types
from unweave.trees.pattern import MAX_FIXED_BETWEEN, compose_patterns
from unweave.trees.pattern_text import find_wildcards
from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import SubtreeClasses, Tree
from unweave.variants import Variant, check_variant
from unweave.wrappers.learning import Learner
from unweave.wrappers.pattern.apply import Pattern, PatternWrapper, build_pattern_tree
from unweave.wrappers.pattern.news import DEFAULT_TOLERANCE, NewsPatternWrapper, check_tolerance

# A wildcard is one object of the template. A page has one main heading, which is an object.
_NEVER_MERGED = frozenset(["h1"])

MAX_COMPARED_PAGES = 30
"""The page in the middle is looked for among this many pages."""
MAX_COMPARISON_COST = 2_000_000
"""The budget of one comparison of pages, in the units of Rtdm. Beyond it, and beyond the budget of
all of them, a lower bound of the distance is used. Of real pages, one site in forty has
comparisons over a million.
"""
MAX_COMPARISONS_COST_PER_PAGE = 6_000_000


@dataclass(frozen=True, kw_only=True)
class PatternLearner(Learner):
    """Learns one pattern for each template of the pages; its wildcards are fields."""

    threshold: float = PAPER_THRESHOLD
    """The average similarity of the pages of a cluster, 0 to 1; the paper has 0.8."""
    gap: int = MAX_FIXED_BETWEEN
    """Wildcards with at most this many other vertices between them may be merged into one.

    A smaller gap gives more fields.
    """

    def __post_init__(self) -> None:
        check_option_types(self)
        if self.gap < 0:
            raise UsageError(f"gap must be at least 0, not {self.gap}")

    def learn(self, pages: Sequence[Page]) -> PatternWrapper:
        """Return a wrapper with the patterns of the pages."""
        patterns: list[Pattern] = []
        count = 0
        for tree in _compose_clusters(pages, self.threshold, self.gap):
            names: dict[int, str] = {}
            for node in find_wildcards(tree):
                count += 1
                names[node] = f"field_{count}"
            patterns.append(Pattern(tree, names))
        return PatternWrapper(tuple(patterns))


@dataclass(frozen=True, kw_only=True)
class NewsPatternLearner(Learner):
    """Learns patterns of news with the title and the body of each."""

    variant: str = Variant.CORRECTED
    threshold: float = PAPER_THRESHOLD
    """The average similarity of the pages of a cluster, 0 to 1; the paper has 0.8."""
    tolerance: float = DEFAULT_TOLERANCE

    def __post_init__(self) -> None:
        check_option_types(self)
        check_variant(self.variant)
        check_tolerance(self.tolerance)

    def learn(self, pages: Sequence[Page]) -> NewsPatternWrapper:
        """Return a wrapper with the patterns of the news pages."""
        trees = _compose_clusters(pages, self.threshold, MAX_FIXED_BETWEEN)
        patterns = tuple(Pattern(tree, {}) for tree in trees)
        return NewsPatternWrapper(patterns, check_variant(self.variant), self.tolerance)


def _compose_clusters(pages: Sequence[Page], threshold: float, gap: int) -> list[Tree]:
    """Return one pattern for each cluster of pages; at least one of them has a wildcard."""
    try:
        groups = group_by_cluster(pages, Clusters(threshold).add(pages))
        patterns = [compose_pages(group, gap=gap) for group in groups]
    except WorkLimit:
        raise WrapperError("the pages are too large and too different for one pattern") from None
    if not any(True for pattern in patterns for _ in find_wildcards(pattern)):
        reason = (
            "no two pages are of one template" if len(patterns) > 1 else "the pages do not differ"
        )
        raise WrapperError(f"{reason}, so there are no fields: give two or more of one template")
    return patterns


def compose_pages(pages: Sequence[Page], *, gap: int = MAX_FIXED_BETWEEN) -> Tree:
    """Return one pattern for all pages: of the page in the middle, then of those nearest to it.

    Raises WorkLimit for pages that are too large and too different.
    """
    trees = _sort_by_distance(list(map(build_pattern_tree, pages)))
    return reduce(partial(compose_patterns, gap=gap, separate_labels=_NEVER_MERGED), trees)


def _sort_by_distance(trees: Sequence[Tree]) -> list[Tree]:
    """Sort trees by their distance from the one with the smallest sum of distances."""
    classes = SubtreeClasses()
    rtdm = Rtdm(classes, budget=MAX_COMPARISON_COST)
    roots = [classes.classify(tree)[0] for tree in trees]
    compared = roots[:MAX_COMPARED_PAGES]
    budget = float(MAX_COMPARISONS_COST_PER_PAGE * len(trees))

    def measure_distance(left: int, right: int) -> float:
        nonlocal budget
        if left == right or budget <= 0:
            return rtdm.compute_lower_bound(left, right)
        try:
            return rtdm.compute_distance(left, right)
        except WorkLimit:
            return rtdm.compute_lower_bound(left, right)
        finally:
            budget -= rtdm.spent

    def sum_distances(root: int) -> float:
        return sum([measure_distance(root, other) for other in compared])

    middle = min(compared, key=sum_distances)
    numbers = sorted(range(len(trees)), key=lambda number: measure_distance(middle, roots[number]))
    return [trees[number] for number in numbers]
