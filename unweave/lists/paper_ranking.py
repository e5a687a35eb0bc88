"""Ranking for the methods of papers: which of a page's lists a person would call the page's list.

The papers leave this open (MDR gives all lists). The score of a list is the share of the page's
text in its records, with four corrections. Their figures are round and were not tuned: the
measured results change little around them (docs/explanation/quality.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from unweave.lists.listing import (
    Listing,
    RankedLists,
    Record,
    find_textless_items,
    read_address,
    slice_nodes,
)
from unweave.page.boilerplate import LIST_BOILERPLATE_TAGS
from unweave.page.page import Page


@dataclass(frozen=True, slots=True)
class TextShareWeights:
    """The corrections of the share of text.

    A fourth one has no parameter: pairs are weak evidence, so n records count (1 - 1/n)².
    """

    linked_text: float = 0.2
    """The weight of linked text: menus consist of links."""
    max_record_length: int = 400
    """The most characters of a record that count, a long paragraph: three articles are no better
    list than thirty products."""
    boilerplate: float = 0.25
    """The factor for each element around the list that the author marked as no main content."""


_WEIGHTS = TextShareWeights()

MeasureShare = Callable[[Sequence[Record]], float]
"""Returns the share of a page's content that is in these records."""


def rank_by_text(page: Page, listings: Iterable[Listing]) -> RankedLists:
    """Return the lists that have text, best first, each with a score from 0 to 1.

    Lists with equal scores stay in their order.
    """
    return _sort_lists(_score_lists(page, listings, _make_text_measure(page)))


def rank_by_text_and_images(page: Page, listings: Iterable[Listing]) -> RankedLists:
    """Return the lists as ``rank_by_text`` does, and lists of images or links without text, too.

    In a list without text, each of its images and links counts as one character.
    """
    scored = _score_lists(page, listings, _make_text_measure(page))
    textless = [listing for score, listing in scored if not score]
    if textless:
        scored += _score_lists(page, textless, _make_image_measure(page))
    return _sort_lists(scored)


def _score_lists(
    page: Page, listings: Iterable[Listing], measure_share: MeasureShare
) -> RankedLists:
    scored: RankedLists = []
    for listing in listings:
        records = listing.records
        ancestors = page.tree.ancestors(records[0][0])
        levels = sum(page.tree.labels[node] in LIST_BOILERPLATE_TAGS for node in ancestors)
        score = measure_share(records) * (1 - 1 / len(records)) ** 2 * _WEIGHTS.boilerplate**levels
        scored.append((score, listing))
    return scored


def _sort_lists(scored: RankedLists) -> RankedLists:
    """Return the lists with a score above 0, best first."""
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def _make_text_measure(page: Page) -> MeasureShare:
    """Return a function that measures the share of the page's text, with the corrections."""
    starts, stops = page.text_starts, page.text_ends
    lengths = [float(len(text)) for text in page.texts]
    page_length = sum(lengths)
    link_end = 0
    for node, label in enumerate(page.tree.labels):
        if label == "a" and node >= link_end:  # the layout may nest links
            link_end = page.tree.ends[node]
            for text in range(starts[node], stops[node]):
                lengths[text] *= _WEIGHTS.linked_text
    sums = list(accumulate(lengths, initial=0.0))

    def measure_share(records: Sequence[Record]) -> float:
        if not page_length:
            return 0.0
        lengths = [
            sum([sums[stops[root]] - sums[starts[root]] for root in record]) for record in records
        ]
        return sum([min(length, _WEIGHTS.max_record_length) for length in lengths]) / page_length

    return measure_share


def _make_image_measure(page: Page) -> MeasureShare:
    """Return a function that measures the share of images and textless links in all content."""
    nodes = [node for node in find_textless_items(page) if read_address(page, node)]
    total = len(nodes) + sum(map(len, page.texts))

    def measure_share(records: Sequence[Record]) -> float:
        count = 0
        for record in records:
            for root in record:
                count += len(slice_nodes(nodes, root, page.tree.ends[root]))
        return count / max(1, total)

    return measure_share
