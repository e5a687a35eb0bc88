"""The lists of a page, best first."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from unweave.page.page import Page
from unweave.records import depta
from unweave.records.auto.candidates import SOURCES, Spans, candidates
from unweave.records.auto.outline import Outline
from unweave.records.auto.signals import QUICK, SIGNALS, Signals, Weights
from unweave.records.auto.wanted import check_wanted, count_wanted
from unweave.records.auto.weights import FACTORS, NEVER, ODDS, QUICK_WEIGHTS, WEIGHTS
from unweave.records.region import Listing
from unweave.variants import Variant

# A further list shares less than this with those that are taken.
_MOST_SHARED = 0.3
_MOST_LISTS = 5
# The quick signals choose so many candidates; the right one is hardly ever below.
MOST_LOOKED_AT = 10
_MOST_WANTED = 60
# Two lists are of the same text if they share so much of it.
_SAME_TEXT = 0.8
_TINY = 1e-6

_QUICK = Weights(QUICK, QUICK_WEIGHTS)
_WORTH = Weights(SIGNALS, WEIGHTS)
_LIKELY = Weights(SIGNALS, FACTORS)

# Menus and prose that score less than this are no list.
_LEAST_SCORE = 0.03
_MOST_LINKS = 0.5
# So are paragraphs that have hardly a link, are so much of the page's text, and score less than this.
_LEAST_OF_ARTICLE = 0.2
_FEW_LINKS = 0.2
_LARGE = 0.3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A list that a page may have, and what speaks for it."""

    listing: Listing
    spans: Spans
    signals: Sequence[float]
    worth: float
    score: float
    wanted: int = 0
    """How many of the things that the user asks for its records have."""


def ranked(page: Page, *, want: Iterable[str] = ()) -> list[tuple[float, Listing]]:
    """Return the lists of a page, best first, each with a score from 0 to 1 that is the confidence in this list alone.

    Scores never increase. ``want`` names what the list holds, such as ``price`` or ``image``: lists whose records have
    that come first, and scores order those that have equally many of the wanted types.
    """
    wanted = check_wanted(want)
    outline = Outline(page)
    by_tree = depta.find(page, variant=Variant.IMPROVED)
    return chosen(outline, by_tree, looked_at(outline, by_tree, wanted))


def chosen(outline: Outline, by_tree: Sequence[Listing], best_first: Sequence[Candidate]) -> list[tuple[float, Listing]]:
    """The lists that are given, of the candidates of a page."""
    torn = [listing for listing in by_tree if not outline.is_in_one_piece(listing)]
    selected = _select_non_overlapping(outline, best_first)
    return [(score, _in_smaller_records(outline, listing, torn)) for score, listing in selected]


def looked_at(outline: Outline, by_tree: Sequence[Listing], want: Sequence[str] = ()) -> list[Candidate]:
    """The candidates of a page that are worth a closer look, best first."""
    found, rows = measured(outline, by_tree, most=_MOST_WANTED if want else MOST_LOOKED_AT)
    worths = list(map(worth, rows))
    made = [
        Candidate(listing, spans, row, own, score, count_wanted(outline, spans, listing.records, want))
        for (spans, listing), row, own, score in zip(found.items(), rows, worths, _scores(rows, worths), strict=True)
    ]
    return sorted(made, key=lambda own: (-own.wanted, -own.worth, own.spans))


def worth(signals: Sequence[float]) -> float:
    """How much speaks for a list."""
    return _WORTH.of(signals)


def measured(
    outline: Outline,
    by_tree: Sequence[Listing],
    most: int | None = MOST_LOOKED_AT,
    sources: Container[str] = frozenset(SOURCES),
) -> tuple[dict[Spans, Listing], list[list[float]]]:
    """The candidates of a page that are worth a closer look, and what speaks for and against each.

    ``by_tree`` are the lists that DEPTA finds.
    """
    return weighed(outline, candidates(outline, filter(outline.is_in_one_piece, by_tree), sources), most)


def weighed(
    outline: Outline, found: Mapping[Spans, Listing], most: int | None
) -> tuple[dict[Spans, Listing], list[list[float]]]:
    """Those of the candidates that are worth a closer look, and what speaks for and against each."""
    signals = Signals(outline, max(map(len, found), default=1))
    quick = [(signals.quick(spans, listing.records), spans, listing) for spans, listing in found.items()]
    best = sorted(quick, key=lambda own: -_QUICK.of(own[0]))[:most]
    close = signals.close([(spans, listing.records) for _, spans, listing in best])
    return {spans: listing for _, spans, listing in best}, [
        [*first, *second] for (first, _, _), second in zip(best, close, strict=True)
    ]


def _in_smaller_records(outline: Outline, listing: Listing, torn: Sequence[Listing]) -> Listing:
    """The list, or that of smaller records that the same text makes if the parts of each stand in several rows."""
    texts = outline.texts(listing)
    for other in torn:
        own = outline.texts(other)
        if len(other.records) > len(listing.records) and len(own & texts) > _SAME_TEXT * len(own | texts):
            return other
    return listing


def _select_non_overlapping(outline: Outline, best_first: Sequence[Candidate]) -> list[tuple[float, Listing]]:
    """Return the best candidate and up to four others that share little text with it, with their scores, in order.

    The result is empty if the best candidate is no list. The first is chosen by worth: on 17 of 694 real pages a later
    one has the higher score, and the first is right on 9 of these, the other on 1. Scores are calibrated for the first of
    a page, so it keeps its own, the others follow by theirs, and none has more than the first.
    """
    is_taken = [False] * len(outline.page.texts)
    selected: list[Candidate] = []
    for candidate in best_first:
        if not selected and not candidate.wanted and is_no_list(candidate.score, candidate.signals):
            return []
        texts = [text for start, stop in candidate.spans for text in range(start, stop)]
        if sum([is_taken[text] for text in texts]) < _MOST_SHARED * len(texts):
            selected.append(candidate)
            for text in texts:
                is_taken[text] = True
        if len(selected) == _MOST_LISTS:
            break
    if not selected:
        return []
    first, *others = selected
    others.sort(key=lambda candidate: (-candidate.wanted, -candidate.score))
    return [
        # A list with fewer of the wanted types comes later whatever its score.
        (min(candidate.score, first.score) if candidate.wanted == first.wanted else candidate.score, candidate.listing)
        for candidate in (first, *others)
    ]


def is_no_list(score: float, signals: Sequence[float]) -> bool:
    """Is the best list of a page a menu or a prose, one text a record, that nobody would call a list?

    The paragraphs of an article are a large part of the page, and are told by less.
    """
    own = dict(zip(SIGNALS, signals, strict=True))
    is_menu = own["links"] > _MOST_LINKS or own["besides"] > 0
    has_one_text = own["columns"] <= math.log(2)
    is_article = has_one_text and own["links"] < _FEW_LINKS and own["coverage"] > math.log(_LARGE)
    return (score < _LEAST_SCORE and (is_menu or has_one_text)) or (score < _LEAST_OF_ARTICLE and is_article)


def _scores(rows: Sequence[Sequence[float]], worths: Sequence[float]) -> list[float]:
    """How likely each list is right: of those with 0.9, nine in ten are.

    By its odds against the other candidates of the page, and by its signals: the best of a page may be a menu.
    """
    return [
        1 / (1 + math.exp(-(NEVER + ODDS * odds + _LIKELY.of(row))))
        for row, odds in zip(rows, odds_of(worths), strict=True)
    ]


def odds_of(worths: Sequence[float]) -> list[float]:
    """The logarithm of each candidate's odds against the others, if one is drawn by the softmax of their worths."""
    most = max(worths, default=0.0)
    likely = [math.exp(worth - most) for worth in worths]
    shares = [own / sum(likely) for own in likely]
    return [math.log(share + _TINY) - math.log(1 - share + _TINY) for share in shares]
