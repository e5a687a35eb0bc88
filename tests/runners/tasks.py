"""Functions for runners: at the top of a module, as all functions for workers."""

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


def raise_source_error(task):
    raise SourceError(f"{task['number']}: no such page")


def raise_missing_extra(task):
    raise MissingExtra("fastwarc", "warc")


def raise_key_error(task):
    return {"value": {}["no such key"]}


def wait_for_previous(task):
    """Wait until the result of the previous task has been received."""
    if task["number"]:
        wait_for(Path(task["folder"], f"seen-{task['number'] - 1}").exists)
    return task


def die_once(task):
    """Kill the worker at the first try of the last task."""
    tried = Path(task["folder"], "tried")
    if task["number"] == task["last"] and not tried.exists():
        tried.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(task)


def die_always(task):
    Path(task["folder"], f"tried-{os.getpid()}").touch()
    os.kill(os.getpid(), signal.SIGKILL)


def hold_lock(task):
    """Never return. The lock is released when the worker is dead."""
    with Path(task["folder"], f"lock-{task['number']}").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        Path(task["folder"], f"held-{task['number']}").touch()
        time.sleep(DEADLINE)
    return task


def hold_on_node(victim, markers, function, task):
    """Stop within the shard on one node; on the others, wait for that."""
    if os.getppid() == victim:
        apply._apply_to_page = _first_page_only(
            Path(markers, str(os.getpid())), apply._apply_to_page
        )
    else:
        wait_for(lambda: any(Path(markers).iterdir()))
    return function(task)


def _first_page_only(marker, apply_to_page):
    seen = []

    def counted(fetched, *arguments):
        if seen:
            marker.touch()
            time.sleep(DEADLINE)
        seen.append(fetched)
        apply_to_page(fetched, *arguments)

    return counted


def wait_for(condition):
    """Wait until a condition holds. Raises TimeoutError after the deadline."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)
