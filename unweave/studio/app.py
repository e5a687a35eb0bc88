"""The web application: the API, the static pages, and errors as JSON."""

from __future__ import annotations

import logging
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
from unweave.studio import page_routes, set_routes
from unweave.studio.guard import Guard
from unweave.studio.page_groups import LearningCancelled
from unweave.studio.page_store import NotOpen
from unweave.studio.state import StudioState

# HTML grows when it is written as JSON.
MAX_BODY_BYTES = 2 * DEFAULT_LIMITS.bytes
MAX_ARCHIVE_BYTES = 1024 * MIB

_STATIC = Path(__file__).parent / "static"
# The first class that matches counts. A URL that cannot be fetched is not an error of the server.
_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (NotOpen, 404),
    (LearningCancelled, 409),
    (UsageError, 400),
    (PageTooLarge, 413),
    (PrivateAddress, 403),
    (UnweaveError, 422),
)
_DESCRIPTION = """
Pages in, tables out. Every call needs the token that is in the URL of the studio, as
`Authorization: Bearer TOKEN` or as the parameter `token`.
"""

_log = logging.getLogger("unweave.studio")


def create_app(state: StudioState, *, token: str) -> FastAPI:
    """Return the application for clients that know the token."""
    # The guard checks the token; this only adds it to the description of the API.
    bearer = HTTPBearer(auto_error=False, description="The token in the URL of the studio.")
    app = FastAPI(
        title="unweave studio",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        dependencies=[Depends(bearer)],
    )
    app.state.studio = state
    app.include_router(page_routes.router)
    app.include_router(set_routes.router)
    app.include_router(set_routes.wrapper_router)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.add_api_route("/", _get_index, include_in_schema=False)
    app.add_api_route("/api/docs", _get_docs, include_in_schema=False)
    app.add_api_route("/frame", _get_frame, include_in_schema=False)
    for error_class in (UnweaveError, NotOpen):
        app.add_exception_handler(error_class, _handle_error)
    app.add_exception_handler(Exception, _handle_bug)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_middleware(
        Guard,
        token=token,
        max_bytes=MAX_BODY_BYTES,
        max_bytes_by_path={"/api/sets": MAX_ARCHIVE_BYTES},
    )
    return app


# ---- static pages --------------------------------------------------------------------------------


def _get_index() -> HTMLResponse:
    return HTMLResponse(_read_static("index.html"))


def _get_docs() -> HTMLResponse:
    return HTMLResponse(_read_static("docs.html"))


def _get_frame(quirks: bool = False) -> HTMLResponse:
    """Return the document that untrusted pages are drawn into; without a doctype in quirks mode."""
    text = _read_static("frame.html")
    return HTMLResponse(text.removeprefix("<!doctype html>\n") if quirks else text)


def _read_static(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


# ---- errors --------------------------------------------------------------------------------------


def _handle_error(_: Request, error: Exception) -> JSONResponse:
    status = next(status for error_class, status in _STATUSES if isinstance(error, error_class))
    return _make_response(status, str(error))


def _handle_bug(request: Request, error: Exception) -> JSONResponse:
    """Answer with the class of an unexpected error; uvicorn prints the whole of it."""
    _log.error("%s %s: %s", request.method, request.url.path, type(error).__name__)
    return _make_response(500, f"internal error of the studio: {type(error).__name__}")


def _handle_http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
    return _make_response(error.status_code, str(error.detail), dict(error.headers or {}))


def _handle_invalid_request(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
    first: dict[str, Any] = dict(error.errors()[0])
    location = ".".join(str(step) for step in first["loc"] if step != "body")
    return _make_response(422, f"{location}: {first['msg']}" if location else str(first["msg"]))


def _make_response(status: int, reason: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": reason.encode(errors="replace").decode()}, status, headers)
