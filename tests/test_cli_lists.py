"""The commands records and explain: joined pages, values, constant columns, reports."""

import csv
import io
import json
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from unweave.cli import main

TABLE = "examples/table.html"
PRODUCTS = "examples/products.html"


def run(*words, **options):
    return CliRunner().invoke(main, words, **options)


def read_third_row(*words):
    return list(csv.DictReader(io.StringIO(run("records", *words, "--format", "csv").stdout)))[2]


def test_csv_has_texts_or_values():
    shown = read_third_row(PRODUCTS)
    assert (shown["was_price"], shown["count"]) == ("€24.00", "(61)")
    value = read_third_row(PRODUCTS, "--values")
    assert (value["was_price"], value["was_price_currency"], value["count"]) == ("24.00", "€", "61")
    assert read_third_row(TABLE, "--values")["observed_utc"] == "2024-02-11T06:00:00"


def test_json_has_texts_and_values():
    table = json.loads(run("records", PRODUCTS).stdout)["tables"][0]
    assert table["values"]["was_price"][2] == {"amount": 24.0, "currency": "€"}
    assert table["values"]["count"][0] == 212
    weather = json.loads(run("records", TABLE).stdout)["tables"][0]
    assert weather["values"]["observed_utc"][0] == "2024-02-11T06:00:00"


def test_constant_columns_in_json_and_csv():
    columns = json.loads(run("records", "examples/forum.html").stdout)["tables"][0]["columns"]
    constant = {column["name"] for column in columns if column.get("constant")}
    names = next(
        csv.reader(io.StringIO(run("records", "examples/forum.html", "--format", "csv").stdout))
    )
    assert constant
    assert constant.isdisjoint(names)


def write_pages(folder):
    names = []
    for number in range(3):
        items = "".join(
            f"<li><h3>Chair {k}</h3><p>made of wood, {k} cm</p></li>"
            for k in range(5 * number, 5 * number + 5)
        )
        path = folder / f"page-{number}.html"
        path.write_text(
            f"<main><ul>{items}</ul></main><a href='page-{number + 1}.html'>Next</a>",
            encoding="utf-8",
        )
        names.append(str(path))
    return names


def test_joined_pages(tmp_path):
    names = write_pages(tmp_path)
    found = json.loads(run("records", *names, "--together").stdout)
    assert list(found) == ["pages", "tables", "next"]
    assert (found["pages"], found["next"]) == (names, "page-3.html")
    assert [len(table["rows"]) for table in found["tables"]] == [15]
    assert found["tables"][0]["records"][5] == {
        "page": names[1],
        "nodes": ["/html/body/main/ul/li[1]"],
    }
    rows = list(
        csv.DictReader(io.StringIO(run("records", *names, "--together", "--format", "csv").stdout))
    )
    assert [row["page"] for row in rows] == [name for name in names for _ in range(5)]
    drawn = run("records", *names, "--together", "--format", "table").stdout
    assert "3 pages: table 1 of 1, 15 rows" in drawn
    assert "next page: page-3.html" in drawn


def test_joined_example_pages():
    pages = [PRODUCTS, "examples/products-2.html"]
    result = run("records", *pages, "--together", "--want", "price", "--format", "csv")
    assert (result.exit_code, result.stderr) == (0, "unweave: next page: ?page=3\n")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["page"] for row in rows] == [page for page in pages for _ in range(24)]
    truth = [
        json.loads(line)
        for line in Path("examples/truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    records = [
        record
        for page in pages
        for own in truth
        if own["page"] == page
        for record in own["records"]
    ]
    assert [(row["title"], row["now_price"], row["was_price"]) for row in rows] == [
        (title, price, old) for _, _, title, _, _, price, old in records
    ]


def test_joined_page_without_the_list_is_reported():
    other = "examples/products-rows.html"
    names = [PRODUCTS, "examples/products-2.html"]
    result = run("records", *names, other, "--together", "--format", "csv")
    assert {row["page"] for row in csv.DictReader(io.StringIO(result.stdout))} == {*names}
    assert result.stderr.splitlines()[0] == (
        f"unweave: {other}: skipped: it has no list at the position of the others, such as"
        f" /html/body/div[2]/div/main/div[2]/div[1] of {PRODUCTS}; read it without --together"
    )
    nothing = "examples/no-list.html"
    result = run("records", nothing, nothing, "--together", "--format", "csv")
    assert (result.exit_code, result.stderr) == (0, f"unweave: {nothing}: no list was found\n" * 2)


def test_joined_pages_with_unreadable_page(tmp_path):
    names = write_pages(tmp_path)
    result = run("records", *names[:2], str(tmp_path / "none.html"), "--together")
    assert result.exit_code == 1
    assert len(json.loads(result.stdout)["tables"][0]["rows"]) == 10
    assert "none.html: no such file" in result.stderr
    assert (
        run(
            "records", str(tmp_path / "none.html"), "--together", "-o", str(tmp_path / "x.csv")
        ).exit_code
        == 1
    )
    assert not (tmp_path / "x.csv").exists()


def test_conflicting_options_are_reported(tmp_path):
    names = write_pages(tmp_path)
    for words, said in [
        (["--want", "price", "--method", "mdr"], "method mdr has no option 'want'"),
        (["--together", "--method", "ctvs"], "--together requires --method auto"),
        (
            ["--together", "--like", "/html", "--like", "/html/body"],
            "--like cannot be used with --together",
        ),
        (["--together", "--table", "2"], "--table cannot be used with --together"),
        (["--want", "beauty"], "cannot look for 'beauty'"),
    ]:
        result = run("records", *names, *words)
        assert result.exit_code == 2
        assert said in result.stderr


def test_page_without_list():
    result = run("records", "examples/no-list.html", "--format", "table")
    assert result.exit_code == 0
    assert result.output == "examples/no-list.html: no list was found\n"
    assert json.loads(run("records", "examples/no-list.html").stdout)["tables"] == []


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet"])
def test_page_without_list_is_reported_for_tabular_formats(tmp_path, format):
    out, message = tmp_path / f"out.{format}", "unweave: examples/no-list.html: no list was found\n"
    result = run("records", "examples/no-list.html", "-o", str(out))
    if format == "parquet":  # which cannot hold a table without columns
        assert result.stderr.startswith(message)
        assert (result.exit_code, out.exists()) == (2, False)
    else:
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", message)
        assert out.exists()
    result = run("records", TABLE, "examples/no-list.html", "-o", str(out))
    assert (result.exit_code, result.stderr) == (0, message)


def test_page_without_list_is_not_reported_for_json(tmp_path):
    assert run("records", "examples/no-list.html", "-o", str(tmp_path / "out.json")).stderr == ""


def test_low_score_is_reported(monkeypatch):
    monkeypatch.setattr(import_module("unweave.cli.records"), "MIN_CONFIDENT_SCORE", 1.1)
    result = run("records", PRODUCTS)
    assert len(json.loads(result.stdout)["tables"][0]["rows"]) == 24
    assert result.stderr.startswith(f"unweave: {PRODUCTS}: the first table has a score of 0.9")


def test_low_score_of_joined_pages_is_reported(tmp_path, monkeypatch):
    names = write_pages(tmp_path)
    assert "score" not in run("records", *names, "--together").stderr
    monkeypatch.setattr(import_module("unweave.cli.records"), "MIN_CONFIDENT_SCORE", 1.1)
    result = run("records", *names, "--together")
    assert result.stderr.startswith("unweave: 3 pages: the first table has a score of 0.")


def test_explain_prints_or_writes_report(tmp_path):
    assert "24 records" in run("explain", PRODUCTS).stdout
    report = tmp_path / "report.html"
    assert run("explain", PRODUCTS, "-o", str(report), "--want", "price").exit_code == 0
    assert "24 records" in report.read_text(encoding="utf-8")
    assert run("explain", str(tmp_path / "none.html")).exit_code == 1
    for words, said in [
        (["--want", "beauty", "-o", str(tmp_path / "no.html")], "cannot look for 'beauty'"),
        (["-o", str(tmp_path / "no.csv")], "must end in .html"),
    ]:
        result = run("explain", PRODUCTS, *words)
        assert (result.exit_code, said in result.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    again = run("explain", str(report), "-o", str(report))
    assert (again.exit_code, again.stderr) == (2, "unweave: the report would overwrite the page\n")


def test_report_shows_tables_of_records():
    for page in (PRODUCTS, TABLE, "examples/twocolumn.html", "examples/people.html"):
        rows = len(json.loads(run("records", page).stdout)["tables"][0]["rows"])
        assert f"The best list has {rows} records" in run("explain", page).stdout


def test_column_named_page_is_kept_beside_page_column(tmp_path):
    names = []
    for letter in "ab":
        items = "".join(
            f"<li><h3>Title {letter}{k}</h3><p>Page: x{k}</p><p>some longer note on {k}</p></li>"
            for k in range(5)
        )
        path = tmp_path / f"{letter}.html"
        path.write_text(f"<main><ul>{items}</ul></main>", encoding="utf-8")
        names.append(str(path))
    for words in ([], ["--together"]):
        rows = list(
            csv.DictReader(io.StringIO(run("records", *names, *words, "--format", "csv").stdout))
        )
        assert [row["page"] for row in rows] == [name for name in names for _ in range(5)]
        assert rows[1]["page_"] == "Page: x1"


def test_keep_constant_option(tmp_path):
    names = next(
        csv.reader(io.StringIO(run("records", "examples/forum.html", "--format", "csv").stdout))
    )
    kept = next(
        csv.reader(
            io.StringIO(
                run("records", "examples/forum.html", "--format", "csv", "--keep-constant").stdout
            )
        )
    )
    assert set(kept) > set(names)
    wrapper = str(tmp_path / "forum.json")
    assert run("learn", "examples/forum.html", "-o", wrapper).exit_code == 0
    applied = run(
        "apply", wrapper, "examples/forum.html", "--format", "csv", "--keep-constant"
    ).stdout
    assert next(csv.reader(io.StringIO(applied))) == kept


def test_unconverted_cells_of_requested_type_are_reported():
    asked = run(
        "records", PRODUCTS, "--column", "now_price=cost:number", "--values", "--format", "csv"
    )
    assert "column cost: 1 of 24 cells are empty" in asked.stderr
    assert (
        "cells are empty"
        not in run(
            "records", PRODUCTS, "--column", "now_price=cost:number", "--format", "csv"
        ).stderr
    )
