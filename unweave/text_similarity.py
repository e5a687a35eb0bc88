"""Compare texts by the words that they share."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+")

TermCounts = Counter[str]
"""The words of a text in lower case, with the number of their occurrences."""


def list_terms(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.casefold())


def count_terms(text: str) -> TermCounts:
    """Count the words of a text, ignoring case."""
    return Counter(list_terms(text))


def compute_dice(left: TermCounts, right: TermCounts) -> float:
    """Return the Dice coefficient of two bags of words: the share of words in common, 0 to 1."""
    common = sum([min(count, right[word]) for word, count in left.items() if word in right])
    return 2 * common / (left.total() + right.total()) if common else 0.0
