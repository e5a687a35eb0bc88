"""Partial tree alignment (DEPTA, section 4.4): many trees against one seed tree that grows.

The seed begins as the tree with most data items. Each other tree is matched with it; what has no match is inserted into the
seed where its place is beyond doubt, and left for a later round where it is not. The result names, for every node of every
tree, the node of the seed that it is linked to.

Trees come as classes of identical sub-trees, their nodes numbered in preorder. Records of one list mostly have a handful of
different shapes, and what is known of a shape is not worked out again while the seed stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unweave.trees.simple_tree_matching import Matcher

Links = dict[int, int]
"""The seed's node for each linked node of one tree."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """What the trees have in common."""

    links: list[Links]
    """For every tree, in the order given, its links."""
    seed: Seed
    rounds: int


class Seed:
    """A tree that grows. Its nodes are numbered in order of birth, and keep their numbers."""

    def __init__(self, matcher: Matcher, shape: int) -> None:
        self._matcher = matcher
        self.labels: list[str] = []
        self.children: list[list[int]] = []
        self._plant(shape)
        self.version = 0

    def insert(self, parent: int, position: int, shapes: Sequence[int]) -> list[list[int]]:
        """Insert trees of these shapes among the children of a node; gives the numbers of their nodes, in preorder."""
        self.version += 1
        planted = [self._plant(shape, parent) for shape in shapes]
        self.children[parent][position:position] = [nodes[0] for nodes in planted]
        return planted

    def preorder(self) -> list[int]:
        """The numbers of the nodes in preorder."""
        order: list[int] = []
        waiting = [0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting.extend(reversed(self.children[node]))
        return order

    def shape(self) -> int:
        """The class of the seed as it is."""
        shapes = [0] * len(self.labels)
        for node in reversed(self.preorder()):
            shapes[node] = self._matcher.classes.intern(
                self.labels[node], tuple(shapes[child] for child in self.children[node])
            )
        return shapes[0]

    def _plant(self, shape: int, parent: int = -1) -> list[int]:
        """Add the nodes of a tree of this shape; its root is not yet a child of its parent."""
        classes = self._matcher.classes
        planted: list[int] = []
        waiting = [(shape, parent)]
        while waiting:
            one, above = waiting.pop()
            node = len(self.labels)
            planted.append(node)
            self.labels.append(classes.labels[one])
            self.children.append([])
            if above != parent:
                self.children[above].append(node)
            waiting.extend((child, node) for child in reversed(classes.children[one]))
        return planted


def align_to_seed(shapes: Sequence[int], items: Sequence[int], *, matcher: Matcher) -> Alignment:
    """Align trees of these shapes, which are classes of the matcher, with so many data items each."""
    order = sorted(range(len(shapes)), key=lambda tree: -items[tree])
    return _Alignment(shapes, order, matcher).run()


class _Alignment:
    """The loop of Figure 13; 'new alignment' means new since the tree's last visit, else it would never end."""

    def __init__(self, shapes: Sequence[int], order: Sequence[int], matcher: Matcher) -> None:
        self._shapes = shapes
        self._order = order
        self._matcher = matcher
        self._seed = Seed(matcher, shapes[order[0]])
        self._links: list[Links] = [{} for _ in shapes]
        self._known: dict[int, Links] = {}
        self._known_version = -1

    def run(self) -> Alignment:
        first, *waiting = self._order
        self._links[first] = {node: node for node in range(len(self._seed.labels))}
        rounds, progress = 0, True
        while waiting and progress:
            rounds += 1
            progress = False
            left: list[int] = []
            for tree in waiting:
                progress |= self._visit(tree)
                if len(self._links[tree]) < self._matcher.classes.sizes[self._shapes[tree]]:
                    left.append(tree)
            waiting = left
        return Alignment(self._links, self._seed, rounds)

    def _visit(self, tree: int) -> bool:
        """Match a tree with the seed and grow the seed; was there anything new?"""
        shape, before = self._shapes[tree], len(self._links[tree])
        links = self._matched(shape)
        matched = len(links)
        if matched < self._matcher.classes.sizes[shape]:
            links = dict(links)
            for node, start, run in list(_unmatched_runs(self._matcher, shape, links)):
                self._insert(links, node, start, run)
        self._links[tree] = links
        return matched > before or len(links) > matched

    def _matched(self, shape: int) -> Links:
        """The matching of a shape with the seed as it is, found once."""
        seed = self._seed
        if self._known_version != seed.version:
            self._known, self._known_version = {}, seed.version
        known = self._known.get(shape)
        if known is None:
            order = seed.preorder()
            self._matcher.spend(len(order))
            pairs = self._matcher.find_mapping(seed.shape(), shape)
            known = self._known[shape] = {node: order[place] for place, node in pairs}
        return known

    def _insert(self, links: Links, parent: int, start: int, run: _Run) -> None:
        """Insert a run of unmatched siblings into the seed if its place is beyond doubt (section 4.4.1), and link it."""
        position = _unique_position(
            self._seed.children[links[parent]], links.get(run.left), links.get(run.right)
        )
        if position is None:
            return
        for planted in self._seed.insert(links[parent], position, run.shapes):
            links.update((start + step, node) for step, node in enumerate(planted))
            start += len(planted)


@dataclass(frozen=True, slots=True)
class _Run:
    """Unmatched consecutive siblings, and their neighbours: -1 where there is none."""

    shapes: list[int]
    left: int
    right: int


def _unmatched_runs(matcher: Matcher, shape: int, links: Links) -> Iterator[tuple[int, int, _Run]]:
    """For each matched node its runs of unmatched children, as (node, first node of the run, the run)."""
    sizes, children = matcher.classes.sizes, matcher.classes.children
    waiting = [(shape, 0)]
    while waiting:
        one, node = waiting.pop()
        run, start, left = list[int](), -1, -1
        child = node + 1
        for kid in children[one]:
            if child in links:
                if run:
                    yield node, start, _Run(run, left, child)
                run, left = [], child
                waiting.append((kid, child))
            else:
                start = child if not run else start
                run.append(kid)
            child += sizes[kid]
        if run:
            yield node, start, _Run(run, left, -1)


def _unique_position(siblings: Sequence[int], left: int | None, right: int | None) -> int | None:
    """Where new nodes go between these two among the seed's siblings, None if that is in doubt."""
    if left is not None and right is not None:
        after = siblings.index(left) + 1
        return after if siblings[after] == right else None
    if left is not None:
        return len(siblings) if siblings[-1] == left else None
    if right is not None:
        return 0 if siblings[0] == right else None
    return 0 if not siblings else None
