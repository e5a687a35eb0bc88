"""Columns: the type that their texts have in common, and the value of each."""

from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.fields.dates import order_of_language
from unweave.fields.names import called, name_of
from unweave.fields.readings import _UNSEEN, Reading, is_placeholder, reading
from unweave.fields.values import Price


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
        (["2024-02-11 06:00", "2024-02-12"], "datetime", [datetime(2024, 2, 11, 6), datetime(2024, 2, 12)]),
        (["Yes", "no", "yes"], "boolean", [True, False, True]),
        (["Oak", "Ash"], "string", [None, None]),
        (["3 views", "1 view", "1,200 views"], "integer", [3, 1, 1200]),
        (["Price: $5", "Price: $7.50"], "price", [Price(Decimal(5), "$"), Price(Decimal("7.50"), "$")]),
        (["Rating: 86%", "Rating: 83%"], "percentage", [86, 83]),
        (["by Ada", "by Bob"], "string", [None, None]),
        (["555 0200", "555 0202"], "string", [None, None]),
        (["5 million", "7 million"], "string", [None, None]),
        (["- 5", "- 7"], "string", [None, None]),
        (["0123", "0456"], "string", [None, None]),
        (["(16 ratings)", "(1 rating)"], "integer", [16, 1]),
        (["List CAD 277.48", "List CAD 5.00"], "price", [Price(Decimal("277.48"), "CAD"), Price(Decimal("5.00"), "CAD")]),
        (["Joined Jan 2011", "Joined May 2010"], "date", [date(2011, 1, 1), date(2010, 5, 1)]),
        (["Yes", "No", "yes"], "boolean", [True, False, True]),
        ([], "string", []),
        # What only looks like a value of a type is none.
        (["09:00-12:00", "10:00-13:30"], "string", [None, None]),  # opening hours, and no offsets from UTC
        (["10:00 EST", "10:00 PST"], "string", [None, None]),  # hours of different zones
        (["2020-02-03 11:00 EST", "2020-02-04 11:00"], "string", [None, None]),
        (["May 10-12", "10. - 12. Mai"], "string", [None, None]),  # days, and no years
        (["2020年1月5日~7日", "2020年1月6日"], "string", [None, None]),
        (["1,234%", "12%"], "string", [None, None]),  # more than a thousand, or little more than one?
        (["(567)", "1,234"], "string", [None, None]),  # negative?
        (["5 Mio.", "7 Mio."], "string", [None, None]),
        (["5 k€", "7 k€"], "string", [None, None]),
        # What proves the order of day and month counts for dates with points, too.
        (["01.02.2020", "05.14.2020"], "date", [date(2020, 1, 2), date(2020, 5, 14)]),
        (["01.02.2020", "03.04.2020"], "date", [date(2020, 2, 1), date(2020, 4, 3)]),
        (["2017年5月1日(月曜日)", "2017年5月2日"], "date", [date(2017, 5, 1), date(2017, 5, 2)]),
    ],
)
def test_the_type_of_a_column_and_its_values(texts, type, values):
    own = reading(texts)
    assert own.type == type
    assert [own.value(text) for text in texts] == values


def test_a_truth_that_is_none_has_no_value():
    assert reading(["Yes", "No"]).value("maybe") is None


def test_a_column_has_a_type_only_if_every_text_converts():
    prices = reading(["$1", "$2", "$3", "$4", "$5", "call us"])
    assert (prices.type, prices.suggested) == ("string", "price")
    assert reading(["$1", "call us", "ask"]).suggested == "string"


def test_one_text_that_does_not_convert_is_noticed_far_down_the_column():
    numbers = [str(number) for number in range(1, 200)]
    assert reading(numbers).type == "integer"
    assert reading([*numbers, "4.5"]).type == "number"
    assert reading([*numbers, "4.5 or so"]).type == "string"
    assert reading([*numbers, "0123"]).type == "string"
    assert reading([*numbers, "9" * 20]).type == "string"


@pytest.mark.parametrize(
    ("texts", "usual", "days"),
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
def test_the_order_of_day_and_month_is_that_of_the_whole_column(texts, usual, days):
    dates = reading(texts, lambda: order_of_language(usual))
    assert dates.type == ("date" if days else "string")
    assert [dates.value(text) for text in texts] == (days or [None] * len(texts))


def test_a_dash_among_numbers_is_no_text():
    assert reading(["5", "–", "7", "n/a"]).type == "integer"
    assert reading(["–", "—"]).type == "string"


@given(st.lists(st.text(alphabet="0123456789/.-$€ ,:%JanFebMr–", max_size=14), min_size=1, max_size=8))
def test_every_text_of_a_typed_column_has_a_value(texts):
    column = reading(texts)
    if column.type != "string":
        assert all(column.value(text) is not None for text in texts if not is_placeholder(text))


def test_what_stands_around_every_value_is_no_part_of_it():
    own = reading(["Lot 11 sold", "Lot 12 sold"])
    assert (own.before, own.after, own.bare("Lot 11 sold")) == ("Lot", "sold", "11")


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_whatever_the_texts_are_reading_them_ends_well(texts):
    own = reading(texts)
    for text in texts:
        own.value(text)
        seen = text.translate(_UNSEEN)
        assert set(own.bare(text).split()) <= {*seen.strip("()[] ").split(), *seen.split()}


@given(st.text(max_size=20))
def test_a_string_has_no_value(text):
    assert Reading().value(text) is None


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("price", "price"),
        ("productPrice", "product_price"),
        ("product-price", "product_price"),
        ("c-entry-box--compact__title", "title"),
        ("s-item__price", "price"),
        ("result-date", "date"),
        ("col-md-4", ""),
        ("btn-primary", ""),
        ("a-size-medium", ""),
        ("sc-bdVaJa", ""),
        ("css1x2y3z", ""),
        ("", ""),
    ],
)
def test_which_classes_are_names(word, name):
    assert called(word) == name


def test_a_label_as_a_name():
    assert [name_of(text) for text in ("Author:", "Temp. (°C)", "価格", "  ", "a" * 60)] == [
        "author",
        "temp_c",
        "価格",
        "",
        "a" * 40,
    ]
