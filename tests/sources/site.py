"""A site on this machine, for crawls."""

import gzip
import http.server
import threading
from contextlib import suppress
from pathlib import Path

from unweave.files import read_json
from unweave.sources.crawl import DONE_FILE, Crawl, CrawlOptions, crawl
from unweave.sources.crawl_archive import read_responses


class Site:
    """A server that sends given responses, and records the paths that were requested."""

    def __init__(self):
        self.responses = {}
        self.hooks = {}
        self.requested = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                site.requested.append(self.path)
                site.hooks.get(self.path, lambda: None)()
                status, headers, body = site.responses.get(self.path) or site.default(self.path)
                self.send_response(status)
                for name, value in {"Content-Length": len(body), **headers}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

            def handle(self):
                with suppress(OSError):  # the client was killed
                    super().handle()

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, path="", host="127.0.0.1"):
        return f"http://{host}:{self._server.server_port}{path}"

    def default(self, path):
        """Return the response of paths that have none."""
        return 404, {"Content-Type": "text/html"}, b"<p>Nothing here"

    def respond(self, path, body, content_type="text/html", *, status=200, **headers):
        """Set the response of a path."""
        data = body if isinstance(body, bytes) else body.encode()
        self.responses[path] = status, {"Content-Type": content_type, **headers}, data

    def add_page(self, path, *links, extra=""):
        """Set a page with these links as the response of a path."""
        self.respond(path, make_page(*links) + extra)

    def redirect(self, path, target, status=301):
        """Set a redirect as the response of a path."""
        self.respond(path, "", status=status, Location=target)


def make_page(*links):
    return "<h1>A page</h1>" + "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)


def compress(text):
    return gzip.compress(text.encode())


def fetch(site, folder: Path, start=("/",), *, hosts=(), **options):
    """Crawl the site without a delay; return the responses by path, each stored once."""
    urls = tuple(path if "://" in path else site.url(path) for path in start)
    crawl(Crawl(urls, CrawlOptions(hosts=hosts, **{"delay": 0, **options})), folder)
    return read_by_path(site, folder)


def read_by_path(site, folder):
    """Return the responses in the folder by path."""
    responses = [(item.url.removeprefix(site.url()), item) for item in read_responses(folder)]
    assert len(dict(responses)) == len(responses)
    return dict(responses)


def read_statistics(folder):
    """Return the numbers of URLs of a complete crawl by their results."""
    return read_json(folder / DONE_FILE)["outcome"]


def get_page_paths(responses):
    return {path for path, response in responses.items() if response.is_page}
