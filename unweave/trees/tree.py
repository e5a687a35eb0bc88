"""Labelled, ordered trees whose nodes are the integers 0 … n-1 in preorder.

Two ideas make the algorithms on them fast:

- the labels of a tree are one ``str``, a character for each label (``Tree.tag_string``), so that
  every sub-tree and every run of adjacent siblings is a slice of it, for which there are fast
  string metrics;
- identical sub-trees share one class (``SubtreeClasses``), so that results are cached by pairs of
  classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from unweave.errors import TreeSyntaxError

ROOT_PARENT = -1

_FIRST_CHARACTER = 0x21
_SURROGATES = range(0xD800, 0xE000)
_TOKEN = re.compile(r"\s*(?:([^\s(),]+)|([(),]))")


class Alphabet(dict[str, str]):
    """A character for each label, in the order of first use.

    Trees whose tag strings are compared must share one alphabet.
    """

    def __missing__(self, label: str) -> str:
        code = _FIRST_CHARACTER + len(self)
        if code >= _SURROGATES.start:
            code += len(_SURROGATES)
        self[label] = character = chr(code)
        return character


class Tree:
    """An immutable tree: labels and parents in preorder; the parent of the root is -1."""

    def __init__(
        self, labels: Sequence[str], parents: Sequence[int], *, alphabet: Alphabet | None = None
    ) -> None:
        self.labels = labels
        self.parents = parents
        self.alphabet = Alphabet() if alphabet is None else alphabet

    @classmethod
    def parse(cls, text: str, *, alphabet: Alphabet | None = None) -> Tree:
        """Read the notation ``a(b c(d))``; spaces or commas separate siblings."""
        labels: list[str] = []
        parents: list[int] = []
        open_nodes: list[int] = [ROOT_PARENT]
        for label, mark in _TOKEN.findall(text.rstrip()):
            if label:
                if len(open_nodes) == 1 and labels:
                    raise TreeSyntaxError(f"more than one root: {label!r} in {text!r}")
                parents.append(open_nodes[-1])
                labels.append(label)
            elif mark == "(":
                if not labels:
                    raise TreeSyntaxError(f"'(' before any label in {text!r}")
                open_nodes.append(len(labels) - 1)
            elif mark == ")":
                if len(open_nodes) == 1:
                    raise TreeSyntaxError(f"')' without '(' in {text!r}")
                open_nodes.pop()
        if len(open_nodes) > 1 or not labels:
            raise TreeSyntaxError(f"{'no label' if not labels else 'missing )'} in {text!r}")
        return cls(labels, parents, alphabet=alphabet)

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        """Return the notation that ``parse`` reads."""
        parts: list[str] = []
        open_ends: list[int] = []
        for node, label in enumerate(self.labels):
            while open_ends and open_ends[-1] <= node:
                open_ends.pop()
                parts.append(")")
            if parts and parts[-1] != "(":
                parts.append(" ")
            parts.append(label)
            if self.ends[node] > node + 1:
                parts.append("(")
                open_ends.append(self.ends[node])
        return "".join(parts) + ")" * len(open_ends)

    def __repr__(self) -> str:
        return f"Tree.parse({str(self)!r})"

    @cached_property
    def tag_string(self) -> str:
        """The labels as one string: that of a sub-tree is ``tag_string[node:ends[node]]``."""
        return "".join(map(self.alphabet.__getitem__, self.labels))

    @property
    def ends(self) -> list[int]:
        """The first node after each node's sub-tree."""
        return self._extents[0]

    @property
    def heights(self) -> list[int]:
        """The levels of each node's sub-tree; 1 for a leaf (MDR's TreeDepth)."""
        return self._extents[1]

    @cached_property
    def _extents(self) -> tuple[list[int], list[int]]:
        parents = self.parents
        ends = list(range(1, len(parents) + 1))
        heights = [1] * len(parents)
        for node in range(len(parents) - 1, 0, -1):
            parent = parents[node]
            if ends[parent] < ends[node]:
                ends[parent] = ends[node]
            if heights[parent] <= heights[node]:
                heights[parent] = heights[node] + 1
        return ends, heights

    @cached_property
    def path_ids(self) -> list[int]:
        """A number for each node that stands for its path of labels from the root."""
        numbers: dict[tuple[int, str], int] = {}
        path_ids: list[int] = []
        for parent, label in zip(self.parents, self.labels, strict=True):
            parent_path = path_ids[parent] if parent != ROOT_PARENT else ROOT_PARENT
            path_ids.append(numbers.setdefault((parent_path, label), len(numbers)))
        return path_ids

    def children(self, node: int) -> list[int]:
        """Return the children in order."""
        ends = self.ends
        children: list[int] = []
        child, end = node + 1, ends[node]
        while child < end:
            children.append(child)
            child = ends[child]
        return children

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the node itself, its parent, … and the root."""
        while node != ROOT_PARENT:
            yield node
            node = self.parents[node]


def is_preorder(parents: Sequence[int]) -> bool:
    """Tell whether these are the parents of one tree in preorder; to check untrusted trees."""
    open_nodes: list[int] = []
    for node, parent in enumerate(parents):
        while open_nodes and open_nodes[-1] != parent:
            open_nodes.pop()
        if bool(open_nodes) != (node > 0):
            return False
        open_nodes.append(node)
    return bool(parents) and parents[0] == ROOT_PARENT


class SubtreeClasses:
    """A table of classes: two sub-trees have the same class if and only if they are identical.

    Many trees may share the table. A class is an index into ``labels``, ``children`` and ``sizes``.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.sizes: list[int] = []
        self._classes: dict[tuple[str, tuple[int, ...]], int] = {}

    def classify(self, tree: Tree, *, leaves: Container[int] = ()) -> list[int]:
        """Return the class of every node of a tree; nodes in ``leaves`` count as childless."""
        child_classes: list[list[int]] = [[] for _ in tree.labels]
        classes = [0] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            children = () if node in leaves else tuple(reversed(child_classes[node]))
            classes[node] = self.intern(tree.labels[node], children)
            if node:
                child_classes[tree.parents[node]].append(classes[node])
        return classes

    def intern(self, label: str, children: tuple[int, ...]) -> int:
        """Return the class of the tree with this root label and these classes as children."""
        number = self._classes.setdefault((label, children), len(self.labels))
        if number == len(self.labels):
            self.labels.append(label)
            self.children.append(children)
            self.sizes.append(1 + sum(self.sizes[child] for child in children))
        return number


def collect_mapped_pairs(
    classes: SubtreeClasses,
    left: int,
    right: int,
    align_children: Callable[[int, int], Iterable[tuple[int, int]]],
) -> list[tuple[int, int]]:
    """Return the pairs of a mapping of two trees, nodes numbered in preorder from each root.

    ``align_children`` returns the positions of the mapped children of two classes. Identical
    sub-trees are mapped node by node.
    """
    sizes, children = classes.sizes, classes.children
    pairs: list[tuple[int, int]] = []
    pending = [(left, right, 0, 0)]
    while pending:
        x, y, node_x, node_y = pending.pop()
        if x == y:
            pairs.extend((node_x + step, node_y + step) for step in range(sizes[x]))
            continue
        pairs.append((node_x, node_y))
        nodes_x = list(accumulate((sizes[child] for child in children[x]), initial=node_x + 1))
        nodes_y = list(accumulate((sizes[child] for child in children[y]), initial=node_y + 1))
        for i, j in align_children(x, y):
            pending.append((children[x][i], children[y][j], nodes_x[i], nodes_y[j]))
    return sorted(pairs)
