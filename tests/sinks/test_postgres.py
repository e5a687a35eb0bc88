"""Tables in a PostgreSQL database, all of them or none."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.sinks.example_tables import (
    PRODUCTS,
    STORED_PRODUCTS,
    make_fully_keyed_table,
    make_products,
    make_table,
)
from unweave.errors import SinkError
from unweave.sinks.postgres import _LOCK_NUMBER
from unweave.sinks.registry import StoredTable, choose_sink, write_tables


def query(address, query, values=()):
    with psycopg.connect(address) as connection:
        return connection.execute(query, values).fetchall()


@pytest.fixture
def address(server, database):
    return server.address(database)


def list_tables(address, schema="public"):
    return [
        name
        for (name,) in query(
            address, "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [schema]
        )
    ]


COLUMNS = """
SELECT column_name, data_type, is_nullable FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position
"""

KEY = """
SELECT array_agg(attname::text ORDER BY position)
FROM pg_constraint, unnest(conkey) WITH ORDINALITY AS part(number, position), pg_attribute
WHERE contype = 'p' AND conrelid = %s::regclass AND attrelid = conrelid AND attnum = number
"""


def test_tables_have_types_and_keys(tmp_path, address):
    table = make_table(
        tmp_path, "offers", [("shop",), ("day", "date"), ("a",)], [], key=["day", "shop"]
    )
    found = write_tables(address, [make_products(tmp_path), table], work=tmp_path)
    assert found == [StoredTable("products", "products", 2), StoredTable("offers", "offers", 0)]
    assert query(address, "SELECT * FROM products ORDER BY sku") == STORED_PRODUCTS
    assert query(address, COLUMNS, ["products"]) == [
        ("sku", "text", "NO"),
        ("stock", "bigint", "YES"),
        ("price", "double precision", "YES"),
        ("new", "boolean", "YES"),
        ("day", "date", "YES"),
        ("seen", "timestamp without time zone", "YES"),
        ("opens", "time without time zone", "YES"),
        ("tags", "ARRAY", "YES"),
    ]
    assert query(address, KEY, ["products"]) == [(["sku"],)]
    assert query(address, KEY, ["offers"]) == [(["day", "shop"],)]


def test_a_schema_is_made_if_it_is_missing(tmp_path, address):
    for _ in range(2):
        write_tables(address, [make_products(tmp_path)], schema='My "Shop"; --', work=tmp_path)
    assert list_tables(address, 'My "Shop"; --') == ["products"]
    assert list_tables(address) == []


def test_names_that_are_too_long_or_reserved(tmp_path, address):
    columns = [("x" * 70,), ("x" * 71,), ("ctid",), ("",)]
    tables = [
        make_table(tmp_path, "ü" * 40 + ending, columns, [{"ctid": "1"}], key=["ctid"])
        for ending in "ab"
    ]
    names = [stored.stored_name for stored in write_tables(address, tables, work=tmp_path)]
    assert names == ["ü" * 31, "ü" * 30 + "_2"]
    assert [name for name, _, _ in query(address, COLUMNS, [names[1]])] == [
        "x" * 63,
        "x" * 61 + "_2",
        "ctid_2",
        "unnamed",
    ]


def test_tables_of_an_earlier_run_are_replaced(tmp_path, address):
    write_tables(address, [make_products(tmp_path)], run="shop.example", work=tmp_path)
    write_tables(
        address, [make_products(tmp_path, PRODUCTS[:1])], run="other.example", work=tmp_path
    )
    assert query(address, "SELECT sku FROM products") == [("b",)]


def test_tables_that_the_same_run_no_longer_writes_are_dropped(tmp_path, address):
    empty = [make_table(tmp_path, name, [("a",)], []) for name in ("a", "b", "c")]
    write_tables(address, empty[:2], run="shop.example", work=tmp_path)
    write_tables(address, empty[2:], run="other.example", work=tmp_path)
    assert list_tables(address) == ["a", "b", "c"]
    write_tables(address, empty[:1], run="shop.example", work=tmp_path)
    assert list_tables(address) == ["a", "c"]


def test_runs_without_a_name_drop_nothing(tmp_path, address):
    for name in ("a", "b"):
        write_tables(address, [make_table(tmp_path, name, [("a",)], [])], work=tmp_path)
    assert list_tables(address) == ["a", "b"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE products (mine text)",
        "CREATE VIEW products AS SELECT 'mine' AS mine",
        "CREATE TABLE products (mine text);"
        " COMMENT ON TABLE products IS 'not written by unweave from here'",
    ],
)
def test_a_table_that_unweave_did_not_write_is_never_dropped(
    tmp_path, server, database, address, statement
):
    server.run(statement, database=database)
    with pytest.raises(
        SinkError, match=r"table 'products' in the schema 'public' that unweave did not write"
    ):
        write_tables(
            address,
            [make_table(tmp_path, "first", [("a",)], []), make_products(tmp_path)],
            work=tmp_path,
        )
    assert query(address, "SELECT count(mine) FROM products")
    assert "first" not in list_tables(address)


def test_views_of_others_on_a_table_are_not_dropped(tmp_path, server, database, address):
    write_tables(address, [make_products(tmp_path)], work=tmp_path)
    server.run("CREATE VIEW cheap AS SELECT * FROM products", database=database)
    with pytest.raises(
        SinkError, match=r"cannot drop .*products because other objects depend on it"
    ):
        write_tables(address, [make_products(tmp_path, [])], work=tmp_path)
    assert query(address, "SELECT count(*) FROM cheap") == [(2,)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [([{"a": "x"}, {"a": "x"}], "two rows have the key"), ([{}], "a row has no a")],
)
def test_a_key_must_identify_rows(tmp_path, address, rows, message):
    with pytest.raises(SinkError, match=message):
        write_tables(address, [make_table(tmp_path, "t", [("a",)], rows, key=["a"])], work=tmp_path)
    assert list_tables(address) == []


def test_keys_that_cannot_be_indexed(tmp_path, address):
    rows = [{"a": letter * 20_000} for letter in "xy"]
    write_tables(address, [make_table(tmp_path, "t", [("a",)], rows, key=["a"])], work=tmp_path)
    assert query(address, "SELECT length(a) FROM t") == [(20_000,), (20_000,)]


def test_every_other_type_can_be_a_key(tmp_path, address):
    write_tables(address, [make_fully_keyed_table(tmp_path)], work=tmp_path)
    assert query(address, KEY, ["products"]) == [
        (["sku", "stock", "price", "new", "day", "seen", "opens"],)
    ]


def test_an_error_in_the_middle_leaves_what_was_there(tmp_path, server):
    """The encoding of the database has no Chinese: the second table fails after the first."""
    latin = server.address(server.new_database("ENCODING LATIN1 LOCALE 'C'"))
    write_tables(latin, [make_table(tmp_path, "t", [("a",)], [{"a": "ä"}])], work=tmp_path)
    changed = [
        make_table(tmp_path, "t", [("a",)], []),
        make_table(tmp_path, "u", [("a",)], [{"a": "漢"}]),
    ]
    with pytest.raises(SinkError, match="has no equivalent in encoding") as raised:
        write_tables(latin, changed, work=tmp_path)
    assert "\n" not in str(raised.value)
    assert list_tables(latin) == ["t"]
    assert query(latin, "SELECT a FROM t") == [("ä",)]


def test_a_dropped_connection_leaves_what_was_there(tmp_path, server, database, address):
    """The sink waits for a lock that we hold; then its connection is ended."""
    write_tables(address, [make_products(tmp_path)], work=tmp_path)
    waiting = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with ThreadPoolExecutor(1) as pool, psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK_NUMBER])
        writing = pool.submit(write_tables, address, [make_products(tmp_path, [])], work=tmp_path)
        while not (found := connection.execute(waiting).fetchall()):
            assert not writing.done()
        connection.execute("SELECT pg_terminate_backend(%s)", [found[0][0]])
        with pytest.raises(SinkError, match="terminating connection") as raised:
            writing.result()
    assert "\n" not in str(raised.value)
    assert query(address, "SELECT count(*) FROM products") == [(2,)]


def test_an_interrupt_leaves_what_was_there(tmp_path, address, monkeypatch):
    write_tables(address, [make_products(tmp_path)], work=tmp_path)

    def interrupted(path):
        yield STORED_PRODUCTS[0]
        raise KeyboardInterrupt

    monkeypatch.setattr("unweave.sinks.postgres.read_parquet_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_tables(address, [make_products(tmp_path)], work=tmp_path)
    assert query(address, "SELECT count(*) FROM products") == [(2,)]


def test_missing_permissions_are_found_by_the_check(tmp_path, server, database):
    server.run("CREATE ROLE reader LOGIN", database=database)
    reader = server.address(database, user="reader")
    with pytest.raises(SinkError, match="permission denied for schema public"):
        choose_sink(reader).check()
    with pytest.raises(SinkError, match="permission denied for database"):
        choose_sink(reader, schema="other").check()


def test_a_check_leaves_nothing_behind(address):
    choose_sink(address, schema="other").check()
    assert query(address, "SELECT count(*) FROM pg_namespace WHERE nspname = 'other'") == [(0,)]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "postgresql://me:s3cret@127.0.0.1:1/db",
            "cannot write to postgresql://me@127.0.0.1:1/db: .*refused",
        ),
        ("postgresql://me:s3cret@/db?host=/nowhere", "No such file"),
        ("postgresql://me:s3cret/x@host/db", "the address of the database cannot be parsed"),
        ("postgresql://me:54/s3cret@host/db", "the address of the database cannot be parsed"),
        ("postgresql://me:a@s3cret@host/db", "the address of the database cannot be parsed"),
        ("postgresql://me:s3cret%zz@host/db", "the address of the database cannot be parsed"),
        ("postgresql://host/db?nonsense=s3cret", "the address of the database cannot be parsed"),
        ("postgresql://me:s3cret@[host/db", "the address of the database cannot be parsed"),
        ("postgresql://me:s3cret\udc80@host/db", "the address of the database cannot be parsed"),
    ],
)
def test_errors_of_addresses_have_one_line_and_no_password(tmp_path, address, message):
    with pytest.raises(SinkError, match=message) as raised:
        write_tables(address, [make_products(tmp_path)], work=tmp_path)
    assert "s3cret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_database_that_is_not_there(server):
    with pytest.raises(SinkError, match='database "nowhere" does not exist'):
        choose_sink(server.address("nowhere")).check()
