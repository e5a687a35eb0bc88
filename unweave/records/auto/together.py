"""The list that several pages continue: found on each, chosen by all, and aligned as one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from unweave.page.page import Page
from unweave.page.pages import Pages
from unweave.records.auto.choice import ranked
from unweave.records.auto.wanted import check_wanted
from unweave.records.region import Listing, Record

_STEPS = 3

Place = tuple[tuple[str, ...], ...]
"""For every part of a record the tags of its root and of the elements around it."""


def together(pages: Sequence[Page], *, want: Iterable[str] = ()) -> tuple[float, Pages, Listing] | None:
    """The list that the pages share, with its score; None if no page has one.

    On every page it is the best list whose records stand at the place that the pages together score highest.
    """
    wanted = check_wanted(want)
    found = [ranked(page, want=wanted) for page in pages]
    votes: defaultdict[Place, float] = defaultdict(float)
    for page, lists in zip(pages, found, strict=True):
        best: dict[Place, float] = {}
        for rank, (score, listing) in enumerate(lists):
            place = _place(page, listing)
            best.setdefault(place, score + _worth_of(rank))
        for place, score in best.items():
            votes[place] += score
    if not votes:
        return None
    chosen = max(votes, key=lambda place: (votes[place], place))
    joined = Pages(pages)
    records: list[Record] = []
    scores: list[float] = []
    for number, (page, lists) in enumerate(zip(pages, found, strict=True)):
        for score, listing in lists:
            if _place(page, listing) == chosen:
                scores.append(score)
                records += [tuple(joined.joined(number, node) for node in record) for record in listing.records]
                break
    return sum(scores) / len(pages), joined, Listing(tuple(records))


def _worth_of(rank: int) -> float:
    """A first place is worth something, whatever its score: scores of unlike pages may be near 0."""
    return 1 / (10 * (1 + rank))


def _place(page: Page, listing: Listing) -> Place:
    """Where most of the records stand. Pages of a site differ most near the root, so the last steps count."""
    labels, ancestors = page.tree.labels, page.tree.ancestors
    places = Counter(
        tuple([tuple([labels[node] for node, _ in zip(ancestors(root), range(_STEPS), strict=False)]) for root in record])
        for record in listing.records
    )
    return places.most_common(1)[0][0]
