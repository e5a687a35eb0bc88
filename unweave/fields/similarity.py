"""How alike two values are (CTVS, section III-A, Table 1)."""

from __future__ import annotations

import math
from collections import Counter

from unweave.fields.types import Type, type_of

_RELATED = 0.5
# Longer texts are prose: their beginnings tell enough, and two pages of text must not cost as much as a whole list.
_MOST_WORDS = 60


# The types that the text of the paper does not name, and the nearest of those that it names.
_TYPES_AS_PRINTED = {Type.TIME: Type.DATETIME, Type.PERCENTAGE: Type.STRING}


class Similarity:
    """The similarity of values, from 0 to 1. What was worked out for two values is not worked out again.

    As ``printed``, there are only the types that the paper names (string, datetime, date, float, integer, price), and two
    types with a common parent are half alike, as its prose says, besides parent and child, as its formula and Table 1 say.
    """

    def __init__(self, *, printed: bool = False) -> None:
        self._printed = printed
        self._known: dict[tuple[str, str], float] = {}
        self._words: dict[str, tuple[Counter[str], float]] = {}

    def __call__(self, one: str, other: str) -> float:
        """1 for the same specific type, a half if one is the other's parent, the cosine of two strings, else 0."""
        if one == other:
            return 1.0
        pair = (one, other) if one < other else (other, one)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._of(one, other)
        return known

    def _of(self, one: str, other: str) -> float:
        first, second = type_of(one), type_of(other)
        if self._printed:
            first, second = _TYPES_AS_PRINTED.get(first, first), _TYPES_AS_PRINTED.get(second, second)
        if first is second:
            return self._cosine(one, other) if first is Type.STRING else 1.0
        if Type.STRING in (first, second):
            return 0.0
        is_related = first is second.parent or second is first.parent
        return _RELATED if is_related or (self._printed and first.parent is second.parent) else 0.0

    def _cosine(self, one: str, other: str) -> float:
        """Of the counts of words as they are: no stop list, no weights."""
        first, first_length = self._counted(one)
        second, second_length = self._counted(other)
        shared = sum([first[word] * second[word] for word in first.keys() & second.keys()])
        return shared / (first_length * second_length) if shared else 0.0

    def _counted(self, text: str) -> tuple[Counter[str], float]:
        """The words of a text, and the length of their vector."""
        known = self._words.get(text)
        if known is None:
            words = Counter(text.split(None, _MOST_WORDS)[:_MOST_WORDS])
            known = self._words[text] = words, math.sqrt(sum([count * count for count in words.values()]))
        return known
