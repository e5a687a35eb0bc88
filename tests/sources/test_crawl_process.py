"""A crawl that was stopped or killed continues, and has the same result."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources.site import Site, fetch, get_page_paths, make_page, read_by_path, read_statistics
from unweave.errors import SourceError
from unweave.sources.crawl import DONE_FILE, LOCK_FILE, Crawl, CrawlOptions, crawl
from unweave.sources.crawl_archive import list_warc_files, read_responses

PAGES = 40
SCRIPT = """
import sys
from pathlib import Path
from unweave.sources.crawl import Crawl, CrawlOptions, crawl
crawl(Crawl((sys.argv[1],), CrawlOptions(delay=0)), Path(sys.argv[2]))
"""


def build(site):
    """Make a binary tree of pages, with a redirect to every second one, and missing pages."""
    site.respond("/robots.txt", "User-agent: *\nDisallow: /7\n", "text/plain")
    for number in range(1, PAGES):
        links = [f"/to/{2 * number}", f"/{2 * number + 1}", "/1", f"/missing/{number % 3}"]
        site.add_page(f"/{number}", *links, extra=f"<p>{number}" * 50)
        site.redirect(f"/to/{number}", f"/{number}")


def read_process_id(folder: Path) -> int:
    """Return the id of the process that crawls into a folder."""
    return int((folder / LOCK_FILE).read_text())


def kill(folder: Path, signal_number=signal.SIGKILL):
    os.kill(read_process_id(folder), signal_number)


def wait_for_end(folder: Path):
    """Wait until no process has the lock of a folder."""
    with (folder / LOCK_FILE).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


@pytest.fixture(scope="module")
def expected_depths(tmp_path_factory):
    """The URLs that a crawl stores that is not interrupted, with their depths."""
    with Site() as site:
        build(site)
        return get_depths(fetch(site, tmp_path_factory.mktemp("expected_depths"), ["/1"]))


def get_depths(responses):
    return {path: (response.status, response.depth) for path, response in responses.items()}


@pytest.mark.parametrize("fatal_path", ["/1", "/to/12", "/39"])
def test_a_killed_crawl_continues(site, tmp_path, expected_depths, fatal_path):
    """The request of this path kills the process, once."""
    build(site)
    site.hooks[fatal_path] = lambda: site.hooks.pop(fatal_path) and kill(tmp_path)
    with pytest.raises(SourceError, match="killed by signal 9"):
        fetch(site, tmp_path, ["/1"])
    assert not (tmp_path / DONE_FILE).exists()
    stored_before = read_by_path(site, tmp_path)
    site.requested.clear()
    assert get_depths(fetch(site, tmp_path, ["/1"])) == expected_depths
    assert not stored_before.keys() & set(site.requested)


def test_a_crawl_can_be_killed_several_times(site, tmp_path, expected_depths):
    build(site)
    for number in (5, 23):
        site.hooks[f"/{number}"] = lambda number=number: (
            site.hooks.pop(f"/{number}") and kill(tmp_path)
        )
    for _ in range(2):
        with pytest.raises(SourceError, match="killed"):
            fetch(site, tmp_path, ["/1"])
    assert get_depths(fetch(site, tmp_path, ["/1"])) == expected_depths


def test_an_incomplete_record_is_requested_again(site, tmp_path, expected_depths):
    build(site)
    fetch(site, tmp_path, ["/1"])
    (path,) = list_warc_files(tmp_path)
    whole = path.read_bytes()
    (tmp_path / DONE_FILE).unlink()
    path.write_bytes(whole[:-100])
    assert get_depths(fetch(site, tmp_path, ["/1"])) == expected_depths


def test_an_incomplete_first_record_is_written_again(site, tmp_path):
    site.add_page("/")
    fetch(site, tmp_path)
    (tmp_path / DONE_FILE).unlink()
    list_warc_files(tmp_path)[0].write_bytes(b"\x1f\x8b\x08")
    assert set(fetch(site, tmp_path)) == {"/"}


def test_a_stopped_crawl_continues(site, tmp_path, expected_depths):
    build(site)
    site.hooks["/11"] = lambda: site.hooks.pop("/11") and kill(tmp_path, signal.SIGTERM)
    with pytest.raises(SourceError, match="was stopped before it was complete"):
        fetch(site, tmp_path, ["/1"])
    assert "/11" in read_by_path(site, tmp_path)  # pending responses were stored
    assert get_depths(fetch(site, tmp_path, ["/1"])) == expected_depths


@pytest.mark.parametrize(
    ("signal_number", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_crawl_ends_with_the_program_that_started_it(
    site, tmp_path, expected_depths, signal_number, code
):
    """After Ctrl-C, or when the program is killed."""
    build(site)
    command = [sys.executable, "-c", SCRIPT, site.url("/1"), str(tmp_path)]
    site.hooks["/11"] = lambda: site.hooks.pop("/11") and program.send_signal(signal_number)
    with subprocess.Popen(command, stderr=subprocess.PIPE) as program:
        output = program.stderr.read().decode()
        assert program.wait() == code
    wait_for_end(tmp_path)
    assert not (tmp_path / DONE_FILE).exists()
    assert ("KeyboardInterrupt" in output) == (signal_number == signal.SIGINT)
    assert get_depths(fetch(site, tmp_path, ["/1"])) == expected_depths


def test_two_crawls_cannot_use_a_folder_at_the_same_time(site, tmp_path):
    site.add_page("/")
    with (tmp_path / LOCK_FILE).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(SourceError, match="another crawl is running"):
            fetch(site, tmp_path)
    assert set(fetch(site, tmp_path)) == {"/"}


def test_an_error_of_the_progress_callback_stops_the_crawl(site, tmp_path):
    def fail(pages, waiting):
        raise ZeroDivisionError

    build(site)
    with pytest.raises(ZeroDivisionError):
        crawl(Crawl((site.url("/1"),), CrawlOptions(delay=0)), tmp_path, progress=fail)
    wait_for_end(tmp_path)
    assert not (tmp_path / DONE_FILE).exists()


def test_a_site_that_stops_responding_is_continued_later(site, tmp_path):
    """Its errors are stored, and the URLs requested again."""
    paths = {"/", *(f"/{number}" for number in range(30))}
    site.add_page("/", *paths)
    site.respond("/robots.txt", "")
    site.hooks["/0"] = lambda: site.responses.pop("/", None)  # from here on
    site.default = lambda path: (503, {}, b"later")
    with pytest.raises(
        SourceError, match=r"10 requests failed in a row \(the server returned 503\)"
    ):
        fetch(site, tmp_path)
    site.requested.clear()
    site.default = lambda path: (200, {"Content-Type": "text/html"}, make_page("/").encode())
    crawl(Crawl((site.url("/"),), CrawlOptions(delay=0)), tmp_path)
    assert {response.url for response in read_responses(tmp_path) if response.is_page} == set(
        map(site.url, paths)
    )
    assert sorted(site.requested) == sorted([*paths - {"/"}, "/robots.txt"])


def test_a_site_with_some_failing_pages_is_crawled_to_its_end(site, tmp_path):
    failing = {f"/broken/{number}" for number in range(25)}
    site.add_page("/", *failing, "/last")
    site.add_page("/last", "/behind")
    site.add_page("/behind")
    site.respond("/robots.txt", "")
    site.default = lambda path: (500, {}, b"broken")
    assert get_page_paths(fetch(site, tmp_path)) == {"/", "/last", "/behind"}
    assert read_statistics(tmp_path)["errors"] == {"500": 25}


def test_warc_files_of_another_crawl_are_not_changed(site, tmp_path):
    (tmp_path / "crawl-00000.warc.gz").write_bytes(b"")
    with pytest.raises(SourceError, match="contains another crawl"):
        fetch(site, tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "cannot be read"),
        ("[]", "the file is damaged"),
        ("{}", "the file is damaged"),
        ('{"wanted": {"start": ["ftp://x/"], "hosts": []}}', "the file is damaged"),
    ],
)
def test_a_damaged_plan_is_an_error(site, tmp_path, content, reason):
    (tmp_path / "crawl-00000.warc.gz").write_bytes(b"")
    (tmp_path / "crawl.json").write_text(content)
    with pytest.raises(SourceError, match=rf"crawl\.json: {reason}"):
        fetch(site, tmp_path)
