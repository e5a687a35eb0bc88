"""Bodies of requests: pages, sets of pages, archives and wrapper files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from unweave.errors import SinkError, UsageError, WrapperError
from unweave.files import GZIP_MAGIC, file_starts_with
from unweave.page.limits import MIB
from unweave.sources.selection import ARCHIVE_SUFFIXES
from unweave.studio.schemas import MAX_NAME_CHARACTERS, NewPage, NewSet
from unweave.wrappers.base import Wrapper

MAX_JSON_SET_BYTES = MIB

_JSON = "application/json"
_BINARY = "application/octet-stream"
_PAGE_TYPES = ("text/html", "application/xhtml+xml", _BINARY)
_ARCHIVE_TYPES = (
    _BINARY,
    "application/warc",
    "application/zip",
    "application/gzip",
    "application/x-tar",
)
_WRAPPER_TYPES = (_JSON, _BINARY)
_WRAPPER_START = b'{"unweave":"wrapper"'
_MAX_WRAPPER_HEAD_BYTES = 200

M = TypeVar("M", bound=BaseModel)


def _describe_body(content: dict[str, Any], description: str = "") -> dict[str, Any]:
    """Return the part of the API's description that lists the media types of a body."""
    return {"requestBody": {"required": True, "description": description, "content": content}}


_BINARY_SCHEMA = {"schema": {"type": "string", "format": "binary"}}
PAGE_BODY_DOCS = _describe_body(
    {
        _JSON: {"schema": NewPage.model_json_schema()},
        **dict.fromkeys(_PAGE_TYPES, _BINARY_SCHEMA),
    },
    "A page as JSON or as it is.",
)
SET_BODY_DOCS = _describe_body(
    {_JSON: {"schema": NewSet.model_json_schema()}, _BINARY: _BINARY_SCHEMA},
    "The ids of open pages as JSON, or an archive.",
)
WRAPPER_BODY_DOCS = _describe_body(
    {_JSON: {"schema": {"type": "object"}}}, "A wrapper file, as `unweave learn` writes it."
)


def _get_media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().casefold()


def _parse_json(model: type[M], body: bytes) -> M:
    """Parse a JSON body; errors are reported as those of FastAPI's own bodies."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None


# ---- pages ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageBody:
    """A page that a request sent, or the URL to fetch it from if ``markup`` is None."""

    markup: bytes | None
    name: str
    url: str | None
    charset: str | None


async def _read_page_body(
    request: Request,
    name: Annotated[
        str | None,
        Query(max_length=MAX_NAME_CHARACTERS, description="The name of a page that is not JSON."),
    ] = None,
    url: Annotated[str | None, Query(description="The URL that it is from.")] = None,
    charset: Annotated[str | None, Query(description="The charset of its HTTP response.")] = None,
) -> PageBody:
    default_name = "pasted HTML"
    media_type = _get_media_type(request)
    if media_type in _PAGE_TYPES:
        return PageBody(await request.body(), name or url or default_name, url, charset)
    if media_type != _JSON:
        raise HTTPException(415, f"a page is sent as {_JSON} or as {', '.join(_PAGE_TYPES)}")
    page = _parse_json(NewPage, await request.body())
    if page.html is None and page.url is None:
        raise UsageError("give the html of a page, or the url to fetch it from")
    markup = None if page.html is None else page.html.encode(errors="surrogatepass")
    return PageBody(
        markup,
        page.name or page.url or default_name,
        page.url,
        "utf-8" if page.html is not None else None,
    )


PageFromBody = Annotated[PageBody, Depends(_read_page_body)]


# ---- sets of pages -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that a request sent, in a temporary folder."""

    name: str
    path: Path
    folder: TemporaryDirectory[str]


async def _read_set_body(
    request: Request,
    name: Annotated[
        str | None,
        Query(
            max_length=MAX_NAME_CHARACTERS,
            description="The name of an archive; its ending gives the format.",
        ),
    ] = None,
) -> NewSet | Archive:
    media_type = _get_media_type(request)
    if media_type == _JSON:
        return _parse_json(NewSet, await _read_short_body(request.stream()))
    if media_type in _ARCHIVE_TYPES:
        return await _save_archive(request.stream(), name or "archive")
    raise HTTPException(
        415, f"a set is sent as {_JSON}, or an archive as {', '.join(_ARCHIVE_TYPES)}"
    )


async def _read_short_body(chunks: AsyncIterator[bytes]) -> bytes:
    """Return a body in memory; the limit of the path is that of archives."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_JSON_SET_BYTES:
            raise HTTPException(413, f"a set of ids has at most {MAX_JSON_SET_BYTES:,} bytes")
    return bytes(body)


async def _save_archive(chunks: AsyncIterator[bytes], name: str) -> Archive:
    """Write a body to a temporary file, so that it need not be in memory."""
    folder = TemporaryDirectory(prefix="unweave-studio-", ignore_cleanup_errors=True)
    try:
        path = Path(folder.name, "archive")
        with path.open("wb") as file:
            async for chunk in chunks:
                file.write(chunk)
        return Archive(name, path.rename(f"{path}{_detect_ending(name, path)}"), folder)
    except OSError as error:
        folder.cleanup()
        raise SinkError(f"cannot store the archive: {error.strerror}") from None
    except BaseException:
        folder.cleanup()
        raise


def _detect_ending(name: str, path: Path) -> str:
    """Return the ending of an archive's name, or the one that its content asks for."""
    endings = [ending for ending in ARCHIVE_SUFFIXES if name.casefold().endswith(ending)]
    if endings:
        return max(endings, key=len)
    with path.open("rb") as file:
        is_gzip = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    if file_starts_with(path, b"WARC/"):
        return ".warc.gz" if is_gzip else ".warc"
    if is_gzip:
        return ".tar.gz"
    if file_starts_with(path, b"PK"):
        return ".zip"
    raise HTTPException(415, f"this is not an archive of pages ({', '.join(ARCHIVE_SUFFIXES)})")


SetFromBody = Annotated[NewSet | Archive, Depends(_read_set_body)]


# ---- wrapper files -------------------------------------------------------------------------------


async def _read_wrapper_body(request: Request) -> bytes:
    if _get_media_type(request) not in _WRAPPER_TYPES:
        raise HTTPException(415, f"a wrapper is sent as {' or '.join(_WRAPPER_TYPES)}")
    return await request.body()


def _parse_wrapper(body: Annotated[bytes, Depends(_read_wrapper_body)]) -> Wrapper:
    """Parse a wrapper in a worker thread, as FastAPI does for dependencies that are not async."""
    try:
        return Wrapper.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise WrapperError("the wrapper is not JSON") from None


WrapperFromBody = Annotated[Wrapper, Depends(_parse_wrapper)]


def refuse_wrapper(name: str, body: bytes) -> None:
    """Raise UsageError if what is opened as a page is a wrapper file."""
    head = b"".join(body[:_MAX_WRAPPER_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").split())
    if head.startswith(_WRAPPER_START):
        raise UsageError(
            f"{name}: this is a wrapper, not a page: use `unweave apply {name} PAGE...`,"
            " or open a page in the studio and drop the wrapper onto it"
        )
