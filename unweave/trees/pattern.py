"""Node extraction patterns: trees with wildcards for what differs between the trees of a template.

Reis et al., section 4.2. A wildcard is a leaf with a label of its own: ``·`` stands for one
sub-tree, ``+`` for one or more siblings, ``?`` for one or none, ``*`` for any number. Other
vertices must not have these labels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import ROOT_PARENT, SubtreeClasses, Tree

ONE, SOME, MAYBE, ANY = "·", "+", "?", "*"
WILDCARDS = frozenset([ONE, SOME, MAYBE, ANY])
OPTIONAL_WILDCARDS = frozenset([MAYBE, ANY])
REPEATED_WILDCARDS = frozenset([SOME, ANY])

MAX_FIXED_BETWEEN = 3
"""The most other vertices between two wildcards that promotion merges; the paper's figure."""

# The budget of one composition, in the units of Rtdm. Pages of one site took at most a sixth of it.
MAX_COMPOSITION_COST = 4_000_000


class PatternNode:
    """A vertex of a pattern that is being composed."""

    __slots__ = ("children", "label")

    def __init__(self, label: str, children: Sequence[PatternNode] = ()) -> None:
        self.label = label
        self.children = children


def compose_patterns(
    left: Tree,
    right: Tree,
    *,
    gap: int = MAX_FIXED_BETWEEN,
    separate_labels: Collection[str] = (),
) -> Tree:
    """Return a pattern that accepts everything that either of two trees or patterns accepts.

    A cheapest mapping gives the vertices that both share. ``gap`` and ``separate_labels`` are those
    of ``promote_wildcards``. Raises WorkLimit if the trees are too large and too different.
    """
    classes = SubtreeClasses()
    rtdm = Rtdm(classes, budget=MAX_COMPOSITION_COST)
    mapping = dict(rtdm.find_mapping(classes.classify(left)[0], classes.classify(right)[0]))

    def compose(x: int, y: int) -> PatternNode:
        label = merge_labels(left.labels[x], right.labels[y])
        if label in WILDCARDS:
            return PatternNode(label)
        children = promote_wildcards(
            list(compose_children(x, y)), gap=gap, separate_labels=separate_labels
        )
        return PatternNode(label, children)

    def compose_children(x: int, y: int) -> Iterator[PatternNode]:
        """Yield the children of both in order; those that only one of them has are optional."""
        right_children = iter(right.children(y))
        for child in left.children(x):
            if child not in mapping:
                yield PatternNode(make_optional(left.labels[child]))
                continue
            for right_child in right_children:
                if right_child == mapping[child]:
                    yield compose(child, right_child)
                    break
                yield PatternNode(make_optional(right.labels[right_child]))
        for right_child in right_children:
            yield PatternNode(make_optional(right.labels[right_child]))

    return _build_tree(compose(0, 0))


def merge_labels(left: str, right: str) -> str:
    """Return the label for two mapped vertices: equal labels stay, others become a wildcard."""
    if left == right:
        return left
    wildcards = {left, right} & WILDCARDS
    is_optional = not wildcards.isdisjoint(OPTIONAL_WILDCARDS)
    if not wildcards.isdisjoint(REPEATED_WILDCARDS):
        return ANY if is_optional else SOME
    return MAYBE if is_optional else ONE


def make_optional(label: str) -> str:
    """Return the wildcard for a vertex that only one of two trees has."""
    return ANY if label in REPEATED_WILDCARDS else MAYBE


def promote_wildcards(
    siblings: Sequence[PatternNode],
    *,
    gap: int = MAX_FIXED_BETWEEN,
    separate_labels: Collection[str] = (),
) -> list[PatternNode]:
    """Merge siblings that are one object of variable size, such as the paragraphs of a text.

    A run of siblings becomes one wildcard, with everything below and between them, if one of them
    is optional, as the varying number is the evidence of one object, and if no two consecutive
    wildcards in it have more than ``gap`` other vertices between them, in preorder and at any
    depth. Vertices with a label of ``separate_labels`` end a run.
    """
    spacings = [_measure_spacing(node, gap, separate_labels) for node in siblings]
    promoted: list[PatternNode] = []
    start = 0
    while start < len(siblings):
        end = _find_run_end(spacings, start, gap)
        run = siblings[start:end]
        is_optional = [node.label in OPTIONAL_WILDCARDS for node in run]
        if len(run) > 1 and any(is_optional):
            promoted.append(PatternNode(ANY if all(is_optional) else SOME))
        else:
            promoted += run
        start = end
    return promoted


class _Spacing(NamedTuple):
    """Counts of other vertices around the wildcards at and below a sibling."""

    before: int
    """The vertices before the first wildcard; all if there is none."""
    after: int
    """The vertices after the last wildcard."""
    has_wildcards: bool
    can_merge: bool


def _measure_spacing(sibling: PatternNode, gap: int, separate_labels: Collection[str]) -> _Spacing:
    gaps = [0]
    pending = [sibling]
    while pending:
        node = pending.pop()
        pending.extend(reversed(node.children))
        if node.label in WILDCARDS:
            gaps.append(0)
        else:
            gaps[-1] += 1
    is_dense = max(gaps[1:-1], default=0) <= gap
    can_merge = is_dense and sibling.label not in separate_labels
    return _Spacing(gaps[0], gaps[-1], len(gaps) > 1, can_merge)


def _find_run_end(spacings: Sequence[_Spacing], start: int, gap: int) -> int:
    """Return the end of the run that starts at a sibling, or the next sibling if none does."""
    end, between = start + 1, spacings[start].after
    if not spacings[start].has_wildcards or not spacings[start].can_merge:
        return end
    for position in range(start + 1, len(spacings)):
        spacing = spacings[position]
        between += spacing.before
        if between > gap or not spacing.can_merge:
            break
        if spacing.has_wildcards:
            end, between = position + 1, spacing.after
    return end


def _build_tree(root: PatternNode) -> Tree:
    labels: list[str] = []
    parents: list[int] = []
    pending = [(root, ROOT_PARENT)]
    while pending:
        node, parent = pending.pop()
        pending.extend((child, len(labels)) for child in reversed(node.children))
        labels.append(node.label)
        parents.append(parent)
    return Tree(labels, parents)
