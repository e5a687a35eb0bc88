"""Serve the pages that ``make.py`` made, on this machine only.

    python examples/bigshop/serve.py FOLDER [--port 0]

Prints the address, and serves until it is stopped. Port 0 is any that is free.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

_ASSETS = {
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}


def main() -> None:
    """Read the command line, and serve."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    with _Server(arguments.folder, arguments.port, []) as server:
        print(server.address, flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


@contextmanager
def serving(folder: Path, port: int = 0, asked: list[str] | None = None) -> Iterator[str]:
    """Serve a folder as long as the context lasts; gives the address, without a slash at its end.

    What is asked of the server is noted in ``asked``: paths with their queries, in the order of asking.
    """
    with _Server(folder, port, [] if asked is None else asked) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self, folder: Path, port: int, asked: list[str]) -> None:
        routes = json.loads((folder / "routes.json").read_bytes())
        self.folder = folder
        self.pages: dict[str, tuple[str, str]] = {
            path: (file, charset) for path, (file, charset) in routes["pages"].items()
        }
        self.moved: dict[str, str] = routes["moved"]
        self.cart: str = routes["cart"]
        self.origin: str = routes["origin"]
        self.asked = asked
        super().__init__(("127.0.0.1", port), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"

    def content(self, file: str) -> bytes:
        """A file with the server's address in the place of the one that it was written with."""
        return (
            (self.folder / file).read_bytes().replace(self.origin.encode(), self.address.encode())
        )


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Answer with a page, with another address, with a file of another kind, or not at all."""
        self.server.asked.append(self.path)
        path = canonical(self.path)
        if path in self.server.moved:
            self._answer(HTTPStatus.MOVED_PERMANENTLY, Location=self.server.moved[path])
        elif path in self.server.pages:
            file, charset = self.server.pages[path]
            self._give(file, f"text/html; charset={charset}")
        elif path.startswith(self.server.cart):
            self._give(f"{self.server.cart.strip('/')}/index.html", "text/html; charset=utf-8")
        elif self._is_asset(path):
            self._give(path.removeprefix("/"), _ASSETS[Path(path).suffix])
        else:
            self._answer(
                HTTPStatus.NOT_FOUND, b"<!DOCTYPE html><title>Not found</title><h1>Not found</h1>"
            )

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self.do_GET()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def _is_asset(self, path: str) -> bool:
        """Is this a file for browsers and crawlers, and not one that lies elsewhere?"""
        file = self.server.folder / path.removeprefix("/")
        return Path(path).suffix in _ASSETS and ".." not in path and file.is_file()

    def _give(self, file: str, type: str) -> None:
        self._answer(HTTPStatus.OK, self.server.content(file), **{"Content-Type": type})

    def _answer(self, status: HTTPStatus, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def canonical(address: str) -> str:
    """The path that an address means: of the query only the number of a page counts."""
    parts = urlsplit(address)
    number = parse_qs(parts.query).get("page", ["1"])[0]
    return parts.path if number == "1" else f"{parts.path}?page={number}"


if __name__ == "__main__":
    main()
