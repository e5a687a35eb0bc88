"""The tutorials as notebooks: made from the Markdown in docs/tutorial, with the real outputs.

    python -m bench.notebooks            run the tutorials; say which notebooks are not up to date
    python -m bench.notebooks --write    write docs/tutorial/*.ipynb

Each command of a console block and each example of a Python block is a cell. The cells of a
tutorial run in one kernel, in an empty folder that has the example pages. Needs nbclient and
ipykernel.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from doctest import DocTestParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bench.reporting import make_parser

ROOT = Path(__file__).parent.parent
TUTORIALS = ROOT / "docs" / "tutorial"
MAX_SECONDS = 300
"""For one cell."""

SETUP = """\
# A new folder with the example pages. Programs print what they would write to a file:
# neither colours nor progress bars.
import os
import shutil
import tempfile
from pathlib import Path

here = Path.cwd()
checkout = next(path for path in (here, *here.parents) if (path / "examples/people.html").exists())
os.chdir(tempfile.mkdtemp())
shutil.copytree(checkout / "examples", "examples")
os.environ.update(FORCE_COLOR="", COLUMNS="80")
"""
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_NOTEBOOK_LINK = re.compile(r"^.*\]\([\w-]+\.ipynb\).*\n(?:\S.*\n)*\n", re.MULTILINE)

Notebook = dict[str, Any]


class Cell(NamedTuple):
    """A cell of a notebook: its type, its source, and the output that the tutorial shows."""

    type: str
    source: str
    expected: str = ""


def split_tutorial(markdown: str) -> Iterator[Cell]:
    """Yield the cells of a tutorial: texts, commands and Python."""
    markdown = _NOTEBOOK_LINK.sub("", markdown, count=1)
    is_first, position = True, 0
    for block in _BLOCK.finditer(markdown):
        yield from _make_text(markdown[position : block.start()])
        if is_first:
            yield Cell("code", SETUP.rstrip())
        is_first, position = False, block.end()
        yield from _split_console(block[2]) if block[1] == "console" else _split_python(block[2])
    yield from _make_text(markdown[position:])


def _make_text(markdown: str) -> Iterator[Cell]:
    if text := markdown.strip():
        yield Cell("markdown", text)


def _split_console(block: str) -> Iterator[Cell]:
    for command, output in _COMMAND.findall(block):
        yield Cell("code", f"!{command}", output)


def _split_python(block: str) -> Iterator[Cell]:
    """Yield a cell for each example that shows an output, with the examples before it."""
    lines: list[str] = []
    for example in DocTestParser().get_examples(block):
        lines.append(example.source.rstrip())
        if example.want:
            yield Cell("code", "\n".join(lines), example.want)
            lines = []
    if lines:
        yield Cell("code", "\n".join(lines))


def build_notebook(cells: Sequence[Cell]) -> Notebook:
    """Return a notebook of cells that have not been run."""
    built = []
    for number, cell in enumerate(cells, 1):
        each: dict[str, Any] = {"cell_type": cell.type, "id": f"cell-{number}", "metadata": {}}
        each["source"] = cell.source.splitlines(keepends=True)
        if cell.type == "code":
            each |= {"execution_count": None, "outputs": []}
        built.append(each)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": built, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def run_notebook(notebook: Notebook) -> Notebook:
    """Run the cells of a notebook in a new kernel; return the notebook with their outputs.

    Programs are those of the environment of this Python.
    """
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    with TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "TMPDIR": folder, "IPYTHONDIR": folder}
        client = NotebookClient(
            nbformat.reads(json.dumps(notebook), as_version=4),
            km=AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{folder}/socket"),
            timeout=MAX_SECONDS,
            resources={"metadata": {"path": folder}},
            record_timing=False,
        )
        done: Notebook = json.loads(
            nbformat.writes(client.execute(env=environment, cleanup_kc=True))
        )
    for cell in done["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = _join_streams(cell["outputs"])
    return done


def _join_streams(outputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return outputs with the parts of one stream joined, without spaces at the ends of lines."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        if output["output_type"] != "stream":
            joined.append(dict(output))
            continue
        lines = "".join(output["text"]).splitlines()
        text = "".join(f"{line.rstrip()}\n" for line in lines)
        if joined and joined[-1].get("name") == output["name"]:
            text = "".join(joined.pop()["text"]) + text
        stream = {"name": output["name"], "output_type": "stream"}
        joined.append({**stream, "text": text.splitlines(keepends=True)})
    return joined


def read_output(cell: Mapping[str, Any]) -> str:
    """Return the text that a cell of a notebook shows."""
    parts = []
    for output in cell.get("outputs", ()):
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        parts.append(text if isinstance(text, str) else "".join(text))
    return "".join(parts)


def list_tutorials() -> list[Path]:
    """Return the files of the tutorials."""
    return sorted(TUTORIALS.glob("*.md"))


def format_notebook(notebook: Notebook) -> str:
    """Return the text of the file of a notebook."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tutorials, and write or compare their notebooks."""
    parser = make_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="write the notebooks")
    chosen = parser.parse_args(arguments)
    outdated = []
    for path in list_tutorials():
        cells = list(split_tutorial(path.read_text(encoding="utf-8")))
        text = format_notebook(run_notebook(build_notebook(cells)))
        target = path.with_suffix(".ipynb")
        if chosen.write:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            outdated.append(target.name)
    if outdated:
        raise SystemExit(f"not up to date: {', '.join(outdated)}")


if __name__ == "__main__":
    main()
