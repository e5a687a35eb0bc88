"""The frontier of a crawl: which URLs are known, which may be requested, and when it ends."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from unweave.sources.crawl import Crawl
from unweave.sources.crawl_archive import PAGE, SITEMAP, START, StoredResponse
from unweave.sources.links import (
    find_links,
    find_redirect_target,
    find_sitemap_urls,
    hash_url,
    is_trap,
    normalize_url,
)
from unweave.sources.sitemaps import PAGES
from unweave.sources.source import get_site

# Redirects and errors do not count as pages. So that a site cannot keep a crawl busy with them,
# requests are limited too.
_MAX_REQUESTS_PER_PAGE = 4
_MIN_REQUEST_LIMIT = 100
# A known URL takes some 80 bytes of memory. Far more of them than can be requested are of no use.
_MAX_KNOWN_URLS_PER_PAGE = 10
_MIN_KNOWN_URL_LIMIT = 100_000
_MAX_HOPS = 10

# Depths of URLs that were requested, which no link can reduce, and of unknown URLs.
_REQUESTED, _UNKNOWN = -1, sys.maxsize

# Reasons why URLs are not requested.
ROBOTS = "robots.txt"
_OTHER_HOST = "redirect to another host"
_TRAP = "endless series of URLs"
_TOO_MANY_URLS = "too many URLs"


@dataclass(frozen=True, slots=True)
class CrawlUrl:
    """A URL to request, and how the crawl came to it."""

    url: str
    depth: int = 0
    hops: int = 0
    url_type: str = PAGE

    @property
    def hashes(self) -> tuple[int, int]:
        """The hash of the page, and that of the URL with its session id.

        For the target of a redirect both are the same: a redirect may only add a session id.
        """
        exact = hash_url(self.url, with_session=True)
        return (exact if self.hops else hash_url(self.url)), exact


@dataclass
class Statistics:
    """The numbers of URLs of a crawl by their results."""

    pages: int = 0
    redirects: int = 0
    sitemaps: int = 0
    others: int = 0
    """Documents that are not HTML."""
    errors: Counter[str] = field(default_factory=Counter)
    """Error responses by status."""
    refused: Counter[str] = field(default_factory=Counter)
    """URLs that were not requested, by reason."""
    failed: Counter[str] = field(default_factory=Counter)
    """Requests without a response, by reason."""

    @property
    def requests(self) -> int:
        """The number of requests."""
        responses = self.pages + self.redirects + self.sitemaps + self.others
        return responses + self.errors.total() + self.failed.total()

    def add(self, response: StoredResponse) -> None:
        """Count a response."""
        if response.location:
            self.redirects += 1
        elif response.url_type == SITEMAP:
            self.sitemaps += 1
        elif response.is_page:
            self.pages += 1
        elif response.status < 300:
            self.others += 1
        else:
            self.errors[str(response.status)] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as plain data."""
        data: dict[str, Any] = {}
        for name, value in vars(self).items():
            data[name] = dict(value) if isinstance(value, Counter) else value
        return data

    def explain_no_pages(self) -> str:
        """Return the reasons why a crawl without pages has none."""
        reasons = [f"the server returned {status}" for status in self.errors]
        reasons += [f"not requested because of {reason}" for reason in self.refused]
        reasons += self.failed
        if self.others:
            reasons.append("the document is not HTML")
        return ", ".join(reasons) or "no URL to request"


class Frontier:
    """The URLs of a crawl: decides which are requested, and when there are enough pages."""

    def __init__(self, plan: Crawl) -> None:
        self.statistics = Statistics()
        self.last_page_url: str | None = None
        """The URL of the last page, to test whether the site still responds."""
        self.pending: set[str] = set()
        """The URLs whose responses are awaited."""
        self.is_stopped = False
        """Set to request nothing more. Responses that are awaited still count."""
        self._plan = plan
        self._max_pages = plan.options.max_pages
        self._max_requests = _MAX_REQUESTS_PER_PAGE * self._max_pages + _MIN_REQUEST_LIMIT
        self._max_known = _MAX_KNOWN_URLS_PER_PAGE * self._max_pages + _MIN_KNOWN_URL_LIMIT
        self._sites = plan.sites
        self._depths: dict[int, int] = {}
        """The depths of known URLs by hash."""
        self._has_sitemap = False

    # ---- limits ----------------------------------------------------------------------------------

    @property
    def max_depth(self) -> float:
        """The number of links to follow: by default none if there is a sitemap, else any."""
        if self._plan.options.max_depth is not None:
            return self._plan.options.max_depth
        return 0 if self._has_sitemap else math.inf

    @property
    def is_full(self) -> bool:
        """Whether a limit was reached, of pages or of requests."""
        counts = self.statistics
        return counts.pages >= self._max_pages or counts.requests >= self._max_requests

    @property
    def is_over(self) -> bool:
        """Whether nothing more is requested, whatever is in the queue."""
        return self.is_full or self.is_stopped

    @property
    def can_request(self) -> bool:
        """Whether one more URL may be requested, even if all pending ones turn out to be pages."""
        pending = len(self.pending)
        return (
            not self.is_stopped
            and self.statistics.pages + pending < self._max_pages
            and self.statistics.requests + pending < self._max_requests
        )

    def allows(self, url: str) -> bool:
        """Tell whether a URL is on one of the hosts of the crawl."""
        return get_site(url) in self._sites

    # ---- requests and responses ------------------------------------------------------------------

    def start_request(self, target: CrawlUrl) -> bool:
        """Record that a URL is requested; return False if it was before.

        A URL is twice in the queue if it was found again at a lower depth.
        """
        if any(self._depths.get(hash_) == _REQUESTED for hash_ in target.hashes):
            return False
        self._mark_requested(target.url)
        self.pending.add(target.url)
        return True

    def retry_request(self, target: CrawlUrl) -> None:
        """Record that a pending URL is requested once more later."""
        self.pending.discard(target.url)
        for hash_ in target.hashes:
            self._depths[hash_] = target.depth

    def add_response(self, response: StoredResponse) -> None:
        """Count a response."""
        self.statistics.add(response)
        if response.is_page:
            self.last_page_url = response.url
        self._has_sitemap = self._has_sitemap or response.url_type == SITEMAP

    def resume(self, responses: Iterable[StoredResponse]) -> None:
        """Restore the state from stored responses. Temporary ones are requested again."""
        for response in responses:
            if not response.is_temporary:
                self._mark_requested(response.url)
                self.add_response(response)

    # ---- new URLs --------------------------------------------------------------------------------

    def find_start_urls(self) -> Iterator[CrawlUrl]:
        """Yield the start URLs that are new."""
        for start in self._plan.start:
            url = normalize_url(start)
            if url is not None and self._add_url(target := CrawlUrl(url, url_type=START)):
                yield target

    def find_new_urls(self, response: StoredResponse) -> Iterator[CrawlUrl]:
        """Yield the URLs in a response that are new, or at a lower depth than before."""
        for target in _find_targets(response):
            if target.depth > self.max_depth or target.hops > _MAX_HOPS:
                continue
            if not self.allows(target.url):
                if response.location:
                    self.statistics.refused[_OTHER_HOST] += 1
            elif self._add_url(target):
                if is_trap(target.url):
                    self._mark_requested(target.url)
                    self.statistics.refused[_TRAP] += 1
                else:
                    yield target

    def _add_url(self, target: CrawlUrl) -> bool:
        """Record the depth of a URL; return False if it was known at this depth or a lower one.

        A redirect may show late that a URL has a lower depth.
        """
        hash_, _ = target.hashes
        if self._depths.get(hash_, _UNKNOWN) <= target.depth:
            return False
        if hash_ not in self._depths and len(self._depths) >= self._max_known:
            self.statistics.refused[_TOO_MANY_URLS] += 1
            return False
        self._depths[hash_] = target.depth
        return True

    def _mark_requested(self, url: str) -> None:
        """Prevent that a URL is requested again, or others of the same page."""
        self._depths[hash_url(url)] = _REQUESTED
        self._depths[hash_url(url, with_session=True)] = _REQUESTED


def mark_sitemap(response: StoredResponse) -> StoredResponse:
    """Return a response with the type of a sitemap if it is the sitemap of a start URL."""
    is_document = not response.location and response.status == 200
    if response.url_type == START and is_document and find_sitemap_urls(response):
        return replace(response, url_type=SITEMAP)
    return response


def _find_targets(response: StoredResponse) -> Iterator[CrawlUrl]:
    """Yield all URLs that a response leads to."""
    if response.location:
        url = find_redirect_target(response)
        if url is not None:
            yield CrawlUrl(url, response.depth, response.hops + 1, response.url_type)
    elif response.url_type == SITEMAP:
        sitemap_type, urls = find_sitemap_urls(response) or (PAGES, [])
        for url in urls:
            if sitemap_type == PAGES:
                yield CrawlUrl(url)
            else:
                yield CrawlUrl(url, hops=response.hops + 1, url_type=START)
    elif response.is_page:
        for url in find_links(response):
            yield CrawlUrl(url, response.depth + 1)
