"""Formats of columns: the type that all texts share, and the value of each."""

from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.values.column_format import (
    _INVISIBLE,
    ColumnFormat,
    infer_column_format,
    is_placeholder,
)
from unweave.values.dates import get_language_date_order
from unweave.values.parsing import Price


@pytest.mark.parametrize(
    ("texts", "type", "values"),
    [
        (["12", "1,200"], "integer", [12, 1200]),
        (["(212)", "(61)"], "integer", [212, 61]),
        (["4.6", "5"], "number", [Decimal("4.6"), 5]),
        (["12 %", "3%"], "percentage", [12, 3]),
        (["€14.50", "€9"], "price", [Price(Decimal("14.50"), "€"), Price(Decimal(9), "€")]),
        (["2024-02-11", "1 March 2024"], "date", [date(2024, 2, 11), date(2024, 3, 1)]),
        (["07:15", "19:40"], "time", [time(7, 15), time(19, 40)]),
        (
            ["2024-02-11 06:00", "2024-02-12"],
            "datetime",
            [datetime(2024, 2, 11, 6), datetime(2024, 2, 12)],
        ),
        (["Yes", "no", "yes"], "boolean", [True, False, True]),
        (["Oak", "Ash"], "string", [None, None]),
        (["3 views", "1 view", "1,200 views"], "integer", [3, 1, 1200]),
        (
            ["Price: $5", "Price: $7.50"],
            "price",
            [Price(Decimal(5), "$"), Price(Decimal("7.50"), "$")],
        ),
        (["Rating: 86%", "Rating: 83%"], "percentage", [86, 83]),
        (["by Ada", "by Bob"], "string", [None, None]),
        (["555 0200", "555 0202"], "string", [None, None]),
        (["5 million", "7 million"], "string", [None, None]),
        (["- 5", "- 7"], "string", [None, None]),
        (["0123", "0456"], "string", [None, None]),
        (["(16 ratings)", "(1 rating)"], "integer", [16, 1]),
        (
            ["List CAD 277.48", "List CAD 5.00"],
            "price",
            [Price(Decimal("277.48"), "CAD"), Price(Decimal("5.00"), "CAD")],
        ),
        (["Joined Jan 2011", "Joined May 2010"], "date", [date(2011, 1, 1), date(2010, 5, 1)]),
        (["Yes", "No", "yes"], "boolean", [True, False, True]),
        ([], "string", []),
        # Texts that only look like values.
        (
            ["09:00-12:00", "10:00-13:30"],
            "string",
            [None, None],
        ),  # opening hours, not offsets from UTC
        (["10:00 EST", "10:00 PST"], "string", [None, None]),  # hours of different zones
        (["2020-02-03 11:00 EST", "2020-02-04 11:00"], "string", [None, None]),
        (["May 10-12", "10. - 12. Mai"], "string", [None, None]),  # days, not years
        (["2020年1月5日~7日", "2020年1月6日"], "string", [None, None]),
        (
            ["1,234%", "12%"],
            "string",
            [None, None],
        ),  # more than a thousand, or little more than one?
        (["(567)", "1,234"], "string", [None, None]),  # negative?
        (["5 Mio.", "7 Mio."], "string", [None, None]),
        (["5 k€", "7 k€"], "string", [None, None]),
        # A proven order of day and month also holds for dates with points.
        (["01.02.2020", "05.14.2020"], "date", [date(2020, 1, 2), date(2020, 5, 14)]),
        (["01.02.2020", "03.04.2020"], "date", [date(2020, 2, 1), date(2020, 4, 3)]),
        (["2017年5月1日(月曜日)", "2017年5月2日"], "date", [date(2017, 5, 1), date(2017, 5, 2)]),
    ],
)
def test_the_type_of_a_column_and_its_values(texts, type, values):
    column = infer_column_format(texts)
    assert column.type == type
    assert [column.parse(text) for text in texts] == values


def test_a_text_that_is_no_boolean_has_no_value():
    assert infer_column_format(["Yes", "No"]).parse("maybe") is None


def test_a_column_has_a_type_only_if_every_text_converts():
    prices = infer_column_format(["$1", "$2", "$3", "$4", "$5", "call us"])
    assert (prices.type, prices.suggested_type) == ("string", "price")
    assert infer_column_format(["$1", "call us", "ask"]).suggested_type == "string"


def test_a_text_far_down_the_column_that_does_not_convert_is_noticed():
    numbers = [str(number) for number in range(1, 200)]
    assert infer_column_format(numbers).type == "integer"
    assert infer_column_format([*numbers, "4.5"]).type == "number"
    assert infer_column_format([*numbers, "4.5 or so"]).type == "string"
    assert infer_column_format([*numbers, "0123"]).type == "string"
    assert infer_column_format([*numbers, "9" * 20]).type == "string"


@pytest.mark.parametrize(
    ("texts", "language", "days"),
    [
        (["09/01/2020", "01/14/2022"], "", [date(2020, 9, 1), date(2022, 1, 14)]),
        (["09/01/2020", "14/01/2022"], "", [date(2020, 1, 9), date(2022, 1, 14)]),
        (["09/01/2020", "10/02/2022"], "en-US", [date(2020, 9, 1), date(2022, 10, 2)]),
        (["09/01/2020", "10/02/2022"], "en-GB", [date(2020, 1, 9), date(2022, 2, 10)]),
        (["09/01/2020", "10/02/2022"], "de", [date(2020, 1, 9), date(2022, 2, 10)]),
        (["09/01/2020", "10/02/2022"], "en", None),
        (["09/01/2020", "10/02/2022"], "", None),
        (["09/01/2020", "14/01/2022", "01/14/2022"], "de", None),  # both orders are proven
        (["Nov 27", "Nov 28"], "en-US", None),  # of which year?
        (["27 Nov 2020", "31 June 2020"], "en-US", None),  # the calendar has no such day
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_whole_column(texts, language, days):
    dates = infer_column_format(texts, lambda: get_language_date_order(language))
    assert dates.type == ("date" if days else "string")
    assert [dates.parse(text) for text in texts] == (days or [None] * len(texts))


def test_a_dash_among_numbers_is_a_placeholder():
    assert infer_column_format(["5", "–", "7", "n/a"]).type == "integer"
    assert infer_column_format(["–", "—"]).type == "string"


@given(
    st.lists(st.text(alphabet="0123456789/.-$€ ,:%JanFebMr–", max_size=14), min_size=1, max_size=8)
)
def test_every_text_of_a_typed_column_has_a_value(texts):
    column = infer_column_format(texts)
    if column.type != "string":
        assert all(column.parse(text) is not None for text in texts if not is_placeholder(text))


def test_words_around_every_value_are_affixes():
    column = infer_column_format(["Lot 11 sold", "Lot 12 sold"])
    assert (column.prefix, column.suffix, column.strip_affixes("Lot 11 sold")) == (
        "Lot",
        "sold",
        "11",
    )


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_any_texts_have_a_format(texts):
    column = infer_column_format(texts)
    for text in texts:
        column.parse(text)
        visible = text.translate(_INVISIBLE)
        assert set(column.strip_affixes(text).split()) <= {
            *visible.strip("()[] ").split(),
            *visible.split(),
        }


@given(st.text(max_size=20))
def test_a_string_has_no_value(text):
    assert ColumnFormat().parse(text) is None
