"""What gives a page its look: style sheets and pictures, from beside the page or from outside."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from turbohtml import Element

from unweave.errors import SourceError
from unweave.page.limits import Limits
from unweave.page.parse import read_file
from unweave.page.sniffing import normalize_charset

# What is given at once with a page: so many bytes of one, and so many of all.
MOST_BYTES = 4 * 1024 * 1024
MOST_OF_ALL = 24 * 1024 * 1024

_PICTURES = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
    b"\x00\x00\x01\x00": "image/x-icon",
}
_SVG_KIND = "image/svg+xml"
_OWN_PICTURE = re.compile(r"data:image/[a-z0-9.+-]+[;,]", re.IGNORECASE)
_SHEET_CHARSET = re.compile(rb'@charset "([\w-]+)";')


@dataclass(frozen=True, slots=True)
class Look:
    """A style sheet or a picture as it was read."""

    body: bytes
    charset: str | None = None


def is_sheet(element: Element) -> bool:
    """Does the element name a style sheet that counts?"""
    rel = element.attr("rel") if element.tag == "link" else None
    words = (rel if isinstance(rel, str) else " ".join(rel or ())).casefold().split()
    return "stylesheet" in words and "alternate" not in words and bool(sheet_of(element))


def sheet_of(element: Element) -> str:
    """The address of a style sheet."""
    return (element.attr("href") or "").strip()


def is_picture(element: Element) -> bool:
    """Is the element a picture?"""
    return element.tag == "img"


def picture_of(element: Element) -> str:
    """The address of a picture. Those that are loaded late by a script have it in another attribute."""
    address = (element.attr("src") or "").strip()
    late = (element.attr("data-src") or "").strip()
    return late if late and (not address or address.startswith("data:")) else address


def as_sheet(look: Look) -> str:
    """The text of a style sheet."""
    own = _SHEET_CHARSET.match(look.body)
    named = look.charset or (own[1].decode() if own else None)
    return look.body.decode((named and normalize_charset(named)) or "utf-8", errors="replace")


def as_picture(address: str, look: Look | None) -> str | None:
    """The picture as an address that holds it; None if it is not at hand, or no picture that browsers draw."""
    if _OWN_PICTURE.match(address):
        return address
    kind = _kind(look.body) if look else None
    return f"data:{kind};base64,{b64encode(look.body).decode()}" if look and kind else None


def _kind(body: bytes) -> str | None:
    """What kind of picture the bytes are, by how they begin: nobody is believed."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    if b"<svg" in body[:1000]:
        return _SVG_KIND
    return next((kind for start, kind in _PICTURES.items() if body.startswith(start)), None)


def beside(folder: Path, address: str, root: Path | None = None) -> Look | None:
    """What lies in a page's folder or below, under a relative address; never names that begin with a dot.

    Of a page of a site, it may lie anywhere below the folder of the site, ``root``, which is where a leading slash leads.
    """
    try:
        parts = urlsplit(address)
        is_rooted = parts.path.startswith("/")
        if parts.scheme or parts.netloc or not parts.path or (is_rooted and root is None):
            return None
        top = root or folder
        path = ((top if is_rooted else folder) / unquote(parts.path).lstrip("/")).resolve()
        inside = path.relative_to(top.resolve())
        if any(part.startswith(".") for part in inside.parts) or not path.is_file():
            return None
        body = read_file(path, limits=Limits(bytes=MOST_BYTES))
    except (ValueError, OSError, SourceError):
        return None
    return Look(body) if len(body) <= MOST_BYTES else None


def few(looks: Mapping[str, Look]) -> dict[str, Look]:
    """So many of them as are given at once, the first ones first."""
    found: dict[str, Look] = {}
    room = MOST_OF_ALL
    for address, look in looks.items():
        if len(look.body) <= room:
            found[address] = look
            room -= len(look.body)
    return found
