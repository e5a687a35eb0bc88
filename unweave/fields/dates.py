"""Shapes of dates and times, with the names of months and days in the languages that the web is written in.

A text is a date if it has nothing in it but a day, a month, a year, a weekday, a time and the marks between them. A parser
of dates would find one in nearly every text, and takes a thousand times as long.
"""

from __future__ import annotations

import importlib
import re
from datetime import date
from enum import Enum
from functools import cache
from typing import NamedTuple


class Parts(Enum):
    """What a text tells: a day, an hour, both, or none of that."""

    NONE = 0
    DATE = 1
    TIME = 2
    BOTH = 3


_HALF = r"[ap]\.?m\.?"
_ZONE = r"(?:Z|UTC|GMT|[ECMPW]E?[SD]?T|[+-]\d{2}:?\d{2})"
_CLOCK = re.compile(
    rf"""(?<![\d:.,])
    (?: (?:[01]?\d|2[0-4]):[0-5]\d (?::[0-5]\d(?:[.,]\d+)?)? (?:\s?{_HALF})? (?:\s?(?:Uhr|h)\b)?
      | (?:1[0-2]|0?\d)\s?{_HALF}
      | (?:[01]?\d|2[0-4])\s?[時时시点點]\s?(?:[0-5]?\d\s?[分분]\s?)?(?:[0-5]?\d\s?[秒초])?
    ) (?:\s?\(?{_ZONE}\)?)? (?![\d:\w])""",
    re.IGNORECASE | re.VERBOSE,
)
_THREE_NUMBERS = re.compile(r"(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})\.?")
_EAST_ASIAN = re.compile(r"(?:(\d{2,4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号일])?")
# Possessive, so that no text makes it try a thing twice.
_WORDS_AND_NUMBERS = re.compile(r"(?:\d++[ºª]?|'\d\d|[^\W\d_]++|[\s.,/’-])++")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{2,}|(?<!\d)[^\W\d_]")
_ROMAN = re.compile("[ivx]+")
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er"])
_SHORT_YEARS = range(100)
_YEARS = range(1000, 3000)
_DAYS = range(1, 32)

# Without a year, "1 Set" is a quantity more often than an Italian day in September.
_LEAST_LETTERS_WITHOUT_YEAR = 4
_LANGUAGES = 60


def parts_of(text: str) -> Parts:
    """What the whole text tells."""
    clock = _CLOCK.search(text)
    if clock is None:
        return Parts.DATE if _is_date(text) else Parts.NONE
    rest = f"{text[: clock.start()]} {text[clock.end() :]}"
    rest = re.sub(r"(?<=\d)T(?=\s)|\b(?:at|um|à|às|kl)\b", " ", rest).strip(" ,;|•·@-–—.")
    if not rest:
        return Parts.TIME
    return Parts.BOTH if _is_date(rest) else Parts.NONE


def tells_year(text: str) -> bool:
    """Does a text that tells a day tell its year too?"""
    rest = _CLOCK.sub(" ", text)
    numbers = [int(number) for number in _NUMBER.findall(rest)]
    return "'" in rest or len(numbers) > 2 or any(number in _YEARS for number in numbers) or _is_worded_year(rest, numbers)


def _is_worded_year(text: str, numbers: list[int]) -> bool:
    """Two numbers beside the name of a month are a day and a year."""
    return len(numbers) > 1 and bool(_WORD.search(text))


def is_unclear_day(text: str) -> bool:
    """Are there two ways to read the day, as in "01/02/2020"? Where points part the numbers, the day comes first."""
    numbers = _THREE_NUMBERS.match(text)
    if numbers is None or numbers[2] == "." or len(numbers[1]) == 4:
        return False
    first, second = int(numbers[1]), int(numbers[3])
    return first != second and first <= 12 and second <= 12


def comes_day_first(text: str) -> bool:
    """Is this a day written with points, such as "1. 2. 2017"?"""
    numbers = _THREE_NUMBERS.match(text)
    return numbers is not None and numbers[2] == "." and len(numbers[1]) <= 2


def _is_date(text: str) -> bool:
    if numbers := _THREE_NUMBERS.fullmatch(text):
        return _is_some_day(int(numbers[1]), int(numbers[3]), int(numbers[4]), len(numbers[1]), len(numbers[4]))
    if east := _EAST_ASIAN.match(text):
        return _is_day(int(east[1] or 2000), int(east[2]), int(east[3] or 1)) and len(text) - east.end() <= len("(月曜日)")
    return bool(_WORDS_AND_NUMBERS.fullmatch(text)) and _is_worded_date(text)


def _is_some_day(first: int, second: int, third: int, first_digits: int, third_digits: int) -> bool:
    """Are these year, month and day, or day, month and year, or month, day and year?"""
    if first_digits == 4:
        return third_digits <= 2 and _is_day(first, second, third)
    if first_digits > 2 or third_digits not in (2, 4):
        return False
    return _is_day(third, second, first) or _is_day(third, first, second)


def _is_day(year: int, month: int, day: int) -> bool:
    if year not in _YEARS and year not in _SHORT_YEARS:
        return False
    try:
        date(year if year in _YEARS else 2000 + year, month, day)
    except ValueError:
        return False
    return True


def _is_worded_date(text: str) -> bool:
    """Is this one name of a month with a day, a year or both, and nothing but a weekday beside them?"""
    words = [word.casefold() for word in _WORD.findall(text)]
    words = [word for word in words if word not in _ORDINALS]
    names = _names()
    months = [word for word in words if word in names.months]
    if not months or not all(word in names.all for word in words):
        return False
    numbers = [int(number) for number in _NUMBER.findall(text)]
    has_year = any(number in _YEARS for number in numbers)
    others = [number for number in numbers if number not in _YEARS]
    is_sure = has_year or "'" in text or len(others) == 2 or any(word in names.days for word in words)
    if not is_sure and max(map(len, months)) < _LEAST_LETTERS_WITHOUT_YEAR and months[0] not in names.english:
        return False
    return bool(numbers) and len(numbers) <= 2 and len(numbers) - len(others) <= 1 and _has_day(others)


def _has_day(numbers: list[int]) -> bool:
    return not numbers or any(number in _DAYS for number in numbers)


class _Names(NamedTuple):
    """The words of dates, folded."""

    months: frozenset[str]
    days: frozenset[str]
    english: frozenset[str]
    all: frozenset[str]


@cache
def _names() -> _Names:
    """The names as dateparser has them; only its lists are read here, in a few milliseconds."""
    from dateparser.data.languages_info import language_order

    months: set[str] = set()
    days: set[str] = set()
    english: set[str] = set()
    fillers = {"of", "the", "de", "del", "di", "den", "do", "г", "р"}
    for language in language_order[:_LANGUAGES]:
        info = importlib.import_module(f"dateparser.data.date_translation_data.{language}").info
        own = {_folded(name) for month in _MONTHS for name in info.get(month, ()) if _is_telling(_folded(name))}
        months |= own
        days |= {_folded(name) for day in _WEEKDAYS for name in info.get(day, ()) if _is_telling(_folded(name))}
        if language == "en":
            english = own
    return _Names(frozenset(months), frozenset(days), frozenset(english), frozenset(months | days | fillers))


def _folded(name: str) -> str:
    return name.casefold().strip(". ")


def _is_telling(name: str) -> bool:
    """Is the name one by itself? "V", "ha" and Roman numbers are not: "V8" is no day."""
    return (len(name) > 2 or not name.isascii()) and not _ROMAN.fullmatch(name)


_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
