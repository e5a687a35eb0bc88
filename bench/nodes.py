"""A Ray cluster of several nodes on this machine, for tests and measurements: each is a raylet with workers of its own.

    python -m bench.nodes 1 1

starts a node for each number, with so many CPUs, says where they are in a line of JSON, and stops them when its input ends.
It needs nothing but the loopback, and no name of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]

ENVIRONMENT = {
    # Else Ray takes the address by which the machine would reach the world, and there may be none.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # A node that is gone is noticed after five of these, one that is slow only after ten seconds.
    "RAY_health_check_period_ms": "500",
    # What a driver that was killed had of the cluster is free again after so many seconds.
    "RAY_DATA_AUTOSCALING_REQUEST_EXPIRE_TIME_S": "5",
    "RAY_DATA_MIN_GAP_BETWEEN_AUTOSCALING_REQUESTS": "1",
}
"""What Ray is told in the processes of the cluster, and must be told in those that connect to it, before they import it."""


@dataclass(frozen=True)
class Nodes:
    """A cluster that runs."""

    address: str
    raylets: tuple[int, ...]
    """The process of each node that starts its workers."""


@contextmanager
def nodes(*cpus: int) -> Iterator[Nodes]:
    """Start a node for each number, with so many CPUs, and stop them in the end."""
    # Sockets have short paths: the folder of a test would be too deep.
    folder = tempfile.mkdtemp(prefix="ray-")
    command = [sys.executable, "-m", "bench.nodes", *map(str, cpus)]
    environment = {**os.environ, **ENVIRONMENT, "RAY_TMPDIR": folder}
    pipe = subprocess.PIPE
    try:
        with subprocess.Popen(
            command, cwd=_ROOT, env=environment, stdin=pipe, stdout=pipe
        ) as process:
            told = json.loads(process.stdout.readline() if process.stdout else "")
            yield Nodes(told["address"], tuple(told["raylets"]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Start the nodes, say where they are, and wait."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cpus", type=int, nargs="+")
    cpus = parser.parse_args().cpus
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        # Without what only watches: every process takes a second to start.
        bare = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
        started = [cluster.add_node(num_cpus=count, **bare) for count in cpus]
        raylets = [node.all_processes["raylet"][0].process.pid for node in started]
        print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)
        sys.stdin.read()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
