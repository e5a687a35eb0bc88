"""Parse dates and times.

A text is a date if it consists of a day, a month, a year, a weekday, a time and the punctuation
between them, and if the calendar has that day. Patterns decide, so a text costs microseconds. A
general date parser finds a date in nearly every text, and takes a thousand times as long for texts
that are none.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from enum import StrEnum
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from unweave.values.types import Type


class DateOrder(StrEnum):
    """The order of day and month in numeric dates: "01/02/2020" is 1 February or 2 January."""

    UNKNOWN = ""
    DAY_FIRST = "DMY"
    MONTH_FIRST = "MDY"


class Day(NamedTuple):
    """A day of the calendar; the year or the day may be missing, as in "Mar 5" and "May 2017"."""

    year: int | None
    month: int
    day: int | None


class Moment(NamedTuple):
    """A parsed date, time, or both; a numeric date ("01/02/2020") has a day for each order."""

    day: Day | None
    clock: time | None
    day_first: Day | None = None
    """The day of a numeric date if the day is before the month; None if there is no such day."""
    month_first: Day | None = None
    """The day of a numeric date if the month is written first."""
    default_order: DateOrder = DateOrder.UNKNOWN
    """The order if nothing else is known: numbers with points between them have the day first."""

    @property
    def type(self) -> Type:
        """DATE, TIME or DATETIME."""
        if self.day or self.day_first or self.month_first:
            return Type.DATETIME if self.clock else Type.DATE
        return Type.TIME

    @property
    def proven_order(self) -> DateOrder:
        """The order that the numbers prove, as in "13/02/2020"; UNKNOWN if both can be."""
        if (self.day_first is None) == (self.month_first is None):
            return DateOrder.UNKNOWN
        return DateOrder.DAY_FIRST if self.day_first else DateOrder.MONTH_FIRST

    def to_value(self, order: DateOrder = DateOrder.UNKNOWN) -> date | time | datetime | None:
        """Return the date, time or datetime; None if the year or the order is unknown."""
        if self.type is Type.TIME:
            # A time with a zone but no date cannot be compared with others.
            return self.clock if self.clock and self.clock.tzinfo is None else None
        order = self.proven_order or order or self.default_order
        day = self.day
        if day is None and (self.day_first == self.month_first or order is DateOrder.DAY_FIRST):
            day = self.day_first
        elif day is None and order is DateOrder.MONTH_FIRST:
            day = self.month_first
        if day is None or day.year is None:
            return None
        calendar_date = date(day.year, day.month, day.day or 1)
        return calendar_date if self.clock is None else datetime.combine(calendar_date, self.clock)


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
# Hours from UTC; "ET" and the like have two offsets.
_ZONE_OFFSETS = {"Z": 0, "UTC": 0, "GMT": 0}
_ZONE_OFFSETS |= {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5}
_ZONE_OFFSETS |= {"MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
_ZONE_OFFSETS |= {"WET": 0, "WEST": 1, "CET": 1, "CEST": 2}
_ZONE_OFFSETS |= {"MET": 1, "MEST": 2, "EET": 2, "EEST": 3}
_WORD_BEFORE_TIME = re.compile(r"(?<=\d)T(?=\s)|\b(?:at|um|à|às|kl)\b")
_THREE_NUMBERS = re.compile(r"(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})\.?")
_EAST_ASIAN = re.compile(
    r"(?:(\d{2,4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号일])?"
    r"\s?[(（]?(?:(?:星期|周|週)?[月火水木金土日一二三四五六天](?:曜日?)?|[월화수목금토일](?:요일)?)?[)）]?"
)
_RANGE_OF_DAYS = re.compile(r"\d\.?\s?[-–]\s?\d")
# Possessive quantifiers, so that no text makes the pattern backtrack.
_WORDS_AND_NUMBERS = re.compile(r"(?:\d++[ºª]?|'\d\d|[^\W\d_]++|[\s.,/’-])++")
_NUMBER = re.compile(r"'?\d+")
_WORD = re.compile(r"[^\W\d_]{2,}|(?<!\d)[^\W\d_]")
_ROMAN_NUMERAL = re.compile("[ivx]+")
_ORDINAL_SUFFIXES = frozenset(["st", "nd", "rd", "th", "er"])
_FILLERS = frozenset(["de", "del", "di", "den", "do", "г", "р"])
_ENGLISH_FILLERS = frozenset(["of", "the"])
_YEARS = range(1000, 3000)
_LEAP_YEAR = 2000
_MAX_YEAR_DIGITS = 4
# Without a year, "1 Set" is a quantity more often than an Italian day in September.
_MIN_MONTH_LETTERS_WITHOUT_YEAR = 4

_MONTH_FIRST_REGIONS = frozenset(["us", "ph", "pr"])
_MONTH_FIRST_LANGUAGES = frozenset(["fil", "tl"])
_YEAR_FIRST_LANGUAGES = frozenset(["zh", "ja", "ko", "hu", "lt", "sv", "eu", "mn", "fa"])
_REGIONS_WITH_BOTH_ORDERS = frozenset(["ca", "za", "bz"])


@lru_cache(maxsize=16_384)
def parse_moment(text: str) -> Moment | None:
    """Parse a text that consists of a date, a time or both; None for all others."""
    match = _CLOCK.search(text)
    if match is None:
        return _parse_date(text)
    clock = _parse_time(match)
    if clock is None:
        return None
    # "09:00-12:00" is a span of hours, "T09:00-05:00" a time with an offset from UTC.
    zone, before = match["zone"] or "", text[: match.start()]
    is_span = zone.startswith("-") and text[match.start("zone") - 1].isdigit()
    if is_span and not match["second"] and before[-1:] not in ("T", "t"):
        return None
    rest = _WORD_BEFORE_TIME.sub(" ", f"{before} {text[match.end() :]}").strip(" ,;|•·@-–—.")
    if not rest:
        return Moment(None, clock)
    day = _parse_date(rest)
    return day._replace(clock=clock) if day else None


def infer_date_order(
    texts: Iterable[str], get_default: Callable[[], DateOrder] | None = None
) -> DateOrder:
    """Return the order of day and month that the texts of a column prove, else the default."""
    moments = list(filter(None, map(parse_moment, texts)))
    proven = {moment.proven_order for moment in moments} - {DateOrder.UNKNOWN}
    if len(proven) == 1:
        return proven.pop()
    if proven or get_default is None:
        return DateOrder.UNKNOWN
    is_ambiguous = any(
        moment.day_first != moment.month_first and not moment.default_order for moment in moments
    )
    return get_default() if is_ambiguous else DateOrder.UNKNOWN


def get_language_date_order(tag: str) -> DateOrder:
    """Return the order of day and month by a language tag: "de", "en-US"; unknown for "en"."""
    language, *rest = tag.casefold().replace("_", "-").split("-")
    region = next((part for part in rest if len(part) == 2), "")
    if region in _MONTH_FIRST_REGIONS or language in _MONTH_FIRST_LANGUAGES:
        return DateOrder.MONTH_FIRST
    if language in _YEAR_FIRST_LANGUAGES or region in _REGIONS_WITH_BOTH_ORDERS:
        return DateOrder.UNKNOWN
    if (language == "en" and not region) or language not in _load_names().languages:
        return DateOrder.UNKNOWN
    return DateOrder.DAY_FIRST


def _parse_time(match: re.Match[str]) -> time | None:
    """Return the time of a match of ``_CLOCK``; None if the day has no such hour."""
    hour = int(match["hour"] or match["full_hour"] or match["asian_hour"])
    minute = int(match["minute"] or match["asian_minute"] or 0)
    second = int(match["second"] or match["asian_second"] or 0)
    microsecond = int(f"{match['fraction'] or '0':0<6.6}")
    half = match["half"] or match["full_half"]
    if half and hour <= 12:
        hour = hour % 12 + (12 if half in "pP" else 0)
    return (
        time(hour, minute, second, microsecond, _parse_zone(match["zone"])) if hour < 24 else None
    )


def _parse_zone(name: str | None) -> tzinfo | None:
    """Return the time zone of a name or offset; None for names with two offsets, such as "ET"."""
    if name is None:
        return None
    if name[0] in "+-":
        offset = timedelta(hours=int(name[1:3]), minutes=int(name[-2:]))
        return timezone(-offset if name[0] == "-" else offset)
    hours = _ZONE_OFFSETS.get(name.upper())
    if hours is None:
        return None
    return timezone(timedelta(hours=hours)) if hours else UTC


def _parse_date(text: str) -> Moment | None:
    if match := _THREE_NUMBERS.fullmatch(text):
        return _parse_three_numbers(*match.groups())
    if match := _EAST_ASIAN.fullmatch(text):
        digits, month, day_number = match.groups()
        day = _make_day(_expand_year(digits), int(month), int(day_number) if day_number else None)
    elif _WORDS_AND_NUMBERS.fullmatch(text) and not _RANGE_OF_DAYS.search(text):
        day = _parse_words(text)
    else:
        return None
    return Moment(day, None) if day else None


def _parse_three_numbers(first: str, mark: str, second: str, third: str) -> Moment | None:
    """Parse year, month and day, or a day and a month in either order before the year."""
    if len(first) == 4:
        day = _make_day(int(first), int(second), int(third)) if len(third) <= 2 else None
        return Moment(day, None) if day else None
    if len(first) > 2 or len(third) not in (2, 4):
        return None
    year = _expand_year(third)
    day_first = _make_day(year, int(second), int(first))
    month_first = _make_day(year, int(first), int(second))
    if not day_first and not month_first:
        return None
    default_order = DateOrder.DAY_FIRST if mark == "." else DateOrder.UNKNOWN
    return Moment(None, None, day_first, month_first, default_order)


def _make_day(year: int | None, month: int, day: int | None) -> Day | None:
    """Return the day if the calendar has it."""
    if year is not None and year not in _YEARS:
        return None
    try:
        date(year or _LEAP_YEAR, month, day or 1)
    except ValueError:
        return None
    return None if day == 0 else Day(year, month, day)


def _expand_year(digits: str | None) -> int | None:
    """Return the year; two digits are a year from 1969 to 2068, as in POSIX."""
    if not digits:
        return None
    year = int(digits)
    if len(digits) != 2:
        return year
    return year + (1900 if year >= 69 else 2000)


def _parse_words(text: str) -> Day | None:
    """Parse the name of a month with a day, a year or both, and no other word than a weekday."""
    names = _load_names()
    words = [
        word for word in map(str.casefold, _WORD.findall(text)) if word not in _ORDINAL_SUFFIXES
    ]
    months = [word for word in words if word in names.months]
    # "mar. 5 mayo", "mar. 5 mar.": the name of a weekday may be that of a month as well.
    months = [word for word in months if word not in names.weekdays] or months[-1:]
    if len(months) != 1:
        return None
    month = months[0]
    is_english = month in names.english_months
    fillers = _FILLERS | _ENGLISH_FILLERS if is_english else _FILLERS
    if not all(word in names.weekdays or word in fillers for word in words if word != month):
        return None
    numbers = _NUMBER.findall(text)
    if not 1 <= len(numbers) <= 2 or max(map(len, numbers)) > _MAX_YEAR_DIGITS:
        return None
    is_year = [number[0] == "'" or int(number) in _YEARS for number in numbers]
    if sum(is_year) > 1:
        return None
    if len(numbers) == 1 and is_year[0]:
        return _make_day(_expand_year(numbers[0].lstrip("'")), names.months[month], None)
    if len(numbers) == 1:
        is_short = len(month) < _MIN_MONTH_LETTERS_WITHOUT_YEAR and not is_english
        if is_short and not any(word in names.weekdays for word in words):
            return None
        return _make_day(None, names.months[month], int(numbers[0]))
    day, year = reversed(numbers) if is_year[0] else numbers
    # If neither number is clearly a year, the second is, unless the month has no such day.
    if not any(is_year) and _make_day(None, names.months[month], int(day)) is None:
        day, year = year, day
    return _make_day(_expand_year(year.lstrip("'")), names.months[month], int(day))


class _Names(NamedTuple):
    """Case-folded names of months and weekdays, and the languages they are from."""

    months: dict[str, int]
    weekdays: frozenset[str]
    english_months: frozenset[str]
    languages: frozenset[str]


@cache
def _load_names() -> _Names:
    """Load the names from the file that ``bench/month_names.py`` writes.

    Names of different months in different languages ("listopad") are left out.
    """
    path = resources.files("unweave.values").joinpath("month_names.json")
    by_language = json.loads(path.read_text(encoding="utf-8"))
    months: defaultdict[str, set[int]] = defaultdict(set)
    weekdays: set[str] = set()
    for names in by_language.values():
        for month, spellings in enumerate(names["months"], 1):
            for name in _filter_spellings(spellings):
                months[name].add(month)
        for spellings in names["weekdays"]:
            weekdays.update(_filter_spellings(spellings))
    english: set[str] = set()
    for spellings in by_language["en"]["months"]:
        english.update(_filter_spellings(spellings))
    unambiguous = {name: numbers.pop() for name, numbers in months.items() if len(numbers) == 1}
    return _Names(unambiguous, frozenset(weekdays), frozenset(english), frozenset(by_language))


def _filter_spellings(spellings: Iterable[str]) -> list[str]:
    """Return the case-folded spellings without those such as "ha" and Roman numerals ("V8")."""
    names = [name.casefold().strip(". ") for name in spellings]
    return [
        name
        for name in names
        if (len(name) > 2 or not name.isascii()) and not _ROMAN_NUMERAL.fullmatch(name)
    ]
