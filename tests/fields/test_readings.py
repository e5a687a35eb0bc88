"""Columns: the type that their texts have in common, and the value of each."""

from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.fields.names import called, name_of
from unweave.fields.readings import _UNSEEN, Reading, reading
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
        (["2024-02-11 06:00", "2024-02-12"], "datetime", [datetime(2024, 2, 11, 6), date(2024, 2, 12)]),
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
    ],
)
def test_the_type_of_a_column_and_its_values(texts, type, values):
    own = reading(texts)
    assert own.type == type
    assert [own.value(text) for text in texts] == values


def test_a_truth_that_is_none_has_no_value():
    assert reading(["Yes", "No"]).value("maybe") is None


def test_a_few_texts_of_another_kind_do_not_change_the_type():
    own = reading(["$1", "$2", "$3", "$4", "$5", "call us"])
    assert (own.type, own.value("call us")) == ("price", None)
    assert reading(["$1", "call us", "ask"]).type == "string"


def test_what_stands_around_every_value_is_no_part_of_it():
    own = reading(["Lot 11 sold", "Lot 12 sold"])
    assert (own.before, own.after, own.bare("Lot 11 sold")) == ("Lot", "sold", "11")


@given(st.lists(st.text(max_size=20), max_size=6))
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
