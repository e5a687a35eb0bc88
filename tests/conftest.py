"""Settings of all tests: the profiles of hypothesis, signals, and the markers of slow tests."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from unweave.page.render import find_chromium

# Without deadlines: times depend on the machine. The examples are the same in every run, so that a
# failure is due to a change; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Under nohup SIGHUP is ignored, and in the background of a script SIGINT. The commands that tests
# start and end with these signals would inherit that.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The markers of tests that use a fixture, by the folder of the tests and the fixture.
_MARKERS_BY_FIXTURE = {
    ("studio", "browser"): "browser",
    ("sinks", "server"): "postgres",
    ("runners", "cluster"): "ray",
    ("runners", "on_ray"): "ray",
    # A crawl is a separate process that imports Scrapy, which takes a second.
    ("sources", "site"): "slow",
    ("sources", "crawled"): "slow",
    ("sources", "undisturbed"): "slow",
    ("selectors", "site"): "slow",
    ("pipeline", "shop"): "slow",
}
# The markers of single values of parametrized tests.
_MARKERS_BY_VALUE = {("runners", "on_ray"): "ray", ("runners", "ray"): "ray"}
_SLOW_FILES = {
    ("runners", "test_runs.py"),
    ("pipeline", "test_signals.py"),
    ("tests", "test_signals.py"),
    ("studio", "test_command.py"),
    ("studio", "test_schemas.py"),
    ("studio", "test_set_routes.py"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start a browser, PostgreSQL or Ray, or are slow."""
    for item in items:
        folder = item.path.parent.name
        names = getattr(item, "fixturenames", ())
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        markers = {_MARKERS_BY_FIXTURE.get((folder, name)) for name in names}
        markers |= {
            _MARKERS_BY_VALUE.get((folder, value)) for value in values if isinstance(value, str)
        }
        if (folder, item.path.name) in _SLOW_FILES:
            markers.add("slow")
        for marker in sorted(filter(None, markers)):
            item.add_marker(marker)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium for all tests of a process: Playwright can be started only once in each."""
    sync_api = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        yield browser
        browser.close()
