"""How much two values look like each other."""

from __future__ import annotations

from unweave.values.parsing import detect_type


def compare_values(left: str, right: str) -> float:
    """Return how much two texts look like values of one field, from 0 to 1.

    Values of different types do not; others do by their digits and their lengths.
    """
    if left == right:
        return 1.0
    if detect_type(left) != detect_type(right):
        return 0.0
    left_has_digits, right_has_digits = (any(map(str.isdigit, text)) for text in (left, right))
    shorter, longer = sorted((len(left), len(right)))
    return 0.4 + 0.3 * (left_has_digits == right_has_digits) + 0.3 * shorter / max(1, longer)
