"""Title and body by the rules of the paper, as they are (Reis et al., section 3.4).

What differs between the pages of a cluster is what the wildcards of its pattern stand for. The body is the longest of these
passages, the title the passage before it that shares most words with it and stands nearest.
"""

from __future__ import annotations

from collections.abc import Sequence

from unweave.errors import PageTooLarge, WorkLimit
from unweave.induce.pattern import composed
from unweave.news.article import NO_ARTICLE, Article
from unweave.news.names import terms
from unweave.page.page import Page
from unweave.trees.pattern_text import wildcards
from unweave.wrappers.pattern import Pattern, PatternWrapper

_LEAST_BODY = 100
_MOST_TITLE = 20


def read(pages: Sequence[Page]) -> list[Article]:
    """The articles of pages of one cluster; none if the pages are too large and too different for one pattern."""
    try:
        tree = composed(pages)
    except WorkLimit:
        return [NO_ARTICLE] * len(pages)
    wrapper = PatternWrapper((Pattern(tree, {node: str(node) for node in wildcards(tree)}),))
    return [_labelled(_passages(wrapper, page)) for page in pages]


def _passages(wrapper: PatternWrapper, page: Page) -> list[list[str]]:
    """The texts of the wildcards, in order."""
    try:
        fields, _ = wrapper.apply(page)
    except PageTooLarge:
        return []
    return [[text] if isinstance(text, str) else text for text in (fields or {}).values()]


def _labelled(passages: Sequence[list[str]]) -> Article:
    lengths = [sum(len(text.split()) for text in passage) for passage in passages]
    place = max(range(len(passages)), key=lengths.__getitem__, default=0)
    if not passages or lengths[place] <= _LEAST_BODY:
        return NO_ARTICLE
    words = set(terms(" ".join(passages[place])))
    before = [number for number in range(place) if 1 <= lengths[number] <= _MOST_TITLE]

    def closeness(number: int) -> tuple[float, int]:
        return len(words.intersection(terms(" ".join(passages[number])))) / (place - number), number

    title = max(before, key=closeness, default=None)
    return Article(None if title is None else " ".join(passages[title]), tuple(passages[place]))
