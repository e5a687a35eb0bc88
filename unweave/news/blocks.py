"""The text of a page in blocks: runs of text that stand in one line or paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from unweave.page.page import BREAKING, Page

# Controls and pictures: their words are no text of the page.
_SILENT = frozenset("select option button textarea input iframe svg object title head datalist".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LINE_BREAK = "br"

# Scripts that put no space between words: so many characters make a word, about.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNSPACED_A_WORD = 2

# Hidden text is none, unless so many of its words stand in long texts that are no links: an article behind a button.
_LEAST_HIDDEN_WORDS = 80

RUNNING = 9
"""A sentence has so many words, about; what has fewer may be a label."""
LONG = 20
"""A block of so many words is a paragraph and no line above one."""
_MOSTLY_LINKS = 0.5


class Block(NamedTuple):
    """A run of text with no break of line in it, or single ones only."""

    owner: int
    """The element that breaks the line around it."""
    chunks: range
    text: str
    words: float
    linked: float
    """The share of its words that stand in links."""

    @property
    def is_link(self) -> bool:
        """Is most of it links?"""
        return self.linked > _MOSTLY_LINKS


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
        self._silent = _silent(page)
        super().__init__(filter(None, map(self._block, self._runs())))

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

    def _block(self, run: range) -> Block | None:
        """The block of a run of texts; None if a reader sees nothing of it."""
        page = self.page
        text = self._seen(run)
        if not text:
            return None
        words = count_words(text)
        linked = sum([count_words(page.texts[chunk]) for chunk in run if self._in_link[page.owners[chunk]]])
        return Block(page.lines[page.owners[run.start]], run, text, words, min(1.0, linked / words) if words else 0.0)

    def _seen(self, run: range) -> str:
        """What a reader sees of a run of texts."""
        page, silent = self.page, self._silent
        seen = [chunk for chunk in run if not silent[page.owners[chunk]]]
        if len(seen) == len(run):
            return page.join(run)
        return " ".join([page.texts[chunk] for chunk in seen])

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
    long_words: list[float] | None = None
    silent: list[bool] = []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        is_silent = (node > 0 and silent[parent]) or label in _SILENT
        if not is_silent and _is_hidden(attributes[node]) and label not in ("html", "body"):
            long_words = long_words or _long_words_before(page)
            words = long_words[page.stop_chunks[node]] - long_words[page.first_chunks[node]]
            is_silent = words < _LEAST_HIDDEN_WORDS
        silent.append(is_silent)
    return silent


def _is_hidden(attributes: dict[str, str]) -> bool:
    return "hidden" in attributes or ("style" in attributes and _HIDDEN.search(attributes["style"]) is not None)


def _long_words_before(page: Page) -> list[float]:
    """For each chunk, how many words stand in long texts before it that are no links."""
    words = [
        count_words(text) if page.tree.labels[owner] != "a" else 0
        for text, owner in zip(page.texts, page.owners, strict=True)
    ]
    return list(accumulate([count if count >= LONG else 0 for count in words], initial=0.0))
