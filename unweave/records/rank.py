"""Which of a page's lists is the one that a person would call the page's list.

The papers leave this open (MDR gives all lists). Five facts decide, each with a round figure that was not tuned: the
measured scores change little around them (docs/quality.md).

- the amount of text in the records: the list is what the page was made for;
- of a record, no more than a long paragraph counts: a list of three articles is not worth thirty products;
- text that is a link counts a fifth: menus are links and nothing else;
- a pair is weak evidence for a list: n records count (1 - 1/n)²;
- a list inside nav, header, footer, aside or select counts a quarter: the page's author says that it is not the content.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from unweave.page.page import Page
from unweave.records.region import Listing, Record

_LINK_WORTH = 0.2
_PARAGRAPH = 400
_ASIDE_WORTH = 0.25
_ASIDE = frozenset(["nav", "header", "footer", "aside", "select"])


def rank(page: Page, listings: Iterable[Listing]) -> list[tuple[float, Listing]]:
    """The lists that have text, best first, each with a score from 0 to 1; of equal ones the first on the page."""
    letters = _Letters(page)
    scored = [(_score(page, listing, letters), listing) for listing in listings]
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def _score(page: Page, listing: Listing, letters: _Letters) -> float:
    asides = sum(page.tree.labels[node] in _ASIDE for node in page.tree.ancestors(listing.records[0][0]))
    return letters.share(listing.records) * (1 - 1 / len(listing.records)) ** 2 * _ASIDE_WORTH**asides


class _Letters:
    """How much of a page's text stands in records, linked text discounted."""

    def __init__(self, page: Page) -> None:
        self._first, self._stop = page.first_chunks, page.stop_chunks
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
        """The share of the page's letters, as far as they count, that stand in these records."""
        if not self._letters:
            return 0.0
        first, stop, sums = self._first, self._stop, self._sums
        worths = [sum([sums[stop[node]] - sums[first[node]] for node in record]) for record in records]
        return sum([min(worth, _PARAGRAPH) for worth in worths]) / self._letters
