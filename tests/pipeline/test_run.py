"""Whole runs: a folder, an archive and a crawl give the same tables, also after a kill."""

import signal
import subprocess
import sys
from collections import Counter

import duckdb
import pytest

import unweave
from bench.results import Result
from bench.site import measure_result, read_truth
from examples.bigshop.serve import serving
from tests.extraction import extract
from tests.pipeline.conftest import write_warc
from unweave.errors import SourceError, UsageError
from unweave.wrappers.base import Wrapper


def read_rows(database, table):
    """Return the rows of a table in order."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(f'select * from "{table}"').fetchall()


def read_tables(database):
    """Return the columns and rows of all tables."""
    with duckdb.connect(str(database), read_only=True) as connection:
        names = [
            name
            for (name,) in connection.execute(
                "select table_name from duckdb_tables() order by 1"
            ).fetchall()
        ]
        tables = {}
        for name in names:
            cursor = connection.execute(f'select * from "{name}"')
            tables[name] = ([column[0] for column in cursor.description], cursor.fetchall())
        return tables


@pytest.fixture(scope="module")
def database(shop, tmp_path_factory):
    """Return the database of the shop, and the summary of the run."""
    out = tmp_path_factory.mktemp("out") / "shop.duckdb"
    return out, unweave.site(shop, out, runner="serial")


def test_one_command_from_a_url_to_a_database(shop, tmp_path):
    """Templates are distinguished, rows are complete, and records are linked to their pages."""
    out = tmp_path / "shop.duckdb"
    with serving(shop) as address:
        command = [sys.executable, "-m", "unweave", "site", address, "-o", str(out), "--delay", "0"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "templates in" in done.stdout
    assert done.stderr == ""
    figures = measure_result(read_truth(shop), Result.read(out))
    assert figures.index >= 0.98
    for part in (figures.records, figures.joins):
        for name, share in part.items():
            assert share.correct >= 0.99 * share.all, name
    assert not out.with_name("shop.duckdb.work").exists()


def test_the_tables_of_the_database(database):
    out, summary = database
    tables = read_tables(out)
    assert {"pages", "templates", "columns"} <= tables.keys()
    assert summary.pages + sum(summary.skipped.values()) == len(tables["pages"][1])
    assert Counter(template.page_type.value for template in summary.templates) >= Counter(
        detail=2, list=2, article=1
    )
    names, columns = tables["columns"]
    weight = next(
        dict(zip(names, row, strict=True))
        for row in columns
        if row[names.index("column")] == "weight"
    )
    assert (weight["type"], weight["after"]) == ("number", "kg")
    names, articles = next(
        table for table in tables.values() if "body" in table[0] and "authors" in table[0]
    )
    assert articles[0][names.index("date")].year > 2000
    assert isinstance(articles[0][names.index("authors")], list)


def test_an_archive_and_several_workers_give_the_tables_of_a_folder(shop, database, tmp_path):
    """Sorted files are equal, byte for byte."""
    archive = tmp_path / "pages.zip"
    subprocess.run(
        [sys.executable, "-m", "zipfile", "-c", str(archive), *map(str, shop.iterdir())], check=True
    )
    for source, out, runner in ((shop, "left", "serial"), (archive, "right", "processes")):
        unweave.site(source, tmp_path / out, format="jsonl", runner=runner)
    left, right = (sorted((tmp_path / name).glob("*.jsonl")) for name in ("left", "right"))
    assert [path.name for path in left] == [path.name for path in right]
    for left_path, right_path in zip(left, right, strict=True):
        if left_path.name != "pages.jsonl":  # times of files differ
            assert left_path.read_bytes() == right_path.read_bytes(), left_path.name


def test_steps_can_be_done_one_by_one(shop, database, tmp_path):
    work, out = tmp_path / "work", tmp_path / "steps.duckdb"
    for step in ("plan", "scan", "learn", "apply"):
        summary = unweave.site(shop, out, work=work, until=step, runner="serial")
        assert summary.work == str(work)
        assert not out.exists()
    unweave.site(shop, out, work=work, runner="serial")
    assert read_tables(out) == read_tables(database[0])
    assert (work / "round-1" / "sites").is_dir()


KILLER = """
import os, sys
from unweave.pipeline import run
import unweave

step, after, *arguments = sys.argv[1:]
left = int(after)
name = {"scan": "scan_shard", "learn": "learn_sites", "apply": "apply_to_shard"}[step]
real = getattr(run, name)

def deadly(task):
    global left
    if left == 0:
        os.kill(os.getpid(), 9)
    left -= 1
    return real(task)

setattr(run, name, deadly)
unweave.site(arguments[0], arguments[1], runner="serial")
"""


@pytest.mark.parametrize(("step", "after"), [("scan", 0), ("learn", 0), ("apply", 1)])
def test_a_killed_run_is_continued(shop, database, tmp_path, step, after):
    out = tmp_path / "killed.duckdb"
    killed = subprocess.run(
        [sys.executable, "-c", KILLER, step, str(after), str(shop), str(out)], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    work = tmp_path / "killed.duckdb.work"
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*.db")}
    unweave.site(shop, out, runner="serial", work=work)
    assert read_tables(out) == read_tables(database[0])
    assert all(path.stat().st_mtime_ns == time for path, time in before.items()), (
        "results are used again"
    )


def test_a_run_with_another_source_does_not_continue(shop, tmp_path):
    work, out = tmp_path / "work", tmp_path / "out.duckdb"
    unweave.site(shop, out, work=work, until="plan", runner="serial")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.html").write_text("<p>x</p>")
    with pytest.raises(UsageError, match="start over with --fresh"):
        unweave.site(tmp_path / "other", out, work=work, runner="serial")
    unweave.site(tmp_path / "other", out, work=work, fresh=True, runner="serial")


def test_files_of_the_user_are_not_removed(shop, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("ten years")
    for _ in range(2):
        unweave.site(
            shop,
            tmp_path / "out.duckdb",
            work=tmp_path / "mine",
            fresh=True,
            until="plan",
            runner="serial",
        )
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "ten years"


def test_of_duplicates_the_newest_page_counts(tmp_path):
    pages = [(f"http://example.org/item/{n}", make_product(n)) for n in range(6)]
    write_warc(tmp_path / "a.warc.gz", pages)
    write_warc(
        tmp_path / "b.warc.gz", [*pages[:2], ("http://example.org/gone", b"", "404 Gone", [])]
    )
    summary = unweave.site(
        [tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"], tmp_path / "out.duckdb", runner="serial"
    )
    assert (summary.pages, summary.duplicates) == (6, 2)
    assert summary.skipped == {"the server returned 404": 1}
    assert len(read_rows(tmp_path / "out.duckdb", "item")) == 6


def make_product(number):
    fields = {
        "Colour": ["red", "green", "blue"][number % 3],
        "Weight": f"{number + 1} kg",
        "Maker": f"Firm {number}",
    }
    lines = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in fields.items())
    table = f"<table class=specs>{lines}</table>"
    return f"<body><div id=top>Shop</div><h1>Thing {number}</h1>{table}</body>".encode()


def test_two_sites_have_separate_tables(tmp_path):
    pages = [
        (f"http://{host}/item/{n}", make_product(n))
        for host in ("a.example", "b.example")
        for n in range(4)
    ]
    unweave.site(write_warc(tmp_path / "a.warc", pages), tmp_path / "out.duckdb", runner="serial")
    tables = read_tables(tmp_path / "out.duckdb")
    assert {"a_example_item", "b_example_item"} <= tables.keys()
    names, values = tables["a_example_item"]
    assert values[1][names.index("weight")] == 2


def test_hostile_pages_are_skipped_with_a_reason(tmp_path):
    pages = [
        *((f"http://example.org/item/{n}", make_product(n)) for n in range(4)),
        ("http://example.org/empty", b""),
        ("http://example.org/deep", b"<div>" * 100_000),
        ("http://example.org/pdf", b"%PDF-1.4 and so on"),
        ("http://example.org/nul", b"\0" * 100),
    ]
    summary = unweave.site(
        write_warc(tmp_path / "a.warc", pages), tmp_path / "out.duckdb", runner="serial"
    )
    assert summary.pages >= 4
    assert sum(summary.skipped.values()) + summary.pages == len(pages)


def test_wrong_use_is_refused(shop, tmp_path):
    with pytest.raises(SourceError, match="no such file or folder"):
        unweave.site(tmp_path / "nothing", tmp_path / "out.duckdb")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="contains no pages"):
        unweave.site(tmp_path / "empty", tmp_path / "out.duckdb", runner="serial")
    with pytest.raises(
        UsageError, match="unknown runner 'magic'; choose from processes, serial, ray"
    ):
        unweave.site(shop, tmp_path / "out.duckdb", runner="magic")
    with pytest.raises(UsageError, match="unknown step 'magic'"):
        unweave.site(shop, tmp_path / "out.duckdb", until="magic")
    with pytest.raises(UsageError, match="an address goes with the runner ray"):
        unweave.site(shop, tmp_path / "out.duckdb", address="x:1")


def test_two_runs_do_not_share_a_folder(shop, tmp_path):
    from unweave.pipeline.run_folder import RunFolder

    with (
        RunFolder(tmp_path / "work").lock(),
        pytest.raises(UsageError, match="another run is at work"),
    ):
        unweave.site(shop, tmp_path / "out.duckdb", work=tmp_path / "work", runner="serial")


def test_saved_wrappers_can_be_applied(shop, tmp_path):
    work = tmp_path / "work"
    unweave.site(shop, tmp_path / "out.duckdb", work=work, until="learn", runner="serial")
    table, fit = extract(
        Wrapper.load(work / "wrappers" / "shop.json"), next(shop.glob("shop/*/index.html"))
    )
    assert fit > 0.9
    assert len(table) > 3
    fields, _ = extract(
        Wrapper.load(work / "wrappers" / "products.json"), next(shop.glob("products/*.html"))
    )
    assert fields["brand"]
