"""Several processes on this machine."""

from __future__ import annotations

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
from unweave.runners.runner import MOST_DEATHS, Result, Task, Work


class Processes:
    """A process a core, or as many as are asked for. They live until ``close``, so that they import what they need once.

    If one of them dies (killed, or out of memory), the tasks that were not done are given to new ones. They end when this
    process ends, however that happens: each waits for the end of a pipe that nobody else writes to.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or cores()
        self._pool: ProcessPoolExecutor | None = None
        self._pipe: tuple[Connection, Connection] | None = None
        self._unfinished: set[Future[Result]] = set()

    def map(self, work: Work, tasks: Sequence[Task]) -> Iterator[Result]:
        """The results as they come."""
        left = dict(enumerate(tasks))
        deaths: Counter[int] = Counter()
        while left:
            running: dict[Future[Result], int] = {}
            try:
                yield from self._until_death(work, left, running)
            except BrokenProcessPool:
                self.close()
                # Nobody says which of the workers died, so all that they were doing is under suspicion.
                deaths.update(running.values())
                if max(deaths.values(), default=0) >= MOST_DEATHS:
                    raise UnweaveError(
                        f"a worker died {MOST_DEATHS} times: there may be too little memory; try fewer --workers"
                    ) from None

    def check(self, paths: Sequence[Path]) -> None:
        """Workers on this machine see what is here."""

    def close(self) -> None:
        """End the workers. What they are still doing is given up: nobody waits for it any more."""
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

    def _until_death(
        self, work: Work, left: dict[int, Task], running: dict[Future[Result], int]
    ) -> Iterator[Result]:
        """The results of what is left. Workers get a task when they are done with one, so that we know what is running."""
        waiting = iter(list(left.items()))
        try:
            while True:
                for number, task in islice(waiting, self._workers - len(running)):
                    running[self._submit(work, task)] = number
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    del left[running.pop(future)]
                    yield result
        finally:
            for future in running:
                future.cancel()

    def _submit(self, work: Work, task: Task) -> Future[Result]:
        """Give a task to a worker; start the worker if there are fewer than there may be."""
        with _signals_blocked():
            if self._pool is None:
                # Not forked: a fork of a process with threads, as notebooks and studios have, may never get to its work.
                context = get_context("spawn")
                self._pipe = context.Pipe(duplex=False)
                self._pool = ProcessPoolExecutor(
                    self._workers, context, prepare_worker, (self._pipe[0],)
                )
        # Once more: to start the first worker, multiprocessing has let signals through again.
        with _signals_blocked():
            future = self._pool.submit(work, task)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future


_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Start processes that get no signal before they are ready for it: until then they would print a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prepare_worker(pipe: Connection) -> None:
    """Make this process, a worker, end silently at Ctrl-C, and when its parent has closed the other end of the pipe."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    threading.Thread(target=_end_with_pipe, args=(pipe,), daemon=True).start()


def _end_with_pipe(pipe: Connection) -> None:
    with suppress(EOFError, OSError):
        pipe.recv_bytes()
    os._exit(1)
