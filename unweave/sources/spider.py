"""Scrapy's parts of a crawl: the spider, the queue and the guards at the door.

Pages are asked for layer by layer: those that are one link away from the start, then those two links away, and so on. So
the depth of a page is the least there is, whatever is answered first. Scrapy's own queue is only a place for what waits to
be asked for: a crawl that goes on finds out from the archive what was waiting.
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

from unweave.sources.archive import START, Answer, Archive, answers, is_html
from unweave.sources.frontier import ROBOTS, Frontier, Lead, told
from unweave.sources.sitemaps import LARGEST

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from scrapy.robotstxt import RobotParser
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

Say = Callable[..., None]
"""Is told things by their names."""

MAX_SERVER_DELAY_SECONDS = 60.0
"""Between two requests, for a server that is slow or whose robots.txt asks for more; a user may want more than that."""

_LEAD = "lead"
_ROBOTS_BYTES = 512 * 1024
_NOTHING_ALLOWED = b"User-agent: *\nDisallow: /\n"
_FORBIDDEN = "Forbidden by robots.txt"
# After so many addresses without an answer in a row, the site or the network may be down, or we are not welcome any more.
_SILENCE = 10
_FAILURES = {
    "CannotResolveHostError": "its host is not known",
    "DownloadConnectionRefusedError": "no connection",
    "DownloadTimeoutError": "no answer in time",
    "ResponseDataLossError": "the answer broke off",
    "DownloadFailedError": "the connection broke off",
    "DownloadCancelledError": "too large",
    "IgnoreRequest": "too large",
}
_TOO_LARGE = "too large"


class SiteSpider(Spider):
    """Stores what is answered, and asks for what it leads to."""

    name = "unweave"
    queue: LayeredQueue

    def __init__(self, *, frontier: Frontier, archive: Archive, folder: Path, tell: Say) -> None:
        super().__init__()
        self.frontier = frontier
        self.trouble: str | None = None
        self._archive = archive
        self._folder = folder
        self._tell = tell
        self._silent = 0
        self._probe: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        """A spider that hears of headers, of robots.txt files and of its own mistakes."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.look_at_headers, signals.headers_received)
        crawler.signals.connect(spider.look_at_robots, signals.robots_parsed)
        crawler.signals.connect(spider.look_at_mistake, signals.spider_error)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Nothing: the queue begins with what ``waiting`` gives."""
        return
        yield

    def waiting(self) -> Iterator[Request]:
        """What is to be asked for: the start, and where the answers lead that are stored already."""
        yield from map(self._request, self.frontier.begin())
        for answer in answers(self._folder):
            if self.frontier.is_stopped:
                return
            yield from map(self._request, self.frontier.leads(answer))
            self.tell()

    def _request(self, lead: Lead) -> Request:
        meta = {_LEAD: asdict(lead), "handle_httpstatus_all": True}
        if lead.role == START:
            meta["download_maxsize"] = LARGEST
        # The nearest come first, and pages before further sitemaps, for there may be enough of them.
        priority = -2 * lead.depth - (lead.role == START)
        return Request(
            lead.url, self.parse, errback=self.fail, meta=meta, priority=priority, dont_filter=True
        )

    def parse(self, response: Response, **_: Any) -> None:
        """Store an answer, and let what it leads to wait."""
        answer = told(_answer(response))
        try:
            self._archive.add(answer)
        except OSError as error:
            return self.stop(f"cannot write to {self._folder}: {error.strerror}")
        self.frontier.take(answer)
        for lead in self.frontier.leads(answer):
            self.queue.enqueue_request(self._request(lead))
        self.frontier.hear(_lead(response))
        self.tell()
        self._note_silence(f"it answers {answer.status}" if answer.is_for_now else None)
        return None

    def tell(self) -> None:
        """Say how far the crawl is."""
        self._tell(pages=self.frontier.counts.pages, waiting=len(self.queue))

    def fail(self, failure: Failure) -> None:
        """Note why there is no answer."""
        lead = _lead(failure.request)  # type: ignore[attr-defined]
        self.frontier.hear(lead)
        if isinstance(failure.value, IgnoreRequest) and str(failure.value) == _FORBIDDEN:
            self.frontier.counts.refused[ROBOTS] += 1
            return
        kind = type(failure.value).__name__
        reason = _FAILURES.get(kind, kind)
        self.logger.info("%s: %s (%s)", lead.url, reason, failure.getErrorMessage())
        self.frontier.counts.failed[reason] += 1
        self._note_silence(None if reason == _TOO_LARGE else reason)

    def _note_silence(self, reason: str | None) -> None:
        self._silent = self._silent + 1 if reason else 0
        if self._silent == _SILENCE:
            self._silent = 0
            self._probe = asyncio.ensure_future(self._probe_silence(reason))

    async def _probe_silence(self, reason: str | None) -> None:
        """End the crawl if the site is silent as a whole, and not only in one of its corners."""
        if not await self._is_alive():
            self.stop(
                f"{_SILENCE} addresses got no answer, one after the other ({reason}): the same call goes on later"
            )

    async def _is_alive(self) -> bool:
        """Is there still an answer where there was one before?"""
        if self.frontier.last_page is None:
            return False
        request = Request(
            self.frontier.last_page, NO_CALLBACK, meta={"handle_httpstatus_all": True}
        )
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception:  # whatever it is that keeps us from an answer
            return False
        return not Answer(response.url, response.status).is_for_now

    def stop(self, trouble: str) -> None:
        """End the crawl, because of this."""
        self.trouble = self.trouble or trouble
        self.frontier.stop()

    def look_at_headers(self, headers: Headers, request: Request) -> None:
        """Break off what is no page before it is loaded."""
        lead = request.meta.get(_LEAD)
        if lead and lead["role"] != START and not is_html(headers.get("Content-Type") or b""):
            raise StopDownload(fail=False)

    def look_at_robots(self, robotparser: RobotParser, request: Request) -> None:
        """Wait as long between requests as the site asks for, within reason."""
        wanted = robotparser.crawl_delay(self.settings["USER_AGENT"])
        delay = min(wanted or 0.0, MAX_SERVER_DELAY_SECONDS)
        slot = self.crawler.engine.downloader.slots.get(urlsplit(request.url).hostname or "")
        if slot is not None:
            slot.delay = max(slot.delay, delay)
        throttle = self.crawler.get_extension(AutoThrottle)
        if throttle is not None:
            throttle.mindelay = max(throttle.mindelay, delay)

    def look_at_mistake(self, failure: Failure) -> None:
        """End the crawl if there is a mistake in it, for nobody could tell what is missing."""
        self.stop(f"the crawl failed: {failure.getErrorMessage() or type(failure.value).__name__}")


class LayeredQueue(Scheduler):
    """Scrapy's queue on the disk, which gives nothing of the next layer before all of the last was answered."""

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Begin with what waits."""
        assert isinstance(spider, SiteSpider)  # noqa: S101
        opened = super().open(spider)
        self._frontier = spider.frontier
        self._layers: Counter[int] = Counter()
        self._layer = -1
        spider.queue = self
        for request in spider.waiting():
            self.enqueue_request(request)
        spider.tell()
        return opened

    def enqueue_request(self, request: Request) -> bool:
        """Let a request wait, perhaps because it is to be tried again."""
        lead = _lead(request)
        if self._frontier.is_asked(lead):
            self._frontier.ask_again(lead)
        self._layers[lead.depth] += 1
        return super().enqueue_request(request)

    def has_pending_requests(self) -> bool:
        """Is there something that may be asked for, now or later?"""
        return self._is_within_depth() and not self._frontier.is_over

    def next_request(self) -> Request | None:
        """A request of this layer, if there may be one more; of the next if nothing is on its way."""
        while self._is_ready():
            request = super().next_request()
            if request is None:
                break
            lead = _lead(request)
            self._layer = lead.depth
            self._layers -= Counter([lead.depth])
            if self._frontier.ask(lead):
                return request
        return None

    def _is_ready(self) -> bool:
        """Is it the turn of what waits?"""
        if not self._is_within_depth() or not self._frontier.has_room:
            return False
        return min(self._layers) <= self._layer or not self._frontier.is_waiting

    def _is_within_depth(self) -> bool:
        return bool(self._layers) and min(self._layers) <= self._frontier.depth


class OneRequestAConnection(HTTP11DownloadHandler):
    """Opens a connection for every request, so that none is repeated by itself.

    Twisted keeps connections open, and repeats a request at once when the server drops one of them, which it may do at any
    time (one that speaks HTTP/1.0 always does). Scrapy's own retry waits for the delay, but gives up after a few.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.persistent = False


class Guard:
    """Stands between Scrapy and the network: no host but those that are crawled, whoever sends us there."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Guard:
        """The guard of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Refuse requests to other hosts. Links were looked at before; a robots.txt may redirect as well."""
        if not self._spider.frontier.allows(request.url):
            raise IgnoreRequest("another host")

    def process_response(self, request: Request, response: Response) -> Response:
        """Read robots.txt as RFC 9309 says: if there is none, all is allowed; if it cannot be read for now, nothing is."""
        if "dont_obey_robotstxt" not in request.meta:  # which only the request for it has
            return response
        if response.status >= 500 or response.status == 429:
            self._spider.stop(
                f"{response.url} cannot be read, it answers {response.status}: the same call goes on later"
            )
            return response.replace(body=_NOTHING_ALLOWED)
        is_there = 200 <= response.status < 300
        return response.replace(body=response.body[:_ROBOTS_BYTES] if is_there else b"")

    @property
    def _spider(self) -> SiteSpider:
        assert isinstance(self._crawler.spider, SiteSpider)  # noqa: S101
        return self._crawler.spider


def _lead(source: Request | Response) -> Lead:
    """What a request, or what is answered to it, is about."""
    return Lead(**source.meta[_LEAD])


def _answer(response: Response) -> Answer:
    """What Scrapy got, as it is stored."""
    lead = _lead(response)
    is_cut = "download_stopped" in response.flags
    headers = tuple((name, value) for name, values in response.headers.items() for value in values)
    return Answer(
        url=response.url,
        status=response.status,
        headers=headers,
        body=b"" if is_cut else response.body,
        depth=lead.depth,
        hops=lead.hops,
        role=lead.role,
        is_cut=is_cut,
        ip=str(response.ip_address or ""),
    )
