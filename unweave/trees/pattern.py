"""Node extraction patterns: trees with wildcards for what differs between trees of one template (Reis et al., section 4.2).

A wildcard is a leaf with a label of its own: ``·`` stands for one sub-tree, ``+`` for one or more siblings, ``?`` for one
or none, ``*`` for any number. Labels of other vertices must not be one of these; texts get a mark before them.
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
"""Promotion merges wildcards with at most so many other vertices between them; the paper's figure."""

# The budget of one composition, in the units of Rtdm; of real pages of one site the most was a sixth.
MAX_COMPOSITION_COST = 4_000_000


class PatternNode:
    """A vertex of a pattern that is being made."""

    __slots__ = ("children", "label")

    def __init__(self, label: str, children: Sequence[PatternNode] = ()) -> None:
        self.label = label
        self.children = list(children)


def compose_patterns(
    one: Tree,
    other: Tree,
    *,
    promote: bool = True,
    gap: int = MAX_FIXED_BETWEEN,
    separate_labels: Collection[str] = (),
) -> Tree:
    """A pattern that accepts all that either of two trees or patterns accepts, as close as a cheapest mapping makes it.

    Promotion merges wildcards with at most ``gap`` other vertices between them. Vertices with a label in ``separate_labels`` are
    objects of their own, which it never merges with their siblings. Raises WorkLimit for trees that are too large and too
    different.
    """
    return _as_tree(_Composition(one, other, promote, gap, separate_labels).of(0, 0))


class _Composition:
    """Two trees, and which of their vertices are mapped to each other."""

    def __init__(
        self, one: Tree, other: Tree, promote: bool, gap: int, separate_labels: Collection[str]
    ) -> None:
        classes = SubtreeClasses()
        self._one, self._other = one, other
        self._mapped = dict(
            Rtdm(classes, budget=MAX_COMPOSITION_COST).find_mapping(
                classes.classify(one)[0], classes.classify(other)[0]
            )
        )
        self._promote = promote
        self._gap = gap
        self._apart = separate_labels

    def of(self, x: int, y: int) -> PatternNode:
        """The vertex that stands for two, with all that is below."""
        label = merge_labels(self._one.labels[x], self._other.labels[y])
        if label in WILDCARDS:
            return PatternNode(label)
        children = list(self._siblings(x, y))
        return PatternNode(
            label,
            promote_wildcards(children, gap=self._gap, separate_labels=self._apart)
            if self._promote
            else children,
        )

    def _siblings(self, x: int, y: int) -> Iterator[PatternNode]:
        """The children of both in order; those that only one of them has become options."""
        rights = iter(self._other.children(y))
        for left in self._one.children(x):
            if left not in self._mapped:
                yield PatternNode(make_optional(self._one.labels[left]))
                continue
            for right in rights:
                if right == self._mapped[left]:
                    yield self.of(left, right)
                    break
                yield PatternNode(make_optional(self._other.labels[right]))
        for right in rights:
            yield PatternNode(make_optional(self._other.labels[right]))


def merge_labels(one: str, other: str) -> str:
    """The label for two vertices that are mapped to each other: equal labels stay, others become a wildcard."""
    if one == other:
        return one
    kinds = {one, other} & WILDCARDS
    may_miss, may_repeat = (
        not kinds.isdisjoint(OPTIONAL_WILDCARDS),
        not kinds.isdisjoint(REPEATED_WILDCARDS),
    )
    if may_repeat:
        return ANY if may_miss else SOME
    return MAYBE if may_miss else ONE


def make_optional(label: str) -> str:
    """The label for a vertex that only one of two trees has."""
    return ANY if label in REPEATED_WILDCARDS else MAYBE


def promote_wildcards(
    siblings: Sequence[PatternNode],
    *,
    gap: int = MAX_FIXED_BETWEEN,
    separate_labels: Collection[str] = (),
) -> list[PatternNode]:
    """Merge siblings that are one object of variable size, such as the paragraphs of a text, into one wildcard.

    A run of siblings is merged, with all that is below and between them, if no two consecutive wildcards in it have more
    than ``gap`` other vertices between them, in preorder and at whatever depth, and if one of the siblings
    is an option: that their number varies is the evidence of one object. Vertices with a label in ``separate_labels`` end a run.
    """
    spacings = [_Spacing.of(node, gap, is_apart=node.label in separate_labels) for node in siblings]
    merged: list[PatternNode] = []
    start = 0
    while start < len(siblings):
        stop = _end_of_run(spacings, start, gap)
        run = siblings[start:stop]
        is_merged = len(run) > 1 and any(node.label in OPTIONAL_WILDCARDS for node in run)
        merged += [PatternNode(_kind_of_run(run))] if is_merged else run
        start = stop
    return merged


class _Spacing(NamedTuple):
    """How far apart the wildcards at and below a sibling are."""

    before: int
    """How many vertices stand before the first wildcard; all vertices if there is none."""
    after: int
    """How many stand after the last one."""
    has_wildcards: bool
    is_open: bool
    """May it be part of a run?"""

    @classmethod
    def of(cls, sibling: PatternNode, gap: int, *, is_apart: bool) -> _Spacing:
        gaps = [0]
        waiting = [sibling]
        while waiting:
            node = waiting.pop()
            waiting.extend(reversed(node.children))
            if node.label in WILDCARDS:
                gaps.append(0)
            else:
                gaps[-1] += 1
        is_dense = max(gaps[1:-1], default=0) <= gap
        return cls(gaps[0], gaps[-1], len(gaps) > 1, is_dense and not is_apart)


def _end_of_run(spacings: Sequence[_Spacing], start: int, gap: int) -> int:
    """The end of the run of siblings that begins here; the next sibling if none begins."""
    end, between = start + 1, spacings[start].after
    if not spacings[start].has_wildcards or not spacings[start].is_open:
        return end
    for position in range(start + 1, len(spacings)):
        spacing = spacings[position]
        between += spacing.before
        if between > gap or not spacing.is_open:
            break
        if spacing.has_wildcards:
            end, between = position + 1, spacing.after
    return end


def _kind_of_run(run: Sequence[PatternNode]) -> str:
    """Some, if one of the run is always there, else any number."""
    return ANY if all(node.label in OPTIONAL_WILDCARDS for node in run) else SOME


def _as_tree(root: PatternNode) -> Tree:
    labels: list[str] = []
    parents: list[int] = []
    waiting = [(root, ROOT_PARENT)]
    while waiting:
        node, parent = waiting.pop()
        waiting.extend((child, len(labels)) for child in reversed(node.children))
        labels.append(node.label)
        parents.append(parent)
    return Tree(labels, parents)
