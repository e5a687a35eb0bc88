"""The text of a page as HTML, with the records and cells that were found in it.

Only harmless elements of the page are kept, without their attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from unweave.page.page import BLOCK_TAGS, Page
from unweave.table import URL_TYPES, Table

COLOURS = (
    "#ffe3b3",
    "#cfe8ff",
    "#d9f2d0",
    "#f6d5e8",
    "#e2dcff",
    "#fff3b0",
    "#c9f0ee",
    "#ffd6cc",
    "#e6e9c3",
    "#dbe4ee",
    "#f1d9c0",
    "#d3e6c9",
)
"""The colours of columns, in order."""

MAX_DEPTH = 200
"""Browsers stop nesting at about this depth, and a report must not be larger than the page."""

_KEPT_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tbody thead tfoot tr td th caption b i em strong"
    " small sup sub br hr pre blockquote".split()
)
_VOID_TAGS = frozenset(["br", "hr"])
_TEXTLESS_TAGS = frozenset(["table", "tbody", "thead", "tfoot", "tr", "ul", "ol", "dl"])
_DROPPED_TAGS = frozenset(["head", "title", "option"])


def format_page(page: Page, tables: Sequence[Table]) -> str:
    """Return the page as HTML: records of the first table are numbered, and cells coloured."""
    return "".join(_Formatter(page, tables).format_parts())


class _Formatter:
    """The marks of nodes, and the elements that are open while the HTML is written."""

    def __init__(self, page: Page, tables: Sequence[Table]) -> None:
        self._page = page
        self._parts: list[str] = []
        self._open: list[tuple[int, str]] = []  # the ends of open elements, and their tags
        self._pending_mark = ""  # of a record whose element may not contain text
        self._records: dict[int, str] = {}
        self._other_records: dict[int, str] = {}
        self._columns: dict[int, tuple[int, str]] = {}
        for number, table in enumerate(tables):
            marks = self._other_records if number else self._records
            for row, record in enumerate(table.records, start=1):
                mark = f"table {number + 1}" if number else str(row)
                for root in record:
                    marks.setdefault(root, mark)
                    mark = ""
        for row_nodes in tables[0].nodes if tables else ():
            for number, nodes in enumerate(row_nodes):
                column = tables[0].columns[number]
                if column.type not in URL_TYPES:
                    for node in nodes:
                        self._columns.setdefault(node, (number % len(COLOURS), column.name))

    def format_parts(self) -> list[str]:
        """Return the pieces of the HTML, in document order."""
        page, parts, open_elements = self._page, self._parts, self._open
        labels = page.tree.labels
        text = 0
        for node in range(len(labels) + 1):
            while text < len(page.texts) and page.text_positions[text] <= node:
                self._close_before_text(page.text_positions[text], page.text_parents[text])
                parts.append(escape(page.texts[text]) + " ")
                text += 1
            while open_elements and open_elements[-1][0] <= node:
                parts.append(f"</{open_elements.pop()[1]}>")
            is_kept = node < len(labels) and labels[node] not in _DROPPED_TAGS
            if is_kept and len(open_elements) < MAX_DEPTH:
                self._open_element(node)
        return parts

    def _close_before_text(self, position: int, parent: int) -> None:
        """Close the elements that end before a text: those inside of its parent."""
        parent_end = self._page.tree.ends[parent]
        while self._open and self._open[-1][0] <= position and self._open[-1][0] < parent_end:
            self._parts.append(f"</{self._open.pop()[1]}>")

    def _open_element(self, node: int) -> None:
        label = self._page.tree.labels[node]
        if label == "img":
            self._parts.append('<span class="picture">▣</span> ')
            return
        tag = label if label in _KEPT_TAGS else "div" if label in BLOCK_TAGS else "span"
        self._parts.append(f"<{tag}{self._format_attributes(node)}>")
        if tag in _VOID_TAGS:
            return
        mark = self._records.get(node) or self._other_records.get(node) or self._pending_mark
        self._pending_mark = mark if tag in _TEXTLESS_TAGS else ""
        if mark and not self._pending_mark:
            self._parts.append(f'<span class="mark">{mark}</span>')
        self._open.append((self._page.tree.ends[node], tag))

    def _format_attributes(self, node: int) -> str:
        classes: list[str] = []
        title = ""
        if node in self._records:
            classes.append("record")
        elif node in self._other_records:
            classes.append("other")
        if node in self._columns:
            number, name = self._columns[node]
            classes.append(f"c{number}")
            title = f' title="{escape(name)}"'
        return (f' class="{" ".join(classes)}"' if classes else "") + title
