"""The URLs of links and images: absolute where that is possible, and none that runs a program."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from unweave.page.page import Page

_LINK_SCHEMES = frozenset(["", "http", "https", "mailto", "tel", "ftp", "ftps"])
# URLs that need neither a base nor a check, which would take most of the time.
_WHOLE_URL = re.compile(
    r"https?://[a-zA-Z\d.-]+(?::\d+)?(?:/[^?#;]*)?(?:\?[^#;]+)?(?:#[^;]+)?", re.ASCII
)
_IMAGE_SCHEMES = frozenset(["", "http", "https"])
# Browsers ignore these around URLs, and the others also inside.
_AROUND_URLS = "".join(map(chr, [*range(0x21), 0x7F]))
_INSIDE_URLS = re.compile(r"[\t\r\n]")
_LAZY_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src", "data-url")
_PLACEHOLDER = re.compile(r"(?:^data:|blank|placeholder|spacer|pixel|transparent)", re.IGNORECASE)
_MAX_TRACKER_PIXELS = 2


def resolve_link(page: Page, url: str | None, *, is_image: bool = False) -> str | None:
    """Return the absolute URL of a link or image; None for one that runs a program or is empty."""
    cleaned = _INSIDE_URLS.sub("", (url or "").strip(_AROUND_URLS))
    if not cleaned:
        return None
    if _WHOLE_URL.fullmatch(cleaned):
        return cleaned
    try:
        resolved = urljoin(page.declared_base_url, cleaned)
        if _WHOLE_URL.fullmatch(resolved):
            return resolved
        scheme = urlsplit(resolved).scheme.casefold()
    except ValueError:
        return None
    return resolved if scheme in (_IMAGE_SCHEMES if is_image else _LINK_SCHEMES) else None


def find_image_url(page: Page, node: int) -> str | None:
    """Return the absolute URL of an image, also of one that is loaded by a script; else None."""
    for name in ("width", "height"):
        size = (page.get_attribute(node, name) or "").removesuffix("px")
        if size.isdecimal() and size.isascii() and int(size[:5]) <= _MAX_TRACKER_PIXELS:
            return None
    source = page.get_attribute(node, "src") or ""
    if not source or _PLACEHOLDER.search(source[:500]):
        lazy = list(filter(None, [page.get_attribute(node, name) for name in _LAZY_ATTRIBUTES]))
        sets = (page.get_attribute(node, "srcset"), page.get_attribute(node, "data-srcset"))
        lazy += [images.split()[0].strip(",") for images in sets if images and images.strip()]
        source = next((url for url in lazy if not url.startswith("data:")), source)
    return resolve_link(page, source, is_image=True)
