"""Edit distance of tag strings, normalized by their mean length (MDR, section 3.2.2).

Symbols are whole tags, one character each; insertion, deletion and replacement cost one.
"""

from __future__ import annotations

import math

from rapidfuzz.distance import Levenshtein

# Below this length, or with more different symbols, the bit-parallel distance is cheaper than counting symbols first.
_COUNTING_PAYS = 400
_MOST_SYMBOLS = 64
# Floats such as 0.3 lie a hair beside the decimal that was meant: 0.3 * 20 / 2 must allow 3 edits.
FLOAT_TOLERANCE = 1e-9


def compute_distance(a: str, b: str, *, cutoff: int | None = None) -> int:
    """The least number of edits that turns a into b; any number above ``cutoff`` is given as ``cutoff + 1``."""
    if cutoff is not None and len(a) > _COUNTING_PAYS and _surplus(a, b) > cutoff:
        return cutoff + 1
    return Levenshtein.distance(a, b, score_cutoff=cutoff)


def compute_normalized_distance(a: str, b: str, *, cutoff: float | None = None) -> float:
    """``distance`` over the mean length, from 0 (equal) to 2; above ``cutoff`` it is given as infinity."""
    total = len(a) + len(b)
    if not total:
        return 0.0
    if cutoff is None:
        return 2 * compute_distance(a, b) / total
    allowed = count_allowed_edits(total, cutoff)
    edits = compute_distance(a, b, cutoff=allowed)
    return 2 * edits / total if edits <= allowed else math.inf


def are_similar(a: str, b: str, threshold: float) -> bool:
    """Is the normalized distance at most the threshold?"""
    if a == b:
        return True
    allowed = count_allowed_edits(len(a) + len(b), threshold)
    if abs(len(a) - len(b)) > allowed:
        return False
    return compute_distance(a, b, cutoff=allowed) <= allowed


def count_allowed_edits(total_length: int, threshold: float) -> int:
    """The largest distance that two strings of this total length may have at this normalized distance."""
    return int(threshold * total_length / 2 + FLOAT_TOLERANCE)


def _surplus(a: str, b: str) -> int:
    """A lower bound of the distance: symbols that one string has more often than the other must each be edited."""
    more_in_a = more_in_b = 0
    symbols = set(a) | set(b)
    if len(symbols) > _MOST_SYMBOLS:
        return 0
    for symbol in symbols:
        difference = a.count(symbol) - b.count(symbol)
        if difference > 0:
            more_in_a += difference
        else:
            more_in_b -= difference
    return max(more_in_a, more_in_b)
