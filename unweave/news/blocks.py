"""The text of a page in blocks: runs of text that stand in one line or paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from unweave.page.page import BREAKING, Page

# Controls and pictures: their words are no text of the page.
_SILENT = frozenset("select option button textarea input iframe svg object title head datalist".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LINE_BREAK = "br"

# Scripts that put no space between words: so many characters make a word, about.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNSPACED_A_WORD = 2

# Hidden text is none, unless there is so much of it that the page will show it: an article behind a button.
_LEAST_HIDDEN_WORDS = 100
_LONG_PARAGRAPH = 20
_MOST_HIDDEN_LINKED = 0.2


class Block(NamedTuple):
    """A run of text with no break of line in it, or single ones only."""

    owner: int
    """The element that breaks the line around it."""
    chunks: range
    text: str
    words: float
    linked: float
    """The share of its words that stand in links."""


def count_words(text: str) -> float:
    """How many words a text has; in scripts without spaces, about how many."""
    words = len(text.split())
    if text.isascii():
        return words
    unspaced = len(_UNSPACED.findall(text))
    return max(words, unspaced / _UNSPACED_A_WORD) if unspaced else words


class Blocks(list[Block]):
    """The blocks of a page in order, and which of them stand in an element."""

    def __init__(self, page: Page) -> None:
        self.page = page
        silent = _silent(page)
        super().__init__(self._block(run) for run in self._runs() if not silent[page.owners[run.start]])

    def inside(self, node: int) -> list[Block]:
        """The blocks of an element and of all below it."""
        end = self.page.tree.ends[node]
        return [block for block in self if node <= block.owner < end]

    def _runs(self) -> Iterator[range]:
        page = self.page
        lines, labels, owners, places = page.lines, page.tree.labels, page.owners, page.places
        start = 0
        for chunk in range(1, len(owners)):
            breaks = 0
            if lines[owners[chunk - 1]] == lines[owners[chunk]]:
                for label in labels[places[chunk - 1] : places[chunk]]:
                    if label == _LINE_BREAK:
                        breaks += 1
                    elif label in BREAKING and label not in ("img", "input"):
                        breaks = 2
                if breaks < 2:
                    continue
            yield range(start, chunk)
            start = chunk
        if owners:
            yield range(start, len(owners))

    def _block(self, run: range) -> Block:
        page = self.page
        text = page.join(run)
        words = count_words(text)
        linked = sum([count_words(page.texts[chunk]) for chunk in run if self._in_link[page.owners[chunk]]])
        return Block(page.lines[page.owners[run.start]], run, text, words, min(1.0, linked / words) if words else 0.0)

    @cached_property
    def _in_link(self) -> list[bool]:
        tree, attributes = self.page.tree, self.page.attributes
        inside: list[bool] = []
        for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
            inside.append((label == "a" and "href" in attributes[node]) or (node > 0 and inside[parent]))
        return inside


def _silent(page: Page) -> list[bool]:
    """Which nodes have no text that a reader of the page reads."""
    tree, attributes = page.tree, page.attributes
    silent: list[bool] = []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        silent.append(
            (node > 0 and silent[parent])
            or label in _SILENT
            or (_is_hidden(attributes[node]) and not _is_hidden_article(page, node))
        )
    return silent


def _is_hidden(attributes: dict[str, str]) -> bool:
    return "hidden" in attributes or ("style" in attributes and _HIDDEN.search(attributes["style"]) is not None)


def _is_hidden_article(page: Page, node: int) -> bool:
    """Does a hidden element hold much text that is no links?"""
    if page.tree.labels[node] in ("html", "body"):
        return True
    words = sum([len(page.texts[chunk].split()) for chunk in page.chunks(node)])
    if words < _LEAST_HIDDEN_WORDS:
        return False
    long = [len(page.texts[c].split()) for c in page.chunks(node) if page.tree.labels[page.owners[c]] != "a"]
    return sum(n for n in long if n >= _LONG_PARAGRAPH) >= _LEAST_HIDDEN_WORDS * (1 - _MOST_HIDDEN_LINKED)
