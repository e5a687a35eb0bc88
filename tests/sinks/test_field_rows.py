"""Typed rows of fields: the types of all values, and a value wherever there was a text."""

import io
import math
from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unweave.sinks.field_rows import FieldRowWriter
from unweave.sinks.registry import encode_rows
from unweave.table import Column
from unweave.values.column_format import is_placeholder

parquet = pytest.importorskip("pyarrow.parquet")


class Rows(list):
    """Takes rows as a list."""

    write = list.append


def write_rows(rows, *, order=(), requested=(), is_typed=True):
    found = Rows()
    writer = FieldRowWriter(
        found, list(order), {column.name: column for column in requested}, is_typed=is_typed
    )
    for row in rows:
        writer.write(row)
    writer.close()
    return list(found)


def write_column(texts, **options):
    """Return the cells of a column with these texts, and those of its currency."""
    rows = write_rows([{"a": text} for text in texts], **options)
    assert len(rows) == len(texts)
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1,200", "7"], [1200, 7]),
        (["1.5", "7"], [Decimal("1.5"), Decimal("7")]),
        (["3 May 2020", "12 June 2021"], [date(2020, 5, 3), date(2021, 6, 12)]),
        (["10:30", "22:15"], [time(10, 30), time(22, 15)]),
        (["yes", "no"], [True, False]),
        (["7 views", "1 view"], [7, 1]),
        (["Weight: 5", "Weight: 12"], [5, 12]),
        (["007", "012"], ["007", "012"]),
        (["5", "many"], ["5", "many"]),
        (["12345678901234567890", "7"], ["12345678901234567890", "7"]),
        (["red", "blue"], ["red", "blue"]),
        (["5", None, "7"], [5, None, 7]),
        (["5", ["6", "7"]], ["5", ["6", "7"]]),
        ([None, None], [None, None]),
    ],
)
def test_a_column_has_the_type_that_all_its_texts_have(texts, expected):
    assert write_column(texts) == {"a": expected}


def test_prices_have_a_column_for_the_currency():
    assert write_column(["$5.50", "EUR 7"]) == {
        "a": [Decimal("5.50"), Decimal("7")],
        "a_currency": ["$", "EUR"],
    }


def test_the_column_of_the_currency_has_a_name_of_its_own():
    rows = write_rows([{"a": "$5", "a_currency": "dollar"}, {"a": "$6", "a_currency": "dollar"}])
    assert rows[0] == {
        "a": Decimal("5"),
        "a_currency_": "$",
        "a_currency": "dollar",
    }


def test_a_requested_type_is_kept_and_the_rest_is_left_out():
    requested = [Column("a", "integer", is_requested_type=True)]
    assert write_column(["5", "many", "7"], requested=requested) == {"a": [5, None, 7]}


def test_a_requested_text_stays_a_text():
    requested = [Column("a", "string", is_requested_type=True)]
    assert write_column(["5", "7"], requested=requested) == {"a": ["5", "7"]}


def test_lists_of_a_requested_type_are_kept():
    requested = [Column("a", "integer", is_requested_type=True)]
    assert write_column([["5", "6"], None, ["7"]], requested=requested) == {
        "a": [["5", "6"], None, ["7"]]
    }


def test_rows_without_types_are_texts():
    assert write_column(["5", "7"], is_typed=False) == {"a": ["5", "7"]}


def test_names_are_in_the_order_that_is_given_and_then_of_first_use():
    rows = write_rows(
        [{"page": "1", "z": "x", "b": "x"}, {"page": "2", "a": "y", "y": "y"}],
        order=["page", "fit", "a", "b"],
    )
    assert [list(row) for row in rows] == [["page", "a", "b", "z", "y"]] * 2


def test_no_rows():
    assert write_rows([]) == []


WORDS = st.sampled_from(
    "5 7.5 1,000 -3 $5 €7.99 5% 2020-01-02 03/04/2020 10:30 yes no n/a - . … 0 007 x 1e5 10k"
    " 12345678901234567890 99999999999999999999.5 (5) ½ ٣ ∞ NaN 2020-01-02T10:00:00Z 5€"
    " 9999-12-31T23:59:59-05:00 1_000 +5 5- №5".split()
)
TEXTS = st.lists(
    st.none() | WORDS | st.text(min_size=1, max_size=8), min_size=1, max_size=6
) | st.lists(WORDS, min_size=1, max_size=4)


@settings(max_examples=400)
@given(TEXTS)
@example(["9223372036854775808"])
@example(["$9223372036854775808"])
@example(["1" * 400, "2" * 400])
@example([f"{'1' * 400}.5", "2.5"])
@example(["n/a", "5"])
@example(["2020-01-01T10:00:00Z", "2020-01-01T10:00:00"])
def test_typed_columns_have_a_value_wherever_there_is_a_text(texts):
    cells = write_column(texts)["a"]
    is_text = any(isinstance(cell, str) for cell in cells)
    for text, cell in zip(texts, cells, strict=True):
        if text is None:
            assert cell is None
        elif is_text:
            assert cell == text
        else:  # in a column of numbers a dash stands for no value
            assert (cell is None) == is_placeholder(text), (text, cell)


@settings(max_examples=40)
@given(TEXTS)
@example(["9223372036854775807", "-9223372036854775808"])
@example(["1" * 400, "2" * 400])
@example([f"{'1' * 400}.5", "2.5"])
@example(["9999-12-31T23:59:59-05:00"] * 2)
def test_parquet_has_a_cell_for_each_value(texts):
    rows = write_rows([{"page": "x", "a": text} for text in texts])
    found = parquet.read_table(io.BytesIO(encode_rows(rows, "parquet"))).to_pydict()["a"]
    assert [cell is None for cell in found] == [row["a"] is None for row in rows]


@pytest.mark.parametrize(
    ("texts", "type_"),
    [
        (["5", "7"], int),
        (["5.5", "7"], float),
        (["3 May 2020", "4 May 2020"], date),
        (["2020-05-03 10:00", "2020-05-04 11:00"], datetime),
        (["yes", "no"], bool),
        (["red", "5"], str),
    ],
)
def test_the_types_of_parquet(texts, type_):
    rows = write_rows([{"a": text} for text in texts])
    found = parquet.read_table(io.BytesIO(encode_rows(rows, "parquet"))).to_pydict()["a"]
    assert [type(cell) for cell in found] == [type_] * len(texts)
    assert not any(isinstance(cell, float) and math.isnan(cell) for cell in found)


def test_pandas_reads_the_types_from_parquet():
    pandas = pytest.importorskip("pandas")
    rows = write_rows([{"a": "1,200", "b": "$5"}, {"a": "7", "b": "$7.50"}])
    frame = pandas.read_parquet(io.BytesIO(encode_rows(rows, "parquet")))
    assert frame["a"].sum() == 1207
    assert frame["b"].sum() == 12.5
    assert list(frame["b_currency"]) == ["$", "$"]
