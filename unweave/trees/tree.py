"""A labelled, ordered tree whose nodes are the integers 0 … n-1 in preorder.

Two ideas carry the speed of everything above:

- the labels of the whole tree are one ``str``, one character a label (``Tree.tags``), so that every sub-tree and every run
  of adjacent siblings is a slice of it and a fast string metric applies as it is;
- identical sub-trees share one class (``Classes``), so that tree algorithms are memoised on pairs of classes.
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
    """One character a label, handed out in order of first use.

    Trees whose tag strings are to be compared with each other must share one alphabet.
    """

    def __missing__(self, label: str) -> str:
        code = _FIRST_CHARACTER + len(self)
        if code >= _SURROGATES.start:
            code += len(_SURROGATES)
        self[label] = character = chr(code)
        return character


class Tree:
    """Labels and parents in preorder; the parent of the root is -1. Never changed after it is made."""

    def __init__(
        self, labels: Sequence[str], parents: Sequence[int], *, alphabet: Alphabet | None = None
    ) -> None:
        self.labels = labels
        self.parents = parents
        self.alphabet = Alphabet() if alphabet is None else alphabet

    @classmethod
    def parse(cls, text: str, *, alphabet: Alphabet | None = None) -> Tree:
        """Read the notation of the tests: ``a(b c(d))``; commas and spaces both separate siblings."""
        labels: list[str] = []
        parents: list[int] = []
        open_nodes: list[int] = [ROOT_PARENT]
        for label, mark in _tokens(text):
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
        """The notation that ``parse`` reads."""
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
        """The labels as one string: node's sub-tree is ``tags[node:ends[node]]``."""
        return "".join(map(self.alphabet.__getitem__, self.labels))

    @property
    def ends(self) -> list[int]:
        """The first node after each node's sub-tree."""
        return self._extents[0]

    @property
    def heights(self) -> list[int]:
        """Levels of each node's sub-tree; 1 for a childless node (MDR's TreeDepth)."""
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
        """A number for each node's path of labels from the root; nodes of equal paths have equal numbers."""
        known: dict[tuple[int, str], int] = {}
        paths: list[int] = []
        for parent, label in zip(self.parents, self.labels, strict=True):
            above = paths[parent] if parent != ROOT_PARENT else ROOT_PARENT
            paths.append(known.setdefault((above, label), len(known)))
        return paths

    def children(self, node: int) -> list[int]:
        """The children in order. The first follows its parent, each next one follows the sub-tree of the one before."""
        ends = self.ends
        found: list[int] = []
        child, end = node + 1, ends[node]
        while child < end:
            found.append(child)
            child = ends[child]
        return found

    def ancestors(self, node: int) -> Iterator[int]:
        """The node itself, its parent, … and the root."""
        while node != ROOT_PARENT:
            yield node
            node = self.parents[node]


def is_preorder(parents: Sequence[int]) -> bool:
    """Are these the parents of one tree in preorder? For trees that come from strangers."""
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

    The table may be shared by many trees; a class is an index into its columns.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.sizes: list[int] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    def classify(self, tree: Tree, *, leaves: Container[int] = ()) -> list[int]:
        """The class of every node of the tree, bottom-up; ``leaves`` count as childless, whatever is below them."""
        kids: list[list[int]] = [[] for _ in tree.labels]
        classes = [0] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            children = () if node in leaves else tuple(reversed(kids[node]))
            classes[node] = self.intern(tree.labels[node], children)
            if node:
                kids[tree.parents[node]].append(classes[node])
        return classes

    def intern(self, label: str, children: tuple[int, ...]) -> int:
        """The class of the tree with this root label over these classes."""
        known = self._known.setdefault((label, children), len(self.labels))
        if known == len(self.labels):
            self.labels.append(label)
            self.children.append(children)
            self.sizes.append(1 + sum(self.sizes[child] for child in children))
        return known


def collect_mapped_pairs(
    classes: SubtreeClasses,
    one: int,
    other: int,
    aligned: Callable[[int, int], Iterable[tuple[int, int]]],
) -> list[tuple[int, int]]:
    """The pairs of a mapping of two trees, nodes numbered in preorder from each root.

    ``aligned`` pairs the positions of the children of two classes; identical sub-trees are mapped node by node.
    """
    sizes, children = classes.sizes, classes.children
    pairs: list[tuple[int, int]] = []
    waiting = [(one, other, 0, 0)]
    while waiting:
        x, y, at_x, at_y = waiting.pop()
        if x == y:
            pairs.extend((at_x + step, at_y + step) for step in range(sizes[x]))
            continue
        pairs.append((at_x, at_y))
        starts_x = list(accumulate((sizes[kid] for kid in children[x]), initial=at_x + 1))
        starts_y = list(accumulate((sizes[kid] for kid in children[y]), initial=at_y + 1))
        for i, j in aligned(x, y):
            waiting.append((children[x][i], children[y][j], starts_x[i], starts_y[j]))
    return sorted(pairs)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, text = 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # pragma: no cover - the pattern covers every character
            raise TreeSyntaxError(f"cannot read {text[position:]!r}")
        yield match[1] or "", match[2] or ""
        position = match.end()
