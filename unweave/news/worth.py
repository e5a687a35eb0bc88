"""How much of an article a block and an element are: running text is worth its words, links and menus cost."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property, lru_cache

from unweave.news.blocks import LONG, RUNNING, Block, Blocks
from unweave.page.page import INLINE, Page

# A sentence: it ends as one, or another begins after it.
_SENTENCE = re.compile(r"""[.!?…:;"”»)。！？」।]$|[.!?…][”"»)]?\s|[。！？।]""")
SURELY_TEXT = 25
"""So many words in a block are running text, with or without a full stop."""
_SHORT = 5
_MANY_LINKS = 0.3

# What blocks cost: a link more the longer it is, a line with a link in it a little, a menu of the template like text.
_LINK_COST, _LINK_COST_A_WORD = 5, 0.3
_LINE_COST, _SHORT_LINE_COST = 3.0, 2.0
_LINE_WORTH_A_WORD = 0.3
_LEAST_TEMPLATE_COST, _MOST_COST = 3, 30
_MARKUP = re.compile(r"[{};]\s|</|/>|\w\(\)|==|&&|\w=\"")
_WORDS_A_MARK = 8

# Elements and names of what stands around an article, and what they leave of the worth of their contents.
_AROUND = frozenset("nav footer aside header figure figcaption form".split())
_AROUND_NAMES = re.compile(
    "(?:(?<![a-zA-Z])|(?=[A-Z]))"  # where a word begins: "related" and "boxRelated", but not "unrelated"
    "(?i:comment|disqus|respond|discuss|cookie|consent|newsletter|related|recommend|promo|sidebar|footer|fact-?box)"
)
_NEVER_AROUND = frozenset("html body main article".split())
_AROUND_KEEPS, _NAMED_KEEPS = 0.5, 0.4
_FINE, _LARGE_FINE = 5, 15
_MARKED_GAIN = 1.5

_DIGITS = re.compile(r"\d+")
# Longer classes and ids are cut: they are asked for every element, and some caches keep them.
_LONGEST_NAME = 200

# Within these, seen from further up, stand teasers of other articles.
_TEASERS = frozenset("li a article".split())

# What a step up keeps of the worth below it, and how much of the loss it shares.
_KEPT, _SHARED = 0.6, 0.2


def worth_of(block: Block, *, is_template: bool = False) -> float:
    """What a block adds to the worth of the article that it stands in."""
    words, linked = block.words, block.linked
    if is_template and linked > _MANY_LINKS:
        return -min(max(words, _LEAST_TEMPLATE_COST), _MOST_COST)
    if is_template and words >= LONG:
        return 0.0
    if is_markup(block.text):
        return -min(words, _MOST_COST)
    if block.is_link:
        return -_LINK_COST - _LINK_COST_A_WORD * words
    if words >= SURELY_TEXT or (words >= RUNNING and _SENTENCE.search(block.text)):
        return words * (1 - linked)
    if words >= _SHORT:
        return -_LINE_COST if linked else _LINE_WORTH_A_WORD * words
    return -_SHORT_LINE_COST if linked else 0.0


def is_markup(text: str) -> bool:
    """Is the text code that was meant for a browser?"""
    return len(_MARKUP.findall(text)) * _WORDS_A_MARK > len(text.split()) + _WORDS_A_MARK


class Worth:
    """The worth of every block and element of a page: ``scores`` find the article, ``sums`` tell what belongs to it.

    ``template`` has the numbers of blocks that other articles of the template have too.
    """

    def __init__(self, blocks: Blocks, template: Collection[int] = ()) -> None:
        self.blocks = blocks
        self.page = blocks.page
        self.of_blocks = [worth_of(block, is_template=number in template) for number, block in enumerate(blocks)]
        self.scores = [0.0] * len(self.page.tree)
        """What is left of the worth below each element on the way up to it: highest where most text stands closest."""
        self.sums = [0.0] * len(self.page.tree)
        """The worth of all blocks below each element, less what elements around articles cost."""
        self.gains = [0.0] * len(self.page.tree)
        """The worth of those blocks below each element that are worth something."""
        self._sum_up()
        self.shared = {blocks[number].chunks.start for number in template if blocks[number].words >= LONG}
        """Where paragraphs of the template begin. Its short lines may be headings, or tell that the rest must be paid."""

    def _sum_up(self) -> None:
        tree, scores, sums, gains, keeps = self.page.tree, self.scores, self.sums, self.gains, self._keeps
        has_text, has_elements = [False] * len(tree), [False] * len(tree)
        for block, worth in zip(self.blocks, self.of_blocks, strict=True):
            scores[block.owner] += worth
            sums[block.owner] += worth
            gains[block.owner] += max(0.0, worth)
            has_text[block.owner] = True
        for node in range(len(tree) - 1, 0, -1):
            if not has_text[node] and not has_elements[node]:
                continue
            parent = tree.parents[node]
            if self.is_around(node):
                scores[node] -= _FINE / keeps[node]
                sums[node] -= _LARGE_FINE
            scores[node] *= keeps[node]
            sums[parent] += sums[node]
            gains[parent] += gains[node]
            if tree.labels[node] in INLINE:
                scores[parent] += scores[node]
                scores[node] = 0.0
                has_text[parent] = True
                has_elements[parent] |= has_elements[node]
                continue
            step = 1.0 if not has_elements[node] else _KEPT if scores[node] > 0 else _SHARED
            scores[parent] += step * scores[node]
            has_elements[parent] = True

    def is_around(self, node: int) -> bool:
        """Is this an element that stands around articles, by its tag or its name?"""
        return self._keeps[node] < 1

    @cached_property
    def teasers(self) -> list[int]:
        """For each node the nearest element, itself or above, in which teasers may stand; -1 if there is none."""
        tree = self.page.tree
        found: list[int] = []
        for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
            found.append(node if label in _TEASERS else found[parent] if node else -1)
        return found

    @cached_property
    def _keeps(self) -> list[float]:
        """What each element leaves of the worth of its contents."""
        labels, attributes = self.page.tree.labels, self.page.attributes
        return [_kept(label, own) for label, own in zip(labels, attributes, strict=True)]


def _kept(label: str, attributes: dict[str, str]) -> float:
    kept = _AROUND_KEEPS if label in _AROUND else 1.0
    if attributes:
        if label not in _NEVER_AROUND and _is_named_around(names_of(attributes)):
            kept *= _NAMED_KEEPS
        elif "articleBody" in attributes.get("itemprop", ""):
            kept *= _MARKED_GAIN
    return kept


def names_of(attributes: dict[str, str]) -> str:
    """The class and the id of an element: what its author calls it."""
    return f"{attributes.get('class', '')[:_LONGEST_NAME]} {attributes.get('id', '')[:_LONGEST_NAME]}"


@lru_cache(maxsize=16_384)
def _is_named_around(names: str) -> bool:
    """Do these names tell of something around an article? They are the same all over a site, and so remembered."""
    return _AROUND_NAMES.search(names) is not None


def step_of(page: Page, node: int) -> str:
    """The tag and the class of an element, which tell its part in the template; digits in it are numbers of this page."""
    name = page.attributes[node].get("class", "")[:_LONGEST_NAME]
    return f"{page.tree.labels[node]}.{without_numbers(name)}" if name else page.tree.labels[node]


def without_numbers(text: str) -> str:
    """The text with a mark for every number."""
    return _DIGITS.sub("#", text)
