"""Pages that come as the body of a request: as JSON, or as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from unweave.errors import UsageError
from unweave.studio.models import Markup

_RAW = ("text/html", "application/xhtml+xml", "application/octet-stream")
_PASTED = "pasted HTML"
_LONGEST = 1_000

DESCRIBED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": Markup.model_json_schema()},
            **{kind: {"schema": {"type": "string", "format": "binary"}} for kind in _RAW},
        },
    }
}
"""What such a body may be, for the description of the API."""


@dataclass(frozen=True, slots=True)
class Given:
    """A page as it was given: its bytes, or the address to fetch it from."""

    markup: bytes | None
    name: str
    url: str | None
    charset: str | None


async def _given(
    request: Request,
    name: Annotated[
        str | None, Query(max_length=_LONGEST, description="What to call a page that is sent as it is.")
    ] = None,
    url: Annotated[str | None, Query(description="The address that it is from.")] = None,
    charset: Annotated[str | None, Query(description="The encoding that the transport named.")] = None,
) -> Given:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if kind == "application/json":
        return _described(await request.body())
    if kind in _RAW:
        return Given(await request.body(), name or url or _PASTED, url, charset)
    raise HTTPException(415, f"a page is sent as application/json or as {', '.join(_RAW)}")


def _described(body: bytes) -> Given:
    try:
        own = Markup.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None
    if own.html is None and own.url is None:
        raise UsageError("give the html of a page, or the url to fetch it from")
    markup = None if own.html is None else own.html.encode(errors="surrogatepass")
    return Given(markup, own.name or own.url or _PASTED, own.url, "utf-8" if own.html is not None else None)


Body = Annotated[Given, Depends(_given)]
