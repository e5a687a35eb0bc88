"""Articles of the pages of one template: the body, the title above it, then date and authors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from unweave.content import shared_template
from unweave.content.blocks import MIN_SENTENCE_WORDS, Block, BlockScores, find_blocks
from unweave.content.body import Body, find_body, find_lead, read_structured_body
from unweave.content.byline import find_authors, find_byline_blocks, find_date
from unweave.content.shared_template import SharedTemplate
from unweave.content.title import TitleCandidate, choose_title, find_title_candidates
from unweave.page.page import Page


@dataclass(frozen=True, slots=True)
class Article:
    """The article of a page. If there is none, as on a front page, it has no paragraphs."""

    title: str | None
    paragraphs: tuple[str, ...]
    date: str | None = None
    """The day, or day and time, of publication in ISO 8601."""
    authors: tuple[str, ...] = ()
    cluster: int | None = 0
    """The number of the cluster of the page, or of the pattern that it matches; None for none."""

    @property
    def body(self) -> str | None:
        """The paragraphs, one per line."""
        return "\n".join(self.paragraphs) or None

    def to_dict(self) -> dict[str, Any]:
        """Return the article as plain data, as JSON has it."""
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


def extract_articles(pages: Sequence[Page]) -> list[Article]:
    """Return the articles of pages of one template, using what the pages share."""
    return [article for _, article in extract_bodies_and_articles(pages)]


def extract_bodies_and_articles(pages: Sequence[Page]) -> list[tuple[Body, Article]]:
    """Return the body and the article of each of several pages of one template.

    The body is there even if it turned out not to be that of an article.
    """
    template, bodies, titles = _analyze(pages)
    prior = template.title_path_prior if template else None
    return [
        (body, _build_article(body, choose_title(candidates, prior)))
        for body, candidates in zip(bodies, titles, strict=True)
    ]


def learn_template(pages: Sequence[Page]) -> SharedTemplate | None:
    """Return what the pages of one template share; None if there are fewer than three."""
    return _analyze(pages)[0]


def extract_article(page: Page, template: SharedTemplate | None = None) -> Article:
    """Return the article of one page, using what other pages of its template share."""
    blocks = find_blocks(page)
    if template is None:
        body = find_body(BlockScores(page, blocks))
        return _build_article(body, choose_title(_find_titles(body)))
    template_blocks = shared_template.match_template_blocks(page, blocks, template.marks)
    scores = BlockScores(page, blocks, template_blocks)
    container = shared_template.choose_container(scores, template.body_path_scores)
    body = find_body(scores, container)
    candidates = _find_titles(body, template.site_names)
    return _build_article(body, choose_title(candidates, template.title_path_prior))


def _analyze(
    pages: Sequence[Page],
) -> tuple[SharedTemplate | None, list[Body], list[list[TitleCandidate]]]:
    """Return what the pages share, and the body and the title candidates of each."""
    blocks = list(map(find_blocks, pages))
    pairs = list(zip(pages, blocks, strict=True))
    if len(pages) < shared_template.MIN_PAGES:
        bodies = [find_body(BlockScores(page, page_blocks)) for page, page_blocks in pairs]
        titles = [_find_titles(body) for body in bodies]
        return None, bodies, titles
    articles = shared_template.find_copies(blocks)
    marks = shared_template.find_template_marks(pairs, articles)
    scores: list[BlockScores] = []
    for page, page_blocks in pairs:
        template_blocks = shared_template.match_template_blocks(page, page_blocks, marks)
        scores.append(BlockScores(page, page_blocks, template_blocks))
    path_scores = shared_template.score_body_paths(scores)
    bodies = [
        find_body(page_scores, shared_template.choose_container(page_scores, path_scores))
        for page_scores in scores
    ]
    site_names = shared_template.find_site_names(pages, articles)
    titles = [_find_titles(body, site_names) for body in bodies]
    prior = shared_template.compute_title_prior(titles)
    return SharedTemplate(marks, path_scores, site_names, prior), bodies, titles


def _find_titles(body: Body, site_names: Collection[str] = ()) -> list[TitleCandidate]:
    return find_title_candidates(body.scores.page, body.scores.blocks, body.blocks, site_names)


def _build_article(body: Body, title: TitleCandidate | None) -> Article:
    page = body.scores.page
    blocks = body.blocks
    if title and title.text_node is not None and blocks:
        with_lead = find_lead(body, title.text_node) + blocks
        blocks = [
            block
            for block in with_lead
            if block.start != title.text_node and block.text != title.text
        ]
    shown = [block.text for block in blocks]
    structured = read_structured_body(page, shown)
    if structured is None and not is_article(body.scores, blocks):
        return NO_ARTICLE
    start = blocks[0].start if blocks else 0
    lines = find_byline_blocks(body.scores.blocks, title.text_node if title else None, start)
    return Article(
        title.text if title else None,
        tuple(shown if structured is None else structured),
        find_date(page, lines, blocks),
        find_authors(page, lines),
    )


# ---- article or not ------------------------------------------------------------------------------


def is_article(scores: BlockScores, body: Sequence[Block]) -> bool:
    """Tell whether the body is that of an article, and not the teasers of a page of links."""
    words = sum([block.words for block in body])
    if words >= 15 and is_called_article(scores.page):
        return True
    if words < 30:
        return False
    if len(body) >= 3 and _compute_teaser_share(scores.blocks, body) >= 0.5:
        return False
    linked = sum([block.words * block.linked for block in scores.blocks])
    return words >= 150 or linked <= 0.8 * (linked + words)


def is_called_article(page: Page) -> bool:
    """Tell whether the metadata of a page call it an article."""
    if page.metadata.find_first("og:type").lower() == "article":
        return True
    for thing in page.metadata.jsonld_objects:
        types = thing.get("@type")
        for name in types if isinstance(types, list) else [types]:
            if isinstance(name, str) and name.endswith(("Article", "BlogPosting", "Report")):
                return True
    return False


def _compute_teaser_share(blocks: Sequence[Block], body: Sequence[Block]) -> float:
    """Return the share of the running text of a body that is in teasers.

    Teasers have a headline inside (a quarter of the words are links), before or after them. They
    have 50 words at most, on average.
    """
    number_of = {block.start: number for number, block in enumerate(blocks)}
    running = [block for block in body if block.words >= MIN_SENTENCE_WORDS]
    total: float = 0
    with_link = after_link = before_link = 0.0
    for block in running:
        number = number_of[block.start]
        total += block.words
        if block.linked >= 0.25:
            with_link += block.words
        if number and blocks[number - 1].is_link:
            after_link += block.words
        if number + 1 < len(blocks) and blocks[number + 1].is_link:
            before_link += block.words
    if total > 50 * len(running):
        return 0.0
    return max(with_link, after_link, before_link) / max(1.0, total)
