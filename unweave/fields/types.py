"""The tree of types, and which of them a text has (CTVS, section III-A and Figure 2).

Every child is a special case of its parent; a text gets the deepest type that fits it as a whole. Types are asked for
every text of a page, so nothing here is slow: shapes decide, and what a text is worth is worked out in ``values``.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from unweave.fields.dates import Parts, parts_of
from unweave.fields.numbers import is_integer, is_number, is_percentage, is_price

# Longer texts are prose, whatever they hold.
_LONGEST = 60
_BRACKETS = {"(": ")", "[": "]"}


class Type(StrEnum):
    """What a text is."""

    STRING = "string"
    DATETIME = "datetime"
    DATE = "date"
    TIME = "time"
    FLOAT = "float"
    INTEGER = "integer"
    PRICE = "price"
    PERCENTAGE = "percentage"

    @property
    def parent(self) -> Type | None:
        """The type that this one is a special case of."""
        return _PARENTS.get(self)


_PARENTS = {
    Type.DATETIME: Type.STRING,
    Type.DATE: Type.DATETIME,
    Type.TIME: Type.DATETIME,
    Type.FLOAT: Type.STRING,
    Type.INTEGER: Type.FLOAT,
    Type.PRICE: Type.STRING,
    Type.PERCENTAGE: Type.STRING,
}

_DATE_TYPES = {Parts.DATE: Type.DATE, Parts.TIME: Type.TIME, Parts.BOTH: Type.DATETIME}


def type_of(text: str) -> Type:
    """The deepest type that the whole text fits."""
    return Type.STRING if len(text) > _LONGEST else _type_of(text)


@lru_cache(maxsize=65_536)
def _type_of(text: str) -> Type:
    if not any(map(str.isdigit, text)):
        return Type.STRING
    text = without_brackets(text)
    if is_integer(text):
        return Type.INTEGER
    if is_number(text):
        return Type.FLOAT
    if is_percentage(text):
        return Type.PERCENTAGE
    if is_price(text):
        return Type.PRICE
    return _DATE_TYPES.get(parts_of(text), Type.STRING)


def without_brackets(text: str) -> str:
    """The text without one pair of brackets around it: counts and years are often given so."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and _BRACKETS.get(text[0]) == text[-1] else text
