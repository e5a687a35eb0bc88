"""Crawls of a real server on this machine: what is stored, what is left alone, and where it ends."""

import gzip
import sys
from itertools import pairwise
from time import monotonic

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.sources.site import (
    Site,
    fetch,
    get_page_paths,
    linked,
    packed,
    read_by_path,
    read_statistics,
)
from unweave.errors import MissingExtra, SinkError, SourceError, UsageError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.sources.crawl import Crawl, CrawlOptions, crawl
from unweave.sources.crawl_archive import list_warc_files
from unweave.sources.crawl_process import make_settings

RUSSIAN = "<h1>Каталог</h1><a href=/a>a</a>".encode("windows-1251")


def build(site):
    """A small site with all that sites have."""
    site.say("/robots.txt", "User-agent: *\nDisallow: /basket\n", "text/plain")
    site.page(
        "/",
        "/a",
        "/a#part",
        "/b?y=2&x=1",
        "/b?x=1&y=2",
        "/old",
        "/missing",
        "/basket",
        "/paper.pdf",
        "mailto:me@x.org",
    )
    site.page("/a", "/", "/deep/", "relative")
    site.say("/b?y=2&x=1", RUSSIAN, "text/html; charset=windows-1251")
    site.move("/old", "/new?from=old", 302)
    site.say("/new?from=old", packed(linked("/a", "/deep/")), **{"Content-Encoding": "gzip"})
    site.page("/deep/", "/data", more='<a rel="external nofollow" href="/sort">sort</a>')
    site.say("/relative", linked("a?utm_source=b"))
    site.say("/data", '{"a": 1}', "application/json")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """The small site, its crawl's folder, and what was told meanwhile."""
    folder, told = tmp_path_factory.mktemp("crawled"), []
    with Site() as site:
        build(site)
        crawl(
            Crawl((site.url("/"),), CrawlOptions(max_pages=100, delay=0)),
            folder,
            progress=lambda *now: told.append(now),
        )
        yield site, folder, told


@pytest.fixture
def found(crawled):
    site, folder, _ = crawled
    return read_by_path(site, folder)


def test_all_pages_of_a_site_are_stored_once_and_nothing_else_is_asked_for(crawled, found):
    site, folder, _ = crawled
    assert get_page_paths(found) == {
        "/",
        "/a",
        "/b?y=2&x=1",
        "/new?from=old",
        "/deep/",
        "/relative",
    }
    assert set(found) - get_page_paths(found) == {"/old", "/missing", "/data"}
    assert sorted(site.asked) == sorted([*found, "/robots.txt"])
    assert {path: found[path].status for path in ("/", "/old", "/missing")} == {
        "/": 200,
        "/old": 302,
        "/missing": 404,
    }
    assert read_statistics(folder) == {
        "pages": 6,
        "redirects": 1,
        "sitemaps": 0,
        "others": 1,
        "errors": {"404": 1},
        "refused": {"robots.txt": 1},
        "failed": {},
        "is_full": False,
    }


def test_the_depth_is_the_number_of_links_from_the_start(found):
    assert {path: answer.depth for path, answer in found.items()} == {
        "/": 0,
        "/a": 1,
        "/b?y=2&x=1": 1,
        "/old": 1,
        "/new?from=old": 1,
        "/missing": 1,
        "/deep/": 2,
        "/relative": 2,
        "/data": 3,
    }


def test_bodies_are_unpacked_and_headers_fit_them(found):
    packed_page, data = found["/new?from=old"], found["/data"]
    assert packed_page.body == linked("/a", "/deep/").encode()
    assert packed_page.get_header(b"content-encoding") == b""
    assert int(packed_page.get_header(b"content-length")) == len(packed_page.body)
    assert found["/b?y=2&x=1"].body == RUSSIAN
    assert found["/b?y=2&x=1"].get_header(b"content-type") == b"text/html; charset=windows-1251"
    assert found["/old"].location == b"/new?from=old"
    assert (data.body, data.is_truncated) == (b"", True)


def test_progress_is_told(crawled):
    _, _, told = crawled
    assert (told[0], told[-1]) == ((0, 1), (6, 0))
    assert [pages for pages, _ in told] == sorted(pages for pages, _ in told)


def test_a_crawl_that_is_complete_is_not_fetched_again(crawled, found):
    site, folder, _ = crawled
    before = list(site.asked)
    assert fetch(site, folder, max_pages=100).keys() == found.keys()
    assert site.asked == before


def test_a_folder_keeps_to_its_crawl(crawled):
    site, folder, _ = crawled
    start = (site.url("/"),)
    for wanted in (
        Crawl((site.url("/a"),), CrawlOptions(max_pages=100)),
        Crawl(start, CrawlOptions(max_pages=99)),
        Crawl(start, CrawlOptions(max_pages=100, max_depth=3)),
        Crawl(start, CrawlOptions(max_pages=100, hosts=("x.org",))),
    ):
        with pytest.raises(SourceError, match="contains another crawl"):
            crawl(wanted, folder)


def test_files_are_begun_anew_when_they_are_full(site, tmp_path):
    site.page("/", *(f"/{number}" for number in range(20)))
    for number in range(20):
        site.page(f"/{number}", more=f"<p>{number}" * 99)
    crawl(Crawl((site.url("/"),), CrawlOptions(delay=0)), tmp_path, max_warc_bytes=2_000)
    assert len(read_by_path(site, tmp_path)) == 21
    assert len(list_warc_files(tmp_path)) > 3
    for path in list_warc_files(tmp_path):
        with path.open("rb") as file:
            assert next(iter(ArchiveIterator(file))).record_type == WarcRecordType.warcinfo


def endless_calendar(site):
    site.other = lambda path: (
        (
            200,
            {"Content-Type": "text/html"},
            linked(f"/day?n={int(path[7:]) + 1}", f"/day?n={int(path[7:]) + 2}").encode(),
        )
        if path.startswith("/day?n=")
        else (404, {}, b"")
    )


def test_a_calendar_without_end_ends_at_the_limit_and_goes_on_from_there(site, tmp_path):
    endless_calendar(site)
    first = fetch(site, tmp_path, ["/day?n=0"], max_pages=7)
    assert (len(first), read_statistics(tmp_path)["is_full"]) == (7, True)
    assert len(site.asked) == 8  # and robots.txt
    site.asked.clear()
    second = fetch(site, tmp_path, ["/day?n=0"], max_pages=11)
    assert len(second) == 11
    assert first.keys() <= second.keys()
    assert len(site.asked) == 5


def test_a_crawl_goes_so_many_links_far(site, tmp_path):
    endless_calendar(site)
    assert set(fetch(site, tmp_path, ["/day?n=0"], max_depth=2)) == {
        f"/day?n={day}" for day in range(5)
    }
    assert set(fetch(site, tmp_path, ["/day?n=0"], max_depth=3)) == {
        f"/day?n={day}" for day in range(7)
    }


def test_addresses_that_only_grow_are_refused(site, tmp_path):
    site.page("/", "/folder/", "/filter?a=0")
    site.other = lambda path: (200, {"Content-Type": "text/html"}, linked(grown(path)).encode())

    def grown(path):
        return f"{path}&a={path.count('&') + 1}" if "?" in path else "folder/"

    found = fetch(site, tmp_path)
    assert {path for path in found if "?" not in path} == {
        "/",
        "/folder/",
        "/folder/folder/",
        "/folder/folder/folder/",
    }
    assert max(path.count("=") for path in found) == 12
    assert read_statistics(tmp_path)["refused"] == {"endless series of URLs": 2}


def test_errors_and_redirects_without_end_end_too(site, tmp_path):
    site.page("/", *(f"/r{number}" for number in range(500)))
    site.other = lambda path: (302, {"Location": path + "1"}, b"")
    assert len(fetch(site, tmp_path, max_pages=10)) <= 140


def test_hosts_are_told_apart_by_their_ports(site, other, tmp_path):
    """Nothing is asked of another host, whoever leads there: a link, a redirect, a base, robots.txt."""
    site.move("/robots.txt", other.url("/robots.txt"))
    site.page(
        "/",
        other.url("/linked"),
        "/away",
        "/based",
        "//127.0.0.1:1/",
        "http://169.254.169.254/latest/meta-data/",
    )
    site.move("/away", other.url("/moved"))
    site.say("/based", f'<base href="{other.url()}"><a href="page">page</a>')
    found = fetch(site, tmp_path)
    assert set(found) == {"/", "/away", "/based"}
    assert read_statistics(tmp_path)["refused"] == {"redirect to another host": 1}
    assert other.asked == []


def test_other_hosts_are_crawled_if_they_are_named(site, other, tmp_path):
    site.page("/", other.url("/linked"), "/away")
    site.move("/away", other.url("/moved"))
    other.page("/linked")
    other.page("/moved")
    found = fetch(site, tmp_path, hosts=(other.url().removeprefix("http://"),))
    assert set(found) == {"/", "/away", other.url("/linked"), other.url("/moved")}


def test_robots_may_speak_to_us_alone(site, tmp_path):
    site.say(
        "/robots.txt",
        "User-agent: *\nDisallow:\n\nUser-agent: unweave\nDisallow: /b\n",
        "text/plain",
    )
    site.page("/", "/a", "/b")
    site.page("/a", "/b/c")
    assert set(fetch(site, tmp_path)) == {"/", "/a"}
    assert read_statistics(tmp_path)["refused"] == {"robots.txt": 2}


@pytest.mark.parametrize(("robots", "delay"), [("", 0.2), ("User-agent: *\nCrawl-delay: 0.2\n", 0)])
def test_requests_wait_for_each_other(site, tmp_path, robots, delay):
    """At least so long, as we and as the site wants it. The first may be late, so all are looked at together."""
    times = []
    site.say("/robots.txt", robots, "text/plain")
    site.page("/", "/1", "/2", "/3")
    for path in ("/", "/1", "/2", "/3"):
        site.hooks[path] = lambda: times.append(monotonic())
    for path in ("/1", "/2", "/3"):
        site.page(path)
    fetch(site, tmp_path, delay=delay)
    waited = [after - before for before, after in pairwise(times)]
    assert sum(waited) > 0.5 * 3 * 0.2


def test_a_retry_waits_like_any_other_request(site, tmp_path):
    """Also if the server drops a connection that was kept open, which HTTP libraries try again at once by themselves."""
    delay = 0.4
    times = []

    def drop_twice():
        times.append(monotonic())
        if site.asked.count("/a") <= 2:
            raise ConnectionResetError

    site.page("/", "/a")
    site.page("/a")
    site.hooks = {
        "/robots.txt": lambda: times.append(monotonic()),
        "/": lambda: times.append(monotonic()),
        "/a": drop_twice,
    }
    found = fetch(site, tmp_path, delay=delay)
    assert get_page_paths(found) == {"/", "/a"}
    assert site.asked == ["/robots.txt", "/", "/a", "/a", "/a"]
    gaps = [after - before for before, after in pairwise(times)]
    assert len(gaps) == 4
    assert min(gaps) > delay / 2


def test_a_delay_is_never_shortened(tmp_path):
    for delay in (0.0, 1.0, 300.0):
        chosen = make_settings(Crawl(("http://x.org/",), CrawlOptions(delay=delay)), tmp_path)
        assert chosen["DOWNLOAD_DELAY"] == delay
        assert chosen["AUTOTHROTTLE_MAX_DELAY"] >= max(delay, 60.0)


def test_what_is_too_large_is_not_stored(site, tmp_path):
    """Neither what says so, nor what turns out to be when it is unpacked."""
    site.page("/", "/long", "/bomb")
    site.say("/long", "<p>a", **{"Content-Length": 10**9})
    site.say(
        "/bomb", gzip.compress(bytes(DEFAULT_LIMITS.bytes + 1), 1), **{"Content-Encoding": "gzip"}
    )
    assert set(fetch(site, tmp_path)) == {"/"}
    assert read_statistics(tmp_path)["failed"] == {"too large": 2}


def test_old_pages_that_send_readers_on_and_frames_are_followed(site, tmp_path):
    site.say("/", '<meta http-equiv="Refresh" content="0; URL=/home"><p>One moment')
    site.say("/home", '<frameset cols="1,2"><frame src="/menu"><frame src="/text"></frameset>')
    site.page("/menu", "/text")
    site.page("/text")
    assert set(fetch(site, tmp_path)) == {"/", "/home", "/menu", "/text"}


def test_numbers_of_visits_make_no_new_pages(site, tmp_path):
    """Without cookies, old shops number every visit anew, and send the first one on to an address with a number."""
    visits = iter(range(1000))
    site.move("/", "/?PHPSESSID=0", 302)
    site.other = lambda path: (
        200,
        {"Content-Type": "text/html"},
        linked(f"/a?PHPSESSID={next(visits)}", f"/b;jsessionid={next(visits)}?x=1").encode(),
    )
    found = fetch(site, tmp_path, max_pages=50)
    assert sorted(path[:3] for path in found) == ["/", "/?P", "/a?", "/b;"]


def test_what_cannot_be_crawled_says_so_in_a_line_and_can_be_tried_again(site, tmp_path):
    def fails(match, start="/"):
        with pytest.raises(SourceError, match=match) as caught:
            fetch(site, tmp_path, [start])
        assert "\n" not in str(caught.value)
        assert list_warc_files(tmp_path) == []

    fails("http://127.0.0.1:1/: no page found: connection refused", "http://127.0.0.1:1/")
    site.say("/robots.txt", "User-agent: *\nDisallow: /\n", "text/plain")
    fails("not requested because of robots.txt")
    site.say("/robots.txt", "later", status=503)
    fails("robots.txt: the server returned 503")
    site.say("/robots.txt", "", status=404)
    site.move("/", "http://localhost:1/")
    fails("not requested because of redirect to another host")
    site.page("/")
    assert set(fetch(site, tmp_path)) == {"/"}


@pytest.mark.parametrize(
    "start",
    [(), ("x.org",), ("ftp://x.org/",), ("http://",), ("http://me:secret@x.org/",), ("http://[/",)],
)
def test_a_start_is_an_address(start):
    with pytest.raises(UsageError):
        Crawl(start=start)


@pytest.mark.parametrize(
    "more",
    [
        {"max_pages": 0},
        {"max_depth": -1},
        {"delay": -1.0},
        {"hosts": ("[",)},
        {"user_agent": ""},
        {"user_agent": "me\r\nHost: x"},
    ],
)
def test_what_makes_no_sense_is_refused(more):
    with pytest.raises(UsageError):
        Crawl(("http://x.org/",), CrawlOptions(**more))


def test_a_folder_that_cannot_be_written_to_says_so(site, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SinkError, match="cannot write"):
        fetch(site, tmp_path / "file")


def test_a_crawl_is_plain_data():
    wanted = Crawl(("http://x.org/", "http://y.org/"), CrawlOptions(max_depth=3, hosts=("z.org",)))
    assert Crawl.from_json(wanted.to_json()) == wanted


def test_without_scrapy_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "scrapy", None)
    with pytest.raises(MissingExtra, match=r"unweave\[crawl\]"):
        crawl(Crawl(start=("http://x.org/",)), tmp_path)
