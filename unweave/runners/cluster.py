"""A cluster of machines, by Ray. All of them must see the files of the work, and have unweave installed."""

from __future__ import annotations

import json
import logging
import os
import pickle
import socket
import sys
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from unweave.errors import MissingExtra, UnweaveError, UsageError
from unweave.runners import nodes
from unweave.runners.runner import MOST_DEATHS, Result, Task, Work
from unweave.text_cleaning import replace_control_characters

_SECONDS_TO_CONNECT = 10
_LONGEST_LINE = 300
_SETTINGS = {
    # What raylets tell when a worker dies: Ray would write it to standard output, where results go.
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
    # So many seconds the share of a run that was killed is kept for it, and missing to the run that goes on.
    "RAY_DATA_AUTOSCALING_REQUEST_EXPIRE_TIME_S": "30",
}


class OnRay:
    """The tasks stream through Ray Data: it hands them out, keeps every core busy, and tries again where a worker dies.

    Whoever has connected to a cluster before keeps this connection; else there is a new one until ``close``.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        ray = _ray()
        self._workers = workers
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _connect(address or "auto")

    def map(self, work: Work, tasks: Sequence[Task]) -> Iterator[Result]:
        """The results as they come."""
        if not tasks:
            return
        with _quiet(), closing(self._answers(work, tasks)) as answers:
            for answer in answers:
                if isinstance(answer, UnweaveError):
                    raise answer
                yield answer

    def check(self, paths: Sequence[Path]) -> None:
        """Raise unless unweave is on every node, and these files and folders are there as they are here."""
        nodes.check(paths)

    def close(self) -> None:
        """Leave the cluster, if this is our connection."""
        if self._is_ours:
            _ray().shutdown()

    def _answers(
        self, work: Work, tasks: Sequence[Task]
    ) -> Generator[Result | UnweaveError, None, None]:
        with _unwarned():
            stream = self._stream(work, tasks)
        try:
            # Without a look ahead: else each result would be kept back until there is another.
            for batch in stream.iter_batches(
                batch_size=None, batch_format="pyarrow", prefetch_batches=0
            ):
                yield from map(pickle.loads, batch["answer"].to_pylist())
        except Exception as error:
            raise _in_a_line(error) from error

    def _stream(self, work: Work, tasks: Sequence[Task]) -> Any:
        import ray.data

        rows = ray.data.from_items(
            [{"task": json.dumps(task)} for task in tasks], override_num_blocks=len(tasks)
        )
        workers = ray.data.TaskPoolStrategy(self._workers and min(self._workers, len(tasks)))
        stream = rows.map(_Called(work), compute=workers, num_cpus=1, max_retries=MOST_DEATHS - 1)
        stream.context.enable_progress_bars = False
        # A single task may take longer than Ray Data would wait for the next result.
        stream.context.execution_no_progress_timeout_s = -1
        return stream


class _Called:
    """The work, as Ray Data calls it. Errors are answers as well: raised there, Ray would wrap and print them."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, row: dict[str, Any]) -> dict[str, bytes]:
        answer: Result | UnweaveError
        try:
            answer = self._work(json.loads(row["task"]))
        except UnweaveError as error:
            answer = error
        except Exception as error:
            answer = UnweaveError(f"a worker failed: {_line(f'{type(error).__name__}: {error}')}")
            answer.add_note(traceback.format_exc())
        return {"answer": pickle.dumps(answer)}


def _ray() -> Any:
    if "ray" not in sys.modules:  # it looks at these when it is imported
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("ray", "ray") from None
    return ray


def _connect(address: str) -> None:
    import ray

    try:
        _knock(address)
        with _unwarned():
            ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
    except (OSError, ValueError, RuntimeError, AssertionError) as error:
        where = "on this machine" if address == "auto" else f"at {address}"
        raise UsageError(
            f"there is no Ray cluster {where} that can be used: {_folded(error)}"
        ) from None


def _knock(address: str) -> None:
    """Is anybody there? Ray itself would try for minutes."""
    from ray._private.services import canonicalize_bootstrap_address

    if "://" in address:
        raise ValueError("an address is HOST:PORT, or auto")
    if found := canonicalize_bootstrap_address(address):
        host, _, port = found.rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_CONNECT).close()


@contextmanager
def _unwarned() -> Iterator[None]:
    """No warnings of what Ray will change one day."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    """No reports besides ours."""
    log = logging.getLogger("ray.data")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


def _in_a_line(error: Exception) -> UnweaveError:
    import ray

    deaths = (
        ray.exceptions.WorkerCrashedError,
        ray.exceptions.OutOfMemoryError,
        ray.exceptions.NodeDiedError,
    )
    if isinstance(error, deaths):
        return UnweaveError(
            f"a worker died {MOST_DEATHS} times: there may be too little memory on the nodes"
        )
    return UnweaveError(f"the cluster could not do the work: {_line(str(error))}")


def _folded(error: Exception) -> str:
    return replace_control_characters(
        " ".join(str(getattr(error, "strerror", None) or error).split())
    )[:_LONGEST_LINE]


def _line(text: str) -> str:
    """The last line of what was said: in a report of Ray it says what happened, and those before say where."""
    lines = [line for line in text.splitlines() if line.strip()]
    return (
        replace_control_characters(lines[-1].strip())[:_LONGEST_LINE]
        if lines
        else "nobody says why"
    )
