"""Which of a page's lists is the one that a person would call the page's list.

The papers leave this open (MDR gives all lists). Four facts decide, each with a round figure that was not tuned: the
measured scores change little around them (docs/quality.md).

- the amount of text in the records: the list is what the page was made for;
- text that is a link counts a fifth: menus are links and nothing else;
- a pair is weak evidence for a list: n records count (1 - 1/n)²;
- a list inside nav, header, footer or aside counts a quarter: the page's author says that it is not the content.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from unweave.page.page import Page
from unweave.records.region import Listing

_LINK_WORTH = 0.2
_ASIDE_WORTH = 0.25
_ASIDE = frozenset(["nav", "header", "footer", "aside"])


def rank(page: Page, listings: Iterable[Listing]) -> list[tuple[float, Listing]]:
    """The lists that have text, best first, each with a score from 0 to 1; of equal ones the first on the page."""
    letters = _Letters(page)
    scored = [(_score(page, listing, letters), listing) for listing in listings]
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def _score(page: Page, listing: Listing, letters: _Letters) -> float:
    worth = sum(letters.worth(page.chunks(node)) for node in listing.nodes)
    asides = sum(page.tree.labels[node] in _ASIDE for node in page.tree.ancestors(listing.nodes[0]))
    return letters.share(worth) * (1 - 1 / len(listing.records)) ** 2 * _ASIDE_WORTH**asides


class _Letters:
    """Sums of letters over runs of text chunks, linked ones discounted."""

    def __init__(self, page: Page) -> None:
        worths = [float(len(text)) for text in page.texts]
        beyond = 0
        for node, label in enumerate(page.tree.labels):
            if label == "a" and node >= beyond:
                beyond = page.tree.ends[node]  # drawings may nest links
                for chunk in page.chunks(node):
                    worths[chunk] *= _LINK_WORTH
        self._sums = list(accumulate(worths, initial=0.0))
        self._letters = sum(map(len, page.texts))

    def worth(self, chunks: range) -> float:
        return self._sums[chunks.stop] - self._sums[chunks.start]

    def share(self, worth: float) -> float:
        return worth / self._letters if self._letters else 0.0
