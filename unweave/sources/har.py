"""HAR files, as the developer tools of browsers save them: the requests of a page, as JSON."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unweave.errors import PageTooLarge, SourceError
from unweave.page.limits import DEFAULT_LIMITS, MIB
from unweave.page.sniffing import parse_content_type_charset
from unweave.sources.http_messages import REDIRECT_STATUSES, is_html_type
from unweave.sources.source import FetchedPage, Item, Redirect, Skipped
from unweave.sources.warc import MAX_NAME_CHARACTERS, join_urls, parse_time

MAX_HAR_BYTES = 256 * MIB
"""The whole file is parsed at once, which takes a few times its bytes."""
_PAGE_STATUSES = (200, 304)  # browsers save what they have when a server answers "not modified"


def read_har(path: Path) -> Iterator[Item]:
    """Yield the pages of a file and what was skipped. Raises SourceError."""
    for number, entry in enumerate(_read_entries(path), start=1):
        request, response = _get_object(entry, "request"), _get_object(entry, "response")
        name = _get_text(request, "url").strip()[:MAX_NAME_CHARACTERS]
        time = parse_time(_get_text(entry, "startedDateTime"))
        time = time and time.replace(microsecond=0)  # as in other archives
        if not name:
            yield Skipped(f"{path.name}, entry {number:,}", "the entry has no URL", time)
            continue
        try:
            yield _read_page(name, response, time)
        except (SourceError, PageTooLarge) as error:
            yield Skipped(name, str(error), time)


def _read_entries(path: Path) -> list[Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_HAR_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_HAR_BYTES:
        raise SourceError(f"{path}: the HAR file has more than {MAX_HAR_BYTES:,} bytes")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise SourceError(f"{path}: not a HAR file, or damaged: it is not JSON") from None
    entries = _get_object(content, "log").get("entries")
    if not isinstance(entries, list):
        raise SourceError(f"{path}: not a HAR file: it has no log with entries")
    return entries


def _read_page(url: str, response: dict[str, Any], time: Any) -> Item:
    status = response.get("status")
    location = _get_text(response, "redirectURL")
    if status in REDIRECT_STATUSES and location:
        return Redirect(url, join_urls(url, location))
    if status not in _PAGE_STATUSES:
        return Skipped(url, f"the server returned {str(status)[:20]}", time)
    content = _get_object(response, "content")
    content_type = _get_text(content, "mimeType")
    if not is_html_type(content_type):
        media_type = content_type.partition(";")[0].strip()
        return Skipped(url, f"not HTML but {media_type[:60]}", time)
    text = content.get("text")
    if not isinstance(text, str):
        return Skipped(url, "the file does not have its content", time)
    if content.get("encoding") == "base64":
        try:
            body = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise SourceError("cannot be decoded: invalid Base64") from None
        charset = parse_content_type_charset(content_type)
    else:
        body, charset = text.encode(errors="surrogatepass"), "utf-8"
    DEFAULT_LIMITS.check_bytes(len(body))
    return FetchedPage(url, body, is_url=True, time=time, charset=charset)


def _get_object(data: Any, name: str) -> dict[str, Any]:
    """Return an object inside an untrusted one; an empty one if there is none."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, dict) else {}


def _get_text(data: Any, name: str) -> str:
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""
