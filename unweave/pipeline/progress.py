"""Progress bars of runs of several steps: on a terminal, and in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from unweave.pipeline.options import Progress

_STEPS = {
    "crawl": "Fetching pages",
    "plan": "Looking for pages",
    "scan": "Drawing samples",
    "learn": "Learning templates",
    "apply": "Reading pages",
    "write": "Writing tables",
}
_SECONDS_BETWEEN_UPDATES = 0.2
"""In a notebook: each update is a message to the browser."""


def show_progress(*, is_shown: bool = True) -> AbstractContextManager[Progress]:
    """Show a progress bar for each step, on a terminal or in the notebook that this runs in."""
    if is_shown and is_in_notebook():
        return _show_in_notebook()
    return _show_on_terminal(is_shown=is_shown)


def is_in_notebook() -> bool:
    """Tell whether the program runs in a kernel of Jupyter, which has been imported then."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def _show_on_terminal(*, is_shown: bool) -> Iterator[Progress]:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:20}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    is_hidden = not (is_shown and console.is_terminal)
    with Bars(*columns, console=console, disable=is_hidden) as bars:
        tasks = {}

        def progress(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(_STEPS[step], total=total)
            bars.update(tasks[step], completed=done, total=total)

        yield progress


@contextmanager
def _show_in_notebook() -> Iterator[Progress]:
    """Show bars as HTML, which needs no extension of Jupyter."""
    from IPython.display import display

    bars = NotebookBars()
    handle: Any = display(bars, display_id=True)  # type: ignore[no-untyped-call]
    shown_at = monotonic()

    def progress(step: str, done: int, total: int) -> None:
        nonlocal shown_at
        bars.steps[step] = (done, total)
        if done == total or monotonic() - shown_at > _SECONDS_BETWEEN_UPDATES:
            handle.update(bars)
            shown_at = monotonic()

    try:
        yield progress
    finally:
        handle.update(bars)


class NotebookBars:
    """The steps of a run and how far they are, as a notebook shows them."""

    def __init__(self) -> None:
        self.steps: dict[str, tuple[int, int]] = {}
        """The finished tasks and all tasks of each step."""

    def __repr__(self) -> str:
        lines = [f"{_STEPS[step]} {done}/{total}" for step, (done, total) in self.steps.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{_STEPS[step]}</td>"
            f'<td><progress value="{done}" max="{max(total, 1)}"></progress></td>'
            f"<td>{done:,}/{total:,}</td></tr>"
            for step, (done, total) in self.steps.items()
        ]
        return f"<table>{''.join(rows)}</table>" if rows else ""
