"""Is a page an article, or does it lead to articles?"""

from __future__ import annotations

from collections.abc import Sequence

from unweave.news.blocks import RUNNING, Block
from unweave.news.worth import Worth
from unweave.page.page import Page

_LEAST_WORDS = 30
_LEAST_WORDS_IF_SAID = 15

# Paragraphs that stand beside a link each are teasers; so many of them make a page that leads elsewhere.
_TEASERS = 0.5
_LEAST_PARAGRAPHS = 3
_LONGEST_TEASER = 50

# A paragraph with so many of its words in links has the headline of another article in it.
_HEADLINE = 0.25

# A page that has little text under so many links is no article either.
_MANY_LINKS = 0.8
_LITTLE_TEXT = 150

_ARTICLES = ("Article", "BlogPosting", "Report")


def is_article(worth: Worth, body: Sequence[Block], told: bool) -> bool:
    """Is the body that was found running text, and more than the links around it? Or was it told by the page's data?"""
    words = sum([block.words for block in body])
    if told or (words >= _LEAST_WORDS_IF_SAID and is_called_article(worth.page)):
        return True
    if words < _LEAST_WORDS:
        return False
    if len(body) >= _LEAST_PARAGRAPHS and _teasers(worth, body) >= _TEASERS:
        return False
    linked = sum([block.words * block.linked for block in worth.blocks])
    return words >= _LITTLE_TEXT or linked <= _MANY_LINKS * (linked + words)


def is_called_article(page: Page) -> bool:
    """Does the page's data call it an article?"""
    if page.metadata.first("og:type").lower() == "article":
        return True
    types = [thing.get("@type") for thing in page.metadata.things]
    flat = [own for type_ in types for own in (type_ if isinstance(type_, list) else [type_])]
    return any(isinstance(type_, str) and type_.endswith(_ARTICLES) for type_ in flat)


def _teasers(worth: Worth, body: Sequence[Block]) -> float:
    """The share of the body's running text in paragraphs that have a headline in them, or before, or behind."""
    blocks = worth.blocks
    place = {block.chunks.start: number for number, block in enumerate(blocks)}
    running = [(place[block.chunks.start], block.words) for block in body if block.words >= RUNNING]
    with_link = sum([words for number, words in running if blocks[number].linked >= _HEADLINE])
    after_link = sum([words for number, words in running if number and blocks[number - 1].is_link])
    before_link = sum([words for number, words in running if number + 1 < len(blocks) and blocks[number + 1].is_link])
    total = sum([words for _, words in running])
    if total > _LONGEST_TEASER * len(running):
        return 0.0
    return max(with_link, after_link, before_link) / max(1.0, total)
