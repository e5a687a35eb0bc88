"""Record segmentation: which tandem repeat among the letters of a region are its records (section 2.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

Letters = Sequence[int | None]
"""One letter a sibling: the group of those that are alike. None is an auxiliary node, which is like no other."""

Word = tuple[int | None, ...]

_WIDEST = 20
_MOST_WORDS = 40


def segment(
    letters: Letters,
    sizes: Sequence[int],
    *,
    alike: Callable[[range, range], bool] = lambda one, other: False,
    well_parted: Callable[[Sequence[range]], bool] = lambda spans: False,
) -> list[range]:
    """The records as spans of letters.

    Of several tandem repeats, the one that covers most of the tree is taken (``sizes`` are the nodes below each sibling);
    then the one that more often stops right before auxiliary nodes, because nobody inserts them into a record; then the
    one with more room between its instances than inside them (``well_parted``); then the first.
    """
    blocks = list(_blocks(letters))
    words = _repeated_words(letters, blocks) or _words_in_pieces(letters, blocks)
    ends = {block.stop for block in blocks if block.stop < len(letters)}

    def worth(spans: Sequence[range]) -> tuple[int, int, bool, int]:
        covered = sum([sum(sizes[span.start : span.stop]) for span in spans])
        return covered, sum(span.stop in ends for span in spans), well_parted(spans), -spans[0].start

    candidates = [
        sorted(spans + _cut_short(letters, blocks, spans, alike), key=lambda span: span.start)
        for word in words
        if len(spans := _instances(letters, blocks, word)) > 1
    ]
    return max(candidates, key=worth, default=[])


def _blocks(letters: Letters) -> Iterator[range]:
    """The runs without auxiliary nodes."""
    start = 0
    for place, letter in enumerate([*letters, None]):
        if letter is None:
            if place > start:
                yield range(start, place)
            start = place + 1


def _repeated_words(letters: Letters, blocks: Sequence[range]) -> list[Word]:
    """The words that stand twice in a row in some block and repeat nothing themselves, those of the longest runs first."""
    found: Counter[Word] = Counter()
    for block in blocks:
        for width in range(1, min(_WIDEST, len(block) // 2) + 1):
            for run in _runs(letters, block, width):
                for start in range(run.start, min(run.start + width, run.stop - width + 1)):
                    found[tuple(letters[start : start + width])] += len(run)
    primitive = [word for word, _ in found.most_common(2 * _MOST_WORDS) if _is_primitive(word)]
    return primitive[:_MOST_WORDS]


def _runs(letters: Letters, block: range, width: int) -> Iterator[range]:
    """Where letters equal those ``width`` further on, for so long that a word is repeated."""
    start = block.start
    last = block.stop - width
    for place in range(block.start, last + 1):
        if place == last or letters[place] != letters[place + width]:
            if place - start >= width:
                yield range(start, place)
            start = place + 1


def _is_primitive(word: Word) -> bool:
    length = len(word)
    return not any(length % part == 0 and word == word[:part] * (length // part) for part in range(1, length))


def _words_in_pieces(letters: Letters, blocks: Sequence[range]) -> list[Word]:
    """Where auxiliary nodes part every record from the next: whole blocks that come more than once, else single letters."""
    whole = Counter(tuple(letters[block.start : block.stop]) for block in blocks)
    words: list[Word] = [word for word, count in whole.items() if count > 1]
    return words or [(letter,) for letter in dict.fromkeys(letters) if letter is not None]


def _instances(letters: Letters, blocks: Sequence[range], word: Word) -> list[range]:
    """Where the word stands, from left to right and without overlaps."""
    found: list[range] = []
    for block in blocks:
        start = block.start
        while start + len(word) <= block.stop:
            if tuple(letters[start : start + len(word)]) == word:
                found.append(range(start, start + len(word)))
                start += len(word)
            else:
                start += 1
    return found


def _cut_short(
    letters: Letters, blocks: Sequence[range], spans: Sequence[range], alike: Callable[[range, range], bool]
) -> list[range]:
    """The last record of a block where it lacks the end of the others, as the last of a list lacks the rule below it."""
    last_stops = {_block_of(blocks, span): span.stop for span in spans}
    word = [letters[place] for place in spans[0]]
    found: list[range] = []
    for block, stop in last_stops.items():
        rest = range(stop, block.stop)
        if rest and [letters[place] for place in rest] == word[: len(rest)] and alike(rest, spans[-1]):
            found.append(rest)
    return found


def _block_of(blocks: Sequence[range], span: range) -> range:
    return blocks[bisect_right(blocks, span.start, key=lambda block: block.start) - 1]
