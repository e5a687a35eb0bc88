"""Title and body by the rules of the paper, as they are (Reis et al., section 3.4).

What differs between the pages of a cluster is what the wildcards of its pattern stand for. The body is the longest of these
passages, the title the passage before it that shares most words with it and stands nearest.
"""

from __future__ import annotations

from collections.abc import Sequence

from unweave.errors import WorkLimit
from unweave.induce.pattern import composed
from unweave.news.article import NO_ARTICLE, Article
from unweave.news.blocks import Blocks
from unweave.news.names import terms
from unweave.page.page import Page
from unweave.trees.pattern_matching import match
from unweave.trees.tree import Tree
from unweave.wrappers.pattern import labelled, passages

_LEAST_BODY = 100
_MOST_TITLE = 20


def read(pages: Sequence[Page]) -> list[Article]:
    """The articles of pages of one cluster; none if the pages are too large and too different for one pattern."""
    try:
        pattern = composed(pages)
        return [_article(page, pattern) for page in pages]
    except WorkLimit:
        return [NO_ARTICLE] * len(pages)


def _article(page: Page, pattern: Tree) -> Article:
    tree = labelled(page)
    found = match(pattern, tree)
    if found is None:
        return NO_ARTICLE
    chunks = [own for _, own in passages(tree, found)]
    texts = [" ".join(filter(None, map(page.join, own))) for own in chunks]
    body, title = label(texts)
    if body is None:
        return NO_ARTICLE
    return Article(None if title is None else texts[title], tuple(_paragraphs(page, chunks[body])) or (texts[body],))


def label(passages: Sequence[str]) -> tuple[int | None, int | None]:
    """Which passage is the body and which the title, counted from 0 in the order of the pattern; None for none."""
    lengths = [len(passage.split()) for passage in passages]
    body = max(range(len(passages)), key=lengths.__getitem__, default=None)
    if body is None or lengths[body] <= _LEAST_BODY:
        return None, None
    words = set(terms(passages[body]))

    def closeness(place: int) -> tuple[float, int]:
        return len(words.intersection(terms(passages[place]))) / (body - place), place

    return body, max([place for place in range(body) if 1 <= lengths[place] <= _MOST_TITLE], key=closeness, default=None)


def _paragraphs(page: Page, chunks: Sequence[range]) -> list[str]:
    """The blocks of a passage."""
    inside = {chunk for own in chunks for chunk in own}
    return [block.text for block in Blocks(page) if block.chunks.start in inside]
