"""Record segmentation: which tandem repeat among the letters of a region are its records (section II-B)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Letters = Sequence[int | None]
"""One letter a sibling: the group of those that are alike. None is an auxiliary node, which is like no other."""

_AUXILIARY = "\0"
_BLOCK = re.compile("[^\0]+")
_WIDEST = 20
_MOST_WORDS = 40


def segment(
    letters: Letters,
    sizes: Sequence[int],
    *,
    auxiliary_follows: bool = False,
    is_record: Callable[[range, range], bool] = lambda rest, last: False,
    has_gaps: Callable[[Sequence[range]], bool] = lambda spans: False,
    prefer_coverage: bool = False,
) -> list[range]:
    """Return the records as spans of letters: the instances of the best tandem repeat.

    Of several, the one is taken that most often stops right before auxiliary nodes, because nobody inserts them into a
    record; then one with larger gaps between its instances than inside them (``has_gaps``); then the one that starts first;
    then the one that covers most of the tree (``sizes`` are the nodes below each sibling). With ``prefer_coverage``, the
    repeats that cover most come first, and these rules decide between rotations such as ``AB`` and ``BA``. Between
    rotations alike in stops and gaps, the one is taken that stops at the last letter, if ``auxiliary_follows`` says that
    an auxiliary node stands after it. Letters after the last instance of a block are a record if ``is_record`` says so, and
    so are those before the first instance of a rotation that was taken for where it stops.
    """
    text = "".join([_AUXILIARY if letter is None else chr(letter + 1) for letter in letters])
    blocks = [range(*match.span()) for match in _BLOCK.finditer(text)]
    words = _repeated_words(text, blocks) or _words_in_pieces(text, blocks)
    ends = {block.stop for block in blocks if block.stop < len(letters)}
    candidates: list[_Candidate] = []
    for word in words:
        instances = _instances(text, blocks, word)
        if len(instances) < 2:
            continue
        records = sorted(instances + _cut_short(text, blocks, instances, is_record), key=lambda span: span.start)
        candidates.append(
            _Candidate(
                records,
                cycle=min(word[start:] + word[:start] for start in range(len(word))),
                covered=sum([sum(sizes[span.start : span.stop]) for span in records]),
                stops=sum(span.stop in ends for span in instances),
                has_gaps=has_gaps(instances),
                start=instances[0].start,
                stops_last=auxiliary_follows and instances[-1].stop == len(letters),
            )
        )
    most_covered: dict[str, int] = {}
    for candidate in candidates:
        most_covered[candidate.cycle] = max(candidate.covered, most_covered.get(candidate.cycle, 0))

    def rank(candidate: _Candidate) -> tuple[int, ...]:
        if prefer_coverage:
            return most_covered[candidate.cycle], *candidate.by_coverage()
        return candidate.by_heuristics()

    best = max(candidates, key=rank, default=_NO_CANDIDATE)
    rotations = [candidate for candidate in candidates if candidate.cycle == best.cycle]
    chosen = max(
        rotations,
        key=lambda candidate: (candidate.stops, candidate.has_gaps, candidate.stops_last, rank(candidate)),
        default=_NO_CANDIDATE,
    )
    before = range(chosen.start)
    word = text[chosen.start : chosen.start + len(chosen.cycle)]
    if chosen.stops_last and before and word.endswith(text[: chosen.start]) and is_record(before, chosen.records[-1]):
        return [before, *chosen.records]
    return chosen.records


class _Candidate(NamedTuple):
    """A tandem repeat, and what speaks for it."""

    records: list[range]
    cycle: str
    """The word, turned so that all of its rotations have the same."""
    covered: int
    stops: int
    has_gaps: bool
    start: int
    stops_last: bool = False
    """Is there an auxiliary node right after the region, and does the last instance stop there?"""

    def by_heuristics(self) -> tuple[int, bool, int, int]:
        """Return the key of the paper's three heuristics; coverage decides where they do not."""
        return self.stops, self.has_gaps, -self.start, self.covered

    def by_coverage(self) -> tuple[int, bool, int, int]:
        """Return the key in which coverage comes before the third heuristic."""
        return self.stops, self.has_gaps, self.covered, -self.start


_NO_CANDIDATE = _Candidate([], "", 0, 0, False, 0)


def _repeated_words(text: str, blocks: Sequence[range]) -> list[str]:
    """The words that stand twice in a row in some block and repeat nothing themselves, those of the longest runs first."""
    found: Counter[str] = Counter()
    for block in blocks:
        for width in range(1, min(_WIDEST, len(block) // 2) + 1):
            for run in _runs(text, block, width):
                for start in range(run.start, min(run.start + width, run.stop - width + 1)):
                    found[text[start : start + width]] += len(run)
    primitive = [word for word, _ in found.most_common(2 * _MOST_WORDS) if _is_primitive(word)]
    return primitive[:_MOST_WORDS]


def _runs(text: str, block: range, width: int) -> Iterator[range]:
    """Where letters equal those ``width`` further on, for so long that a word is repeated."""
    start = block.start
    last = block.stop - width
    for place in range(block.start, last + 1):
        if place == last or text[place] != text[place + width]:
            if place - start >= width:
                yield range(start, place)
            start = place + 1


def _is_primitive(word: str) -> bool:
    return (word + word).find(word, 1) == len(word)


def _words_in_pieces(text: str, blocks: Sequence[range]) -> list[str]:
    """Where auxiliary nodes part every record from the next: whole blocks that come more than once, else single letters."""
    whole = Counter(text[block.start : block.stop] for block in blocks)
    words = [word for word, count in whole.most_common(_MOST_WORDS) if count > 1]
    single = Counter(text.replace(_AUXILIARY, ""))
    return words or [letter for letter, _ in single.most_common(_MOST_WORDS)]


def _instances(text: str, blocks: Sequence[range], word: str) -> list[range]:
    """Where the word stands, from left to right and without overlaps."""
    found: list[range] = []
    for block in blocks:
        start = text.find(word, block.start, block.stop)
        while start >= 0:
            found.append(range(start, start + len(word)))
            start = text.find(word, start + len(word), block.stop)
    return found


def _cut_short(
    text: str, blocks: Sequence[range], spans: Sequence[range], is_record: Callable[[range, range], bool]
) -> list[range]:
    """Return the last record of a block where it lacks the end of the others: the last of a list has no rule below it."""
    last_stops = {_block_of(blocks, span): span.stop for span in spans}
    word = text[spans[0].start : spans[0].stop]
    rests = [range(stop, block.stop) for block, stop in last_stops.items() if stop < block.stop]
    return [rest for rest in rests if word.startswith(text[rest.start : rest.stop]) and is_record(rest, spans[-1])]


def _block_of(blocks: Sequence[range], span: range) -> range:
    return blocks[bisect_right(blocks, span.start, key=lambda block: block.start) - 1]
