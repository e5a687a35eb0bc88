"""How the texts of detail pages are located: by template path, by label, or by table header.

A template path with one text on every page is enough to locate it. Other texts are located by the
label in the same row or by the header of their column, and those that have neither by their
template path and their number there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from unweave.lists.split_prices import SplitPrices
from unweave.page.html_tables import find_column_headers, number_cells
from unweave.page.page import INLINE_TAGS, Page
from unweave.page.template_paths import (
    HIDDEN_PATH,
    UNKNOWN_PATH,
    TemplatePaths,
)
from unweave.text_cleaning import normalize_label
from unweave.wrappers.fields.text_labels import TextPiece, cut_text

_PARAGRAPH_TAGS = INLINE_TAGS | {"br", "img", "wbr"}
_HEADING_TAGS = frozenset(["h1", "h2", "h3"])
_TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
_MAX_LABEL_LENGTH = 60  # in characters
_MAX_HEADER_LENGTH = 40
_NO_LABEL = -1

Position = tuple[int, int]
"""A template path, and the column of the table cell around it, or 0."""

PositionedText = tuple[int, int, str]
"""A template path, the column of the table cell around it, and a text there."""


class LocatedBy(StrEnum):
    """What a text is located by. The values are those of wrapper files."""

    LABEL = "label"
    COLUMN = "column"
    PATH = "place"
    JOINED = "joined"
    """The texts of one paragraph, by its template path and the label before it."""
    PIECE = "piece"
    """A part of a text, by its template path and the label before it inside the text."""


class Locator(NamedTuple):
    """How a text is located on all pages of a template."""

    by: LocatedBy
    path: int
    label: str = ""
    label_path: int = UNKNOWN_PATH


class LocatedText(NamedTuple):
    """One or several text nodes of a page with their locator."""

    locator: Locator
    number: int
    """How many texts with the same locator precede it."""
    text_nodes: range
    label: int = _NO_LABEL
    """The text node of the label."""
    piece: TextPiece | None = None
    """The part of the text that it is, if it is not the whole text."""

    def read(self, prices: SplitPrices) -> str:
        """Return the text, given the split prices of its page."""
        return self.piece.text if self.piece else prices.join(self.text_nodes)


@dataclass(frozen=True)
class Anchors:
    """What is stable in the pages of a template."""

    paths: TemplatePaths
    labels: frozenset[PositionedText] = frozenset()
    single_text_paths: frozenset[int] = frozenset()
    """The template paths with one text on nearly every page, and never more."""
    label_positions: frozenset[Position] = frozenset()
    """Positions that hold labels only: a new text there is a label."""
    colon_positions: frozenset[Position] = frozenset()
    """Positions of labels with a colon: a new text there is a label if it ends with one."""
    text_labels: Mapping[Position, Sequence[str]] = field(default_factory=dict)
    """The labels inside the texts of positions, each with its sign."""

    def is_label(self, path: int, column: int, text: str) -> bool:
        """Tell whether a text at this position is a label."""
        if (path, column, text) in self.labels:
            return True
        is_likely = (path, column) in self.label_positions or (
            text.endswith(":") and (path, column) in self.colon_positions
        )
        return is_likely and may_be_label(text)

    def cut_text(self, page: Page, text_node: int, position: Position) -> list[TextPiece]:
        """Return the values inside a text at this position; none if it has no labels inside.

        A text with one label stays whole, unless it is a line of several or an item of a list.
        """
        labels = self.text_labels.get(position)
        pieces = cut_text(page.texts[text_node], labels) if labels else []
        return pieces if len(pieces) > 1 or (pieces and is_line(page, text_node)) else []


def may_be_label(text: str) -> bool:
    """Tell whether a text is short and has letters, unlike punctuation between values."""
    return len(text) <= _MAX_LABEL_LENGTH and _TWO_LETTERS.search(text) is not None


def is_line(page: Page, text_node: int) -> bool:
    """Tell whether a text is one of several in its element, or in an item of a list."""
    parent = page.text_parents[text_node]
    block = page.block_ancestors[parent]
    return page.count_texts(parent) > 1 or page.tree.labels[block] == "li"


def find_labels_of_page(page: Page, paths: Sequence[int], anchors: Anchors) -> Iterator[int]:
    """Yield the text nodes of a page that are labels."""
    cell_columns = number_cells(page)
    for text_node, (parent, text) in enumerate(zip(page.text_parents, page.texts, strict=True)):
        if anchors.is_label(paths[parent], cell_columns[parent], text):
            yield text_node


def locate_texts(
    page: Page,
    anchors: Anchors,
    paths: list[int],
    prices: SplitPrices,
    *,
    joined: bool = True,
    reworded: Mapping[int, str] = MappingProxyType({}),
    columns: Sequence[int] | None = None,
    wanted: Container[int] | None = None,
) -> list[LocatedText]:
    """Return the texts of a page that are not labels, with their locators.

    With ``joined``, paragraphs of several text nodes follow, each as one more text. ``reworded``
    has the text nodes of labels that were reworded, with the learned labels that they stand for;
    ``columns`` the number of the table cell of each node, if it is not that of ``number_cells``.
    With ``wanted``, only texts at these template paths are returned.
    """
    return _TextLocator(page, anchors, paths, prices, reworded, columns, wanted).locate(joined)


class _TextLocator:
    """One pass over the text nodes of a page."""

    def __init__(
        self,
        page: Page,
        anchors: Anchors,
        paths: list[int],
        prices: SplitPrices,
        reworded: Mapping[int, str],
        columns: Sequence[int] | None,
        wanted: Container[int] | None,
    ) -> None:
        self._page, self._anchors, self._paths, self._prices = page, anchors, paths, prices
        self._wanted = wanted
        self._reworded = reworded
        self._columns = number_cells(page) if columns is None else columns
        self._given_columns = columns
        self._header_labels: dict[int, str] = {}
        self._counts: Counter[Locator] = Counter()

    def locate(self, joined: bool) -> list[LocatedText]:
        page, columns, paths = self._page, self._columns, self._paths
        anchors = self._anchors
        located: list[LocatedText] = []
        by_text_node: dict[int, LocatedText] = {}
        label, row = _NO_LABEL, range(0)  # the row is how far the label reaches
        without_value: set[int] = set()
        for text_node, parent in enumerate(page.text_parents):
            path = paths[parent]
            if path == HIDDEN_PATH:
                label = _NO_LABEL
                without_value.add(text_node)
                continue
            if self._prices.is_absorbed(text_node):
                continue
            is_label = anchors.is_label(path, columns[parent], page.texts[text_node])
            if is_label or text_node in self._reworded:
                label, row = text_node, range(0)
                without_value.add(text_node)
                continue
            price = self._prices.by_amount.get(text_node)
            pieces = anchors.cut_text(page, text_node, (path, columns[parent]))
            if pieces and not price:
                without_value.add(text_node)
                located += [self._locate_piece(piece, text_node, path) for piece in pieces]
                continue
            if label != _NO_LABEL:
                row = row or self._find_row(page.text_parents[label], parent)
                if parent not in row:
                    label = _NO_LABEL
            if self._is_wanted(parent, joined):
                locator, named_by = self._make_locator(parent, path, label)
                text_nodes = price.texts if price else range(text_node, text_node + 1)
                text = self._count(locator, text_nodes, named_by)
                by_text_node.update(dict.fromkeys(text_nodes, text))
                located.append(text)
            if label != _NO_LABEL and self._is_heading(parent):
                label = _NO_LABEL  # a label above a heading does not name what is below it
        if not joined:
            return located
        for node, text_nodes in self._find_paragraphs(without_value):
            first = by_text_node.get(text_nodes.start)
            if first is None or not self._is_wanted(node, joined=False):
                continue
            locator = Locator(LocatedBy.JOINED, paths[node])
            if first.locator.by is LocatedBy.LABEL:
                locator = locator._replace(
                    label=first.locator.label, label_path=first.locator.label_path
                )
            located.append(self._count(locator, text_nodes, first.label))
        return located

    def _locate_piece(self, piece: TextPiece, text_node: int, path: int) -> LocatedText:
        locator = Locator(LocatedBy.PIECE, path, normalize_label(piece.label))
        return self._count(locator, range(text_node, text_node + 1), _NO_LABEL, piece)

    def _is_wanted(self, node: int, joined: bool) -> bool:
        """Tell whether the texts of an element are wanted, or those of the paragraph around it."""
        wanted, paths = self._wanted, self._paths
        if wanted is None or paths[node] in wanted:
            return True
        return joined and paths[self._page.block_ancestors[node]] in wanted

    def _count(
        self, locator: Locator, text_nodes: range, label: int, piece: TextPiece | None = None
    ) -> LocatedText:
        number = self._counts[locator]
        self._counts[locator] = number + 1
        return LocatedText(locator, number, text_nodes, label, piece)

    def _make_locator(self, parent: int, path: int, label: int) -> tuple[Locator, int]:
        """Return the locator of a text in an element after a label, and the node of its name."""
        if path in self._anchors.single_text_paths:
            return Locator(LocatedBy.PATH, path), label
        header_label = self._find_header_label(parent)
        if header_label and (label == _NO_LABEL or self._is_shared(header_label[0])):
            header, text = header_label
            return Locator(LocatedBy.COLUMN, path, text), self._page.text_starts[header]
        if label == _NO_LABEL:
            return Locator(LocatedBy.PATH, path), label
        text = normalize_label(self._reworded.get(label, self._page.texts[label]))
        label_path = self._paths[self._page.text_parents[label]]
        return Locator(LocatedBy.LABEL, path, text, label_path), label

    @cached_property
    def _headers(self) -> dict[int, int]:
        """The header above each cell of a table."""
        return find_column_headers(self._page, self._given_columns)

    def _find_header_label(self, node: int) -> tuple[int, str] | None:
        """Return the header above the cell around a node, and its label; None if it has none."""
        if not self._columns[node] or not self._headers:
            return None
        tags = self._page.tree.labels
        ancestors = self._page.tree.ancestors(node)
        cell = next((above for above in ancestors if tags[above] in ("td", "th")), node)
        header = self._headers.get(cell)
        if header is None:
            return None
        label = self._header_labels.get(header)
        if label is None:
            text = self._page.text(header)
            is_label = len(text) <= _MAX_HEADER_LENGTH and may_be_label(text)
            label = self._header_labels[header] = normalize_label(text) if is_label else ""
        return (header, label) if label else None

    def _is_shared(self, header: int) -> bool:
        """Tell whether the text of a header is a label of the template."""
        page = self._page
        text_node = page.text_starts[header]
        parent = page.text_parents[text_node]
        path, column = self._paths[parent], self._columns[parent]
        return self._anchors.is_label(path, column, page.texts[text_node])

    def _is_heading(self, node: int) -> bool:
        tags, parents = self._page.tree.labels, self._page.tree.parents
        while tags[node] in INLINE_TAGS:
            node = parents[node]
        return tags[node] in _HEADING_TAGS

    def _find_row(self, label_node: int, value_node: int) -> range:
        """Return the nodes of the smallest sub-tree that holds a label and the text after it."""
        tree = self._page.tree
        node = label_node
        while not node <= value_node < tree.ends[node]:
            node = tree.parents[node]
        return range(node, tree.ends[node])

    def _find_paragraphs(self, without_value: set[int]) -> Iterator[tuple[int, range]]:
        """Yield elements with several text nodes on one line, and those after the last label."""
        page = self._page
        blocks, text_parents = page.block_ancestors, page.text_parents
        has_blocks = self._find_nodes_with_blocks()
        start, count = 0, len(text_parents)
        while start < count:
            node = blocks[text_parents[start]]
            stop = start + 1
            while stop < count and blocks[text_parents[stop]] == node:
                stop += 1
            if not has_blocks[node]:
                for text_node in range(stop - 1, start - 1, -1):
                    if text_node in without_value:
                        start = text_node + 1
                        break
                if stop - start > 1 and not self._prices.is_whole_price(range(start, stop)):
                    yield node, range(start, stop)
            start = stop

    def _find_nodes_with_blocks(self) -> list[bool]:
        """Tell for each node whether an element below it, not br or img, starts a new line."""
        tree = self._page.tree
        has_blocks = [False] * len(tree)
        for node in range(len(tree) - 1, 0, -1):
            if has_blocks[node] or tree.labels[node] not in _PARAGRAPH_TAGS:
                has_blocks[tree.parents[node]] = True
        return has_blocks
