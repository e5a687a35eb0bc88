"""What a runner is, and the runners by name.

A runner calls a function for each of many tasks. Functions and tasks travel between processes and machines, so a function
stands at the top of a module, and a task and a result are plain data. Whatever is large goes through files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from unweave.errors import UsageError

Task = dict[str, Any]
Result = dict[str, Any]
Work = Callable[[Task], Result]

MOST_DEATHS = 3
"""Work whose worker dies so often is given up."""


class Runner(Protocol):
    """Does many tasks."""

    def map(self, work: Work, tasks: Sequence[Task]) -> Iterator[Result]:
        """The results as they come, in any order. A worker that dies costs a retry; an error of the work ends it all."""

    def check(self, paths: Sequence[Path]) -> None:
        """Raise unless every worker sees these files and folders as they are here."""

    def close(self) -> None:
        """Let the workers go."""


class Serial:
    """One task after the other, here."""

    def map(self, work: Work, tasks: Sequence[Task]) -> Iterator[Result]:
        """The results in order."""
        return map(work, tasks)

    def check(self, paths: Sequence[Path]) -> None:
        """Nobody else works."""

    def close(self) -> None:
        """Nobody else works."""


NAMES = ("processes", "serial", "ray")
"""The runners; the first is what users get who name none."""


def runner(
    name: str = NAMES[0], *, workers: int | None = None, address: str | None = None
) -> Runner:
    """The runner of this name, with so many workers, or on the cluster at this address."""
    if name not in NAMES:
        raise UsageError(f"unknown runner {name!r}; there are {', '.join(NAMES)}")
    if address is not None and name != "ray":
        raise UsageError("an address goes with the runner ray")
    if name == "serial":
        return Serial()
    if name == "ray":
        from unweave.runners.cluster import OnRay

        return OnRay(address, workers)
    from unweave.runners.processes import Processes

    return Processes(workers)
