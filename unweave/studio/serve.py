"""Starting the studio: a free port of this machine, a new token, and the browser."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

import uvicorn
from fastapi import FastAPI

from unweave import api
from unweave.errors import UsageError
from unweave.studio.app import create
from unweave.studio.state import Desk

HOST = "127.0.0.1"


def listen(port: int = 0) -> socket.socket:
    """A socket on this machine alone; on a free port if none is named."""
    own = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        own.bind((HOST, port))
    except OSError as error:
        own.close()
        raise UsageError(f"cannot listen on port {port}: {error.strerror}") from None
    return own


def _warm_up() -> None:
    """Load what is loaded when it is first needed, so that the first page is as quick as the next."""
    rows = "".join(
        f"<li><b>thing {number}</b> <i>€{number}.50</i> <u>{number} May 2024</u>"
        for number in range(1, 6)
    )
    for table in api.records(f"<ul>{rows}</ul>"):
        table.parse_values()


def serve(desk: Desk, *, port: int = 0, ready: Callable[[str], None]) -> None:
    """Run the studio until it is interrupted. Its address, with the token, is told when it can be used."""
    with listen(port) as own, suppress(KeyboardInterrupt):
        address, server = _server(desk, own)
        server.when_ready(lambda: ready(address))
        Thread(target=_warm_up, name="unweave-warm-up", daemon=True).start()
        server.run(sockets=[own])


@contextmanager
def running(desk: Desk) -> Iterator[str]:
    """The studio in a thread of this process, for programs that use it. Gives its address, with the token."""
    with listen() as own:
        address, server = _server(desk, own)
        is_ready = Event()
        server.when_ready(is_ready.set)
        thread = Thread(target=server.run, kwargs={"sockets": [own]}, name="unweave-studio")
        thread.start()
        try:
            is_ready.wait()
            yield address
        finally:
            server.should_exit = True
            thread.join()


def _server(desk: Desk, own: socket.socket) -> tuple[str, _Server]:
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{own.getsockname()[1]}/?token={token}"
    return address, _Server(create(desk, token=token), desk.sets.close_all)


class _Server(uvicorn.Server):
    """Tells when it has begun to listen, and ends long work before it waits for the calls that wait for that."""

    def __init__(self, app: FastAPI, stop_work: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, lifespan="off"
            )
        )
        self._ready: Callable[[], None] = lambda: None
        self._stop_work = stop_work

    def when_ready(self, ready: Callable[[], None]) -> None:
        """What to call then."""
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and wait for the calls that are being answered."""
        self._stop_work()
        await super().shutdown(sockets)
