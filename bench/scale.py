"""How runs grow with workers and with pages: pages a second, and the memory of all processes at its peak.

    python -m bench.scale [SOURCE ...] [--pages 2000]

The sources are folders or archives; without any, a shop of our own making of so many pages, and another of twice as many.
One, two and two workers are measured one after the other: serial, processes, and a Ray cluster on this machine. They are
started before the clock is. The status is 1 if two workers of Ray do not apply what was learned 1.5 times as fast as one.
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

_FLOOR = 1.5
_KINDS = (("serial", 1), ("processes", 1), ("processes", 2), ("ray", 1), ("ray", 2))
_MOST_WORKERS = 2


@dataclass(frozen=True)
class Measured:
    """What a run took."""

    pages: int
    seconds: dict[str, float]
    """By step."""
    memory: float
    """Of the driver and its workers, each at its peak, in megabytes."""
    cpu: float
    """Seconds that the driver itself was busy."""

    def speed(self, *steps: str) -> float:
        """Pages a second of these steps, or of all."""
        return self.pages / sum(self.seconds[step] for step in steps or self.seconds)


def main() -> None:
    """Measure, print, compare."""
    parser = make_parser(__doc__)
    parser.add_argument("sources", type=Path, nargs="*")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(asdict(_run(**json.loads(arguments.one)))))
        return
    with _sets(arguments.sources, arguments.pages) as sets:
        found = {kind: [_apart(*kind, own) for own in sets] for kind in _KINDS}
    make_console().print(_grid(found))
    ratio = found["ray", 2][0].speed("apply") / found["ray", 1][0].speed("apply")
    if ratio < _FLOOR:
        sys.exit(f"below the floor: {ratio:.2f} < {_FLOOR}")


@contextmanager
def _sets(sources: Sequence[Path], pages: int) -> Iterator[list[list[Path]]]:
    """What is read: the sources; or a shop, and one of twice as many pages."""
    if sources:
        yield [[source.absolute() for source in sources]]
        return
    with tempfile.TemporaryDirectory() as folder:
        shops = [Path(folder, str(count)) for count in (pages, 2 * pages)]
        for shop in shops:
            make(shop, int(shop.name))
        yield [[shop] for shop in shops]


def _grid(found: dict[tuple[str, int], list[Measured]]) -> Table:
    grid = Table(title="Pages a second, and memory")
    for head in (
        "runner",
        "workers",
        "pages",
        "apply",
        "as one",
        "whole run",
        "as one",
        "memory, MB",
        "driver, CPU s",
    ):
        grid.add_column(head, justify="left" if head == "runner" else "right")
    for (name, workers), sizes in found.items():
        for own, one in zip(sizes, found[name, 1], strict=True):
            speeds = []
            for steps in (("apply",), ()):
                speeds += [
                    f"{own.speed(*steps):.1f}",
                    f"x {own.speed(*steps) / one.speed(*steps):.2f}",
                ]
            grid.add_row(
                name,
                str(workers),
                f"{own.pages:,}",
                *speeds,
                f"{own.memory:,.0f}",
                f"{own.cpu:.1f}",
            )
    return grid


def _apart(name: str, workers: int, sources: list[Path]) -> Measured:
    """Measure in a process of its own, so that its memory is its own."""
    with tempfile.TemporaryDirectory() as folder, _address(name, workers) as address:
        what = {
            "name": name,
            "workers": workers,
            "address": address,
            "folder": folder,
            "sources": [*map(str, sources)],
        }
        command = [sys.executable, "-m", "bench.scale", "--one", json.dumps(what)]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env={**os.environ, **ENVIRONMENT}
        )
    return Measured(**json.loads(done.stdout))


@contextmanager
def _address(name: str, workers: int) -> Iterator[str | None]:
    if name != "ray":
        yield None
        return
    with start_nodes(workers) as cluster:
        yield cluster.address


class _Clock:
    """Adds up the seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._last, self._step = time.perf_counter(), ""

    def __call__(self, step: str, done: int = 0, total: int = 0) -> None:
        now = time.perf_counter()
        if self._step:
            self.seconds[self._step] += now - self._last
        self._last, self._step = now, step


def _run(name: str, workers: int, address: str | None, folder: str, sources: list[str]) -> Measured:
    with closing(make_runner(name, workers=workers, address=address)) as chosen:
        _memory(chosen, workers)
        clock, before = _Clock(), time.process_time()
        options = SiteOptions(work=folder, until="apply")
        run_site(sources, f"{folder}/tables", options, runner=chosen, progress=clock)
        clock("")
        cpu = time.process_time() - before
        memory = _memory(chosen, workers)
    pages = sum(read_json(RunFolder(folder).get_site_counts(1)).values())
    return Measured(pages, dict(clock.seconds), memory, cpu)


def _memory(chosen: Runner, workers: int) -> float:
    """The peaks of all workers, and our own. It takes a while, so that every worker gets a turn."""
    peaks = {own["process"]: own["megabytes"] for own in chosen.map(_peak, [{}] * workers * 2)}
    return float(sum({**peaks, os.getpid(): _peak({})["megabytes"]}.values()))


def _peak(task: Task) -> Result:
    import unweave.pipeline.run  # noqa: F401 - what the work needs

    time.sleep(0.5)
    line = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    return {"process": os.getpid(), "megabytes": int(line.split()[1]) / 1024}


if __name__ == "__main__":
    main()
