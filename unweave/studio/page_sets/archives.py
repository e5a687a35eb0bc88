"""Sets of pages that come as the body of a request: ids of pages that are open, or an archive."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from starlette.exceptions import HTTPException

from unweave.errors import SinkError
from unweave.page.limits import MIB
from unweave.sources.compressed import GZIP, begins_with
from unweave.sources.discovery import ARCHIVES
from unweave.studio.bodies import JSON, media_type, validated
from unweave.studio.page_sets.models import NewSet

_RAW = (
    "application/octet-stream",
    "application/warc",
    "application/zip",
    "application/gzip",
    "application/x-tar",
)
_ZIP, _WARC = b"PK", b"WARC/"
_NAMELESS = "archive"
_MOST_JSON = MIB

DESCRIBED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": NewSet.model_json_schema()},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
"""What such a body may be, for the description of the API."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that was sent, in a folder that is there as long as it is needed."""

    name: str
    path: Path
    folder: TemporaryDirectory[str]


async def _given(
    request: Request,
    name: Annotated[
        str | None,
        Query(
            max_length=1_000, description="What an archive is called; its ending tells what it is."
        ),
    ] = None,
) -> NewSet | Archive:
    kind = media_type(request)
    if kind == JSON:
        return validated(NewSet, await _short(request.stream()))
    if kind in _RAW:
        return await _kept(request.stream(), name or _NAMELESS)
    raise HTTPException(415, f"a set is sent as {JSON}, or an archive as {', '.join(_RAW)}")


async def _short(body: AsyncIterator[bytes]) -> bytes:
    """A body that is kept in memory, where larger ones are let in for archives."""
    found = bytearray()
    async for some in body:
        found += some
        if len(found) > _MOST_JSON:
            raise HTTPException(413, f"a set of ids has at most {_MOST_JSON:,} bytes")
    return bytes(found)


async def _kept(body: AsyncIterator[bytes], name: str) -> Archive:
    """Write what comes to a file, so that it need not be in memory."""
    folder = TemporaryDirectory(prefix="unweave-studio-", ignore_cleanup_errors=True)
    try:
        path = Path(folder.name, _NAMELESS)
        with path.open("wb") as file:
            async for some in body:
                file.write(some)
        return Archive(name, path.rename(path.with_name(_NAMELESS + _ending(name, path))), folder)
    except OSError as error:
        folder.cleanup()
        raise SinkError(f"the archive cannot be kept: {error.strerror}") from None
    except BaseException:
        folder.cleanup()
        raise


def _ending(name: str, path: Path) -> str:
    """How the name of an archive ends, or else how it would if it were called what it is."""
    told = [ending for ending in ARCHIVES if name.casefold().endswith(ending)]
    if told:
        return max(told, key=len)
    with path.open("rb") as file:
        begin = file.read(len(_WARC))
    if begin.startswith(GZIP):
        return ".warc.gz" if _is_warc(path) else ".tar.gz"
    found = ".zip" if begin.startswith(_ZIP) else ".warc" if begin == _WARC else ""
    if not found:
        raise HTTPException(415, f"this is no archive of pages; they are {', '.join(ARCHIVES)}")
    return found


def _is_warc(path: Path) -> bool:
    try:
        return begins_with(path, _WARC)
    except zlib.error:
        return False


GivenSet = Annotated[NewSet | Archive, Depends(_given)]
