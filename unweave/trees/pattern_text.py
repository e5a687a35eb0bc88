"""Patterns as text that a person can follow: one vertex a line, two spaces deeper than its parent.

    html
      body
        h1
          · title
        p
          "Price:"
        *

A text stands in quotes. A wildcard may have a name behind it, which is the field that it fills.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unweave.errors import TreeSyntaxError
from unweave.trees.pattern import WILDCARDS
from unweave.trees.tree import ROOT_PARENT, Tree

_INDENT = 2
_SHOWN = 80


def make_text_label(text: str) -> str:
    """The label of a vertex that is a text; no element and no wildcard has such a label."""
    return f'"{text}"'


def is_text_label(label: str) -> bool:
    """Is this the label of a text?"""
    return label.startswith('"')


def format_pattern(pattern: Tree, names: Mapping[int, str]) -> list[str]:
    """The lines of a pattern whose wildcards have these names."""
    depths: list[int] = []
    lines: list[str] = []
    for node, (label, parent) in enumerate(zip(pattern.labels, pattern.parents, strict=True)):
        depths.append(depths[parent] + 1 if node else 0)
        name = f" {names[node]}" if node in names else ""
        lines.append(f"{' ' * _INDENT * depths[node]}{label}{name}")
    return lines


def parse_pattern(lines: Sequence[str]) -> tuple[Tree, dict[int, str]]:
    """The pattern that these lines describe, and the names of its wildcards."""
    labels: list[str] = []
    parents: list[int] = []
    names: dict[int, str] = {}
    open_nodes: list[int] = []
    for number, line in enumerate(lines):
        depth = _depth(line, len(open_nodes), is_first=number == 0)
        label, name = _split(line.strip(" "))
        if (
            open_nodes[depth - 1 :]
            and depth
            and not _may_have_children(labels[open_nodes[depth - 1]])
        ):
            raise TreeSyntaxError(
                f"a text or a wildcard has something below it: {line.strip()[:_SHOWN]!r}"
            )
        open_nodes[depth:] = [number]
        labels.append(label)
        parents.append(open_nodes[depth - 1] if depth else ROOT_PARENT)
        if name:
            names[number] = name
    if not labels:
        raise TreeSyntaxError("the pattern has no lines")
    if len(set(names.values())) < len(names):
        raise TreeSyntaxError("two wildcards have one name")
    return Tree(labels, parents), names


def _depth(line: str, open_count: int, *, is_first: bool) -> int:
    spaces = len(line) - len(line.lstrip(" "))
    depth, rest = divmod(spaces, _INDENT)
    if rest or depth > open_count or (depth == 0) != is_first:
        raise TreeSyntaxError(
            f"the line is not indented as a child of one before it: {line[:_SHOWN]!r}"
        )
    return depth


def _split(content: str) -> tuple[str, str]:
    """The label and the name of a line."""
    if is_text_label(content):
        if len(content) < len('""') or not content.endswith('"'):
            raise TreeSyntaxError(f"the text has no end: {content[:_SHOWN]!r}")
        return content, ""
    label, _, name = content.partition(" ")
    if not label or (name and label not in WILDCARDS):
        raise TreeSyntaxError(f"this is no element, no text and no wildcard: {content[:_SHOWN]!r}")
    if not name.isprintable():
        raise TreeSyntaxError(f"a name has characters that cannot be printed: {name[:_SHOWN]!r}")
    return label, name


def _may_have_children(label: str) -> bool:
    return label not in WILDCARDS and not is_text_label(label)


def find_wildcards(pattern: Tree) -> Iterator[int]:
    """The wildcards of a pattern, in order."""
    return (node for node, label in enumerate(pattern.labels) if label in WILDCARDS)
