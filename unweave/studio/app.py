"""The studio's server: the API over what the library can do, and the pages that use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from unweave import __version__
from unweave.errors import PageTooLarge, PrivateAddress, UnweaveError, UsageError
from unweave.page.limits import DEFAULT_LIMITS, MIB
from unweave.studio import pages
from unweave.studio.guard import Guard
from unweave.studio.page_sets import routes as many
from unweave.studio.page_sets.sets import Cancelled
from unweave.studio.page_store import Closed
from unweave.studio.state import Desk

_STATIC = Path(__file__).parent / "static"
# HTML grows when it is written as JSON.
_MOST_BYTES = 2 * DEFAULT_LIMITS.bytes
_MOST_OF_ARCHIVE = 1024 * MIB

# The first that fits counts. An address that cannot be fetched is no mistake of the server either.
_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (Closed, 404),
    (Cancelled, 409),
    (UsageError, 400),
    (PageTooLarge, 413),
    (PrivateAddress, 403),
    (UnweaveError, 422),
)
_DESCRIPTION = """
Pages in, tables out. Every call needs the token that is in the address of the studio, as `Authorization: Bearer TOKEN`
or as the parameter `token`.
"""


def create(desk: Desk, *, token: str) -> FastAPI:
    """The studio's server, for whoever knows the token."""
    app = FastAPI(
        title="unweave studio",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        # The guard looks at the token; this tells readers of the description that there is one.
        dependencies=[
            Depends(
                HTTPBearer(auto_error=False, description="The token in the address of the studio.")
            )
        ],
    )
    app.state.desk = desk
    app.include_router(pages.router)
    app.include_router(many.router)
    app.include_router(many.pages_router)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    _add_pages(app)
    for kind in (UnweaveError, Closed):
        app.add_exception_handler(kind, _tell)
    app.add_exception_handler(Exception, _tell_broken)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_middleware(
        Guard, token=token, most_bytes=_MOST_BYTES, most_bytes_of={"/api/sets": _MOST_OF_ARCHIVE}
    )
    return app


def _add_pages(app: FastAPI) -> None:
    """The pages that are looked at."""
    for path, file in (("/", "index.html"), ("/api/docs", "docs.html")):
        app.add_api_route(
            path, lambda file=file: HTMLResponse(_text(file)), include_in_schema=False
        )
    app.add_api_route("/frame", _frame, include_in_schema=False)


def _text(file: str) -> str:
    return (_STATIC / file).read_text(encoding="utf-8")


def _frame(quirks: bool = False) -> HTMLResponse:
    """What a stranger's page is drawn into; without a document type, browsers draw by the rules of old."""
    text = _text("frame.html")
    return HTMLResponse(text.removeprefix("<!doctype html>\n") if quirks else text)


def _tell(_: Request, error: Exception) -> JSONResponse:
    status = next(status for kind, status in _STATUSES if isinstance(error, kind))
    return _problem(status, str(error))


def _tell_broken(_: Request, error: Exception) -> JSONResponse:
    """A mistake of ours: it stands on the terminal in full."""
    return _problem(500, f"the studio has made a mistake: {type(error).__name__}")


def _tell_http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - what it was registered for
    return _problem(error.status_code, str(error.detail), dict(error.headers or {}))


def _tell_invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what it was registered for
    first: dict[str, Any] = dict(error.errors()[0])
    place = ".".join(str(step) for step in first["loc"] if step != "body")
    return _problem(422, f"{place}: {first['msg']}" if place else str(first["msg"]))


def _problem(status: int, reason: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": reason.encode(errors="replace").decode()}, status, headers)
