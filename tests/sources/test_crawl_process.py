"""A crawl that was stopped or killed goes on, and ends where it would have ended."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources.site import Site, fetch, get_page_paths, linked, read_by_path, read_statistics
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
    """A binary tree of pages, with a redirect to each second one, and something missing."""
    site.say("/robots.txt", "User-agent: *\nDisallow: /7\n", "text/plain")
    for number in range(1, PAGES):
        links = [f"/to/{2 * number}", f"/{2 * number + 1}", "/1", f"/missing/{number % 3}"]
        site.page(f"/{number}", *links, more=f"<p>{number}" * 50)
        site.move(f"/to/{number}", f"/{number}")


def worker(folder: Path) -> int:
    """The process that crawls into the folder."""
    return int((folder / LOCK_FILE).read_text())


def kill(folder: Path, how=signal.SIGKILL):
    os.kill(worker(folder), how)


def wait_for_end(folder: Path):
    """Wait until nobody is at work in the folder."""
    with (folder / LOCK_FILE).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a crawl stores that nobody disturbs: each address with its depth."""
    with Site() as site:
        build(site)
        return depths(fetch(site, tmp_path_factory.mktemp("undisturbed"), ["/1"]))


def depths(found):
    return {path: (answer.status, answer.depth) for path, answer in found.items()}


@pytest.mark.parametrize("fatal", ["/1", "/to/12", "/39"])
def test_a_crawl_that_is_killed_goes_on(site, tmp_path, undisturbed, fatal):
    """Whoever asks for this page dies of it. The second time, it does not."""
    build(site)
    site.hooks[fatal] = lambda: site.hooks.pop(fatal) and kill(tmp_path)
    with pytest.raises(SourceError, match="killed by signal 9"):
        fetch(site, tmp_path, ["/1"])
    assert not (tmp_path / DONE_FILE).exists()
    before = read_by_path(site, tmp_path)
    site.asked.clear()
    assert depths(fetch(site, tmp_path, ["/1"])) == undisturbed
    assert not before.keys() & set(site.asked)


def test_a_crawl_may_be_killed_again_and_again(site, tmp_path, undisturbed):
    build(site)
    for number in (5, 23):
        site.hooks[f"/{number}"] = lambda number=number: (
            site.hooks.pop(f"/{number}") and kill(tmp_path)
        )
    for _ in range(2):
        with pytest.raises(SourceError, match="killed"):
            fetch(site, tmp_path, ["/1"])
    assert depths(fetch(site, tmp_path, ["/1"])) == undisturbed


def test_what_was_written_halfway_is_cut_off(site, tmp_path, undisturbed):
    build(site)
    fetch(site, tmp_path, ["/1"])
    (path,) = list_warc_files(tmp_path)
    whole = path.read_bytes()
    (tmp_path / DONE_FILE).unlink()
    path.write_bytes(whole[:-100])
    assert depths(fetch(site, tmp_path, ["/1"])) == undisturbed


def test_a_file_that_was_just_begun_is_begun_again(site, tmp_path):
    site.page("/")
    fetch(site, tmp_path)
    (tmp_path / DONE_FILE).unlink()
    list_warc_files(tmp_path)[0].write_bytes(b"\x1f\x8b\x08")
    assert set(fetch(site, tmp_path)) == {"/"}


def test_a_crawl_that_is_told_to_stop_stops_and_goes_on(site, tmp_path, undisturbed):
    build(site)
    site.hooks["/11"] = lambda: site.hooks.pop("/11") and kill(tmp_path, signal.SIGTERM)
    with pytest.raises(SourceError, match="was stopped before it was complete"):
        fetch(site, tmp_path, ["/1"])
    assert "/11" in read_by_path(site, tmp_path)  # what was on its way was waited for
    assert depths(fetch(site, tmp_path, ["/1"])) == undisturbed


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_the_crawl_ends_with_the_program_that_wanted_it(site, tmp_path, undisturbed, how, code):
    """Ctrl-C, or the program's sudden death: the process that crawls notices, and stops."""
    build(site)
    command = [sys.executable, "-c", SCRIPT, site.url("/1"), str(tmp_path)]
    site.hooks["/11"] = lambda: site.hooks.pop("/11") and program.send_signal(how)
    with subprocess.Popen(command, stderr=subprocess.PIPE) as program:
        said = program.stderr.read().decode()
        assert program.wait() == code
    wait_for_end(tmp_path)
    assert not (tmp_path / DONE_FILE).exists()
    assert ("KeyboardInterrupt" in said) == (how == signal.SIGINT)
    assert depths(fetch(site, tmp_path, ["/1"])) == undisturbed


def test_one_crawl_at_a_time(site, tmp_path):
    site.page("/")
    with (tmp_path / LOCK_FILE).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(SourceError, match="another crawl is running"):
            fetch(site, tmp_path)
    assert set(fetch(site, tmp_path)) == {"/"}


def test_an_error_in_progress_stops_the_crawl(site, tmp_path):
    def stumble(pages, waiting):
        raise ZeroDivisionError

    build(site)
    with pytest.raises(ZeroDivisionError):
        crawl(Crawl((site.url("/1"),), CrawlOptions(delay=0)), tmp_path, progress=stumble)
    wait_for_end(tmp_path)
    assert not (tmp_path / DONE_FILE).exists()


def test_a_site_that_falls_silent_is_left_alone_until_the_next_call(site, tmp_path):
    """What it answers meanwhile is stored, and asked for again."""
    paths = {"/", *(f"/{number}" for number in range(30))}
    site.page("/", *paths)
    site.say("/robots.txt", "")
    site.hooks["/0"] = lambda: site.answers.pop("/", None)  # from here on
    site.other = lambda path: (503, {}, b"later")
    with pytest.raises(
        SourceError, match=r"10 requests failed in a row \(the server returned 503\)"
    ):
        fetch(site, tmp_path)
    site.asked.clear()
    site.other = lambda path: (200, {"Content-Type": "text/html"}, linked("/").encode())
    crawl(Crawl((site.url("/"),), CrawlOptions(delay=0)), tmp_path)
    assert {answer.url for answer in read_responses(tmp_path) if answer.is_page} == set(
        map(site.url, paths)
    )
    assert sorted(site.asked) == sorted([*paths - {"/"}, "/robots.txt"])


def test_a_site_that_is_silent_in_a_corner_is_crawled_to_its_end(site, tmp_path):
    broken = {f"/broken/{number}" for number in range(25)}
    site.page("/", *broken, "/last")
    site.page("/last", "/behind")
    site.page("/behind")
    site.say("/robots.txt", "")
    site.other = lambda path: (500, {}, b"broken")
    assert get_page_paths(fetch(site, tmp_path)) == {"/", "/last", "/behind"}
    assert read_statistics(tmp_path)["errors"] == {"500": 25}


def test_an_archive_of_something_else_is_not_written_to(site, tmp_path):
    (tmp_path / "crawl-00000.warc.gz").write_bytes(b"")
    with pytest.raises(SourceError, match="contains another crawl"):
        fetch(site, tmp_path)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("{", "cannot be read"),
        ("[]", "the file is damaged"),
        ("{}", "the file is damaged"),
        ('{"wanted": {"start": ["ftp://x/"], "hosts": []}}', "the file is damaged"),
    ],
)
def test_a_damaged_folder_says_so(site, tmp_path, said, reason):
    (tmp_path / "crawl-00000.warc.gz").write_bytes(b"")
    (tmp_path / "crawl.json").write_text(said)
    with pytest.raises(SourceError, match=rf"crawl\.json: {reason}"):
        fetch(site, tmp_path)
