"""Ranking: score the candidates of a page and select its lists, best first."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from typing import Any

from unweave.errors import UsageError
from unweave.lists.candidates import Spans
from unweave.lists.features import Features, compute_features, compute_quick_features
from unweave.lists.listing import Listing, RankedLists, Record
from unweave.lists.page_index import PageIndex
from unweave.values.parsing import detect_type
from unweave.values.types import Type

MAX_COMPARED = 10
"""How many candidates the quick features choose; the right one hardly ever ranks lower."""
# With required types: the quick features know nothing of them.
_MAX_COMPARED_BY_TYPES = 60
_MAX_LISTS = 5
# Keeps the log odds of probabilities of 0 and 1 finite.
_EPSILON = 1e-6


Weights = Features
"""A weight for each feature."""


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of ``model.json``, which ``bench.fit`` fits to pages with known lists."""

    quick_weights: Weights
    """For the quick features, which choose the candidates that are compared closely."""
    weights: Weights
    """For all features, which choose the best list."""
    calibration_weights: Weights
    """For all features, in the confidence that a list is right."""
    calibration_slope: float
    """For the log odds that a candidate, and no other of its page, is right, in the confidence."""
    calibration_intercept: float

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Model:
        """Read the content of ``model.json``."""
        return cls(
            Features(**data["quick_weights"]),
            Features(**data["weights"]),
            Features(**data["calibration_weights"]),
            data["calibration_slope"],
            data["calibration_intercept"],
        )


MODEL = Model.from_json(
    json.loads(resources.files("unweave.lists").joinpath("model.json").read_text(encoding="utf-8"))
)


@dataclass(frozen=True, slots=True)
class SelectionThresholds:
    """Thresholds: which candidates become lists of the page."""

    max_shared_text: float = 0.3
    """A further list shares less than this part of its text with those that are selected."""
    min_same_text: float = 0.8
    """Two lists are of the same text if they share this part of it."""
    min_confidence: float = 0.03
    """Below this confidence, a menu or prose with one text per record is not returned."""
    menu_link_share: float = 0.5
    """A list with a larger share of linked text is a menu."""
    prose_min_confidence: float = 0.2
    """Below this confidence, the paragraphs of an article are not returned."""
    prose_link_share: float = 0.2
    """Paragraphs have less linked text than this share."""
    prose_page_share: float = 0.3
    """The paragraphs of an article have more than this share of the page's text."""


_THRESHOLDS = SelectionThresholds()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate with all its features, its raw score and its confidence."""

    listing: Listing
    spans: Spans
    features: Features
    raw_score: float
    """The weighted sum of the features, which orders the candidates of one page."""
    confidence: float
    """The probability, from 0 to 1, that this is the page's list."""
    required_types: int = 0
    """The number of required types that its records have."""


def score_candidates(
    index: PageIndex, candidates: Mapping[Spans, Listing], required: Sequence[str] = ()
) -> list[Candidate]:
    """Return the candidates that are best by the quick features, scored, best first.

    These are 10 candidates, or 60 with required types; the others are dropped.
    """
    measured = measure_candidates(
        index, candidates, _MAX_COMPARED_BY_TYPES if required else MAX_COMPARED
    )
    raw_scores = [compute_raw_score(features) for _, _, features in measured]
    scored: list[Candidate] = []
    for (spans, listing, features), score, log_odds in zip(
        measured, raw_scores, compute_log_odds(raw_scores), strict=True
    ):
        confidence = _calibrate(log_odds, features)
        types = count_required_types(index, spans, listing.records, required)
        scored.append(Candidate(listing, spans, features, score, confidence, types))
    return sorted(
        scored,
        key=lambda candidate: (-candidate.required_types, -candidate.raw_score, candidate.spans),
    )


def measure_candidates(
    index: PageIndex, candidates: Mapping[Spans, Listing], limit: int | None = MAX_COMPARED
) -> list[tuple[Spans, Listing, Features]]:
    """Return the candidates that are best by the quick features, each with all its features."""
    max_count = max(map(len, candidates), default=1)
    quick = [
        (compute_quick_features(index, spans, listing.records, max_count), spans, listing)
        for spans, listing in candidates.items()
    ]
    best = sorted(quick, key=lambda measured: -_weigh(MODEL.quick_weights, measured[0]))[:limit]
    features = compute_features(
        index, [(row, spans, listing.records) for row, spans, listing in best]
    )
    return [(spans, listing, row) for (_, spans, listing), row in zip(best, features, strict=True)]


def compute_raw_score(features: Features) -> float:
    """Return the raw score of a candidate, the weighted sum of its features."""
    return _weigh(MODEL.weights, features)


def _weigh(weights: Weights, features: Features) -> float:
    return float(sum(map(operator.mul, weights, features)))


def _calibrate(log_odds: float, features: Features) -> float:
    """Return the probability that a list is right: of those with 0.9, nine in ten are.

    It depends on the odds among the candidates of the page and on the features, because the best
    candidate of a page may be a menu.
    """
    linear = MODEL.calibration_intercept + MODEL.calibration_slope * log_odds
    return 1 / (1 + math.exp(-(linear + _weigh(MODEL.calibration_weights, features))))


def compute_log_odds(scores: Sequence[float]) -> list[float]:
    """Return the log odds of each candidate, by the softmax of the scores of a page."""
    max_score = max(scores, default=0.0)
    weights = [math.exp(score - max_score) for score in scores]
    shares = [weight / sum(weights) for weight in weights]
    return [math.log(share + _EPSILON) - math.log(1 - share + _EPSILON) for share in shares]


def select_lists(
    index: PageIndex, data_lists: Iterable[Listing], candidates: Sequence[Candidate]
) -> RankedLists:
    """Return the lists of a page with their confidence, given its candidates, best first.

    If a list of data records that are not contiguous covers the same text in more records, it is
    returned instead: candidates cannot have such records.
    """
    non_contiguous = [listing for listing in data_lists if not index.is_contiguous(listing)]
    lists: RankedLists = []
    for confidence, listing in _select_non_overlapping(index, candidates):
        texts = index.collect_texts(listing)
        for finer in non_contiguous:
            finer_texts = index.collect_texts(finer)
            shared_count = len(finer_texts & texts)
            has_same_text = shared_count > _THRESHOLDS.min_same_text * len(finer_texts | texts)
            if len(finer.records) > len(listing.records) and has_same_text:
                listing = finer
                break
        lists.append((confidence, listing))
    return lists


def _select_non_overlapping(index: PageIndex, candidates: Sequence[Candidate]) -> RankedLists:
    """Return the best candidate and others that share little text with it, with their confidence.

    The result is empty if the best candidate is a menu or prose. The first is chosen by raw score:
    on 17 of 694 real pages a later one has the higher confidence, and the first is right on 9 of
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
        if sum([is_taken[text] for text in texts]) < _THRESHOLDS.max_shared_text * len(texts):
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
    """Tell whether the best list of a page is a menu, or prose with one text per record.

    The paragraphs of an article are a large part of the page and need more confidence.
    """
    is_menu = features.link_share > _THRESHOLDS.menu_link_share or features.boilerplate_depth > 0
    has_one_text = features.common_paths <= math.log(2)
    if confidence < _THRESHOLDS.min_confidence and (is_menu or has_one_text):
        return True
    is_article = (
        has_one_text
        and features.link_share < _THRESHOLDS.prose_link_share
        and features.coverage > math.log(_THRESHOLDS.prose_page_share)
    )
    return confidence < _THRESHOLDS.prose_min_confidence and is_article


# ---- required types (DEPTA, section 3.5) ---------------------------------------------------------

# A list has a type if this share of its first records have it.
_MIN_RECORD_SHARE = 0.5
_MAX_TESTED_RECORDS = 40
# A record has the type "text" if one of its texts has this many characters: about a sentence.
_MIN_TEXT_LENGTH = 80

_VALUE_TYPES = {
    "price": {Type.PRICE},
    "date": {Type.DATE, Type.DATETIME},
    "time": {Type.TIME, Type.DATETIME},
    "integer": {Type.INTEGER},
    "number": {Type.INTEGER, Type.NUMBER},
    "percentage": {Type.PERCENTAGE},
}
REQUIRABLE_TYPES = (*_VALUE_TYPES, "image", "url", "text")
"""The types that can be required."""


def parse_required_types(want: Iterable[str]) -> tuple[str, ...]:
    """Return the required types, given as a sequence or separated by commas.

    Raises:
        UsageError: If a type is unknown.
    """
    if isinstance(want, str):
        want = want.split(",")
    names = tuple(name for word in want if (name := word.strip()))
    for name in names:
        if name not in REQUIRABLE_TYPES:
            raise UsageError(f"cannot look for {name!r}; choose from {', '.join(REQUIRABLE_TYPES)}")
    return names


def count_required_types(
    index: PageIndex, spans: Spans, records: Sequence[Record], required: Iterable[str]
) -> int:
    """Return the number of required types that most of the records have."""
    count = 0
    tested = list(islice(zip(spans, records, strict=True), _MAX_TESTED_RECORDS))
    for name in required:
        having = sum(_has_type(index, name, range(*span), record) for span, record in tested)
        count += having >= _MIN_RECORD_SHARE * len(tested)
    return count


def _has_type(index: PageIndex, name: str, texts: range, record: Record) -> bool:
    """Tell whether a record, with these text nodes, has something of a type."""
    page = index.page
    if name == "image":
        return index.image_sums[index.ends[record[-1]]] > index.image_sums[record[0]]
    if name == "url":
        return index.link_length_sums[texts.stop] > index.link_length_sums[texts.start]
    if name == "text":
        return any(len(page.texts[text]) >= _MIN_TEXT_LENGTH for text in texts)
    # A value may follow a label: "Price: 9.98".
    types = _VALUE_TYPES[name]
    return any(detect_type(page.texts[text].rsplit(": ", 1)[-1]) in types for text in texts)
