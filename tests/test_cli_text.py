"""The command text: every output, sources of several pages, options and errors."""

import csv
import json
import zipfile
from pathlib import Path

import duckdb
import openpyxl
import pytest

from tests.pipeline.conftest import write_warc
from tests.test_cli import run
from unweave import Page
from unweave.cli import text as text_command
from unweave.content.document import DOCUMENT_COLUMNS

COURIER = "examples/news/courier-1.html"
VALLEY = "examples/news/valley-1.html"
TITLE = "Council backs £14m ferry terminal despite islanders’ parking fears"


def test_pipe_gets_json_lines():
    result = run("text", COURIER, VALLEY)
    assert (result.exit_code, result.stderr) == (0, "")
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["page"], second["page"]) == (COURIER, VALLEY)
    assert list(first) == ["page", *DOCUMENT_COLUMNS, "links", "images"]
    assert (first["kind"], first["title"]) == ("article", TITLE)
    assert first["markdown"].startswith(f"# {TITLE}\n\nMembers voted")
    assert first["text"].startswith("Members voted")
    assert first["authors"] == ["Isolde Marrack"]


def test_json_with_blocks(tmp_path):
    path = tmp_path / "out.json"
    assert run("text", COURIER, "-o", str(path), "--with-blocks").exit_code == 0
    (row,) = json.loads(path.read_text(encoding="utf-8"))
    page = Page.load(COURIER)
    assert row["blocks"]
    for block in row["blocks"]:
        assert page.text(page.find_xpath(block["nodes"][0])) == block["text"]


def test_csv(tmp_path):
    path = tmp_path / "out.csv"
    assert run("text", COURIER, VALLEY, "-o", str(path)).exit_code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["page", *DOCUMENT_COLUMNS]
    assert [row["page"] for row in rows] == [COURIER, VALLEY]
    assert rows[0]["markdown"].count("\n\n") > 3


def test_parquet_and_databases(tmp_path):
    for name, table in (("out.parquet", "'{}'"), ("out.duckdb", "texts")):
        path = tmp_path / name
        assert run("text", COURIER, VALLEY, "-o", str(path)).exit_code == 0
        with duckdb.connect(str(path) if table == "texts" else ":memory:") as database:
            query = (
                f"select page, confidence, authors, title from {table.format(path)} order by page"
            )
            rows = database.execute(query).fetchall()
        assert [row[0] for row in rows] == [COURIER, VALLEY]
        assert rows[0][2:] == (["Isolde Marrack"], TITLE)
        assert isinstance(rows[0][1], float)


def test_excel(tmp_path):
    path = tmp_path / "out.xlsx"
    assert run("text", COURIER, "-o", str(path)).exit_code == 0
    head, row = openpyxl.load_workbook(path).active.values
    assert head == ("page", *DOCUMENT_COLUMNS)
    assert row[head.index("title")] == TITLE


def test_one_page_as_markdown_and_text(tmp_path):
    markdown, plain = tmp_path / "out.md", tmp_path / "out.txt"
    assert run("text", COURIER, "-o", str(markdown)).exit_code == 0
    assert markdown.read_text(encoding="utf-8").startswith(f"# {TITLE}\n\nMembers")
    assert run("text", COURIER, "-o", str(plain)).exit_code == 0
    assert plain.read_text(encoding="utf-8").startswith(f"{TITLE}\n\nMembers")


def test_several_pages_as_markdown_and_text():
    markdown = run("text", COURIER, VALLEY, "--format", "md").stdout
    first, second = f"<!-- page: {COURIER} -->", f"\n\n<!-- page: {VALLEY} -->\n\n# School board"
    assert markdown.startswith(f"{first}\n\n# Council")
    assert second in markdown
    plain = run("text", COURIER, VALLEY, "--format", "txt").stdout
    assert plain.startswith(f"===== {COURIER} =====\n\n{TITLE}\n\nMembers")
    assert f"\n\n===== {VALLEY} =====\n\nSchool" in plain


def test_name_of_a_page_cannot_end_its_comment(tmp_path):
    path = tmp_path / "a --><script>.html"
    path.write_text("<p>x")
    markdown = run("text", str(path), VALLEY, "--format", "md").stdout
    assert markdown.splitlines()[0].count("--") == 2


def test_folder_gets_a_file_for_each_page(tmp_path):
    pages = tmp_path / "pages"
    (pages / "a").mkdir(parents=True)
    for name in ("a/x.html", "a_x.html", "A_X.htm", "con.html", ".html"):
        (pages / name).write_text(f"<title>{name}</title><p>Text of {name}")
    out = tmp_path / "new" / "texts"
    names = ["a/x.html", "a_x.html", "A_X.htm", "con.html", ".html"]
    result = run("text", *(str(pages / name) for name in names), "-o", f"{out}/")
    assert result.exit_code == 0, result.stderr
    files = sorted(path.name for path in out.iterdir())
    assert len({name.casefold() for name in files}) == len(names)
    assert all(name.endswith(".md") for name in files)
    result = run("text", COURIER, "-o", f"{out}/", "--format", "txt")
    assert (out / "examples_news_courier-1.txt").read_text(encoding="utf-8").startswith(TITLE)


def test_terminal_shows_the_content():
    result = run(
        "text", COURIER, "examples/table.html", "--format", "table", env={"COLUMNS": "200"}
    )
    assert f"{COURIER} (article, confidence" in result.stdout
    assert "Isolde Marrack, 2024-03-05T07:30:00+00:00, The Harbour Courier" in result.stdout
    assert "42 parking spaces" in result.stdout


def test_terminal_gets_no_control_characters(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(f"<h1>a\x1b[31mb</h1><p>{'some more words of text. ' * 30}&#27;[2J c\x9b1m")
    shown = run("text", str(path), "--format", "table").stdout
    assert "some more words" in shown
    assert "\x1b" not in shown
    assert "\x9b" not in shown


def test_links_and_images_can_be_left_out():
    assert "](" in run("text", COURIER, "--format", "md").stdout
    assert "](" not in run("text", COURIER, "--format", "md", "--no-links", "--no-images").stdout


def test_url_makes_links_absolute():
    words = ["text", COURIER, "--url", "https://courier.example/x/", "--format", "md"]
    assert "(https://courier.example/news/coal-quay-plans-explained)" in run(*words).stdout


def test_standard_input():
    result = run("text", "-", input=b"<h1>T</h1><p>" + b"Words of a sentence go here. " * 20)
    assert json.loads(result.stdout)["page"] == "-"


def test_archives_and_folders_are_read_by_workers(tmp_path):
    with zipfile.ZipFile(tmp_path / "pages.zip", "w") as archive:
        archive.write(COURIER, "news/1.html")
        archive.write(VALLEY, "news/2.html")
        archive.writestr("news/empty.html", "")
    write_warc(
        tmp_path / "crawl.warc.gz",
        [
            (f"http://courier.example/{number}", Path(COURIER).read_bytes(), "200 OK", [])
            for number in range(3)
        ]
        + [("http://courier.example/gone", b"", "404 Gone", [])],
    )
    words = ["text", str(tmp_path / "pages.zip"), VALLEY, str(tmp_path / "crawl.warc.gz")]
    result = run(*words, "--workers", "1")
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    urls = [f"http://courier.example/{number}" for number in range(3)]
    assert [row["page"] for row in rows] == ["news/1.html", "news/2.html", VALLEY, *urls]
    assert rows[0]["title"] == rows[3]["title"] == TITLE
    assert "http://courier.example/news/" in rows[3]["markdown"]
    assert "pages.zip: 1 skipped: " in result.stderr
    assert "crawl.warc.gz: 1 skipped: " in result.stderr


@pytest.mark.slow
def test_workers_give_the_same_rows_in_the_same_order(tmp_path, monkeypatch):
    monkeypatch.setattr("unweave.sources.shards.PAGES_PER_SHARD", 2)
    serial = run("text", "examples/news", "examples/shop", "--workers", "1")
    parallel = run("text", "examples/news", "examples/shop", "--workers", "2")
    assert serial.exit_code == parallel.exit_code == 0
    assert len(serial.stdout.splitlines()) == 18
    assert parallel.stdout == serial.stdout


def test_failed_pages_are_reported(tmp_path):
    path = tmp_path / "out.jsonl"
    result = run("text", COURIER, "missing.html", "-o", str(path))
    assert (result.exit_code, len(path.read_text().splitlines())) == (1, 1)
    assert "missing.html: no such file" in result.stderr
    (tmp_path / "empty").mkdir()
    result = run("text", "missing.html", str(tmp_path / "empty"), "-o", str(path))
    assert result.exit_code == 1
    assert "empty: contains no pages" in result.stderr
    assert len(path.read_text().splitlines()) == 1  # the older file is kept


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "yaml"], "yaml"),
        (["-o", "out.yaml"], "known extensions: .jsonl, "),
        (["-o", "out.csv", "--with-blocks"], "--with-blocks is for JSON"),
        (["-o", "out/", "--format", "csv"], "files of the formats md and txt"),
        (["-o", "out.duckdb", "--format", "csv"], "a database has its own"),
        (["--crawl"], "--crawl needs the URL of a site"),
        (["examples/news", "--render"], "--render is for single pages"),
        (["--network"], "--network and --no-scripts require --render"),
        (["-o", "missing/out.md"], "cannot write missing/out.md"),
    ],
)
def test_wrong_use(words, message, tmp_path, monkeypatch):
    result = run("text", COURIER, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_page_without_content_on_a_terminal(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<title>x</title><nav><a href=/>Home</a></nav>")
    assert "no content was found" in run("text", str(path), "--format", "table").stdout


def test_news_with_markdown():
    lines = run("news", COURIER, "examples/news/courier-front.html", "--markdown").stdout
    article, front = map(json.loads, lines.splitlines())
    assert article["markdown"].startswith(f"# {TITLE}\n\n")
    assert front["markdown"] is None
    assert "markdown" not in json.loads(run("news", COURIER).stdout)


def test_columns_are_those_of_documents():
    names = [column.name for column in text_command._COLUMNS]
    assert names == ["page", *DOCUMENT_COLUMNS]
