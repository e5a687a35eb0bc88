"""Progress bars: in notebooks as HTML that is updated, elsewhere on a terminal only."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import unweave
from bench.notebooks import Cell, build_notebook, run_notebook
from unweave.pipeline.options import STEPS
from unweave.pipeline.progress import NotebookBars, is_in_notebook, show_progress


class Display:
    """Records what a notebook shows at one place."""

    def __init__(self):
        self.shown = []

    def display(self, shown, *, display_id):
        assert display_id is True
        self.update(shown)
        return self

    def update(self, shown):
        self.shown.append(shown._repr_html_())


@pytest.fixture
def notebook(monkeypatch):
    """Modules as in a kernel of Jupyter."""
    shown = Display()
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.display = shown.display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_a_terminal_of_ipython_is_no_notebook(monkeypatch):
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert not is_in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not is_in_notebook()


def test_a_notebook_shows_a_bar_for_each_step(notebook):
    with show_progress() as progress:
        progress("plan", 1, 1)
        progress("apply", 0, 2000)
        progress("apply", 2000, 2000)
    assert notebook.shown[0] == ""
    assert "Looking for pages" in notebook.shown[1]
    assert '<progress value="2000" max="2000"></progress></td><td>2,000/2,000' in notebook.shown[-1]
    assert notebook.shown[-1].count("<progress") == 2


def test_bars_are_right_at_the_end_of_a_run_that_fails(notebook):
    def run():
        with show_progress() as progress:
            progress("learn", 0, 0)
            progress("apply", 3, 9)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert '<progress value="3" max="9">' in notebook.shown[-1]
    assert '<progress value="0" max="1">' in notebook.shown[-1]


def test_nothing_is_shown_that_is_not_wanted(notebook, capsys):
    with show_progress(is_shown=False) as progress:
        progress("plan", 1, 1)
    assert notebook.shown == []
    assert capsys.readouterr() == ("", "")


def test_bars_are_texts_where_html_is_not_shown():
    bars = NotebookBars()
    bars.steps["apply"] = (3, 9)
    assert repr(bars) == "Reading pages 3/9"


def test_site_reports_to_a_function_or_shows_bars(tmp_path, notebook):
    steps = []
    unweave.site(
        "examples/shop",
        tmp_path / "a.duckdb",
        runner="serial",
        progress=lambda step, done, total: steps.append(step),
    )
    assert set(steps) == set(STEPS)
    assert notebook.shown == []
    unweave.site("examples/shop", tmp_path / "b.duckdb", runner="serial", progress=True)
    assert notebook.shown[-1].count("<progress") == len(STEPS)


@pytest.mark.slow
def test_jupyter_shows_them():
    cells = [
        Cell("code", "import unweave"),
        Cell(
            "code", "unweave.site('examples/shop', 'a.duckdb', runner='serial', progress=True)\n1"
        ),
    ]
    done = run_notebook(build_notebook(cells))
    shown, value = done["cells"][1]["outputs"]
    assert "".join(shown["data"]["text/html"]).count("<progress") == len(STEPS)
    assert "".join(shown["data"]["text/plain"]).splitlines()[-1] == "Writing tables 1/1"
    assert "".join(value["data"]["text/plain"]) == "1"
