"""Start the studio: a socket on this machine, a new token, and a web server."""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

import uvicorn
from fastapi import FastAPI

from unweave import api
from unweave.errors import UsageError
from unweave.studio.app import create_app
from unweave.studio.state import StudioState

LOCALHOST = "127.0.0.1"

_log = logging.getLogger("unweave.studio")


def serve(
    state: StudioState,
    *,
    host: str = LOCALHOST,
    port: int = 0,
    on_ready: Callable[[str], None],
) -> None:
    """Run the studio until it is interrupted.

    ``on_ready`` is called with the URL, which includes the token, when the server listens. Whatever
    the address, requests are answered only under the names of this machine (``Guard``).
    """
    with listen(port, host) as listener, suppress(KeyboardInterrupt):
        url, token = _make_url(listener)
        server = _Server(state, token, lambda: on_ready(url))
        Thread(target=_warm_up, name="unweave-warm-up", daemon=True).start()
        server.run(sockets=[listener])


@contextmanager
def run_in_thread(state: StudioState) -> Iterator[str]:
    """Run the studio in a thread of this process and give its URL, which includes the token."""
    with listen() as listener:
        url, token = _make_url(listener)
        is_ready = Event()
        server = _Server(state, token, is_ready.set)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="unweave-studio")
        thread.start()
        try:
            is_ready.wait()
            yield url
        finally:
            server.should_exit = True
            thread.join()


def listen(port: int = 0, host: str = LOCALHOST) -> socket.socket:
    """Return a socket that listens on an IPv4 address of this machine; port 0 chooses a free port.

    On the default address, only this machine can connect to it.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        address = f"port {port}" if host == LOCALHOST else f"{host}:{port}"
        raise UsageError(f"cannot listen on {address}: {error.strerror}") from None
    return listener


def _make_url(listener: socket.socket) -> tuple[str, str]:
    """Return the URL of the studio and its new token."""
    token = secrets.token_urlsafe(24)
    return f"http://{LOCALHOST}:{listener.getsockname()[1]}/?token={token}", token


def _warm_up() -> None:
    """Import what is imported on first use, so that the first page is as fast as the next."""
    rows = "".join(
        f"<li><b>thing {number}</b> <i>€{number}.50</i> <u>{number} May 2024</u>"
        for number in range(1, 6)
    )
    for table in api.records(f"<ul>{rows}</ul>"):
        table.parse_values()


class _Server(uvicorn.Server):
    """A server that reports when it listens, and closes page sets before it waits for requests.

    Requests may wait for a page set to be learned.
    """

    def __init__(self, state: StudioState, token: str, on_ready: Callable[[], None]) -> None:
        app: FastAPI = create_app(state, token=token)
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, lifespan="off"
            )
        )
        self._state = state
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        if not self.should_exit:
            _log.info("the studio listens")
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop to listen, and wait for the requests that are being answered."""
        self._state.sets.close_all()
        await super().shutdown(sockets)
