"""Numbers, percentages and prices with the separators of any country: patterns and amounts."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import NamedTuple

# Groups of three digits behind a first group without leading 0, all with the same separator.
_GROUPED = r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3})+|(?:['’]\d{3})+|(?:\s\d{3})+)"
_WHOLE = rf"(?:{_GROUPED}|\d+)"
_ANY = rf"(?:{_WHOLE}(?:[.,]\d+)?|\.\d+)"
_SIGN = r"[+\-−]?"

_AMBIGUOUS_POINT = re.compile(rf"{_SIGN}[1-9]\d{{0,2}}\.\d{{3}}")
_AMBIGUOUS_COMMA = re.compile(r"(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.,])")
_INTEGER = re.compile(_SIGN + _WHOLE)
_NUMBER = re.compile(_SIGN + _ANY)
_PERCENTAGE = re.compile(rf"(?:{_SIGN}{_ANY}\s?[%％]|[%％]\s?{_ANY})")
_UNSIGNED_NUMBER = re.compile(_ANY)

# Currency symbols that price-parser accepts only with more context; next to a bare number they are
# unambiguous.
_SHORT_SYMBOLS = ("kr", "kr.", "Rs", "Rs.", "RM", "Ft", "円", "원", "元")
# Currency codes that are mostly words: "TOP 10" is not an amount in Tongan paʻanga.
_CODES_USED_AS_WORDS = frozenset(
    ["ALL", "TOP", "TRY", "CUP", "PEN", "MAD", "SOS", "BAM", "GEL", "MOP", "LAK"]
)


class Amount(NamedTuple):
    """A number and the currency symbol or code next to it, empty if there is none."""

    number: Decimal
    currency: str


def is_integer(text: str) -> bool:
    """Tell whether the text is a whole number."""
    return bool(_INTEGER.fullmatch(text)) and not is_ambiguous_number(text)


def is_number(text: str) -> bool:
    """Tell whether the text is a number."""
    return bool(_NUMBER.fullmatch(text))


def is_ambiguous_number(text: str) -> bool:
    """Tell whether the whole text is a number such as "1.299": thousands or decimals?"""
    return bool(_AMBIGUOUS_POINT.fullmatch(text))


def contains_ambiguous_comma(text: str) -> bool:
    """Tell whether a text such as "1,299 %" has an ambiguous comma: thousands or decimals?"""
    return bool(_AMBIGUOUS_COMMA.search(text))


def is_percentage(text: str) -> bool:
    """Tell whether the text is a number with a percent sign."""
    return bool(_PERCENTAGE.fullmatch(text))


def is_price(text: str) -> bool:
    """Tell whether the text is an amount, or a range of amounts, with a currency."""
    return bool(_build_price_pattern().fullmatch(text))


def is_currency(text: str) -> bool:
    """Tell whether the text is the symbol or the code of a currency."""
    return text in _load_currencies()


def parse_amount(text: str, *, thousands: bool) -> Amount | None:
    """Parse the only number of a text and the currency around it; None unless there is one number.

    If ``thousands`` is true, a single separator before three digits separates thousands, else
    decimals.
    """
    numbers = _UNSIGNED_NUMBER.findall(text)
    if len(numbers) != 1:
        return None
    before, after = text.split(numbers[0], 1)
    number = _parse_decimal(numbers[0], thousands)
    if "-" in before or "−" in before:
        number = -number
    return Amount(number, (before + after).strip("+-−–—.,").strip())


def _parse_decimal(text: str, thousands: bool) -> Decimal:
    digits = re.sub(r"['’\s]", "", text)
    separators = [mark for mark in digits if mark in ".,"]
    if not separators:
        return Decimal(digits)
    last = separators[-1]
    whole, _, rest = digits.rpartition(last)
    separates_thousands = (
        len(rest) == 3
        and whole.strip("0") != ""
        and (separators.count(last) > 1 or (len(separators) == 1 and thousands))
    )
    whole = re.sub(r"[.,]", "", whole)
    if separates_thousands and not whole.startswith("0"):
        return Decimal(whole + rest)
    return Decimal(f"{whole or 0}.{rest}")


@cache
def build_amount_pattern() -> re.Pattern[str]:
    """Return the pattern of an amount in a price: "19", "$19", "19,", "1,299.00 €"."""
    currency = _build_currency_pattern().pattern
    return re.compile(
        rf"(?P<before>{currency})?\s?(?P<number>{_ANY})(?P<mark>[.,])?\s?(?P<after>{currency})?"
    )


@cache
def build_cents_pattern() -> re.Pattern[str]:
    """Return the pattern of cents without the rest of the price: "97", ",97", "97 €", "€97"."""
    currency = _build_currency_pattern().pattern
    return re.compile(
        rf"(?P<before>{currency})?(?P<mark>[.,])?(?P<cents>\d\d)\s?(?P<after>{currency})?"
    )


@cache
def _load_currencies() -> frozenset[str]:
    """Return the symbols and codes of the file that ``bench/currencies.py`` writes."""
    text = resources.files("unweave.values").joinpath("currencies.json").read_text(encoding="utf-8")
    return frozenset([*json.loads(text), *_SHORT_SYMBOLS]) - _CODES_USED_AS_WORDS


@cache
def _build_currency_pattern() -> re.Pattern[str]:
    longest_first = sorted(_load_currencies(), key=lambda symbol: (-len(symbol), symbol))
    return re.compile("|".join(map(re.escape, longest_first)))


@cache
def _build_price_pattern() -> re.Pattern[str]:
    currency = f"(?:{_build_currency_pattern().pattern})"
    amount = rf"{_ANY}(?:[.,]?[-–—])?"  # "12,-" is twelve crowns and no cents
    dash = r"\s?[-–—]\s?"
    before = (
        rf"{_SIGN}{currency}\s?{_SIGN}{amount}"
        rf"(?:{dash}(?:{currency}\s?)?{amount})?(?:\s?{currency})?"
    )
    after = rf"{_SIGN}{amount}(?:\s?{currency})?(?:{dash}{amount})?\s?{currency}"
    return re.compile(f"(?:{before}|{after})")
