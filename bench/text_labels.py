"""Labels of blocks: which share of each is in the true text of its page, and in its place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_GRAM = 3
_SHORT = 4  # words; shorter blocks must be in the text as a whole, beside their neighbours
_MAX_NEIGHBOURS, _MAX_DISTANCE = 12, 12
_SWEEPS = 3


def split_words(text: str | None) -> list[str]:
    """Return the words of a text as the scorer counts them."""
    return _WORD.findall((text or "").lower())


def label_blocks(blocks: Sequence[Sequence[str]], truth: Sequence[str]) -> list[float]:
    """Return for each block, as words, the share of it that is in the truth, or 0.

    Long blocks are looked up by their runs of three words. Short ones count if the truth has them
    close to where it has the blocks before or after.
    """
    grams: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number in range(len(truth) - _GRAM + 1):
        grams[tuple(truth[number : number + _GRAM])].append(number)
    words: dict[str, list[int]] = defaultdict(list)
    for number, word in enumerate(truth):
        words[word].append(number)
    shares = [0.0] * len(blocks)
    places: list[tuple[int, int] | None] = [None] * len(blocks)
    for number, block in enumerate(blocks):
        if len(block) >= _SHORT:
            shares[number], start = _look_up(block, grams)
            if start is not None and shares[number] > 0.5:
                places[number] = (start, start + len(block))
    truth = list(truth)
    for sweep in range(_SWEEPS):
        order = range(len(blocks)) if sweep % 2 == 0 else reversed(range(len(blocks)))
        for number in order:
            block = blocks[number]
            is_short = len(block) < _SHORT
            if places[number] or not block or (not is_short and shares[number] <= 0.5):
                continue
            wanted = _expect_starts(places, number, len(block))
            starts = words.get(block[0], []) if is_short else grams.get(tuple(block[:_GRAM]), [])
            near = [
                (min(abs(start - each) for each in wanted), start)
                for start in (starts if wanted else [])
                if not is_short or truth[start : start + len(block)] == block
            ]
            if near and min(near)[0] <= _MAX_DISTANCE:
                start = min(near)[1]
                places[number] = (start, start + len(block))
                if is_short:
                    shares[number] = 1.0
    return [share if place else 0.0 for share, place in zip(shares, places, strict=True)]


def _look_up(
    block: Sequence[str], grams: dict[tuple[str, ...], list[int]]
) -> tuple[float, int | None]:
    """Return the share of a block that is in the truth, and where, if that is sure."""
    is_found = [False] * len(block)
    starts: list[int] = []
    for number in range(len(block) - _GRAM + 1):
        places = grams.get(tuple(block[number : number + _GRAM]))
        if places:
            is_found[number : number + _GRAM] = [True] * _GRAM
            if len(places) == 1:
                starts.append(places[0] - number)
    starts.sort()
    return sum(is_found) / len(block), starts[len(starts) // 2] if starts else None


def _expect_starts(places: Sequence[tuple[int, int] | None], number: int, length: int) -> list[int]:
    """Return where the truth may have a block, by the nearest blocks that it has."""
    expected: list[int] = []
    for other in range(number - 1, max(-1, number - _MAX_NEIGHBOURS), -1):
        place = places[other]
        if place:
            expected.append(place[1])
            break
    for other in range(number + 1, min(len(places), number + _MAX_NEIGHBOURS)):
        place = places[other]
        if place:
            expected.append(place[0] - length)
            break
    return expected
