"""Runner: what distributes the tasks of a run to workers, and the runners by name.

A runner calls a function for each of many tasks. Functions and tasks are sent to other processes
and machines, so a function is defined at the top of a module, and a task and a result are plain
data. Large data goes through files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from unweave.errors import UsageError

Task = dict[str, Any]
Result = dict[str, Any]
TaskFunction = Callable[[Task], Result]

MAX_WORKER_DEATHS = 3
"""A task is given up when workers have died of it this many times."""

RUNNER_NAMES = ("processes", "serial", "ray")
"""The names of the runners; the first is the default."""


class Runner(Protocol):
    """Distributes tasks to workers."""

    def map(self, function: TaskFunction, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the results as they come, in any order.

        A task whose worker dies is tried again. An error of the function is raised.
        """

    def check_paths(self, paths: Sequence[Path]) -> None:
        """Raise UsageError unless every worker sees these files and folders as they are here."""

    def close(self) -> None:
        """Stop the workers."""


class SerialRunner:
    """Does one task after the other in this process."""

    def map(self, function: TaskFunction, tasks: Sequence[Task]) -> Iterator[Result]:
        """Return the results in order."""
        return map(function, tasks)

    def check_paths(self, paths: Sequence[Path]) -> None:
        """Do nothing: there is no other process."""

    def close(self) -> None:
        """Do nothing: there is no other process."""


def make_runner(
    name: str = RUNNER_NAMES[0], *, workers: int | None = None, address: str | None = None
) -> Runner:
    """Return a runner by name, with a number of workers, or on the Ray cluster at an address."""
    if name not in RUNNER_NAMES:
        raise UsageError(f"unknown runner {name!r}; choose from {', '.join(RUNNER_NAMES)}")
    if address is not None and name != "ray":
        raise UsageError("an address goes with the runner ray")
    if name == "serial":
        return SerialRunner()
    if name == "ray":
        from unweave.runners.ray_runner import RayRunner

        return RayRunner(address, workers)
    from unweave.runners.processes import ProcessRunner

    return ProcessRunner(workers)
