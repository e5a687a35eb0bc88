import os

import pytest

from bench.nodes import ENVIRONMENT, start_nodes
from unweave.runners.processes import ProcessRunner
from unweave.runners.runner import SerialRunner, make_runner

# Before anything imports Ray.
os.environ.update(ENVIRONMENT)


@pytest.fixture(scope="package")
def cluster():
    """Two nodes with a CPU each. One test kills the second one; all others are content with one."""
    with start_nodes(1, 1) as started:
        yield started


@pytest.fixture(scope="package")
def on_ray(cluster):
    found = make_runner("ray", address=cluster.address)
    yield found
    found.close()


@pytest.fixture(scope="package")
def processes():
    found = ProcessRunner(2)
    yield found
    found.close()


@pytest.fixture(params=["serial", "processes", "on_ray"])
def any_runner(request):
    return SerialRunner() if request.param == "serial" else request.getfixturevalue(request.param)


@pytest.fixture(params=["processes", "on_ray"])
def parallel(request):
    return request.getfixturevalue(request.param)
