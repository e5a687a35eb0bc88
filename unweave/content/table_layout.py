"""Tell tables of data from those that are there for the layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from unweave.content.blocks import Block
from unweave.page.page import Page

MAX_CELL_WORDS = 100
"""A cell with more words, in a table without th, is a part of the layout."""
MAX_CELL_BLOCKS = 3
"""The same for lines and paragraphs."""

# Elements that a cell of data does not have, and those that it has in tables with headers only.
_LAYOUT_TAGS = frozenset("table h1 h2 h3 h4 h5 h6 pre listing xmp plaintext blockquote hr".split())
_STRUCTURE_TAGS = frozenset("ul ol dl".split())
_CELL_TAGS = frozenset(["td", "th"])


def find_data_tables(
    page: Page, kept_before: Sequence[int], blocks: Iterable[Block]
) -> frozenset[int]:
    """Return the tables of data that have text of the given blocks.

    ``kept_before`` has for each text node the number of those before it that are kept. A table of
    data has two columns and two rows, or headers; its cells have neither tables nor headings.
    """
    labels, parents = page.tree.labels, page.tree.parents
    if "table" not in labels:
        return frozenset()
    # The table and the cell around each node; -1 for none.
    tables, cells = [-1] * len(labels), [-1] * len(labels)
    layout: set[int] = set()
    structured: set[int] = set()
    with_headers: set[int] = set()
    columns: dict[int, set[int]] = {}
    rows: dict[int, set[int]] = {}
    for node, (label, parent) in enumerate(zip(labels, parents, strict=True)):
        if parent >= 0:
            tables[node], cells[node] = tables[parent], cells[parent]
        if label in _LAYOUT_TAGS:
            layout.add(tables[node])
        elif label in _STRUCTURE_TAGS:
            structured.add(tables[node])
        if label == "table":
            tables[node], cells[node] = node, -1
            columns[node], rows[node] = set(), set()
            if page.get_attribute(node, "role") in ("presentation", "none"):
                layout.add(node)
        elif label in _CELL_TAGS and tables[node] >= 0:
            cells[node] = node
            is_filled = kept_before[page.text_ends[node]] > kept_before[page.text_starts[node]]
            if is_filled:
                columns[tables[node]].add(page.table_grid.columns.get(node, 0))
                rows[tables[node]].add(parent)
                if label == "th":
                    with_headers.add(tables[node])
    words: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for block in blocks:
        cell = cells[block.owner]
        words[cell] += round(block.words)
        counts[cell] += 1
    long = {
        tables[cell]
        for cell in counts
        if cell >= 0 and (words[cell] > MAX_CELL_WORDS or counts[cell] > MAX_CELL_BLOCKS)
    }
    return frozenset(
        table
        for table in columns
        if table not in layout
        and len(columns[table]) > 1
        and (table in with_headers or (table not in structured | long and len(rows[table]) > 1))
    )
