"""Who wrote an article, and when: as the page's data tells it, or as it stands in the lines around the title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any

from unweave.fields.types import Type, type_of
from unweave.fields.values import value_of
from unweave.news.blocks import Block
from unweave.news.names import as_shown
from unweave.page.page import Page

_DATE_METAS = (
    "article:published_time og:published_time datepublished date pubdate publishdate publish-date publication_date"
    " parsely-pub-date sailthru.date dc.date.issued dcterms.date dc.date dcterms.created"
).split()
_AUTHOR_METAS = "author article:author byl dc.creator dcterms.creator parsely-author sailthru.author".split()

_DATES = (Type.DATE, Type.DATETIME)
_MOST_DATES = 10

# The web has no older articles; data of programs that know no date often tells the year 1.
_OLDEST = 1990
_AHEAD = timedelta(days=2)

_LONGEST_LINE = 20
# A line of the body itself may tell a date if it has hardly more words than that.
_DATE_WORDS = 8
_BEFORE_TITLE, _AFTER_START = 4, 2

_NUMBERED_DATE = re.compile(r"(?<![\d.])(?:\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}|\d{4}-\d\d-\d\d)(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")
_PARTS = re.compile(r"\s*[|•·●–—;]\s*|\s+-\s+|\s{2,}")
_LABEL = re.compile(
    r"^[^\d:]{2,30}:\s*|^(published|posted|updated|last updated|on|am|vom|le|el|objavljeno)\s+", re.IGNORECASE
)

_BYLINE_NAMES = re.compile("byline|author|autor|auteur|writer|autore", re.IGNORECASE)
# "By" opens a line with a name. Words of other languages are parts of names too, and count in lower case or before a colon.
BY = re.compile(
    r"\s*(?:(?i:written|posted|reported)\s+)?"
    r"(?:(?i:by)\s*:?|(?:von|par|por|di|av|af|door|od)\s*:?|(?i:von|par|por|autor|author|text)\s*:)\s+(?=\w)"
)
_BETWEEN = re.compile(r"\s*(?:,|;|&|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bog\b|\boch\b)\s*")
_AFTER_NAME = re.compile(
    r"\s*(?:[,|•·–—(/]|\s-\s|\b(?:for|at|in|on|of)\b"
    r"|\b(?i:published|posted|updated|staff|special to|associated press writer)\b"
    r"|\b(?i:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|(?:\b(?i:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?\s+)?\d).*$"
)
_NO_NAME = re.compile(
    r"[/@:!?]|\b(?:writers?|staff|editors?|bureau|correspondents?|reporters?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"\b\w\.$")
_NO_PERSON = frozenset("by von null none unknown admin administrator".split())
_DOMAIN = re.compile(r"\.\w{2,}$")
_MOST_NAME_WORDS = 5
_MOST_AUTHORS = 20
_LONGEST_NAME = 80
_MOST_TEXTS = 40


# ---- dates -----------------------------------------------------------------------------------------------------


def date_of(page: Page, lines: Sequence[Block], body: Sequence[Block]) -> str | None:
    """When the article was published, as ISO 8601: what the data says, else the first date in these lines."""
    own = {block.chunks.start for block in body}
    able = [block for block in lines if block.words <= _DATE_WORDS or block.chunks.start not in own]
    shown = (part for block in able for part in _parts(page, block) if type_of(part) in _DATES)
    return _first_moment(_told_dates(page)) or _first_moment(shown) or _first_moment(_marked_times(page))


def _first_moment(texts: Iterable[str]) -> str | None:
    """The first text that is a moment; only so many are looked at, because some shapes take long to read."""
    return next(filter(None, map(_moment, islice(texts, _MOST_DATES))), None)


def _told_dates(page: Page) -> Iterator[str]:
    for thing in page.metadata.things:
        if isinstance(thing.get("datePublished"), str):
            yield thing["datePublished"]
    for name in _DATE_METAS:
        yield from page.metadata.texts.get(name, ())
    for node, attributes in enumerate(page.attributes):
        if attributes.get("itemprop") == "datePublished":
            yield attributes.get("content") or attributes.get("datetime") or page.text(node)[:_LONGEST_NAME]


def _marked_times(page: Page) -> Iterator[str]:
    for label, attributes in zip(page.tree.labels, page.attributes, strict=True):
        if label == "time" and attributes.get("datetime"):
            yield attributes["datetime"]


def _moment(text: str) -> str | None:
    """A moment as ISO 8601 writes it; None if the text is none, or one at which nothing can have been published."""
    text = text.strip()
    try:
        found: object = datetime.fromisoformat(text)
    except ValueError:
        found = value_of(text) if type_of(text) in _DATES else None
    if isinstance(found, datetime) and (_DAY.fullmatch(text) or "W" in text):
        found = found.date()
    if not isinstance(found, date) or not found.year >= _OLDEST or found.year > (date.today() + _AHEAD).year:
        return None
    return found.isoformat()


def _parts(page: Page, block: Block) -> Iterator[str]:
    """A line, what marks part in it, and its texts: dates stand among other things."""
    texts = [block.text, *_PARTS.split(block.text), *(page.texts[chunk] for chunk in block.chunks)]
    for text in texts:
        yield text
        if (shorter := _LABEL.sub("", text)) != text:
            yield shorter
    yield from _NUMBERED_DATE.findall(block.text)
    words = block.text.replace(",", " ").split()
    for place, word in enumerate(words):
        if _YEAR.fullmatch(word.strip(".()")):
            yield " ".join(words[max(0, place - 2) : place + 1]).strip(".()")


# ---- authors ---------------------------------------------------------------------------------------------------


def authors_of(page: Page, lines: Sequence[Block]) -> tuple[str, ...]:
    """Who wrote the article: what the data says, else what these lines say; empty if nobody is named."""
    for told in (_told_authors(page), _meta_authors(page), _marked_authors(page), _named_authors(page, lines)):
        names = tuple(dict.fromkeys(islice(told, _MOST_AUTHORS)))
        if names:
            return names
    return ()


def _told_authors(page: Page) -> Iterator[str]:
    """Authors in JSON-LD, whose names are names as they are."""
    for thing in page.metadata.things:
        if "headline" in thing or "articleBody" in thing or "datePublished" in thing:
            for name in map(as_shown, _names(thing.get("author"))):
                if _may_be_name(name):
                    yield name


def _names(author: Any) -> Iterator[str]:
    """The names in what JSON-LD gives as author: a name, a thing with one, or a list of these."""
    authors = author[:_MOST_AUTHORS] if isinstance(author, list) else [author]
    for one in authors:
        name = one.get("name") if isinstance(one, dict) else one
        names = name[:_MOST_AUTHORS] if isinstance(name, list) else [name]
        yield from (own for own in names if isinstance(own, str))


def _meta_authors(page: Page) -> Iterator[str]:
    for name in _AUTHOR_METAS:
        for text in page.metadata.texts.get(name, ()):
            yield from _split(text)


def _marked_authors(page: Page) -> Iterator[str]:
    """What elements say that are marked as naming the author."""
    for node, attributes in enumerate(page.attributes):
        is_marked = attributes and "author" in (attributes.get("rel"), attributes.get("itemprop"))
        if is_marked and page.count_texts(node) <= _MOST_TEXTS:
            yield from _split(page.text(node))


def _named_authors(page: Page, lines: Iterable[Block]) -> Iterator[str]:
    """Names after a word such as "by", or in an element whose class says so."""
    for block in lines:
        owners = (block.owner, page.owners[block.chunks.start])
        is_named = any(_BYLINE_NAMES.search(page.attributes[owner].get("class", "")) for owner in owners)
        for text in (*(page.texts[chunk] for chunk in block.chunks), block.text):
            names = list(_split(text)) if is_named or BY.match(text) else []
            if names:
                yield from names
                return


def _split(text: str) -> Iterator[str]:
    """The names of one or several people in a text."""
    text = as_shown(text[: _MOST_AUTHORS * _LONGEST_NAME])
    start = BY.match(text)
    for part in _BETWEEN.split(text[start.end() :] if start else text):
        name = _AFTER_NAME.sub("", part).strip(" ,;:|-–—")
        name = name if _INITIALS.search(name) else name.rstrip(".")
        if _may_be_name(name):
            yield name


def _may_be_name(text: str) -> bool:
    """Is this no address, no sentence, nothing with digits, and no word that only opens a line of names?"""
    if not text or len(text) > _LONGEST_NAME or len(text.split()) > _MOST_NAME_WORDS:
        return False
    if _NO_NAME.search(text) or _DOMAIN.search(text) or text.casefold() in _NO_PERSON:
        return False
    return text.isprintable() and text[0].isalpha() and not text[0].islower()


def lines_around(blocks: Sequence[Block], title: int | None, start: int) -> list[Block]:
    """The short lines around the title, which stands at this chunk, and around the start of the body."""
    first = start if title is None else min(title, start)
    before = [block for block in blocks if block.chunks.start < first][-_BEFORE_TITLE:]
    between = [block for block in blocks if first <= block.chunks.start < start and block.chunks.start != title]
    after = [block for block in blocks if block.chunks.start >= start][:_AFTER_START]
    return [block for block in [*between, *after, *before] if block.words <= _LONGEST_LINE]
