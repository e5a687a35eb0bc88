"""Shapes of numbers, percentages and prices, with the separators of any country."""

from __future__ import annotations

import re
from functools import cache

# Digits in groups of three, parted by a comma, a point, an apostrophe or a space of any kind, or not parted at all.
_WHOLE = r"(?:\d{1,3}(?:[,.'’\s]\d{3})+|\d+)"
_ANY = rf"(?:{_WHOLE}(?:[.,]\d+)?|[.,]\d+)"
_SIGN = r"[+\-−]?"

INTEGER = re.compile(_SIGN + _WHOLE)
NUMBER = re.compile(_SIGN + _ANY)
PERCENTAGE = re.compile(rf"(?:{_SIGN}{_ANY}\s?[%％‰]|[%％]\s?{_ANY})")

# Signs of currencies that price-parser trusts only with more context; around a bare number they are beyond doubt.
_SHORT_SIGNS = ("kr", "kr.", "Rs", "Rs.", "RM", "Ft", "R", "円", "원", "元")


def is_price(text: str) -> bool:
    """Is this an amount, or a range of amounts, with a currency and nothing else?"""
    return bool(_price().fullmatch(text))


@cache
def _price() -> re.Pattern[str]:
    """The shape of a price. The currencies are price-parser's; it is imported when the first text asks for it."""
    from price_parser._currencies import CURRENCY_CODES
    from price_parser.parser import SAFE_CURRENCY_SYMBOLS

    signs = {*CURRENCY_CODES, *SAFE_CURRENCY_SYMBOLS, *_SHORT_SIGNS}
    currency = "(?:" + "|".join(map(re.escape, sorted(map(str.strip, signs), key=len, reverse=True))) + ")"
    amount = rf"{_ANY}(?:[.,]?[-–—])?"  # "12,-" is twelve crowns and no cents
    dash = r"\s?[-–—]\s?"
    before = rf"{_SIGN}{currency}\s?{_SIGN}{amount}(?:{dash}(?:{currency}\s?)?{amount})?(?:\s?{currency})?"
    after = rf"{_SIGN}{amount}(?:\s?{currency})?(?:{dash}{amount})?\s?{currency}"
    return re.compile(f"(?:{before}|{after})")
