"""What the documents show is what happens: every console block is typed, every Python block is executed."""

import doctest
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

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANYTHING = "…"


def _console_blocks():
    for document in DOCUMENTS:
        for number, match in enumerate(CONSOLE.finditer(document.read_text(encoding="utf-8")), 1):
            yield pytest.param(match[1], id=f"{document.name}-{number}")


def typed(command, folder):
    """The output of one command; make's targets stand for what they call, the tests themselves for anything."""
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
    words = [word for typed in words for word in (sorted(glob(typed)) if "*" in typed else [typed])]
    words = [
        str(folder / word) if previous == "-o" or (folder / word).exists() else word
        for previous, word in pairwise(words)
    ]
    return CliRunner().invoke(main, words, prog_name="unweave", env={"COLUMNS": "80"}).output


@pytest.mark.slow
@pytest.mark.parametrize("block", list(_console_blocks()))
def test_console_blocks(block, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert commands
    for command, expected in commands:
        output = typed(command, tmp_path)
        if output is not None:
            assert_shown(output.splitlines(), expected.splitlines(), command)


def assert_shown(output, expected, command):
    """The lines are the same but for white space at their ends. Three dots stand for any lines, or for the rest of one."""
    pattern = "\n".join(".*" if line == ANYTHING else _pattern(line.rstrip()) for line in expected)
    shown = "\n".join(line.rstrip() for line in output)
    assert re.fullmatch(pattern, shown, re.DOTALL), f"{command} shows\n{shown}"


def _pattern(line):
    return re.escape(line.removesuffix(ANYTHING)) + ("[^\n]*" if line.endswith(ANYTHING) else "")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_blocks(document, monkeypatch):
    monkeypatch.chdir(ROOT)
    failures, _ = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert failures == 0


def test_every_command_and_option_is_documented():
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    context = click.Context(main)
    names = main.list_commands(context)
    assert names
    for name in names:
        command = main.get_command(context, name)
        assert f"## unweave {name}" in text
        for option in command.params:
            assert all(word in text for word in option.opts if word.startswith("-"))


def test_links_between_documents_lead_somewhere():
    links = [
        (document, target)
        for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document.read_text(encoding="utf-8"))
    ]
    assert links
    for document, target in links:
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_the_readme_opens_with_the_two_commands():
    opening = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20]
    assert "$ make demo" in opening
    assert "$ make test" in opening


def test_the_public_surface():
    assert sorted(unweave.__all__) == [
        "Article",
        "Column",
        "ColumnSpec",
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
        "SinkError",
        "SourceError",
        "Table",
        "TreeSyntaxError",
        "UnweaveError",
        "UsageError",
        "Wrapper",
        "WrapperError",
        "apply",
        "cluster",
        "explain",
        "join_records",
        "learn",
        "load_page",
        "news",
        "records",
        "site",
    ]
    assert all(getattr(unweave, name).__doc__ for name in unweave.__all__)
