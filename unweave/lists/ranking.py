"""Ranking: score the candidates of a page and select its lists, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from unweave.errors import UsageError
from unweave.lists.candidates import Spans
from unweave.lists.features import (
    QUICK_FEATURE_COUNT,
    Features,
    compute_features,
    compute_quick_features,
)
from unweave.lists.listing import Listing, Record
from unweave.lists.page_index import PageIndex
from unweave.lists.sections import drop_separators, extend_list
from unweave.scoring.model import (
    Calibration,
    LinearModel,
    compute_log_odds,
    compute_probability,
    read_model_file,
)
from unweave.values.parsing import detect_type
from unweave.values.types import Type

MAX_COMPARED = 15
"""How many candidates the quick features choose; the right one hardly ever ranks lower."""
# With required types: the quick features know nothing of them.
_MAX_COMPARED_BY_TYPES = 60

MIN_LIST_CONFIDENCE = 0.5
"""Further lists of a page have at least this confidence."""
# A list is selected if it shares less than this part of its text with those before it.
_MAX_SHARED_TEXT = 0.3
# Candidates that share this part of a list's text compete with it.
_MIN_RIVAL_TEXT = 0.1
# Two lists are of the same text if they share this part of it.
_MIN_SAME_TEXT = 0.8

TextMask = int
"""A set of text nodes: bit i from the left is 1 if text node i is in it."""


@dataclass(frozen=True, slots=True)
class ListModel:
    """What ``bench.fit`` fits to pages with known lists, and to pages without a list."""

    quick: LinearModel
    """Orders all candidates by their quick features."""
    ranking: LinearModel
    """Orders the best of them by all features."""
    confidence: LinearModel
    """Gives the log odds that a candidate is right, by its features and its odds among rivals."""
    log_odds_weight: float
    """The weight of the odds in it."""
    calibration: Calibration
    min_page_confidence: float
    """A page has no list if the confidence of its best candidate is lower."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ListModel:
        """Read the content of ``model.json``."""
        names = Features._fields
        return cls(
            LinearModel.from_json(data["quick"], names[:QUICK_FEATURE_COUNT]),
            LinearModel.from_json(data["ranking"], names),
            LinearModel.from_json(data["confidence"], names),
            data["confidence"]["log_odds_weight"],
            Calibration.from_json(data["confidence"]["calibration"]),
            data["min_page_confidence"],
        )

    def compute_confidence(self, features: Features, log_odds: float) -> float:
        """Return the probability, from 0 to 1, that a candidate is a list of the page's content."""
        raw = self.confidence.score(features) + self.log_odds_weight * log_odds
        return self.calibration.apply(compute_probability(raw))


MODEL = ListModel.from_json(read_model_file("unweave.lists", "model.json"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate with all its features, its raw score and its confidence."""

    listing: Listing
    spans: Spans
    texts: TextMask
    features: Features
    raw_score: float
    """The weighted sum of the features, which orders the candidates of one page."""
    confidence: float
    """The probability, from 0 to 1, that this is a list of the page's content."""
    required_types: int = 0
    """The number of required types that its records have."""


def score_candidates(
    index: PageIndex, candidates: Mapping[Spans, Listing], required: Sequence[str] = ()
) -> list[Candidate]:
    """Return the candidates that are best by the quick features, scored, best first.

    These are 15 candidates, or 60 with required types; the others are dropped.
    """
    measured = measure_candidates(
        index, candidates, _MAX_COMPARED_BY_TYPES if required else MAX_COMPARED
    )
    scores = [MODEL.ranking.score(features) for _, _, features in measured]
    masks = [make_text_mask(len(index.page.texts), spans) for spans, _, _ in measured]
    scored: list[Candidate] = []
    for number, (spans, listing, features) in enumerate(measured):
        log_odds = compute_rival_odds(number, scores, masks)
        scored.append(
            Candidate(
                listing,
                spans,
                masks[number],
                features,
                scores[number],
                MODEL.compute_confidence(features, log_odds),
                count_required_types(index, spans, listing.records, required),
            )
        )
    return sorted(
        scored,
        key=lambda candidate: (-candidate.required_types, -candidate.raw_score, candidate.spans),
    )


def measure_candidates(
    index: PageIndex, candidates: Mapping[Spans, Listing], limit: int | None = MAX_COMPARED
) -> list[tuple[Spans, Listing, Features]]:
    """Return the candidates that are best by the quick features, each with all its features."""
    quick = [
        (compute_quick_features(index, spans, listing.records), spans, listing)
        for spans, listing in candidates.items()
    ]
    best = sorted(quick, key=lambda measured: -MODEL.quick.score(measured[0]))[:limit]
    features = compute_features(
        index, [(row, spans, listing.records) for row, spans, listing in best]
    )
    return [(spans, listing, row) for (_, spans, listing), row in zip(best, features, strict=True)]


def make_text_mask(text_count: int, spans: Spans) -> TextMask:
    """Return the set of the text nodes of a candidate."""
    bits = bytearray(b"0") * text_count
    for start, stop in spans:
        bits[start:stop] = b"1" * (stop - start)
    return int(bytes(bits), 2)


def compute_rival_odds(number: int, scores: Sequence[float], masks: Sequence[TextMask]) -> float:
    """Return the log odds of a candidate among those that share text with it."""
    mask = masks[number]
    min_shared = _MIN_RIVAL_TEXT * mask.bit_count()
    rivals = [
        score
        for score, other in zip(scores, masks, strict=True)
        if (mask & other).bit_count() > min_shared
    ]
    return compute_log_odds(scores[number], rivals)


def select_separate(
    masks: Sequence[TextMask], extend: Callable[[int], TextMask] | None = None
) -> list[int]:
    """Return the numbers of candidates, best first, that share little text with earlier ones.

    ``extend`` returns the text nodes of a selected candidate with its other sections.
    """
    taken = 0
    selected: list[int] = []
    for number, mask in enumerate(masks):
        if (mask & taken).bit_count() < _MAX_SHARED_TEXT * mask.bit_count():
            selected.append(number)
            taken |= extend(number) if extend else mask
    return selected


def select_lists(
    index: PageIndex, scored: Sequence[Candidate], candidates: Mapping[Spans, Listing]
) -> list[Candidate]:
    """Return the lists of a page that share little text, each with all its sections, best first.

    ``scored`` are the best candidates by raw score, which decides between candidates that share
    text; ``candidates`` are all. The lists are in the order of their confidence. The result is
    empty if the model says that the page has no list.
    """
    if not scored:
        return []
    lists = list(scored)

    def extend(number: int) -> TextMask:
        candidate = scored[number]
        if number == 0 or candidate.confidence >= MIN_LIST_CONFIDENCE:
            spans, listing = drop_separators(index, candidate.spans, candidate.listing)
            spans, listing = extend_list(index, spans, listing, candidates)
            if spans is not candidate.spans:
                texts = make_text_mask(len(index.page.texts), spans)
                lists[number] = replace(candidate, spans=spans, listing=listing, texts=texts)
        return lists[number].texts

    numbers = select_separate([candidate.texts for candidate in scored], extend)
    selected = [lists[number] for number in numbers]
    selected.sort(key=lambda candidate: (-candidate.required_types, -candidate.confidence))
    best = selected[0]
    has_list = best.required_types or best.confidence >= MODEL.min_page_confidence
    return selected if has_list else []


def find_finer_list(index: PageIndex, listing: Listing, alternatives: Iterable[Listing]) -> Listing:
    """Return the first of other lists that has more records on the same text, else the list."""
    texts: set[int] = set()
    for finer in alternatives:
        if len(finer.records) <= len(listing.records):
            continue
        texts = texts or index.collect_texts(listing)
        finer_texts = index.collect_texts(finer)
        if len(finer_texts & texts) > _MIN_SAME_TEXT * len(finer_texts | texts):
            return finer
    return listing


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
