"""Scores of blocks and elements: prose counts its words, links and menus count against it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache

from unweave.content.blocks import MIN_PARAGRAPH_WORDS, MIN_SENTENCE_WORDS, Block
from unweave.page.boilerplate import ARTICLE_BOILERPLATE_TAGS, ARTICLE_BOILERPLATE_WORDS
from unweave.page.page import INLINE_TAGS, Page

MIN_PROSE_WORDS = 25
"""A block with this many words is prose, with or without a full stop."""
MAX_PENALTY = 30
"""What a menu or markup of any length costs at most."""
MAX_NAME_LENGTH = 200
"""Longer classes and ids are cut: every element is asked for them, and caches keep them."""

# A sentence ends as one, or another begins after it.
_SENTENCE = re.compile(r"""[.!?…:;"”»)。！？」।]$|[.!?…][”"»)]?\s|[。！？।]""")
_MARKUP = re.compile(r"[{};]\s|</|/>|\w\(\)|==|&&|\w=\"")
_WORDS_PER_MARK = 8
_DIGITS = re.compile(r"\d+")

# Elements that are no boilerplate, whatever their names.
_NEVER_BOILERPLATE = frozenset("html body main article".split())
# What these elements leave of the scores of their contents, and what they cost in addition.
_BOILERPLATE_TAG_FACTOR, _BOILERPLATE_NAME_FACTOR, _ARTICLE_BODY_FACTOR = 0.5, 0.4, 1.5
_SCORE_PENALTY, _TOTAL_PENALTY = 5, 15

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
        return -min(max(words, 3), MAX_PENALTY)
    if is_template and words >= MIN_PARAGRAPH_WORDS:
        return 0.0
    if _is_markup(block.text):
        return -min(words, MAX_PENALTY)
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
        tree, factors = self.page.tree, self._factors
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
                scores[node] -= _SCORE_PENALTY / factors[node]
                totals[node] -= _TOTAL_PENALTY
            scores[node] *= factors[node]
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

    def is_boilerplate(self, node: int) -> bool:
        """Tell whether an element is boilerplate around articles, by its tag, class or id."""
        return self._factors[node] < 1

    @cached_property
    def teaser_ancestors(self) -> list[int]:
        """For each node the nearest element, itself or above, that may hold a teaser; else -1."""
        tree = self.page.tree
        nearest: list[int] = []
        for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
            nearest.append(node if label in _TEASER_TAGS else nearest[parent] if node else -1)
        return nearest

    @cached_property
    def _factors(self) -> list[float]:
        """The factor of each element for the scores of its contents."""
        factors: list[float] = []
        for label, attributes in zip(self.page.tree.labels, self.page.attributes, strict=True):
            factor = _BOILERPLATE_TAG_FACTOR if label in ARTICLE_BOILERPLATE_TAGS else 1.0
            if attributes:
                names = join_names(attributes)
                if label not in _NEVER_BOILERPLATE and _has_boilerplate_name(names):
                    factor *= _BOILERPLATE_NAME_FACTOR
                elif "articleBody" in attributes.get("itemprop", ""):
                    factor *= _ARTICLE_BODY_FACTOR
            factors.append(factor)
        return factors


def join_names(attributes: dict[str, str]) -> str:
    """Return the class and the id of an element, with a space between them."""
    classes, id_ = attributes.get("class", ""), attributes.get("id", "")
    return f"{classes[:MAX_NAME_LENGTH]} {id_[:MAX_NAME_LENGTH]}"


@lru_cache(maxsize=16_384)  # the same names are all over a site
def _has_boilerplate_name(names: str) -> bool:
    return ARTICLE_BOILERPLATE_WORDS.search(names) is not None


def describe_step(page: Page, node: int) -> str:
    """Return the tag and the class of an element, with "#" for numbers, which differ by page."""
    name = page.attributes[node].get("class", "")[:MAX_NAME_LENGTH]
    label = page.tree.labels[node]
    return f"{label}.{replace_numbers(name)}" if name else label


def replace_numbers(text: str) -> str:
    """Replace every number in a text by "#"."""
    return _DIGITS.sub("#", text)
