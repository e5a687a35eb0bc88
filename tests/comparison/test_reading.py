"""Tables of every format are read, and files that cannot be read give one clear error."""

import gzip
import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import duckdb
import pytest

import unweave
from unweave.comparison import reading, rows, text_files
from unweave.comparison.reading import load_table, read_table_file
from unweave.errors import SourceError, UnweaveError, UsageError

ROWS = [
    {"id": "a", "n": 1, "price": 9.98, "day": "2024-02-11", "new": True, "tags": ["x", "y"]},
    {"id": "b", "n": 2, "price": 5.5, "day": "2024-02-12", "new": False, "tags": ["x"]},
    {"id": "c; d", "n": 3},
]
CSV = 'id,n,price,day,new,tags\na,1,9.98,2024-02-11,true,x; y\nb,2,5.50,2024-02-12,false,x\n"c; d",3,,,,\n'
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def write_duckdb(path):
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(
            "create table t (id text, n bigint, price double, day date, new boolean, tags text[])"
        )
        for row in ROWS:
            cells = [row.get(name) for name in ROWS[0]]
            connection.execute("insert into t values (?, ?, ?, ?, ?, ?)", cells)


def write_parquet(path):
    source = path.with_suffix(".source")
    write_duckdb(source)
    with closing(duckdb.connect(str(source))) as connection:
        connection.execute(f"copy t to '{path.with_suffix('.copy')}' (format parquet)")
    path.with_suffix(".copy").rename(path)


def write_sqlite(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table t (id text, n integer, price real, day text, new, tags)")
        for row in ROWS:
            new = {True: "true", False: "false"}.get(row.get("new"))
            tags = "; ".join(row.get("tags", [])) or None
            cells = [row["id"], row["n"], row.get("price"), row.get("day"), new, tags]
            connection.execute("insert into t values (?, ?, ?, ?, ?, ?)", cells)
        connection.commit()


def pack_zstd(data):
    from fastwarc.stream_io import ZstdWriter

    packed = io.BytesIO()
    with ZstdWriter(packed) as writer:
        writer.write(data)
    return packed.getvalue()


FILES = {
    "t.jsonl": LINES.encode(),
    "t.ndjson": LINES.replace("\n", "\r\n\r\n").encode("utf-8-sig"),
    "t.json": json.dumps(ROWS, indent=2).encode(),
    "lines.json": LINES.encode(),
    "t.csv": CSV.encode(),
    "T.CSV": CSV.replace("\n", "\r\n").encode("utf-8-sig"),
    "t.tsv": CSV.replace(",", "\t").encode(),
    "semicolon.csv": CSV.replace(",", ";").replace("x; y", '"x; y"').encode(),
    "excel.csv": CSV.replace(",", "\t").encode("utf-16"),
    "t.csv.gz": gzip.compress(CSV.encode()[:20]) + gzip.compress(CSV.encode()[20:]) + b"\0\0",
    "t.jsonl.gz": gzip.compress(LINES.encode()),
    "t.jsonl.zst": pack_zstd(LINES.encode()),
    "t.json.zst": pack_zstd(json.dumps(ROWS).encode()[:9])
    + pack_zstd(json.dumps(ROWS).encode()[9:]),
    "t.duckdb": write_duckdb,
    "t.db": write_sqlite,
    "t.sqlite": write_duckdb,
    "t.parquet": write_parquet,
    "t[1]*?.parquet": write_parquet,
}


def write(folder, name):
    path, content = folder / name, FILES[name]
    if callable(content):
        content(path)
    else:
        path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", FILES)
def test_every_format_has_the_same_rows(tmp_path, name):
    path = write(tmp_path, name)
    for old, new in ((ROWS, path), (path, ROWS), (path, str(path))):
        diff = unweave.diff(old, new, key="id")
        assert (diff.to_dicts(), diff.unchanged, diff.warnings) == ([], 3, ())
        assert not diff
    changed = [{**ROWS[0], "price": 8.98}, ROWS[1], {"id": "new"}]
    changes = unweave.diff(path, changed, key="id").changes
    assert [(each.change, dict(each.key)["id"]) for each in changes] == [
        ("added", "new"),
        ("removed", "c; d"),
        ("changed", "a"),
    ]


@pytest.mark.parametrize(
    "names", [("t.csv", "t.duckdb"), ("t.parquet", "t.csv.gz"), ("t.db", "t.json")]
)
def test_formats_may_differ(tmp_path, names):
    assert not unweave.diff(*[write(tmp_path, name) for name in names], key="id")


# ---- the output of commands ----------------------------------------------------------------------

PAGES = ["examples/shop/kettle.html", "examples/shop/lamp.html", "examples/shop/fan.html"]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Return the folder of one wrapper's output in all formats."""
    folder = tmp_path_factory.mktemp("outputs")
    run("learn", *PAGES, "-o", str(folder / "shop.json"))
    run("learn", "examples/products.html", "-o", str(folder / "list.json"))
    lists = ["examples/products.html", "examples/products-2.html"]
    for ending in ("jsonl", "json", "csv", "parquet", "xlsx"):
        run("apply", str(folder / "shop.json"), *PAGES, "-o", str(folder / f"fields.{ending}"))
        run("apply", str(folder / "list.json"), *lists, "-o", str(folder / f"rows.{ending}"))
        run("records", "--together", *lists, "-o", str(folder / f"joined.{ending}"))
        run("records", "examples/headings.html", "--all", "-o", str(folder / f"all.{ending}"))
    return folder


def run(*words):
    from click.testing import CliRunner

    from unweave.cli import main

    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_json_of_apply_has_the_rows_of_csv(outputs, ending):
    diff = unweave.diff(outputs / "fields.csv", outputs / f"fields.{ending}")
    assert diff.key == ("page",)
    assert not diff
    assert diff.unchanged == 3
    assert len(diff.columns) > 15


def test_typed_fields_are_the_texts_of_csv(outputs):
    diff = unweave.diff(outputs / "fields.csv", outputs / "fields.parquet")
    assert (diff.changes, diff.unchanged) == ((), 3)
    assert "price_currency" in diff.added_columns
    assert all(name.endswith("_currency") for name in diff.added_columns)
    assert diff.removed_columns == {}


@pytest.mark.parametrize("name", ["rows", "joined"])
def test_json_of_lists_has_the_rows_of_csv(outputs, name):
    for ending in ("jsonl", "json"):
        old, new = outputs / f"{name}.csv", outputs / f"{name}.{ending}"
        diff = unweave.diff(old, new, key=["page", "title"])
        assert diff.changes == ()
        assert diff.unchanged == 48
        assert {"price", "now_price", "rating"} & set(diff.columns)
        assert diff.removed_columns == {}


def test_typed_lists_have_the_rows_of_csv(outputs):
    diff = unweave.diff(outputs / "rows.csv", outputs / "rows.parquet", key="page,title")
    assert diff.changes == ()
    assert diff.added_columns.keys() == {"was_price_currency"}


def test_a_table_of_each_page_is_chosen_by_number(outputs):
    path = str(outputs / "all.jsonl")
    first, second = (read_table_file(path, table=number) for number in (1, "2"))
    tables = json.loads((outputs / "all.jsonl").read_text())["tables"]
    assert [len(first.rows), len(second.rows)] == [len(table["rows"]) for table in tables[:2]]
    assert first.rows != second.rows
    assert read_table_file(path, table=99).rows == []
    for table in ("0", -1):
        with pytest.raises(UsageError, match="tables of pages are numbered from 1"):
            read_table_file(path, table=table)
    with pytest.raises(
        UsageError, match="there is no table 'x': only databases have tables by name"
    ):
        unweave.diff(path, path, table="x")
    assert unweave.diff(path, path, table=(1, 2), key="page").changes
    with pytest.raises(UsageError, match="one for each of the two files, not 3"):
        unweave.diff(path, path, table=(1, 2, 1))


def test_lists_of_a_table_are_one_column():
    from unweave.lists.methods.ctvs import Ctvs

    shoes = unweave.records("examples/nested/shoes.html", method=Ctvs(variant="improved"))[0]
    row = {"page": "x", "tables": [shoes.to_json()]}
    table = load_table([row], name="old")
    texts = shoes.merge_list_columns()
    assert table.columns == ["page", *texts.names]
    assert len(table.rows) == len(texts.rows)
    for found, expected in zip(table.rows, texts.rows, strict=True):
        assert [found.get(name) for name in texts.names] == [cell or None for cell in expected]
    assert any(isinstance(cell, list) for cell in table.rows[0].values())


def test_flat_objects_with_such_names_stay_as_they_are():
    for row in ({"page": 1, "fields": "f"}, {"page": 1, "tables": "t"}, {"page": 1, "tables": [5]}):
        assert load_table([row], name="old").rows == [row]


def test_tables_of_site(tmp_path):
    out = tmp_path / "shop.duckdb"
    unweave.site("examples/shop", out, runner="serial")
    unweave.site("examples/shop", tmp_path / "csv", format="csv", runner="serial")
    diff = unweave.diff(out, tmp_path / "csv" / "products.csv", table="products")
    assert diff.key == ("url",)
    assert diff.changes == ()
    assert diff.unchanged == 6
    with pytest.raises(UsageError, match="has several tables; choose one with --table: "):
        unweave.diff(out, out)


# ---- databases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [duckdb, sqlite3])
def test_databases_with_several_tables(tmp_path, module):
    path = tmp_path / "t.db"
    with closing(module.connect(str(path))) as connection:
        connection.execute("create table offers (id text)")
        connection.execute('create table "a ""b""" (id text)')
        connection.execute("insert into offers values ('x')")
        connection.commit()
    assert read_table_file(str(path), table="offers").rows == [{"id": "x"}]
    assert read_table_file(str(path), table='a "b"').rows == []
    with pytest.raises(UsageError) as raised:
        read_table_file(str(path))
    assert str(raised.value) == (
        f'{path} has several tables; choose one with --table: a "b", offers'
    )
    with pytest.raises(UsageError) as raised:
        read_table_file(str(path), table="offer")
    assert str(raised.value) == (
        f"{path} has no table 'offer' (did you mean 'offers'?); its tables are a \"b\", offers"
    )


@pytest.mark.parametrize("module", [duckdb, sqlite3])
def test_a_database_without_tables(tmp_path, module):
    path = tmp_path / "t.db"
    with closing(module.connect(str(path))) as connection:
        connection.execute("create table t (x int)")
        connection.execute("drop table t")
        connection.commit()
    with pytest.raises(SourceError, match="the database has no tables"):
        read_table_file(str(path))


def test_the_data_table_of_a_site_is_chosen_alone(tmp_path):
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        for name in ("detail", "pages", "templates", "columns"):
            connection.execute(f"create table {name} (id text)")
        connection.execute("insert into detail values ('x')")
        connection.execute("create schema old")
    assert read_table_file(str(path)).rows == [{"id": "x"}]
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("create table old.detail (n int)")
    assert read_table_file(str(path), table="old.detail").columns == ["n"]


def test_an_unusual_cell_is_a_text(tmp_path):
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(
            "create table t as select 1 id, 'ab'::blob b, interval 2 days i, {'x': 1, 'y': [2]} s,"
            " 9.98::decimal(9, 2) d, uuid() u, 'inf'::double f, 'nan'::double g"
        )
    row = read_table_file(str(path)).rows[0]
    assert (row["b"], row["s"], row["f"]) == ("6162", {"x": 1, "y": [2]}, "inf")
    assert isinstance(row["u"], str)
    assert "g" not in row
    assert not unweave.diff(path, path, key="id")


def test_a_database_reads_no_other_file(tmp_path):
    """A view that reads a file is no table, and opening the database changes nothing."""
    path = tmp_path / "t.duckdb"
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(f"create view v as from read_csv('{tmp_path}/secret.csv')")
    before = path.read_bytes()
    with pytest.raises(UnweaveError, match=r"no table 'v'|no tables"):
        read_table_file(str(path), table="v")
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"t.duckdb", "secret.csv"}


def test_an_open_sqlite_database_is_refused(tmp_path):
    path = tmp_path / "t.db"
    write_sqlite(path)
    (tmp_path / "t.db-wal").write_bytes(b"x")
    with pytest.raises(SourceError, match="is in use or was not closed"):
        read_table_file(str(path))


def test_two_tables_of_one_database(tmp_path):
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("create table monday as select 1 id, 5 price")
        connection.execute("create table tuesday as select 1 id, 4 price")
    diff = unweave.diff(path, path, key="id", table=("monday", "tuesday"))
    assert diff.changes[0].fields == {"price": (5, 4)}
    assert (diff.old_name, diff.new_name) == (f"{path}:monday", f"{path}:tuesday")


# ---- rows of Python ------------------------------------------------------------------------------


def test_tables_and_data_frames():
    pandas = pytest.importorskip("pandas")
    table = unweave.records("examples/people.html")[0]
    rows = table.to_dicts()
    assert not unweave.diff(table, rows, key="title")
    assert not unweave.diff(table, table.to_pandas(), key="title")
    frame = pandas.DataFrame(
        {"id": [1, 2], "day": [pandas.Timestamp("2024-02-11"), pandas.NaT], "n": [1.5, None]}
    )
    expected = [{"id": 1, "day": "2024-02-11", "n": "1.5"}, {"id": 2}]
    diff = unweave.diff(expected, frame, key="id")
    assert (diff.changes, diff.unchanged) == ((), 2)
    numpy = pytest.importorskip("numpy")
    rows = [{"id": numpy.float64(1.5), "x": numpy.bool_(True)}]
    assert not unweave.diff(rows, [{"id": "1.5", "x": True}], key="id")
    assert not unweave.diff(
        [{"id": numpy.int64(3), "x": numpy.array([1])}], [{"id": 3, "x": [1]}], key="id"
    )


@pytest.mark.parametrize("source", [5, b"a.csv", {"a": 1}, ["a.csv"], [5]])
def test_other_objects_are_refused(source):
    with pytest.raises(UsageError, match="path"):
        unweave.diff(source, [])


# ---- bad files -----------------------------------------------------------------------------------

DEEP = "[" * 40 + "]" * 40
BAD = {
    "t.jsonl": [
        (b'{"a": 1}\n5\n', "line 2: is not a JSON object"),
        (b'{"a": 1}\nabc\n', "line 2: is not a JSON object"),
        (b'{"a": 1} {"a": 2}\n', "line 1: text follows the JSON object"),
        (b'{"a": "' + b"\xff" + b'"}\n', "the text is not in UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"}\n", "line 1: the JSON has too many levels"),
        (b'{"a": ' + DEEP.encode() + b"}\n", "a cell has more than 32 levels"),
    ],
    "t.json": [
        (b"5", "is not an array of JSON objects"),
        (b'[{"a": 1}, 5]', "item 2: is not a JSON object"),
        (b'[{"a": 1} {"a": 2}]', "the array does not continue after item 1"),
        (b'[{"a": 1}', "the array does not continue after item 1"),
        (b'[{"a": 1}] x', "text follows the JSON array"),
        (b"[", "item 1: is not a JSON object"),
        (b"<html>", "is not an array of JSON objects"),
    ],
    "t.csv": [
        (b"a,b\n1,2,3\n", "line 2: the row has 3 cells, and the header 2"),
        (b"a,b\n\xff,1\n", "the text is not in UTF-8"),
        (b"\xff\xfea", "the text is not in UTF-8"),
        (gzip.compress(b"a,b\n" * 9, mtime=0)[:-12], "cannot be read: its gzip data is incomplete"),
        (gzip.compress(b"a,b\n", mtime=0) + b"x" * 50, "cannot be read: "),
        (pack_zstd(b"a,b\n" * 1000)[:-7], "cannot be read: "),
    ],
    "t.parquet": [(b"PAR1 and nothing", "cannot be read: "), (b"", "cannot be read: ")],
    "t.duckdb": [
        (b"\0" * 8 + b"DUCK" + b"x" * 20_000, "cannot be read: "),
        (b"x", "is neither a DuckDB nor an SQLite database"),
    ],
    "t.db": [(b"SQLite format 3\0" + b"x" * 2000, "damaged")],
}


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [(name, data, message) for name, cases in BAD.items() for data, message in cases],
)
def test_bad_files_give_one_clear_error(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(SourceError) as raised:
        read_table_file(str(path))
    text = str(raised.value)
    assert text.startswith(str(path))
    assert message in text
    assert "\n" not in text


def test_wrong_paths(tmp_path):
    with pytest.raises(SourceError, match=r"nope.csv: no such file"):
        read_table_file("nope.csv")
    with pytest.raises(UsageError, match="is a folder; name one of its files"):
        read_table_file(str(tmp_path))
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"PK")
    with pytest.raises(UsageError, match=r"save the sheet as CSV; known endings: \.jsonl, "):
        read_table_file(str(path))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json", "t.csv.gz"])
def test_empty_files_have_no_rows(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(
        gzip.compress(b"", mtime=0) if name.endswith("gz") else b"\n\n" if "csv" in name else b""
    )
    assert read_table_file(str(path)).rows == []
    full = tmp_path / "full.csv"
    full.write_text("page,n\na,1\n")
    assert unweave.diff(path, full).count_changes()["added"] == 1
    assert unweave.diff(full, path, key="page").count_changes()["removed"] == 1


def test_details_of_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('id,,n,n\n1,x,2,3\n\n2\n"multi\nline","a ""b""",,\n')
    table = read_table_file(str(path))
    assert table.columns == ["id", "unnamed", "n", "n_2"]
    assert table.rows == [
        {"id": "1", "unnamed": "x", "n": "2", "n_2": "3"},
        {"id": "2"},
        {"id": "multi\nline", "unnamed": 'a "b"'},
    ]
    path.write_text("id\n1\n2\n")
    assert read_table_file(str(path)).rows == [{"id": "1"}, {"id": "2"}]
    path.write_text(f"id,x\n1,{'y' * 300_000}\n")
    assert len(read_table_file(str(path)).rows[0]["x"]) == 300_000


def test_long_numbers_are_not_lost(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 1, "a": %s, "b": 1e999, "c": NaN}\n' % ("7" * 5000))
    row = read_table_file(str(path)).rows[0]
    assert row == {"id": 1, "a": "7" * 5000, "b": "1e999"}


# ---- limits --------------------------------------------------------------------------------------


def test_limits(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 1000)
    monkeypatch.setattr(rows, "MAX_TABLE_BYTES", 100_000)
    with pytest.raises(SourceError, match="the table takes more than"):
        read_table_file(str(path))
    monkeypatch.setattr(rows, "MAX_COLUMNS", 2)
    with pytest.raises(SourceError, match="the table has more than 2 columns"):
        read_table_file(str(path))
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 500)
    with pytest.raises(SourceError, match="the file has more than"):
        read_table_file(str(path))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json"])
def test_long_lines_and_files(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_text('[{"a": "%s"}]' % ("x" * 5_000))
    monkeypatch.setattr(text_files, "MAX_ROW_BYTES", 1_000)
    monkeypatch.setattr(text_files, "MAX_JSON_BYTES", 2_000)
    with pytest.raises(SourceError, match=r"a line has more than|has more than 0 MB"):
        read_table_file(str(path))


def test_a_decompression_bomb_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 3_000_000, mtime=0))
    monkeypatch.setattr("unweave.files.MAX_EXCESS_BYTES", 100_000)
    with pytest.raises(SourceError, match="decompresses to far more"):
        read_table_file(str(path))


def test_standard_input(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(LINES)
    words = [sys.executable, "-m", "unweave", "diff", str(path), "-", "--key", "id"]
    given = LINES.replace("9.98", "8.98")
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
    assert [json.loads(line)["fields"] for line in done.stdout.splitlines()] == [
        {"price": {"old": 9.98, "new": 8.98}}
    ]
