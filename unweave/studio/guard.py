"""The guard at the studio's door: who may come in, what they may bring, and what browsers are told about what they get.

The studio listens on loopback, and any web page that is open in the user's browser can send requests there, and so can any
user of the machine. So calls of the API need a token, come from the studio's own origin if a browser sends them, and name a
host that only this machine has: a foreign name that leads here is a trick.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hmac import compare_digest
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

API = "/api/"
OPEN = frozenset(["/api/docs", "/api/openapi.json"])
"""What of the API tells nothing about anybody's pages."""

_OWN_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_OWN_SITES = frozenset([b"same-origin", b"none"])

_MOST_DRAINED = 256 * 1024 * 1024

_FRAME = "/frame"
_FRAME_SCRIPT = "/static/frame.js"
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"permissions-policy",
        b"camera=(), geolocation=(), microphone=(), clipboard-read=(), clipboard-write=(self)",
    ),
)
_STUDIO_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The frame has no origin, so that "self" would be nobody: its one script is named.
_FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src {origin}/static/frame.js; style-src 'unsafe-inline';"
    " img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors {origin}"
)


class Refused(HTTPException):
    """A request that is not let in, and why. Also what reads its body gets to know it, and passes it on."""


class _Body:
    """The body of a request, as it comes."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_over = False

    async def receive(self) -> Message:
        """The next part of it; behind the last one, that the other side is gone."""
        message = await self._receive()
        self._is_over = not message.get("more_body")
        return message

    async def drain(self) -> None:
        """Take what is still on its way, and throw it away: who is still sending does not hear why it was refused.

        Whoever asks for more of a body that is over, waits until the other side is gone, which waits for the answer.
        """
        room = _MOST_DRAINED
        while room > 0 and not self._is_over:
            room -= len((await self.receive()).get("body", b""))


class Guard:
    """Lets requests in, or not, and tells browsers what the answers may do."""

    def __init__(
        self, app: ASGIApp, *, token: str, most_bytes: int, most_bytes_of: dict[str, int]
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._most_bytes = most_bytes
        self._most_bytes_of = most_bytes_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        body = _Body(receive)
        is_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                message = {
                    **message,
                    "headers": [*message["headers"], *_told(scope["path"], headers)],
                }
            await send(message)

        try:
            self._check(scope, headers)
            most = self._most_bytes_of.get(scope["path"], self._most_bytes)
            await self._app(scope, _bounded(body, headers, most), send_guarded)
        except Refused as refusal:
            if not is_begun:
                await body.drain()
                await _refuse(send_guarded, refusal)

    def _check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if not _OWN_HOST.fullmatch(host):
            raise Refused(403, "the studio answers to its own address only")
        if not scope["path"].startswith(API) or scope["path"] in OPEN:
            return
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1") != f"http://{host}":
            raise Refused(403, "another web page has sent this request")
        if headers.get(b"sec-fetch-site", b"none") not in _OWN_SITES:
            raise Refused(403, "another web page has sent this request")
        if not any(compare_digest(given, self._token) for given in _tokens(scope, headers)):
            raise Refused(401, "this needs the token that is in the address of the studio")


def _tokens(scope: Scope, headers: dict[bytes, bytes]) -> Iterable[bytes]:
    """The tokens that a request brings: one of its head, or one of its address."""
    scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
    if scheme.lower() == b"bearer":
        yield given.strip()
    for named in parse_qs(scope["query_string"].decode("latin-1")).get("token", ()):
        yield named.encode()


def _bounded(body: _Body, headers: dict[bytes, bytes], most: int) -> Receive:
    """What gives the body of a request, and never more of it than is allowed."""
    told = headers.get(b"content-length", b"0")
    if told.isdigit() and int(told) > most:
        raise _too_large(most)
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await body.receive()
        taken += len(message.get("body", b""))
        if taken > most:
            await body.drain()
            raise _too_large(most)
        return message

    return bounded


def _too_large(most: int) -> Refused:
    return Refused(413, f"this is more than the studio takes at once: the limit is {most:,} bytes")


async def _refuse(send: Send, refusal: Refused) -> None:
    body = json.dumps({"error": refusal.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.status_code == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    # Where a body is still on its way, the connection is of no further use.
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _told(path: str, headers: dict[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """What browsers are told about an answer."""
    host = headers.get(b"host", b"").decode("latin-1")
    is_own = path == _FRAME and _OWN_HOST.fullmatch(host)
    policy = _FRAME_POLICY.format(origin=f"http://{host}") if is_own else _STUDIO_POLICY
    # The frame is nobody's, and still has to get its script.
    readers = b"cross-origin" if path == _FRAME_SCRIPT else b"same-origin"
    kept = b"no-store" if path.startswith(API) else b"no-cache"
    return [
        *_ALWAYS,
        (b"content-security-policy", policy.encode()),
        (b"cross-origin-resource-policy", readers),
        (b"cache-control", kept),
    ]
