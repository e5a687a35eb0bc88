import pytest

from tests.sources.site import Site


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    """Connect to this machine without a proxy."""
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def site():
    with Site() as site:
        yield site


@pytest.fixture
def other_site():
    with Site() as site:
        yield site
