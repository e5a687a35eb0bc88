"""Tables as a DuckDB file."""

import os
from contextlib import closing

import duckdb
import pytest

from tests.sinks.example_tables import (
    STORED_PRODUCTS,
    make_fully_keyed_table,
    make_products,
    make_table,
)
from unweave.errors import SinkError
from unweave.sinks import duckdb_file
from unweave.sinks.registry import write_tables


def query(path, query):
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        return connection.execute(query).fetchall()


def test_tables_have_types_and_keys(tmp_path):
    out = tmp_path / "out.duckdb"
    table = make_table(
        tmp_path, "Offers of a day", [("shop",), ("day", "date"), ("a",)], [], key=["day", "shop"]
    )
    write_tables(str(out), [make_products(tmp_path), table], work=tmp_path)
    assert query(out, "FROM products") == STORED_PRODUCTS
    assert query(out, 'SELECT column_name, column_type, "null" FROM (DESCRIBE products)') == [
        ("sku", "VARCHAR", "NO"),
        ("stock", "BIGINT", "YES"),
        ("price", "DOUBLE", "YES"),
        ("new", "BOOLEAN", "YES"),
        ("day", "DATE", "YES"),
        ("seen", "TIMESTAMP", "YES"),
        ("opens", "TIME", "YES"),
        ("tags", "VARCHAR[]", "YES"),
    ]
    keys = (
        "SELECT table_name, constraint_column_names FROM duckdb_constraints()"
        " WHERE constraint_type = 'PRIMARY KEY'"
    )
    assert sorted(query(out, keys)) == [("Offers of a day", ["day", "shop"]), ("products", ["sku"])]


def test_an_older_database_is_replaced_as_a_whole_and_keeps_its_permissions(tmp_path):
    out = tmp_path / "out.duckdb"
    write_tables(str(out), [make_table(tmp_path, "old", [("a",)], [])], work=tmp_path)
    out.chmod(0o640)
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert query(out, "SHOW TABLES") == [("products",)]
    assert out.stat().st_mode & 0o777 == 0o640
    assert sorted(name for name in os.listdir(tmp_path) if not name.endswith(".jsonl")) == [
        "out.duckdb"
    ]


@pytest.mark.parametrize("content", [b"", b"mine", b"SQLite format 3\0" * 10])
def test_a_file_that_is_no_database_is_kept(tmp_path, content):
    out = tmp_path / "out.duckdb"
    out.write_bytes(content)
    with pytest.raises(SinkError, match="not a DuckDB database"):
        write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert out.read_bytes() == content


def test_a_folder_is_kept(tmp_path):
    (tmp_path / "out.duckdb").mkdir()
    with pytest.raises(SinkError, match="it is a folder"):
        write_tables(str(tmp_path / "out.duckdb"), [make_products(tmp_path)], work=tmp_path)


def test_a_database_in_use_is_kept(tmp_path):
    """DuckDB would apply the log of the old database to the new one."""
    out = tmp_path / "out.duckdb"
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    with closing(duckdb.connect(str(out))) as connection:
        connection.execute("DELETE FROM products")
        with pytest.raises(SinkError, match="it is in use"):
            write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert query(out, "SELECT count(*) FROM products") == [(0,)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [([{"a": "x"}, {"a": "x"}], "two rows have the key a = 'x'"), ([{}], "a row has no a")],
)
def test_a_key_must_identify_rows(tmp_path, rows, message):
    table = make_table(tmp_path, "t", [("a",)], rows, key=["a"])
    with pytest.raises(SinkError, match=f"the table t cannot be written to a database: {message}"):
        write_tables(str(tmp_path / "out.duckdb"), [table], work=tmp_path)
    assert not (tmp_path / "out.duckdb").exists()


def test_keys_that_cannot_be_indexed(tmp_path):
    rows = [{"a": letter * 20_000, "b": [letter]} for letter in "xy"]
    tables = [
        make_table(tmp_path, name, [("a",), ("b", "list")], rows, key=[name]) for name in ("a", "b")
    ]
    write_tables(str(tmp_path / "out.duckdb"), tables, work=tmp_path)
    assert query(
        tmp_path / "out.duckdb", "SELECT count(*) FROM a UNION ALL SELECT count(*) FROM b"
    ) == [(2,), (2,)]
    assert (
        query(
            tmp_path / "out.duckdb",
            "SELECT * FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'",
        )
        == []
    )


def test_every_other_type_can_be_a_key(tmp_path):
    write_tables(str(tmp_path / "out.duckdb"), [make_fully_keyed_table(tmp_path)], work=tmp_path)
    constraints = (
        "SELECT constraint_column_names FROM duckdb_constraints()"
        " WHERE constraint_type = 'PRIMARY KEY'"
    )
    assert query(tmp_path / "out.duckdb", constraints) == [
        (["sku", "stock", "price", "new", "day", "seen", "opens"],)
    ]


def test_tables_with_too_many_rows_have_no_index(tmp_path, monkeypatch):
    monkeypatch.setattr(duckdb_file, "_MAX_INDEXED_ROWS", 1)
    write_tables(str(tmp_path / "out.duckdb"), [make_products(tmp_path)], work=tmp_path)
    assert query(
        tmp_path / "out.duckdb", "SELECT DISTINCT constraint_type FROM duckdb_constraints()"
    ) == [("NOT NULL",)]


def test_rows_that_do_not_fit_into_memory_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(duckdb_file, "_MAX_BATCH_BYTES", 100_000)
    table = make_table(tmp_path, "t", [("a",)], [{"a": "x" * 1_000}] * 200)
    with pytest.raises(
        SinkError, match=r"2,048 rows of the table t have .* write a folder of files instead"
    ):
        write_tables(str(tmp_path / "out.duckdb"), [table], work=tmp_path)


def test_many_rows(tmp_path):
    rows = [{"n": number, "a": "text " * 20} for number in range(10_000)]
    table = make_table(tmp_path, "t", [("n", "integer"), ("a",)], rows[::-1], key=["n"])
    write_tables(str(tmp_path / "out.duckdb"), [table], work=tmp_path)
    assert [n for (n,) in query(tmp_path / "out.duckdb", "SELECT n FROM t")] == list(range(10_000))
