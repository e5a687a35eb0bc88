"""Addresses on the web: written in one way, told apart, and told from those that lead in circles."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

_SCHEMES = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+")
_LONGEST = 2_000
# Shops put a handful of filters into an address. Far more of them, or the same folder again and again, come from links that
# are added to the address they stand on, and there is no end of those.
_MOST_PARAMETERS = 12
_MOST_REPEATS = 3
# What tells visits apart, and not pages. Without cookies, old shops number every visit anew in all of their links.
_VISIT = re.compile(
    r"(?<=[?&])(utm_\w+|fbclid|gclid|phpsessid|jsessionid|aspsessionid\w*)=[^&]*&?", re.IGNORECASE
)
_VISIT_IN_PATH = re.compile(r";jsessionid=[^/?;]*", re.IGNORECASE)

# The pages of a site have most of their links in common.
_remembered = lru_cache(maxsize=20_000)


@_remembered
def normal(address: str, base: str = "") -> str | None:
    """The address in full, as it is asked for: without a fragment. None if it does not lead to the web."""
    from w3lib.url import safe_url_string

    try:
        # Long before it is too long to be asked for, it is too long to be looked at.
        parts = urlsplit(safe_url_string(urljoin(base, address[: _LONGEST * 2].strip())))
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    # A name and a password belong to one reader, and not into an archive.
    if (
        parts.scheme not in _SCHEMES
        or not host
        or not _HOST.fullmatch(host)
        or parts.username is not None
    ):
        return None
    shown = f"[{host}]" if ":" in host else host
    place = shown if port in (None, _SCHEMES[parts.scheme]) else f"{shown}:{port}"
    url = urlunsplit((parts.scheme, place, parts.path or "/", parts.query, ""))
    return url if len(url) <= _LONGEST else None


@_remembered
def key_of(url: str, *, exact: bool = False) -> int:
    """The same number for addresses of the same page: the order of parameters, and what numbers visits, do not count.

    ``exact`` lets the numbers of visits count: a redirect may do nothing but add one.
    """
    from w3lib.url import canonicalize_url

    told = url if exact else _VISIT_IN_PATH.sub("", _VISIT.sub("", url)).rstrip("?&")
    return int.from_bytes(blake2b(canonicalize_url(told).encode(), digest_size=8).digest(), "big")


@_remembered
def site_of(url: str) -> str:
    """The host of an address with its port, if that is not the usual one. A leading "www." does not count."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = (parts.hostname or "").removeprefix("www.")
    return host if parts.port in (None, _SCHEMES.get(parts.scheme)) else f"{host}:{parts.port}"


def leads_in_circles(url: str) -> bool:
    """Is it shaped like the addresses that have no end?"""
    parts = urlsplit(url)
    folders = Counter(filter(None, parts.path.split("/")))
    is_deep = max(folders.values(), default=0) > _MOST_REPEATS
    return is_deep or len(parse_qsl(parts.query, keep_blank_values=True)) > _MOST_PARAMETERS
