"""Node extraction patterns: trees with wildcards for what differs between trees of one template (Reis et al., section 3.2).

A wildcard is a leaf with a label of its own: ``·`` stands for one sub-tree, ``+`` for one or more siblings, ``?`` for one
or none, ``*`` for any number. Labels of other vertices must not be one of these; texts get a mark before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import ROOT_PARENT, Classes, Tree

ONE, SOME, MAYBE, ANY = "·", "+", "?", "*"
WILDCARDS = frozenset([ONE, SOME, MAYBE, ANY])
OPTIONS = frozenset([MAYBE, ANY])
REPEATED = frozenset([SOME, ANY])

# Beyond so many vertices that are no wildcards, an option does not belong to the wildcard before it.
_TOLERANCE = 3

# The budget of one composition, in the units of Rtdm; of real pages of one site the most was a sixth.
MAX_COMPOSITION_COST = 4_000_000


class Node:
    """A vertex of a pattern that is being made."""

    __slots__ = ("children", "label")

    def __init__(self, label: str, children: Sequence[Node] = ()) -> None:
        self.label = label
        self.children = list(children)


def compose(one: Tree, other: Tree, *, promote: bool = True) -> Tree:
    """A pattern that accepts all that either of two trees or patterns accepts, as close as a cheapest mapping makes it.

    Raises WorkLimit for trees that are too large and too different.
    """
    return _as_tree(_Composition(one, other, promote).of(0, 0))


class _Composition:
    """Two trees, and which of their vertices are mapped to each other."""

    def __init__(self, one: Tree, other: Tree, promote: bool) -> None:
        classes = Classes()
        self._one, self._other = one, other
        self._mapped = dict(Rtdm(classes, budget=MAX_COMPOSITION_COST).mapping(classes.of(one)[0], classes.of(other)[0]))
        self._promote = promote

    def of(self, x: int, y: int) -> Node:
        """The vertex that stands for two, with all that is below."""
        label = joined(self._one.labels[x], self._other.labels[y])
        if label in WILDCARDS:
            return Node(label)
        children = list(self._siblings(x, y))
        return Node(label, promoted(children) if self._promote else children)

    def _siblings(self, x: int, y: int) -> Iterator[Node]:
        """The children of both in order; those that only one of them has become options."""
        rights = iter(self._other.children(y))
        for left in self._one.children(x):
            if left not in self._mapped:
                yield Node(optional(self._one.labels[left]))
                continue
            for right in rights:
                if right == self._mapped[left]:
                    yield self.of(left, right)
                    break
                yield Node(optional(self._other.labels[right]))
        for right in rights:
            yield Node(optional(self._other.labels[right]))


def joined(one: str, other: str) -> str:
    """The label for two vertices that are mapped to each other: equal labels stay, others become a wildcard."""
    if one == other:
        return one
    kinds = {one, other} & WILDCARDS
    may_miss, may_repeat = not kinds.isdisjoint(OPTIONS), not kinds.isdisjoint(REPEATED)
    if may_repeat:
        return ANY if may_miss else SOME
    return MAYBE if may_miss else ONE


def optional(label: str) -> str:
    """The label for a vertex that only one of two trees has."""
    return ANY if label in REPEATED else MAYBE


def promoted(siblings: Sequence[Node]) -> list[Node]:
    """The siblings, with wildcards that are followed by options taken together: surplus is of the kind of what it follows.

    A few vertices that are no wildcards may stand between; they are swallowed. Two wildcards that are no options are never
    joined, or title and body would become one.
    """
    found: list[Node] = []
    start = 0
    while start < len(siblings):
        stop = start + 1
        if siblings[start].label in WILDCARDS:
            while (option := _next_option(siblings, stop)) is not None:
                stop = option + 1
        found.append(siblings[start] if stop == start + 1 else Node(_kind_of_run(siblings[start:stop])))
        start = stop
    return found


def _next_option(siblings: Sequence[Node], start: int) -> int | None:
    """The position of the next option, unless another wildcard or too many other vertices stand before it."""
    for position in range(start, min(start + _TOLERANCE + 1, len(siblings))):
        label = siblings[position].label
        if label in WILDCARDS:
            return position if label in OPTIONS else None
    return None


def _kind_of_run(run: Sequence[Node]) -> str:
    """Some, if one of the run is always there, else any number."""
    return ANY if all(node.label in OPTIONS for node in run) else SOME


def _as_tree(root: Node) -> Tree:
    labels: list[str] = []
    parents: list[int] = []
    waiting = [(root, ROOT_PARENT)]
    while waiting:
        node, parent = waiting.pop()
        waiting.extend((child, len(labels)) for child in reversed(node.children))
        labels.append(node.label)
        parents.append(parent)
    return Tree(labels, parents)
