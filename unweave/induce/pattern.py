"""Patterns learned from pages: one for each template, composed of the pages made from it (Reis et al., section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from unweave.errors import WorkLimit, WrapperError
from unweave.induce.cluster import DEFAULT, Clusters, grouped
from unweave.page.page import Page
from unweave.trees.pattern import compose
from unweave.trees.pattern_text import wildcards
from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import Classes, Tree
from unweave.wrappers.pattern import Pattern, PatternWrapper, labelled

# The page that is nearest to all others is looked for among so many.
_MOST_COMPARED = 30
# Pairs of siblings that one comparison may look at.
_MOST_PAIRS = 2_000_000


def learn(pages: Sequence[Page], *, threshold: float = DEFAULT) -> PatternWrapper:
    """A wrapper with one pattern for each template that the pages were made from."""
    patterns: list[Pattern] = []
    fields = 0
    for group in grouped(pages, Clusters(threshold).add(pages)):
        try:
            tree = composed(group)
        except WorkLimit:
            raise WrapperError("the pages are too large and too different for one pattern") from None
        names = {node: f"field_{fields + number}" for number, node in enumerate(wildcards(tree), start=1)}
        fields += len(names)
        patterns.append(Pattern(tree, names))
    return PatternWrapper(tuple(patterns))


def composed(pages: Sequence[Page]) -> Tree:
    """One pattern for all pages. The page in their middle comes first, and those that are nearest to it follow.

    Raises WorkLimit for pages that are too large and too different.
    """
    return reduce(compose, _by_nearness([labelled(page) for page in pages]))


def _by_nearness(trees: Sequence[Tree]) -> list[Tree]:
    classes = Classes()
    rtdm = Rtdm(classes, budget=_MOST_PAIRS)
    roots = [classes.of(tree)[0] for tree in trees]
    some = roots[:_MOST_COMPARED]
    middle = min(some, key=lambda one: sum([rtdm.distance(one, other) for other in some]))
    order = sorted(range(len(trees)), key=lambda number: rtdm.distance(middle, roots[number]))
    return [trees[number] for number in order]
