"""Differences as files of every format."""

import csv
import json
from datetime import date
from decimal import Decimal

import openpyxl
import pytest

import unweave
from unweave.errors import UsageError

OLD = [
    {"shop": "x", "field": 1, "price": "€9.98", "tags": ["a", "b"], "day": date(2024, 2, 11)},
    {"shop": "y", "field": 2, "price": "=1+1", "more": {"k": [1]}},
    {"shop": "same", "field": 3, "price": 1},
]
NEW = [
    {"shop": "x", "field": 1, "price": "€8.98", "tags": ["b", "a"], "day": Decimal("5.50")},
    {"shop": "same", "field": 3, "price": 1},
    {"shop": '@SUM("a")\n', "field": 4, "price": "-2", "more": [[1], None]},
    {"shop": "key only", "field": 5},
]
LINES = [
    {
        "change": "added",
        "key": {"shop": '@SUM("a")\n', "field": 4},
        "row": {"shop": '@SUM("a")\n', "field": 4, "price": "-2", "more": [[1], None]},
    },
    {
        "change": "added",
        "key": {"shop": "key only", "field": 5},
        "row": {"shop": "key only", "field": 5},
    },
    {
        "change": "removed",
        "key": {"shop": "y", "field": 2},
        "row": {"shop": "y", "field": 2, "price": "=1+1", "more": {"k": [1]}},
    },
    {
        "change": "changed",
        "key": {"shop": "x", "field": 1},
        "fields": {
            "price": {"old": "€9.98", "new": "€8.98"},
            "tags": {"old": ["a", "b"], "new": ["b", "a"]},
            "day": {"old": "2024-02-11", "new": 5.5},
        },
    },
]
CELLS = [
    ["change", "shop", "field_2", "field", "old", "new"],
    ["added", '@SUM("a")\n', "4", "price", "", "-2"],
    ["added", '@SUM("a")\n', "4", "more", "", "[[1], null]"],
    ["added", "key only", "5", "", "", ""],
    ["removed", "y", "2", "price", "=1+1", ""],
    ["removed", "y", "2", "more", '{"k": [1]}', ""],
    ["changed", "x", "1", "price", "€9.98", "€8.98"],
    ["changed", "x", "1", "tags", "a; b", "b; a"],
    ["changed", "x", "1", "day", "2024-02-11", "5.50"],
]


@pytest.fixture
def diff():
    return unweave.diff(OLD, NEW, key="shop,field")


def test_json(tmp_path, diff):
    assert diff.to_dicts() == LINES
    diff.save(tmp_path / "d.jsonl")
    lines = (tmp_path / "d.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == LINES
    diff.save(tmp_path / "d.json")
    assert json.loads((tmp_path / "d.json").read_text(encoding="utf-8")) == LINES


def test_csv_has_a_line_for_each_cell(tmp_path, diff):
    diff.save(str(tmp_path / "d.csv"))
    with (tmp_path / "d.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == CELLS


def test_excel_has_no_formulas(tmp_path, diff):
    diff.save(tmp_path / "d.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "d.xlsx").active
    rows = [["" if cell is None else str(cell) for cell in row] for row in sheet.values]
    assert [row[:4] for row in rows] == [row[:4] for row in CELLS]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}
    assert rows[4][4] == "=1+1"


def test_parquet(tmp_path, diff):
    pq = pytest.importorskip("pyarrow.parquet")
    diff.save(tmp_path / "d.parquet")
    rows = pq.read_table(tmp_path / "d.parquet").to_pylist()
    assert [["" if c is None else str(c) for c in row.values()] for row in rows] == CELLS[1:]


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "xlsx", "parquet", "html", "htm"])
def test_no_differences_give_a_complete_file(tmp_path, ending):
    path = tmp_path / f"d.{ending}"
    unweave.diff(OLD, OLD, key="shop").save(path)
    content = path.read_bytes()
    assert content or ending == "jsonl"
    if ending == "csv":
        assert content == b"change,shop,field,old,new\n"


def test_a_diff_is_a_table_itself(tmp_path, diff):
    for ending in ("jsonl", "json", "csv", "parquet"):
        path = tmp_path / f"d.{ending}"
        diff.save(path)
        again = unweave.diff(path, path, key="change")
        assert not again
        assert again.unchanged == len(CELLS) - 1 if ending in ("csv", "parquet") else len(LINES)


def test_unknown_endings_are_refused(tmp_path, diff):
    with pytest.raises(UsageError, match=r"known extensions: .*\.html"):
        diff.save(tmp_path / "d.txt")


def test_hostile_texts_are_written(tmp_path):
    hostile = "\ud800\0\x1b[31m\u202e\r\n" + '"' * 3
    diff = unweave.diff([{"id": hostile, "x": "a"}], [{"id": hostile, "x": hostile}], key="id")
    for ending in ("jsonl", "json", "csv", "xlsx", "parquet", "html"):
        diff.save(tmp_path / f"d.{ending}")
    line = json.loads((tmp_path / "d.jsonl").read_text(encoding="utf-8"))
    assert line["fields"]["x"]["new"] == hostile
    assert b"\x1b" not in (tmp_path / "d.jsonl").read_bytes()
