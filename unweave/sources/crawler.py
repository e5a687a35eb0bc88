"""The process that crawls: ``python -m unweave.sources.crawler FOLDER``. ``unweave.sources.crawl`` starts it.

It says on its standard output how far it is, in lines of JSON, and stops when its standard input ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess
from twisted.python.failure import Failure

from unweave.errors import SourceError, UnweaveError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.sources.addresses import site_of
from unweave.sources.archive import Archive, answers, files, repair
from unweave.sources.crawl import (
    DONE,
    JOB,
    LOCK,
    LOG,
    PATIENCE,
    WANTED,
    Crawl,
    read_json,
    wanted_in,
    write_json,
)
from unweave.sources.frontier import Frontier
from unweave.sources.spider import (
    MAX_SERVER_DELAY_SECONDS,
    Guard,
    LayeredQueue,
    OneRequestAConnection,
    Say,
    SiteSpider,
)

_STDIN, _STDOUT, _STDERR = 0, 1, 2
# To one host, and to all.
_AT_A_TIME = 2
_MOST_AT_A_TIME = 16


def main(folder: Path) -> int:
    """Crawl what the folder says, and say what went wrong. The code to exit with."""
    parent = _to_parent()
    try:
        with _alone_in(folder):
            run(folder, parent)
    except UnweaveError as error:
        parent(error=str(error))
        return 1
    return 0


def run(folder: Path, parent: Say) -> None:
    """Crawl until all is there, or until it is stopped."""
    wanted, told = wanted_in(folder / WANTED), read_json(folder / WANTED)
    if wanted is None or told is None:
        raise SourceError(f"{folder / WANTED}: no such file")
    repair(folder)
    frontier = Frontier(wanted)
    frontier.resume(answers(folder, bodies=False))
    archive = Archive(folder, file_bytes=int(told["file_bytes"]), agent=wanted.agent)
    shutil.rmtree(folder / JOB, ignore_errors=True)
    try:
        has_finished = _crawl(wanted, folder, frontier, archive, parent)
    finally:
        archive.close()
        shutil.rmtree(folder / JOB, ignore_errors=True)
    if has_finished:
        _finish(wanted, folder, frontier)


def _crawl(wanted: Crawl, folder: Path, frontier: Frontier, archive: Archive, parent: Say) -> bool:
    """Let Scrapy crawl. Has it come to the end by itself?"""
    process = CrawlerProcess(settings(wanted, folder))
    crawler = process.create_crawler(SiteSpider)
    mistakes: list[Failure] = []
    crawled = process.crawl(crawler, frontier=frontier, archive=archive, folder=folder, tell=parent)
    crawled.addErrback(mistakes.append)
    stop_with_parent(frontier.stop)
    process.start()
    spider = crawler.spider
    if mistakes:
        raise SourceError(f"the crawl failed: {mistakes[0].getErrorMessage()}")
    if isinstance(spider, SiteSpider) and spider.trouble:
        raise SourceError(spider.trouble)
    reason = crawler.stats.get_value("finish_reason") if crawler.stats else None
    return reason == "finished" and not frontier.is_stopped


def _finish(wanted: Crawl, folder: Path, frontier: Frontier) -> None:
    """Write down what became of the addresses. If there is no page, nothing is kept, so that the next call tries again."""
    counts = frontier.counts
    if not counts.pages:
        for path in files(folder):
            path.unlink()
        raise SourceError(f"no page was found at {wanted.start[0]}: {counts.why_nothing()}")
    write_json(
        folder / DONE,
        {"wanted": wanted.to_json(), "outcome": {**counts.to_json(), "is_full": frontier.is_full}},
    )


def settings(wanted: Crawl, folder: Path) -> dict[str, Any]:
    """Scrapy's settings: polite, and with nothing open that nobody needs."""
    sites = len({site_of(address) for address in (*wanted.start, *wanted.hosts)})
    return {
        "USER_AGENT": wanted.agent,
        "ROBOTSTXT_OBEY": True,
        # It waits for as long as the server took to answer, and never less than the delay. Servers on this machine answer
        # in a few milliseconds, so that they need no exception.
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": wanted.delay,
        "AUTOTHROTTLE_MAX_DELAY": max(wanted.delay, MAX_SERVER_DELAY_SECONDS),
        "DOWNLOAD_DELAY": wanted.delay,
        "DOWNLOAD_DELAY_JITTER": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": _AT_A_TIME,
        # No more than can be on their way: what Scrapy has taken from the queue, it finishes before it stops.
        "CONCURRENT_REQUESTS": min(_AT_A_TIME * sites, _MOST_AT_A_TIME),
        # Scrapy starts as many tasks for every answer.
        "CONCURRENT_ITEMS": 1,
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        },
        "COOKIES_ENABLED": False,
        "REFERER_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "RETRY_TIMES": 2,
        "RETRY_PRIORITY_ADJUST": 0,
        "REDIRECT_MAX_TIMES": 5,
        "DOWNLOAD_TIMEOUT": 60,
        "DNS_TIMEOUT": 20,
        "DOWNLOAD_MAXSIZE": DEFAULT_LIMITS.bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("http", "https"), OneRequestAConnection),
            **dict.fromkeys(("data", "file", "ftp", "s3")),
        },
        # All that is not named here is off: consoles that listen on a port are on by default, and more may come.
        "EXTENSIONS_BASE": {
            "scrapy.extensions.corestats.CoreStats": 0,
            "scrapy.extensions.logstats.LogStats": 0,
            "scrapy.extensions.throttle.AutoThrottle": 0,
        },
        "SPIDER_MIDDLEWARES_BASE": {"scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": 50},
        # Next to the engine, so that it sees every request first and every answer last.
        "DOWNLOADER_MIDDLEWARES": {Guard: 10},
        "SCHEDULER": LayeredQueue,
        # One queue for all hosts, in the order of layers.
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "JOBDIR": str(folder / JOB),
        "LOG_FILE": str(folder / LOG),
        "LOG_LEVEL": "INFO",
    }


def stop_with_parent(stop: Callable[[], None]) -> None:
    """Stop when standard input ends: because whoever started this process says so, or is no more."""
    threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()


def _wait_for_end(stop: Callable[[], None]) -> None:
    while os.read(_STDIN, 1):
        pass
    stop()
    time.sleep(PATIENCE)
    os._exit(1)  # what is stored is whole; what is on its way will be asked for again


def _to_parent() -> Say:
    """A way to say something to whoever started this process. What others print goes to the log."""
    pipe = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)

    def say(**what: Any) -> None:
        with suppress(OSError):  # nobody is there any more
            os.write(pipe, json.dumps(what).encode() + b"\n")

    return say


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """See to it that no other crawl writes to the folder. A process that is killed gives up its lock."""
    with (folder / LOCK).open("a+", encoding="ascii") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # a system without such locks
            pass
        except OSError:
            raise SourceError(f"{folder}: another crawl is still at work there") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
