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
    contained. What is unseen has no box to go by, and stays with its parent or with what was drawn last.
    """
    ends = tree.ends
    parents: list[int] = []
    open_nodes: list[int] = []
    for node, box in enumerate(boxes):
        if node in unseen and node > 0:
            above = tree.parents[node]
            parents.append(above if above in unseen or above in open_nodes else open_nodes[-1])
            continue
        while len(open_nodes) > 1 and not boxes[top := open_nodes[-1]].contains(box):
            if node < ends[top] and boxes[top].overlaps(box):
                break
            open_nodes.pop()
        parents.append(open_nodes[-1] if open_nodes else ROOT_PARENT)
        open_nodes.append(node)
    return Tree(tree.labels, parents, alphabet=tree.alphabet)
