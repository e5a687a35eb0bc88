"""What values of a field look like, and how much two values look like values of one field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from unweave.values.parsing import detect_type
from unweave.values.types import Type

_NUMBER = re.compile(r"\d[\d.,]*")
# What an agreement says: texts of one type, numbers with the same words, any two texts.
_SAME_TYPE, _SAME_NUMBER_TYPE, _SAME_WORDS, _TEXTS = 0.9, 0.7, 0.9, 0.4
_LENGTHS = 0.3
_NUMBER_TYPES = frozenset([Type.INTEGER, Type.NUMBER])

_WORD = re.compile(r"[^\W\d_]+")
_MIN_VALUES = 5  # fewer have too much in common by chance
_MAX_WORDS = 20
_MAX_WORD_LENGTH = 40
_MAX_COMPARED_LENGTH = 1_000
# A text is far longer than others if it is so many times as long, and so many characters more.
_MAX_LENGTH_RATIO = 3
_MIN_EXCESS = 20


class ValueLook(NamedTuple):
    """What the values of a field look like; an empty look says nothing."""

    has_digit: bool = False
    """All values have a digit."""
    words: tuple[str, ...] = ()
    """The words that all values have, in lower case."""
    type: Type | None = None
    """The type of all values, if it is another one than text."""
    max_length: int = 0
    """The length of the longest value in characters; 0 if it is not known."""
    is_distinct: bool = False
    """No two pages have the same value."""

    @classmethod
    def measure(cls, texts: Sequence[str]) -> ValueLook:
        """Return what texts have in common; an empty look if too few of them differ."""
        distinct = sorted(set(texts))
        if len(distinct) < _MIN_VALUES:
            return cls()
        counts = Counter(word for text in distinct for word in set(_list_words(text)))
        words = [word for word, count in counts.items() if count == len(distinct)]
        types = set(map(detect_type, distinct))
        return cls(
            has_digit=all(map(_has_digit, distinct)),
            words=tuple(sorted(words)[:_MAX_WORDS]),
            type=types.pop() if len(types) == 1 and Type.STRING not in types else None,
            max_length=max(map(len, distinct)),
            is_distinct=len(distinct) == len(texts),
        )

    def fits(self, text: str) -> bool:
        """Tell whether a text has a digit if all values have, and one of the words of all."""
        if self.has_digit and not _has_digit(text):
            return False
        return not self.words or not set(self.words).isdisjoint(_list_words(text))

    def is_usual(self, text: str) -> bool:
        """Tell whether a text has the type and the words of all values, and is not far longer."""
        if not self.fits(text):
            return False
        if self.max_length and len(text) > _MAX_LENGTH_RATIO * self.max_length + _MIN_EXCESS:
            return False
        return self.type is None or detect_type(text) != Type.STRING

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            **({"digit": True} if self.has_digit else {}),
            **({"words": list(self.words)} if self.words else {}),
            **({"type": self.type.value} if self.type else {}),
            **({"length": self.max_length} if self.max_length else {}),
            **({"distinct": True} if self.is_distinct else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ValueLook:
        """Read untrusted plain data."""
        words = data.get("words", [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError("the words of values are not a list of texts")
        max_length = int(data.get("length", 0))
        if max_length < 0:
            raise ValueError("the length of values is negative")
        return cls(
            has_digit=data.get("digit") is True,
            words=tuple([word[:_MAX_WORD_LENGTH] for word in words[:_MAX_WORDS]]),
            type=Type(data["type"]) if "type" in data else None,
            max_length=max_length,
            is_distinct=data.get("distinct") is True,
        )


NO_LOOK = ValueLook()
"""The look of values that have nothing in common, or are not known."""


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


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text[:_MAX_COMPARED_LENGTH]))


def _list_words(text: str) -> list[str]:
    words = _WORD.findall(text[:_MAX_COMPARED_LENGTH].casefold())
    return [word[:_MAX_WORD_LENGTH] for word in words]
