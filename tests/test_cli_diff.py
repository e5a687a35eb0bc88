"""The command diff, as a user types it."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from unweave.cli import main, terminal

MONDAY = "title,price,stock\nKettle,€9.98,4\nLamp,€19.00,2\nFan,€29.00,1\n"
TUESDAY = "title,price,stock\nClock,€5.00,9\nKettle,€8.98,4\nFan,€29.00,1\n"


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "monday.csv").write_text(MONDAY, encoding="utf-8")
    (tmp_path / "tuesday.csv").write_text(TUESDAY, encoding="utf-8")
    return tmp_path


def run(*words, **options):
    return CliRunner().invoke(main, ["diff", *words], **options)


ROOT = Path(__file__).parent.parent
KEY = ("monday.csv", "tuesday.csv", "--key", "title")


def test_a_pipe_gets_json_lines(tables):
    result = run(*KEY)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {
            "change": "added",
            "key": {"title": "Clock"},
            "row": {"title": "Clock", "price": "€5.00", "stock": "9"},
        },
        {
            "change": "removed",
            "key": {"title": "Lamp"},
            "row": {"title": "Lamp", "price": "€19.00", "stock": "2"},
        },
        {
            "change": "changed",
            "key": {"title": "Kettle"},
            "fields": {"price": {"old": "€9.98", "new": "€8.98"}},
        },
    ]


def test_a_terminal_gets_a_summary(tables):
    leader, follower = pty.openpty()
    paths = [str(tables / name) for name in KEY[:2]]
    words = [sys.executable, "-m", "unweave", "diff", *paths, *KEY[2:]]
    done = subprocess.run(words, stdout=follower, stderr=subprocess.PIPE, check=True, cwd=ROOT)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert done.stderr == b""
    assert "1 added, 1 removed, 1 changed, 1 unchanged; key: title" in shown
    assert "€8.98" in shown
    assert "−10.0 %" in shown


def test_the_summary(tables):
    result = run(*KEY, "--format", "table", env={"COLUMNS": "80"})
    lines = [line.rstrip() for line in result.stdout.splitlines() if line.strip()]
    assert lines == [
        "monday.csv → tuesday.csv",
        "1 added, 1 removed, 1 changed, 1 unchanged; key: title",
        " field   rows changed",
        " ────────────────────",
        " price              1",
        "+ Clock",
        "  price  €5.00",
        "  stock  9",
        "- Lamp",
        "  price  €19.00",
        "  stock  2",
        "~ Kettle",
        "  price  €9.98 → €8.98  −1.00, −10.0 %",
    ]


def test_a_long_summary_is_cut(tables):
    rows = "".join(f"item {number},{'x' * 500}\n" for number in range(270))
    (tables / "old.csv").write_text("id,n\n")
    (tables / "new.csv").write_text("id,n\n" + rows)
    result = run("old.csv", "new.csv", "--key", "id", "--format", "table", env={"COLUMNS": "80"})
    lines = result.stdout.splitlines()
    assert lines[-1] == "… and 240 more; -o changes.jsonl has all"
    assert len(lines) < 100
    assert all(len(line) <= 80 for line in lines)
    assert sum(line.startswith("+ ") for line in lines) == terminal.MAX_SHOWN_CHANGES


def test_a_summary_of_many_fields_and_cells(tables):
    names = [f"field {number}" for number in range(40)]
    for name, cell in (("old.csv", "a"), ("new.csv", "b")):
        (tables / name).write_text(f"id,{','.join(names)}\n1,{','.join([cell] * 40)}\n")
    shown = run("old.csv", "new.csv", "--key", "id", "--format", "table").stdout
    assert "and 20 more" in shown
    assert "and 32 more" in shown


def test_a_terminal_gets_no_control_characters(tables):
    hostile = "\x1b]0;x\x07\u202e"
    for name, cell in (("old.jsonl", "a"), ("new.jsonl", hostile)):
        row = {"id": hostile, f"n{hostile}": cell}
        (tables / name).write_text(json.dumps(row))
    result = run("old.jsonl", "new.jsonl", "--key", "id", "--format", "table")
    assert result.exit_code == 0
    assert not set(result.stdout) & set("\x1b\x07\u202e")
    wrong = run("old.jsonl", "new.jsonl", "--key", "x")
    assert wrong.exit_code == 2
    assert not set(wrong.stderr) & set("\x1b\x07\u202e")


@pytest.mark.parametrize(
    "ending", ["jsonl", "json", "csv", "xlsx", "parquet", "html", "htm", "HTML"]
)
def test_the_ending_selects_the_format(tables, ending):
    result = run(*KEY, "-o", f"out.{ending}")
    assert (result.exit_code, result.output) == (0, "")
    content = (tables / f"out.{ending}").read_bytes()
    assert "€8.98" in content.decode("utf-8", "replace") or ending in ("xlsx", "parquet")
    assert content.startswith(b"<!doctype html>") == ending.lower().startswith("htm")
    assert len(list(tables.iterdir())) == 3


def test_format_of_standard_output(tables):
    page = run(*KEY, "-o", "-", "--format", "html").stdout
    assert page.startswith("<!doctype html>")
    rows = list(csv.DictReader(io.StringIO(run(*KEY, "--format", "csv").stdout)))
    assert rows[-1] == {
        "change": "changed",
        "title": "Kettle",
        "field": "price",
        "old": "€9.98",
        "new": "€8.98",
    }
    assert len(rows) == 5
    assert run(*KEY, "-o", "out.txt", "--format", "html").exit_code == 0
    assert (tables / "out.txt").read_text(encoding="utf-8") == page


def test_exit_code(tables):
    assert run(*KEY, "--exit-code").exit_code == 1
    assert run(*KEY, "--exit-code", "-o", "out.jsonl").exit_code == 1
    assert run("monday.csv", "monday.csv", "--key", "title", "--exit-code").exit_code == 0
    assert run("monday.csv", "no.csv", "--key", "title", "--exit-code").exit_code == 2
    only_columns = run(*KEY[:2], "--key", "title", "--only", "stock", "--exit-code")
    assert only_columns.exit_code == 1
    (tables / "more.csv").write_text("title,x\nKettle,1\n")
    (tables / "less.csv").write_text("title\nKettle\n")
    assert run("more.csv", "less.csv", "--key", "title", "--exit-code").exit_code == 1


def test_columns_and_warnings_are_on_standard_error(tables):
    (tables / "new.csv").write_text("title,price,sale\nKettle,€9.98,yes\nKettle,€9.98,\n,€1,\n")
    result = run("monday.csv", "new.csv", "--key", "title", "-o", "out.csv")
    assert result.exit_code == 0
    assert result.stderr == (
        "unweave: new.csv: 1 row has an empty key (title): such rows are compared as a whole, and"
        " are added or removed if the other table has no equal row\n"
        "unweave: new.csv: 1 key occurs more than once (title; 2 rows): rows with equal keys are"
        " paired in order, equal rows first\n"
        "unweave: columns only in new.csv, left out without --all-columns: sale (1 cell)\n"
        "unweave: columns only in monday.csv, left out without --all-columns: stock (3 cells)\n"
    )
    result = run("monday.csv", "new.csv", "--key", "title", "--all-columns", "--ignore", "sale")
    assert "columns only" not in result.stderr
    assert '"stock": {"old": "4", "new": null}' in result.stdout


def test_options_may_be_repeated(tables):
    for name in ("a.csv", "b.csv"):
        (tables / name).write_text(f"shop,sku,price,seen,note\nx,1,2,{name},{name}\n")
    key = ("a.csv", "b.csv", "--key", "shop", "--key", "sku")
    assert len(json.loads(run(*key).stdout)["fields"]) == 2
    assert run(*key, "--ignore", "seen", "--ignore", "note").stdout == ""
    assert run(*key, "--only", "price", "--only", "shop").stdout == ""
    assert json.loads(run("a.csv", "b.csv", "--key", "shop,sku").stdout)["key"] == {
        "shop": "x",
        "sku": "1",
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("monday.csv", "no.csv"), "no.csv: no such file"),
        (("monday.csv", "."), ".: is a folder; name one of its files"),
        (
            ("monday.csv", "tuesday.csv", "--key", "titel"),
            "monday.csv has no column 'titel' (did you mean 'title'?);"
            " its columns are title, price, stock",
        ),
        (
            ("monday.csv", "tuesday.csv"),
            "which column is the key? the tables have no common column 'page';"
            " choose one with --key: title, price, stock are unique",
        ),
        ((*KEY, "-o", "monday.csv"), "the output would overwrite monday.csv"),
        ((*KEY, "-o", "./tuesday.csv"), "the output would overwrite tuesday.csv"),
        ((*KEY, "-o", "no/out.csv"), "cannot write no/out.csv: No such file or directory"),
        (
            (*KEY, "-o", "out.txt"),
            "cannot tell the format of 'out.txt' from its extension; known extensions: .jsonl,"
            " .json, .csv, .xlsx, .parquet, .duckdb, .db, .sqlite, .sqlite3, .html, .htm",
        ),
        ((*KEY, "--table", "offers"), "there is no table 'offers'"),
        ((*KEY, "--table", "1", "--table", "1", "--table", "1"), "not 3"),
        (("-", "-", "--key", "title"), "only one of the tables can be standard input"),
        (("examples.html", "tuesday.csv"), "examples.html: no such file"),
        ((*KEY, "--format", "pdf"), "unknown file format 'pdf'"),
    ],
)
def test_wrong_use_is_one_clear_message(tables, words, message):
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("unweave: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(list(tables.iterdir())) == 2


def test_an_older_output_is_kept_after_an_error(tables):
    (tables / "out.csv").write_text("older")
    assert run("monday.csv", "no.csv", "-o", "out.csv").exit_code == 2
    assert (tables / "out.csv").read_text() == "older"


def test_standard_input(tables):
    lines = '{"title": "Kettle", "price": 9.98, "stock": 4}\n'
    result = run("monday.csv", "-", "--key", "title", input=lines)
    assert result.exit_code == 0
    assert [json.loads(line)["change"] for line in result.stdout.splitlines()] == ["removed"] * 2


def test_the_weekly_use(tmp_path):
    """Learn, apply twice, compare by page."""
    pages = ["examples/shop/kettle.html", "examples/shop/lamp.html", "examples/shop/fan.html"]
    wrapper, old, new = (str(tmp_path / name) for name in ("w.json", "old.jsonl", "new.csv"))
    assert CliRunner().invoke(main, ["learn", *pages, "-o", wrapper]).exit_code == 0
    CliRunner().invoke(main, ["apply", wrapper, *pages[:2], "-o", old])
    CliRunner().invoke(main, ["apply", wrapper, *pages[1:], "-o", new])
    result = run(old, new)
    changes = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["change"], each["key"]["page"]) for each in changes] == [
        ("added", pages[2]),
        ("removed", pages[0]),
    ]
