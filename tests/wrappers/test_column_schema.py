"""The columns of lists that are the fields of a schema."""

from decimal import Decimal

import pytest

import unweave
from unweave.schema import Schema
from unweave.wrappers.column_schema import match_columns, select_schema

GOODS = [
    ("Desk lamp", "Arno", "$15.50", "4.5", "3 May 2020"),
    ("Kettle", "Berta", "$22.00", "3.9", "14 May 2020"),
    ("Wall clock", "Carl", "$8.75", "4.1", "2 June 2020"),
    ("Toaster", "Dora", "$31.20", "2.8", "9 June 2020"),
    ("Radio", "Emil", "$19.99", "4.9", "21 July 2020"),
]


def make_list():
    rows = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in goods) + "</tr>" for goods in GOODS
    )
    head = "".join(f"<th>{name}</th>" for name in ("Name", "Maker", "Price", "Rating", "Added"))
    return f"<body><h1>Shop</h1><table><tr>{head}</tr>{rows}</table></body>"


SCHEMA = Schema.load(
    {
        "properties": {
            "rating": {"type": "number"},
            "cost": {"type": "number"},
            "brand": {"type": "string"},
            "title": {"type": "string"},
            "flavour": {"type": "string"},
        }
    }
)


@pytest.fixture(scope="module")
def table():
    return unweave.records(make_list())[0]


def test_exactly_the_columns_of_a_schema(table):
    selected, matches = select_schema(table, SCHEMA)
    assert selected.names == ["rating", "cost", "brand", "title", "flavour"]
    assert {each.wanted.name: each.field for each in matches} == {
        "rating": "rating",
        "cost": "price",
        "brand": "maker",
        "title": "name",
        "flavour": None,
    }
    columns = selected.to_columns(values=True)
    assert columns["rating"] == [Decimal(goods[3]) for goods in GOODS]
    assert columns["cost"] == [Decimal(goods[2][1:]) for goods in GOODS]
    assert columns["title"] == [goods[0] for goods in GOODS]
    assert columns["flavour"] == [None] * len(GOODS)


def test_each_column_is_given_once_with_its_confidence(table):
    matches = match_columns(table, SCHEMA)
    chosen = [each.field for each in matches if each.field]
    assert len(set(chosen)) == len(chosen) == 4
    assert all(0 < each.confidence <= 1 for each in matches if each.field)


def test_a_schema_that_a_list_has_nothing_of(table):
    selected, matches = select_schema(table, Schema.load({"properties": {"flavour": {}}}))
    assert [each.field for each in matches] == [None]
    assert selected.to_columns() == {"flavour": [None] * len(GOODS)}


def test_texts_of_a_schema_are_not_converted(table):
    schema = Schema.load({"properties": {"rating": {"type": "string"}}})
    selected, _ = select_schema(table, schema)
    assert selected.to_columns(values=True)["rating"] == [goods[3] for goods in GOODS]


def test_a_wrapper_for_lists_is_learned_with_a_schema():
    wrapper = unweave.learn(make_list(), schema=SCHEMA)
    table = unweave.apply(wrapper, make_list()).table
    assert [name for name in table.names if name != "flavour"] == [
        "rating",
        "cost",
        "brand",
        "title",
    ]
    assert len(table) == len(GOODS)


def test_the_schema_of_a_wrapper_for_lists_leads_back_to_it():
    wrapper = unweave.learn(make_list())
    schema = unweave.schema_of(wrapper)
    assert list(schema["properties"]) == ["name", "maker", "price", "rating", "added"]
    again = unweave.learn(make_list(), schema=schema)
    assert unweave.schema_of(again) == schema
    first, second = (unweave.apply(each, make_list()).table for each in (wrapper, again))
    assert first.to_columns() == second.to_columns()


def test_a_date_is_no_integer():
    schema = Schema.load({"properties": {"rating": {}, "horsepower": {"type": "integer"}}})
    matches = match_columns(unweave.records(make_list())[0], schema)
    assert matches[1].field is None, matches[1]
