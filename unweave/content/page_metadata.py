"""What a page declares about itself: its site, language, description, tags, image and address.

Each is read from JSON-LD, Open Graph, other meta elements, link elements and microdata, whichever
comes first in the order of the functions here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from unweave.content.byline import unescape_text
from unweave.content.content_urls import resolve_link
from unweave.page.page import Page

MAX_TAGS = 50
MAX_TAG_LENGTH = 100
MAX_OBJECTS = 1_000
"""The objects of JSON-LD, with those inside others, that are looked at."""

_SITE_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title", "twitter:domain")
_DESCRIPTION_METAS = (
    "og:description",
    "description",
    "twitter:description",
    "dc.description",
    "dcterms.description",
)
_TAG_METAS = ("article:tag", "og:video:tag", "parsely-tags", "sailthru.tags", "news_keywords")
_IMAGE_METAS = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "thumbnail")
_MAIN_TYPES = re.compile(
    "(?:Article|Posting|Report|Review|Recipe|Product|Event|Course|Book|Movie|Event|Question"
    "|Dataset|SoftwareApplication|CreativeWork|JobPosting)$"
)
_TAG_SEPARATOR = re.compile(r"\s*[,;|]\s*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}")


def find_site_name(page: Page) -> str | None:
    """Return the name of the site: declared, that of the WebSite, or that of the publisher."""
    metadata = page.metadata
    if name := metadata.find_first(*_SITE_METAS[:2]):
        return unescape_text(name)
    for thing in _iter_objects(page):
        if "WebSite" in _list_types(thing) and isinstance(thing.get("name"), str):
            return unescape_text(thing["name"]) or None
    for thing in _iter_objects(page):
        publisher = thing.get("publisher")
        text = publisher.get("name") if isinstance(publisher, dict) else publisher
        if isinstance(text, str) and text.strip():
            return unescape_text(text)
    return unescape_text(metadata.find_first(*_SITE_METAS[2:])) or None


def find_language(page: Page) -> str | None:
    """Return the language that the page declares, as a tag such as "en-US"."""
    declared = [page.language, *_iter_main_texts(page, "inLanguage")]
    for text in declared:
        if match := _LANGUAGE.match(text.strip()):
            language, *others = match[0].replace("_", "-").split("-")
            parts = [part.upper() if len(part) == 2 else part for part in others]
            return "-".join([language.lower(), *parts])
    return None


def find_description(page: Page) -> str | None:
    """Return the description of the page, on one line."""
    declared = page.metadata.find_first(*_DESCRIPTION_METAS)
    texts = [declared] if declared else _iter_main_texts(page, "description")
    return next((text for text in map(unescape_text, texts) if text), None)


def find_tags(page: Page) -> tuple[str, ...]:
    """Return the tags or keywords of the page, each once."""
    contents = page.metadata.meta_contents
    sources: list[Iterable[str]] = [
        (text for name in _TAG_METAS for text in contents.get(name, ())),
        _iter_main_texts(page, "keywords"),
        contents.get("keywords", ()),
        _iter_tag_links(page),
    ]
    for source in sources:
        tags: dict[str, str] = {}
        for text in islice(source, MAX_TAGS):
            for part in _TAG_SEPARATOR.split(unescape_text(text[: MAX_TAGS * MAX_TAG_LENGTH])):
                if 0 < len(part) <= MAX_TAG_LENGTH:
                    tags.setdefault(part.casefold(), part)
        if tags:
            return tuple(tags.values())[:MAX_TAGS]
    return ()


def find_main_image(page: Page) -> str | None:
    """Return the absolute URL of the image that stands for the page."""
    contents = page.metadata.meta_contents
    for name in _IMAGE_METAS:
        for text in contents.get(name, ()):
            if url := resolve_link(page, text, is_image=True):
                return url
    candidates = [*_iter_main_urls(page, "image"), page.metadata.links.get("image_src", "")]
    resolved = (resolve_link(page, url, is_image=True) for url in candidates)
    return next((url for url in resolved if url), None)


def find_canonical_url(page: Page) -> str | None:
    """Return the absolute URL that the page declares as its own, else the one it was read from."""
    declared = (
        page.metadata.links.get("canonical"),
        page.metadata.find_first("og:url"),
    )
    for url in declared:
        resolved = resolve_link(page, url, is_image=True)
        if resolved and resolved.startswith(("http://", "https://")):
            return resolved
    return page.url


# ---- JSON-LD and links ---------------------------------------------------------------------------


def _iter_objects(page: Page) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON-LD, and the main entities inside them."""
    for thing in islice(page.metadata.jsonld_objects, MAX_OBJECTS):
        yield thing
        for name in ("mainEntity", "mainEntityOfPage", "isPartOf"):
            if isinstance(thing.get(name), dict):
                yield thing[name]


def _list_types(thing: dict[str, Any]) -> list[str]:
    types = thing.get("@type")
    return [name for name in (types if isinstance(types, list) else [types]) if type(name) is str]


def _iter_main_texts(page: Page, name: str) -> Iterator[str]:
    """Yield the texts of a property: of articles, products and the like, then of all objects."""
    others: list[str] = []
    for thing in _iter_objects(page):
        value = thing.get(name)
        values = value[:MAX_TAGS] if isinstance(value, list) else [value]
        texts = [
            text
            for item in values
            if isinstance(text := item.get("name") if isinstance(item, dict) else item, str)
        ]
        if any(map(_MAIN_TYPES.search, _list_types(thing))):
            yield from texts
        else:
            others += texts
    yield from others


def _iter_main_urls(page: Page, name: str) -> Iterator[str]:
    """Yield the URLs of a property of articles, products and the like."""
    for thing in _iter_objects(page):
        if not any(map(_MAIN_TYPES.search, _list_types(thing))):
            continue
        value = thing.get(name)
        for item in value[:MAX_TAGS] if isinstance(value, list) else [value]:
            url = item.get("url") or item.get("@id") if isinstance(item, dict) else item
            if isinstance(url, str):
                yield url


def _iter_tag_links(page: Page) -> Iterator[str]:
    """Yield the texts of links to tags, as programs for blogs mark them."""
    for node, relations in page.find_attribute("rel").items():
        if "tag" in relations.casefold().split() and page.tree.labels[node] == "a":
            yield page.text(node)[:MAX_TAG_LENGTH]
