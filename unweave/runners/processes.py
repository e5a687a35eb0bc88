"""Run tasks in several processes on this machine."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from unweave.errors import UnweaveError
from unweave.runners.runner import MAX_WORKER_DEATHS, Result, Task, TaskFunction

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

_log = logging.getLogger("unweave.runners")


class ProcessRunner:
    """Does tasks in processes: as many as there are cores, unless ``workers`` is given.

    The processes run until ``close``, so that they import what they need once. If one of them dies
    (killed, or out of memory), the unfinished tasks are given to new ones. They end when this
    process ends, however that happens: each waits for the end of a pipe that nobody else writes to.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or count_cores()
        self._pool: ProcessPoolExecutor | None = None
        self._pipe: tuple[Connection, Connection] | None = None
        self._unfinished: set[Future[Result]] = set()

    def map(self, function: TaskFunction, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the results as they come."""
        remaining = dict(enumerate(tasks))
        deaths: Counter[int] = Counter()
        while remaining:
            running: dict[Future[Result], int] = {}
            try:
                yield from self._map_until_death(function, remaining, running)
            except BrokenProcessPool:
                self.close()
                # It is not known which of the workers died, so all running tasks count.
                deaths.update(running.values())
                _log.warning("a worker died; %d tasks are tried again", len(running))
                if max(deaths.values(), default=0) >= MAX_WORKER_DEATHS:
                    raise UnweaveError(
                        f"a worker died {MAX_WORKER_DEATHS} times:"
                        " there may be too little memory; try fewer --workers"
                    ) from None

    def check_paths(self, paths: Sequence[Path]) -> None:
        """Do nothing: workers on this machine see the same files."""

    def close(self) -> None:
        """End the workers. Tasks that they have not finished are given up."""
        pool, self._pool = self._pool, None
        pipe, self._pipe = self._pipe, None
        if pool is None or pipe is None:
            return
        reader, writer = pipe
        if self._unfinished:
            writer.close()
        pool.shutdown(wait=True, cancel_futures=True)
        writer.close()
        reader.close()
        self._unfinished.clear()

    def _map_until_death(
        self,
        function: TaskFunction,
        remaining: dict[int, Task],
        running: dict[Future[Result], int],
    ) -> Iterator[Result]:
        """Yield the results of the remaining tasks, and remove these; raises BrokenProcessPool.

        A worker gets a task only when it has finished another, so that it is known what is running.
        """
        waiting = iter(list(remaining.items()))
        try:
            while True:
                for number, task in islice(waiting, self._workers - len(running)):
                    running[self._submit(function, task)] = number
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    del remaining[running.pop(future)]
                    yield result
        finally:
            for future in running:
                future.cancel()

    def _submit(self, function: TaskFunction, task: Task) -> Future[Result]:
        with _block_signals():
            if self._pool is None:
                # Not forked: a fork of a process with threads, as in notebooks, may deadlock.
                context = get_context("spawn")
                self._pipe = context.Pipe(duplex=False)
                self._pool = ProcessPoolExecutor(
                    self._workers, context, prepare_worker, (self._pipe[0],)
                )
        # Again: multiprocessing unblocks the signals when it starts the first worker.
        with _block_signals():
            future = self._pool.submit(function, task)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future


@contextmanager
def _block_signals() -> Iterator[None]:
    """Start processes that get no signal before they are ready: they would print a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prepare_worker(pipe: Connection) -> None:
    """Make this process, a worker, end silently at Ctrl-C, and when its parent closes the pipe."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    threading.Thread(target=_end_with_pipe, args=(pipe,), daemon=True).start()


def _end_with_pipe(pipe: Connection) -> None:
    with suppress(EOFError, OSError):
        pipe.recv_bytes()
    os._exit(1)
