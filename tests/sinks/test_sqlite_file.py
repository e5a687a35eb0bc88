"""Tables as an SQLite database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.sinks.example_tables import make_fully_keyed_table, make_products, make_table
from unweave.cli import main
from unweave.errors import SinkError
from unweave.sinks.registry import encode_rows, write_tables

EXAMPLES = Path(__file__).parents[2] / "examples"


def query(path, statement):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(statement).fetchall()


def read_bytes(data, statement):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        return connection.execute(statement).fetchall()


def test_tables_have_types_and_keys(tmp_path):
    out = tmp_path / "out.db"
    table = make_table(
        tmp_path, "Offers of a day", [("shop",), ("day", "date"), ("a",)], [], key=["day", "shop"]
    )
    write_tables(str(out), [make_products(tmp_path), table], work=tmp_path)
    columns = query(out, "pragma table_info(products)")
    assert [(name, type, required, key) for _, name, type, required, _, key in columns] == [
        ("sku", "TEXT", 1, 1),
        ("stock", "INTEGER", 0, 0),
        ("price", "REAL", 0, 0),
        ("new", "INTEGER", 0, 0),
        ("day", "TEXT", 0, 0),
        ("seen", "TEXT", 0, 0),
        ("opens", "TEXT", 0, 0),
        ("tags", "TEXT", 0, 0),
    ]
    keys = query(out, "select name, pk from pragma_table_info('Offers of a day') order by cid")
    assert keys == [("shop", 2), ("day", 1), ("a", 0)]
    assert query(out, "pragma integrity_check") == [("ok",)]


def test_cells_are_texts_and_numbers_and_null(tmp_path):
    out = tmp_path / "out.sqlite"
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    stored = {
        kind
        for row in query(
            out,
            "select typeof(sku), typeof(stock), typeof(price), typeof(new), typeof(day),"
            " typeof(tags) from products",
        )
        for kind in row
    }
    assert stored == {"text", "integer", "real", "null"}
    days = [day for (day,) in query(out, "select day from products where day is not null")]
    assert days
    assert all(len(day) == 10 for day in days)
    assert query(out, "select json_array_length(tags) from products where tags is not null")


def test_names_of_sqlite_and_hostile_names_are_stored(tmp_path):
    out = tmp_path / "out.db"
    names = ["sqlite_master", "SQLite_sequence", 'a"; drop table b; --', "b", "B", ""]
    tables = [
        make_table(tmp_path, name, [('x"y',), ("select",), ('X"Y',)], [{'x"y': "1"}])
        for name in names
    ]
    stored = write_tables(str(out), tables, work=tmp_path)
    in_database = query(out, "select name from sqlite_master where type = 'table'")
    assert [table.stored_name for table in stored] == [name for (name,) in in_database]
    assert len(in_database) == len(names)
    assert query(out, 'select * from "b"')[0][0] == "1"


def test_an_older_database_is_replaced_as_a_whole_and_keeps_its_permissions(tmp_path):
    out = tmp_path / "out.db"
    write_tables(str(out), [make_table(tmp_path, "old", [("a",)], [])], work=tmp_path)
    out.chmod(0o640)
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert query(out, "select name from sqlite_master where type = 'table'") == [("products",)]
    assert out.stat().st_mode & 0o777 == 0o640


def test_a_run_that_fails_keeps_the_older_database(tmp_path):
    out = tmp_path / "out.db"
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    before = out.read_bytes()
    wide = make_table(tmp_path, "wide", [(f"c{number}",) for number in range(2_001)], [])
    with pytest.raises(SinkError, match="2,001 columns"):
        write_tables(str(out), [wide], work=tmp_path)
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("*.db*")) == ["out.db"]


@pytest.mark.parametrize("content", [b"", b"mine", b"\0" * 8 + b"DUCK"])
def test_a_file_that_is_no_database_is_kept(tmp_path, content):
    out = tmp_path / "out.db"
    out.write_bytes(content)
    with pytest.raises(SinkError, match="not an SQLite database"):
        write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    table = unweave.records(EXAMPLES / "products.html")[0]
    with pytest.raises(SinkError, match="not an SQLite database"):
        table.save(out)
    assert out.read_bytes() == content


@pytest.mark.parametrize("ending", ["-journal", "-wal"])
def test_a_database_in_use_is_kept(tmp_path, ending):
    """SQLite would apply the journal of the old database to the new one."""
    out = tmp_path / "out.db"
    write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    before = out.read_bytes()
    Path(f"{out}{ending}").write_bytes(b"journal")
    with pytest.raises(SinkError, match=f"in use or was not closed .out.db{ending} exists"):
        write_tables(str(out), [make_products(tmp_path)], work=tmp_path)
    assert out.read_bytes() == before


def test_a_format_is_for_folders(tmp_path):
    with pytest.raises(unweave.UsageError, match="a database has its own"):
        write_tables(str(tmp_path / "x.db"), [make_products(tmp_path)], work=tmp_path, format="csv")


def test_keys_that_are_not_unique_are_refused(tmp_path):
    rows = [{"a": "1"}, {"a": "1"}]
    table = make_table(tmp_path, "twice", [("a",)], rows, key=["a"])
    with pytest.raises(SinkError, match="two rows have the key"):
        write_tables(str(tmp_path / "out.db"), [table], work=tmp_path)
    fully = make_fully_keyed_table(tmp_path)
    write_tables(str(tmp_path / "out.db"), [fully], work=tmp_path)


CELLS = st.one_of(
    st.none(),
    st.text(),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.lists(st.one_of(st.none(), st.text())),
)


@given(st.lists(st.dictionaries(st.text(max_size=5), CELLS, min_size=1), min_size=1, max_size=5))
def test_any_rows_can_be_stored(rows):
    data = encode_rows(rows, "db")
    stored = read_bytes(data, "select * from records")
    assert len(stored) == len(rows)
    assert len(stored[0]) == len({name for row in rows for name in row})


# ---- the commands --------------------------------------------------------------------------------


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result


def test_records_and_apply_write_a_database(tmp_path):
    out = tmp_path / "products.db"
    run("records", EXAMPLES / "products.html", "-o", out)
    rows = query(out, "select brand, title, rating, count, was_price from records")
    assert len(rows) == 24
    assert rows[0] == ("Tolv", "Stoneware dinner plate, sand glaze", 4.6, 212, None)
    wrapper = tmp_path / "w.json"
    run("learn", EXAMPLES / "products.html", "-o", wrapper)
    run("apply", wrapper, EXAMPLES / "products-2.html", "-o", out)
    assert query(out, "select count(*) > 5 from records") == [(1,)]


def test_text_and_site_write_a_database(tmp_path):
    texts, site = tmp_path / "texts.db", tmp_path / "site.sqlite"
    run("text", EXAMPLES / "text/manual.html", EXAMPLES / "text/thread.html", "-o", texts)
    assert query(texts, "select title from texts order by title desc")[0] == ("Reading gauges",)
    run("site", EXAMPLES / "shop", "-o", site, "--workers", 1)
    names = {name for (name,) in query(site, "select name from sqlite_master where type = 'table'")}
    assert {"pages", "templates", "columns"} < names


def test_diff_reads_what_was_written(tmp_path):
    table = unweave.records(EXAMPLES / "products.html")[0]
    table.save(tmp_path / "a.db")
    table.save(tmp_path / "b.parquet")
    assert not unweave.diff(tmp_path / "a.db", tmp_path / "b.parquet", key="title")
