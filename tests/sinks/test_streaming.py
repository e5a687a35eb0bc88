"""Tables whose columns are known before their rows, in files and databases."""

import csv
import json

import duckdb
import pytest

from unweave.errors import SinkError
from unweave.sinks import streaming
from unweave.sinks.cells import SiteColumn
from unweave.sinks.registry import is_database
from unweave.sinks.streaming import open_database_table, open_table

COLUMNS = [SiteColumn("page"), SiteColumn("score", "number"), SiteColumn("tags", "list")]
ROWS = [
    {"page": "b", "score": 0.5, "tags": ["x", "y; z"], "other": 1},
    {"page": "a", "score": None, "tags": []},
    {"page": 'quote " and\nline', "score": 1},
]


def test_csv_has_a_header_without_rows(tmp_path):
    path = tmp_path / "out.csv"
    with open_table(str(path), "csv", COLUMNS):
        pass
    assert path.read_text() == "page,score,tags\n"


def test_csv(tmp_path):
    path = tmp_path / "out.csv"
    with open_table(str(path), "csv", COLUMNS) as rows:
        for row in ROWS:
            rows.write(row)
    with path.open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines[1:] == [["b", "0.5", "x; y; z"], ["a", "", ""], ['quote " and\nline', "1", ""]]


def test_parquet_keeps_order_and_types(tmp_path):
    path = tmp_path / "out.parquet"
    with open_table(str(path), "parquet", COLUMNS) as rows:
        for row in ROWS:
            rows.write(row)
    result = duckdb.sql(f"select * from '{path}'")
    assert [str(type) for type in result.types] == ["VARCHAR", "DOUBLE", "VARCHAR[]"]
    assert result.fetchall() == [
        ("b", 0.5, ["x", "y; z"]),
        ("a", None, []),
        ('quote " and\nline', 1.0, None),
    ]


def test_parquet_without_rows_has_its_columns(tmp_path):
    path = tmp_path / "out.parquet"
    with open_table(str(path), "parquet", COLUMNS):
        pass
    assert duckdb.sql(f"select * from '{path}'").columns == ["page", "score", "tags"]


def test_other_formats_get_whole_rows(tmp_path):
    path = tmp_path / "out.jsonl"
    with open_table(str(path), "jsonl", COLUMNS) as rows:
        rows.write(ROWS[0])
    assert json.loads(path.read_text()) == ROWS[0]


def test_database(tmp_path):
    path = tmp_path / "out.duckdb"
    with open_database_table(str(path), "texts", COLUMNS) as rows:
        for row in ROWS:
            rows.write(row)
    with duckdb.connect(str(path)) as database:
        assert database.execute("select page, score from texts order by page").fetchall() == [
            ("a", None),
            ("b", 0.5),
            ('quote " and\nline', 1.0),
        ]
    assert is_database(str(path))
    assert is_database("postgresql://host/name")
    assert is_database("out.db")
    assert not is_database("out.parquet")


def write_and_fail(writer):
    with writer as rows:
        rows.write(ROWS[0])
        raise ValueError("stop")


def test_nothing_is_written_after_an_error(tmp_path):
    for writer in (
        open_table(str(tmp_path / "out.csv"), "csv", COLUMNS),
        open_table(str(tmp_path / "out.parquet"), "parquet", COLUMNS),
        open_database_table(str(tmp_path / "out.duckdb"), "texts", COLUMNS),
    ):
        with pytest.raises(ValueError, match="stop"):
            write_and_fail(writer)
    assert list(tmp_path.iterdir()) == []


def test_rows_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "MAX_ROW_BYTES", 2**20)
    path = str(tmp_path / "out.parquet")
    with (
        pytest.raises(SinkError, match="more than 1 MB"),
        open_table(path, "parquet", COLUMNS) as rows,
    ):
        rows.write({"page": "x" * 2**20})


def test_a_database_that_cannot_be_written_is_reported_first(tmp_path):
    (tmp_path / "out.duckdb").write_text("no database")
    with (
        pytest.raises(SinkError, match="is not a DuckDB database"),
        open_database_table(str(tmp_path / "out.duckdb"), "texts", COLUMNS),
    ):
        pytest.fail("the work has started")
