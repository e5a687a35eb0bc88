"""Tables as Parquet files, read back by another library."""

import io
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unweave.errors import SinkError
from unweave.sinks import parquet
from unweave.sinks.parquet import encode_parquet

pq = pytest.importorskip("pyarrow.parquet")


def write_and_read(columns):
    return pq.read_table(io.BytesIO(encode_parquet(columns)))


def test_columns_have_the_types_of_their_cells():
    columns = {
        "text": ["a", None],
        "whole": [1, None],
        "number": [Decimal("19.90"), None],
        "yes": [True, False],
        "day": [date(1815, 12, 10), None],
        "seen": [datetime(2024, 2, 11, 6, 30), None],
        "time": [time(6, 30), None],
        "list": [["a", "b"], None],
        "nothing": [None, None],
    }
    table = write_and_read(columns)
    assert [str(kind) for kind in table.schema.types] == [
        "string",
        "int64",
        "double",
        "bool",
        "date32[day]",
        "timestamp[us]",
        "time64[us]",
        table.schema.field("list").type.__str__(),
        "string",
    ]
    assert table.to_pydict() == {**columns, "number": [19.9, None]}


def test_rows_stay_in_order():
    numbers = [number * 7919 % 10_007 for number in range(10_000)]
    assert write_and_read({"n": numbers}).to_pydict() == {"n": numbers}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, Decimal("1.5")], [1.0, 1.5]),
        (
            [date(2024, 2, 11), datetime(2024, 2, 11, 6)],
            [datetime(2024, 2, 11), datetime(2024, 2, 11, 6)],
        ),
        ([1, "a"], ["1", "a"]),
        ([True, 1], ["true", "1"]),
        ([["a", "b"], "c"], ["a; b", "c"]),
        ([date(2024, 2, 11), "soon"], ["2024-02-11", "soon"]),
        ([["a", None]], [["a", ""]]),
        ([2**63, 1], [None, 1]),
        ([Decimal("NaN"), Decimal("1E+400"), Decimal(1)], [None, None, 1.0]),
        (
            [datetime(2024, 2, 11, 6, tzinfo=timezone(timedelta(hours=2)))],
            [datetime(2024, 2, 11, 4)],
        ),
        (
            [datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-5)))],
            [datetime(9999, 12, 31, 23)],
        ),
        (
            [datetime(2024, 2, 11, 6, tzinfo=UTC), datetime(2024, 2, 11, 6)],
            [datetime(2024, 2, 11, 6)] * 2,
        ),
        (["a\0b", "\ud800"], ["ab", "\N{REPLACEMENT CHARACTER}"]),
        (["'; DROP TABLE x; --"], ["'; DROP TABLE x; --"]),
    ],
)
def test_mixed_types_and_unusual_values(cells, expected):
    assert write_and_read({"x": cells}).to_pydict() == {"x": expected}


def test_names_are_made_unique():
    names = ["Price", "price", 'a"b', "", "x'; DROP TABLE x"]
    assert write_and_read({name: [1] for name in names}).column_names == [
        "Price",
        "price_2",
        'a"b',
        "unnamed",
        "x'; DROP TABLE x",
    ]


def test_a_table_without_rows_has_its_columns():
    assert write_and_read({"x": [], "y": []}).column_names == ["x", "y"]


def test_a_table_without_columns_is_refused():
    with pytest.raises(
        SinkError, match="there is no table, and Parquet cannot hold one without columns"
    ):
        encode_parquet({})


def test_a_row_that_is_far_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(parquet, "MAX_ROW_BYTES", 2**20)
    assert write_and_read({"x": ["a" * (2**20 - 100)]}).num_rows == 1
    with pytest.raises(SinkError, match="a row has more than 1 MB"):
        encode_parquet({"x": ["a" * 2**20]})


CELLS = (
    st.text()
    | st.none()
    | st.integers()
    | st.decimals(allow_nan=False)
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.booleans()
)


@settings(max_examples=30, deadline=None)
@given(st.lists(CELLS | st.lists(st.text(), max_size=2), max_size=5))
def test_any_cells_are_written_and_can_be_read(cells):
    assert write_and_read({"x": cells}).num_rows == len(cells)
