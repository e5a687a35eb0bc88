"""Ranking: score the candidates of a page and select its lists, best first."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unweave.lists.candidates import Spans
from unweave.lists.features import Features, compute_features, compute_quick_features
from unweave.lists.listing import Listing, RankedLists
from unweave.lists.model import (
    CALIBRATION_INTERCEPT,
    CALIBRATION_SLOPE,
    CALIBRATION_WEIGHTS,
    QUICK_WEIGHTS,
    WEIGHTS,
)
from unweave.lists.page_index import PageIndex
from unweave.lists.required_types import count_required_types

MAX_COMPARED = 10
"""How many candidates the quick features choose; the right one is hardly ever below."""
_MAX_COMPARED_BY_TYPES = 60
_MAX_LISTS = 5
# A further list shares less than this part of its text with those that are selected.
_MAX_SHARED_TEXT = 0.3
# Two lists are of the same text if they share this part of it.
_MIN_SAME_TEXT = 0.8
_EPSILON = 1e-6

# A menu or prose with less confidence is no list.
_MIN_CONFIDENCE = 0.03
_MIN_LINK_SHARE_OF_MENU = 0.5
# So are the paragraphs of an article: a large part of the page's text, with few links.
_MIN_CONFIDENCE_OF_PROSE = 0.2
_MAX_LINK_SHARE_OF_PROSE = 0.2
_MIN_PAGE_SHARE_OF_PROSE = 0.3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate with all its features and its score."""

    listing: Listing
    spans: Spans
    features: Features
    score: float
    """The score by the model, to be compared with that of other candidates of the page."""
    confidence: float
    """The probability, from 0 to 1, that this is the page's list."""
    required_types: int = 0
    """The number of required types that its records have."""


def score_candidates(
    index: PageIndex, candidates: Mapping[Spans, Listing], required: Sequence[str] = ()
) -> list[Candidate]:
    """Return the top candidates with all features computed, best first."""
    measured = measure_candidates(
        index, candidates, _MAX_COMPARED_BY_TYPES if required else MAX_COMPARED
    )
    scores = [score_features(features) for _, _, features in measured]
    scored: list[Candidate] = []
    for (spans, listing, features), score, log_odds in zip(
        measured, scores, compute_log_odds(scores), strict=True
    ):
        confidence = _calibrate(log_odds, features)
        types = count_required_types(index, spans, listing.records, required)
        scored.append(Candidate(listing, spans, features, score, confidence, types))
    return sorted(scored, key=lambda one: (-one.required_types, -one.score, one.spans))


def measure_candidates(
    index: PageIndex, candidates: Mapping[Spans, Listing], limit: int | None = MAX_COMPARED
) -> list[tuple[Spans, Listing, Features]]:
    """Return the candidates that are best by the quick features, each with all its features."""
    max_count = max(map(len, candidates), default=1)
    quick = [
        (compute_quick_features(index, spans, listing.records, max_count), spans, listing)
        for spans, listing in candidates.items()
    ]
    best = sorted(quick, key=lambda measured: -_weigh(QUICK_WEIGHTS, measured[0]))[:limit]
    features = compute_features(
        index, [(row, spans, listing.records) for row, spans, listing in best]
    )
    return [(spans, listing, row) for (_, spans, listing), row in zip(best, features, strict=True)]


def score_features(features: Features) -> float:
    """Return the score of a candidate."""
    return _weigh(WEIGHTS, features)


def _weigh(weights: Features, features: Features) -> float:
    return float(sum(map(operator.mul, weights, features)))


def _calibrate(log_odds: float, features: Features) -> float:
    """Return the probability that a list is right: of those with 0.9, nine in ten are.

    It depends on the odds against the other candidates of the page and on the features, because
    the best candidate of a page may be a menu.
    """
    linear = CALIBRATION_INTERCEPT + CALIBRATION_SLOPE * log_odds
    return 1 / (1 + math.exp(-(linear + _weigh(CALIBRATION_WEIGHTS, features))))


def compute_log_odds(scores: Sequence[float]) -> list[float]:
    """Return the logarithm of each candidate's odds against the others, if one is drawn by the softmax of the scores."""
    max_score = max(scores, default=0.0)
    weights = [math.exp(score - max_score) for score in scores]
    shares = [weight / sum(weights) for weight in weights]
    return [math.log(share + _EPSILON) - math.log(1 - share + _EPSILON) for share in shares]


def select_lists(
    index: PageIndex, data_lists: Iterable[Listing], candidates: Sequence[Candidate]
) -> RankedLists:
    """Return the lists of a page with their confidence, given its candidates, best first.

    A list whose text is also that of a list of data records with more records, each in several
    pieces, is replaced by it: a candidate has whole elements only.
    """
    in_pieces = [listing for listing in data_lists if not index.is_contiguous(listing)]
    lists: RankedLists = []
    for confidence, listing in _select_non_overlapping(index, candidates):
        texts = index.collect_texts(listing)
        for smaller in in_pieces:
            shared = index.collect_texts(smaller)
            has_same_text = len(shared & texts) > _MIN_SAME_TEXT * len(shared | texts)
            if len(smaller.records) > len(listing.records) and has_same_text:
                listing = smaller
                break
        lists.append((confidence, listing))
    return lists


def _select_non_overlapping(index: PageIndex, candidates: Sequence[Candidate]) -> RankedLists:
    """Return the best candidate and up to four others that share little text with it, with their confidence.

    The result is empty if the best candidate is a menu or prose. The first is chosen by score: on
    17 of 694 real pages a later one has the higher confidence, and the first is right on 9 of
    these, the other on 1. The confidence is calibrated for the first of a page, so it keeps its
    value, the others follow by theirs, and none has more than the first.
    """
    is_taken = [False] * len(index.page.texts)
    selected: list[Candidate] = []
    for candidate in candidates:
        if (
            not selected
            and not candidate.required_types
            and is_menu_or_prose(candidate.confidence, candidate.features)
        ):
            return []
        texts = [text for start, stop in candidate.spans for text in range(start, stop)]
        if sum([is_taken[text] for text in texts]) < _MAX_SHARED_TEXT * len(texts):
            selected.append(candidate)
            for text in texts:
                is_taken[text] = True
        if len(selected) == _MAX_LISTS:
            break
    if not selected:
        return []
    first, *further = selected
    further.sort(key=lambda candidate: (-candidate.required_types, -candidate.confidence))
    lists: RankedLists = []
    for candidate in (first, *further):
        confidence = candidate.confidence
        # A list with fewer of the required types comes later whatever its confidence.
        if candidate.required_types == first.required_types:
            confidence = min(confidence, first.confidence)
        lists.append((confidence, candidate.listing))
    return lists


def is_menu_or_prose(confidence: float, features: Features) -> bool:
    """Tell whether the best list of a page is a menu, or prose with one text a record, that nobody would call a list.

    The paragraphs of an article are a large part of the page and need more confidence.
    """
    is_menu = features.link_share > _MIN_LINK_SHARE_OF_MENU or features.boilerplate_depth > 0
    has_one_text = features.common_paths <= math.log(2)
    if confidence < _MIN_CONFIDENCE and (is_menu or has_one_text):
        return True
    is_article = (
        has_one_text
        and features.link_share < _MAX_LINK_SHARE_OF_PROSE
        and features.coverage > math.log(_MIN_PAGE_SHARE_OF_PROSE)
    )
    return confidence < _MIN_CONFIDENCE_OF_PROSE and is_article
