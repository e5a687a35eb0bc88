"""Pages that come as the body of a request: as JSON, or as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from unweave.errors import UsageError
from unweave.studio.models import Markup

JSON = "application/json"
_RAW = ("text/html", "application/xhtml+xml", "application/octet-stream")
_PASTED = "pasted HTML"
_LONGEST = 1_000

M = TypeVar("M", bound=BaseModel)

DESCRIBED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": Markup.model_json_schema()},
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


def media_type(request: Request) -> str:
    """What kind of body a request says that it has."""
    return request.headers.get("content-type", "").partition(";")[0].strip().casefold()


def validated(model: type[M], body: bytes) -> M:
    """What a JSON body describes. What is wrong with it is told as of all other calls."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None


async def _given(
    request: Request,
    name: Annotated[
        str | None,
        Query(max_length=_LONGEST, description="What to call a page that is sent as it is."),
    ] = None,
    url: Annotated[str | None, Query(description="The address that it is from.")] = None,
    charset: Annotated[
        str | None, Query(description="The encoding that the transport named.")
    ] = None,
) -> Given:
    kind = media_type(request)
    if kind == JSON:
        return _described(await request.body())
    if kind in _RAW:
        return Given(await request.body(), name or url or _PASTED, url, charset)
    raise HTTPException(415, f"a page is sent as {JSON} or as {', '.join(_RAW)}")


def _described(body: bytes) -> Given:
    own = validated(Markup, body)
    if own.html is None and own.url is None:
        raise UsageError("give the html of a page, or the url to fetch it from")
    markup = None if own.html is None else own.html.encode(errors="surrogatepass")
    return Given(
        markup, own.name or own.url or _PASTED, own.url, "utf-8" if own.html is not None else None
    )


Body = Annotated[Given, Depends(_given)]
