"""Markdown of the main content of a page, as CommonMark with the tables of GFM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from unweave.content.blocks import Block
from unweave.content.content_tree import (
    Code,
    ContentTree,
    Heading,
    Item,
    ItemList,
    Node,
    Paragraph,
    Quote,
    Rule,
    Table,
)
from unweave.content.inline_markdown import (
    InlineOptions,
    escape_closing_hashes,
    escape_line_starts,
    escape_text,
    format_pieces,
)
from unweave.content.tree_building import build_content_tree
from unweave.page.page import Page

_BACKTICKS = re.compile("`+")
_BULLETS, _NUMBER_ENDS = "-*", ".)"


def render_markdown(
    page: Page,
    blocks: Iterable[Block],
    *,
    title: str | None = None,
    extra: Iterable[str] = (),
    links: bool = True,
    images: bool = True,
) -> str:
    """Return the blocks of a page as Markdown, and nothing else of it.

    ``title`` is the first line, and its heading is not repeated. ``extra`` are paragraphs that
    follow the blocks. Links and images have absolute URLs if the URL of the page is known.
    """
    tree = build_content_tree(page, blocks, title=title, extra=extra)
    return format_markdown(tree, title=title, links=links, images=images)


def format_markdown(
    tree: ContentTree, *, title: str | None = None, links: bool = True, images: bool = True
) -> str:
    """Return a content tree as Markdown; empty for one without content."""
    options = InlineOptions(links, images)
    lines = _format_nodes(tree.children, options)
    heading = escape_closing_hashes(escape_text(" ".join((title or "").split())))
    if heading:
        lines = [f"# {heading}", *([""] if lines else []), *lines]
    return "\n".join(lines) + "\n" if lines else ""


def _format_nodes(
    nodes: Sequence[Node], options: InlineOptions, *, is_tight: bool = False
) -> list[str]:
    """Return the lines of nodes. Trees are at most MAX_NESTING levels deep, so this may recurse."""
    lines: list[str] = []
    alternative = 0
    previous: Node | None = None
    for node in nodes:
        if isinstance(node, ItemList):
            is_adjacent = isinstance(previous, ItemList) and (
                (previous.start is None) == (node.start is None)
            )
            alternative = 1 - alternative if is_adjacent else 0
        node_lines = _format_node(node, options, alternative)
        if not node_lines:
            continue
        if lines and not is_tight:
            lines.append("")
        lines += node_lines
        previous = node
    return lines


def _format_node(node: Node, options: InlineOptions, alternative: int) -> list[str]:
    match node:
        case Paragraph(pieces):
            text = format_pieces(pieces, options)
            return escape_line_starts(text).split("\n") if text else []
        case Heading(level, pieces):
            text = format_pieces(pieces, replace(options, one_line=True))
            return [f"{'#' * level} {escape_closing_hashes(text)}"] if text else []
        case Code(text, language):
            fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
            return [f"{fence}{language}", *text.split("\n"), fence]
        case Rule():
            return ["---"]
        case Table():
            return _format_table(node, options)
        case Quote(children):
            return [f"> {line}" if line else ">" for line in _format_nodes(children, options)]
        case ItemList(start, items):
            return _format_list(start, items, options, alternative)
        case Item(children):
            return _format_nodes(children, options)


def _format_list(
    start: int | None, items: Sequence[Node], options: InlineOptions, alternative: int
) -> list[str]:
    """Return the lines of a list; an ``alternative`` marker separates it from the list before."""
    is_tight = all(isinstance(item, Item) and _is_tight(item) for item in items)
    lines: list[str] = []
    number = start
    for item in items:
        marker = _BULLETS[alternative] if number is None else f"{number}{_NUMBER_ENDS[alternative]}"
        children = item.children if isinstance(item, Item) else [item]
        item_lines = _format_nodes(children, options, is_tight=is_tight)
        if not item_lines:
            continue
        if lines and not is_tight:
            lines.append("")
        indentation = " " * (len(marker) + 1)
        lines.append(f"{marker} {item_lines[0]}")
        lines += [f"{indentation}{line}" if line else "" for line in item_lines[1:]]
        number = None if number is None else number + 1
    return lines


def _is_tight(item: Item) -> bool:
    """Tell whether an item is a line with lists below it, which need no empty lines between them.

    A list that does not start at 1 needs one after a line.
    """
    first, *others = item.children
    return isinstance(first, Paragraph | ItemList) and all(
        isinstance(child, ItemList) and child.start in (None, 1) for child in others
    )


def _format_table(table: Table, options: InlineOptions) -> list[str]:
    """Return the lines of a table; without headers, those of Markdown are empty."""
    in_table = replace(options, in_table=True)
    rows = [[format_pieces(cell, in_table) for cell in row] for row in table.rows]
    width = max(map(len, rows))
    header = rows.pop(0) if table.has_header else []
    header = header + [""] * (width - len(header))
    return [_format_row(header), _format_row(["---"] * width), *map(_format_row, rows)]


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
