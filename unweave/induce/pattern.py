"""Patterns learned from pages: one for each template, composed of the pages made from it (Reis et al., section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from unweave.errors import UsageError, WorkLimit, WrapperError
from unweave.induce.cluster import PAPER, Clusters, grouped
from unweave.page.page import Page
from unweave.trees.pattern import MAX_FIXED_BETWEEN, compose
from unweave.trees.pattern_text import wildcards
from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import Classes, Tree
from unweave.variants import Variant, check_variant
from unweave.wrappers.news_pattern import TOLERANCE, NewsPatternWrapper, check_tolerance
from unweave.wrappers.pattern import Pattern, PatternWrapper, labelled

# Each wildcard should be one object of the template. A page has one such heading, which is an object of its own.
_OBJECTS = frozenset(["h1"])

# The page that is nearest to all others is looked for among so many.
_MOST_COMPARED = 30
# The budget of one comparison, and of all of them for each page that is compared, in the units of Rtdm; beyond, a lower
# bound of the distance must do for the order. Of real pages, one site in forty has comparisons over a million.
MAX_COMPARISON_COST = 2_000_000
MAX_COMPARISONS_COST_PER_PAGE = 6_000_000


def learn(pages: Sequence[Page], *, threshold: float = PAPER, gap: int = MAX_FIXED_BETWEEN) -> PatternWrapper:
    """A wrapper with one pattern for each template that the pages were made from.

    Wildcards with at most ``gap`` other vertices between them may be merged into one: fewer give more fields.
    """
    if gap < 0:
        raise UsageError(f"the gap must not be negative, as {gap} is")
    patterns: list[Pattern] = []
    fields = 0
    for tree in compose_clusters(pages, threshold=threshold, gap=gap):
        names = {node: f"field_{fields + number}" for number, node in enumerate(wildcards(tree), start=1)}
        fields += len(names)
        patterns.append(Pattern(tree, names))
    check_wildcards([pattern.tree for pattern in patterns])
    return PatternWrapper(tuple(patterns))


def learn_news(
    pages: Sequence[Page],
    *,
    variant: str = Variant.CORRECTED,
    threshold: float = PAPER,
    tolerance: float = TOLERANCE,
) -> NewsPatternWrapper:
    """A wrapper that finds title and body of other pages of the same sites, with one pattern for each template."""
    form, share = check_variant(variant), check_tolerance(tolerance)
    trees = compose_clusters(pages, threshold=threshold)
    check_wildcards(trees)
    return NewsPatternWrapper(tuple(Pattern(tree, {}) for tree in trees), form, share)


def compose_clusters(pages: Sequence[Page], *, threshold: float, gap: int = MAX_FIXED_BETWEEN) -> list[Tree]:
    """One pattern for each cluster of pages whose trees are so similar on average."""
    try:
        return [composed(group, gap=gap) for group in grouped(pages, Clusters(threshold).add(pages))]
    except WorkLimit:
        raise WrapperError("the pages are too large and too different for one pattern") from None


def check_wildcards(patterns: Sequence[Tree]) -> None:
    """Raise a WrapperError if no pattern has a wildcard, so that there is nothing to extract."""
    if not any(True for pattern in patterns for _ in wildcards(pattern)):
        reason = "no two pages are of one template" if len(patterns) > 1 else "the pages do not differ"
        raise WrapperError(f"{reason}, so there are no fields: give two or more of one template")


def composed(pages: Sequence[Page], *, gap: int = MAX_FIXED_BETWEEN) -> Tree:
    """One pattern for all pages. The page in their middle comes first, and those that are nearest to it follow.

    Raises WorkLimit for pages that are too large and too different.
    """
    return reduce(partial(compose, gap=gap, apart=_OBJECTS), _by_nearness([labelled(page) for page in pages]))


def _by_nearness(trees: Sequence[Tree]) -> list[Tree]:
    classes = Classes()
    rtdm = Rtdm(classes, budget=MAX_COMPARISON_COST)
    roots = [classes.of(tree)[0] for tree in trees]
    some = roots[:_MOST_COMPARED]
    budget = float(MAX_COMPARISONS_COST_PER_PAGE * len(trees))

    def distance(one: int, other: int) -> float:
        nonlocal budget
        if one == other or budget <= 0:
            return rtdm.lower_bound(one, other)
        try:
            return rtdm.distance(one, other)
        except WorkLimit:
            return rtdm.lower_bound(one, other)
        finally:
            budget -= rtdm.spent

    middle = min(some, key=lambda one: sum([distance(one, other) for other in some]))
    return [trees[number] for number in sorted(range(len(trees)), key=lambda number: distance(middle, roots[number]))]
