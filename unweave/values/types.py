"""The types of values, columns and fields, and which of them belong together."""

from __future__ import annotations

from enum import StrEnum


class Type(StrEnum):
    """The type of a text, column or field.

    The types of texts form the tree of CTVS (section III-A, Figure 2): every child is a special
    case of its parent. The paper calls ``NUMBER`` a float. ``URL``, ``IMAGE`` and ``LIST`` are
    types of columns only.
    """

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    PERCENTAGE = "percentage"
    PRICE = "price"
    DATE = "date"
    DATETIME = "datetime"
    TIME = "time"
    BOOLEAN = "boolean"
    URL = "url"
    IMAGE = "image"
    LIST = "list"

    __repr__ = str.__repr__  # users see plain text in columns

    @property
    def parent(self) -> Type | None:
        """The type that this type is a special case of."""
        return _PARENTS.get(self)


_PARENTS = {
    Type.INTEGER: Type.NUMBER,
    Type.NUMBER: Type.STRING,
    Type.PERCENTAGE: Type.STRING,
    Type.PRICE: Type.STRING,
    Type.DATE: Type.DATETIME,
    Type.TIME: Type.DATETIME,
    Type.DATETIME: Type.STRING,
}

WIDER_TYPES = {Type.INTEGER: Type.NUMBER, Type.DATE: Type.DATETIME}
"""Types whose values are also values of a wider type, which a column with both types has."""

FRACTIONAL = frozenset([Type.NUMBER, Type.PERCENTAGE, Type.PRICE])
NUMERIC = FRACTIONAL | {Type.INTEGER}
DATES = frozenset([Type.DATE, Type.DATETIME])
TEMPORAL = DATES | {Type.TIME}
TYPED = NUMERIC | TEMPORAL | {Type.BOOLEAN}
"""The types whose texts are parsed to values."""
