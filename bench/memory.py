"""The memory of a process and all that it has started."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

_SECONDS = 0.5


def peak_of(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process, and give the most megabytes that it and its children had resident together."""
    most = 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS)
            return most
        most = max(most, resident(process.pid))


def resident(root: int) -> float:
    """The megabytes that a process and its descendants have to themselves: what they share is counted once each."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            own, rest = path.read_text().rsplit(")", 1)
            children[int(rest.split()[1])].append(int(own.split(" ", 1)[0]))
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        waiting += children[process]
        with suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf(
                "SC_PAGE_SIZE"
            )
    return total / 1e6
