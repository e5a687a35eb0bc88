"""Title and body by the rules of the paper (Reis et al., sections 4.2 to 4.4): patterns of clusters, matching, labels."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.induce.pattern import composed
from unweave.news.article import NO_ARTICLE, Article
from unweave.news.blocks import Blocks
from unweave.page.page import Page
from unweave.variants import Variant
from unweave.wrappers.news_pattern import Labelled, NewsPatternWrapper
from unweave.wrappers.pattern import Pattern


def read(pages: Sequence[Page], *, variant: Variant = Variant.CORRECTED) -> list[Article]:
    """The articles of pages of one cluster, by the pattern that is composed of them.

    Raises WorkLimit if the pages are too large and too different for one pattern, and PageTooLarge if a page is too large
    to be matched with it.
    """
    wrapper = NewsPatternWrapper((Pattern(composed(pages), {}),), variant)
    return [read_with(wrapper, page)[0] for page in pages]


def read_with(wrapper: NewsPatternWrapper, page: Page) -> tuple[Article, int | None]:
    """The article of a page, by patterns of its site, and the number of the pattern that it matches; None for none."""
    labelled = wrapper.read(page)
    if labelled is None:
        return NO_ARTICLE, None
    return _article(page, labelled), labelled.pattern


def _article(page: Page, labelled: Labelled) -> Article:
    if labelled.body is None:
        return NO_ARTICLE
    title = labelled.title.text if labelled.title else None
    return Article(title, tuple(_paragraphs(page, labelled.body.chunks)) or (labelled.body.text,))


def _paragraphs(page: Page, chunks: Sequence[range]) -> list[str]:
    """The blocks of a passage."""
    inside = {chunk for own in chunks for chunk in own}
    return [block.text for block in Blocks(page) if block.chunks.start in inside]
