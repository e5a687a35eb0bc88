"""What the pages of a template are: lists, details, articles, or neither."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean

from unweave.content.article import Article, extract_bodies_and_articles, is_called_article
from unweave.content.body import Body
from unweave.lists import default as auto
from unweave.lists.listing import Listing, Record
from unweave.page.page import Page
from unweave.pipeline.texts import LEAST_PAGES, own_texts


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

# Entries of a list with a few sentences each (search results, court opinions) read like one long article.
# But each of them has a link, none has most of the text, and they are shorter than the sections of an article.
# Of 353 sites with lists this finds 13 that were articles or nothing before; of 319 with articles, most of them one page
# alone, it takes 4.
MIN_ENTRIES_SCORE = 0.25
MIN_ENTRIES = 3
MIN_SHARE_IN_ENTRIES = (
    0.8  # of the main text that stands in entries, and of the entries that have a link
)
MAX_SHARE_OF_ENTRY = 0.5  # of the main text in one entry
MAX_ENTRY_LETTERS = 600

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
    has_entries: bool
    """Is its main text spread over the entries of its list?"""

    @classmethod
    def of(cls, page: Page, body: Body, read: Article, own: Collection[int]) -> Evidence:
        """Look at a page that has been read as an article, and of whose texts these are its own."""
        ranked = auto.rank_lists(page)
        return cls(
            list_score=ranked[0][0] if ranked else 0.0,
            list_part=_part(page, ranked[0][1], own) if ranked else 0.0,
            is_article=bool(read),
            letters=len(read.body or ""),
            is_told=bool(read.date and (read.authors or is_called_article(page))),
            has_entries=bool(ranked)
            and ranked[0][0] >= MIN_ENTRIES_SCORE
            and _is_spread(page, body, ranked[0][1]),
        )


def evidence(pages: Sequence[Page]) -> list[Evidence]:
    """Look at pages of one template."""
    read = extract_bodies_and_articles(pages)
    return [
        Evidence.of(page, *found, own)
        for page, found, own in zip(pages, read, own_texts(pages), strict=True)
    ]


def _part(page: Page, listing: Listing, own: Collection[int]) -> float:
    """The part of a page's own texts, by their letters, that stands in a list. Rows of a label and a value are no list."""
    rows = sum([_is_labelled(page, record, own) for record in listing.records])
    if rows > _LABELLED * len(listing.records):
        return 0.0
    inside = {chunk for node in listing.nodes for chunk in page.text_nodes(node)}
    letters = sum([len(page.texts[chunk]) for chunk in own])
    return (
        sum([len(page.texts[chunk]) for chunk in own if chunk in inside]) / letters
        if letters
        else 0.0
    )


def _is_labelled(page: Page, record: Record, own: Collection[int]) -> bool:
    """Is the record a word that other pages have too, and a value of this page?"""
    chunks = [chunk for node in record for chunk in page.text_nodes(node)]
    is_label = 1 < len(chunks) <= _MOST_IN_ROW and chunks[0] not in own
    return is_label and any(map(str.isalpha, page.texts[chunks[0]]))


def _is_spread(page: Page, body: Body, listing: Listing) -> bool:
    """Tell whether the main text of a page is spread over the entries of a list, short texts with a link each."""
    letters = {chunk: len(page.texts[chunk]) for block in body.blocks for chunk in block.text_nodes}
    inside = [
        sum(letters.get(chunk, 0) for node in record for chunk in page.text_nodes(node))
        for record in listing.records
    ]
    linked = sum(any("a" in _labels(page, node) for node in record) for record in listing.records)
    total, entries = sum(letters.values()), len(listing.records)
    return (
        entries >= MIN_ENTRIES
        and linked >= MIN_SHARE_IN_ENTRIES * entries
        and sum(inside) >= MIN_SHARE_IN_ENTRIES * total > 0
        and sum(inside) <= MAX_ENTRY_LETTERS * entries
        and max(inside) <= MAX_SHARE_OF_ENTRY * total
    )


def _labels(page: Page, node: int) -> Sequence[str]:
    return page.tree.labels[node : page.tree.ends[node]]


def kind_of(pages: Sequence[Evidence]) -> Kind:
    """What the pages of a template are. Details are what is neither list nor article, if there is anything to learn."""
    score = mean(page.list_score for page in pages)
    have_entries = _share(page.has_entries for page in pages) >= _LEAST_SHARE
    if _are_articles(pages) and score < _SURE_SCORE and not have_entries:
        return Kind.ARTICLE
    if len(pages) < LEAST_PAGES:
        return Kind.LIST if have_entries or score >= _LEAST_SCORE_OF_FEW else Kind.DETAIL
    is_list = mean(page.list_score * page.list_part for page in pages) >= _LEAST_SCORE_AND_PART
    return Kind.LIST if is_list else Kind.DETAIL


def read_as_articles(pages: Sequence[Evidence]) -> bool:
    """Have nearly all pages a long text, whatever else they are?"""
    return (
        _share(page.is_article and page.letters >= _LEAST_LETTERS for page in pages)
        >= 1 - _LEAST_SHARE / 2
    )


def _are_articles(pages: Sequence[Evidence]) -> bool:
    is_long = mean(page.letters for page in pages) >= _LEAST_LETTERS
    return is_long and _share(page.is_article and page.is_told for page in pages) >= _LEAST_SHARE


def _share(those: Iterable[bool]) -> float:
    return mean(map(float, those))
