"""A polite crawl of a site into WARC files, which continues after it was stopped or killed.

The folder of a crawl contains its plan (crawl.json), the responses (crawl-00000.warc.gz and so on),
a log (crawl.log) and, when the crawl is complete, its statistics (done.json). The state of a crawl
is restored from the WARC files, so nothing else can get lost.
"""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from unweave._version import __version__
from unweave.errors import MissingExtra, SourceError, UsageError
from unweave.files import explain_write_errors, read_json, write_json
from unweave.sources.crawl_archive import list_warc_files
from unweave.sources.source import get_site

PLAN_FILE, DONE_FILE, LOG_FILE, LOCK_FILE = "crawl.json", "done.json", "crawl.log", "lock"
JOB_FOLDER = "job"
"""The queue of Scrapy while a crawl runs."""
MAX_WARC_BYTES = 500 * 1024 * 1024
STOP_SECONDS = 5.0
"""How long a crawl that is stopped waits for the responses of requests that were sent."""

_USER_AGENT = f"unweave/{__version__} (+https://pypi.org/project/unweave/)"

_log = logging.getLogger("unweave.sources")

Progress = Callable[[int, int], None]
"""A function that gets the number of fetched pages and the number of URLs in the queue."""


@dataclass(frozen=True)
class CrawlOptions:
    """How far a crawl goes, and how fast."""

    max_pages: int = 10_000
    """Pages to store. Redirects, errors and documents that are not HTML do not count."""
    max_depth: int | None = None
    """Links to follow from the start; None for no limit, and for 0 if the start is a sitemap."""
    hosts: tuple[str, ...] = ()
    """Hosts to crawl in addition to those of the start, with the port unless it is 80 or 443."""
    delay: float = 1.0
    """The minimum of seconds between two requests to a host.

    It is longer for a host that is slow to respond, or whose robots.txt has a longer Crawl-delay.
    """
    user_agent: str = _USER_AGENT

    def __post_init__(self) -> None:
        """Check the values."""
        if self.max_pages < 1:
            raise UsageError("the maximum of pages of a crawl must be at least 1")
        if self.delay < 0 or (self.max_depth is not None and self.max_depth < 0):
            raise UsageError("the delay and the maximum depth of a crawl must not be negative")
        if not self.user_agent or not self.user_agent.isprintable():
            raise UsageError("the user agent of a crawl must be one line of printable text")
        for host in self.hosts:
            _check_url(host if "://" in host else f"http://{host}")


@dataclass(frozen=True)
class Crawl:
    """The plan of a crawl."""

    start: tuple[str, ...]
    """URLs of pages, of sitemaps, or of a robots.txt that names sitemaps.

    If any is a sitemap, only the pages that it lists are fetched, unless ``max_depth`` is given.
    """
    options: CrawlOptions = field(default_factory=CrawlOptions)

    def __post_init__(self) -> None:
        """Check the URLs."""
        if not self.start:
            raise UsageError("a crawl needs at least one start URL")
        for url in self.start:
            _check_url(url)

    @property
    def sites(self) -> frozenset[str]:
        """The sites to crawl: those of the start URLs and the hosts of the options."""
        hosts = [host if "://" in host else f"http://{host}" for host in self.options.hosts]
        return frozenset(get_site(url) for url in (*self.start, *hosts))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return {
            "start": self.start,
            "pages": self.options.max_pages,
            "depth": self.options.max_depth,
            "hosts": self.options.hosts,
            "delay": self.options.delay,
            "agent": self.options.user_agent,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Crawl:
        """Return the plan that ``to_json`` gave as plain data."""
        options = CrawlOptions(
            data["pages"], data["depth"], tuple(data["hosts"]), data["delay"], data["agent"]
        )
        return cls(tuple(data["start"]), options)

    def extends(self, earlier: Crawl) -> bool:
        """Tell whether this is the earlier crawl, or goes further from the same start."""
        old, new = earlier.options, self.options
        old_depth = math.inf if old.max_depth is None else old.max_depth
        return (
            self.start == earlier.start
            and frozenset(new.hosts) == frozenset(old.hosts)
            and new.max_pages >= old.max_pages
            and (new.max_depth is None or new.max_depth >= old_depth)
        )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_valid = bool(parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise UsageError(f"cannot crawl {url!r}: it must begin with http:// or https:// and a host")
    if parts.username is not None:
        raise UsageError(f"cannot crawl {url!r}: user names and passwords are not supported")


def crawl(
    plan: Crawl,
    folder: Path,
    *,
    progress: Progress | None = None,
    max_warc_bytes: int = MAX_WARC_BYTES,
) -> list[Path]:
    """Fetch pages into WARC files in a folder, and return the files.

    A crawl that was interrupted continues; one that is complete is not repeated. The folder may
    contain a crawl with lower limits, which is extended, but no other. Raises SourceError.
    """
    for package in ("scrapy", "fastwarc"):
        if find_spec(package) is None:
            raise MissingExtra(package, "crawl")
    if list_warc_files(folder):
        begun = read_plan(folder / PLAN_FILE)
        if begun is None or not plan.extends(begun):
            raise SourceError(
                f"{folder} contains another crawl, or one with higher limits: use another folder"
            )
        done = read_plan(folder / DONE_FILE)
        if done is not None and done.extends(plan):
            return list_warc_files(folder)
        _log.info("continuing the crawl of %s in %s", plan.start[0], folder)
    with explain_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOG_FILE).touch()
        (folder / DONE_FILE).unlink(missing_ok=True)
        data = {"wanted": plan.to_json(), "file_bytes": max_warc_bytes}
        write_json(folder / PLAN_FILE, data, indent=1, durable=True)
    _run_process(folder, progress)
    _log.info("crawled %s: %s", plan.start[0], read_json(folder / DONE_FILE)["outcome"])
    return list_warc_files(folder)


def read_plan(path: Path) -> Crawl | None:
    """Return the plan of a crawl from a file of its folder; None if there is no such file."""
    if not path.exists():
        return None
    try:
        return Crawl.from_json(read_json(path)["wanted"])
    except (LookupError, TypeError, ValueError):
        raise SourceError(f"{path}: the file is damaged") from None


def _run_process(folder: Path, progress: Progress | None) -> None:
    """Run Scrapy in a process of its own until the crawl is complete.

    The event loop of Scrapy can be started only once in a process, and notebooks have one already.
    """
    # Import the package that is running, and not what the current folder happens to contain.
    command = [sys.executable, "-P", "-m", "unweave.sources.crawl_process", str(folder)]
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    error = None
    with (
        (folder / LOG_FILE).open("ab") as log,
        # A new session: Ctrl-C is for this process, which stops the other by closing its input.
        subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None  # noqa: S101
            for line in process.stdout:
                message = json.loads(line)
                error = message.get("error", error)
                if progress and "pages" in message:
                    progress(message["pages"], message["waiting"])
        finally:
            _stop_process(process)
    if not (folder / DONE_FILE).exists():
        code = process.returncode
        reason = (
            f"was killed by signal {-code}" if code < 0 else "failed" if code else "was stopped"
        )
        raise SourceError(
            error
            or f"the crawl {reason} before it was complete (see {folder / LOG_FILE});"
            " run the same command again to continue it"
        )


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process, on which it ends, and kill it if it does not end in time.

    If it is killed, only the responses of requests that were sent are lost.
    """
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(2 * STOP_SECONDS)
    finally:
        process.kill()
