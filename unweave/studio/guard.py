"""Middleware that refuses requests of others, limits bodies and sets security headers.

The studio listens on the loopback interface, or in a container whose port is published there. Any
web page that is open in the user's browser and any user of the machine can send requests. So calls
of the API need a token, have the studio's own origin if a browser sends them, and a Host header
that names this machine: another name that resolves to it is an attack (DNS rebinding).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from hmac import compare_digest
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

API_PREFIX = "/api/"
PUBLIC_API_PATHS = frozenset(["/api/docs", "/api/openapi.json"])
"""The paths below the API that need no token: they hold nothing about the user's pages."""

MAX_DISCARDED_BYTES = 256 * 1024 * 1024
"""The most bytes of a refused body that are read, so that the client gets the response."""

_LOCAL_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_ALLOWED_FETCH_SITES = frozenset([b"same-origin", b"none"])

_FRAME = "/frame"
_FRAME_SCRIPT = "/static/frame.js"
_SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"permissions-policy",
        b"camera=(), geolocation=(), microphone=(), clipboard-read=(), clipboard-write=(self)",
    ),
)
_STUDIO_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
# The frame has no origin, so 'self' would match nothing: its only script is named.
_FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src {origin}/static/frame.js;"
    " style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors {origin}"
)

_log = logging.getLogger("unweave.studio")


class RequestRefused(HTTPException):
    """A request that is refused. Routes that read its body get it, too, and pass it on."""


class Guard:
    """The middleware: checks requests, and adds security headers to responses."""

    def __init__(
        self, app: ASGIApp, *, token: str, max_bytes: int, max_bytes_by_path: dict[str, int]
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._max_bytes = max_bytes
        self._max_bytes_by_path = max_bytes_by_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        headers = dict(scope["headers"])
        body = _Body(receive, self._max_bytes_by_path.get(path, self._max_bytes))
        has_started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                security_headers = _make_security_headers(path, headers)
                message = {**message, "headers": [*message["headers"], *security_headers]}
            await send(message)

        try:
            self._check_sender(scope, headers)
            body.check_length(headers)
            await self._app(scope, body.receive, send_with_headers)
        except RequestRefused as refusal:
            _log.info("refused %s %s: %s", scope["method"], path, refusal.detail)
            if not has_started:
                await body.discard()
                await _send_refusal(send_with_headers, refusal)

    def _check_sender(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if not _LOCAL_HOST.fullmatch(host):
            raise RequestRefused(403, "the studio answers only under the host name of this machine")
        if not scope["path"].startswith(API_PREFIX) or scope["path"] in PUBLIC_API_PATHS:
            return
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1") != f"http://{host}":
            raise RequestRefused(403, "another web page has sent this request")
        if headers.get(b"sec-fetch-site", b"none") not in _ALLOWED_FETCH_SITES:
            raise RequestRefused(403, "another web page has sent this request")
        if not any(compare_digest(token, self._token) for token in _read_tokens(scope, headers)):
            raise RequestRefused(401, "this needs the token that is in the URL of the studio")


class _Body:
    """The body of a request, limited in bytes."""

    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self._receive = receive
        self._max_bytes = max_bytes
        self._received_bytes = 0
        self._is_complete = False

    def check_length(self, headers: dict[bytes, bytes]) -> None:
        """Raise RequestRefused if the Content-Length header is above the limit."""
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._max_bytes:
            raise self._make_refusal()

    async def receive(self) -> Message:
        """Return the next message; after the last part of the body, that the client is gone."""
        message = await self._receive_next()
        self._received_bytes += len(message.get("body", b""))
        if self._received_bytes > self._max_bytes:
            await self.discard()
            raise self._make_refusal()
        return message

    async def discard(self) -> None:
        """Read and drop the rest: a client that is still sending does not read the response.

        Reading on after the end would wait until the client is gone, which waits for the response.
        """
        remaining_bytes = MAX_DISCARDED_BYTES
        while remaining_bytes > 0 and not self._is_complete:
            remaining_bytes -= len((await self._receive_next()).get("body", b""))

    async def _receive_next(self) -> Message:
        message = await self._receive()
        self._is_complete = not message.get("more_body")
        return message

    def _make_refusal(self) -> RequestRefused:
        return RequestRefused(
            413, f"the request is too large: the limit is {self._max_bytes:,} bytes"
        )


def _read_tokens(scope: Scope, headers: dict[bytes, bytes]) -> Iterator[bytes]:
    """Yield the tokens of a request: of its Authorization header, and of its URL."""
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    if scheme.lower() == b"bearer":
        yield token.strip()
    for parameter in parse_qs(scope["query_string"].decode("latin-1")).get("token", ()):
        yield parameter.encode()


async def _send_refusal(send: Send, refusal: RequestRefused) -> None:
    body = json.dumps({"error": refusal.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.status_code == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    # Part of the body may be unread, so the connection cannot be used again.
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _make_security_headers(path: str, headers: dict[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """Return the headers that limit what a browser does with the response."""
    host = headers.get(b"host", b"").decode("latin-1")
    is_frame = path == _FRAME and _LOCAL_HOST.fullmatch(host)
    policy = _FRAME_POLICY.format(origin=f"http://{host}") if is_frame else _STUDIO_POLICY
    # The frame has no origin, and still has to load its script.
    resource_policy = b"cross-origin" if path == _FRAME_SCRIPT else b"same-origin"
    cache_control = b"no-store" if path.startswith(API_PREFIX) else b"no-cache"
    return [
        *_SECURITY_HEADERS,
        (b"content-security-policy", policy.encode()),
        (b"cross-origin-resource-policy", resource_policy),
        (b"cache-control", cache_control),
    ]
