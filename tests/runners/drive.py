"""A run of its own process, as the command line has one.

python -m tests.runners.drive run RUNNER ADDRESS WORK DEATH SOURCE...
python -m tests.runners.drive held RUNNER ADDRESS WORK VICTIM MARKERS SOURCE...
python -m tests.runners.drive hold RUNNER ADDRESS FOLDER

The first reads the sources, and kills itself after so many parts if DEATH is not 0. The second stops in the middle of a
part on the node of this raylet. The third never ends by itself.
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


def run(with_, folder, death, *sources):
    def watch(step, done, total):
        if step == "apply" and done == int(death) > 0:
            os.kill(os.getpid(), signal.SIGKILL)

    shards.PAGES_PER_SHARD = PAGES_PER_SHARD
    options = SiteOptions(work=folder, until="apply")
    run_site(sources, f"{folder}/tables", options, runner=with_, progress=watch)


def held(with_, folder, victim, markers, *sources):
    run(Held(with_, int(victim), markers), folder, 0, *sources)


class Held:
    """A runner whose work stops in the middle of a part on one node."""

    def __init__(self, inner, victim, markers):
        self._inner, self._victim, self._markers = inner, victim, markers
        self.check_paths = inner.check_paths

    def map(self, work, tasks_):
        held = (
            partial(tasks.held_on, self._victim, self._markers, work)
            if work is apply_to_shard
            else work
        )
        return self._inner.map(held, tasks_)


def hold(with_, folder):
    list(with_.map(tasks.holds_a_lock, [{"number": 0, "folder": folder}]))


def rows(folder):
    """All rows of a run, sorted by table."""
    tables = {}
    for path in Path(folder).glob("round-*/rows/[!.]*/*.jsonl"):
        tables.setdefault(path.name, []).extend(path.read_text(encoding="utf-8").splitlines())
    return {name: sorted(lines) for name, lines in tables.items()}


if __name__ == "__main__":
    what, name, address, *more = sys.argv[1:]
    try:
        workers = 2 if name == "processes" else None
        with closing(make_runner(name, workers=workers, address=address or None)) as chosen:
            {"run": run, "held": held, "hold": hold}[what](chosen, *more)
    except KeyboardInterrupt:
        sys.exit(130)
