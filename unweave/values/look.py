"""How much two values look like values of one field."""

from __future__ import annotations

import re

from unweave.values.parsing import detect_type
from unweave.values.types import Type

_NUMBER = re.compile(r"\d[\d.,]*")
# What an agreement says: texts of one type, numbers with the same words, any two texts.
_SAME_TYPE, _SAME_NUMBER_TYPE, _SAME_WORDS, _TEXTS = 0.9, 0.7, 0.9, 0.4
_LENGTHS = 0.3
_NUMBER_TYPES = frozenset([Type.INTEGER, Type.NUMBER])


def compare_values(left: str, right: str) -> float:
    """Return how much two texts look like values of one field, from 0 to 1.

    Values of different types do not, nor does a text with a number look like one without. Numbers
    with the same words, as in "610 g" and "185 g", look alike; other texts by their lengths.
    """
    if left == right:
        return 1.0
    type_ = detect_type(left)
    if type_ != detect_type(right):
        return 0.0
    if type_ != Type.STRING:
        return _SAME_NUMBER_TYPE if type_ in _NUMBER_TYPES else _SAME_TYPE
    left_words, right_words = (_NUMBER.sub("0", text).casefold() for text in (left, right))
    if (left_words == left.casefold()) != (right_words == right.casefold()):
        return 0.0
    if left_words == right_words:
        return _SAME_WORDS
    if left_words != left.casefold():
        words, others = set(left_words.split()) - {"0"}, set(right_words.split()) - {"0"}
        return _SAME_WORDS * len(words & others) / max(1, len(words | others))
    shorter, longer = sorted((len(left), len(right)))
    return _TEXTS + _LENGTHS * shorter / max(1, longer)
