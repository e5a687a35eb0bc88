"""The lists of a page, best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from unweave.page.page import Page
from unweave.records import ctvs, depta
from unweave.records.auto.candidates import Spans, candidates
from unweave.records.auto.outline import Outline
from unweave.records.auto.signals import Signals, weigh
from unweave.records.auto.weights import NEVER, ODDS, WEIGHTS, WORTH
from unweave.records.region import Listing

# A further list shares less than this with those that are taken.
_MOST_SHARED = 0.3
_MOST_LISTS = 5
# Two lists are of the same text if they share so much of it.
_SAME_TEXT = 0.8
_TINY = 1e-6


def ranked(page: Page) -> list[tuple[float, Listing]]:
    """The lists of a page, best first, each with a score from 0 to 1; what they have in common is given once."""
    outline = Outline(page)
    by_tree = depta.find(page)
    found, rows = signals(outline, by_tree)
    torn = [listing for listing in by_tree if not outline.is_in_one_piece(listing)]
    best_first = _best_first(outline, found, weigh(rows, WEIGHTS))
    return [(score, _torn(outline, listing, torn)) for score, listing in best_first]


def signals(outline: Outline, by_tree: Sequence[Listing]) -> tuple[dict[Spans, Listing], list[list[float]]]:
    """The candidates of a page, and what speaks for and against each. ``by_tree`` are the lists that DEPTA finds."""
    page = outline.page
    by_value = ctvs.find(page)
    sections = ctvs.sections(page, by_value)
    known = [*(listing for _, listing in sections), *by_value, *by_tree]
    found = candidates(outline, filter(outline.is_in_one_piece, known))
    best = sections[0][1] if sections else None
    return found, Signals(outline, found, by_value, best).all()


def _torn(outline: Outline, listing: Listing, torn: Sequence[Listing]) -> Listing:
    """The list, or that of smaller records that the same text makes if the parts of each stand in several rows."""
    texts = outline.texts(listing)
    for other in torn:
        own = outline.texts(other)
        if len(other.records) > len(listing.records) and len(own & texts) > _SAME_TEXT * len(own | texts):
            return other
    return listing


def _best_first(outline: Outline, found: Mapping[Spans, Listing], worths: Sequence[float]) -> list[tuple[float, Listing]]:
    order = sorted(zip(worths, found.items(), strict=True), key=lambda entry: (-entry[0], entry[1][0]))
    score = _Score(worths)
    taken = [False] * len(outline.page.texts)
    lists: list[tuple[float, Listing]] = []
    for worth, (spans, listing) in order:
        texts = [text for start, stop in spans for text in range(start, stop)]
        if sum(taken[text] for text in texts) < _MOST_SHARED * len(texts):
            own = score.of(worth)
            lists.append((min(own, 1 - lists[0][0]) if lists else own, listing))
            for text in texts:
                taken[text] = True
        if len(lists) == _MOST_LISTS:
            break
    return lists


class _Score:
    """How likely a list is right: of those with 0.9, nine in ten are."""

    def __init__(self, worths: Sequence[float]) -> None:
        self._most = max(worths, default=0.0)
        self._sum = sum(math.exp(worth - self._most) for worth in worths)

    def of(self, worth: float) -> float:
        """By its worth, and by its odds against the other candidates of the page."""
        share = math.exp(worth - self._most) / self._sum
        odds = math.log(share + _TINY) - math.log(1 - share + _TINY)
        return 1 / (1 + math.exp(-(ODDS * odds + WORTH * worth + NEVER)))
