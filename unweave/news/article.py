"""Articles out of pages: the body, then the title above it, then what opens the article between the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unweave.news import body, byline, site, title
from unweave.news.blocks import Block, Blocks
from unweave.news.kind import is_article
from unweave.news.site import Shared
from unweave.news.told import told_body
from unweave.news.worth import Worth
from unweave.page.page import Page

# With fewer words than that, what the other pages taught has misled: the page is read alone.
_LEAST_WORDS = 25


@dataclass(frozen=True, slots=True)
class Article:
    """What a page tells. A page that is no article, such as the front page of a site, has no title and no paragraphs."""

    title: str | None
    paragraphs: tuple[str, ...]
    date: str | None = None
    """When it was published, as ISO 8601 writes it: a day, or a day and a time."""
    authors: tuple[str, ...] = ()
    cluster: int | None = 0
    """The number of the cluster of pages that the page belongs to, or of the pattern that it matches; None if it matches
    none.
    """

    @property
    def body(self) -> str | None:
        """The paragraphs, one a line."""
        return "\n".join(self.paragraphs) or None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as JSON has it."""
        return {
            "title": self.title,
            "body": self.body,
            "cluster": self.cluster,
            "article": bool(self),
            "date": self.date,
            "authors": list(self.authors),
        }

    def __bool__(self) -> bool:
        return bool(self.paragraphs)


NO_ARTICLE = Article(None, ())


@dataclass(frozen=True, slots=True)
class Body:
    """The element that holds the body of an article, and its blocks."""

    worth: Worth
    container: int
    blocks: list[Block]


def body_of(worth: Worth, container: int | None = None) -> Body:
    """The body of the article of a page, in this element or in the one that is worth most."""
    container = body.climbed(worth, body.best_container(worth) if container is None else container)
    return Body(worth, container, body.selected(worth, container))


def read(pages: Sequence[Page]) -> list[Article]:
    """The articles of pages of one template; what the pages share helps, if there are enough of them."""
    return [article for _, article in read_with_bodies(pages)]


def read_with_bodies(pages: Sequence[Page]) -> list[tuple[Body, Article]]:
    """Read pages of one template; return for each the body that was chosen, and the article.

    The body is there even if it turned out not to be that of an article.
    """
    shared, found = _learned(pages)
    favour = shared.favour if shared else None
    return [(body, _article(body, title.best(titles, favour))) for body, titles in found]


def learn(pages: Sequence[Page]) -> Shared | None:
    """What the pages of one template share, for reading others; None if there are too few to tell."""
    return _learned(pages)[0]


def read_alone(page: Page, shared: Shared | None = None) -> Article:
    """The article of one page, with what other pages of its template share."""
    blocks = Blocks(page)
    if shared is None:
        found = body_of(Worth(blocks))
        return _article(found, title.best(title.candidates(found.worth, found.blocks)))
    found = _body(Worth(blocks, site.template_blocks(blocks, shared.marks)), shared.votes)
    return _article(found, title.best(title.candidates(found.worth, found.blocks, shared.names), shared.favour))


Found = list[tuple[Body, list[title.Candidate]]]
"""For every page the body, and what may be its title."""


def _learned(pages: Sequence[Page]) -> tuple[Shared | None, Found]:
    """What the pages share, and what was found on each on the way."""
    blocks = [Blocks(page) for page in pages]
    if len(pages) < site.LEAST_PAGES:
        bodies = [body_of(Worth(own)) for own in blocks]
        return None, [(found, title.candidates(found.worth, found.blocks)) for found in bodies]
    numbers = site.copies(blocks)
    marks = site.template_marks(blocks, numbers)
    worths = [Worth(own, site.template_blocks(own, marks)) for own in blocks]
    votes = site.votes(worths)
    bodies = [_body(worth, votes) for worth in worths]
    names = site.shared_names(pages, numbers)
    titles = [title.candidates(found.worth, found.blocks, names) for found in bodies]
    return Shared(marks, votes, names, site.favour(titles)), list(zip(bodies, titles, strict=True))


def _body(worth: Worth, votes: Mapping[int, float]) -> Body:
    """The body, where those of other pages stand; what they teach may mislead, and then the page is read alone."""
    found = body_of(worth, site.container(worth, votes))
    return found if sum([block.words for block in found.blocks]) >= _LEAST_WORDS else body_of(Worth(worth.blocks))


def _article(found: Body, named: title.Candidate | None) -> Article:
    page = found.worth.page
    blocks = found.blocks
    if named and named.chunk is not None and blocks:
        blocks = body.lead(found.worth, named.chunk, blocks, found.container) + blocks
        blocks = [block for block in blocks if block.chunks.start != named.chunk and block.text != named.text]
    told = told_body(page, [block.text for block in blocks])
    if not is_article(found.worth, blocks, told=told is not None):
        return NO_ARTICLE
    start = blocks[0].chunks.start if blocks else 0
    lines = byline.lines_around(found.worth.blocks, named.chunk if named else None, start)
    return Article(
        named.text if named else None,
        tuple([block.text for block in blocks] if told is None else told),
        byline.date_of(page, lines, blocks),
        byline.authors_of(page, lines),
    )
