"""Blocks of a page: runs of text shown as one line or paragraph, and their scores as prose."""

from __future__ import annotations

import operator
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from unweave.page.boilerplate import ARTICLE_BOILERPLATE_TAGS, ARTICLE_BOILERPLATE_WORDS
from unweave.page.page import BLOCK_TAGS, INLINE_TAGS, Page

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
# Buttons open the parts of a page that are folded up, and hold their headings.
_NEVER_SHOWN_TAGS = _SILENT_TAGS - {"button"}
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


def find_blocks(page: Page, *, with_hidden: bool = False) -> list[Block]:
    """Return the visible blocks of a page, in page order.

    With ``with_hidden``, also those of buttons, and of hidden elements that start a new line:
    scripts show them, when they are clicked or at once.
    """
    is_silent = _mark_never_shown_nodes(page) if with_hidden else mark_silent_nodes(page)
    builder = _BlockBuilder(page)
    blocks = [builder.build(run, is_silent) for run in _split_runs(page)]
    return [block for block in blocks if block]


class AllBlocks(NamedTuple):
    """The blocks of a page, with those that scripts show and without."""

    with_hidden: list[Block]
    visible: list[Block]
    is_silent: list[bool]
    """For each node whether its text is hidden from the reader of the page."""


def find_all_blocks(page: Page) -> AllBlocks:
    """Return what ``find_blocks`` does with hidden blocks and without."""
    is_never_shown, is_silent = _mark_never_shown_nodes(page), mark_silent_nodes(page)
    is_same = list(map(operator.eq, is_never_shown, is_silent))
    builder, parents = _BlockBuilder(page), page.text_parents
    blocks: list[Block] = []
    visible: list[Block] = []
    for run in _split_runs(page):
        block = builder.build(run, is_never_shown)
        if block:
            blocks.append(block)
        if not all(map(is_same.__getitem__, parents[run.start : run.stop])):
            block = builder.build(run, is_silent)
        if block:
            visible.append(block)
    return AllBlocks(blocks, visible, is_silent)


class _BlockBuilder:
    """Builds the blocks of a page, given their text nodes."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_in_link = _mark_linked_nodes(page)

    def build(self, run: range, is_silent: Sequence[bool]) -> Block | None:
        """Return the block of some text nodes; None if none of them is shown."""
        page, is_in_link = self._page, self._is_in_link
        texts, parents = page.texts, page.text_parents
        owner = page.block_ancestors[parents[run.start]]
        if len(run) == 1:
            parent, text = parents[run.start], texts[run.start]
            if is_silent[parent] or not text:
                return None
            words = count_words(text)
            return Block(owner, run, text, words, 1.0 if words and is_in_link[parent] else 0.0)
        visible = [text_node for text_node in run if not is_silent[parents[text_node]]]
        if len(visible) == len(run):
            text = page.join_text_nodes(run)
        else:
            text = " ".join([texts[text_node] for text_node in visible])
        if not text:
            return None
        words = count_words(text)
        linked = sum(
            [count_words(texts[text_node]) for text_node in run if is_in_link[parents[text_node]]]
        )
        share = min(1.0, linked / words) if words else 0.0
        return Block(owner, run, text, words, share)


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
    labels = page.tree.labels
    links = [node for node in page.find_attribute("href") if labels[node] == "a"]
    return _mark_subtrees(page, sorted(links))


def mark_silent_nodes(page: Page) -> list[bool]:
    """Return for each node whether its text is hidden from the reader of the page."""
    labels = page.tree.labels
    silent = [node for node, label in enumerate(labels) if label in _SILENT_TAGS]
    hidden = [node for node in find_hidden_nodes(page) if labels[node] not in ("html", "body")]
    if hidden:
        long_words = _sum_long_texts(page)
        silent += [
            node
            for node in hidden
            if long_words[page.text_ends[node]] - long_words[page.text_starts[node]]
            < MIN_HIDDEN_WORDS
        ]
    return _mark_subtrees(page, silent)


def _mark_never_shown_nodes(page: Page) -> list[bool]:
    """Return for each node whether no text of it is ever shown to the reader of the page."""
    labels = page.tree.labels
    silent = [node for node, label in enumerate(labels) if label in _NEVER_SHOWN_TAGS]
    hidden = find_hidden_nodes(page)
    silent += [node for node in hidden if labels[node] in INLINE_TAGS and labels[node] != "a"]
    return _mark_subtrees(page, silent)


def _mark_subtrees(page: Page, nodes: Iterable[int]) -> list[bool]:
    """Return for each node of a page whether it is one of some nodes or inside one."""
    ends = page.tree.ends
    is_inside = [False] * len(ends)
    for node in nodes:
        if not is_inside[node]:
            is_inside[node : ends[node]] = [True] * (ends[node] - node)
    return is_inside


def find_hidden_nodes(page: Page) -> set[int]:
    """Return the nodes that are hidden by their own attributes."""
    styles = page.find_attribute("style")
    hidden = {node for node, style in styles.items() if _HIDDEN_STYLE.search(style)}
    return hidden | page.find_attribute("hidden").keys()


def _sum_long_texts(page: Page) -> list[float]:
    """Return for each text node the words of all long texts before it, not counting links."""
    counts: list[float] = []
    for text, owner in zip(page.texts, page.text_parents, strict=True):
        words = count_words(text) if page.tree.labels[owner] != "a" else 0
        counts.append(words if words >= MIN_PARAGRAPH_WORDS else 0)
    return list(accumulate(counts, initial=0.0))


# ---- scores --------------------------------------------------------------------------------------

MIN_PROSE_WORDS = 25
"""A block with this many words is prose, with or without a full stop."""
MAX_NAME_LENGTH = 200
"""Longer classes and ids are cut: every element is asked for them, and caches keep them."""

# A sentence ends as one, or another begins after it.
_SENTENCE = re.compile(r"""[.!?…:;"”»)。！？」।]$|[.!?…][”"»)]?\s|[。！？।]""")
_MARKUP = re.compile(r"[{};]\s|</|/>|\w\(\)|==|&&|\w=\"")
_MARKUP_CHARACTER = re.compile(r"[{};/(=&]")  # in all markup; most texts have none of these
_WORDS_PER_MARK = 8
_DIGITS = re.compile(r"\d+")

# Elements that are not boilerplate, whatever their names.
_NEVER_BOILERPLATE = frozenset("html body main article".split())
# The share of the score of its contents that boilerplate keeps, and what it costs in addition.
_BOILERPLATE_FACTOR, _SCORE_PENALTY, _TOTAL_PENALTY = 0.4, 5, 15

# The share of its score that an element passes on to its parent, if positive and if negative.
_POSITIVE_DECAY, _NEGATIVE_DECAY = 0.6, 0.2

# Teasers of other articles are in one of these elements.
_TEASER_TAGS = frozenset("li a article".split())


def score_block(block: Block, *, is_template: bool = False) -> float:
    """Return what a block adds to the score of an article that contains it.

    ``is_template`` tells that other articles of the template have the block, too.
    """
    words, linked = block.words, block.linked
    if is_template and linked > 0.3:
        return -max(words, 3)
    if is_template and words >= MIN_PARAGRAPH_WORDS:
        return 0.0
    if _is_markup(block.text):
        return -words
    if block.is_link:
        return -5 - 0.3 * words
    is_sentence = words >= MIN_SENTENCE_WORDS and _SENTENCE.search(block.text)
    if words >= MIN_PROSE_WORDS or is_sentence:
        return words * (1 - linked)
    if words >= 5:
        return -3.0 if linked else 0.3 * words
    return -2.0 if linked else 0.0


def _is_markup(text: str) -> bool:
    """Tell whether a text is code for a browser that ended up in the page."""
    if not _MARKUP_CHARACTER.search(text):
        return False
    return len(_MARKUP.findall(text)) * _WORDS_PER_MARK > len(text.split()) + _WORDS_PER_MARK


class BlockScores:
    """The scores of the blocks and elements of a page.

    ``template`` has the numbers of the blocks that other articles of the template have, too.
    """

    def __init__(self, page: Page, blocks: Sequence[Block], template: Collection[int] = ()) -> None:
        self.page = page
        self.blocks = blocks
        self.block_scores = [
            score_block(block, is_template=number in template)
            for number, block in enumerate(blocks)
        ]
        self.element_scores = [0.0] * len(page.tree)
        """The scores below each element, reduced on the way up: highest close to most prose."""
        self.totals = [0.0] * len(page.tree)
        """The sum of the scores of all blocks below each element, less the cost of boilerplate."""
        self.positive_totals = [0.0] * len(page.tree)
        """The sum of the positive scores of the blocks below each element."""
        self._sum_up()
        self.template_paragraphs = {
            blocks[number].start
            for number in template
            if blocks[number].words >= MIN_PARAGRAPH_WORDS
        }
        """The starts of paragraphs of the template. Its short lines may be headings, or say that
        the rest of the article must be paid for.
        """

    def _sum_up(self) -> None:
        tree = self.page.tree
        scores, totals, positive = self.element_scores, self.totals, self.positive_totals
        has_text, has_elements = [False] * len(tree), [False] * len(tree)
        for block, score in zip(self.blocks, self.block_scores, strict=True):
            scores[block.owner] += score
            totals[block.owner] += score
            positive[block.owner] += max(0.0, score)
            has_text[block.owner] = True
        for node in range(len(tree) - 1, 0, -1):
            if not has_text[node] and not has_elements[node]:
                continue
            parent = tree.parents[node]
            if self.is_boilerplate(node):
                scores[node] = _BOILERPLATE_FACTOR * scores[node] - _SCORE_PENALTY
                totals[node] -= _TOTAL_PENALTY
            totals[parent] += totals[node]
            positive[parent] += positive[node]
            if tree.labels[node] in INLINE_TAGS:
                scores[parent] += scores[node]
                scores[node] = 0.0
                has_text[parent] = True
                has_elements[parent] |= has_elements[node]
                continue
            decay = 1.0
            if has_elements[node]:
                decay = _POSITIVE_DECAY if scores[node] > 0 else _NEGATIVE_DECAY
            scores[parent] += decay * scores[node]
            has_elements[parent] = True

    def iter_blocks(self, start: int, end: int) -> Iterator[tuple[Block, float]]:
        """Yield the blocks whose elements are among some nodes, and their scores."""
        owners, order = self._order
        for number in order[bisect_left(owners, start) : bisect_left(owners, end)]:
            yield self.blocks[number], self.block_scores[number]

    @cached_property
    def _order(self) -> tuple[list[int], list[int]]:
        """The elements of the blocks in order, and the numbers of their blocks."""
        order = sorted(range(len(self.blocks)), key=lambda number: self.blocks[number].owner)
        return [self.blocks[number].owner for number in order], order

    def is_boilerplate(self, node: int) -> bool:
        """Tell whether an element is boilerplate around articles, by its tag, class or id."""
        label = self.page.tree.labels[node]
        if label in ARTICLE_BOILERPLATE_TAGS:
            return True
        classes, id_, _ = self.page.identifiers[node]
        return bool(classes or id_) and _has_boilerplate_name(label, classes or "", id_ or "")

    @cached_property
    def teaser_ancestors(self) -> list[int]:
        """For each node the nearest element, itself or above, that may hold a teaser; else -1."""
        labels, ends = self.page.tree.labels, self.page.tree.ends
        nearest = [-1] * len(labels)
        for node in [node for node, label in enumerate(labels) if label in _TEASER_TAGS]:
            nearest[node : ends[node]] = [node] * (ends[node] - node)
        return nearest


def join_names(page: Page, node: int) -> str:
    """Return the class and the id of an element, with a space between them."""
    classes, id_, _ = page.identifiers[node]
    return _join_names(classes or "", id_ or "")


def _join_names(classes: str, id_: str) -> str:
    return f"{classes[:MAX_NAME_LENGTH]} {id_[:MAX_NAME_LENGTH]}"


@lru_cache(maxsize=16_384)  # the same names are all over a site
def _has_boilerplate_name(label: str, classes: str, id_: str) -> bool:
    if label in _NEVER_BOILERPLATE:
        return False
    return ARTICLE_BOILERPLATE_WORDS.search(_join_names(classes, id_)) is not None


def describe_step(page: Page, node: int) -> str:
    """Return the tag and the class of an element, with "#" for numbers, which differ by page."""
    name = (page.identifiers[node][0] or "")[:MAX_NAME_LENGTH]
    label = page.tree.labels[node]
    return f"{label}.{replace_numbers(name)}" if name else label


def replace_numbers(text: str) -> str:
    """Replace every number in a text by "#"."""
    return _DIGITS.sub("#", text)
