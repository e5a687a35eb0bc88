"""Excel and Parquet files as output of the commands."""

import csv
import io
import os
import pty
import subprocess
import sys
from datetime import datetime

import openpyxl
import pytest
from click.testing import CliRunner

from unweave.cli import main

pq = pytest.importorskip("pyarrow.parquet")

PRODUCTS, ROWS, WEATHER, PEOPLE = (
    f"examples/{name}.html" for name in ("products", "products-rows", "table", "people")
)
BINARY = ["xlsx", "parquet"]


def run(*words):
    return CliRunner().invoke(main, words)


def read_rows(path):
    """Return the rows of a file, or of bytes, as dictionaries without empty cells."""
    source = io.BytesIO(path) if isinstance(path, bytes) else path
    if str(path).endswith("xlsx") or (isinstance(path, bytes) and path.startswith(b"PK")):
        head, *rows = openpyxl.load_workbook(source).active.iter_rows(values_only=True)
        found = [dict(zip(head, row, strict=True)) for row in rows]
    else:
        found = pq.read_table(source).to_pylist()
    return [{name: cell for name, cell in row.items() if cell is not None} for row in found]


@pytest.mark.parametrize("format", [*BINARY, "XLSX"])
def test_file_ending_selects_typed_format(tmp_path, format):
    out = tmp_path / f"out.{format}"
    result = run("records", PRODUCTS, "-o", str(out))
    assert (result.exit_code, result.output) == (0, "")
    rows = read_rows(out.read_bytes())
    assert len(rows) == 24
    assert (rows[0]["title"], rows[0]["rating"], rows[0]["count"]) == (
        "Stoneware dinner plate, sand glaze",
        4.6,
        212,
    )
    assert (rows[2]["was_price"], rows[2]["was_price_currency"]) == (24.0, "€")
    assert "page" not in rows[0]
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("format", BINARY)
def test_several_pages_have_page_column_and_all_columns(tmp_path, format):
    out = tmp_path / f"out.{format}"
    assert run("records", WEATHER, PEOPLE, "-o", str(out)).exit_code == 0
    rows = read_rows(out)
    assert rows[0]["page"] == WEATHER
    assert rows[0]["observed_utc"] == datetime(2024, 2, 11, 6)
    assert rows[-1]["page"] == PEOPLE
    assert "telephone" in rows[-1]
    assert "station" not in rows[-1]


@pytest.mark.parametrize("format", BINARY)
def test_selected_table_is_written(tmp_path, format):
    out = tmp_path / f"out.{format}"
    assert run("records", ROWS, "--all", "--table", "2", "-o", str(out)).exit_code == 0
    text = run("records", ROWS, "--all", "--table", "2", "--format", "csv").stdout
    names, *lines = csv.reader(io.StringIO(text))
    assert len(read_rows(out)) == len(lines)
    assert set(read_rows(out)[0]) <= set(names)


@pytest.mark.parametrize("format", BINARY)
def test_joined_pages_as_binary_files(tmp_path, format):
    out = tmp_path / f"out.{format}"
    names = []
    for page in range(3):
        items = "".join(
            f"<li><b>Thing {page}{number}</b><i>${page}.{number}0</i>" for number in range(5)
        )
        path = tmp_path / f"page-{page}.html"
        path.write_text(
            f"<main><ul>{items}</ul></main><a href='page-{page + 1}.html'>Next</a>",
            encoding="utf-8",
        )
        names.append(str(path))
    result = run("records", *names, "--together", "-o", str(out))
    assert (result.exit_code, result.stderr) == (0, "unweave: next page: page-3.html\n")
    rows = read_rows(out)
    assert [row["page"] for row in rows] == [name for name in names for _ in range(5)]
    assert (rows[7]["price"], rows[7]["price_currency"]) == (1.2, "$")


@pytest.mark.parametrize("format", BINARY)
def test_extractions_of_wrappers(tmp_path, format):
    lists, fields = str(tmp_path / "lists.json"), str(tmp_path / "fields.json")
    run("learn", "--method", "records", PRODUCTS, "-o", lists)
    shop = ["examples/shop/kettle.html", "examples/shop/lamp.html"]
    run("learn", *shop, "-o", fields)
    out = tmp_path / f"out.{format}"
    assert run("apply", lists, PRODUCTS, "-o", str(out)).exit_code == 0
    assert any(row.get("was_price") == 24.0 for row in read_rows(out))
    assert run("apply", fields, *shop, "-o", str(out)).exit_code == 0
    rows = read_rows(out)
    assert [row["page"] for row in rows] == shop
    assert all(row["fit"] == 1 and len(row) > 3 for row in rows)


@pytest.mark.parametrize("format", BINARY)
def test_clusters_and_articles(tmp_path, format):
    out = tmp_path / f"out.{format}"
    assert run("cluster", PRODUCTS, PEOPLE, "-o", str(out)).exit_code == 0
    assert read_rows(out) == [{"page": PRODUCTS, "cluster": 0}, {"page": PEOPLE, "cluster": 1}]
    assert run("news", "examples/news/courier-front.html", "-o", str(out)).exit_code == 0
    assert read_rows(out)[0]["article"] is False


@pytest.mark.parametrize("format", BINARY)
def test_pipe_gets_binary_output(format):
    result = run("records", PEOPLE, "--format", format)
    assert result.exit_code == 0
    assert read_rows(result.stdout_bytes)[0]["title"]


@pytest.mark.parametrize("format", BINARY)
def test_terminal_refuses_binary_output(format):
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "unweave", "records", PEOPLE, "--format", format]
    done = subprocess.run(words, stdout=follower, stderr=subprocess.PIPE, text=True, check=False)
    os.close(follower)
    os.close(leader)
    assert done.returncode == 2
    assert done.stderr == "unweave: a terminal cannot show this format: give a file with -o\n"


@pytest.mark.parametrize("format", BINARY)
def test_older_binary_file_is_kept_if_no_page_is_read(tmp_path, format):
    out = tmp_path / f"out.{format}"
    out.write_bytes(b"older")
    assert run("records", "examples/missing.html", "-o", str(out)).exit_code == 1
    assert out.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [out]


def test_page_without_list_as_binary_file(tmp_path):
    page, sheet, table = tmp_path / "page.html", tmp_path / "out.xlsx", tmp_path / "out.parquet"
    page.write_text("<p>Hello, world.", encoding="utf-8")
    assert run("records", str(page), "-o", str(sheet)).exit_code == 0
    assert openpyxl.load_workbook(sheet).active.max_row == 1
    result = run("records", str(page), "-o", str(table))
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "unweave: there is no table, and Parquet cannot hold one without columns\n"
    )
    assert not table.exists()


def test_missing_extra_is_reported_before_pages_are_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    result = run("records", "examples/missing.html", "-o", str(tmp_path / "out.xlsx"))
    assert (result.exit_code, result.stderr) == (
        2,
        "unweave: xlsxwriter is not installed: pip install 'unweave[excel]'\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_formula_is_written_as_text(tmp_path):
    formula = "=HYPERLINK(&quot;http://evil.example&quot;)"
    items = "".join(f"<li><b>Thing {number}</b> <i>{formula}{number}</i>" for number in range(6))
    page, out = tmp_path / "page.html", tmp_path / "out.xlsx"
    page.write_text(f"<ul>{items}</ul>", encoding="utf-8")
    assert run("records", str(page), "-o", str(out)).exit_code == 0
    cells = [cell for row in openpyxl.load_workbook(out).active.iter_rows() for cell in row]
    assert any(str(cell.value).startswith("=HYPERLINK") for cell in cells)
    assert not [cell for cell in cells if cell.data_type == "f"]


@pytest.mark.parametrize("format", ["csv", *BINARY])
def test_column_of_several_pages_has_one_type(tmp_path, format):
    for number, days in enumerate(
        [["13/02/2020", "14/02/2020", "15/02/2020"], ["16/02/2020", "17/02/2020", "soon"]]
    ):
        rows = "".join(
            f"<li><h3>Case {day}</h3><p class='filed'>{day}</p><p class='fee'>$5.0{number}</p></li>"
            for day in days
        )
        (tmp_path / f"{number}.html").write_text(f"<ul>{rows}</ul>")
    out = tmp_path / f"out.{format}"
    pages = [str(tmp_path / f"{number}.html") for number in (0, 1)]
    assert run("records", *pages, "--values", "-o", str(out)).exit_code == 0
    found = (
        list(csv.DictReader(out.read_text().splitlines())) if format == "csv" else read_rows(out)
    )
    assert [row["filed"] for row in found][::5] == ["13/02/2020", "soon"]
    assert {str(row["fee_price"]) for row in found} <= {"5.00", "5.01", "5.0", "5"}
    assert {row["fee_price_currency"] for row in found} == {"$"}
