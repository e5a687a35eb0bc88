"""What a text is worth: the number, the amount or the day that it shows.

Prices and numbers are read by price-parser, dates by dateparser, both made for text of the web. dateparser takes a
millisecond a text, so it is asked only for texts whose shape is that of a date.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from unweave.fields.types import Type, type_of, without_brackets

_MINUS = ("-", "−")
_RANGE = re.compile(r"\d\D*[-–—]\D*\d")
# What price-parser does not know: groups of digits parted by apostrophes.
_APOSTROPHES = re.compile(r"(?<=\d)['’](?=\d{3})")
_POINTED = re.compile(r"\d{1,2}\.\s?\d{1,2}\.")
_DATES = {"REQUIRE_PARTS": ["year", "month"], "PREFER_DAY_OF_MONTH": "first", "RETURN_AS_TIMEZONE_AWARE": False}
_TIMES = {"PARSERS": ["absolute-time"]}


class Price(NamedTuple):
    """An amount, and the currency as it is shown."""

    amount: Decimal
    currency: str


Value = int | Decimal | Price | date | time | datetime
"""A percentage is its number: 12 for "12 %"."""


@lru_cache(maxsize=16_384)
def value_of(text: str) -> Value | None:
    """The value that a text shows; None for strings, and where something is left open, such as the year of a day."""
    kind, text = type_of(text), without_brackets(text)
    match kind:
        case Type.STRING:
            return None
        case Type.DATE | Type.TIME | Type.DATETIME:
            return _moment(text, kind)
        case Type.PRICE:
            return _price(text)
    amount = _amount(text)
    return int(amount) if kind is Type.INTEGER and amount is not None else amount


def _amount(text: str) -> Decimal | None:
    amount, _ = _parsed(text.rstrip("%％‰ ").lstrip("%％ "))
    return amount


def _price(text: str) -> Price | None:
    """The price; None for a range of prices, which is no one value."""
    amount, currency = (None, None) if _RANGE.search(text) else _parsed(text)
    return Price(amount, currency) if amount is not None and currency else None


def _parsed(text: str) -> tuple[Decimal | None, str | None]:
    from price_parser import Price as Parsed

    parsed = Parsed.fromstring(_APOSTROPHES.sub("", text.lstrip("+-−")))
    if parsed.amount is not None and text.startswith(_MINUS):
        return -parsed.amount, parsed.currency
    return parsed.amount, parsed.currency


def _moment(text: str, kind: Type) -> date | time | datetime | None:
    import dateparser

    settings: dict[str, object] = dict(_TIMES if kind is Type.TIME else _DATES)
    if _POINTED.match(text):  # where days are written with points, they come first
        settings["DATE_ORDER"] = "DMY"
    found: datetime | None = dateparser.parse(text, settings=settings)
    if found is None or kind is Type.DATETIME:
        return found
    return found.date() if kind is Type.DATE else found.time()
