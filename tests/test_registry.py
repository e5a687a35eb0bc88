"""What programs and packages add: list methods, learners, file formats and sources."""

import json

import pytest
from click.testing import CliRunner

import unweave
from unweave.cli import main
from unweave.lists.listing import Listing
from unweave.lists.method import METHODS, ListMethod
from unweave.registry import Registry
from unweave.sinks.registry import FILE_FORMATS, FileFormat
from unweave.sources.selection import SOURCES
from unweave.sources.source import FetchedPage

TERMS = "<dl><dt>Oak</dt><dd>hard</dd><dt>Pine</dt><dd>soft</dd></dl>"


class Terms(ListMethod):
    """Every term of a page is a record."""

    def rank_lists(self, page):
        terms = [node for node, tag in enumerate(page.tree.labels) if tag == "dt"]
        return [(0.5, Listing(tuple((node,) for node in terms)))]


class LineWriter:
    """Write every row as one line of cells."""

    def __init__(self, file):
        self.file = file

    def write(self, row):
        self.file.write(" / ".join(str(cell) for cell in row.values()) + "\n")

    def close(self):
        self.file.write("end\n")


class NumberedPages:
    """A location such as ``made:3`` stands for three pages."""

    def accepts(self, location):
        return location.startswith("made:")

    def read(self, location):
        for number in range(int(location.removeprefix("made:"))):
            words = "".join(f"<li><b>Item {number}-{k}</b> <i>{k} euros</i>" for k in range(4))
            yield FetchedPage(f"page-{number}", f"<h1>Page {number}</h1><ul>{words}</ul>".encode())


@pytest.fixture
def added(monkeypatch):
    """Register for one test."""

    def register(registry, name, implementation):
        monkeypatch.setitem(registry._registered, name, implementation)

    return register


def test_a_method_works_in_python_and_on_the_command_line(added, tmp_path):
    added(METHODS, "terms", Terms)
    assert unweave.records(TERMS, method="terms")[0].texts == ["Oak", "Pine"]
    assert unweave.records(TERMS, method=Terms())[0].score == 0.5
    (tmp_path / "page.html").write_text(TERMS)
    arguments = ["records", str(tmp_path / "page.html"), "--method", "terms"]
    result = CliRunner().invoke(main, arguments)
    assert json.loads(result.stdout)["tables"][0]["texts"] == ["Oak", "Pine"]
    result = CliRunner().invoke(main, [*arguments, "-p", "k=3"])
    assert result.exit_code == 2
    assert "method terms has no option 'k'; it has no options" in result.stderr


def test_a_file_format_is_chosen_by_the_ending(added, tmp_path):
    added(FILE_FORMATS, "lines", FileFormat(LineWriter, is_tabular=True))
    out = tmp_path / "people.lines"
    result = CliRunner().invoke(main, ["records", "examples/people.html", "-o", str(out)])
    assert (result.exit_code, result.output) == (0, "")
    *rows, end = out.read_text().splitlines()
    assert (len(rows), end) == (9, "end")
    assert "Henrik Vasquez" in out.read_text()


def test_a_source_is_read_by_commands_and_by_site(added, tmp_path):
    added(SOURCES, "numbered", NumberedPages)
    result = CliRunner().invoke(main, ["cluster", "made:3"])
    assert [json.loads(line)["page"] for line in result.stdout.splitlines()] == [
        f"page-{number}" for number in range(3)
    ]
    out = tmp_path / "tables"
    summary = unweave.site("made:3", out, format="jsonl", runner="serial")
    assert summary.pages == 3
    pages = [json.loads(line) for line in (out / "pages.jsonl").read_text().splitlines()]
    assert [page["url"] for page in pages] == [f"file:///page-{number}" for number in range(3)]


def test_an_installed_package_adds_names_by_entry_points(monkeypatch, tmp_path):
    (tmp_path / "outside.py").write_text("class Magic:\n    pass\n")
    info = tmp_path / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[unweave.tests]\nmagic = outside:Magic\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry("trick", "unweave.tests", {"plain": "unweave.errors:UsageError"})
    assert list(registry) == ["plain", "magic"]
    assert "magic" in registry
    assert registry["magic"].__name__ == "Magic"
    assert registry["plain"] is unweave.UsageError
    with pytest.raises(unweave.UsageError, match="unknown trick 'none'; choose from plain, magic"):
        registry["none"]


def test_a_fresh_run_reads_an_added_source_again(added, tmp_path):
    added(SOURCES, "numbered", NumberedPages)
    out, work = tmp_path / "tables", tmp_path / "work"
    for location, options, pages in (("made:3", {}, 3), ("made:5", {"fresh": True}, 5)):
        summary = unweave.site(
            location, out, format="jsonl", runner="serial", work=work, until="write", **options
        )
        assert summary.pages == pages
