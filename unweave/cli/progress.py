"""Progress bars of runs of several steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def show_progress(*, is_shown: bool = True) -> Iterator[Progress]:
    """Show a progress bar for each step on a terminal."""
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
