"""The date and the authors of an article, from the metadata or from the lines around the title."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import islice, pairwise
from typing import Any

from unweave.content.blocks import Block
from unweave.page.page import Page
from unweave.values.parsing import detect_type, parse_value
from unweave.values.types import DATES

MAX_DATES = 10
"""The number of texts that are tried as dates: some shapes take long to parse."""
MAX_AUTHORS = 20
MAX_NAME_LENGTH = 80
MAX_NAME_WORDS = 5
MAX_TEXTS_IN_AUTHOR_ELEMENT = 40
MAX_NODES_IN_AUTHOR_ELEMENT = 200
MAX_AUTHOR_ELEMENTS = 4
"""More elements or links with different authors are those of posts, or of a list of articles."""
MAX_URL_LENGTH = 500
MAX_BYLINE_WORDS = 20
MAX_DATE_LINE_WORDS = 8
"""A line of the body is searched for a date only if it is not longer."""
FIRST_YEAR = 1990
"""The web has no older articles; programs that know no date often write the year 1."""

_DATE_METAS = (
    "article:published_time og:published_time datepublished date pubdate publishdate publish-date"
    " publication_date parsely-pub-date sailthru.date dc.date.issued dcterms.date dc.date"
    " dcterms.created"
).split()
_MODIFIED_METAS = (
    "article:modified_time og:updated_time og:modified_time datemodified lastmod last-modified"
    " dcterms.modified dc.date.modified sailthru.modified"
).split()
_AUTHOR_METAS = (
    "author article:author byl dc.creator dcterms.creator parsely-author sailthru.author".split()
)

_NUMERIC_DATE = re.compile(r"(?<![\d.])(?:\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}|\d{4}-\d\d-\d\d)(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")
_SEPARATOR = re.compile(r"\s*[|•·●–—;]\s*|\s+-\s+|\s{2,}")
_DATE_LABEL = re.compile(
    r"^[^\d:]{2,30}:\s*|^(published|posted|updated|last updated|on|am|vom|le|el|objavljeno)\s+",
    re.IGNORECASE,
)

_BYLINE_NAMES = re.compile("byline|author|autor|auteur|writer|autore", re.IGNORECASE)
BYLINE_START = re.compile(
    r"\s*(?:(?i:written|posted|reported)\s+)?"
    r"(?:(?i:by)\s*:?|(?:von|par|por|di|av|af|door|od)\s*:?"
    r"|(?i:von|par|por|autor|author|text)\s*:)\s+(?=\w)"
)
"""Matches "by" before a name. Words of other languages, which are parts of names, too, count in
lower case or before a colon.
"""
_NAME_SEPARATOR = re.compile(r"\s*(?:,|;|&|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bog\b|\boch\b)\s*")
_AFTER_NAME = re.compile(
    r"\s*(?:[,|•·–—(/]|\s-\s|\b(?:for|at|in|on|of)\b"
    r"|\b(?i:published|posted|updated|staff|special to|associated press writer)\b"
    r"|\b(?i:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|(?:\b(?i:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?\s+)?\d).*$"
)
_NOT_IN_NAME = re.compile(
    r"[/@:!?]|\b(?:writers?|staff|editors?|bureau|correspondents?|reporters?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:view|more|all|no|leave)\s.*(?:posts?|comments?|articles?)|(?:written|posted|published)\s+by)\b",
    re.IGNORECASE,
)
_LONE_LABEL = re.compile(r"(?:(?:written|posted|words|story|text)\s+)?by\s*:?|authors?\s*:?", re.I)
_AUTHOR_URL = re.compile(
    r"/(?:authors?|autor(?:es|en)?|auteurs?|contributors?|writers?)/[^/?#]+/?$"
)
_USER_NAME = re.compile(r"[a-z][\w.-]{2,29}")
_FINAL_INITIAL = re.compile(r"\b\w\.$")
_NOT_A_PERSON = frozenset(
    "by von null none unknown admin administrator author authors autor autore auteur anonymous"
    " guest webmaster root user undefined nan sat sun editorial newsroom redaktion redaction"
    " redazione".split()
)
_AUTHOR_LABEL = re.compile(
    r"(?:(?:written|posted|published|reported|words|story|text|edited)\s+)?by\b[\s:]+"
    r"|(?:authors?|autor(?:es|in|en)?|auteurs?|autor[ei]|writers?|von|par|por)\s*[:：]\s*"
    r"|(?:authors?|autor(?:es|in|en)?|auteurs?|autor[ei])\s+",
    re.IGNORECASE,
)
"""What stands before a name in the text of an element for authors."""
_DOMAIN = re.compile(r"\.\w{2,}$")


def find_byline_blocks(blocks: Sequence[Block], title: int | None, start: int) -> list[Block]:
    """Return the short lines around the title and around the start of the body.

    ``title`` and ``start`` are text nodes. The lines between the two come first.
    """
    first = start if title is None else min(title, start)
    before = [block for block in blocks if block.start < first][-4:]
    between = [block for block in blocks if first <= block.start < start and block.start != title]
    after = [block for block in blocks if block.start >= start][:2]
    return [block for block in [*between, *after, *before] if block.words <= MAX_BYLINE_WORDS]


def unescape_text(text: str) -> str:
    """Return a text of the metadata on one line, with its character references resolved."""
    return " ".join(html.unescape(text).split())


# ---- dates ---------------------------------------------------------------------------------------


def find_date(page: Page, lines: Sequence[Block], body: Sequence[Block]) -> str | None:
    """Return the date of publication in ISO 8601, or None.

    It is that of the metadata, else the first in the lines, else that of a ``time`` element.
    """
    in_body = {block.start for block in body}
    date_lines = [
        block for block in lines if block.words <= MAX_DATE_LINE_WORDS or block.start not in in_body
    ]
    return (
        _parse_first_date(_iter_metadata_dates(page))
        or _parse_first_date(_iter_dates_in_lines(page, date_lines))
        or _parse_first_date(_iter_time_elements(page))
    )


def find_modified_date(page: Page) -> str | None:
    """Return the date of the last change by the metadata, in ISO 8601, or None."""
    return _parse_first_date(_iter_modified_dates(page))


def _iter_modified_dates(page: Page) -> Iterator[str]:
    for thing in page.metadata.jsonld_objects:
        if isinstance(thing.get("dateModified"), str):
            yield thing["dateModified"]
    for name in _MODIFIED_METAS:
        yield from page.metadata.meta_contents.get(name, ())
    for node, name in page.find_attribute("itemprop").items():
        if name == "dateModified":
            yield _read_date(page, node)


def _read_date(page: Page, node: int) -> str:
    """Return the date that an element has for programs, or its text."""
    content = page.get_attribute(node, "content") or page.get_attribute(node, "datetime")
    return content or page.text(node)[:MAX_NAME_LENGTH]


def _parse_first_date(texts: Iterable[str]) -> str | None:
    for text in islice(texts, MAX_DATES):
        if parsed := _parse_date(text):
            return parsed
    return None


def _iter_metadata_dates(page: Page) -> Iterator[str]:
    for thing in page.metadata.jsonld_objects:
        if isinstance(thing.get("datePublished"), str):
            yield thing["datePublished"]
    for name in _DATE_METAS:
        yield from page.metadata.meta_contents.get(name, ())
    for node, name in page.find_attribute("itemprop").items():
        if name == "datePublished":
            yield _read_date(page, node)


def _iter_time_elements(page: Page) -> Iterator[str]:
    for node, label in enumerate(page.tree.labels):
        date = page.get_attribute(node, "datetime") if label == "time" else None
        if date:
            yield date


def _iter_dates_in_lines(page: Page, lines: Iterable[Block]) -> Iterator[str]:
    for block in lines:
        for part in _split_line(page, block):
            if detect_type(part) in DATES:
                yield part


def _split_line(page: Page, block: Block) -> Iterator[str]:
    """Yield a line, its parts between separators, its text nodes, and what may be dates in it."""
    texts = [page.texts[text_node] for text_node in block.text_nodes]
    for text in [block.text, *_SEPARATOR.split(block.text), *texts]:
        yield text
        if (unlabelled := _DATE_LABEL.sub("", text)) != text:
            yield unlabelled
    yield from _NUMERIC_DATE.findall(block.text)
    words = block.text.replace(",", " ").split()
    for index, word in enumerate(words):
        if _YEAR.fullmatch(word.strip(".()")):
            yield " ".join(words[max(0, index - 2) : index + 1]).strip(".()")


def _parse_date(text: str) -> str | None:
    """Return a date in ISO 8601; None if the text is none, or one outside the time of the web."""
    text = text.strip()
    value: object
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        value = parse_value(text) if detect_type(text) in DATES else None
    if isinstance(value, datetime) and (_DAY.fullmatch(text) or "W" in text):
        value = value.date()
    last_year = (date.today() + timedelta(days=2)).year
    if not isinstance(value, date) or not FIRST_YEAR <= value.year <= last_year:
        return None
    return value.isoformat()


# ---- authors -------------------------------------------------------------------------------------


def find_authors(page: Page, lines: Sequence[Block]) -> tuple[str, ...]:
    """Return the names of the authors: of the metadata, else of the lines; empty for none."""
    for source in (
        _iter_json_ld_authors(page),
        _iter_meta_authors(page),
        _iter_author_elements(page),
        _iter_byline_authors(page, lines),
        _iter_author_links(page),
    ):
        names: dict[str, str] = {}
        for name in islice(source, MAX_AUTHORS):
            names.setdefault(name.casefold(), name)
        if names:
            return tuple(names.values())
    return ()


def _iter_json_ld_authors(page: Page) -> Iterator[str]:
    for thing in _iter_works(page):
        if "headline" in thing or "articleBody" in thing or "datePublished" in thing:
            for text in map(unescape_text, _iter_json_ld_names(thing.get("author"))):
                label = _AUTHOR_LABEL.match(text)
                name = text[label.end() :] if label else text
                if _is_name(name) or _is_user_name(name):
                    yield name


def _iter_works(page: Page) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON-LD, each followed by what it is mainly about, as a question."""
    for thing in page.metadata.jsonld_objects:
        yield thing
        if isinstance(thing.get("mainEntity"), dict):
            yield thing["mainEntity"]


def _iter_json_ld_names(author: Any) -> Iterator[str]:
    """Yield the names in an author of JSON-LD: a name, an object with one, or a list of these."""
    authors = author[:MAX_AUTHORS] if isinstance(author, list) else [author]
    for item in authors:
        name = item.get("name") if isinstance(item, dict) else item
        names = name[:MAX_AUTHORS] if isinstance(name, list) else [name]
        yield from (text for text in names if isinstance(text, str))


def _iter_meta_authors(page: Page) -> Iterator[str]:
    contents = page.metadata.meta_contents
    for name in _AUTHOR_METAS:
        for text in contents.get(name, ()):
            if _is_user_name(text):
                yield text
            else:
                yield from _split_names(text)
    if contents.get("twitter:label1", [""])[0].casefold() in ("written by", "author"):
        yield from _split_names(contents.get("twitter:data1", [""])[0])


def _iter_author_elements(page: Page) -> Iterator[str]:
    """Yield the names in elements with ``rel`` or ``itemprop`` of an author.

    If there are many, they are those of posts or comments, and only the first one counts.
    """
    found = {
        node
        for name in ("rel", "itemprop")
        for node, value in page.find_attribute(name).items()
        if value.strip() == "author"
    }
    marked = [
        node for node in sorted(found) if page.count_texts(node) <= MAX_TEXTS_IN_AUTHOR_ELEMENT
    ]
    is_thread = len({page.text(node) for node in marked}) > MAX_AUTHOR_ELEMENTS
    for node in marked:
        end = min(page.tree.ends[node], node + MAX_NODES_IN_AUTHOR_ELEMENT)
        inside = range(node + 1, end)
        named = (kid for kid in inside if page.get_attribute(kid, "itemprop") == "name")
        names = list(_split_names(page.text(next(named, node))))
        yield from names
        if names and is_thread:
            return


def _iter_author_links(page: Page) -> Iterator[str]:
    """Yield the names in links to the pages of authors, unless there are many of them."""
    texts = {
        node: page.text(node)
        for node, url in enumerate(page.node_urls)
        if url and page.count_texts(node) == 1 and _AUTHOR_URL.search(url[:MAX_URL_LENGTH])
    }
    if len(set(texts.values())) <= MAX_AUTHOR_ELEMENTS:
        for text in texts.values():
            if " " in text:
                yield from _split_names(text)


def _iter_byline_authors(page: Page, lines: Iterable[Block]) -> Iterator[str]:
    """Yield the names after a word such as "by", or in an element with the class of a byline."""
    for label, block in pairwise(lines):
        names = list(_split_names(block.text))
        if _LONE_LABEL.fullmatch(label.text) and label.start < block.start and names:
            yield from names
            return
    for block in lines:
        owners = (block.owner, page.text_parents[block.start])
        classes = [page.get_attribute(owner, "class") or "" for owner in owners]
        is_byline = any(map(_BYLINE_NAMES.search, classes))
        for text in (*(page.texts[text_node] for text_node in block.text_nodes), block.text):
            names = list(_split_names(text)) if is_byline or BYLINE_START.match(text) else []
            if names:
                yield from names
                return


def _split_names(text: str) -> Iterator[str]:
    """Yield the names of the people in a text."""
    text = unescape_text(text[: MAX_AUTHORS * MAX_NAME_LENGTH])
    start = BYLINE_START.match(text) or _AUTHOR_LABEL.match(text)
    for part in _NAME_SEPARATOR.split(text[start.end() :] if start else text):
        name = _AFTER_NAME.sub("", part).strip(" ,;:|-–—")
        name = name if _FINAL_INITIAL.search(name) else name.rstrip(".")
        if _is_name(name):
            yield name


def _is_user_name(text: str) -> bool:
    """Tell whether a text may be the name of an account, which may be in lower case."""
    return (
        _USER_NAME.fullmatch(text) is not None
        and text.casefold() not in _NOT_A_PERSON
        and _NOT_IN_NAME.search(text) is None
        and _DOMAIN.search(text) is None
    )


def _is_name(text: str) -> bool:
    """Tell whether a text may be a name: no address, no sentence, no digits, no other word."""
    if not text or len(text) > MAX_NAME_LENGTH or len(text.split()) > MAX_NAME_WORDS:
        return False
    if _NOT_IN_NAME.search(text) or _DOMAIN.search(text) or text.casefold() in _NOT_A_PERSON:
        return False
    return text.isprintable() and text[0].isalpha() and not text[0].islower()
