"""What holds for all tests: the examples of hypothesis, and the markers of what tests need."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine, and nothing of the code. The examples are the same every time, so
# that a change is judged by what it changes; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))

# Under nohup hangups are ignored, also by the commands that tests start and end with one.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Fixtures that start something or take long, by the folder of the tests, with the marker of the tests that use them.
_MARKERS_BY_FIXTURE = {
    ("studio", "browser"): "browser",
    ("sinks", "server"): "postgres",
    ("runners", "cluster"): "ray",
    ("runners", "on_ray"): "ray",
    # A crawl is a process of its own that imports Scrapy, which takes a second.
    ("sources", "site"): "slow",
    ("sources", "crawled"): "slow",
    ("sources", "undisturbed"): "slow",
    ("exports", "site"): "slow",
    ("site", "shop"): "slow",
}
# Parametrized tests start it for some of their values only.
_MARKERS_BY_VALUE = {("runners", "on_ray"): "ray", ("runners", "ray"): "ray"}
_SLOW_FILES = {
    ("runners", "test_runs.py"),
    ("site", "test_signals.py"),
    ("tests", "test_signals.py"),
    ("studio", "test_command.py"),
    ("studio", "test_schemas.py"),
    ("studio", "test_set_routes.py"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start a browser, PostgreSQL or Ray, or take long, by their fixtures and files."""
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
