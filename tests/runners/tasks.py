"""What runners are given to do in the tests: functions at the top of a module, as all work is."""

import fcntl
import os
import signal
import time
from pathlib import Path

from unweave.errors import MissingExtra, SourceError
from unweave.pipeline import apply

DEADLINE = 60


def square(task):
    return {"number": task["number"], "square": task["number"] ** 2, "text": "é\n"}


def no_such_page(task):
    raise SourceError(f"{task['number']}: no such page")


def missing_extra(task):
    raise MissingExtra("fastwarc", "warc")


def bug(task):
    return {"value": {}["no such key"]}


def after_the_one_before(task):
    """Can be done only when whoever wants the results has seen that of the task before."""
    if task["number"]:
        wait_for(Path(task["folder"], f"seen-{task['number'] - 1}").exists)
    return task


def dies_once(task):
    """The last task kills its worker when it is tried for the first time."""
    tried = Path(task["folder"], "tried")
    if task["number"] == task["last"] and not tried.exists():
        tried.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(task)


def always_dies(task):
    Path(task["folder"], f"tried-{os.getpid()}").touch()
    os.kill(os.getpid(), signal.SIGKILL)


def holds_a_lock(task):
    """Is never done. The lock is free when the worker is dead."""
    with Path(task["folder"], f"lock-{task['number']}").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        Path(task["folder"], f"held-{task['number']}").touch()
        time.sleep(DEADLINE)
    return task


def held_on(victim, markers, work, task):
    """On one node this work stops in the middle, and all others wait for that."""
    if os.getppid() == victim:
        apply._apply_to_page = _first_page_only(
            Path(markers, str(os.getpid())), apply._apply_to_page
        )
    else:
        wait_for(lambda: any(Path(markers).iterdir()))
    return work(task)


def _first_page_only(marker, page):
    seen = []

    def counted(fetched, templates, writer):
        if seen:
            marker.touch()
            time.sleep(DEADLINE)
        seen.append(fetched)
        page(fetched, templates, writer)

    return counted


def wait_for(condition):
    """Until it holds, or the deadline has passed."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)
