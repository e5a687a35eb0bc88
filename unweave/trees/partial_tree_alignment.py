"""Partial tree alignment (DEPTA, section 4.4): many trees aligned with a seed tree that grows.

The seed starts as the tree with the most data items. Every other tree is matched with it. Unmatched
nodes are inserted into the seed where their position is unique, and wait for a later round where it
is not. The result is a link from every node of every tree to the node of the seed, as far as there
is one.

Trees are given as classes of identical sub-trees, their nodes numbered in preorder. Records of a
list mostly have few different classes, and each is matched once with the seed as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unweave.trees.simple_tree_matching import Matcher

Links = dict[int, int]
"""The seed's node for each linked node of a tree."""

_NO_NODE = -1


@dataclass(frozen=True, slots=True)
class Alignment:
    """The seed, and the links of every tree to it, in the order of the trees."""

    links: list[Links]
    seed: Seed
    rounds: int


class Seed:
    """A tree that grows. Nodes are numbered in the order of insertion and keep their numbers."""

    def __init__(self, matcher: Matcher, tree: int) -> None:
        self._classes = matcher.classes
        self.labels: list[str] = []
        self.children: list[list[int]] = []
        self._add_nodes(tree)
        self.version = 0

    def insert(self, parent: int, position: int, trees: Sequence[int]) -> list[list[int]]:
        """Insert trees among the children of a node; return their new nodes in preorder."""
        self.version += 1
        inserted = [self._add_nodes(tree) for tree in trees]
        self.children[parent][position:position] = [nodes[0] for nodes in inserted]
        return inserted

    def preorder(self) -> list[int]:
        """Return the nodes in preorder."""
        order: list[int] = []
        pending = [0]
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(reversed(self.children[node]))
        return order

    def classify(self) -> int:
        """Return the class of the seed as it is."""
        classes = [0] * len(self.labels)
        for node in reversed(self.preorder()):
            children = tuple(classes[child] for child in self.children[node])
            classes[node] = self._classes.intern(self.labels[node], children)
        return classes[0]

    def _add_nodes(self, tree: int) -> list[int]:
        """Add the nodes of a tree, whose root has no parent yet; return their numbers."""
        added: list[int] = []
        pending = [(tree, _NO_NODE)]
        while pending:
            subtree, parent = pending.pop()
            node = len(self.labels)
            added.append(node)
            self.labels.append(self._classes.labels[subtree])
            self.children.append([])
            if parent != _NO_NODE:
                self.children[parent].append(node)
            pending.extend((child, node) for child in reversed(self._classes.children[subtree]))
        return added


def align_to_seed(
    trees: Sequence[int], item_counts: Sequence[int], *, matcher: Matcher
) -> Alignment:
    """Align trees, which are classes of the matcher, with these numbers of data items (Figure 13).

    In the figure, a tree is visited again if there was a "new alignment". This means new since the
    last visit of the tree, else the loop would not end.
    """
    first, *unaligned = sorted(range(len(trees)), key=lambda number: -item_counts[number])
    aligner = _Aligner(matcher, Seed(matcher, trees[first]))
    sizes = matcher.classes.sizes
    links: list[Links] = [{} for _ in trees]
    links[first] = {node: node for node in range(len(aligner.seed.labels))}
    rounds, has_progress = 0, True
    while unaligned and has_progress:
        rounds += 1
        has_progress = False
        visited, unaligned = unaligned, []
        for number in visited:
            previous_count = len(links[number])
            links[number], is_seed_grown = aligner.align(trees[number])
            has_progress |= len(links[number]) > previous_count or is_seed_grown
            if len(links[number]) < sizes[trees[number]]:
                unaligned.append(number)
    return Alignment(links, aligner.seed, rounds)


class _Aligner:
    """Aligns trees with a seed; remembers the links of each class until the seed grows."""

    def __init__(self, matcher: Matcher, seed: Seed) -> None:
        self.seed = seed
        self._matcher = matcher
        self._links: dict[int, Links] = {}
        self._links_version = -1

    def align(self, tree: int) -> tuple[Links, bool]:
        """Match a tree with the seed and insert what has a unique position into the seed.

        Returns the links of the tree, and whether the seed has grown.
        """
        matched = self._match(tree)
        if len(matched) == self._matcher.classes.sizes[tree]:
            return matched, False
        links = dict(matched)
        for run in list(self._find_unmatched_runs(tree, links)):
            position = _find_unique_position(
                self.seed.children[links[run.parent]], links.get(run.left), links.get(run.right)
            )
            if position is not None:
                node = run.start
                for nodes in self.seed.insert(links[run.parent], position, run.trees):
                    links.update(enumerate(nodes, node))
                    node += len(nodes)
        return links, len(links) > len(matched)

    def _match(self, tree: int) -> Links:
        if self._links_version != self.seed.version:
            self._links, self._links_version = {}, self.seed.version
        links = self._links.get(tree)
        if links is None:
            order = self.seed.preorder()
            self._matcher.spend(len(order))
            pairs = self._matcher.find_mapping(self.seed.classify(), tree)
            links = self._links[tree] = {node: order[position] for position, node in pairs}
        return links

    def _find_unmatched_runs(self, tree: int, links: Links) -> Iterator[_Run]:
        """Yield the runs of unmatched children of each matched node."""
        sizes, children = self._matcher.classes.sizes, self._matcher.classes.children
        pending = [(tree, 0)]
        while pending:
            subtree, node = pending.pop()
            run, start, left = list[int](), _NO_NODE, _NO_NODE
            child = node + 1
            for child_tree in children[subtree]:
                if child in links:
                    if run:
                        yield _Run(node, start, run, left, child)
                    run, left = [], child
                    pending.append((child_tree, child))
                else:
                    start = child if not run else start
                    run.append(child_tree)
                child += sizes[child_tree]
            if run:
                yield _Run(node, start, run, left, _NO_NODE)


@dataclass(frozen=True, slots=True)
class _Run:
    """Unmatched consecutive siblings."""

    parent: int
    start: int
    """The first node of the run."""
    trees: list[int]
    left: int
    """The sibling before the run, or -1."""
    right: int
    """The sibling after the run, or -1."""


def _find_unique_position(
    siblings: Sequence[int], left: int | None, right: int | None
) -> int | None:
    """Return where to insert between siblings of the seed; None if it is ambiguous (4.4.1)."""
    if left is not None and right is not None:
        position = siblings.index(left) + 1
        return position if siblings[position] == right else None
    if left is not None:
        return len(siblings) if siblings[-1] == left else None
    if right is not None:
        return 0 if siblings[0] == right else None
    return 0 if not siblings else None
