import os

import pytest

from bench.nodes import ENVIRONMENT, start_nodes
from unweave.runners.processes import ProcessRunner
from unweave.runners.runner import SerialRunner, make_runner

# Before anything imports Ray.
os.environ.update(ENVIRONMENT)


@pytest.fixture(scope="package")
def cluster():
    """Start two nodes with a CPU each. One test kills the second; all others need one."""
    with start_nodes(1, 1) as started:
        yield started


@pytest.fixture(scope="package")
def on_ray(cluster):
    runner = make_runner("ray", address=cluster.address)
    yield runner
    runner.close()


@pytest.fixture(scope="package")
def processes():
    runner = ProcessRunner(2)
    yield runner
    runner.close()


@pytest.fixture(params=["serial", "processes", "on_ray"])
def any_runner(request):
    return SerialRunner() if request.param == "serial" else request.getfixturevalue(request.param)


@pytest.fixture(params=["processes", "on_ray"])
def parallel(request):
    return request.getfixturevalue(request.param)
