"""Dates and times: which texts are such, and the day or moment that they show.

A text is a date if it has nothing in it but a day, a month, a year, a weekday, a time and the marks between them,
and if the calendar has that day. Shapes decide, and reading one costs microseconds whatever the text is. A general
parser of dates finds one in nearly every text, and takes a thousand times as long for those that are none.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from enum import Enum, StrEnum
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple


class Parts(Enum):
    """What a text tells: a day, an hour, both, or none of that."""

    NONE = 0
    DATE = 1
    TIME = 2
    BOTH = 3


class DateOrder(StrEnum):
    """Which comes first where only numbers are written: "01/02/2020" is a day in February, or in January."""

    UNKNOWN = ""
    DAY_FIRST = "DMY"
    MONTH_FIRST = "MDY"


class Day(NamedTuple):
    """A day as a text tells it; the year or the day may be missing, as in "Mar 5" and "May 2017"."""

    year: int | None
    month: int
    day: int | None


class Moment(NamedTuple):
    """What a text tells: a day, a time, or both; "01/02/2020" tells a day for each order."""

    day: Day | None
    clock: time | None
    day_first: Day | None = None
    """The day if it is written before the month, where only numbers are written; None if it cannot be."""
    month_first: Day | None = None
    """The same if the month is written first."""
    usual: DateOrder = DateOrder.UNKNOWN
    """The order if nothing else tells: where points part the numbers, the day comes first."""

    @property
    def parts(self) -> Parts:
        """Which of the two it tells."""
        if self.day or self.day_first or self.month_first:
            return Parts.BOTH if self.clock else Parts.DATE
        return Parts.TIME

    @property
    def order(self) -> DateOrder:
        """The order that the text proves: "13/02/2020" has the day first. Unknown where both or neither can be."""
        if (self.day_first is None) == (self.month_first is None):
            return DateOrder.UNKNOWN
        return DateOrder.DAY_FIRST if self.day_first else DateOrder.MONTH_FIRST

    def value(self, order: DateOrder = DateOrder.UNKNOWN) -> date | time | datetime | None:
        """Return the day, the time or the moment; None if the year is missing, or the order of day and month."""
        if self.parts is Parts.TIME:
            return self.clock if self.clock and self.clock.tzinfo is None else None  # an hour of which zone?
        day = self.day or self._ordered(order)
        if day is None or day.year is None:
            return None
        whole = date(day.year, day.month, day.day or 1)
        return whole if self.clock is None else datetime.combine(whole, self.clock)

    def _ordered(self, order: DateOrder) -> Day | None:
        order = self.order or order or self.usual
        if self.day_first == self.month_first or order is DateOrder.DAY_FIRST:
            return self.day_first
        return self.month_first if order is DateOrder.MONTH_FIRST else None


_ZONE = r"Z|UTC|GMT|[ECMPW]E?[SD]?T|[+-](?:0\d|1[0-4]):?[0-5]\d"
_CLOCK = re.compile(
    rf"""(?<![\d:.,])
    (?: (?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d) (?::(?P<second>[0-5]\d)(?:[.,](?P<fraction>\d+))?)?
        (?:\s?(?P<half>[ap])\.?m\.?)? (?:\s?(?:Uhr|h)\b)?
      | (?P<full_hour>1[0-2]|0?[1-9])\s?(?P<full_half>[ap])\.?m\.?
      | (?P<asian_hour>\d{{1,2}})\s?[時时시点點]\s?
        (?:(?P<asian_minute>[0-5]?\d)\s?[分분]\s?)?(?:(?P<asian_second>[0-5]?\d)\s?[秒초])?
    ) (?:\s?\(?(?P<zone>{_ZONE})\)?)? (?![\d:\w])""",
    re.IGNORECASE | re.VERBOSE,
)
_NORTH_AMERICAN = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
_EUROPEAN = {"WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "EET": 2, "EEST": 3}
# In hours from UTC; "ET" and the like have two offsets, and tell none.
_OFFSETS = _NORTH_AMERICAN | _EUROPEAN | {"Z": 0, "UTC": 0, "GMT": 0}
_BESIDE_CLOCK = re.compile(r"(?<=\d)T(?=\s)|\b(?:at|um|à|às|kl)\b")
_THREE_NUMBERS = re.compile(r"(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})\.?")
_EAST_ASIAN = re.compile(
    r"(?:(\d{2,4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号일])?"
    r"\s?[(（]?(?:(?:星期|周|週)?[月火水木金土日一二三四五六天](?:曜日?)?|[월화수목금토일](?:요일)?)?[)）]?"
)
_RANGE_OF_DAYS = re.compile(r"\d\.?\s?[-–]\s?\d")
# Possessive, so that no text makes it try a thing twice.
_WORDS_AND_NUMBERS = re.compile(r"(?:\d++[ºª]?|'\d\d|[^\W\d_]++|[\s.,/’-])++")
_NUMBER = re.compile(r"'?\d+")
_WORD = re.compile(r"[^\W\d_]{2,}|(?<!\d)[^\W\d_]")
_ROMAN = re.compile("[ivx]+")
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er"])
_FILLERS = frozenset(["de", "del", "di", "den", "do", "г", "р"])
_ENGLISH_FILLERS = frozenset(["of", "the"])
_YEARS = range(1000, 3000)
# Years of two digits are of 1969 to 2068, as POSIX has it.
_FIRST_SHORT_YEAR = 69
_LEAP_YEAR = 2000
_MAX_DIGITS = 4

# Without a year, "1 Set" is a quantity more often than an Italian day in September.
_MIN_LETTERS_WITHOUT_YEAR = 4


def parts_of(text: str) -> Parts:
    """Return what the whole text tells."""
    moment = parse_moment(text)
    return moment.parts if moment else Parts.NONE


@lru_cache(maxsize=16_384)
def parse_moment(text: str) -> Moment | None:
    """Read a text that tells a day, a time or both, and nothing else; None for all others."""
    clock = _CLOCK.search(text)
    if clock is None:
        return _parse_day(text)
    shown = _time_of(clock)
    if shown is None or _is_span(text, clock):
        return None
    rest = f"{text[: clock.start()]} {text[clock.end() :]}"
    rest = _BESIDE_CLOCK.sub(" ", rest).strip(" ,;|•·@-–—.")
    if not rest:
        return Moment(None, shown)
    day = _parse_day(rest)
    return day._replace(clock=shown) if day else None


def _is_span(text: str, clock: re.Match[str]) -> bool:
    """Is this a span of hours, as in "09:00-12:00", and no hour with an offset from UTC, as in "T09:00-05:00"?"""
    is_attached = (clock["zone"] or "").startswith("-") and text[clock.start("zone") - 1].isdigit()
    return is_attached and not clock["second"] and text[: clock.start()][-1:] not in ("T", "t")


def common_order(texts: Iterable[str], usual_order: Callable[[], DateOrder] | None = None) -> DateOrder:
    """Return the order of day and month in a column: the one that its texts prove, else the usual one."""
    moments = list(filter(None, map(parse_moment, texts)))
    proven = {moment.order for moment in moments} - {DateOrder.UNKNOWN}
    if len(proven) == 1:
        return proven.pop()
    is_open = any(moment.day_first != moment.month_first and not moment.usual for moment in moments)
    return usual_order() if usual_order and is_open and not proven else DateOrder.UNKNOWN


def order_of_language(tag: str) -> DateOrder:
    """Return the order in which a language writes day and month, by its tag: "de", "en-US"; English alone does not tell."""
    language, *rest = tag.casefold().replace("_", "-").split("-")
    region = next((part for part in rest if len(part) == 2), "")
    if region in _MONTH_FIRST_REGIONS or language in _MONTH_FIRST_LANGUAGES:
        return DateOrder.MONTH_FIRST
    if language in _YEAR_FIRST_LANGUAGES or (language == "en" and not region) or region in _MIXED_REGIONS:
        return DateOrder.UNKNOWN
    return DateOrder.DAY_FIRST if language in _names().languages else DateOrder.UNKNOWN


_MONTH_FIRST_REGIONS = frozenset(["us", "ph", "pr"])
_MONTH_FIRST_LANGUAGES = frozenset(["fil", "tl"])
_YEAR_FIRST_LANGUAGES = frozenset(["zh", "ja", "ko", "hu", "lt", "sv", "eu", "mn", "fa"])
_MIXED_REGIONS = frozenset(["ca", "za", "bz"])


# ---- parts ---------------------------------------------------------------------------------------------------------


def _time_of(clock: re.Match[str]) -> time | None:
    """Return the time that a clock shows; None if there is no such hour."""
    hour = int(clock["hour"] or clock["full_hour"] or clock["asian_hour"])
    minute = int(clock["minute"] or clock["asian_minute"] or 0)
    second = int(clock["second"] or clock["asian_second"] or 0)
    microsecond = int(f"{clock['fraction'] or '0':0<6.6}")
    half = clock["half"] or clock["full_half"]
    if half and hour <= 12:
        hour = hour % 12 + (12 if half in "pP" else 0)
    return time(hour, minute, second, microsecond, _zone(clock["zone"])) if hour < 24 else None


def _zone(name: str | None) -> tzinfo | None:
    """Return the zone of its name or offset; None for names without one offset, such as "ET"."""
    if name is None:
        return None
    if name[0] in "+-":
        hours, minutes = int(name[1:3]), int(name[-2:])
        offset = timedelta(hours=hours, minutes=minutes)
        return timezone(-offset if name[0] == "-" else offset)
    hours_away = _OFFSETS.get(name.upper())
    if hours_away is None:
        return None
    return timezone(timedelta(hours=hours_away)) if hours_away else UTC


def _parse_day(text: str) -> Moment | None:
    if numbers := _THREE_NUMBERS.fullmatch(text):
        return _parse_three_numbers(*numbers.groups())
    if asian := _EAST_ASIAN.fullmatch(text):
        year, month, day = asian.groups()
        return _certain(_make_day(_full_year(year), int(month), int(day) if day else None))
    if not _WORDS_AND_NUMBERS.fullmatch(text) or _RANGE_OF_DAYS.search(text):
        return None
    return _certain(_parse_words(text))


def _certain(day: Day | None) -> Moment | None:
    return Moment(day, None) if day else None


def _parse_three_numbers(first: str, mark: str, second: str, third: str) -> Moment | None:
    """Read year, month and day; or day, month and year in an order that the numbers may prove, or points suggest."""
    if len(first) == 4:
        return _certain(_make_day(_full_year(first), int(second), int(third)) if len(third) <= 2 else None)
    if len(first) > 2 or len(third) not in (2, 4):
        return None
    year = _full_year(third)
    day_first, month_first = _make_day(year, int(second), int(first)), _make_day(year, int(first), int(second))
    usual = DateOrder.DAY_FIRST if mark == "." else DateOrder.UNKNOWN
    return Moment(None, None, day_first, month_first, usual) if day_first or month_first else None


def _make_day(year: int | None, month: int, day: int | None) -> Day | None:
    """Return the day if the calendar has it."""
    if year is not None and year not in _YEARS:
        return None
    try:
        date(year or _LEAP_YEAR, month, day or 1)
    except ValueError:
        return None
    return None if day == 0 else Day(year, month, day)


def _full_year(digits: str | None) -> int | None:
    """Return the year, of two digits one from 1969 to 2068; None if there is none."""
    if digits is None or len(digits) != 2:
        return int(digits) if digits else None
    return int(digits) + (1900 if int(digits) >= _FIRST_SHORT_YEAR else 2000)


def _parse_words(text: str) -> Day | None:
    """Read one name of a month with a day, a year or both, and nothing but a weekday beside them."""
    words = [word for word in map(str.casefold, _WORD.findall(text)) if word not in _ORDINALS]
    names = _names()
    months = [word for word in words if word in names.months]
    # "mar. 5 mayo", "mar. 5 mar.": the name of a day may be that of a month as well.
    months = [word for word in months if word not in names.weekdays] or months[-1:]
    if len(months) != 1:
        return None
    fillers = _FILLERS | _ENGLISH_FILLERS if months[0] in names.english else _FILLERS
    if not all(word in names.weekdays or word in fillers for word in words if word != months[0]):
        return None
    numbers = _NUMBER.findall(text)
    if not 1 <= len(numbers) <= 2 or any(len(number) > _MAX_DIGITS for number in numbers):
        return None
    is_year = [number[0] == "'" or int(number) in _YEARS for number in numbers]
    if sum(is_year) > 1:
        return None
    has_weekday = any(word in names.weekdays for word in words)
    is_short = len(months[0]) < _MIN_LETTERS_WITHOUT_YEAR and months[0] not in names.english
    if is_short and len(numbers) == 1 and not any(is_year) and not has_weekday:
        return None
    return _day_of_numbers(numbers, is_year, names.months[months[0]])


def _day_of_numbers(numbers: list[str], is_year: list[bool], month: int) -> Day | None:
    """Return the day of a month and one or two numbers: of two, the second is the year if neither looks like one."""
    if len(numbers) == 1:
        return (
            _make_day(_full_year(numbers[0].lstrip("'")), month, None)
            if is_year[0]
            else _make_day(None, month, int(numbers[0]))
        )
    if is_year[0]:
        numbers = numbers[::-1]
    day, year = numbers
    if not any(is_year) and _make_day(None, month, int(day)) is None:
        day, year = year, day
    return _make_day(_full_year(year.lstrip("'")), month, int(day))


# ---- names ---------------------------------------------------------------------------------------------------------


class _Names(NamedTuple):
    """The words of dates, folded."""

    months: dict[str, int]
    weekdays: frozenset[str]
    english: frozenset[str]
    languages: frozenset[str]


@cache
def _names() -> _Names:
    """Read the names of months and weekdays. Names that are other months elsewhere ("listopad") are left out."""
    text = resources.files("unweave.fields").joinpath("month_names.json").read_text(encoding="utf-8")
    by_language = json.loads(text)
    months: defaultdict[str, set[int]] = defaultdict(set)
    weekdays: set[str] = set()
    for names in by_language.values():
        for month, spellings in enumerate(names["months"], 1):
            for name in _usable(spellings):
                months[name].add(month)
        weekdays.update(name for spellings in names["weekdays"] for name in _usable(spellings))
    english = frozenset(name for spellings in by_language["en"]["months"] for name in _usable(spellings))
    certain = {name: numbers.pop() for name, numbers in months.items() if len(numbers) == 1}
    return _Names(certain, frozenset(weekdays), english, frozenset(by_language))


def _usable(spellings: Iterable[str]) -> list[str]:
    """Return the spellings that are names by themselves. "V", "ha" and Roman numbers are not: "V8" is no day."""
    folded = [name.casefold().strip(". ") for name in spellings]
    return [name for name in folded if (len(name) > 2 or not name.isascii()) and not _ROMAN.fullmatch(name)]
