"""What speaks for and against a candidate. A signal is a number; ``weights`` says what it is worth.

Quick signals are sums over the records. They tell which candidates are worth a closer look: what stands at which place of
each record, and how alike the records are.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from unweave.records.auto.candidates import Spans
from unweave.records.auto.outline import Outline
from unweave.records.ctvs.tags import tag_similarity
from unweave.records.region import Record

_MOST_MISSED = 3.0
_MOST_SIBLINGS = 1_000
TINY = 0.001
_FEW_TEXTS = 3
# So many records, and so many tags of each, tell how alike they are.
_MOST_COMPARED = 40
_MOST_TAGS = 400

QUICK = (
    "coverage",  # the share of the page's letters
    "relative_count",  # the number of records, seen from the candidate with most
    "gaps",  # what stands between the first record and the last and is in none
    "uneven",  # how much the records differ in size
    "shortest",  # the letters of the shortest record
    "joined",  # records of several elements
    "besides",  # inside what the author calls a menu, a footer, ...
    "content",  # inside what the author calls content, results, ...
    "links",  # the share of letters that are links
    "count",  # the logarithm of the number of records
    "images",  # records with an image
    "depth",  # how deep in the page
    "off_centre",  # how far from the middle of the page's text
    "spread",  # records of different parents
)
"""The names of the quick signals, in their order."""

CLOSE = (
    "gain",  # the share of the page's texts that a template for the records saves
    "log_gain",  # its logarithm, which tells small ones apart
    "relative_gain",  # the same, seen from the candidate that saves most
    "several",  # how often a record has the same slot: several records in one
    "once",  # slots that no record has twice
    "entropy",  # slots that half of the records have say that they are of two kinds
    "columns",  # slots that most records have
    "missed",  # siblings that look like records and are left out
    "different",  # records that say different things
    "alike",  # how alike the tags of each record are to those of the next
)
"""The names of the signals of a closer look, in their order."""

SIGNALS = (*QUICK, *CLOSE)
_GAIN, _RELATIVE_GAIN = CLOSE.index("gain"), CLOSE.index("relative_gain")


class Signals:
    """The signals of the candidates of one page."""

    def __init__(self, outline: Outline, most_records: int) -> None:
        self._outline = outline
        self._most_records = most_records
        self._texts = max(1, len(outline.page.texts))
        self._letters = max(1, outline.letters[-1])

    def quick(self, spans: Spans, records: Sequence[Record]) -> list[float]:
        """The quick signals of a candidate."""
        outline, count = self._outline, len(spans)
        sums, links, images, ends = outline.letters, outline.link_letters, outline.images, outline.ends
        letters = [sums[stop] - sums[start] for start, stop in spans]
        total = max(1, sum(letters))
        start = sums[spans[0][0]]
        extent = sums[max([stop for _, stop in spans])] - start
        first = records[0][0]
        return [
            math.log(total / self._letters + TINY),
            count / self._most_records,
            1 - total / max(1, extent),
            _unevenness([ends[record[-1]] - record[0] for record in records]),
            math.log(1 + min(letters)),
            float(max(map(len, records)) > 1),
            outline.besides[first],
            outline.content[first],
            sum([links[stop] - links[start] for start, stop in spans]) / total,
            math.log(count),
            sum([images[ends[record[-1]]] > images[record[0]] for record in records]) / count,
            outline.depths[first] / 10,
            abs(0.5 - (start + extent / 2) / self._letters),
            (len({outline.parents[record[0]] for record in records}) - 1) / count,
        ]

    def close(self, candidates: Iterable[tuple[Spans, Sequence[Record]]]) -> list[list[float]]:
        """The signals of a closer look, for the candidates that are worth it."""
        rows = [self._close(spans, records) for spans, records in candidates]
        largest = max((row[_GAIN] for row in rows), default=0.0)
        for row in rows:
            row[_RELATIVE_GAIN] = math.log(row[_GAIN] / largest + TINY) if largest else 0.0
        return rows

    def _close(self, spans: Spans, records: Sequence[Record]) -> list[float]:
        outline, count = self._outline, len(spans)
        with_slot: Counter[int] = Counter()
        times: Counter[int] = Counter()
        for span in spans:
            slots = outline.slots(span)
            with_slot.update(slots.keys())
            times.update(slots)
        usual = {slot for slot, own in with_slot.items() if 2 * own >= count}
        gain = sum(times[slot] - times[slot] / with_slot[slot] for slot in usual) / self._texts
        beginnings = {tuple(outline.page.texts[start : min(stop, start + _FEW_TEXTS)]) for start, stop in spans}
        return [
            gain,
            math.log(gain + TINY),
            0.0,
            math.log(_mean([times[slot] / with_slot[slot] for slot in usual]) or 1.0),
            _mean([times[slot] == with_slot[slot] for slot in usual]),
            _mean([_entropy(own / count) for own in with_slot.values()]),
            math.log(1 + len(usual)),
            min(_MOST_MISSED, self._missed(records, usual) / count),
            len(beginnings) / count,
            self._likeness(records),
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

    def _likeness(self, records: Sequence[Record]) -> float:
        tags, ends = self._outline.page.tree.tags, self._outline.ends
        some = [tags[record[0] : min(record[0] + _MOST_TAGS, ends[record[-1]])] for record in records[:_MOST_COMPARED]]
        return _mean([1.0 if one == other else tag_similarity(one, other) for one, other in pairwise(some)])


def _unevenness(sizes: Sequence[int]) -> float:
    """The standard deviation, seen from the mean."""
    mean = sum(sizes) / len(sizes)
    return math.sqrt(sum([(size - mean) ** 2 for size in sizes]) / len(sizes)) / mean


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _entropy(share: float) -> float:
    rest = 1 - share
    return 0.0 if share in (0, 1) else -share * math.log2(share) - rest * math.log2(rest)


class Weights:
    """What signals of these names are worth, in their order."""

    def __init__(self, names: Sequence[str], weights: Mapping[str, float]) -> None:
        self._weights = [weights.get(name, 0.0) for name in names]

    def of(self, signals: Sequence[float]) -> float:
        """What these signals are worth together."""
        return float(sum(map(operator.mul, self._weights, signals)))
