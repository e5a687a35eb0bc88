"""The process of a crawl: ``python -m unweave.sources.crawl_process FOLDER``.

``unweave.sources.crawl`` starts it. It writes its progress to standard output, as lines of JSON,
and stops when its standard input ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess
from twisted.python.failure import Failure

from unweave.errors import SourceError, UnweaveError
from unweave.files import read_json, write_json
from unweave.page.limits import DEFAULT_LIMITS
from unweave.sources.crawl import (
    DONE_FILE,
    JOB_FOLDER,
    LOCK_FILE,
    LOG_FILE,
    PLAN_FILE,
    STOP_SECONDS,
    Crawl,
    read_plan,
)
from unweave.sources.crawl_archive import (
    ArchiveWriter,
    list_warc_files,
    read_responses,
    remove_incomplete_record,
)
from unweave.sources.frontier import Frontier
from unweave.sources.spider import (
    MAX_SERVER_DELAY_SECONDS,
    LayeredQueue,
    RequestFilter,
    SendMessage,
    SingleRequestHandler,
    SiteSpider,
)

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_MAX_REQUESTS_PER_HOST = 2
_MAX_CONCURRENT_REQUESTS = 16


def main(folder: Path) -> int:
    """Run the crawl of a folder, and return the exit status. Errors are sent to the parent."""
    send = _redirect_output()
    try:
        with _lock_folder(folder):
            run(folder, send)
    except UnweaveError as error:
        send(error=str(error))
        return 1
    return 0


def run(folder: Path, send: SendMessage) -> None:
    """Crawl until the crawl is complete or stopped. A complete one writes its statistics."""
    plan = read_plan(folder / PLAN_FILE)
    if plan is None:
        raise SourceError(f"{folder / PLAN_FILE}: no such file")
    remove_incomplete_record(folder)
    frontier = Frontier(plan)
    frontier.resume(read_responses(folder, with_bodies=False))
    archive = ArchiveWriter(
        folder,
        max_file_bytes=int(read_json(folder / PLAN_FILE)["file_bytes"]),
        user_agent=plan.options.user_agent,
    )
    shutil.rmtree(folder / JOB_FOLDER, ignore_errors=True)
    try:
        is_complete = _run_scrapy(plan, folder, frontier, archive, send)
    finally:
        archive.close()
        shutil.rmtree(folder / JOB_FOLDER, ignore_errors=True)
    if not is_complete:
        return
    statistics = frontier.statistics
    if not statistics.pages:
        # Nothing is kept, so that the next call tries again.
        for path in list_warc_files(folder):
            path.unlink()
        raise SourceError(f"{plan.start[0]}: no page found: {statistics.explain_no_pages()}")
    outcome = {**statistics.to_json(), "is_full": frontier.is_full}
    data = {"wanted": plan.to_json(), "outcome": outcome}
    write_json(folder / DONE_FILE, data, indent=1, durable=True)


def _run_scrapy(
    plan: Crawl, folder: Path, frontier: Frontier, archive: ArchiveWriter, send: SendMessage
) -> bool:
    """Let Scrapy crawl, and return whether it came to the end."""
    process = CrawlerProcess(make_settings(plan, folder))
    crawler = process.create_crawler(SiteSpider)
    failures: list[Failure] = []
    crawl = process.crawl(crawler, frontier=frontier, archive=archive, folder=folder, send=send)
    crawl.addErrback(failures.append)
    threading.Thread(target=_stop_at_end_of_input, args=(frontier,), daemon=True).start()
    process.start()
    spider = crawler.spider
    if failures:
        raise SourceError(f"the crawl failed: {failures[0].getErrorMessage()}")
    if isinstance(spider, SiteSpider) and spider.error:
        raise SourceError(spider.error)
    reason = crawler.stats.get_value("finish_reason") if crawler.stats else None
    return reason == "finished" and not frontier.is_stopped


def make_settings(plan: Crawl, folder: Path) -> dict[str, Any]:
    """Return the settings of Scrapy: polite, and without services that are not needed."""
    options = plan.options
    max_requests = min(_MAX_REQUESTS_PER_HOST * len(plan.sites), _MAX_CONCURRENT_REQUESTS)
    return {
        "USER_AGENT": options.user_agent,
        "ROBOTSTXT_OBEY": True,
        # Wait as long as the server took to respond, and at least for the delay. Servers on this
        # machine respond in a few milliseconds, so they need no exception.
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": options.delay,
        "AUTOTHROTTLE_MAX_DELAY": max(options.delay, MAX_SERVER_DELAY_SECONDS),
        "DOWNLOAD_DELAY": options.delay,
        "DOWNLOAD_DELAY_JITTER": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": _MAX_REQUESTS_PER_HOST,
        # Scrapy takes no more from the queue than it can send: it finishes that before it stops.
        "CONCURRENT_REQUESTS": max_requests,
        # Scrapy starts as many tasks for every response.
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
            **dict.fromkeys(("http", "https"), SingleRequestHandler),
            **dict.fromkeys(("data", "file", "ftp", "s3")),
        },
        # All others are off: consoles that listen on a port are on by default, and more may come.
        "EXTENSIONS_BASE": {
            "scrapy.extensions.corestats.CoreStats": 0,
            "scrapy.extensions.logstats.LogStats": 0,
            "scrapy.extensions.throttle.AutoThrottle": 0,
        },
        "SPIDER_MIDDLEWARES_BASE": {"scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": 50},
        # Next to the engine: it gets every request first and every response last.
        "DOWNLOADER_MIDDLEWARES": {RequestFilter: 10},
        "SCHEDULER": LayeredQueue,
        # One queue for all hosts, in the order of layers.
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "JOBDIR": str(folder / JOB_FOLDER),
        "LOG_FILE": str(folder / LOG_FILE),
        "LOG_LEVEL": "INFO",
    }


def _stop_at_end_of_input(frontier: Frontier) -> None:
    """Stop the crawl when standard input ends: the parent has closed it, or has ended."""
    while os.read(_STDIN, 1):
        pass
    frontier.is_stopped = True
    time.sleep(STOP_SECONDS)
    os._exit(1)  # all that is stored is complete; pending requests are repeated the next time


def _redirect_output() -> SendMessage:
    """Return a function that sends messages to the parent; other output goes to the log."""
    pipe = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)

    def send(**message: Any) -> None:
        with suppress(OSError):  # the parent has ended
            os.write(pipe, json.dumps(message).encode() + b"\n")

    return send


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Prevent that two crawls write to a folder. The lock of a process ends with it."""
    with (folder / LOCK_FILE).open("a+", encoding="ascii") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # a system without such locks
            pass
        except OSError:
            raise SourceError(f"{folder}: another crawl is running in this folder") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
