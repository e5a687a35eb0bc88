"""Detect the type of a text and parse its value. Ambiguous texts have a type but no value."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from unweave.values.dates import DateOrder, parse_moment
from unweave.values.numbers import (
    contains_ambiguous_comma,
    is_ambiguous_number,
    is_integer,
    is_number,
    is_percentage,
    is_price,
    parse_amount,
)
from unweave.values.types import Type

MAX_VALUE_LENGTH = 60  # longer texts are prose
MAX_INTEGER = 2**63 - 1  # the largest integer of databases and columnar formats
_BRACKETS = {"(": ")", "[": "]"}


class Price(NamedTuple):
    """An amount and its currency, as the text writes it."""

    amount: Decimal
    currency: str


Value = int | Decimal | Price | date | time | datetime
"""A percentage is its number: 12 for "12 %"."""

_PYTHON_TYPES: dict[str, type] = {
    Type.INTEGER: int,
    Type.NUMBER: Decimal,
    Type.PERCENTAGE: Decimal,
    Type.PRICE: Price,
    Type.DATE: date,
    Type.DATETIME: datetime,
    Type.TIME: time,
    Type.BOOLEAN: bool,
}


def detect_type(text: str) -> Type:
    """Return the most specific type that the whole text matches, by its shape."""
    return Type.STRING if len(text) > MAX_VALUE_LENGTH else _detect_short(text)


@lru_cache(maxsize=65_536)
def _detect_short(text: str) -> Type:
    if not any(map(str.isdigit, text)):
        return Type.STRING
    text = strip_brackets(text)
    if is_integer(text):
        return Type.INTEGER
    if is_number(text):
        return Type.NUMBER
    if is_percentage(text):
        return Type.PERCENTAGE
    if is_price(text):
        return Type.PRICE
    moment = parse_moment(text)
    return moment.type if moment else Type.STRING


def parse_value(text: str, order: DateOrder = DateOrder.UNKNOWN) -> Value | None:
    """Return the value of a text; None for strings, ranges and ambiguous texts.

    These are ambiguous: "Mar 5" (which year?), "01/02/2020" unless ``order`` is given, "1.299"
    (thousands or decimals?) and a price in brackets (negative?). Prices are assumed to have at most
    two decimals, so that "$1.299" is 1299 dollars.
    """
    return _parse_typed(text, order) if detect_type(text) is not Type.STRING else None


@lru_cache(maxsize=16_384)
def _parse_typed(text: str, order: DateOrder) -> Value | None:
    text_type, bare = detect_type(text), strip_brackets(text)
    match text_type:
        case Type.DATE | Type.TIME | Type.DATETIME:
            moment = parse_moment(bare)
            return moment.to_value(order) if moment else None
        case Type.PRICE:
            is_in_brackets = bare != text.strip()
            amount = None if is_in_brackets else parse_amount(bare, thousands=True)
            return Price(*amount) if amount and amount.currency else None
        case Type.PERCENTAGE:
            amount = parse_amount(bare, thousands=False)
            return amount.number if amount and not contains_ambiguous_comma(bare) else None
    amount = parse_amount(bare, thousands=text_type is Type.INTEGER)
    if amount is None or is_ambiguous_number(bare):
        return None
    return int(amount.number) if text_type is Type.INTEGER else amount.number


def widen_value(value: Value | bool | None, type_name: str) -> Value | bool | None:
    """Return integers as numbers and dates as datetimes if the type is; None for other types."""
    if type(value) is int and abs(value) > MAX_INTEGER:
        return None
    if type_name == Type.DATETIME and type(value) is date:
        value = datetime.combine(value, time())
    if type_name in (Type.NUMBER, Type.PERCENTAGE) and type(value) is int:
        value = Decimal(value)
    return value if type(value) is _PYTHON_TYPES[type_name] else None


def strip_brackets(text: str) -> str:
    """Return the text without one pair of brackets around it, as counts and years often have."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and _BRACKETS.get(text[0]) == text[-1] else text
