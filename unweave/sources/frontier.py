"""What a crawl knows: which addresses it has seen, which it may ask for, how far it may go, and what became of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from unweave.sources.addresses import key_of, leads_in_circles, normal, site_of
from unweave.sources.archive import PAGE, SITEMAP, START, Answer
from unweave.sources.crawl import Crawl
from unweave.sources.links import links, listed, redirect
from unweave.sources.sitemaps import PAGES

# Redirects and errors do not count as pages. So that a site cannot keep a crawl busy with them, requests are bounded too.
_REQUESTS_A_PAGE = 4
_REQUESTS = 100
# Each address that is known takes some 80 bytes of memory. Far more of them than could ever be asked for are of no use.
_KNOWN_A_PAGE = 10
_KNOWN = 100_000
_MOST_HOPS = 10
# How far an address is that was asked for, so that nothing is nearer; and one that is not known.
_SETTLED, _FAR = -1, sys.maxsize

ROBOTS = "robots.txt"
OTHER_HOST = "a redirect to another host"
CIRCLES = "an address without end"
TOO_MANY = "too many addresses"


@dataclass(frozen=True, slots=True)
class Lead:
    """An address to be asked for."""

    url: str
    depth: int = 0
    hops: int = 0
    role: str = PAGE

    @property
    def keys(self) -> tuple[int, int]:
        """What it is known by: its page, and its address to the letter. A redirect may do nothing but number a visit."""
        exact = key_of(self.url, exact=True)
        return (exact if self.hops else key_of(self.url)), exact


@dataclass
class Counts:
    """What became of the addresses."""

    pages: int = 0
    redirects: int = 0
    sitemaps: int = 0
    others: int = 0
    """What was found and is no HTML."""
    errors: Counter[str] = field(default_factory=Counter)
    """Errors, by the status that the server answered."""
    refused: Counter[str] = field(default_factory=Counter)
    """Addresses that were not asked for, by the reason."""
    failed: Counter[str] = field(default_factory=Counter)
    """Addresses that got no answer, by the reason."""

    @property
    def requests(self) -> int:
        """How many addresses were asked for."""
        answers = self.pages + self.redirects + self.sitemaps + self.others
        return answers + self.errors.total() + self.failed.total()

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        if answer.location:
            self.redirects += 1
        elif answer.role == SITEMAP:
            self.sitemaps += 1
        elif answer.is_page:
            self.pages += 1
        elif answer.status < 300:
            self.others += 1
        else:
            self.errors[str(answer.status)] += 1

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            name: dict(own) if isinstance(own, Counter) else own for name, own in vars(self).items()
        }

    def why_nothing(self) -> str:
        """Why there is no page, in words."""
        reasons = [f"the server answered {status}" for status in self.errors]
        reasons += [f"refused because of {reason}" for reason in self.refused]
        reasons += self.failed
        reasons += ["it is not HTML"] if self.others else []
        return ", ".join(reasons) or "it leads nowhere"


class Frontier:
    """Decides which addresses are asked for, and when there were enough of them."""

    def __init__(self, wanted: Crawl) -> None:
        self.counts = Counts()
        self._wanted = wanted
        self._sites = frozenset(map(site_of, (*wanted.start, *wanted.hosts)))
        self._known: dict[int, int] = {}
        self._asked: set[str] = set()
        self._has_sitemap = False
        self.last_page: str | None = None
        """An address that had a page a while ago."""
        self.is_stopped = False
        """Was the crawl told to stop before its end?"""

    @property
    def depth(self) -> float:
        """The most links to follow. The pages of a sitemap are all that is wanted, if nothing else was said."""
        if self._wanted.depth is not None:
            return self._wanted.depth
        return 0 if self._has_sitemap else float("inf")

    @property
    def is_full(self) -> bool:
        """Are there enough pages, or were there too many requests?"""
        return (
            self.counts.pages >= self._wanted.pages or self.counts.requests >= self._most_requests
        )

    @property
    def is_over(self) -> bool:
        """Is nothing to be asked for any more, whatever waits?"""
        return self.is_full or self.is_stopped

    def stop(self) -> None:
        """Ask for nothing more. What was asked for is waited for."""
        self.is_stopped = True

    @property
    def has_room(self) -> bool:
        """May one more be asked for, even if all that were asked for turn out to be pages?"""
        asked = len(self._asked)
        if self.is_stopped:
            return False
        return (
            self.counts.pages + asked < self._wanted.pages
            and self.counts.requests + asked < self._most_requests
        )

    @property
    def is_waiting(self) -> bool:
        """Is an answer still to come?"""
        return bool(self._asked)

    def allows(self, url: str) -> bool:
        """Is it on one of the hosts that are crawled?"""
        return site_of(url) in self._sites

    def ask(self, lead: Lead) -> bool:
        """Note that an address is being asked for. False if it was before: it waits twice if it was found to be nearer."""
        if _SETTLED in map(self._known.get, lead.keys):
            return False
        self._settle(lead.url)
        self._asked.add(lead.url)
        return True

    def hear(self, lead: Lead) -> None:
        """Note that there is an answer to what was asked for, or that there will be none."""
        self._asked.discard(lead.url)

    def ask_again(self, lead: Lead) -> None:
        """Note that what was asked for is to be asked for once more."""
        self._asked.discard(lead.url)
        self._known.update(dict.fromkeys(lead.keys, lead.depth))

    def is_asked(self, lead: Lead) -> bool:
        """Is an answer to this still to come?"""
        return lead.url in self._asked

    def resume(self, stored: Iterable[Answer]) -> None:
        """Take note of what an earlier run has stored. What may be answered in another way now is asked for again."""
        for answer in stored:
            if not answer.is_for_now:
                self._settle(answer.url)
                self.take(answer)

    def take(self, answer: Answer) -> None:
        """Count an answer."""
        self.counts.add(answer)
        if answer.is_page:
            self.last_page = answer.url
        self._has_sitemap = self._has_sitemap or answer.role == SITEMAP

    def begin(self) -> Iterator[Lead]:
        """The addresses to begin with, as far as they are new."""
        for address in self._wanted.start:
            url = normal(address)
            if url is not None and self._is_nearer(lead := Lead(url, role=START)):
                yield lead

    def leads(self, answer: Answer) -> Iterator[Lead]:
        """The addresses that an answer leads to, as far as they are new, or nearer than they were known to be."""
        for lead in _leads(answer):
            if (
                lead.depth <= self.depth
                and lead.hops <= _MOST_HOPS
                and self._is_wanted(lead, answer)
            ):
                yield lead

    def _is_wanted(self, lead: Lead, answer: Answer) -> bool:
        if not self.allows(lead.url):
            if answer.location:
                self.counts.refused[OTHER_HOST] += 1
            return False
        if not self._is_nearer(lead):
            return False
        if leads_in_circles(lead.url):
            self._settle(lead.url)
            self.counts.refused[CIRCLES] += 1
            return False
        return True

    def _is_nearer(self, lead: Lead) -> bool:
        """Is the address new, or nearer than it was? From now on it is not. A redirect may show that late in a layer."""
        key, _ = lead.keys
        if self._known.get(key, _FAR) <= lead.depth:
            return False
        if (
            key not in self._known
            and len(self._known) >= _KNOWN_A_PAGE * self._wanted.pages + _KNOWN
        ):
            self.counts.refused[TOO_MANY] += 1
            return False
        self._known[key] = lead.depth
        return True

    def _settle(self, url: str) -> None:
        """See to it that an address is not asked for again, nor others of the same page."""
        self._known[key_of(url)] = self._known[key_of(url, exact=True)] = _SETTLED

    @property
    def _most_requests(self) -> int:
        return _REQUESTS_A_PAGE * self._wanted.pages + _REQUESTS


def told(answer: Answer) -> Answer:
    """The answer, marked as a sitemap if it is one and was asked for as what may be one."""
    if answer.role == START and not answer.location and answer.status == 200 and listed(answer):
        return replace(answer, role=SITEMAP)
    return answer


def _leads(answer: Answer) -> Iterator[Lead]:
    """Where an answer leads."""
    if answer.location:
        target = redirect(answer)
        if target is not None:
            yield Lead(target, answer.depth, answer.hops + 1, answer.role)
    elif answer.role == SITEMAP:
        kind, urls = listed(answer) or (PAGES, [])
        for url in urls:
            yield Lead(url) if kind == PAGES else Lead(url, hops=answer.hops + 1, role=START)
    elif answer.is_page:
        for url in links(answer):
            yield Lead(url, answer.depth + 1)
