"""The main content of a page: its type, title and blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unweave.content.article import extract_bodies_and_articles
from unweave.content.blocks import Block
from unweave.content.shared_template import SharedTemplate
from unweave.page.page import Page


@dataclass(frozen=True, slots=True)
class MainContent:
    """What a page is about, without its boilerplate."""

    kind: str
    """The page type."""
    confidence: float
    blocks: tuple[Block, ...]
    """The blocks of the content in page order, with the headings inside it."""
    title: str | None
    extra: tuple[str, ...] = ()
    """Paragraphs that are only in data of the page, such as JSON-LD."""


def find_main_content(page: Page, template: SharedTemplate | None = None) -> MainContent:
    """Return the main content of one page."""
    return find_main_contents([page])[0]


def find_main_contents(pages: Sequence[Page]) -> list[MainContent]:
    """Return the main content of pages of one template, using what the pages share."""
    return [
        MainContent(
            "article" if article else "other",
            0.5,
            tuple(body.blocks),
            article.title or body.scores.page.title or None,
        )
        for body, article in extract_bodies_and_articles(pages)
    ]
