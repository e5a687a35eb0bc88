"""Layout: the boxes where a browser draws the elements of a page, and the tree that they form."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from unweave.trees.edit_distance import are_similar
from unweave.trees.tree import ROOT_PARENT, Tree

PIXEL_ROUNDING = 0.5
"""Browsers lay out in fractions of pixels; smaller differences do not count."""


class Box(NamedTuple):
    """A rectangle of a page in pixels, measured from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_empty(self) -> bool:
        """True if the box has no area."""
        return self.right <= self.left or self.bottom <= self.top

    def contains(self, other: Box) -> bool:
        """Tell whether the other box is inside; edges may touch."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )

    def overlaps(self, other: Box) -> bool:
        """Tell whether the two boxes have an area in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def union(self, other: Box) -> Box:
        """Return the smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def expand(self, by: float) -> Box:
        """Return the box with its edges moved outwards."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def is_filled_by(self, other: Box) -> bool:
        """Tell whether the other box fills the lower part of this one, from edge to edge."""
        return (
            other.top > self.top
            and abs(self.left - other.left) <= PIXEL_ROUNDING
            and abs(self.right - other.right) <= PIXEL_ROUNDING
            and abs(self.bottom - other.bottom) <= PIXEL_ROUNDING
        )

    def measure_gap(self, other: Box) -> float:
        """Return the distance of two boxes: vertical if one is below the other, else horizontal.

        It is 0 if they touch or overlap.
        """
        vertical = max(other.top - self.bottom, self.top - other.bottom)
        horizontal = max(other.left - self.right, self.left - other.right)
        return max(0.0, vertical if vertical >= 0 else horizontal)


def build_containment_tree(
    tree: Tree,
    boxes: Sequence[Box],
    invisible: Collection[int] = (),
    *,
    tolerance: float = PIXEL_ROUNDING,
    overlap: bool = False,
) -> Tree:
    """Return the tree of the layout (DEPTA, section 3.2).

    The parent of an element is the last one before it whose box contains that of the element. A box
    may protrude by the ``tolerance`` in pixels. With ``overlap``, an element also stays in an
    ancestor that it overlaps: style sheets let text run over the edge of its element.

    An invisible element, such as one whose children float, has the box around its visible
    descendants. Without any, it has no box, and keeps its parent if that is still open.
    """
    visible_boxes: list[Box | None] = [
        None if node in invisible else box for node, box in enumerate(boxes)
    ]
    for node in range(len(tree) - 1, 0, -1):
        parent, box = tree.parents[node], visible_boxes[node]
        if box is not None and parent in invisible:
            parent_box = visible_boxes[parent]
            visible_boxes[parent] = box if parent_box is None else parent_box.union(box)
    ends = tree.ends
    parents = [ROOT_PARENT]
    open_nodes = [0]
    for node in range(1, len(tree)):
        box = visible_boxes[node]
        if box is None:
            parent = node - 1
            while parent not in (open_nodes[-1], tree.parents[node]):
                parent = parents[parent]
            parents.append(parent)
            continue
        while len(open_nodes) > 1:
            candidate = open_nodes[-1]
            candidate_box = visible_boxes[candidate] or boxes[candidate]
            if candidate_box.expand(tolerance).contains(box):
                break
            if overlap and node < ends[candidate] and candidate_box.overlaps(box):
                break
            open_nodes.pop()
        parents.append(open_nodes[-1])
        open_nodes.append(node)
    return Tree(tree.labels, parents, alphabet=tree.alphabet)


def split_unclosed_entries(tree: Tree, boxes: Sequence[Box], t: float) -> Tree:
    """Return the tree with the entries of a list that the markup does not close as siblings.

    Unless its height is given, an element that is not closed grows around all that follow: the box
    of each entry contains the next one, and nothing below it. Such a chain of elements of one label
    is a list if the contents of each before the next are similar, by the normalized edit distance
    ``t`` of tag strings.
    """
    parents = list(tree.parents)
    done: set[int] = set()
    for node in range(1, len(tree)):
        if node in done:
            continue
        chain = _follow_chain(tree, boxes, node)
        done.update(chain)
        contents = [tree.tag_string[start:end] for start, end in pairwise(chain)]
        if len(contents) > 1 and all(are_similar(*pair, t) for pair in pairwise(contents)):
            for entry in chain[1:]:
                parents[entry] = parents[node]
    return Tree(tree.labels, parents, alphabet=tree.alphabet)


def _follow_chain(tree: Tree, boxes: Sequence[Box], node: int) -> list[int]:
    """Return a node, its last child that fills the rest of its box, the last child of that, ….

    All have the same label, and each has other children before the last.
    """
    chain = [node]
    while True:
        children = tree.children(node)
        if len(children) < 2 or tree.labels[children[-1]] != tree.labels[node]:
            return chain
        if not boxes[node].is_filled_by(boxes[children[-1]]):
            return chain
        node = children[-1]
        chain.append(node)
