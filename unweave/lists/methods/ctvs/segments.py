"""Segment a data region into records: the best tandem repeat among its letters (section II-B)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Letters = Sequence[int | None]
"""One letter for each sibling: the number of its group of similar siblings; None for an auxiliary
node, in no group.
"""

_AUXILIARY = "\0"
_BLOCK = re.compile("[^\0]+")
_MAX_WORD_LENGTH = 20
_MAX_WORDS = 40


class _Repeat(NamedTuple):
    """A tandem repeat, and the facts by which it is ranked."""

    records: list[range]
    cycle: str
    """The least rotation of the word, which is the same for all its rotations."""
    covered: int
    """The number of nodes of the tree in the records."""
    stops: int
    """How many instances stop right before an auxiliary node."""
    has_gaps: bool
    start: int
    stops_last: bool = False
    """Whether an auxiliary node follows the region, and the last instance stops there."""

    def rank_by_heuristics(self) -> tuple[int, bool, int, int]:
        """Return the key of the paper's three heuristics; coverage decides between equals."""
        return self.stops, self.has_gaps, -self.start, self.covered

    def rank_by_coverage(self) -> tuple[int, bool, int, int]:
        """Return the key in which coverage comes before the third heuristic."""
        return self.stops, self.has_gaps, self.covered, -self.start


_NO_REPEAT = _Repeat([], "", 0, 0, False, 0)


def segment_letters(
    letters: Letters,
    sizes: Sequence[int],
    *,
    auxiliary_follows: bool = False,
    is_record: Callable[[range, range], bool] = lambda rest, last: False,
    has_gaps: Callable[[Sequence[range]], bool] = lambda spans: False,
    prefer_coverage: bool = False,
) -> list[range]:
    """Return the records as spans of letters: the instances of the best tandem repeat.

    Repeats are ranked by how often they stop right before auxiliary nodes, because nobody inserts
    these into a record; then by larger gaps between instances than inside them (``has_gaps``);
    then by their start, the first one first; then by how much of the tree they cover (``sizes`` are
    the numbers of nodes below each sibling). With ``prefer_coverage``, coverage comes first, and
    these rules decide between rotations such as ``AB`` and ``BA``.

    Between rotations that are equal in stops and gaps, one that stops at the last letter is taken
    if an auxiliary node follows it (``auxiliary_follows``). Letters after the last instance of a
    block are a record if ``is_record`` accepts them, and so are those before the first instance of
    a rotation that was taken because of its stop.
    """
    text = "".join([_AUXILIARY if letter is None else chr(letter + 1) for letter in letters])
    blocks = [range(*match.span()) for match in _BLOCK.finditer(text)]
    words = _find_repeated_words(text, blocks) or _find_recurring_words(text, blocks)
    block_stops = {block.stop for block in blocks if block.stop < len(letters)}
    repeats: list[_Repeat] = []
    for word in words:
        instances = _find_instances(text, blocks, word)
        if len(instances) < 2:
            continue
        incomplete = _find_incomplete_records(text, blocks, instances, is_record)
        records = sorted(instances + incomplete, key=lambda span: span.start)
        repeats.append(
            _Repeat(
                records,
                cycle=min(word[start:] + word[:start] for start in range(len(word))),
                covered=sum([sum(sizes[span.start : span.stop]) for span in records]),
                stops=sum(span.stop in block_stops for span in instances),
                has_gaps=has_gaps(instances),
                start=instances[0].start,
                stops_last=auxiliary_follows and instances[-1].stop == len(letters),
            )
        )
    max_covered: dict[str, int] = {}
    for repeat in repeats:
        max_covered[repeat.cycle] = max(repeat.covered, max_covered.get(repeat.cycle, 0))

    def rank(repeat: _Repeat) -> tuple[int, ...]:
        if prefer_coverage:
            return max_covered[repeat.cycle], *repeat.rank_by_coverage()
        return repeat.rank_by_heuristics()

    best = max(repeats, key=rank, default=_NO_REPEAT)
    chosen = max(
        [repeat for repeat in repeats if repeat.cycle == best.cycle],
        key=lambda repeat: (repeat.stops, repeat.has_gaps, repeat.stops_last, rank(repeat)),
        default=_NO_REPEAT,
    )
    before = range(chosen.start)
    word = text[chosen.start : chosen.start + len(chosen.cycle)]
    is_end_of_word = bool(before) and word.endswith(text[: chosen.start])
    if chosen.stops_last and is_end_of_word and is_record(before, chosen.records[-1]):
        return [before, *chosen.records]
    return chosen.records


def _find_repeated_words(text: str, blocks: Sequence[range]) -> list[str]:
    """Return the primitive words that are twice in a row in some block, those of the longest runs
    first.
    """
    run_lengths: Counter[str] = Counter()
    for block in blocks:
        for width in range(1, min(_MAX_WORD_LENGTH, len(block) // 2) + 1):
            for run in _find_runs(text, block, width):
                for start in range(run.start, min(run.start + width, run.stop - width + 1)):
                    run_lengths[text[start : start + width]] += len(run)
    words = [word for word, _ in run_lengths.most_common(2 * _MAX_WORDS)]
    # A word is primitive if it repeats no shorter word: it is in its square only at the two ends.
    return [word for word in words if (word + word).find(word, 1) == len(word)][:_MAX_WORDS]


def _find_runs(text: str, block: range, width: int) -> Iterator[range]:
    """Yield the runs of letters that equal those ``width`` further on and repeat a word."""
    start = block.start
    last = block.stop - width
    for position in range(block.start, last + 1):
        if position == last or text[position] != text[position + width]:
            if position - start >= width:
                yield range(start, position)
            start = position + 1


def _find_recurring_words(text: str, blocks: Sequence[range]) -> list[str]:
    """Return blocks that occur more than once, else single letters: auxiliary nodes may separate
    all records.
    """
    whole = Counter(text[block.start : block.stop] for block in blocks)
    words = [word for word, count in whole.most_common(_MAX_WORDS) if count > 1]
    letters = Counter(text.replace(_AUXILIARY, ""))
    return words or [letter for letter, _ in letters.most_common(_MAX_WORDS)]


def _find_instances(text: str, blocks: Sequence[range], word: str) -> list[range]:
    """Return where the word occurs, from left to right and without overlaps."""
    instances: list[range] = []
    for block in blocks:
        start = text.find(word, block.start, block.stop)
        while start >= 0:
            instances.append(range(start, start + len(word)))
            start = text.find(word, start + len(word), block.stop)
    return instances


def _find_incomplete_records(
    text: str,
    blocks: Sequence[range],
    instances: Sequence[range],
    is_record: Callable[[range, range], bool],
) -> list[range]:
    """Return the last records of blocks that lack the end of the others: the last of a list has no
    rule below it.
    """
    last_stops: dict[range, int] = {}
    for span in instances:
        index = bisect_right(blocks, span.start, key=lambda block: block.start) - 1
        last_stops[blocks[index]] = span.stop
    word = text[instances[0].start : instances[0].stop]
    records: list[range] = []
    for block, stop in last_stops.items():
        rest = range(stop, block.stop)
        is_start_of_word = bool(rest) and word.startswith(text[rest.start : rest.stop])
        if is_start_of_word and is_record(rest, instances[-1]):
            records.append(rest)
    return records
