"""Blocks of a page: runs of text nodes that are shown as one line or paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from unweave.page.page import BLOCK_TAGS, Page

MIN_SENTENCE_WORDS = 9
"""A sentence has about this many words; shorter blocks may be labels."""
MIN_PARAGRAPH_WORDS = 20
"""A block with this many words is a paragraph, and not a line above one."""
MIN_HIDDEN_WORDS = 80
"""A hidden element with this many words in long texts, not counting links, is an article behind
a button. All other hidden text is ignored.
"""

# Form controls and graphics: their words are not part of the text of the page.
_SILENT_TAGS = frozenset(
    "select option button textarea input iframe svg object title head datalist".split()
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

# Scripts without spaces between words; two of their characters count as one word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)


class Block(NamedTuple):
    """A run of text without line breaks, or with single ones only."""

    owner: int
    """The element that starts a new line around the text."""
    text_nodes: range
    """The numbers of its text nodes."""
    text: str
    words: float
    linked: float
    """The share of its words that are in links."""

    @property
    def start(self) -> int:
        """The number of the first text node, which identifies the block in its page."""
        return self.text_nodes.start

    @property
    def is_link(self) -> bool:
        """True if more than half of the words are in links."""
        return self.linked > 1 / 2


def count_words(text: str) -> float:
    """Return the number of words of a text; an estimate for scripts without spaces."""
    words = len(text.split())
    if text.isascii():
        return words
    unspaced = len(_UNSPACED.findall(text))
    return max(words, unspaced / 2) if unspaced else words


def find_blocks(page: Page) -> list[Block]:
    """Return the visible blocks of a page, in page order."""
    texts, parents, lines = page.texts, page.text_parents, page.block_ancestors
    is_silent = _mark_silent_nodes(page)
    is_in_link = _mark_linked_nodes(page)
    blocks: list[Block] = []
    for run in _split_runs(page):
        visible = [text_node for text_node in run if not is_silent[parents[text_node]]]
        if len(visible) == len(run):
            text = page.join_text_nodes(run)
        else:
            text = " ".join([texts[text_node] for text_node in visible])
        if not text:
            continue
        words = count_words(text)
        linked = sum(
            [count_words(texts[text_node]) for text_node in run if is_in_link[parents[text_node]]]
        )
        share = min(1.0, linked / words) if words else 0.0
        blocks.append(Block(lines[parents[run.start]], run, text, words, share))
    return blocks


def _split_runs(page: Page) -> Iterator[range]:
    """Yield runs of text nodes, split where the line changes and at two line breaks in a row."""
    lines, labels, parents, positions = (
        page.block_ancestors,
        page.tree.labels,
        page.text_parents,
        page.text_positions,
    )
    start = 0
    for text_node in range(1, len(parents)):
        breaks = 0
        if lines[parents[text_node - 1]] == lines[parents[text_node]]:
            for label in labels[positions[text_node - 1] : positions[text_node]]:
                if label == "br":
                    breaks += 1
                elif label in BLOCK_TAGS and label not in ("img", "input"):
                    breaks = 2
            if breaks < 2:
                continue
        yield range(start, text_node)
        start = text_node
    if parents:
        yield range(start, len(parents))


def _mark_linked_nodes(page: Page) -> list[bool]:
    """Return for each node whether it is a link or inside one."""
    tree, attributes = page.tree, page.attributes
    is_in_link: list[bool] = []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        is_link = label == "a" and "href" in attributes[node]
        is_in_link.append(is_link or (node > 0 and is_in_link[parent]))
    return is_in_link


def _mark_silent_nodes(page: Page) -> list[bool]:
    """Return for each node whether its text is hidden from the reader of the page."""
    tree, attributes = page.tree, page.attributes
    long_words: list[float] | None = None
    silent: list[bool] = []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        is_silent = (node > 0 and silent[parent]) or label in _SILENT_TAGS
        if not is_silent and _is_hidden(attributes[node]) and label not in ("html", "body"):
            long_words = long_words or _sum_long_texts(page)
            words = long_words[page.text_ends[node]] - long_words[page.text_starts[node]]
            is_silent = words < MIN_HIDDEN_WORDS
        silent.append(is_silent)
    return silent


def _is_hidden(attributes: dict[str, str]) -> bool:
    return "hidden" in attributes or (
        "style" in attributes and _HIDDEN_STYLE.search(attributes["style"]) is not None
    )


def _sum_long_texts(page: Page) -> list[float]:
    """Return for each text node the words of all long texts before it, not counting links."""
    counts: list[float] = []
    for text, owner in zip(page.texts, page.text_parents, strict=True):
        words = count_words(text) if page.tree.labels[owner] != "a" else 0
        counts.append(words if words >= MIN_PARAGRAPH_WORDS else 0)
    return list(accumulate(counts, initial=0.0))
