"""Sources on the web: fetched into the folder of the run, and read from there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unweave.page.parse import read_file
from unweave.pipeline.run import Progress
from unweave.sources.crawl import Crawl, crawl
from unweave.sources.sitemaps import PAGES, urls_of

_SITEMAPS = (".xml", ".xml.gz")


@dataclass(frozen=True)
class Reach:
    """How far a crawl goes, and how fast."""

    pages: int = 10_000
    """The most pages to fetch."""
    depth: int | None = None
    """The most links to follow from the start; None for no limit, and for none from the pages of a sitemap."""
    hosts: tuple[str, ...] = ()
    """Hosts to follow links to, beside that of the source."""
    delay: float = 1.0
    """The least seconds between two requests to a host."""


def is_on_the_web(source: str) -> bool:
    """Is it an address, or a file that lists addresses?"""
    return source.startswith(("http://", "https://")) or (
        source.endswith(_SITEMAPS) and not Path(source).is_dir()
    )


def fetched(source: str, reach: Reach, folder: Path, progress: Progress) -> list[Path]:
    """The WARC files of what is at an address, or of the pages that a sitemap lists."""
    start: tuple[str, ...] = (source,)
    depth = reach.depth
    if not source.startswith("http"):
        kind, urls = urls_of(read_file(source))
        start, depth = tuple(urls), reach.depth or 0 if kind == PAGES else reach.depth
    wanted = Crawl(start, pages=reach.pages, depth=depth, hosts=reach.hosts, delay=reach.delay)
    return crawl(
        wanted, folder, progress=lambda pages, waiting: progress("crawl", pages, pages + waiting)
    )
