"""Edit distance of tag strings, normalized by their mean length (MDR, section 3.2.2).

Symbols are whole tags, one character each; insertion, deletion and replacement cost one.
"""

from __future__ import annotations

import math

from rapidfuzz.distance import Levenshtein

FLOAT_TOLERANCE = 1e-9
"""Floats such as 0.3 are slightly less than the decimal: 0.3 * 20 / 2 must allow three edits."""

# For shorter strings, or more different symbols, the bit-parallel distance is faster than counting
# symbols first.
_MIN_COUNTING_LENGTH = 400
_MAX_COUNTED_SYMBOLS = 64


def compute_distance(left: str, right: str, *, cutoff: int | None = None) -> int:
    """Return the least number of edits between two strings; ``cutoff + 1`` if it is above."""
    if (
        cutoff is not None
        and len(left) > _MIN_COUNTING_LENGTH
        and _compute_lower_bound(left, right) > cutoff
    ):
        return cutoff + 1
    return Levenshtein.distance(left, right, score_cutoff=cutoff)


def compute_normalized_distance(left: str, right: str, *, cutoff: float | None = None) -> float:
    """Return the distance over the mean length, from 0 to 2; infinity if it is above ``cutoff``."""
    total_length = len(left) + len(right)
    if not total_length:
        return 0.0
    if cutoff is None:
        return 2 * compute_distance(left, right) / total_length
    max_edits = count_allowed_edits(total_length, cutoff)
    edits = compute_distance(left, right, cutoff=max_edits)
    return 2 * edits / total_length if edits <= max_edits else math.inf


def are_similar(left: str, right: str, threshold: float) -> bool:
    """Tell whether the normalized distance is at most the threshold."""
    if left == right:
        return True
    max_edits = count_allowed_edits(len(left) + len(right), threshold)
    if abs(len(left) - len(right)) > max_edits:
        return False
    return compute_distance(left, right, cutoff=max_edits) <= max_edits


def count_allowed_edits(total_length: int, threshold: float) -> int:
    """Return the largest distance of strings whose normalized distance is within a threshold."""
    return int(threshold * total_length / 2 + FLOAT_TOLERANCE)


def _compute_lower_bound(left: str, right: str) -> int:
    """Return a lower bound: symbols that one string has more often must each be edited."""
    symbols = set(left) | set(right)
    if len(symbols) > _MAX_COUNTED_SYMBOLS:
        return 0
    more_in_left = more_in_right = 0
    for symbol in symbols:
        difference = left.count(symbol) - right.count(symbol)
        if difference > 0:
            more_in_left += difference
        else:
            more_in_right -= difference
    return max(more_in_left, more_in_right)
