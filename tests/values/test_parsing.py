"""Values of texts."""

from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unweave.values.parsing import Price, detect_type, parse_value
from unweave.values.types import Type


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,299", 1299),
        ("12'000", 12000),
        ("-3", -3),
        ("−3", -3),
        ("(61)", 61),
        ("1.5", Decimal("1.5")),
        ("1.234,50", Decimal("1234.50")),
        ("1’000.50", Decimal("1000.50")),
        ("12.5 %", Decimal("12.5")),
        ("$32.5", Price(Decimal("32.5"), "$")),
        ("€1.234,56", Price(Decimal("1234.56"), "€")),
        ("1 234,50 zł", Price(Decimal("1234.50"), "zł")),
        ("12,- kr", Price(Decimal("12"), "kr")),
        ("-$5", Price(Decimal("-5"), "$")),
        ("£5-£10", None),  # a range is no one price
        ("Jul 1, 2007", date(2007, 7, 1)),
        ("12/31/2016", date(2016, 12, 31)),
        ("1. 2. 2017", date(2017, 2, 1)),
        ("3 janvier 2017", date(2017, 1, 3)),
        ("2017年5月1日", date(2017, 5, 1)),
        ("May 2017", date(2017, 5, 1)),
        ("Mar 5", None),  # of which year?
        ("12 Dec", None),
        ("Jan 31", None),
        ("5 May 07", date(2007, 5, 5)),
        ("01/02/2020", None),  # January or February?
        ("13/02/2020", date(2020, 2, 13)),
        ("02/02/2020", date(2020, 2, 2)),
        ("0.123", Decimal("0.123")),
        ("0,500", Decimal("0.500")),
        ("1.299", None),  # more than a thousand, or little more than one?
        ("1.299.000", 1299000),
        ("99.999%", Decimal("99.999")),
        ("$0.125", Price(Decimal("0.125"), "$")),
        ("$1.299", Price(Decimal("1299"), "$")),
        ("$1,299.00", Price(Decimal("1299.00"), "$")),
        ("$-5", Price(Decimal("-5"), "$")),
        ("($5)", None),  # five dollars, or five dollars less?
        ("100元", Price(Decimal("100"), "元")),
        ("2005.12.3, 1:30", datetime(2005, 12, 3, 1, 30)),
        ("2017-05-01T12:30:00Z", datetime(2017, 5, 1, 12, 30, tzinfo=UTC)),
        ("3 pm", time(15)),
        ("12:05:33", time(12, 5, 33)),
        ("Harry Potter", None),
    ],
)
def test_parse_the_value_of_a_text(text, value):
    assert parse_value(text) == value


@settings(max_examples=40, deadline=None)
@given(
    st.dates(date(1990, 1, 1), date(2039, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%b %d, %Y"]),
)
def test_a_formatted_date_parses_to_the_same_date(day, form):
    assert parse_value(day.strftime(form)) == day


@given(st.decimals(0, 10**6, places=2), st.sampled_from(["${:,}", "€ {}", "{} EUR", "£{:,}"]))
def test_a_formatted_amount_parses_to_the_same_amount(amount, form):
    value = parse_value(form.format(amount))
    assert value is not None
    assert value.amount == amount


@given(
    st.text(max_size=70)
    | st.from_regex(r"[$€]? ?-?[0-9]{1,6}([.,][0-9]{1,2})?( ?%)?", fullmatch=True)
)
def test_only_strings_and_ambiguous_texts_have_no_value(text):
    if parse_value(text) is None:
        assert detect_type(text) in (Type.STRING, Type.DATE, Type.DATETIME, Type.TIME, Type.PRICE)
