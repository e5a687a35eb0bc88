"""Processes that tests start, wait for and send signals to."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEADLINE = 120


@contextmanager
def start_module(*words, **options):
    """Start a Python module in a new session, and kill it at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition, process=None):
    """Wait until the condition holds; fail if the deadline passes or the process ends before."""
    end = time.monotonic() + DEADLINE
    while not (result := condition()):
        assert process is None or process.poll() is None, process.stderr.read()
        assert time.monotonic() < end, "the deadline has passed"
        time.sleep(0.01)
    return result


def try_open_fifo(fifo):
    """Return a descriptor for writing to a named pipe; None while nobody reads from it."""
    try:
        return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def is_alive(pid):
    """Tell whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
