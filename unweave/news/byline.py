"""Who wrote an article, and when: as the page's data tells it, or as it stands in the lines around the title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

from unweave.fields.types import Type, type_of
from unweave.fields.values import value_of
from unweave.news.blocks import Block
from unweave.page.page import Page

_DATE_METAS = (
    "article:published_time og:published_time datepublished date pubdate publishdate publish-date publication_date"
    " parsely-pub-date sailthru.date dc.date.issued dcterms.date dc.date dcterms.created"
).split()
_AUTHOR_METAS = "author article:author byl dc.creator dcterms.creator parsely-author sailthru.author".split()

_LONGEST_LINE = 20
_BEFORE_TITLE, _AFTER_START = 4, 2
_NUMBERED_DATE = re.compile(r"(?<![\d.])(?:\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}|\d{4}-\d\d-\d\d)(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PARTS = re.compile(r"\s*[|•·●–—;]\s*|\s+-\s+|\s{2,}")
_LABEL = re.compile(
    r"^[^\d:]{2,30}:\s*|^(published|posted|updated|last updated|on|am|vom|le|el|objavljeno)\s+", re.IGNORECASE
)
_BYLINE_NAMES = re.compile("byline|author|autor|auteur|writer|autore", re.IGNORECASE)
_BY = re.compile(
    r"\s*(?:(?:written|posted|reported)\s+)?(?:by|von|par|por|di|av|af|door|autor|author)\s*:?\s+(?=\w)", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*(?:,|;|&|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bog\b|\boch\b|\bin\b)\s*")
_AFTER_NAME = re.compile(
    r"\s*(?:[,|•·–—(/]|\s-\s|\b(?:for|at|in|on|published|posted|updated|staff|special to|associated press writer)\b"
    r"|(?:\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?\s+)?\d).*$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"[/@:!?]|\b(?:writers?|staff|editor|bureau|correspondent|reporter)s?\b", re.IGNORECASE)
_INITIALS = re.compile(r"\b\w\.$")
_MOST_NAME_WORDS = 5
_MOST_AUTHORS = 20
_LONGEST_NAME = 80


def date_of(page: Page, lines: Sequence[Block]) -> str | None:
    """When the article was published, as ISO 8601: what the data says, else the first date in these lines."""
    for text in _told_dates(page):
        if found := _moment(text):
            return found
    for block in lines:
        for part in _parts(page, block):
            if type_of(part) in (Type.DATE, Type.DATETIME) and isinstance(value := value_of(part), date):
                return value.isoformat()
    return None


def _told_dates(page: Page) -> Iterator[str]:
    for thing in page.metadata.things:
        if isinstance(thing.get("datePublished"), str):
            yield thing["datePublished"]
    yield page.metadata.first(*_DATE_METAS)
    for node, attributes in enumerate(page.attributes):
        if attributes.get("itemprop") == "datePublished":
            yield attributes.get("content") or attributes.get("datetime") or page.text(node)
    for label, attributes in zip(page.tree.labels, page.attributes, strict=True):
        if label == "time" and attributes.get("datetime"):
            yield attributes["datetime"]


def _moment(text: str) -> str | None:
    """A moment as ISO 8601 writes it; None if the text is none."""
    text = text.strip()
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        value = value_of(text) if type_of(text) in (Type.DATE, Type.DATETIME) else None
        return value.isoformat() if isinstance(value, date) else None
    return found.date().isoformat() if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text) else found.isoformat()


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


def authors_of(page: Page, lines: Sequence[Block]) -> tuple[str, ...]:
    """Who wrote the article: what the data says, else what these lines say; empty if nobody is named."""
    for told in (_told_authors(page), _marked_authors(page), _named_authors(page, lines)):
        names = tuple(dict.fromkeys(told))[:_MOST_AUTHORS]
        if names:
            return names
    return ()


def _told_authors(page: Page) -> Iterator[str]:
    for thing in page.metadata.things:
        if "headline" in thing or "articleBody" in thing or "datePublished" in thing:
            yield from filter(None, map(_name, _names(thing.get("author"))))
    for name in _AUTHOR_METAS:
        for text in page.metadata.texts.get(name, ()):
            yield from _split(text)


def _names(author: Any) -> Iterator[str]:
    """The names in what JSON-LD gives as author: a name, a thing with one, or a list of these."""
    if isinstance(author, str):
        yield author
    elif isinstance(author, dict):
        yield from _names(author.get("name"))
    elif isinstance(author, list):
        for one in author[:_MOST_AUTHORS]:
            if not isinstance(one, list):
                yield from _names(one)


def _marked_authors(page: Page) -> Iterator[str]:
    """What elements say that are marked as naming the author."""
    for node, attributes in enumerate(page.attributes):
        if attributes and (attributes.get("rel") == "author" or attributes.get("itemprop") == "author"):
            yield from _split(page.text(node))


def _named_authors(page: Page, lines: Iterable[Block]) -> Iterator[str]:
    """Names after a word such as "by", or in an element whose class says so."""
    for block in lines:
        owners = (block.owner, page.owners[block.chunks.start])
        is_named = any(_BYLINE_NAMES.search(page.attributes[owner].get("class", "")) for owner in owners)
        for text in (*(page.texts[chunk] for chunk in block.chunks), block.text):
            names = list(_split(text)) if is_named or _BY.match(text) else []
            if names:
                yield from names
                return


def _split(text: str) -> Iterator[str]:
    """The names of one or several people in a text."""
    start = _BY.match(text)
    for part in _BETWEEN.split(text[start.end() :] if start else text):
        name = _name(part)
        if name:
            yield name


def _name(text: str) -> str | None:
    """The text as a name; None if it is none: an address, a sentence, something with digits."""
    text = _AFTER_NAME.sub("", " ".join(text.split())).strip(" ,;:|-–—")
    if not _INITIALS.search(text):
        text = text.rstrip(".")
    if not text or len(text) > _LONGEST_NAME or len(text.split()) > _MOST_NAME_WORDS:
        return None
    if _NO_NAME.search(text) or not text[0].isalpha() or text[0].islower() or _BY.match(f"{text} x"):
        return None
    return text


def lines_around(blocks: Sequence[Block], title: int | None, start: int) -> list[Block]:
    """The short lines around the title, which stands at this chunk, and around the start of the body."""
    first = start if title is None else min(title, start)
    before = [block for block in blocks if block.chunks.start < first][-_BEFORE_TITLE:]
    between = [block for block in blocks if first <= block.chunks.start < start and block.chunks.start != title]
    after = [block for block in blocks if block.chunks.start >= start][:_AFTER_START]
    return [block for block in [*between, *after, *before] if block.words <= _LONGEST_LINE]
