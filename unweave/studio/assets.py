"""Style sheets and images of a page: local files beside it, or fetched."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from turbohtml import Element

from unweave.errors import SourceError
from unweave.page.limits import MIB, Limits
from unweave.page.parse import read_file
from unweave.page.sniffing import normalize_charset

MAX_ASSET_BYTES = 4 * MIB
MAX_TOTAL_BYTES = 24 * MIB
"""For all style sheets and images of a page."""

_IMAGE_TYPES = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
    b"\x00\x00\x01\x00": "image/x-icon",
}
_IMAGE_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]+[;,]", re.IGNORECASE)
_CSS_CHARSET = re.compile(rb'@charset "([\w-]+)";')


@dataclass(frozen=True, slots=True)
class Asset:
    """The content of a style sheet or an image."""

    body: bytes
    charset: str | None = None


def is_style_sheet(element: Element) -> bool:
    """Tell whether an element is a link to a style sheet that browsers use by default."""
    rel = element.attr("rel") if element.tag == "link" else None
    words = (rel if isinstance(rel, str) else " ".join(rel or ())).casefold().split()
    is_default = "stylesheet" in words and "alternate" not in words
    return is_default and bool(get_style_sheet_url(element))


def get_style_sheet_url(element: Element) -> str:
    """Return the URL of a link element, or an empty text."""
    return (element.attr("href") or "").strip()


def get_image_url(element: Element) -> str:
    """Return the URL of an image, or an empty text.

    Images that a script loads later have their URL in another attribute.
    """
    url = (element.attr("src") or "").strip()
    lazy_url = (element.attr("data-src") or "").strip()
    return lazy_url if lazy_url and (not url or url.startswith("data:")) else url


def decode_style_sheet(asset: Asset) -> str:
    """Return the text of a style sheet."""
    declared = _CSS_CHARSET.match(asset.body)
    charset = asset.charset or (declared[1].decode() if declared else None)
    encoding = (charset and normalize_charset(charset)) or "utf-8"
    return asset.body.decode(encoding, errors="replace")


def make_image_data_url(url: str, asset: Asset | None) -> str | None:
    """Return a data URL with an image; None if it was not loaded or no browser would draw it."""
    if _IMAGE_DATA_URL.match(url):
        return url
    media_type = _detect_image_type(asset.body) if asset else None
    if asset is None or media_type is None:
        return None
    return f"data:{media_type};base64,{b64encode(asset.body).decode()}"


def _detect_image_type(body: bytes) -> str | None:
    """Return the media type of an image by its first bytes: its name and headers are untrusted."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    if b"<svg" in body[:1000]:
        return "image/svg+xml"
    for start, media_type in _IMAGE_TYPES.items():
        if body.startswith(start):
            return media_type
    return None


def read_local_asset(folder: Path, url: str, root: Path | None = None) -> Asset | None:
    """Return the file that a relative URL names in a page's folder or below; None if there is none.

    With ``root``, the folder of a whole site, the file may be anywhere below it, and a leading
    slash means ``root``. Files and folders whose names begin with a dot are never read.
    """
    try:
        parts = urlsplit(url)
        is_rooted = parts.path.startswith("/")
        if parts.scheme or parts.netloc or not parts.path or (is_rooted and root is None):
            return None
        top = root or folder
        path = ((top if is_rooted else folder) / unquote(parts.path).lstrip("/")).resolve()
        relative = path.relative_to(top.resolve())
        if any(part.startswith(".") for part in relative.parts) or not path.is_file():
            return None
        body = read_file(path, limits=Limits(bytes=MAX_ASSET_BYTES))
    except (ValueError, OSError, SourceError):
        return None
    return Asset(body) if len(body) <= MAX_ASSET_BYTES else None


def limit_total_bytes(assets: Mapping[str, Asset]) -> dict[str, Asset]:
    """Return as many assets, by URL, as have ``MAX_TOTAL_BYTES`` together, the first ones first."""
    kept: dict[str, Asset] = {}
    remaining_bytes = MAX_TOTAL_BYTES
    for url, asset in assets.items():
        if len(asset.body) <= remaining_bytes:
            kept[url] = asset
            remaining_bytes -= len(asset.body)
    return kept
