"""Rows of many files, sorted in one Parquet file."""

import hashlib

import duckdb
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sinks.example_tables import (
    PRODUCTS,
    STORED_PRODUCTS,
    draw_table,
    make_products,
    make_table,
)
from unweave.sinks.duckdb_connection import connect
from unweave.sinks.parquet import read_parquet_rows
from unweave.sinks.site_tables import DUCKDB_BATCH_ROWS, sort_rows, sort_tables


@given(
    st.lists(st.dictionaries(st.sampled_from("012"), st.text(max_size=3))),
    st.permutations(range(3)),
    st.integers(0, 5_000),
)
def test_rows_in_files_are_sorted_as_rows_in_memory(tmp_path_factory, rows, columns, memory_bytes):
    folder = tmp_path_factory.mktemp("runs")
    found = [row for row, _ in sort_rows(rows, columns, folder, memory_bytes=memory_bytes)]
    assert found == sorted(
        rows,
        key=lambda row: [(str(column) not in row, row.get(str(column), "")) for column in columns],
    )
    assert not list(folder.iterdir())


def test_every_type_is_kept(tmp_path):
    (table,) = sort_tables([make_products(tmp_path)], tmp_path)
    assert list(read_parquet_rows(table.path)) == STORED_PRODUCTS
    assert (table.row_count, table.key) == (2, ("sku",))
    assert [str(field.type) for field in pyarrow.parquet.read_schema(table.path)] == [
        "string",
        "int64",
        "double",
        "bool",
        "date32[day]",
        "timestamp[us]",
        "time64[us]",
        "list<element: string>",
    ]


@pytest.mark.parametrize("files", [0, 1, 3])
def test_a_table_without_rows_has_its_columns(tmp_path, files):
    (table,) = sort_tables([make_products(tmp_path, [], files=files)], tmp_path)
    assert (table.row_count, list(read_parquet_rows(table.path))) == (0, [])
    assert pyarrow.parquet.read_schema(table.path).names[:2] == ["sku", "stock"]


def test_the_order_is_by_key_then_by_all_columns_in_bytes(tmp_path):
    rows = [
        {"a": "b", "k": "Z"},
        {"a": "ä", "k": "a"},
        {"a": "b"},
        {"k": "a"},
        {"a": "\U0001f600", "k": "a"},
        {"a": "\uffff", "k": "a"},
    ]
    (table,) = sort_tables([make_table(tmp_path, "t", [("a",), ("k",)], rows, key=["k"])], tmp_path)
    assert list(read_parquet_rows(table.path)) == [
        ("b", "Z"),
        ("ä", "a"),
        ("\uffff", "a"),
        ("\U0001f600", "a"),
        (None, "a"),
        ("b", None),
    ]


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(draw_table(), st.integers(1, 3), st.randoms())
def test_the_bytes_do_not_depend_on_the_order_of_rows_and_files(
    tmp_path_factory, contents, files, random
):
    columns, rows = contents
    shuffled = random.sample(rows, len(rows))
    found = []
    for shuffled_rows in (rows, shuffled):
        folder = tmp_path_factory.mktemp("order")
        (table,) = sort_tables(
            [make_table(folder, "t", columns[1:] or columns, shuffled_rows, files=files)], folder
        )
        found.append(table.path.read_bytes())
    assert found[0] == found[1]


def test_many_row_groups_are_in_order_and_always_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("unweave.sinks.parquet._ROW_GROUP_BYTES", 2**16)
    rows = [
        {"k": hashlib.sha256(str(number).encode()).hexdigest(), "n": number}
        for number in range(3 * DUCKDB_BATCH_ROWS)
    ]
    found = set()
    for number, shuffled_rows in enumerate(
        [rows, rows[::-1], rows[DUCKDB_BATCH_ROWS:] + rows[:DUCKDB_BATCH_ROWS]]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        site_table = make_table(
            folder, "t", [("k",), ("n", "integer")], shuffled_rows, key=["k"], files=2
        )
        (table,) = sort_tables([site_table], folder)
        found.add(table.path.read_bytes())
        assert pyarrow.parquet.ParquetFile(table.path).num_row_groups > 1
        assert [row[0] for row in read_parquet_rows(table.path)] == sorted(row["k"] for row in rows)
    assert len(found) == 1


def test_names_of_folders_give_no_columns(tmp_path):
    folder = tmp_path / "year=2024" / "a*b[1]?'"
    folder.mkdir(parents=True)
    (table,) = sort_tables([make_products(folder)], folder)
    assert list(read_parquet_rows(table.path)) == STORED_PRODUCTS


@pytest.mark.slow
def test_a_row_larger_than_the_default_limit_of_duckdb(tmp_path):
    large = "ä" * (10 * 2**20)
    (table,) = sort_tables(
        [make_table(tmp_path, "t", [("a",), ("b",)], [{"a": "x", "b": large}, {"a": large}])],
        tmp_path,
    )
    assert list(read_parquet_rows(table.path)) == [("x", large), (large, None)]


def test_errors_of_keys(tmp_path):
    columns = [("a",), ("b",)]
    twice, missing, fine, none = sort_tables(
        [
            make_table(
                tmp_path,
                "twice",
                columns,
                [{"a": "x", "b": "1"}, {"a": "y"}, {"a": "x", "b": "2"}],
                key=["a"],
            ),
            make_table(tmp_path, "missing", columns, [{"a": "x"}, {"b": "x"}], key=["a"]),
            make_table(
                tmp_path,
                "fine",
                columns,
                [{"a": "x", "b": "1"}, {"a": "x", "b": "22"}],
                key=["a", "b"],
            ),
            make_table(tmp_path, "none", columns, [{"a": "x"}, {"a": "x"}]),
        ],
        tmp_path,
    )
    assert twice.key_error == "two rows have the key a = 'x'"
    assert missing.key_error == "a row has no a"
    assert (fine.key_error, fine.max_key_bytes, none.key_error) == (None, 3, None)


def test_names_of_tables_and_columns_are_made_unique(tmp_path):
    rows = [{"Price": "1", "price": "2", "\ud800": "3"}]
    first, second = sort_tables(
        [
            make_table(
                tmp_path, "Items", [("Price",), ("price",), ("\ud800",)], rows, key=["price"]
            ),
            make_table(tmp_path, "items", [("a",)], []),
        ],
        tmp_path,
    )
    assert (first.name, second.name, first.key) == ("Items", "items_2", ("price_2",))
    assert pyarrow.parquet.read_table(first.path).to_pylist() == [
        {"Price": "1", "price_2": "2", "\ufffd": "3"}
    ]


def test_columns_may_be_named_by_numbers(tmp_path):
    (table,) = sort_tables(
        [make_table(tmp_path, "t", [("1",), ("0",)], [{"0": "zero", "1": "one"}])], tmp_path
    )
    assert pyarrow.parquet.read_table(table.path).to_pylist() == [{"1": "one", "0": "zero"}]


def test_temporary_files_are_removed(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    sort_tables([make_products(tmp_path, PRODUCTS)], folder)
    assert [path.name for path in folder.iterdir()] == ["0.parquet"]


def test_duckdb_touches_no_other_files_and_no_network(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.csv").write_text("a\n1\n")
    connection = connect(tmp_path / "inside")
    for forbidden in (
        f"SELECT * FROM read_csv('{tmp_path}/outside.csv')",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 2",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(forbidden)
    connection.close()
