"""Reading the pages that a command names; pages that cannot be read are reported and skipped."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from unweave.cli.shared import print_message
from unweave.errors import PageError, SourceError, UsageError
from unweave.loading import fetch
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.page import Page
from unweave.page.parse import is_url, read_file
from unweave.page.render import Renderer
from unweave.selectors.evaluation import SamplePage
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import choose_source, is_collection
from unweave.sources.source import FetchedPage, Item, Skipped

STANDARD_INPUT = "-"

T = TypeVar("T")


class PageReader:
    """Reads pages.

    Those that fail are reported on standard error, with their names in ``failed``.
    """

    def __init__(
        self,
        *,
        charset: str | None,
        url: str | None = None,
        renderer: Renderer | None = None,
        allow_private: bool = False,
    ) -> None:
        self.failed: list[str] = []
        self._charset = charset
        self._url = url
        self._renderer = renderer
        self._allow_private = allow_private

    def read_pages(self, names: Sequence[str], *, progress: bool) -> Iterator[tuple[str, Page]]:
        """Yield the names and pages of files, URLs and standard input."""
        for name, page in self._read_each(names, self._load_page, progress):
            _print_warnings(name, page)
            yield name, page

    def read_all_pages(
        self, sources: Sequence[str], crawl: CrawlOptions | None = None
    ) -> Iterator[tuple[str, Page]]:
        """Yield the names and pages of sources that may also be folders, archives and sites.

        With ``crawl``, the site of each URL is crawled; without, a URL is that of one page.
        """
        if crawl is not None and not any(map(is_url, sources)):
            raise UsageError("--crawl needs the URL of a site")
        if crawl is None and not any(map(is_collection, sources)):
            yield from self.read_pages(sources, progress=True)
            return
        for source in sources:
            if crawl is not None and is_url(source):
                yield from self._read_items(source, choose_source(source, crawl).read(source))
            elif is_collection(source):
                yield from self._read_items(source, choose_source(source).read(source))
            else:
                yield from self.read_pages([source], progress=False)

    def read_sample_pages(self, names: Sequence[str]) -> list[SamplePage]:
        """Return pages to test selectors on."""
        samples: list[SamplePage] = []
        for name, sample in self._read_each(names, self._load_sample_page, progress=True):
            _print_warnings(name, sample.page)
            samples.append(sample)
        return samples

    def report_failure(self, name: str, error: PageError | SourceError) -> None:
        """Print why a page cannot be used."""
        self.failed.append(name)
        print_message(str(error) if isinstance(error, SourceError) else f"{name}: {error}")

    def _read_items(self, source: str, items: Iterable[Item]) -> Iterator[tuple[str, Page]]:
        """Yield the pages of a folder, an archive or a crawl; count the others by their reason."""
        skipped = Counter[str]()
        count_read = 0
        try:
            for item in items:
                if isinstance(item, Skipped):
                    skipped[item.reason] += 1
                elif isinstance(item, FetchedPage):
                    url = item.name if item.is_url else self._url
                    try:
                        page = Page.parse(item.body, url=url, charset=item.charset or self._charset)
                    except PageError as error:
                        skipped[str(error)] += 1
                    else:
                        _print_warnings(item.name, page)
                        count_read += 1
                        yield item.name, page
        except SourceError as error:
            self.report_failure(source, error)
        else:
            if not count_read:
                self.report_failure(source, PageError("contains no pages"))
        for reason, count in skipped.most_common():
            print_message(f"{source}: {count} skipped: {reason}")

    def _read_each(
        self, names: Sequence[str], read: Callable[[str], T], progress: bool
    ) -> Iterator[tuple[str, T]]:
        console = Console(stderr=True)
        is_hidden = not (progress and len(names) > 1 and console.is_terminal)
        for name in track(
            names, "Reading pages", console=console, disable=is_hidden, transient=True
        ):
            try:
                yield name, read(name)
            except (PageError, SourceError) as error:
                self.report_failure(name, error)

    def _load_page(self, name: str) -> Page:
        if self._renderer:
            source: str | bytes = _read_standard_input() if name == STANDARD_INPUT else name
            return Page.render(
                source, url=self._url, charset=self._charset, renderer=self._renderer
            )
        markup, url, charset = self._read_markup(name)
        return Page.parse(markup, url=url, charset=charset)

    def _load_sample_page(self, name: str) -> SamplePage:
        markup, _, charset = self._read_markup(name)
        return SamplePage.parse(markup, charset=charset)

    def _read_markup(self, name: str) -> tuple[bytes, str | None, str | None]:
        """Return the bytes of a page, and its URL and charset where they are known."""
        if is_url(name):
            response = fetch(name, allow_private=self._allow_private)
            return response.body, self._url or response.url, self._charset or response.charset
        markup = _read_standard_input() if name == STANDARD_INPUT else read_file(name)
        return markup, self._url, self._charset


def _print_warnings(name: str, page: Page) -> None:
    for warning in page.warnings:
        print_message(f"{name}: {warning}")


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)
