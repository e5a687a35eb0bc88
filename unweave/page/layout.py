"""Boxes: where the browser has drawn the elements of a page, and the tree that can be seen in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from unweave.trees.distance import are_similar
from unweave.trees.tree import ROOT_PARENT, Tree

# Browsers lay out in fractions of pixels.
PIXEL_ROUNDING = 0.5
# An entry that is not closed has something of its own before the next.
_MIN_CHILDREN = 2


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
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )

    def overlaps(self, other: Box) -> bool:
        """Have the two an area in common?"""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def union(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def expand(self, by: float) -> Box:
        """The box with its edges moved outwards."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def is_filled_by(self, other: Box) -> bool:
        """Does the other fill its lower part, from edge to edge?"""
        edges = zip(
            (self.left, self.right, self.bottom),
            (other.left, other.right, other.bottom),
            strict=True,
        )
        return other.top > self.top and all(
            abs(one - another) <= PIXEL_ROUNDING for one, another in edges
        )

    def measure_gap(self, other: Box) -> float:
        """How far apart the two are: downwards if one is below the other, else sideways; 0 if they touch or overlap."""
        downwards = max(other.top - self.bottom, self.top - other.bottom)
        sideways = max(other.left - self.right, self.left - other.right)
        return max(0.0, downwards if downwards >= 0 else sideways)


def build_containment_tree(
    tree: Tree,
    boxes: Sequence[Box],
    unseen: Collection[int] = (),
    *,
    tolerance: float = PIXEL_ROUNDING,
    overlap: bool = False,
) -> Tree:
    """The tree that is drawn (DEPTA, section 3.2): an element stands in the last one before it whose box contains it.

    An element without area, such as one whose children float, is where its children are. What is unseen with all that is in
    it has no box to go by, and stays with what stands before it. A box may stick out by the ``tolerance`` in pixels; what
    only overlaps is not contained. With ``overlap``, what overlaps an element that it is nested in is: style sheets let
    text run over the edge of its element.
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
            if around.expand(tolerance).contains(box) or (
                overlap and node < ends[top] and around.overlaps(box)
            ):
                break
            open_nodes.pop()
        parents.append(open_nodes[-1])
        open_nodes.append(node)
    return Tree(tree.labels, parents, alphabet=tree.alphabet)


def split_unclosed_entries(tree: Tree, boxes: Sequence[Box], t: float) -> Tree:
    """The tree with the entries of a list that nobody closed side by side.

    Unless its height is given, an element that is not closed grows around all that follow it: the box of each entry holds
    the next, and nothing below it. Such a chain of elements of one label, flush on three sides, is a list if what each has
    before the next is similar, by the normalized edit distance ``t`` of tag strings.
    """
    parents = list(tree.parents)
    done: set[int] = set()
    for node in range(1, len(tree)):
        if node in done:
            continue
        chain = _flush_chain(tree, boxes, node)
        done.update(chain)
        entries = [tree.tag_string[entry:following] for entry, following in pairwise(chain)]
        if len(entries) > 1 and all(
            are_similar(entry, following, t) for entry, following in pairwise(entries)
        ):
            for entry in chain[1:]:
                parents[entry] = parents[node]
    return Tree(tree.labels, parents, alphabet=tree.alphabet)


def _flush_chain(tree: Tree, boxes: Sequence[Box], node: int) -> list[int]:
    """The node, the node of its label that fills the rest of its box, the one that fills the rest of that, and so on."""
    chain = [node]
    while True:
        last = chain[-1]
        children = tree.children(last)
        if len(children) < _MIN_CHILDREN or tree.labels[children[-1]] != tree.labels[last]:
            return chain
        if not boxes[last].is_filled_by(boxes[children[-1]]):
            return chain
        chain.append(children[-1])


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
