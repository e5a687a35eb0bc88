"""Markup as a list of tags and texts, so that elements can be cut, moved and repeated quickly.

Markup is a str with one character per byte (Latin-1), so that its encoding is not changed. No
parser is used: what is not well-formed stays as it is.
"""

from __future__ import annotations

import re
from random import Random

Tokens = list[str]
Span = tuple[int, int]
"""The first token of an element, and the one after its last."""

VOID_TAGS = frozenset("area base br col embed hr img input link meta source track wbr".split())

_TOKEN = re.compile(r"<!--.*?-->|<[^<>]*>|[^<]+|<", re.DOTALL)
_TAG_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)")


def tokenize(markup: str) -> Tokens:
    """Return the tags, comments and texts of markup; joined, they are the markup again."""
    return _TOKEN.findall(markup)


def get_tag_name(token: str) -> str:
    """Return the lower-case tag name of a token, or an empty string for a text or a comment."""
    match = _TAG_NAME.match(token)
    return match[1].lower() if match else ""


def is_text(token: str) -> bool:
    """Tell whether a token is a text that is not blank."""
    return not token.startswith("<") and not token.isspace()


def find_elements(tokens: Tokens) -> list[Span]:
    """Return the spans of all elements that have an end tag, inner ones before outer ones."""
    spans: list[Span] = []
    open_tags: list[tuple[str, int]] = []
    for position, token in enumerate(tokens):
        name = get_tag_name(token)
        if not name or name in VOID_TAGS or token.endswith("/>"):
            continue
        if not token.startswith("</"):
            open_tags.append((name, position))
            continue
        for depth in range(len(open_tags) - 1, -1, -1):
            if open_tags[depth][0] == name:
                spans.append((open_tags[depth][1], position + 1))
                del open_tags[depth:]
                break
    return spans


def trim(markup: str, max_chars: int, random: Random) -> str:
    """Drop random elements, then the end, until markup has at most ``max_chars`` characters."""
    tokens = tokenize(markup)
    for _ in range(60):
        excess = sum(map(len, tokens)) - max_chars
        if excess <= 0:
            break
        spans = find_elements(tokens)
        sizes = [sum(map(len, tokens[start:stop])) for start, stop in spans]
        small = [
            span
            for span, size in zip(spans, sizes, strict=True)
            if excess / 12 <= size <= 1.3 * excess
        ]
        if not small:
            break
        start, stop = random.choice(small)
        del tokens[start:stop]
    return "".join(tokens)[:max_chars]
