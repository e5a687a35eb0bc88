"""A page drawn without its style: its own elements as far as they are harmless, its texts, and what was found in it."""

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
"""The colours of columns, one after the other."""

_KEPT = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tbody thead tfoot tr td th caption b i em strong small sup sub br hr pre"
    " blockquote".split()
)
_EMPTY = frozenset(["br", "hr"])
_NO_TEXT = frozenset(["table", "tbody", "thead", "tfoot", "tr", "ul", "ol", "dl"])
_LEFT_OUT = frozenset(["head", "title", "option"])
# Browsers stop nesting before that, and a report must not be larger than the page.
_DEEPEST = 200


def drawn(page: Page, tables: Sequence[Table]) -> str:
    """The page as HTML, with the records of the first table numbered, and its cells coloured."""
    return "".join(_Drawing(page, tables).parts())


class _Drawing:
    """What is drawn at which element."""

    def __init__(self, page: Page, tables: Sequence[Table]) -> None:
        self._page = page
        self._records: dict[int, str] = {}
        self._others: dict[int, str] = {}
        self._columns: dict[int, tuple[int, str]] = {}
        self._waiting_mark = ""  # of a record whose own element may hold no text
        for number, table in enumerate(tables):
            for row, record in enumerate(table.records, start=1):
                for part, root in enumerate(record):
                    known = self._others if number else self._records
                    known.setdefault(
                        root, "" if part else f"table {number + 1}" if number else str(row)
                    )
        if tables:
            self._colour(tables[0])

    def _colour(self, table: Table) -> None:
        for row in table.nodes:
            for number, nodes in enumerate(row):
                column = table.columns[number]
                if column.type not in URL_TYPES:
                    for node in nodes:
                        self._columns.setdefault(node, (number % len(COLOURS), column.name))

    def parts(self) -> list[str]:
        """The pieces of the markup, in order."""
        page = self._page
        labels, ends, places = (
            page.tree.labels,
            page.tree.ends,
            [*page.text_positions, len(page.tree) + 1],
        )
        parts: list[str] = []
        waiting: list[tuple[int, str]] = []  # the ends of open elements, and their tags
        chunk = 0
        for node in range(len(labels) + 1):
            while chunk < len(page.texts) and places[chunk] <= node:
                _close(parts, waiting, places[chunk], page.text_parents[chunk], ends)
                parts.append(escape(page.texts[chunk]) + " ")
                chunk += 1
            while waiting and waiting[-1][0] <= node:
                parts.append(f"</{waiting.pop()[1]}>")
            if node < len(labels) and labels[node] not in _LEFT_OUT and len(waiting) < _DEEPEST:
                self._open(node, parts, waiting)
        return parts

    def _open(self, node: int, parts: list[str], waiting: list[tuple[int, str]]) -> None:
        label = self._page.tree.labels[node]
        if label == "img":
            parts.append('<span class="picture">▣</span> ')
            return
        tag = label if label in _KEPT else "div" if label in BLOCK_TAGS else "span"
        parts.append(f"<{tag}{self._attributes(node)}>")
        if tag in _EMPTY:
            return
        mark = self._records.get(node) or self._others.get(node) or self._waiting_mark
        self._waiting_mark = mark if tag in _NO_TEXT else ""
        if mark and not self._waiting_mark:
            parts.append(f'<span class="mark">{mark}</span>')
        waiting.append((self._page.tree.ends[node], tag))

    def _attributes(self, node: int) -> str:
        classes = ["record"] if node in self._records else ["other"] if node in self._others else []
        title = ""
        if node in self._columns:
            number, name = self._columns[node]
            classes.append(f"c{number}")
            title = f' title="{escape(name)}"'
        return (f' class="{" ".join(classes)}"' if classes else "") + title


def _close(
    parts: list[str], waiting: list[tuple[int, str]], place: int, owner: int, ends: Sequence[int]
) -> None:
    """End the elements that have ended before a text: those that begin after its owner and hold none of it."""
    while waiting and waiting[-1][0] <= place and waiting[-1][0] < ends[owner]:
        parts.append(f"</{waiting.pop()[1]}>")
