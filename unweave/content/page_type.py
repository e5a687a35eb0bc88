"""The type of a page: an article, a forum, a product, or what else it shows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from unweave.content.block_features import PageBlocks, split_names
from unweave.content.blocks import MIN_SENTENCE_WORDS
from unweave.page.page import Page
from unweave.scoring.additive import AdditiveModel
from unweave.scoring.model import read_model_file

PAGE_TYPES = (
    "article",
    "documentation",
    "service",
    "forum",
    "collection",
    "listing",
    "product",
)
"""A collection shows products, a listing anything else; a service page presents what is offered."""


_ARTICLE_FACTOR = 0.4
"""The model is fitted to sets of news, too: this makes up for so many articles."""


class PageTypeFeatures(NamedTuple):
    """The numbers that describe a page as a whole."""

    words: float
    blocks: float
    linked: float
    prose_share: float
    prose_words: float
    prose_blocks: float
    mean_prose: float
    longest_prose: float
    prices: float
    price_share: float
    dates: float
    date_share: float
    headings: float
    heading_share: float
    code: float
    tables: float
    table_rows: float
    list_items: float
    list_item_share: float
    paragraphs: float
    articles: float
    images: float
    image_share: float
    inputs: float
    buttons: float
    definitions: float
    times: float
    sections: float
    most_records: float
    share_in_records: float
    share_in_many_records: float
    body_words: float
    """The logarithm of the words of the body that an article would have."""
    body_share: float


_WORD = re.compile(r"[a-z]{2,}")
_MAX_TITLE_WORDS, _MAX_URL_WORDS, _MAX_DEPTH = 30, 12, 5
_MAX_JSONLD_VALUES = 500
_LINK = re.compile(
    r"\s*(?:(?:https?:)?//(?:www\.)?([^/?#]*)|(?![a-z][a-z+.-]*:))([^?#]*)", re.ASCII
)
"""The host and the path of a link; not of one for mail and the like."""
_MAX_LINK_LENGTH, _MAX_LINK_SEGMENTS, _MAX_SEGMENT_WORDS = 200, 2, 3


def describe_page(described: PageBlocks) -> PageTypeFeatures:
    """Return the features of a page."""
    page = described.page
    tags = Counter(page.tree.labels)
    total = sum([block.words for block in described.blocks]) or 1.0
    count = len(described.blocks) or 1
    linked = in_records = in_many_records = prices = dates = most_records = 0.0
    prose: list[float] = []
    for block, text, element in zip(
        described.blocks, described.texts, described.element_numbers, strict=True
    ):
        words = block.words
        linked += words * block.linked
        prices += text.has_price
        dates += text.has_date
        if words > MIN_SENTENCE_WORDS and block.linked < 1 / 2 and text.ending:
            prose.append(words)
        records = described.elements[element].record_count
        most_records = max(most_records, records)
        if records >= 4:
            in_records += words
        if records >= 8:
            in_many_records += words
    in_body = sum(
        [
            block.words
            for block, place in zip(described.blocks, described.places, strict=True)
            if place.body > 1
        ]
    )
    headings = tags["h2"] + tags["h3"] + tags["h4"]
    return PageTypeFeatures(
        math.log1p(total),
        math.log1p(count),
        linked / total,
        sum(prose) / total,
        math.log1p(sum(prose)),
        len(prose) / count,
        sum(prose) / (len(prose) or 1),
        max(prose, default=0.0),
        prices,
        prices / count,
        dates,
        dates / count,
        headings,
        headings / count,
        tags["pre"] + tags["code"],
        tags["table"],
        tags["tr"],
        tags["li"],
        tags["li"] / count,
        tags["p"],
        tags["article"],
        tags["img"],
        tags["img"] / count,
        tags["input"],
        tags["button"],
        tags["dl"] + tags["dt"],
        tags["time"],
        tags["section"],
        most_records,
        in_records / total,
        in_many_records / total,
        math.log1p(in_body),
        in_body / total,
    )


def list_page_words(described: PageBlocks, page: Page | None = None) -> dict[str, list[str]]:
    """Return the words that tell the type of a page, by place.

    ``page`` has the metadata and the address, if the blocks are not of the page itself.
    """
    page = page or described.page
    head = [f"title:{word}" for word in _WORD.findall(page.title.lower())[:_MAX_TITLE_WORDS]]
    metadata = page.metadata
    for name in ("og:type", "generator", "twitter:card"):
        head.extend(
            [f"{name}:{word}" for word in _WORD.findall(metadata.find_first(name).lower())[:4]]
        )
    head.extend(_list_jsonld_types(metadata.jsonld_objects))
    url = metadata.links.get("canonical") or metadata.find_first("og:url")
    head.extend(_list_url_words(url))
    names: set[str] = set()
    for found in set(described.names.values()):
        names.update(found)
    for node, label in enumerate(page.tree.labels[:_MAX_DEPTH]):
        if label in ("html", "body"):
            classes = page.get_attribute(node, "class") or ""
            words = split_names(label, classes, page.get_attribute(node, "id") or "")
            names.update([f"page:{word}" for word in words])
    phrases = {phrase for found in set(described.phrases) for phrase in found}
    return {
        "head": [*dict.fromkeys(head)],
        "names": sorted(names),
        "phrases": sorted(phrases),
        "links": sorted(_list_link_words(described.page, url)),
    }


def _list_jsonld_types(objects: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the types of the JSON-LD objects and of those directly inside."""
    found: list[str] = []
    pending: list[tuple[Any, int]] = [(value, 0) for value in reversed(objects)]
    seen = 0
    while pending and seen < _MAX_JSONLD_VALUES:
        value, depth = pending.pop()
        seen += 1
        if isinstance(value, list):
            pending.extend([(inner, depth) for inner in value[:20]])
        elif isinstance(value, Mapping):
            types = value.get("@type")
            found.extend(
                [
                    f"jsonld{depth}:{name[:40]}"
                    for name in (types if isinstance(types, list) else [types])
                    if isinstance(name, str)
                ]
            )
            if depth < 2:
                inside = [each for each in value.values() if isinstance(each, Mapping | list)]
                pending.extend([(each, depth + 1) for each in inside])
    return found


def _list_url_words(url: str) -> list[str]:
    """Return the words of an address, and how deep its path is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    if not url:
        return []
    path = parts.path.strip("/")
    depth = min(5, path.count("/") + 1) if path else 0
    return [
        f"depth:{depth}",
        *[f"host:{word}" for word in _WORD.findall(parts.netloc.lower())],
        *[f"path:{word}" for word in _WORD.findall(path.lower())[:_MAX_URL_WORDS]],
    ]


def _list_link_words(page: Page, url: str) -> set[str]:
    """Return the words in the paths of the links of a page, by their place in the path.

    ``url`` is the address of the page; a link may be to the page itself, or below it.
    """
    own = _LINK.match(url.lower()[:_MAX_LINK_LENGTH])
    own_host, own_path = (own[1] or "", own[2].strip("/")) if own else ("", "")
    words: set[str] = set()
    for link in set(page.find_attribute("href").values()):
        match = _LINK.match(link.lower()[:_MAX_LINK_LENGTH])
        if match is None:
            continue
        host, path = match[1], match[2].strip("/")
        if host and host != own_host:
            words.add("external")
            continue
        segments = path.split("/") if path else []
        words.add(f"depth:{min(_MAX_DEPTH, len(segments))}")
        if own_path and path.startswith(own_path):
            words.add("below" if len(path) > len(own_path) else "same")
        for place, segment in enumerate(segments[:_MAX_LINK_SEGMENTS]):
            found = _WORD.findall(segment)
            if len(found) <= _MAX_SEGMENT_WORDS:
                words.update([f"{place}:{word}" for word in found])
    return words


def load_model() -> AdditiveModel:
    """Return the model that bench/text.py fitted."""
    data = read_model_file("unweave.content", "page_type_model.json")
    return AdditiveModel.from_json(data, PageTypeFeatures._fields, len(PAGE_TYPES))


def compute_type_probabilities(
    model: AdditiveModel, features: PageTypeFeatures, words: Mapping[str, Sequence[str]]
) -> list[float]:
    """Return the probability of each type of page."""
    scores = model.score_profiles(features, words)
    highest = max(scores)
    exponentials = [math.exp(score - highest) for score in scores]
    total = sum(exponentials)
    return [value / total for value in exponentials]


def choose_type(probabilities: Sequence[float]) -> tuple[str, float]:
    """Return the type of a page and how likely it is, given what the model gives for each type."""
    weights = [
        probability * _ARTICLE_FACTOR if kind == "article" else probability
        for kind, probability in zip(PAGE_TYPES, probabilities, strict=True)
    ]
    number = max(range(len(weights)), key=weights.__getitem__)
    return PAGE_TYPES[number], weights[number] / sum(weights)
