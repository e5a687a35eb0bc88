"""Which of a page's lists is the one that a person would call the page's list.

The papers leave this open (MDR gives all lists). Five facts decide, the last four with round figures that were not tuned:
the measured scores change little around them (docs/quality.md).

- the share of the page's letters in the records: the list is what the page was made for;
- of a record, no more than a long paragraph counts: a list of three articles is not worth thirty products;
- text that is a link counts a fifth: menus are links and nothing else;
- a pair is weak evidence for a list: n records count (1 - 1/n)²;
- a list counts a quarter for each nav, header, footer, aside or select around it: the page's author says that it is not
  the content.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Protocol

from unweave.lists.items import Items, slice_within, textless_items
from unweave.lists.listing import Listing, RankedLists, Record
from unweave.page.page import Page

_LINK_WORTH = 0.2
_PARAGRAPH = 400
_ASIDE_WORTH = 0.25
_ASIDE = frozenset(["nav", "header", "footer", "aside", "select"])


def rank(page: Page, listings: Iterable[Listing]) -> RankedLists:
    """Return the lists that have text, best first, each with a score from 0 to 1; of equal ones the first on the page."""
    return _best_first(_scored(page, listings, _Letters(page)))


def rank_with_pictures(page: Page, listings: Iterable[Listing]) -> RankedLists:
    """Return the same, and lists of pictures or of links without text, too.

    In a list without text, each of its pictures and links counts as one letter.
    """
    scored = _scored(page, listings, _Letters(page))
    textless = [listing for score, listing in scored if not score]
    return _best_first(scored + _scored(page, textless, _Pictures(page)) if textless else scored)


def _scored(page: Page, listings: Iterable[Listing], content: _Content) -> RankedLists:
    return [(_score(page, listing, content), listing) for listing in listings]


def _best_first(scored: RankedLists) -> RankedLists:
    """Return the lists with a score above 0, best first."""
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def _score(page: Page, listing: Listing, content: _Content) -> float:
    asides = sum(
        page.tree.labels[node] in _ASIDE for node in page.tree.ancestors(listing.records[0][0])
    )
    return (
        content.share(listing.records) * (1 - 1 / len(listing.records)) ** 2 * _ASIDE_WORTH**asides
    )


class _Content(Protocol):
    """What there is on a page."""

    def share(self, records: Iterable[Record]) -> float:
        """Return the share of it that stands in these records."""


class _Letters:
    """How much of a page's text stands in records, linked text discounted."""

    def __init__(self, page: Page) -> None:
        self._first, self._stop = page.text_starts, page.text_ends
        worths = [float(len(text)) for text in page.texts]
        self._letters = sum(worths)
        beyond = 0
        for node in [node for node, label in enumerate(page.tree.labels) if label == "a"]:
            if node >= beyond:
                beyond = page.tree.ends[node]  # drawings may nest links
                for chunk in range(self._first[node], self._stop[node]):
                    worths[chunk] *= _LINK_WORTH
        self._sums = list(accumulate(worths, initial=0.0))

    def share(self, records: Iterable[Record]) -> float:
        """Return the share of the page's letters, as far as they count, that stand in these records."""
        if not self._letters:
            return 0.0
        first, stop, sums = self._first, self._stop, self._sums
        worths = [
            sum([sums[stop[node]] - sums[first[node]] for node in record]) for record in records
        ]
        return sum([min(worth, _PARAGRAPH) for worth in worths]) / self._letters


class _Pictures:
    """How many of a page's letters and pictures are pictures, or links without text, in records."""

    def __init__(self, page: Page) -> None:
        address = Items(page).address
        self._nodes = [node for node in textless_items(page) if address(node)]
        self._ends = page.tree.ends
        self._all = len(self._nodes) + sum(map(len, page.texts))

    def share(self, records: Iterable[Record]) -> float:
        """Return the share of all letters and pictures of the page that are pictures in these records."""
        inside = [
            slice_within(self._nodes, node, self._ends[node])
            for record in records
            for node in record
        ]
        return sum(map(len, inside)) / max(1, self._all)
