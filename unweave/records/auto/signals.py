"""What speaks for and against a candidate. A signal is a number; ``weights`` says what it is worth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from unweave.records.auto.candidates import Spans
from unweave.records.auto.outline import Outline
from unweave.records.region import Listing, Record

_MOST_MISSED = 3.0
_MOST_SIBLINGS = 1_000
_TINY = 0.001
_FEW_TEXTS = 3

SIGNALS = (
    "gain",  # the share of the page's texts that a template for the records saves
    "log_gain",  # its logarithm, which tells small ones apart
    "relative_gain",  # the same, seen from the candidate that saves most
    "coverage",  # the share of the page's letters
    "several",  # how often a record has the same slot: several records in one
    "relative_count",  # the number of records, seen from the candidate with most
    "gaps",  # what stands between the first record and the last and is in none
    "uneven",  # how much the records differ in size
    "entropy",  # slots that half of the records have say that they are of two kinds
    "shortest",  # the letters of the shortest record
    "missed",  # siblings that look like records and are left out
    "joined",  # records of several elements
    "besides",  # inside what the author calls a menu, a footer, ...
    "content",  # inside what the author calls content, results, ...
    "links",  # the share of letters that are links
    "count",  # the logarithm of the number of records
    "images",  # records with an image
    "columns",  # slots that most records have
    "depth",  # how deep in the page
    "off_centre",  # how far from the middle of the page's text
    "different",  # records that say different things
    "spread",  # records of different parents
    "like_ctvs",  # how alike the list is to one that CTVS finds
    "has_ctvs",  # how much it has of the list that CTVS would choose
)
"""The names of the signals, in their order."""


class Signals:
    """The signals of the candidates of one page."""

    def __init__(
        self, outline: Outline, found: Mapping[Spans, Listing], known: Sequence[Listing], best: Listing | None
    ) -> None:
        self._outline = outline
        self._found = found
        self._most = max(map(len, found), default=1)
        self._texts = max(1, len(outline.page.texts))
        self._letters = max(1, outline.letters[-1])
        self._known = [set(map(outline.span, listing.records)) for listing in known]
        self._with: dict[tuple[int, int], list[int]] = {}
        for number, spans in enumerate(self._known):
            for span in spans:
                self._with.setdefault(span, []).append(number)
        self._best = set(map(outline.span, best.records)) if best else set()

    def all(self) -> list[list[float]]:
        """The signals of every candidate."""
        rows = [self._of(spans, listing.records) for spans, listing in self._found.items()]
        largest = max((row[0] for row in rows), default=0.0)
        for row in rows:
            row[2] = math.log(row[0] / largest + _TINY) if largest else 0.0
        return rows

    def _of(self, spans: Spans, records: Sequence[Record]) -> list[float]:
        outline, count = self._outline, len(spans)
        with_slot: Counter[int] = Counter()
        times: Counter[int] = Counter()
        for span in spans:
            slots = outline.slots(span)
            with_slot.update(slots.keys())
            times.update(slots)
        usual = {slot for slot, own in with_slot.items() if 2 * own >= count}
        gain = sum(times[slot] - times[slot] / with_slot[slot] for slot in usual) / self._texts
        letters = [outline.count_letters(span) for span in spans]
        total = max(1, sum(letters))
        extent = outline.letters[max(stop for _, stop in spans)] - outline.letters[spans[0][0]]
        sizes = [outline.ends[record[-1]] - record[0] for record in records]
        first = records[0][0]
        return [
            gain,
            math.log(gain + _TINY),
            0.0,
            math.log(total / self._letters + _TINY),
            math.log(_mean([times[slot] / with_slot[slot] for slot in usual]) or 1.0),
            count / self._most,
            1 - total / max(1, extent),
            _unevenness(sizes),
            _mean([_entropy(own / count) for own in with_slot.values()]),
            math.log(1 + min(letters)),
            min(_MOST_MISSED, self._missed(records, usual) / count),
            float(any(len(record) > 1 for record in records)),
            outline.besides[first],
            outline.content[first],
            sum(outline.link_letters[stop] - outline.link_letters[start] for start, stop in spans) / total,
            math.log(count),
            sum(outline.images[outline.ends[record[-1]]] > outline.images[record[0]] for record in records) / count,
            math.log(1 + len(usual)),
            sum(1 for _ in outline.page.tree.ancestors(first)) / 10,
            abs(0.5 - (outline.letters[spans[0][0]] + extent / 2) / self._letters),
            len({tuple(outline.page.texts[start : min(stop, start + _FEW_TEXTS)]) for start, stop in spans}) / count,
            (len({outline.parents[record[0]] for record in records}) - 1) / count,
            self._likeness(spans),
            sum(span in self._best for span in spans) / max(1, len(self._best)),
        ]

    def _missed(self, records: Sequence[Record], usual: set[int]) -> float:
        """Siblings of the same tags that are in no record: how much they have of what records have."""
        outline = self._outline
        inside = {node for record in records for node in record}
        tags = {outline.labels[record[0]] for record in records}
        missed = 0.0
        for parent in {outline.parents[record[0]] for record in records}:
            for child in outline.kids[parent][:_MOST_SIBLINGS] if parent >= 0 else ():
                if child not in inside and outline.labels[child] in tags:
                    own = outline.slots((outline.first[child], outline.stop[child])).keys()
                    missed += len(own & usual) / max(1, len(own | usual))
        return missed

    def _likeness(self, spans: Spans) -> float:
        shared = Counter(number for span in spans for number in self._with.get(span, ()))
        alike = (own / max(1, len(spans) + len(self._known[number]) - own) for number, own in shared.items())
        return max(alike, default=0.0)


def _unevenness(sizes: Sequence[int]) -> float:
    """The standard deviation, seen from the mean."""
    mean = sum(sizes) / len(sizes)
    return math.sqrt(sum([(size - mean) ** 2 for size in sizes]) / len(sizes)) / mean


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _entropy(share: float) -> float:
    rest = 1 - share
    return 0.0 if share in (0, 1) else -share * math.log2(share) - rest * math.log2(rest)


def weigh(rows: Iterable[Sequence[float]], weights: Mapping[str, float]) -> list[float]:
    """The worth of every candidate."""
    own = [weights.get(name, 0.0) for name in SIGNALS]
    return [sum(map(float.__mul__, own, map(float, row))) for row in rows]
