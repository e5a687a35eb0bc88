"""Which addresses of the internet are open to everybody. All others belong to somebody's own machine or network.

Python's ``is_global`` alone would let several through that lead inside, such as 64:ff9b::7f00:1 for 127.0.0.1.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

_ALLOCATED = IPv6Network("2000::/3")
"""All of IPv6 that has been given to anybody, so far. Whatever else there is, is for purposes of its own."""

_NOT_OPEN = [
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # for protocols; some clouds tell secrets at 192.0.0.192. Older Pythons call most of it global
        "192.88.99.0/24",  # relays from IPv6 to IPv4, given up
        "168.63.129.16/32",  # looks like any other, and is the host below a machine in one of the clouds
        "2001::/32",  # Teredo: holds an IPv4 address
        "2002::/16",  # 6to4: holds an IPv4 address; given up
        "3fff::/20",  # for examples; newer than some Pythons
    )
]
# An IPv4 address as IPv6 writes it, and as networks without IPv4 give it to their machines, for every host there is.
_TRANSLATED = IPv6Network("64:ff9b::/96")
_LAST_WORD = 0xFFFF_FFFF


def is_public(text: str) -> bool:
    """Is an address, as a resolver gives it, open to everybody?"""
    address = ip_address(text)
    if isinstance(address, IPv6Address):
        inner = _translated(address)
        if inner is None and address not in _ALLOCATED:
            return False
        address = inner or address
    return address.is_global and not address.is_multicast and not any(address in network for network in _NOT_OPEN)


def _translated(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that it stands for."""
    return IPv4Address(int(address) & _LAST_WORD) if address in _TRANSLATED else address.ipv4_mapped
