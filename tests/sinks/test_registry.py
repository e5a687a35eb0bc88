"""The choice of a sink, and what all sinks share."""

import csv
import json
import subprocess
import sys
from contextlib import closing
from datetime import date, time

import duckdb
import psycopg
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from psycopg import sql

from tests.sinks.example_tables import (
    convert_value,
    draw_table,
    make_products,
    make_table,
    names,
)
from unweave.errors import MissingExtra, SinkError, UsageError
from unweave.sinks import duckdb_file, folder
from unweave.sinks.cells import make_names_unique
from unweave.sinks.duckdb_connection import quote_name
from unweave.sinks.duckdb_file import DuckDBFile
from unweave.sinks.folder import Folder
from unweave.sinks.registry import StoredTable, choose_sink, hide_password, write_tables
from unweave.sinks.site_tables import sort_tables


def read_duckdb(path, table):
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        return connection.execute(f"SELECT * FROM {quote_name(table)}").fetchall()


def format_json_value(value):
    return value.isoformat() if isinstance(value, date | time) else value


def format_csv_value(value):
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "; ".join(value) if isinstance(value, list) else str(format_json_value(value))


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(draw_table(), names)
def test_every_sink_stores_the_same_cells(tmp_path_factory, server, contents, name):
    folder_path = tmp_path_factory.mktemp("made")
    columns, rows = contents
    expected = [
        tuple(convert_value(type, row.get(column)) for column, type in columns) for row in rows
    ]
    headers = make_names_unique([column for column, _ in columns])
    tables = sort_tables(
        [make_table(folder_path, name, columns, rows, key=["number"], files=2)], folder_path
    )

    (table,) = DuckDBFile(str(folder_path / "out.duckdb")).write(tables)
    assert read_duckdb(folder_path / "out.duckdb", table) == expected

    (file,) = Folder(str(folder_path / "csv"), "csv").write(tables)
    csv.field_size_limit(sys.maxsize)
    with open(folder_path / "csv" / file, encoding="utf-8", newline="") as lines:
        assert list(csv.reader(lines)) == [
            headers,
            *([format_csv_value(value) for value in row] for row in expected),
        ]

    (file,) = Folder(str(folder_path / "jsonl"), "jsonl").write(tables)
    with open(folder_path / "jsonl" / file, encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    assert found == [
        dict(zip(headers, map(format_json_value, row), strict=True)) for row in expected
    ]

    (table,) = choose_sink(server.address(), schema="made").write(tables)
    with psycopg.connect(server.address()) as connection:
        query = sql.SQL("SELECT * FROM {} ORDER BY number").format(sql.Identifier("made", table))
        assert connection.execute(query).fetchall() == expected
        connection.execute("DROP SCHEMA made CASCADE")

    (file,) = Folder(str(folder_path / "parquet"), "parquet").write(tables)
    read = pyarrow.parquet.read_table(folder_path / "parquet" / file)
    assert (read.column_names, list(zip(*read.to_pydict().values(), strict=True))) == (
        headers,
        expected,
    )


@pytest.mark.parametrize("out", ["out.duckdb", "OUT.DUCKDB", "folder"])
def test_the_output_chooses_the_sink_and_temporary_files_are_removed(tmp_path, out):
    work = tmp_path / "work"
    work.mkdir()
    found = write_tables(
        str(tmp_path / out),
        [make_products(tmp_path), make_table(tmp_path, "empty", [("a",)], [])],
        work=work,
    )
    assert [(table.name, table.row_count) for table in found] == [("products", 2), ("empty", 0)]
    assert (tmp_path / out).is_dir() == (out == "folder")
    assert not list(work.iterdir())


@pytest.mark.parametrize("out", ["out.duckdb", "folder"])
def test_no_tables(tmp_path, out):
    assert write_tables(str(tmp_path / out), [], work=tmp_path) == []
    assert (tmp_path / out).exists()


def test_a_folder_has_parquet_files_by_default(tmp_path):
    assert write_tables(str(tmp_path / "a"), [make_products(tmp_path)], work=tmp_path) == [
        StoredTable("products", "products.parquet", 2)
    ]
    assert write_tables(
        str(tmp_path / "b"), [make_products(tmp_path)], format="csv", work=tmp_path
    ) == [StoredTable("products", "products.csv", 2)]


@pytest.mark.parametrize(
    ("out", "format", "message"),
    [
        ("x.csv", None, "give a folder"),
        ("x.zip", None, "give a folder"),
        ("-", None, "give a folder"),
        ("mysql://me:secret@host/db", None, "mysql:// addresses"),
        ("x.duckdb", "csv", "a format is for a folder"),
        ("postgresql://x/y", "csv", "a format is for a folder"),
        ("x", "xml", "unknown format 'xml'; choose from csv, jsonl, parquet"),
    ],
)
def test_other_outputs_are_refused(out, format, message):
    with pytest.raises(UsageError, match=message) as raised:
        choose_sink(out, format=format)
    assert "secret" not in str(raised.value)


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "unweave.sinks.postgres", raising=False)
    monkeypatch.delattr("unweave.sinks.postgres", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[postgres\]'"):
        choose_sink("postgresql://x/y")


@pytest.mark.parametrize(
    ("out", "shown"),
    [
        ("postgresql://me:s3cret@host:5433/db?sslmode=require", "postgresql://me@host:5433/db"),
        ("postgres://host/db?password=s3cret", "postgresql://host/db"),
        ("folder", "folder"),
    ],
)
def test_messages_have_no_password(out, shown):
    assert hide_password(out) == shown


@pytest.mark.parametrize("out", ["out.duckdb", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError, SinkError])
def test_earlier_tables_stay_after_an_error(tmp_path, monkeypatch, out, fault):
    work, folder_path = tmp_path / "work", tmp_path / "folder"
    work.mkdir()
    folder_path.mkdir()
    format = None if out == "out.duckdb" else out
    write_tables(str(folder_path / out), [make_products(tmp_path)], format=format, work=work)
    before = read_folder(folder_path)
    break_second_table(monkeypatch, format, fault)
    with pytest.raises((KeyboardInterrupt, SinkError)):
        write_tables(
            str(folder_path / out),
            [make_products(tmp_path, []), make_products(tmp_path, [])],
            format=format,
            work=work,
        )
    assert read_folder(folder_path) == before
    assert not list(work.iterdir())


def break_second_table(monkeypatch, format, fault):
    """Let the step that writes a table break when it is asked again."""
    step = folder._WRITERS[format] if format else duckdb_file._create_table
    steps = iter([step])

    def breaking(*arguments):
        if (step := next(steps, None)) is None:
            raise fault
        step(*arguments)

    if format:
        monkeypatch.setitem(folder._WRITERS, format, breaking)
    else:
        monkeypatch.setattr(duckdb_file, "_create_table", breaking)


def read_folder(folder_path):
    """What is in a folder, to the byte."""
    return {
        path.relative_to(folder_path): path.is_file() and path.read_bytes()
        for path in sorted(folder_path.rglob("*"))
    }


@pytest.mark.parametrize("out", ["out.duckdb", "folder"])
def test_earlier_tables_stay_if_rows_cannot_be_read(tmp_path, out):
    folder_path = tmp_path / "folder"
    folder_path.mkdir()
    write_tables(str(folder_path / out), [make_products(tmp_path)], work=tmp_path)
    before = read_folder(folder_path)
    broken = make_products(tmp_path)
    broken.files[0].write_text("{")
    with pytest.raises(SinkError, match="not a JSON object"):
        write_tables(str(folder_path / out), [make_products(tmp_path), broken], work=tmp_path)
    assert read_folder(folder_path) == before


@pytest.mark.parametrize("out", ["missing/out.duckdb", "missing/folder"])
def test_a_missing_folder_is_an_error(tmp_path, out):
    with pytest.raises(SinkError, match="there is no folder"):
        choose_sink(str(tmp_path / out)).check()


def test_the_disk_is_full(tmp_path):
    """A limit of the size of files, in a separate process, stands for a full disk."""
    write_tables(str(tmp_path / "out.duckdb"), [make_products(tmp_path)], work=tmp_path)
    before = (tmp_path / "out.duckdb").read_bytes()
    program = f"""
import resource, sys
from pathlib import Path
from unweave.errors import SinkError
from unweave.sinks.cells import SiteColumn
from unweave.sinks.site_tables import SiteTable
from unweave.sinks.registry import write_tables
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
folder = Path({str(tmp_path)!r})
try:
    table = SiteTable("t", (SiteColumn("a"),), (), ())
    write_tables(str(folder / "out.duckdb"), [table], work=folder)
except SinkError as error:
    sys.exit(f"refused: {{error}}")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.startswith("refused: cannot write")
    assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / "out.duckdb").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".jsonl"] == ["out.duckdb"]
