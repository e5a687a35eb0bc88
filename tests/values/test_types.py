"""The tree of types, and the most specific type of a text."""

from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.values.parsing import detect_type
from unweave.values.types import Type

TEXTS = {
    Type.INTEGER: [
        "23",
        "876",
        "0",
        "-3",
        "−3",
        "+12",
        "1,299",
        "1.299.000",
        "12 345",
        "1'000",
        "(61)",
        "[2007]",
    ],
    Type.NUMBER: ["1.5", "1.299", "0.123", "3.142", "0,75", "-2.25", ".5", "1,234.50", "1.234,50"],
    Type.PERCENTAGE: ["12%", "12.5 %", "-21%", "%20"],
    Type.PRICE: [
        "$32.5",
        "$18",
        "€1.234,56",
        "US$ 20",
        "CAD 263.59",
        "20 €",
        "1 234,50 zł",
        "Rs. 500",
        "12,- kr",
        "-$5",
        "¥314.00",
        "3,200円",
        "£5-£10",
        "$5.00 - $10.00",
    ],
    Type.DATE: [
        "Jul 1, 2007",
        "1 July 2007",
        "5th of May 2012",
        "Thursday, 9 February 2017",
        "2016-12-31",
        "12/31/2016",
        "31.12.2016",
        "1. 2. 2017",
        "3 janvier 2017",
        "11. Dezember 2003",
        "12 marzo 2014",
        "3 мая 2017 г.",
        "2017年5月1日",
        "2017년 5월 1일",
        "May 2017",
        "May '07",
        "Mar 5",
    ],
    Type.TIME: ["1:30", "12:05:33", "3 pm", "7:45am EST", "14時30分"],
    Type.DATETIME: [
        "2005.12.3, 1:30",
        "2017-05-01T12:30:00Z",
        "Jan 7, 2015 11:57 AM",
        "Sun, 5 Mar 2017 14:05",
        "1. 2. 2017 14:05",
    ],
    Type.STRING: [
        "",
        "Harry Potter and the Goblet of Fire",
        "Chapter 3",
        "3 months ago",
        "10 Pieces",
        "1 Set",
        "5 KM",
        "31/31/2016",
        "30.02.2016",
        "192.168.0.1",
        "1.2.3",
        "24/7",
        "$",
        "May",
        "$5 or less",
        "12 % off",
        "at 5",
        "TOP 10",
        "V8",
        "v1.2",
        "5‰",
        "5 ha 3",
        "1" * 100,
    ],
}


@pytest.mark.parametrize(
    ("expected", "text"), [(expected, text) for expected, texts in TEXTS.items() for text in texts]
)
def test_detect_the_type_of_a_text(expected, text):
    assert detect_type(text) is expected


def test_every_type_has_the_parent_of_the_papers_tree():
    assert Type.DATE.parent is Type.DATETIME
    assert Type.TIME.parent is Type.DATETIME
    assert Type.INTEGER.parent is Type.NUMBER
    assert {child for child in Type if child.parent is Type.STRING} == {
        Type.DATETIME,
        Type.NUMBER,
        Type.PERCENTAGE,
        Type.PRICE,
    }
    assert Type.STRING.parent is None


DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))


@given(
    DAYS,
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%b %d, %Y", "%A, %d %B %Y"]),
)
def test_every_day_is_a_date_however_it_is_written(day, form):
    assert detect_type(day.strftime(form)) is Type.DATE


@given(
    DAYS, st.times(), st.sampled_from(["%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M", "%b %d, %Y %I:%M %p"])
)
def test_a_day_with_an_hour_is_both(day, hour, form):
    assert detect_type(datetime.combine(day, hour).strftime(form)) is Type.DATETIME


@given(st.times(), st.sampled_from(["%H:%M", "%H:%M:%S", "%I:%M %p"]))
def test_every_hour_is_a_time(hour: time, form):
    assert detect_type(hour.strftime(form)) is Type.TIME


@given(st.integers(), st.sampled_from(["{}", "{:,}"]))
def test_every_whole_number_is_an_integer(number, form):
    text = form.format(number)
    assert detect_type(text) is (Type.INTEGER if len(text) <= 60 else Type.STRING)


@given(st.text(max_size=80))
def test_any_text_has_a_type(text):
    assert isinstance(detect_type(text), Type)


@given(st.text(alphabet="0123456789,.' -$%:/ apmT", max_size=60))
def test_detecting_texts_of_punctuation_and_digits_is_fast(text):
    assert isinstance(detect_type(text), Type)
