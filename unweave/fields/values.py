"""What a text is worth: the number, the amount or the day that it shows. What is unclear has no value."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from unweave.fields.dates import DateOrder, parse_moment
from unweave.fields.numbers import amount_of, has_lone_group, is_unclear
from unweave.fields.types import Type, type_of, without_brackets


class Price(NamedTuple):
    """An amount, and the currency as it is shown."""

    amount: Decimal
    currency: str


Value = int | Decimal | Price | date | time | datetime
"""A percentage is its number: 12 for "12 %"."""


def value_of(text: str, order: DateOrder = DateOrder.UNKNOWN) -> Value | None:
    """Return the value that a text shows; None for strings, for ranges, and where something is left open.

    Left open are the year of "Mar 5", the month of "01/02/2020" unless the order is given, whether "1.299" is more than a
    thousand, and whether brackets around a price mean that it is negative.
    """
    return _value_of(text, order) if type_of(text) is not Type.STRING else None


@lru_cache(maxsize=16_384)
def _value_of(text: str, order: DateOrder) -> Value | None:
    kind, shown = type_of(text), without_brackets(text)
    match kind:
        case Type.DATE | Type.TIME | Type.DATETIME:
            moment = parse_moment(shown)
            return moment.value(order) if moment else None
        case Type.PRICE:
            return _price(shown) if shown == text.strip() else None
        case Type.PERCENTAGE:
            amount = amount_of(shown, thousands=False)
            # "1,234%" is more than a thousand, or little more than one.
            return amount.number if amount and not has_lone_group(shown) else None
        case Type.INTEGER | Type.FLOAT:
            return _number(shown, kind)
    return None


def _number(text: str, kind: Type) -> int | Decimal | None:
    amount = amount_of(text, thousands=kind is Type.INTEGER)
    if amount is None or is_unclear(text):
        return None
    return int(amount.number) if kind is Type.INTEGER else amount.number


def _price(text: str) -> Price | None:
    amount = amount_of(text, thousands=True)
    return Price(amount.number, amount.sign) if amount and amount.sign else None
