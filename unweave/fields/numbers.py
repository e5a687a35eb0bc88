"""Shapes of numbers, percentages and prices, with the separators of any country, and the amounts that they show."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import NamedTuple

# Groups of three digits after a first one that does not begin with 0, all parted by the same mark.
_GROUPED = r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3})+|(?:['’]\d{3})+|(?:\s\d{3})+)"
_WHOLE = rf"(?:{_GROUPED}|\d+)"
_ANY = rf"(?:{_WHOLE}(?:[.,]\d+)?|\.\d+)"
_SIGN = r"[+\-−]?"

# "1.299" may be more than a thousand or little more than one.
_UNCLEAR = re.compile(rf"{_SIGN}[1-9]\d{{0,2}}\.\d{{3}}")
_LONE_GROUP = re.compile(r"(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.,])")
_INTEGER = re.compile(_SIGN + _WHOLE)
_NUMBER = re.compile(_SIGN + _ANY)
_PERCENTAGE = re.compile(rf"(?:{_SIGN}{_ANY}\s?[%％]|[%％]\s?{_ANY})")
_DIGITS = re.compile(_ANY)

# Signs of currencies that price-parser trusts only with more context; around a bare number they are beyond doubt.
_SHORT_SIGNS = ("kr", "kr.", "Rs", "Rs.", "RM", "Ft", "円", "원", "元")
# Codes of currencies that are words first: "TOP 10" is no sum in Tongan money.
_WORDS = frozenset(["ALL", "TOP", "TRY", "CUP", "PEN", "MAD", "SOS", "BAM", "GEL", "MOP", "LAK"])


_MAX_CURRENCY_LENGTH = 10


class Amount(NamedTuple):
    """A number, and what stands around it."""

    number: Decimal
    sign: str


def is_integer(text: str) -> bool:
    """Is this a whole number?"""
    return bool(_INTEGER.fullmatch(text)) and not is_unclear(text)


def is_number(text: str) -> bool:
    """Is this a number?"""
    return bool(_NUMBER.fullmatch(text))


def is_unclear(text: str) -> bool:
    """Is this a number of which nobody can tell whether its point parts thousands or decimals?"""
    return bool(_UNCLEAR.fullmatch(text))


def has_lone_group(text: str) -> bool:
    """Has the text a number with one comma before three digits, which parts thousands here and decimals there?"""
    return bool(_LONE_GROUP.search(text))


def is_percentage(text: str) -> bool:
    """Is this a number with a sign of percent?"""
    return bool(_PERCENTAGE.fullmatch(text))


def is_price(text: str) -> bool:
    """Is this an amount, or a range of amounts, with a currency and nothing else?"""
    return bool(_price().fullmatch(text))


def is_currency(text: str) -> bool:
    """Is this the sign or the code of a currency, and nothing else?"""
    return len(text) <= _MAX_CURRENCY_LENGTH and bool(_currency().fullmatch(text))


@cache
def amount_pattern() -> re.Pattern[str]:
    """Return the shape of an amount that may be a part of a price: "19", "$19", "19,", "1,299.00 €"."""
    currency = _currency().pattern
    return re.compile(rf"(?P<before>{currency})?\s?(?P<number>{_ANY})(?P<mark>[.,])?\s?(?P<after>{currency})?")


@cache
def cents_pattern() -> re.Pattern[str]:
    """Return the shape of cents that stand by themselves: "97", ",97", "97 €", "€97"."""
    currency = _currency().pattern
    return re.compile(rf"(?P<before>{currency})?(?P<mark>[.,])?(?P<cents>\d\d)\s?(?P<after>{currency})?")


def amount_of(text: str, *, thousands: bool) -> Amount | None:
    """The one number in a text; None if there are several. ``thousands`` says what a lone group of three digits means."""
    found = _DIGITS.findall(text)
    if len(found) != 1:
        return None
    before, after = text.split(found[0], 1)
    is_negative = any(minus in before for minus in "-−")
    number = _decimal(found[0], thousands)
    return Amount(-number if is_negative else number, (before + after).strip("+-−–—.,").strip())


def _decimal(digits: str, thousands: bool) -> Decimal:
    """The number that digits and their separators show."""
    digits = re.sub(r"['’\s]", "", digits)
    marks = [mark for mark in digits if mark in ".,"]
    if not marks:
        return Decimal(digits)
    whole, _, rest = digits.rpartition(marks[-1])
    is_group = len(rest) == 3 and whole.strip("0") != "" and (marks.count(marks[-1]) > 1 or (len(marks) == 1 and thousands))
    whole = re.sub(r"[.,]", "", whole)
    return Decimal(whole + rest) if is_group and not whole.startswith("0") else Decimal(f"{whole or 0}.{rest}")


@cache
def _currency() -> re.Pattern[str]:
    """Return the pattern of the signs and codes of currencies (``bench/currencies.py`` makes their list)."""
    text = resources.files("unweave.fields").joinpath("currencies.json").read_text(encoding="utf-8")
    signs = {*json.loads(text), *_SHORT_SIGNS} - _WORDS
    return re.compile("|".join(map(re.escape, sorted(signs, key=lambda sign: (-len(sign), sign)))))


@cache
def _price() -> re.Pattern[str]:
    """The shape of a price."""
    currency = f"(?:{_currency().pattern})"
    amount = rf"{_ANY}(?:[.,]?[-–—])?"  # "12,-" is twelve crowns and no cents
    dash = r"\s?[-–—]\s?"
    before = rf"{_SIGN}{currency}\s?{_SIGN}{amount}(?:{dash}(?:{currency}\s?)?{amount})?(?:\s?{currency})?"
    after = rf"{_SIGN}{amount}(?:\s?{currency})?(?:{dash}{amount})?\s?{currency}"
    return re.compile(f"(?:{before}|{after})")
