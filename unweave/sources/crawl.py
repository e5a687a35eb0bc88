"""A polite crawl of a site into WARC files. It can be taken up again after it was stopped or killed.

The folder of a crawl has what is wanted (crawl.json), what came (crawl-00000.warc.gz and so on), what was said meanwhile
(crawl.log) and, when all has come, what became of the addresses (done.json). All that a crawl knows is found again from the
WARC files, so nothing else can get lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from unweave.errors import MissingExtra, SourceError, UsageError
from unweave.sources.archive import files

WANTED, DONE, LOG, LOCK, JOB = "crawl.json", "done.json", "crawl.log", "lock", "job"
"""What lies in the folder of a crawl, beside the WARC files."""
FILE_BYTES = 500 * 1024 * 1024
PATIENCE = 5.0
"""Seconds for the answers that are on their way when a crawl is to stop."""

_NEEDED = ("scrapy", "fastwarc")

Progress = Callable[[int, int], None]
"""Is told how many pages have come, and how many addresses wait."""


def _agent() -> str:
    try:
        own = version("unweave")
    except PackageNotFoundError:
        own = "0"
    return f"unweave/{own} (+https://pypi.org/project/unweave/)"


@dataclass(frozen=True)
class Crawl:
    """What to crawl, and how far."""

    start: tuple[str, ...]
    """Addresses of pages, of sitemaps, or of a robots.txt that names sitemaps.

    If one of them is a sitemap, the pages that are listed are all, and links are followed only as far as ``depth`` says.
    """
    pages: int = 10_000
    """The most pages to store. Redirects, errors and what is no HTML are stored beside them."""
    depth: int | None = None
    """The most links to follow from the start; None for no limit."""
    hosts: tuple[str, ...] = ()
    """Hosts to follow links to, beside those of the start; with the port, if it is not the usual one."""
    delay: float = 1.0
    """The least seconds between two requests to a host: more if it is slow to answer, or if its robots.txt says so."""
    agent: str = field(default_factory=_agent)

    def __post_init__(self) -> None:
        """Refuse what cannot be crawled."""
        if not self.start:
            raise UsageError("a crawl needs an address to begin with")
        for address in (
            *self.start,
            *(own if "://" in own else f"http://{own}" for own in self.hosts),
        ):
            if not _is_address(address):
                raise UsageError(
                    f"cannot crawl {address!r}: it is no address of the web, or has a password in it"
                )
        if not self.agent.isprintable() or not self.agent:
            raise UsageError("a crawler says who it is, in one line")
        if self.pages < 1 or self.delay < 0 or (self.depth is not None and self.depth < 0):
            raise UsageError(
                "a crawl wants at least one page, and neither a depth nor a delay below 0"
            )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Crawl:
        """The crawl that plain data describes."""
        return cls(**{**data, "start": tuple(data["start"]), "hosts": tuple(data["hosts"])})

    def goes_on_from(self, earlier: Crawl) -> bool:
        """Is this the earlier crawl, or one that goes further from the same start?"""
        is_same = (self.start, frozenset(self.hosts)) == (earlier.start, frozenset(earlier.hosts))
        return (
            is_same and self.pages >= earlier.pages and _limit(self.depth) >= _limit(earlier.depth)
        )


def crawl(
    wanted: Crawl, folder: Path, *, progress: Progress | None = None, file_bytes: int = FILE_BYTES
) -> list[Path]:
    """Fetch the pages into WARC files in the folder, taking up what is there already, and give the files, all complete.

    Scrapy runs in a process of its own: its event loop can be started only once, and notebooks have one already. A crawl
    that was complete is not fetched again. One may go further than that in the folder, but neither less far nor elsewhere.
    """
    for package in _NEEDED:
        if find_spec(package) is None:
            raise MissingExtra(package, "crawl")
    if not _is_done(wanted, folder):
        _begin(wanted, folder, file_bytes)
        _run(folder, progress)
    return files(folder)


def outcome(folder: Path) -> dict[str, Any]:
    """What became of the addresses of a complete crawl.

    How many pages, redirects and errors there are, what was refused or failed and why, and whether a limit ended it.
    """
    done = read_json(folder / DONE)
    if done is None:
        raise SourceError(f"{folder}: the crawl is not complete")
    return dict(done["outcome"])


def wanted_in(path: Path) -> Crawl | None:
    """The crawl that a file in the folder tells; None if there is no such file."""
    told = read_json(path)
    try:
        return None if told is None else Crawl.from_json(told["wanted"])
    except (LookupError, TypeError, ValueError):
        raise SourceError(f"{path}: is damaged") from None


def _is_done(wanted: Crawl, folder: Path) -> bool:
    """Is all that is wanted in the folder? Raises if something else is."""
    if not files(folder):
        return False
    begun, done = wanted_in(folder / WANTED), wanted_in(folder / DONE)
    if begun is None or not wanted.goes_on_from(begun):
        raise SourceError(
            f"{folder}: has another crawl, or one that went further: choose another folder"
        )
    return done is not None and done.goes_on_from(wanted)


def _begin(wanted: Crawl, folder: Path, file_bytes: int) -> None:
    """Write down what is wanted."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOG).touch()
        (folder / DONE).unlink(missing_ok=True)
        write_json(folder / WANTED, {"wanted": wanted.to_json(), "file_bytes": file_bytes})
    except OSError as error:
        raise SourceError(f"cannot write to {folder}: {error.strerror}") from None


def _run(folder: Path, progress: Progress | None) -> None:
    """Run the crawl in a process of its own until it is complete."""
    # Not what happens to lie in the folder where it is called, but the package that is running.
    command = [sys.executable, "-P", "-m", "unweave.sources.crawler", str(folder)]
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    error = None
    with (
        (folder / LOG).open("ab") as log,
        # In a session of its own: a Ctrl-C on the terminal is for this process, which then tells the other in its own way.
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
            error = _listen(process, progress)
        finally:
            _stop(process)
    if not (folder / DONE).exists():
        raise SourceError(error or _ended(process.returncode, folder))


def _listen(process: subprocess.Popen[bytes], progress: Progress | None) -> str | None:
    """Pass on how far the crawl is, until it ends. What went wrong, if it says so."""
    error = None
    assert process.stdout is not None  # noqa: S101
    for line in process.stdout:
        said = json.loads(line)
        error = said.get("error", error)
        if progress and "pages" in said:
            progress(said["pages"], said["waiting"])
    return error


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Let the process end, which it does when nobody talks to it. If it must be killed, only what is on its way is lost."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(2 * PATIENCE)
    finally:
        process.kill()


def _ended(code: int, folder: Path) -> str:
    how = f"was killed by signal {-code}" if code < 0 else "was stopped" if not code else "failed"
    return f"the crawl {how} before its end: the same call goes on with it (see {folder / LOG})"


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write a file that appears under its name only when it is complete."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read_json(path: Path) -> dict[str, Any] | None:
    """What is in a file; None if there is no such file."""
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise SourceError(f"{path}: is damaged") from None
    return dict(data)


def _limit(depth: int | None) -> float:
    return float("inf") if depth is None else depth


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.username is None
            and parts.port != 0
        )
    except ValueError:
        return False
