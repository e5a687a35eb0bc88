"""A Ray cluster of several nodes on one machine, for tests and measurements.

    python -m bench.nodes 1 1

starts a node for each number, with that many CPUs, prints their addresses as a line of JSON, and
stops them at the end of standard input. It needs the loopback interface only, and no host name.
"""

from __future__ import annotations

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

from bench.reporting import make_parser

_ROOT = Path(__file__).resolve().parents[1]

ENVIRONMENT = {
    # Otherwise Ray takes the address of the default route, and there may be none.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # A missing node is noticed after five periods, a slow one only after ten seconds.
    "RAY_health_check_period_ms": "500",
    # The resources of a driver that was killed are free again after this time.
    "RAY_DATA_AUTOSCALING_REQUEST_EXPIRE_TIME_S": "5",
    "RAY_DATA_MIN_GAP_BETWEEN_AUTOSCALING_REQUESTS": "1",
}
"""Settings of Ray, for the cluster and for processes that connect to it before they import Ray."""


@dataclass(frozen=True)
class Nodes:
    """A running cluster."""

    address: str
    raylets: tuple[int, ...]
    """The process of each node that starts its workers."""


@contextmanager
def start_nodes(*cpus: int) -> Iterator[Nodes]:
    """Start a node for each number, with that many CPUs, and stop them at the end."""
    # Paths of sockets must be short: the folder of a test would be too deep.
    folder = tempfile.mkdtemp(prefix="ray-")
    command = [sys.executable, "-m", "bench.nodes", *map(str, cpus)]
    environment = {**os.environ, **ENVIRONMENT, "RAY_TMPDIR": folder}
    pipe = subprocess.PIPE
    try:
        with subprocess.Popen(
            command, cwd=_ROOT, env=environment, stdin=pipe, stdout=pipe
        ) as process:
            info = json.loads(process.stdout.readline() if process.stdout else "")
            yield Nodes(info["address"], tuple(info["raylets"]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Start the nodes, print their addresses, and wait."""
    parser = make_parser(__doc__)
    parser.add_argument("cpus", type=int, nargs="+")
    cpus = parser.parse_args().cpus
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        # Without processes for monitoring: each takes a second to start.
        options = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
        started = [cluster.add_node(num_cpus=count, **options) for count in cpus]
        raylets = [node.all_processes["raylet"][0].process.pid for node in started]
        print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)
        sys.stdin.read()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
