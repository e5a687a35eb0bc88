"""Cells and names that every sink can store."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sinks.example_tables import make_table, names
from unweave.errors import SinkError, UsageError
from unweave.sinks import site_tables
from unweave.sinks.cells import SiteColumn, make_names_unique
from unweave.sinks.site_tables import SiteTable, read_rows


def read_cell(folder, type, value):
    (row,) = read_rows(make_table(folder, "t", [("x", type)], [{"x": value}]))
    return row.get("0")


@pytest.mark.parametrize(
    ("type", "value", "stored"),
    [
        ("text", "a\0b", "ab"),
        ("text", "a\ud800b", "a\ufffdb"),
        ("text", "\u202e=1+1\r\n", "\u202e=1+1\r\n"),
        ("integer", 2**63 - 1, 2**63 - 1),
        ("integer", 2**63, None),
        ("integer", -(2**63) - 1, None),
        ("integer", 3.0, 3),
        ("integer", float("inf"), None),
        ("number", 3, 3.0),
        ("number", 10**400, None),
        ("number", float("nan"), None),
        ("datetime", "2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00"),
        ("datetime", "2024-05-01T10:00:00Z", "2024-05-01T10:00:00"),
        ("list", ["\0", "b"], ["", "b"]),
        ("list", [], []),
        ("date", None, None),
    ],
)
def test_values_are_converted_to_cells(tmp_path, type, value, stored):
    assert read_cell(tmp_path, type, value) == stored


def test_minus_zero_is_zero(tmp_path):
    assert str(read_cell(tmp_path, "number", -0.0)) == "0.0"


def test_integers_with_thousands_of_digits_are_left_out(tmp_path):
    table = make_table(tmp_path, "t", [("x", "integer"), ("y", "number")], [])
    table.files[0].write_text('{"x": 9, "y": -9}'.replace("9", "9" * 5_000))
    assert list(read_rows(table)) == [{}]


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("text", 5),
        ("integer", "5"),
        ("integer", 2.5),
        ("integer", True),
        ("number", "2.5"),
        ("boolean", 1),
        ("date", "2024-13-01"),
        ("date", 20240501),
        ("datetime", "yesterday"),
        ("datetime", "0001-01-01T00:00:00+02:00"),
        ("time", "25:00:00"),
        ("list", "a"),
        ("list", [1]),
    ],
)
def test_a_value_of_another_type_is_an_error_that_names_it(tmp_path, type, value):
    with pytest.raises(
        SinkError, match=rf"is not of type {type}, in the column x of the table t \(.*line 1\)"
    ):
        read_cell(tmp_path, type, value)


@pytest.mark.parametrize("line", ["[1]", "{", '{"x": "' + "\x01", "[" * 100_000, "\xff"])
def test_a_line_that_is_no_object_is_an_error_that_names_it(tmp_path, line):
    table = make_table(tmp_path, "t", [("x",)], [{"x": "a"}])
    table.files[0].write_bytes(table.files[0].read_bytes() + b"\n" + line.encode("latin-1") + b"\n")
    with pytest.raises(SinkError, match=r"a row of the table t is not a JSON object .*line 3"):
        list(read_rows(table))


def test_the_size_of_a_row_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(site_tables, "MAX_ROW_BYTES", 2**20)
    assert len(read_cell(tmp_path, "text", "x" * (2**20 - 20))) == 2**20 - 20
    with pytest.raises(SinkError, match="a row of the table t has more than 1 MB"):
        read_cell(tmp_path, "text", "x" * 2**20)


def test_tables_that_no_sink_can_store_are_refused():
    with pytest.raises(UsageError, match="no columns"):
        SiteTable("t", (), (), ())
    with pytest.raises(UsageError, match="no column 'id' for its key"):
        SiteTable("t", (SiteColumn("a"),), ("id",), ())
    with pytest.raises(UsageError, match="unknown type 'price'"):
        SiteTable("t", (SiteColumn("a", "price"),), (), ())


def test_names_that_differ_only_by_case_get_a_number():
    assert make_names_unique(["Price", "price", "title", "PRICE"]) == [
        "Price",
        "price_2",
        "title",
        "PRICE_3",
    ]


def test_names_are_never_empty():
    assert make_names_unique(["", "\0", "unnamed"]) == ["unnamed", "unnamed_2", "unnamed_3"]


def test_long_names_are_cut_between_characters_and_stay_different():
    assert make_names_unique(["ü" * 40, "ü" * 41], max_bytes=63) == ["ü" * 31, "ü" * 30 + "_2"]


def test_reserved_names_are_not_used():
    assert make_names_unique(["xmin", "XMIN"], reserved=["xmin"]) == ["xmin_2", "XMIN_3"]


@given(st.lists(names), st.sampled_from([None, 63]))
def test_names_stay_different_in_databases(given_names, max_bytes):
    unique = make_names_unique(given_names, max_bytes=max_bytes, reserved=["xmin"])
    assert len({name.casefold() for name in unique} | {"xmin"}) == len(given_names) + 1
    assert all(
        name and "\0" not in name and len(name.encode()) <= (max_bytes or 10_000) for name in unique
    )
    assert make_names_unique(unique, max_bytes=max_bytes, reserved=["xmin"]) == unique
