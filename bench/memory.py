"""The memory of a process and its descendants."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

_INTERVAL_SECONDS = 0.5


def measure_peak(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process, and return the peak memory of it and its descendants, in MB."""
    peak = 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_INTERVAL_SECONDS)
            return peak
        peak = max(peak, measure_resident(process.pid))


def measure_resident(root: int) -> float:
    """Return the memory of a process and its descendants in MB; shared memory counts for each."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            start, rest = path.read_text().rsplit(")", 1)
            children[int(rest.split()[1])].append(int(start.split(" ", 1)[0]))
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        waiting += children[process]
        with suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf(
                "SC_PAGE_SIZE"
            )
    return total / 1e6
