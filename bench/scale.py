"""Speed and memory of ``unweave site`` by the number of workers and pages.

    python -m bench.scale [SOURCE ...] [--pages 2000]

The sources are folders or archives; without any, a generated shop with that many pages, and one
with twice as many. The runners are measured one after the other: serial, processes, and a Ray
cluster on this machine, with their workers started in advance. The exit status is 1 if two workers
of Ray are
not 1.5 times as fast as one in the step apply.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from bench.nodes import ENVIRONMENT, start_nodes
from bench.reporting import make_console, make_parser
from examples.bigshop.make import make
from unweave.files import read_json
from unweave.pipeline.options import SiteOptions
from unweave.pipeline.run import run_site
from unweave.pipeline.run_folder import RunFolder
from unweave.runners.runner import Result, Runner, Task, make_runner

_MIN_SPEEDUP = 1.5
_RUNNERS = (("serial", 1), ("processes", 1), ("processes", 2), ("ray", 1), ("ray", 2))


@dataclass(frozen=True)
class Measured:
    """The time and the memory of a run."""

    pages: int
    seconds: dict[str, float]
    """The seconds of each step."""
    memory: float
    """The sum of the peaks of the driver and its workers, in MB."""
    cpu: float
    """The CPU seconds of the driver."""

    def compute_speed(self, *steps: str) -> float:
        """Return the pages per second in these steps, or in all."""
        return self.pages / sum(self.seconds[step] for step in steps or self.seconds)


def main() -> None:
    """Print the figures, and check the floor."""
    parser = make_parser(__doc__)
    parser.add_argument("sources", type=Path, nargs="*")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(asdict(_measure_run(**json.loads(arguments.measure)))))
        return
    measured: dict[tuple[str, int], list[Measured]] = {}
    with _prepare_sources(arguments.sources, arguments.pages) as source_lists:
        for name, workers in _RUNNERS:
            runs = [_measure_in_process(name, workers, sources) for sources in source_lists]
            measured[name, workers] = runs
    make_console().print(_build_grid(measured))
    two, one = (measured["ray", count][0].compute_speed("apply") for count in (2, 1))
    ratio = two / one
    if ratio < _MIN_SPEEDUP:
        sys.exit(f"below the floor: {ratio:.2f} < {_MIN_SPEEDUP}")


@contextmanager
def _prepare_sources(sources: Sequence[Path], pages: int) -> Iterator[list[list[Path]]]:
    """Yield the lists of sources of the runs: those given, or two generated shops."""
    if sources:
        yield [[source.absolute() for source in sources]]
        return
    with tempfile.TemporaryDirectory() as folder:
        shops = [Path(folder, str(count)) for count in (pages, 2 * pages)]
        for shop in shops:
            make(shop, int(shop.name))
        yield [[shop] for shop in shops]


def _build_grid(measured: dict[tuple[str, int], list[Measured]]) -> Table:
    grid = Table(title="Pages per second, and memory")
    for head in (
        "runner",
        "workers",
        "pages",
        "apply",
        "ratio to one",
        "whole run",
        "ratio to one",
        "memory, MB",
        "driver, CPU s",
    ):
        grid.add_column(head, justify="left" if head == "runner" else "right")
    for (name, workers), runs in measured.items():
        for run, single in zip(runs, measured[name, 1], strict=True):
            speeds: list[str] = []
            for steps in (("apply",), ()):
                speed = run.compute_speed(*steps)
                speeds += [f"{speed:.1f}", f"x {speed / single.compute_speed(*steps):.2f}"]
            grid.add_row(
                name,
                str(workers),
                f"{run.pages:,}",
                *speeds,
                f"{run.memory:,.0f}",
                f"{run.cpu:.1f}",
            )
    return grid


def _measure_in_process(name: str, workers: int, sources: list[Path]) -> Measured:
    """Measure a run in a new process, for its memory."""
    with tempfile.TemporaryDirectory() as folder, _start_cluster(name, workers) as address:
        parameters = {
            "name": name,
            "workers": workers,
            "address": address,
            "folder": folder,
            "sources": [*map(str, sources)],
        }
        command = [sys.executable, "-m", "bench.scale", "--measure", json.dumps(parameters)]
        completed = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env={**os.environ, **ENVIRONMENT}
        )
    return Measured(**json.loads(completed.stdout))


@contextmanager
def _start_cluster(name: str, workers: int) -> Iterator[str | None]:
    if name != "ray":
        yield None
        return
    with start_nodes(workers) as cluster:
        yield cluster.address


class _Clock:
    """A progress callback that adds up the seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._last, self._step = time.perf_counter(), ""

    def __call__(self, step: str, done: int = 0, total: int = 0) -> None:
        now = time.perf_counter()
        if self._step:
            self.seconds[self._step] += now - self._last
        self._last, self._step = now, step


def _measure_run(
    name: str, workers: int, address: str | None, folder: str, sources: list[str]
) -> Measured:
    with closing(make_runner(name, workers=workers, address=address)) as chosen:
        _measure_memory(chosen, workers)
        clock, before = _Clock(), time.process_time()
        options = SiteOptions(work=folder, until="apply")
        run_site(sources, f"{folder}/tables", options, runner=chosen, progress=clock)
        clock("")
        cpu = time.process_time() - before
        memory = _measure_memory(chosen, workers)
    pages = sum(read_json(RunFolder(folder).get_site_counts(1)).values())
    return Measured(pages, dict(clock.seconds), memory, cpu)


def _measure_memory(chosen: Runner, workers: int) -> float:
    """Return the sum of the peaks of all workers and of this process, in MB."""
    peaks = {os.getpid(): _read_peak({})["megabytes"]}
    for result in chosen.map(_read_peak, [{}] * workers * 2):
        peaks[result["process"]] = result["megabytes"]
    return float(sum(peaks.values()))


def _read_peak(task: Task) -> Result:
    import unweave.pipeline.run  # noqa: F401 - count its memory, too

    time.sleep(0.5)  # so that every worker gets a task
    line = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    return {"process": os.getpid(), "megabytes": int(line.split()[1]) / 1024}


if __name__ == "__main__":
    main()
