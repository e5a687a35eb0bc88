"""The documents show what happens: console blocks and Python blocks are executed."""

import doctest
import pkgutil
import re
import shlex
import subprocess
from glob import glob
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import unweave
from unweave.cli import main
from unweave.lists.method import METHODS
from unweave.sinks.registry import FILE_FORMATS
from unweave.sources.selection import SOURCES
from unweave.wrappers.learning import LEARNERS

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
# Tutorials are executed as notebooks, in test_tutorials.py.
EXECUTED = [document for document in DOCUMENTS if document.parent.name != "tutorial"]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANYTHING = "…"


def _console_blocks():
    """Yield the blocks that are executed, each in a folder of its own."""
    for document in EXECUTED:
        blocks = [match[1] for match in CONSOLE.finditer(document.read_text(encoding="utf-8"))]
        for number, block in enumerate(blocks, 1):
            yield pytest.param(block, id=f"{document.name}-{number}")


def run_command(command, folder):
    """Return the output of a command of a console block; None for the tests, which are not run."""
    if command == "make test":
        return None
    if command == "make demo":
        recipe = re.search(
            r"^demo:.*\n\t@\$\(BIN\)/(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE
        )
        command = recipe[1]
    words = shlex.split(command)
    if words[0] != "unweave":
        return subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder).stdout
    words = [path for word in words for path in (sorted(glob(word)) if "*" in word else [word])]
    words = [
        f"{folder / word}{'/' * word.endswith('/')}"
        if previous in ("-o", "--work") or (folder / word).exists()
        else word
        for previous, word in pairwise(words)
    ]
    output = CliRunner().invoke(main, words, prog_name="unweave", env={"COLUMNS": "80"}).output
    return output.replace(f"{folder}/", "")


@pytest.mark.slow
@pytest.mark.parametrize("block", list(_console_blocks()))
def test_console_blocks(block, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert commands
    for command, expected in commands:
        output = run_command(command, tmp_path)
        if output is not None:
            assert_output_matches(output.splitlines(), expected.splitlines(), command)


def assert_output_matches(output, expected, command):
    """Compare lines without white space at their ends. An ellipsis matches any lines, or the rest of one."""
    pattern = "\n".join(".*" if line == ANYTHING else _pattern(line.rstrip()) for line in expected)
    shown = "\n".join(line.rstrip() for line in output)
    assert re.fullmatch(pattern, shown, re.DOTALL), f"{command} shows\n{shown}"


def _pattern(line):
    return re.escape(line.removesuffix(ANYTHING)) + ("[^\n]*" if line.endswith(ANYTHING) else "")


@pytest.fixture
def restored_registries(monkeypatch):
    """Restore the registries after a test: documents register their own implementations."""
    for registry in (METHODS, LEARNERS, FILE_FORMATS, SOURCES):
        monkeypatch.setattr(registry, "_registered", dict(registry._registered))


@pytest.mark.parametrize("document", EXECUTED, ids=lambda path: path.name)
def test_python_blocks(document, monkeypatch, restored_registries):
    monkeypatch.chdir(ROOT)
    failures, _ = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert failures == 0


def test_documented_options_are_those_of_the_commands():
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.MULTILINE))
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    assert {"learn", "apply", "records"} <= commands.keys()
    assert {f"unweave {name}" for name in commands} <= set(sections)
    for name, command in commands.items():
        documented = set()
        for options, users in _read_option_rows(sections["Common options"]):
            if (f"`{name}`" in users) != users.startswith("all but"):
                documented |= options
        for options, _ in _read_option_rows(sections[f"unweave {name}"]):
            documented |= options
        expected = set()
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                expected |= {*parameter.opts, *parameter.secondary_opts}
        assert documented == expected, name


def _read_option_rows(section):
    """Yield the options in the first column of the tables of a section, and the second column."""
    for first, second in re.findall(r"^\| (`-.*?`) \| (.*?) \|", section, re.MULTILINE):
        yield set(re.findall(r"(?<=`)--?[a-z-]+", first)), second


def test_links_between_documents_exist():
    links = [
        (document, target)
        for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document.read_text(encoding="utf-8"))
    ]
    assert links
    for document, target in links:
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_names_in_the_glossary_exist():
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    cells = re.findall(r"\| (`[^|]*`) \|$", text, re.MULTILINE)
    names = [name for cell in cells for name in re.findall(r"`([a-z_.]+[A-Za-z_]*)`", cell)]
    assert len(names) > 50
    for name in names:
        pkgutil.resolve_name(f"unweave.{name}")


@pytest.mark.parametrize(
    ("section", "documented"),
    [
        ("Table", unweave.Table),
        ("Apply", unweave.Extraction),
        ("Wrapper", unweave.Wrapper),
        ("Repair", unweave.Repair),
        ("Compare tables", unweave.TableDiff),
        ("Text", unweave.Document),
    ],
)
def test_documented_attributes_exist(section, documented):
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    body = re.search(rf"^## {section}\n((?:(?!## ).*\n)*)", text, re.MULTILINE)[1]
    cells = re.findall(r"^\| (`.*?`) \|", body, re.MULTILINE)
    names = [name for cell in cells for name in re.findall(r"`(?:[A-Z]\w+\.)?([a-z_]+)", cell)]
    assert names
    for name in names:
        assert hasattr(documented, name) or name in documented.__dataclass_fields__


def test_readme_starts_with_two_commands():
    opening = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    assert "$ make demo" in opening
    assert "$ make test" in opening


def test_public_names():
    assert sorted(unweave.__all__) == [
        "Article",
        "Column",
        "ColumnSpec",
        "Document",
        "EmptyPage",
        "Extraction",
        "Limits",
        "MissingExtra",
        "NotHTML",
        "Page",
        "PageError",
        "PageTooLarge",
        "RenderError",
        "Renderer",
        "Repair",
        "SinkError",
        "SourceError",
        "Table",
        "TableDiff",
        "TreeSyntaxError",
        "UnweaveError",
        "UsageError",
        "Wrapper",
        "WrapperError",
        "apply",
        "cluster",
        "diff",
        "explain",
        "join_records",
        "learn",
        "load_page",
        "news",
        "records",
        "repair",
        "schema_of",
        "site",
        "text",
    ]
    assert all(getattr(unweave, name).__doc__ for name in unweave.__all__)
