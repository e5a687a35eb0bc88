"""The tutorials: every cell is run, and what the documents and the notebooks show is what it prints."""

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pytest

from bench.docs_site import on_page_markdown, pack_tutorials
from bench.notebooks import (
    SETUP,
    Cell,
    build_notebook,
    format_notebook,
    list_tutorials,
    read_output,
    run_notebook,
    split_tutorial,
)
from tests.test_docs import assert_output_matches

TUTORIALS = pytest.mark.parametrize("tutorial", list_tutorials(), ids=lambda path: path.stem)


def read_cells(tutorial):
    return list(split_tutorial(tutorial.read_text(encoding="utf-8")))


def read_notebook(tutorial):
    return json.loads(tutorial.with_suffix(".ipynb").read_text(encoding="utf-8"))


def test_there_are_tutorials():
    assert {"first-table", "a-site-into-duckdb"} <= {path.stem for path in list_tutorials()}


@TUTORIALS
def test_notebooks_have_the_cells_of_the_documents(tutorial):
    notebook = read_notebook(tutorial)
    sources = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    hint = "run python -m bench.notebooks --write"
    assert sources == [(cell.type, cell.source) for cell in read_cells(tutorial)], hint
    assert tutorial.with_suffix(".ipynb").read_text(encoding="utf-8") == format_notebook(notebook)


@TUTORIALS
def test_documents_show_the_outputs_of_the_notebooks(tutorial):
    """As a whole, or with an ellipsis for the rest. Notebooks break long values into lines."""
    for cell, done in zip(read_cells(tutorial), read_notebook(tutorial)["cells"], strict=True):
        shown = read_output(done).rstrip()
        expected = cell.expected.rstrip()
        if cell.source.startswith("!"):
            assert_output_matches(shown.splitlines(), expected.splitlines(), cell.source)
        elif cell.type == "code" and cell.source != SETUP.rstrip():
            assert "".join(shown.split()) == "".join(expected.split()), cell.source


@pytest.mark.slow
@TUTORIALS
def test_notebooks_have_the_outputs_of_a_run(tutorial):
    done = run_notebook(build_notebook(read_cells(tutorial)))
    stored = read_notebook(tutorial)
    for cell, expected in zip(done["cells"], stored["cells"], strict=True):
        source = "".join(cell["source"])
        assert cell.get("outputs") == expected.get("outputs"), f"{source} shows another output"


def test_a_block_is_cut_at_each_output():
    markdown = """# Title

The same as a notebook: [x.ipynb](x.ipynb).

## 1. Text

```console
$ echo a
a
$ echo b
```

```python
>>> x = 1
>>> x
1
>>> y = 2

```

End.
"""
    assert list(split_tutorial(markdown)) == [
        Cell("markdown", "# Title\n\n## 1. Text"),
        Cell("code", SETUP.rstrip()),
        Cell("code", "!echo a", "a\n"),
        Cell("code", "!echo b"),
        Cell("code", "x = 1\nx", "1\n"),
        Cell("code", "y = 2"),
        Cell("markdown", "End."),
    ]


@pytest.mark.slow
def test_a_cell_that_fails_fails_the_notebook():
    with pytest.raises(Exception, match="ZeroDivisionError"):
        run_notebook(build_notebook([Cell("code", "1 / 0")]))


def test_the_archive_has_the_notebooks_and_their_pages():
    with ZipFile(BytesIO(pack_tutorials())) as archive:
        names = archive.namelist()
    assert {f"unweave-tutorials/{path.stem}.ipynb" for path in list_tutorials()} <= set(names)
    assert "unweave-tutorials/examples/people.html" in names
    for tutorial in list_tutorials():
        pictures = re.findall(r"!\[.*\]\((.*)\)", tutorial.read_text(encoding="utf-8"))
        assert {f"unweave-tutorials/{name}" for name in pictures} <= set(names)
    assert "unweave-tutorials/examples/bigshop/make.py" in names
    assert not [name for name in names if "__pycache__" in name]
    assert pack_tutorials() == pack_tutorials()


@TUTORIALS
def test_the_site_links_to_the_archive(tutorial):
    text = tutorial.read_text(encoding="utf-8")
    assert f"\nThe same as a notebook: [{tutorial.stem}.ipynb]({tutorial.stem}.ipynb).\n" in text
    assert "](tutorials.zip)." in on_page_markdown(text)
