"""Worker processes that run inputs one after the other, with limits on CPU time and memory.

The kernel ends a worker that uses too much CPU time (SIGXCPU), which works in compiled code, too. A
worker that does not answer for long is killed by its process id, and replaced.
"""

from __future__ import annotations

import re
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol

from fuzz.cases import Case
from fuzz.verbs import Broken
from unweave.errors import UnweaveError

_MIB = 1024 * 1024
_ROOT = f"{Path(__file__).resolve().parent.parent}/"
_SPAWN = get_context("spawn")
_POLL_SECONDS = 0.5
_MAX_TRACEBACK_LINES = 60
_SAYS_BUG = re.compile(r"\bbug\b", re.IGNORECASE)


class Cases(Protocol):
    """The source of the inputs. It is sent to the workers, so it must be picklable."""

    def build_case(self, number: int) -> Case:
        """Return the input of a number."""


Check = Callable[[Case], None]
"""Calls the verb of a case and raises if something is wrong. It is pickled, too."""


@dataclass(frozen=True)
class Bounds:
    """The limits of one input."""

    cpu_seconds: int = 10
    memory_mib: int = 1024
    wall_seconds: int = 120
    """For an input that waits; far above the CPU time, since other programs run, too."""


DEFAULT_BOUNDS = Bounds()


@dataclass(frozen=True)
class Failure:
    """What went wrong. Failures with the same reason and location are the same fault."""

    reason: str
    location: str = ""
    details: str = ""

    @property
    def signature(self) -> str:
        """The reason and the location."""
        return f"{self.reason} {self.location}".strip()


@dataclass(frozen=True)
class Result:
    """The result of one input."""

    task: int | Case
    verb: str
    cpu_seconds: float = 0.0
    peak_mib: float = 0.0
    """The largest memory of the worker so far."""
    refusal: str = ""
    """The name of unweave's error, if it refused the input."""
    failure: Failure | None = None


# ---- in the worker -------------------------------------------------------------------------------


def run_case(case: Case, check: Check) -> tuple[str, Failure | None]:
    """Run one input; return the name of unweave's error if it was refused, and what failed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check(case)
        except Broken as broken:
            return "", Failure(broken.reason, details=broken.details)
        except UnweaveError as error:
            if not _SAYS_BUG.search(str(error)):
                return type(error).__name__, None
            return "", Failure("an error that says bug", _find_location(error), str(error))
        except MemoryError:
            return "", Failure("too much memory", details=_traceback())
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return "", Failure(type(error).__name__, _find_location(error), _traceback())
    for warning in caught:
        if _SAYS_BUG.search(str(warning.message)):
            return "", Failure(
                "a warning that says bug",
                f"{warning.filename}:{warning.lineno}",
                str(warning.message),
            )
    return "", None


def _find_location(error: BaseException) -> str:
    """Return the innermost line of the project that an exception came through."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(_ROOT)
    ]
    frames = [frame for frame in frames if "/.venv/" not in frame.filename]
    return f"{frames[-1].filename.removeprefix(_ROOT)}:{frames[-1].lineno}" if frames else ""


def _traceback() -> str:
    return "".join(traceback.format_exc().splitlines(keepends=True)[-_MAX_TRACEBACK_LINES:])


def _work(connection: Connection, cases: Cases, check: Check, bounds: Bounds, folder: str) -> None:
    """Answer every task, a number or a case, with a result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the workers
    tempfile.tempdir = folder
    _set_limit(
        resource.RLIMIT_DATA, 2 * bounds.memory_mib * _MIB
    )  # no input fills the memory of the machine
    connection.send("ready")
    while True:
        task = connection.recv()
        case = cases.build_case(task) if isinstance(task, int) else task
        before = time.process_time()
        _set_limit(resource.RLIMIT_CPU, int(before) + bounds.cpu_seconds + 1)
        refusal, failure = run_case(case, check)
        seconds = time.process_time() - before
        peak = _peak_memory_mib()
        if peak > bounds.memory_mib:
            failure = failure or Failure("too much memory", details=f"{peak:.0f} MiB")
        if seconds > bounds.cpu_seconds:
            failure = failure or Failure("too much processor time", details=f"{seconds:.1f} s")
        connection.send(Result(task, case.verb, seconds, peak, refusal, failure))


def _peak_memory_mib() -> float:
    """Return the peak memory of this process; ``ru_maxrss`` would include that of its parent."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _set_limit(resource_id: int, value: int) -> None:
    _, hard = resource.getrlimit(resource_id)
    resource.setrlimit(resource_id, (value, hard))


# ---- outside -------------------------------------------------------------------------------------


class Worker:
    """A process that runs inputs, seen from outside."""

    def __init__(self, cases: Cases, check: Check, bounds: Bounds, folder: str) -> None:
        self._arguments = (cases, check, bounds, folder)
        self._cases = cases
        self._bounds = bounds
        self._task: int | Case = 0
        self._begin()

    def _begin(self) -> None:
        self.connection, worker_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(
            target=_work, args=(worker_end, *self._arguments), daemon=True
        )
        self._process.start()
        worker_end.close()
        self.connection.recv()  # the time of imports does not count for the first input

    def start(self, task: int | Case) -> None:
        """Give the worker an input, by its number or itself; it is not waited for."""
        self._task = task
        self._since = time.monotonic()
        self.connection.send(task)

    def poll(self) -> Result | None:
        """Return the result of the input, or None; a worker that has died or hangs is replaced."""
        if not self.connection.poll():
            if time.monotonic() - self._since <= self._bounds.wall_seconds:
                return None
            return self._replaced(
                Failure("no answer", details=f"nothing for {self._bounds.wall_seconds} s")
            )
        try:
            result: Result = self.connection.recv()
        except EOFError:
            return self._replaced(None)
        if result.peak_mib > self._bounds.memory_mib:
            self._replaced(result.failure)  # the peak would count against every further input
        return result

    def run(self, case: Case) -> Result:
        """Run one input and wait for its result."""
        self.start(case)
        while (result := self.poll()) is None:
            self.connection.poll(_POLL_SECONDS)
        return result

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _replaced(self, failure: Failure | None) -> Result:
        """Begin a new process, and say what the old one has died of if it is not known."""
        if failure is None:
            self._process.join()
            failure = self._cause_of_death()
        self.end()
        self._begin()
        case = self._cases.build_case(self._task) if isinstance(self._task, int) else self._task
        return Result(self._task, case.verb, failure=failure)

    def _cause_of_death(self) -> Failure:
        code = self._process.exitcode or 0
        if code == -signal.SIGXCPU:
            return Failure(
                "too much processor time", details=f"more than {self._bounds.cpu_seconds} s"
            )
        return Failure(
            "the process died",
            details=signal.Signals(-code).name if code < 0 else f"exit status {code}",
        )


def run_numbers(workers: list[Worker], numbers: Iterable[int]) -> Iterator[Result | None]:
    """Run the inputs of these numbers; yield results as they come, and None while there is none."""
    waiting = iter(numbers)
    busy: set[Worker] = set()
    for worker in workers:
        if (number := next(waiting, None)) is not None:
            worker.start(number)
            busy.add(worker)
    while busy:
        wait([worker.connection for worker in busy], timeout=_POLL_SECONDS)
        yield None
        for worker in list(busy):
            if (result := worker.poll()) is None:
                continue
            busy.remove(worker)
            if (number := next(waiting, None)) is not None:
                worker.start(number)
                busy.add(worker)
            yield result
