"""Wrapper files that are opened in the studio: what they are, and how they come as the body of a request."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from unweave.errors import UsageError, WrapperError
from unweave.studio.bodies import JSON, media_type
from unweave.wrappers.base import Wrapper

_RAW = (JSON, "application/octet-stream")
_MAX_HEAD_BYTES = 200  # of a wrapper file: its first line says what it is

DESCRIBED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A wrapper file, as `unweave learn` writes it.",
        "content": {JSON: {"schema": {"type": "object"}}},
    }
}
"""What such a body may be, for the description of the API."""


async def _body(request: Request) -> bytes:
    if media_type(request) not in _RAW:
        raise HTTPException(415, f"a wrapper is sent as {' or '.join(_RAW)}")
    return await request.body()


WrapperBody = Annotated[bytes, Depends(_body)]


def read_wrapper(body: bytes) -> Wrapper:
    """Return the wrapper that the bytes of a file describe."""
    try:
        return Wrapper.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise WrapperError("the wrapper is no JSON") from None


def is_wrapper(body: bytes) -> bool:
    """Return whether bytes begin as a wrapper file does."""
    head = b"".join(body[:_MAX_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").split())
    return head.startswith(b'{"unweave":"wrapper"')


def refuse_wrapper(name: str, body: bytes) -> None:
    """Raise UsageError if what should be opened as a page is a wrapper file."""
    if is_wrapper(body):
        raise UsageError(
            f"{name}: this is a wrapper, not a page: use `unweave apply {name} PAGE...`,"
            " or open a page in the studio and drop the wrapper onto it"
        )
