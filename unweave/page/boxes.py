"""Boxes: where the browser has drawn the elements of a page, and the tree that can be seen in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from unweave.trees.tree import ROOT_PARENT, Tree


class Box(NamedTuple):
    """A rectangle on the page in pixels, from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_empty(self) -> bool:
        """Has it no area?"""
        return self.right <= self.left or self.bottom <= self.top

    def contains(self, other: Box) -> bool:
        """Is the other inside? Edges may touch."""
        return (
            self.left <= other.left and self.top <= other.top and self.right >= other.right and self.bottom >= other.bottom
        )

    def overlaps(self, other: Box) -> bool:
        """Have the two an area in common?"""
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom

    def union(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def gap(self, other: Box) -> float:
        """How far apart the two are: downwards if one is below the other, else sideways; 0 if they touch or overlap."""
        downwards = max(other.top - self.bottom, self.top - other.bottom)
        sideways = max(other.left - self.right, self.left - other.right)
        return max(0.0, downwards if downwards >= 0 else sideways)


def tree_by_containment(tree: Tree, boxes: Sequence[Box], unseen: Collection[int] = ()) -> Tree:
    """The tree that is drawn (DEPTA, section 3.2): an element stands in the last one before it whose box contains it.

    Style sheets let text run over the edge of its element, so what overlaps an element that it is nested in counts as
    contained. An element without area, such as one whose children float, is where its children are. What is unseen with all
    that is in it has no box to go by, and stays with what stands before it.
    """
    seen = _drawn_boxes(tree, boxes, unseen)
    ends = tree.ends
    parents = [ROOT_PARENT]
    open_nodes = [0]
    for node in range(1, len(tree)):
        box = seen[node]
        if box is None:
            parents.append(_last_on_the_path(parents, node - 1, open_nodes[-1], tree.parents[node]))
            continue
        while len(open_nodes) > 1:
            top = open_nodes[-1]
            around = seen[top] or boxes[top]
            if around.contains(box) or (node < ends[top] and around.overlaps(box)):
                break
            open_nodes.pop()
        parents.append(open_nodes[-1])
        open_nodes.append(node)
    return Tree(tree.labels, parents, alphabet=tree.alphabet)


def _drawn_boxes(tree: Tree, boxes: Sequence[Box], unseen: Collection[int]) -> list[Box | None]:
    """The boxes of what is seen; of an unseen element the box around what is seen in it."""
    seen: list[Box | None] = [None if node in unseen else box for node, box in enumerate(boxes)]
    for node in range(len(tree) - 1, 0, -1):
        parent, box = tree.parents[node], seen[node]
        if box is not None and parent in unseen:
            around = seen[parent]
            seen[parent] = box if around is None else around.union(box)
    return seen


def _last_on_the_path(parents: Sequence[int], node: int, top: int, wanted: int) -> int:
    """The wanted node if it stands between the last node and the innermost one that is drawn, else the latter."""
    while node not in (top, wanted):
        node = parents[node]
    return node
