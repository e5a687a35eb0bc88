"""Content tree: the main content of a page as headings, paragraphs, lists, quotes, tables, code.

Text and Markdown are written from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

STRONG, EMPHASIS, STRIKE = 1, 2, 4
"""Styles of text."""


class Piece(NamedTuple):
    """A run of text in one style, or an image."""

    text: str
    """The text; of an image its alternative text."""
    separator: str
    """What is between it and the piece before: nothing, a space, or a line break."""
    style: int = 0
    """The sum of STRONG, EMPHASIS and STRIKE."""
    code: int = -1
    """The element, if the text is code; pieces of one element belong together."""
    link: int = -1
    """The element, if the text is in a link."""
    url: str | None = None
    """The target of the link."""
    image: str | None = None
    """The URL of the image; None for text."""


Pieces = Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or any other line."""

    pieces: Pieces


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the page or of a section."""

    level: int
    pieces: Pieces


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of code, or other preformatted text."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the page."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of data. A spanned cell is in the first of its places, and the others are empty."""

    rows: Sequence[Sequence[Pieces]]
    has_header: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation."""

    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list."""

    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list; ``children`` are its items."""

    start: int | None = None
    """The number of the first item; None for a list without numbers."""
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ContentTree:
    """The main content of a page."""

    children: list[Node] = field(default_factory=list)


Leaf = Paragraph | Heading | Code | Rule | Table
Container = ContentTree | Quote | ItemList | Item
Node = Leaf | Quote | ItemList | Item


def join_pieces(pieces: Pieces) -> str:
    """Return the text of pieces on one line."""
    words = [
        f"{' ' if piece.separator else ''}{piece.text}" for piece in pieces if piece.image is None
    ]
    return "".join(words).strip()


def iter_leaves(tree: ContentTree) -> Iterator[Leaf]:
    """Yield the leaves of a tree in order."""
    pending: list[Node] = list(reversed(tree.children))
    while pending:
        node = pending.pop()
        if isinstance(node, Quote | Item | ItemList):
            pending.extend(reversed(node.children))
        else:
            yield node


def iter_pieces(tree: ContentTree) -> Iterator[Piece]:
    """Yield the pieces of a tree in order."""
    for leaf in iter_leaves(tree):
        if isinstance(leaf, Paragraph | Heading):
            yield from leaf.pieces
        elif isinstance(leaf, Table):
            for row in leaf.rows:
                for cell in row:
                    yield from cell
