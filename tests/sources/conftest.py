import pytest

from tests.sources.site import Site


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    """Whatever this machine is set to: loopback is asked directly."""
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def site():
    with Site() as site:
        yield site


@pytest.fixture
def other():
    with Site() as site:
        yield site
