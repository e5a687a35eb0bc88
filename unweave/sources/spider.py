"""The parts of a crawl that Scrapy runs: the spider, the scheduler, and checks of requests.

Pages are requested layer by layer: all that are one link away from the start, then those two links
away, and so on. So the depth of a page is the lowest there is, whatever response comes first. The
queue of Scrapy only holds what is still to be requested: a crawl that continues finds that out from
the stored responses.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http.request import NO_CALLBACK

from unweave.sources.crawl_archive import START, ArchiveWriter, StoredResponse, read_responses
from unweave.sources.frontier import ROBOTS, CrawlUrl, Frontier, mark_sitemap
from unweave.sources.http_messages import is_html_type
from unweave.sources.sitemaps import MAX_SITEMAP_BYTES

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from scrapy.robotstxt import RobotParser
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

SendMessage = Callable[..., None]
"""A function that sends its keyword arguments to the process that started the crawl."""

MAX_SERVER_DELAY_SECONDS = 60.0
"""Delay between requests for a slow server or a Crawl-delay; the user may set a longer one."""

_TARGET = "target"
_MAX_ROBOTS_BYTES = 512 * 1024
_DISALLOW_ALL = b"User-agent: *\nDisallow: /\n"
_FORBIDDEN = "Forbidden by robots.txt"
# After this many failures in a row the site or the network may be down, or the crawler be blocked.
_MAX_FAILURES_IN_A_ROW = 10
_TOO_LARGE = "too large"
_FAILURE_REASONS = {
    "CannotResolveHostError": "could not resolve host",
    "DownloadConnectionRefusedError": "connection refused",
    "DownloadTimeoutError": "timed out",
    "ResponseDataLossError": "incomplete response",
    "DownloadFailedError": "connection lost",
    "DownloadCancelledError": _TOO_LARGE,
    "IgnoreRequest": _TOO_LARGE,
}


class SiteSpider(Spider):
    """Store responses, and request the URLs in them."""

    name = "unweave"
    queue: LayeredQueue

    def __init__(
        self, *, frontier: Frontier, archive: ArchiveWriter, folder: Path, send: SendMessage
    ) -> None:
        super().__init__()
        self.frontier = frontier
        self.error: str | None = None
        """Why the crawl was stopped."""
        self._archive = archive
        self._folder = folder
        self._send = send
        self._failures_in_a_row = 0
        self._site_check: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        """Return a spider that is connected to the signals of a crawler."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.check_headers, signals.headers_received)
        crawler.signals.connect(spider.apply_crawl_delay, signals.robots_parsed)
        crawler.signals.connect(spider.handle_spider_error, signals.spider_error)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: the queue starts with ``find_start_requests``."""
        return
        yield

    def find_start_requests(self) -> Iterator[Request]:
        """Yield requests for the start URLs, and for the URLs in stored responses."""
        yield from map(self._make_request, self.frontier.find_start_urls())
        for response in read_responses(self._folder):
            if self.frontier.is_stopped:
                return
            yield from map(self._make_request, self.frontier.find_new_urls(response))
            self.send_progress()

    def _make_request(self, target: CrawlUrl) -> Request:
        meta = {_TARGET: asdict(target), "handle_httpstatus_all": True}
        if target.url_type == START:
            meta["download_maxsize"] = MAX_SITEMAP_BYTES
        # The lowest depth comes first, and pages before further sitemaps, which may not be needed.
        priority = -2 * target.depth - (target.url_type == START)
        return Request(
            target.url,
            self.parse,
            errback=self.handle_failure,
            meta=meta,
            priority=priority,
            dont_filter=True,
        )

    def parse(self, response: Response, **_: Any) -> None:
        """Store a response, and put the URLs in it into the queue."""
        stored = mark_sitemap(_convert_response(response))
        try:
            self._archive.add(stored)
        except OSError as error:
            self.stop(f"cannot write to {self._folder}: {error.strerror}")
            return
        self.frontier.add_response(stored)
        for target in self.frontier.find_new_urls(stored):
            self.queue.enqueue_request(self._make_request(target))
        self.frontier.pending.discard(_get_target(response).url)
        self.send_progress()
        if stored.is_temporary:
            self._count_failure(f"the server returned {stored.status}")
        else:
            self._failures_in_a_row = 0

    def send_progress(self) -> None:
        """Send the numbers of pages and of URLs in the queue."""
        self._send(pages=self.frontier.statistics.pages, waiting=len(self.queue))

    def handle_failure(self, failure: Failure) -> None:
        """Count a request that got no response."""
        target = _get_target(failure.request)  # type: ignore[attr-defined]
        self.frontier.pending.discard(target.url)
        if isinstance(failure.value, IgnoreRequest) and str(failure.value) == _FORBIDDEN:
            self.frontier.statistics.refused[ROBOTS] += 1
            return
        error_name = type(failure.value).__name__
        reason = _FAILURE_REASONS.get(error_name, error_name)
        self.logger.info("%s: %s (%s)", target.url, reason, failure.getErrorMessage())
        self.frontier.statistics.failed[reason] += 1
        if reason == _TOO_LARGE:
            self._failures_in_a_row = 0
        else:
            self._count_failure(reason)

    def _count_failure(self, reason: str) -> None:
        self._failures_in_a_row += 1
        if self._failures_in_a_row == _MAX_FAILURES_IN_A_ROW:
            self._failures_in_a_row = 0
            self._site_check = asyncio.ensure_future(self._stop_if_site_is_down(reason))

    async def _stop_if_site_is_down(self, reason: str) -> None:
        """Stop the crawl unless a URL still responds that was a page before."""
        url = self.frontier.last_page_url
        if url is not None:
            request = Request(url, NO_CALLBACK, meta={"handle_httpstatus_all": True})
            try:
                response = await self.crawler.engine.download_async(request)
            except Exception:  # whatever it is that prevents a response
                self.logger.info("%s does not respond", url)
            else:
                if not StoredResponse(response.url, response.status).is_temporary:
                    return
        self.stop(
            f"{_MAX_FAILURES_IN_A_ROW} requests failed in a row ({reason});"
            " run the same command again later to continue"
        )

    def stop(self, error: str) -> None:
        """End the crawl because of an error; the first one counts."""
        self.error = self.error or error
        self.frontier.is_stopped = True

    def check_headers(self, headers: Headers, request: Request) -> None:
        """Stop the download of a document that is not HTML."""
        target = request.meta.get(_TARGET)
        content_type = (headers.get("Content-Type") or b"").decode("latin-1")
        if target and target["url_type"] != START and not is_html_type(content_type):
            raise StopDownload(fail=False)

    def apply_crawl_delay(self, robotparser: RobotParser, request: Request) -> None:
        """Use the Crawl-delay of a robots.txt, up to a limit, if it is longer than the delay."""
        crawl_delay = robotparser.crawl_delay(self.settings["USER_AGENT"])
        delay = min(crawl_delay or 0.0, MAX_SERVER_DELAY_SECONDS)
        slot = self.crawler.engine.downloader.slots.get(urlsplit(request.url).hostname or "")
        if slot is not None:
            slot.delay = max(slot.delay, delay)
        throttle = self.crawler.get_extension(AutoThrottle)
        if throttle is not None:
            throttle.mindelay = max(throttle.mindelay, delay)

    def handle_spider_error(self, failure: Failure) -> None:
        """Stop the crawl after an error of this spider: pages may be missing."""
        self.stop(f"the crawl failed: {failure.getErrorMessage() or type(failure.value).__name__}")


class LayeredQueue(Scheduler):
    """The queue of Scrapy on the disk, which finishes each layer before the next begins."""

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the queue, and fill it with the start requests."""
        assert isinstance(spider, SiteSpider)  # noqa: S101
        opened = super().open(spider)
        self._frontier = spider.frontier
        self._layer_sizes: Counter[int] = Counter()
        self._layer = -1
        spider.queue = self
        for request in spider.find_start_requests():
            self.enqueue_request(request)
        spider.send_progress()
        return opened

    def enqueue_request(self, request: Request) -> bool:
        """Add a request, perhaps one to retry."""
        target = _get_target(request)
        if target.url in self._frontier.pending:
            self._frontier.retry_request(target)
        self._layer_sizes[target.depth] += 1
        return super().enqueue_request(request)

    def has_pending_requests(self) -> bool:
        """Tell whether any request may be sent, now or later."""
        return self._is_within_depth() and not self._frontier.is_over

    def next_request(self) -> Request | None:
        """Return a request of this layer, or of the next if no response is awaited."""
        while self._is_ready():
            request = super().next_request()
            if request is None:
                break
            target = _get_target(request)
            self._layer = target.depth
            self._layer_sizes -= Counter([target.depth])
            if self._frontier.start_request(target):
                return request
        return None

    def _is_ready(self) -> bool:
        if not self._is_within_depth() or not self._frontier.can_request:
            return False
        return min(self._layer_sizes) <= self._layer or not self._frontier.pending

    def _is_within_depth(self) -> bool:
        return bool(self._layer_sizes) and min(self._layer_sizes) <= self._frontier.max_depth


class SingleRequestHandler(HTTP11DownloadHandler):
    """Open a connection for every request, so that none is repeated without a delay.

    Twisted keeps connections open, and repeats a request at once when the server closes one of
    them, which it may do at any time (a server with HTTP/1.0 always does). The retry of Scrapy
    waits for the delay, and ends after a few.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.persistent = False


class RequestFilter:
    """A downloader middleware: no hosts but those of the crawl, and robots.txt as in RFC 9309."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RequestFilter:
        """Return the middleware of a crawler."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Refuse requests to other hosts. Links were checked before; a robots.txt may redirect."""
        if not self._spider.frontier.allows(request.url):
            raise IgnoreRequest("another host")

    def process_response(self, request: Request, response: Response) -> Response:
        """Allow all if there is no robots.txt, and nothing if it cannot be read for now."""
        if "dont_obey_robotstxt" not in request.meta:  # only requests of a robots.txt have it
            return response
        if response.status >= 500 or response.status == 429:
            self._spider.stop(
                f"{response.url}: the server returned {response.status};"
                " run the same command again later to continue"
            )
            return response.replace(body=_DISALLOW_ALL)
        is_success = 200 <= response.status < 300
        return response.replace(body=response.body[:_MAX_ROBOTS_BYTES] if is_success else b"")

    @property
    def _spider(self) -> SiteSpider:
        assert isinstance(self._crawler.spider, SiteSpider)  # noqa: S101
        return self._crawler.spider


def _get_target(message: Request | Response) -> CrawlUrl:
    """Return the URL of a request, or of the request that was responded to."""
    return CrawlUrl(**message.meta[_TARGET])


def _convert_response(response: Response) -> StoredResponse:
    """Return a response of Scrapy as it is stored."""
    target = _get_target(response)
    is_truncated = "download_stopped" in response.flags
    headers = [(name, value) for name, values in response.headers.items() for value in values]
    return StoredResponse(
        url=response.url,
        status=response.status,
        headers=tuple(headers),
        body=b"" if is_truncated else response.body,
        depth=target.depth,
        hops=target.hops,
        url_type=target.url_type,
        is_truncated=is_truncated,
        ip=str(response.ip_address or ""),
    )
