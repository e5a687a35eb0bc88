"""The network below HTTP: only addresses that may be reached, and only until a deadline."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import httpcore

from unweave.errors import FetchError, PrivateAddress
from unweave.fetching.public import is_public

Resolve = Callable[..., Iterable[tuple[Any, ...]]]
"""As ``socket.getaddrinfo``."""

Connect = Callable[[str, int, float], httpcore.NetworkStream]
"""Connects to an address and a port, within some seconds."""


def connect_to(address: str, port: int, seconds: float) -> httpcore.NetworkStream:
    """Connect to an address. It is no name, so nobody is asked where it leads."""
    return httpcore.SyncBackend().connect_tcp(address, port, timeout=seconds, socket_options=[])


class Deadline:
    """The moment by which everything must be done."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left; an error if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> FetchError:
        """What is said when it has passed."""
        return FetchError(f"no whole answer within {self._seconds:g} seconds")


class CheckedNetwork(httpcore.NetworkBackend):
    """Looks up where a name leads, and connects to the very address that was looked at.

    So it does not help to let the name lead elsewhere the next time somebody asks.
    """

    def __init__(self, deadline: Deadline, *, allow_private: bool, resolve: Resolve, connect: Connect) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._resolve = resolve
        self._connect = connect

    def connect_tcp(self, host: str, port: int, *_: object, **__: object) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that answers."""
        addresses = self._addresses(host, port)
        for number, address in enumerate(addresses):
            # The next one has a chance too if this one is silent.
            seconds = self._deadline.left() / (len(addresses) - number)
            try:
                return TimedStream(self._connect(address, port, seconds), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def _addresses(self, host: str, port: int) -> list[str]:
        addresses = self._looked_up(host, port)
        # One private address among public ones is enough. Such a name was made to lead inside, or it is one of a network's
        # own, and nobody here knows which of its addresses was meant.
        private = [] if self._allow_private else [address for address in addresses if not is_public(address)]
        if private:
            told = private[0] if private[0] == host else f"{host} leads to {private[0]}, which"
            raise PrivateAddress(
                f"{told} is a private address; to open it, give --allow-private, or allow_private=True of unweave.read"
            )
        return addresses

    def _looked_up(self, host: str, port: int) -> list[str]:
        """The addresses of a host, in the system's order. Nothing can end the system's search but itself: it is left."""
        answers: SimpleQueue[list[str] | Exception] = SimpleQueue()

        def ask() -> None:
            try:
                found = self._resolve(host, port, type=socket.SOCK_STREAM)
                answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
            except Exception as error:
                answers.put(error)

        Thread(target=ask, daemon=True).start()
        try:
            answer = answers.get(timeout=self._deadline.left())
        except Empty:
            raise self._deadline.passed() from None
        if isinstance(answer, Exception) or not answer:
            raise FetchError(f"the host {host} is not known") from None
        return answer


class TimedStream(httpcore.NetworkStream):
    """A connection that is cut off at the deadline, however busy it is: a limit for each read would let it drip on."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what is there."""
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all."""
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        """End the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Go on encrypted, with a server that proves its name."""
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return TimedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What is known about the connection."""
        return self._stream.get_extra_info(info)
