"""Several processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path

from unweave.errors import UnweaveError
from unweave.runners.runner import MOST_DEATHS, Result, Task, Work


class Processes:
    """A process a core, or as many as are asked for. They live until ``close``, so that they import what they need once.

    If one of them dies (killed, or out of memory), the tasks that were not done are given to new ones.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or cores()
        self._pool: ProcessPoolExecutor | None = None

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
        """Let the workers end what they are doing, and go."""
        pool, self._pool = self._pool, None
        if pool:
            pool.shutdown(wait=True, cancel_futures=True)

    def _until_death(self, work: Work, left: dict[int, Task], running: dict[Future[Result], int]) -> Iterator[Result]:
        """The results of what is left. Workers get a task when they are done with one, so that we know what is running."""
        waiting = iter(list(left.items()))
        try:
            while True:
                for number, task in islice(waiting, self._workers - len(running)):
                    running[self._started().submit(work, task)] = number
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    del left[running.pop(future)]
                    yield result
        finally:
            for future in running:
                future.cancel()

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Not forked: a fork of a process with threads, as notebooks and studios have, may never get to its work.
            self._pool = ProcessPoolExecutor(self._workers, get_context("spawn"), _at_start)
        return self._pool


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _at_start() -> None:
    """In a worker: end without a word at Ctrl-C, and when whoever gives the tasks is gone; else it would wait for ever."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
