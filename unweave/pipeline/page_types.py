"""Infer what the pages of a template are: lists, details, articles, or none of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean

from unweave.content.article import Article, extract_bodies_and_articles, is_called_article
from unweave.content.body import Body
from unweave.lists import default
from unweave.lists.listing import Listing, Record
from unweave.page.page import Page
from unweave.trees.paths import hash_paths


class PageType(StrEnum):
    """What the pages of a template are."""

    LIST = "list"
    DETAIL = "detail"
    ARTICLE = "article"
    NEITHER = "neither"


# ---- texts that pages share ----------------------------------------------------------------------

LocatedText = tuple[int, str]
"""The hash of the tag path of an element, and a text in it."""

MIN_PAGES_TO_COMPARE = 3
"""The number of pages that it takes to know which texts differ between them."""
# A text is specific to a page if at most this share of the pages have it at the same tag path, and
# part of the template if at least this share of them have it, and at least this number of pages.
MAX_SPECIFIC_SHARE = 1 / 3
MIN_SHARED_SHARE, MIN_SHARED_PAGES = 0.8, 2


def locate_texts(page: Page) -> list[LocatedText]:
    """Return each text of a page with the tag path of its element."""
    paths = hash_paths(page.tree.parents, page.tree.labels)
    return [
        (paths[parent], text) for parent, text in zip(page.text_parents, page.texts, strict=True)
    ]


def find_specific_texts(pages: Sequence[Page]) -> list[set[int]]:
    """Return for each page the numbers of the texts that hardly any other has at the same tag path.

    Of too few pages, these are all texts.
    """
    texts = [locate_texts(page) for page in pages]
    if len(pages) < MIN_PAGES_TO_COMPARE:
        return [set(range(len(page_texts))) for page_texts in texts]
    counts = _count_pages(texts)
    max_pages = max(1.0, MAX_SPECIFIC_SHARE * len(pages))
    return [
        {number for number, text in enumerate(page_texts) if counts[text] <= max_pages}
        for page_texts in texts
    ]


def find_shared_texts(pages: Sequence[Page]) -> frozenset[LocatedText]:
    """Return the texts that nearly all pages have at the same tag path; none of a single page."""
    min_pages = max(MIN_SHARED_PAGES, MIN_SHARED_SHARE * len(pages))
    counts = _count_pages(map(locate_texts, pages))
    return frozenset(text for text, count in counts.items() if count >= min_pages)


def select_shared_texts(page: Page, shared: Collection[LocatedText]) -> list[int]:
    """Return the numbers of the texts of a page that are shared."""
    return [number for number, text in enumerate(locate_texts(page)) if text in shared]


def _count_pages(texts: Iterable[Sequence[LocatedText]]) -> Counter[LocatedText]:
    return Counter(text for page_texts in texts for text in set(page_texts))


# ---- features of a page --------------------------------------------------------------------------

# A list with more than this share of records that are a label and a value is a table of fields. A
# record with more texts than this is not a label and a value.
MAX_LABELLED_SHARE = 0.5
MAX_TEXTS_PER_LABELLED_VALUE = 3

# Entries of a list with a few sentences each (search results, court opinions) read like one long
# article. But each of them has a link, none has most of the text, and they are shorter than the
# sections of an article. Of 353 sites with lists this finds 13 that were articles or nothing
# before; of 319 with articles, most of them one page alone, it takes 4.
MIN_ENTRIES_SCORE = 0.25
MIN_ENTRIES = 3
MIN_SHARE_IN_ENTRIES = 0.8
"""Of the main text that is in entries, and of the entries that have a link."""
MAX_SHARE_OF_ENTRY = 0.5
"""Of the main text in one entry."""
MAX_ENTRY_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The features of a page that tell its type."""

    list_score: float
    list_share: float
    """The share of the specific texts of the page, by length, that is in its list."""
    is_article: bool
    article_characters: int
    is_signed: bool
    """Whether it has a date, and an author or metadata that calls it an article."""
    has_entries: bool
    """Whether its main text is distributed over the entries of its list."""


def compute_features(pages: Sequence[Page]) -> list[PageFeatures]:
    """Return the features of the pages of one template."""
    articles = extract_bodies_and_articles(pages)
    specific = find_specific_texts(pages)
    return [
        _compute_page_features(page, body, article, page_specific)
        for page, (body, article), page_specific in zip(pages, articles, specific, strict=True)
    ]


def _compute_page_features(
    page: Page, body: Body, article: Article, specific: Collection[int]
) -> PageFeatures:
    list_score = list_share = 0.0
    has_entries = False
    if ranked := default.rank_lists(page):
        list_score, listing = ranked[0]
        list_share = _compute_list_share(page, listing, specific)
        has_entries = list_score >= MIN_ENTRIES_SCORE and _is_text_in_entries(page, body, listing)
    return PageFeatures(
        list_score=list_score,
        list_share=list_share,
        is_article=bool(article),
        article_characters=len(article.body or ""),
        is_signed=bool(article.date and (article.authors or is_called_article(page))),
        has_entries=has_entries,
    )


def _compute_list_share(page: Page, listing: Listing, specific: Collection[int]) -> float:
    """Return the share of the specific texts in a list; 0 for a list of labels and values."""
    labelled = sum([_is_labelled_value(page, record, specific) for record in listing.records])
    if labelled > MAX_LABELLED_SHARE * len(listing.records):
        return 0.0
    in_list = {text for node in listing.nodes for text in page.text_nodes(node)}
    total = sum([len(page.texts[text]) for text in specific])
    if not total:
        return 0.0
    return sum([len(page.texts[text]) for text in specific if text in in_list]) / total


def _is_labelled_value(page: Page, record: Record, specific: Collection[int]) -> bool:
    """Tell whether a record is a word that other pages have too, and a value."""
    texts = [text for node in record for text in page.text_nodes(node)]
    if not 1 < len(texts) <= MAX_TEXTS_PER_LABELLED_VALUE or texts[0] in specific:
        return False
    return any(map(str.isalpha, page.texts[texts[0]]))


def _is_text_in_entries(page: Page, body: Body, listing: Listing) -> bool:
    """Tell whether the main text is in the entries of a list, which are short and have a link."""
    lengths = {text: len(page.texts[text]) for block in body.blocks for text in block.text_nodes}
    total, entries = sum(lengths.values()), len(listing.records)
    linked = 0
    entry_lengths = []
    for record in listing.records:
        linked += any("a" in _get_tags(page, node) for node in record)
        texts = [text for node in record for text in page.text_nodes(node)]
        entry_lengths.append(sum([lengths.get(text, 0) for text in texts]))
    return (
        entries >= MIN_ENTRIES
        and linked >= MIN_SHARE_IN_ENTRIES * entries
        and sum(entry_lengths) >= MIN_SHARE_IN_ENTRIES * total > 0
        and sum(entry_lengths) <= MAX_ENTRY_CHARACTERS * entries
        and max(entry_lengths) <= MAX_SHARE_OF_ENTRY * total
    )


def _get_tags(page: Page, node: int) -> Sequence[str]:
    return page.tree.labels[node : page.tree.ends[node]]


# ---- the type of the pages of a template ---------------------------------------------------------

# The score of a list is about the share of its records that are right, so that of a page without
# one is low. But detail pages have lists too: reviews, related items. On list pages, the list is
# most of what differs from page to page. Of 113 sites with lists 10 have less than this product of
# the two, of 41 with detail pages 2 have more. Of few pages, the score must be higher.
MIN_SCORE_TIMES_SHARE, MIN_SCORE_OF_FEW_PAGES = 0.3, 0.5
# A list with a higher score is not just a list of related items below an article.
MAX_LIST_SCORE_OF_ARTICLES = 0.7

# Job advertisements and descriptions of products read like articles as well. An article has a date,
# and an author or metadata that calls it an article.
MIN_ARTICLE_SHARE = 0.5
MIN_TEXT_SHARE = 0.75
MIN_ARTICLE_CHARACTERS = 750


def infer_page_type(pages: Sequence[PageFeatures]) -> PageType:
    """Return the type of the pages of a template: DETAIL if they are neither lists nor articles."""
    list_score = mean(page.list_score for page in pages)
    have_entries = _compute_share(page.has_entries for page in pages) >= MIN_ARTICLE_SHARE
    are_articles = (
        mean(page.article_characters for page in pages) >= MIN_ARTICLE_CHARACTERS
        and _compute_share(page.is_article and page.is_signed for page in pages)
        >= MIN_ARTICLE_SHARE
    )
    if are_articles and list_score < MAX_LIST_SCORE_OF_ARTICLES and not have_entries:
        return PageType.ARTICLE
    if len(pages) < MIN_PAGES_TO_COMPARE:
        are_lists = have_entries or list_score >= MIN_SCORE_OF_FEW_PAGES
    else:
        products = [page.list_score * page.list_share for page in pages]
        are_lists = mean(products) >= MIN_SCORE_TIMES_SHARE
    return PageType.LIST if are_lists else PageType.DETAIL


def have_long_texts(pages: Sequence[PageFeatures]) -> bool:
    """Tell whether nearly all pages have a long text, whatever their type."""
    share = _compute_share(
        page.is_article and page.article_characters >= MIN_ARTICLE_CHARACTERS for page in pages
    )
    return share >= MIN_TEXT_SHARE


def _compute_share(flags: Iterable[bool]) -> float:
    return mean(map(float, flags))
