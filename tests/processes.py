"""Programs that tests start, wait for and send signals to."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEADLINE = 120


@contextmanager
def running(*words, **options):
    """Run a module of Python in a session of its own, and end it at last."""
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
    while not (found := condition()):
        assert process is None or process.poll() is None, process.stderr.read()
        assert time.monotonic() < end, "the deadline has passed"
        time.sleep(0.01)
    return found


def opened_by_reader(fifo):
    """The descriptor of a named pipe, as soon as somebody reads from it; None before."""
    try:
        return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def is_alive(pid):
    """Does the process run? One that has ended and waits for its parent to notice does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
