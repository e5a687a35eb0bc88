"""What the head of a document calls its page, with and without the name of the site."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Iterator

from unweave.page.page import Page

_WORD = re.compile(r"\w+")
_SEPARATOR = re.compile(r"\s+[|–—:»«·•/\\>-]+\s+|\s*[|»]\s*|:\s+")
_MOST_SEPARATORS = 8
_LONGEST_NAME = 500
_SOCIAL = ("og:title", "twitter:title")
_OTHER_METAS = ("headline", "title", "dc.title", "hdl")

Terms = Counter[str]


def as_shown(text: str) -> str:
    """A text of a page's data as a reader would see it: on one line, with characters for their names."""
    return " ".join(html.unescape(text).split())


def terms(text: str) -> Terms:
    """The words of a text with how often it has them, in one case."""
    return Counter(_WORD.findall(text.casefold()))


def likeness(one: Terms, other: Terms) -> float:
    """The share of words that two texts have in common, from 0 to 1."""
    both = (one & other).total()
    return 2 * both / (one.total() + other.total()) if both else 0.0


def variants(text: str) -> Iterator[str]:
    """A text, and every run of its parts between separators: which part names the site, nobody says."""
    marks = list(_SEPARATOR.finditer(text))[:_MOST_SEPARATORS]
    starts = [0, *(mark.end() for mark in marks)]
    stops = [*(mark.start() for mark in marks), len(text)]
    yield text
    for start in starts:
        yield from (text[start:stop] for stop in reversed(stops) if start < stop and stop - start < len(text))


class Names:
    """The names that a page's head gives it, as far as they are its own."""

    def __init__(self, page: Page, shared: Collection[str] = ()) -> None:
        self.document = page.title[:_LONGEST_NAME]
        self.social = page.metadata.first(*_SOCIAL)[:_LONGEST_NAME]
        self.headline = next(_headlines(page), "")[:_LONGEST_NAME]
        self.whole = [name for name in (self.headline, self.social, self.document) if name and name not in shared]
        metas = [page.metadata.first(*_OTHER_METAS)[:_LONGEST_NAME]]
        found = [part for name in [*self.whole, *metas] for part in variants(name) if part and part not in shared]
        self.all = {part: terms(part) for part in dict.fromkeys(found)}
        """Every name and its parts, with their words."""
        self._words = {word for words in self.all.values() for word in words}
        self._social_terms, self._headline_terms = terms(self.social), terms(self.headline)

    def likeness(self, own: Terms) -> float:
        """How like these words are to the name that is most like them."""
        if self._words.isdisjoint(own):
            return 0.0
        return max(likeness(own, words) for words in self.all.values())

    def social_likeness(self, own: Terms) -> float:
        """How like these words are to the name that is meant for other sites."""
        return likeness(own, self._social_terms)

    def headline_likeness(self, own: Terms) -> float:
        """How like these words are to the headline that the page's data gives."""
        return likeness(own, self._headline_terms)


def _headlines(page: Page) -> Iterator[str]:
    for thing in page.metadata.things:
        if isinstance(thing.get("headline"), str):
            yield as_shown(thing["headline"])
