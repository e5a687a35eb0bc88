"""Plain text of the main content of a page: its words, one block a line, and nothing else."""

from __future__ import annotations

from unweave.content.content_tree import (
    Code,
    ContentTree,
    Heading,
    Leaf,
    Paragraph,
    Table,
    iter_leaves,
    join_pieces,
)


def format_plain_text(tree: ContentTree) -> str:
    """Return a content tree as text.

    Each paragraph, heading and item of a list is a line, and each row of a table, with tabs between
    its cells. Code has its own lines. An empty line is before every heading, and around tables and
    code.
    """
    lines: list[str] = []
    is_apart = False
    for leaf in iter_leaves(tree):
        leaf_lines = _format_leaf(leaf)
        if not any(leaf_lines):
            continue
        is_alone = isinstance(leaf, Table | Code)
        if lines and (is_apart or is_alone or isinstance(leaf, Heading)):
            lines.append("")
        lines += leaf_lines
        is_apart = is_alone
    return "\n".join(lines)


def _format_leaf(leaf: Leaf) -> list[str]:
    match leaf:
        case Paragraph(pieces) | Heading(_, pieces):
            return [join_pieces(pieces)]
        case Code(text, _):
            return text.split("\n")
        case Table(rows):
            return ["\t".join(map(join_pieces, row)).rstrip("\t") for row in rows]
        case _:
            return []
