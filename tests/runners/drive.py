"""Start a run or a task in this process, as the command line does.

    python -m tests.runners.drive run RUNNER ADDRESS WORK DEATH SOURCE...
    python -m tests.runners.drive held RUNNER ADDRESS WORK VICTIM MARKERS SOURCE...
    python -m tests.runners.drive hold RUNNER ADDRESS FOLDER

``run`` reads the sources, and kills itself after DEATH shards unless that is 0. ``held`` stops
within a shard on the node of the raylet VICTIM. ``hold`` never ends.
"""

import os
import signal
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.runners import tasks
from unweave.pipeline.apply import apply_to_shard
from unweave.pipeline.options import SiteOptions
from unweave.pipeline.run import run_site
from unweave.runners.runner import make_runner
from unweave.sources import shards

PAGES_PER_SHARD = 2


def run(runner, folder, death, *sources):
    def watch(step, done, total):
        if step == "apply" and done == int(death) > 0:
            os.kill(os.getpid(), signal.SIGKILL)

    shards.PAGES_PER_SHARD = PAGES_PER_SHARD
    options = SiteOptions(work=folder, until="apply")
    run_site(sources, f"{folder}.tables", options, runner=runner, progress=watch)


def run_held(runner, folder, victim, markers, *sources):
    run(HeldRunner(runner, int(victim), markers), folder, 0, *sources)


class HeldRunner:
    """A runner whose tasks stop within a shard on one node."""

    def __init__(self, inner, victim, markers):
        self._inner, self._victim, self._markers = inner, victim, markers
        self.check_paths, self.close = inner.check_paths, inner.close

    def map(self, function, tasks_):
        if function is apply_to_shard:
            function = partial(tasks.hold_on_node, self._victim, self._markers, function)
        return self._inner.map(function, tasks_)


def hold(runner, folder):
    list(runner.map(tasks.hold_lock, [{"number": 0, "folder": folder}]))


def read_rows(folder):
    """Return the sorted rows of each table of a run."""
    tables = {}
    for path in Path(folder).glob("round-*/rows/[!.]*/*.jsonl"):
        tables.setdefault(path.name, []).extend(path.read_text(encoding="utf-8").splitlines())
    return {name: sorted(lines) for name, lines in tables.items()}


if __name__ == "__main__":
    command, name, address, *arguments = sys.argv[1:]
    try:
        workers = 2 if name == "processes" else None
        with closing(make_runner(name, workers=workers, address=address or None)) as chosen:
            {"run": run, "held": run_held, "hold": hold}[command](chosen, *arguments)
    except KeyboardInterrupt:
        sys.exit(130)
