"""Patterns as text: one vertex a line, two spaces deeper than its parent.

    html
      body
        h1
          · title
        p
          "Price:"
        *

A text is in quotes. A wildcard may have a name after it: the field that it fills.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unweave.errors import TreeSyntaxError
from unweave.trees.pattern import WILDCARDS
from unweave.trees.tree import ROOT_PARENT, Tree

_INDENT = 2
_MAX_QUOTED_LENGTH = 80


def make_text_label(text: str) -> str:
    """Return the label of a vertex that is a text; no element and no wildcard has such a label."""
    return f'"{text}"'


def is_text_label(label: str) -> bool:
    """Tell whether a label is that of a text."""
    return label.startswith('"')


def find_wildcards(pattern: Tree) -> Iterator[int]:
    """Yield the wildcards of a pattern in order."""
    return (node for node, label in enumerate(pattern.labels) if label in WILDCARDS)


def format_pattern(pattern: Tree, names: Mapping[int, str]) -> list[str]:
    """Return the lines of a pattern whose wildcards have these names."""
    depths: list[int] = []
    lines: list[str] = []
    for node, (label, parent) in enumerate(zip(pattern.labels, pattern.parents, strict=True)):
        depths.append(depths[parent] + 1 if node else 0)
        name = f" {names[node]}" if node in names else ""
        lines.append(f"{' ' * _INDENT * depths[node]}{label}{name}")
    return lines


def parse_pattern(lines: Sequence[str]) -> tuple[Tree, dict[int, str]]:
    """Return the pattern that lines describe, and the names of its wildcards.

    Raises TreeSyntaxError; the lines are untrusted.
    """
    labels: list[str] = []
    parents: list[int] = []
    names: dict[int, str] = {}
    open_nodes: list[int] = []
    for number, line in enumerate(lines):
        depth, rest = divmod(len(line) - len(line.lstrip(" ")), _INDENT)
        if rest or depth > len(open_nodes) or (depth == 0) != (number == 0):
            raise _make_error("the line is not indented as a child of an earlier line", line)
        label, name = _parse_line(line.strip(" "))
        parent = open_nodes[depth - 1] if depth else ROOT_PARENT
        if depth and (labels[parent] in WILDCARDS or is_text_label(labels[parent])):
            raise _make_error("a text or wildcard has a child", line.strip())
        open_nodes[depth:] = [number]
        labels.append(label)
        parents.append(parent)
        if name:
            names[number] = name
    if not labels:
        raise TreeSyntaxError("the pattern has no lines")
    if len(set(names.values())) < len(names):
        raise TreeSyntaxError("two wildcards have the same name")
    return Tree(labels, parents), names


def _parse_line(content: str) -> tuple[str, str]:
    """Return the label and the name of a line without its indentation."""
    if is_text_label(content):
        if len(content) < len('""') or not content.endswith('"'):
            raise _make_error("the text has no closing quote", content)
        return content, ""
    label, _, name = content.partition(" ")
    if not label or (name and label not in WILDCARDS):
        raise _make_error("expected an element, a text or a wildcard", content)
    if not name.isprintable():
        raise _make_error("a name has characters that cannot be printed", name)
    return label, name


def _make_error(message: str, line: str) -> TreeSyntaxError:
    return TreeSyntaxError(f"{message}: {line[:_MAX_QUOTED_LENGTH]!r}")
