"""What the pages of a template are: lists, details, articles, or neither."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean

from unweave.news import article
from unweave.news.article import Article
from unweave.news.kind import is_called_article
from unweave.page.page import Page
from unweave.records import auto
from unweave.records.region import Listing, Record
from unweave.site.texts import LEAST_PAGES, own_texts


class Kind(StrEnum):
    """What the pages of a template are."""

    LIST = "list"
    DETAIL = "detail"
    ARTICLE = "article"
    NEITHER = "neither"


# The score of a list is about the share of its records that are right, so that of a page without one is low. But detail
# pages have lists too: reviews, related things. On list pages, the list is most of what differs from page to page. Of 113
# sites with lists 10 have less than that product of the two, of 41 with detail pages 2 have more. Few pages must be surer.
_LEAST_SCORE_AND_PART, _LEAST_SCORE_OF_FEW = 0.3, 0.5
# A row of a label and a value has so few texts; a list with so many of them is a table of fields.
_MOST_IN_ROW = 3
_LABELLED = 0.5
# So sure a list is no mere list of related things below an article.
_SURE_SCORE = 0.7

# Advertisements for jobs and descriptions of goods read like articles as well. An article has a date, and is signed or
# called one.
_LEAST_SHARE = 0.5
_LEAST_LETTERS = 750


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a page looks like."""

    list_score: float
    list_part: float
    """How much of what no other page says stands in its list."""
    is_article: bool
    letters: int
    """How long the article is."""
    is_told: bool
    """Has it a date, and an author or a head that calls it an article?"""

    @classmethod
    def of(cls, page: Page, read: Article, own: Collection[int]) -> Evidence:
        """Look at a page that has been read as an article, and of whose texts these are its own."""
        ranked = auto.ranked(page)
        return cls(
            list_score=ranked[0][0] if ranked else 0.0,
            list_part=_part(page, ranked[0][1], own) if ranked else 0.0,
            is_article=bool(read),
            letters=len(read.body or ""),
            is_told=bool(read.date and (read.authors or is_called_article(page))),
        )


def evidence(pages: Sequence[Page]) -> list[Evidence]:
    """Look at pages of one template."""
    articles = article.read(pages)
    return [Evidence.of(*each) for each in zip(pages, articles, own_texts(pages), strict=True)]


def _part(page: Page, listing: Listing, own: Collection[int]) -> float:
    """The part of a page's own texts, by their letters, that stands in a list. Rows of a label and a value are no list."""
    rows = sum([_is_labelled(page, record, own) for record in listing.records])
    if rows > _LABELLED * len(listing.records):
        return 0.0
    inside = {chunk for node in listing.nodes for chunk in page.chunks(node)}
    letters = sum([len(page.texts[chunk]) for chunk in own])
    return sum([len(page.texts[chunk]) for chunk in own if chunk in inside]) / letters if letters else 0.0


def _is_labelled(page: Page, record: Record, own: Collection[int]) -> bool:
    """Is the record a word that other pages have too, and a value of this page?"""
    chunks = [chunk for node in record for chunk in page.chunks(node)]
    is_label = 1 < len(chunks) <= _MOST_IN_ROW and chunks[0] not in own
    return is_label and any(map(str.isalpha, page.texts[chunks[0]]))


def kind_of(pages: Sequence[Evidence]) -> Kind:
    """What the pages of a template are. Details are what is neither list nor article, if there is anything to learn."""
    score = mean(page.list_score for page in pages)
    if _are_articles(pages) and score < _SURE_SCORE:
        return Kind.ARTICLE
    if len(pages) < LEAST_PAGES:
        return Kind.LIST if score >= _LEAST_SCORE_OF_FEW else Kind.DETAIL
    is_list = mean(page.list_score * page.list_part for page in pages) >= _LEAST_SCORE_AND_PART
    return Kind.LIST if is_list else Kind.DETAIL


def read_as_articles(pages: Sequence[Evidence]) -> bool:
    """Have nearly all pages a long text, whatever else they are?"""
    return _share(page.is_article and page.letters >= _LEAST_LETTERS for page in pages) >= 1 - _LEAST_SHARE / 2


def _are_articles(pages: Sequence[Evidence]) -> bool:
    is_long = mean(page.letters for page in pages) >= _LEAST_LETTERS
    return is_long and _share(page.is_article and page.is_told for page in pages) >= _LEAST_SHARE


def _share(those: Iterable[bool]) -> float:
    return mean(map(float, those))
