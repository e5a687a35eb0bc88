"""The network layer below HTTP: public addresses only, and one deadline for everything."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import httpcore

from unweave.errors import FetchError, PrivateAddress

Resolve = Callable[..., Iterable[tuple[Any, ...]]]
"""A function like ``socket.getaddrinfo``."""

Connect = Callable[[str, int, float], httpcore.NetworkStream]
"""A function that connects to an IP address and a port within a number of seconds."""

_PUBLIC_IPV6 = IPv6Network("2000::/3")
"""All IPv6 addresses that have been allocated to anybody; the others have special purposes."""

# Addresses that ``is_global`` of Python lets through.
_BLOCKED_NETWORKS = [
    ip_network("192.0.0.0/24"),  # protocols; some clouds give secrets at 192.0.0.192
    ip_network("192.88.99.0/24"),  # relays from IPv6 to IPv4, deprecated
    ip_network("168.63.129.16/32"),  # the host of a virtual machine in one of the clouds
    ip_network("2001::/32"),  # Teredo: contains an IPv4 address
    ip_network("2002::/16"),  # 6to4: contains an IPv4 address; deprecated
    ip_network("3fff::/20"),  # documentation; newer than some versions of Python
]
# IPv4 addresses as networks with NAT64 give them to their machines.
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return whether an IP address, as a resolver gives it, is open to everybody.

    ``is_global`` of Python alone would let through several that lead to private networks, such as
    64:ff9b::7f00:1 for 127.0.0.1.
    """
    ip: IPv4Address | IPv6Address = ip_address(address)
    if isinstance(ip, IPv6Address):
        inner = IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in _NAT64 else ip.ipv4_mapped
        if inner is None and ip not in _PUBLIC_IPV6:
            return False
        ip = inner or ip
    is_blocked = any(ip in network for network in _BLOCKED_NETWORKS)
    return ip.is_global and not ip.is_multicast and not is_blocked


def connect_tcp(address: str, port: int, seconds: float) -> httpcore.NetworkStream:
    """Connect to an IP address, without a name lookup."""
    return httpcore.SyncBackend().connect_tcp(address, port, timeout=seconds, socket_options=[])


class Deadline:
    """The moment by which everything must be done."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def get_seconds_left(self) -> float:
        """Return the seconds until the deadline. Raises FetchError if it has passed."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.make_error()
        return left

    def make_error(self) -> FetchError:
        """Return the error for a deadline that has passed."""
        return FetchError(f"timed out after {self._seconds:g} seconds")


class CheckedNetwork(httpcore.NetworkBackend):
    """Resolve host names, refuse private addresses, and connect to the address that was checked.

    A name that resolves to another address the next time (DNS rebinding) has no effect.
    """

    def __init__(
        self, deadline: Deadline, *, allow_private: bool, resolve: Resolve, connect: Connect
    ) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._resolve = resolve
        self._connect = connect

    def connect_tcp(self, host: str, port: int, *_: object, **__: object) -> httpcore.NetworkStream:
        """Connect to the first address of the host that accepts a connection."""
        addresses = self._resolve_host(host, port)
        if not self._allow_private:
            _refuse_private(host, addresses)
        for number, address in enumerate(addresses):
            # An address that does not respond leaves time for the next ones.
            seconds = self._deadline.get_seconds_left() / (len(addresses) - number)
            try:
                return TimedStream(self._connect(address, port, seconds), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def _resolve_host(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, in the order of the system.

        A lookup cannot be cancelled. It runs in a thread that is abandoned at the deadline.
        """
        results: SimpleQueue[list[str] | Exception] = SimpleQueue()

        def look_up() -> None:
            try:
                entries = self._resolve(host, port, type=socket.SOCK_STREAM)
                results.put(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))
            except Exception as error:
                results.put(error)

        Thread(target=look_up, daemon=True).start()
        try:
            result = results.get(timeout=self._deadline.get_seconds_left())
        except Empty:
            raise self._deadline.make_error() from None
        if isinstance(result, Exception) or not result:
            raise FetchError(f"could not resolve host {host}") from None
        return result


def _refuse_private(host: str, addresses: Iterable[str]) -> None:
    """Raise PrivateAddress if any address of a host is private.

    One private address among public ones is enough: such a name was made to lead into a network, or
    belongs to one, and nobody here knows which of its addresses would be used.
    """
    for address in addresses:
        if not is_public(address):
            subject = address if address == host else f"{host} resolves to {address}, which"
            raise PrivateAddress(
                f"{subject} is a private address; to open it, give --allow-private,"
                " or allow_private=True of unweave.load_page"
            )


class TimedStream(httpcore.NetworkStream):
    """A connection that is closed at the deadline; a timeout for each read would let it drip on."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read the bytes that have arrived."""
        return self._stream.read(max_bytes, self._deadline.get_seconds_left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all bytes."""
        self._stream.write(buffer, self._deadline.get_seconds_left())

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Continue with TLS, after the server has proved its name."""
        seconds = self._deadline.get_seconds_left()
        stream = self._stream.start_tls(ssl_context, server_hostname, seconds)
        return TimedStream(stream, self._deadline)
