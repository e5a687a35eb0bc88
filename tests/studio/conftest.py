"""The studio as its users have it: a server on this machine, and a real browser that looks at it."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

from unweave.studio import server
from unweave.studio.state import open_studio


@dataclass
class Studio:
    """A studio that runs."""

    address: str

    @property
    def origin(self):
        return self.address.partition("/?")[0]

    @property
    def token(self):
        return self.address.partition("token=")[2]


@contextmanager
def running(source=None):
    """A studio with what is named on its command line, until it is needed no more."""
    with open_studio(source, allow_private=True) as state, server.run_in_thread(state) as address:
        yield Studio(address)


@pytest.fixture
def start():
    """Starts studios that a test has for itself."""
    with ExitStack() as stack:
        yield lambda source=None: stack.enter_context(running(source))


@pytest.fixture
def look(browser):
    """Opens a window on an address. Whatever the browser complains about, fails the test."""
    complaints = []
    contexts = []

    def open_window(address, *, width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        return page

    open_window.complaints = complaints
    yield open_window
    for context in contexts:
        context.close()
    assert complaints == []
