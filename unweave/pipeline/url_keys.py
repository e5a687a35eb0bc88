"""Addresses in one form, so that a link and the page that it leads to can be matched."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from unweave.sources.source import get_site

# What stays as it is in a path or a query; all else is written with per cent signs.
_SAFE = "!$&'()*+,;=:@/-._~?"


def address_of(url: str) -> str:
    """The address without what makes no difference: scheme, "www.", usual port, fragment, last slash, way of quoting."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    if parts.scheme not in ("http", "https", "file", ""):
        return url
    host = get_site(url)
    path = quote(unquote(parts.path), safe=_SAFE).rstrip("/")
    query = f"?{quote(unquote(parts.query), safe=_SAFE)}" if parts.query else ""
    return f"{host}{path}{query}"
