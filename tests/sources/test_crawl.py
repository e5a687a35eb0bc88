"""Crawls of a server on this machine: what is stored, what is not requested, and the limits."""

import gzip
import sys
from itertools import pairwise
from time import monotonic

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.sources.site import (
    Site,
    compress,
    fetch,
    get_page_paths,
    make_page,
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
    """Make a small site with redirects, errors, documents and links of all kinds."""
    site.respond("/robots.txt", "User-agent: *\nDisallow: /basket\n", "text/plain")
    site.add_page(
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
    site.add_page("/a", "/", "/deep/", "relative")
    site.respond("/b?y=2&x=1", RUSSIAN, "text/html; charset=windows-1251")
    site.redirect("/old", "/new?from=old", 302)
    site.respond(
        "/new?from=old", compress(make_page("/a", "/deep/")), **{"Content-Encoding": "gzip"}
    )
    site.add_page("/deep/", "/data", extra='<a rel="external nofollow" href="/sort">sort</a>')
    site.respond("/relative", make_page("a?utm_source=b"))
    site.respond("/data", '{"a": 1}', "application/json")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """The small site, the folder of its crawl, and the calls of the progress callback."""
    folder, progress_calls = tmp_path_factory.mktemp("crawled"), []
    with Site() as site:
        build(site)
        crawl(
            Crawl((site.url("/"),), CrawlOptions(max_pages=100, delay=0)),
            folder,
            progress=lambda *now: progress_calls.append(now),
        )
        yield site, folder, progress_calls


@pytest.fixture
def responses(crawled):
    site, folder, _ = crawled
    return read_by_path(site, folder)


def test_all_pages_are_stored_once_and_nothing_else_is_requested(crawled, responses):
    site, folder, _ = crawled
    assert get_page_paths(responses) == {
        "/",
        "/a",
        "/b?y=2&x=1",
        "/new?from=old",
        "/deep/",
        "/relative",
    }
    assert set(responses) - get_page_paths(responses) == {"/old", "/missing", "/data"}
    assert sorted(site.requested) == sorted([*responses, "/robots.txt"])
    assert {path: responses[path].status for path in ("/", "/old", "/missing")} == {
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


def test_the_depth_is_the_number_of_links_from_the_start(responses):
    assert {path: response.depth for path, response in responses.items()} == {
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


def test_bodies_are_stored_decompressed_with_matching_headers(responses):
    compressed_page, data = responses["/new?from=old"], responses["/data"]
    assert compressed_page.body == make_page("/a", "/deep/").encode()
    assert compressed_page.get_header(b"content-encoding") == b""
    assert int(compressed_page.get_header(b"content-length")) == len(compressed_page.body)
    assert responses["/b?y=2&x=1"].body == RUSSIAN
    assert responses["/b?y=2&x=1"].get_header(b"content-type") == b"text/html; charset=windows-1251"
    assert responses["/old"].location == b"/new?from=old"
    assert (data.body, data.is_truncated) == (b"", True)


def test_progress_is_reported(crawled):
    _, _, progress_calls = crawled
    assert (progress_calls[0], progress_calls[-1]) == ((0, 1), (6, 0))
    assert [pages for pages, _ in progress_calls] == sorted(pages for pages, _ in progress_calls)


def test_a_complete_crawl_is_not_repeated(crawled, responses):
    site, folder, _ = crawled
    before = list(site.requested)
    assert fetch(site, folder, max_pages=100).keys() == responses.keys()
    assert site.requested == before


def test_a_folder_cannot_be_used_for_another_crawl(crawled):
    site, folder, _ = crawled
    start = (site.url("/"),)
    for plan in (
        Crawl((site.url("/a"),), CrawlOptions(max_pages=100)),
        Crawl(start, CrawlOptions(max_pages=99)),
        Crawl(start, CrawlOptions(max_pages=100, max_depth=3)),
        Crawl(start, CrawlOptions(max_pages=100, hosts=("x.org",))),
    ):
        with pytest.raises(SourceError, match="contains another crawl"):
            crawl(plan, folder)


def test_a_full_warc_file_is_followed_by_another(site, tmp_path):
    site.add_page("/", *(f"/{number}" for number in range(20)))
    for number in range(20):
        site.add_page(f"/{number}", extra=f"<p>{number}" * 99)
    crawl(Crawl((site.url("/"),), CrawlOptions(delay=0)), tmp_path, max_warc_bytes=2_000)
    assert len(read_by_path(site, tmp_path)) == 21
    assert len(list_warc_files(tmp_path)) > 3
    for path in list_warc_files(tmp_path):
        with path.open("rb") as file:
            assert next(iter(ArchiveIterator(file))).record_type == WarcRecordType.warcinfo


def add_endless_calendar(site):
    site.default = lambda path: (
        (
            200,
            {"Content-Type": "text/html"},
            make_page(f"/day?n={int(path[7:]) + 1}", f"/day?n={int(path[7:]) + 2}").encode(),
        )
        if path.startswith("/day?n=")
        else (404, {}, b"")
    )


def test_an_endless_calendar_ends_at_the_limit_and_continues_with_a_higher_one(site, tmp_path):
    add_endless_calendar(site)
    first = fetch(site, tmp_path, ["/day?n=0"], max_pages=7)
    assert (len(first), read_statistics(tmp_path)["is_full"]) == (7, True)
    assert len(site.requested) == 8  # and robots.txt
    site.requested.clear()
    second = fetch(site, tmp_path, ["/day?n=0"], max_pages=11)
    assert len(second) == 11
    assert first.keys() <= second.keys()
    assert len(site.requested) == 5


def test_links_are_followed_up_to_the_maximum_depth(site, tmp_path):
    add_endless_calendar(site)
    assert set(fetch(site, tmp_path, ["/day?n=0"], max_depth=2)) == {
        f"/day?n={day}" for day in range(5)
    }
    assert set(fetch(site, tmp_path, ["/day?n=0"], max_depth=3)) == {
        f"/day?n={day}" for day in range(7)
    }


def test_urls_of_an_endless_series_are_not_requested(site, tmp_path):
    site.add_page("/", "/folder/", "/filter?a=0")
    site.default = lambda path: (
        200,
        {"Content-Type": "text/html"},
        make_page(extend(path)).encode(),
    )

    def extend(path):
        return f"{path}&a={path.count('&') + 1}" if "?" in path else "folder/"

    responses = fetch(site, tmp_path)
    assert {path for path in responses if "?" not in path} == {
        "/",
        "/folder/",
        "/folder/folder/",
        "/folder/folder/folder/",
    }
    assert max(path.count("=") for path in responses) == 12
    assert read_statistics(tmp_path)["refused"] == {"endless series of URLs": 2}


def test_endless_redirects_end_at_the_limit_of_requests(site, tmp_path):
    site.add_page("/", *(f"/r{number}" for number in range(500)))
    site.default = lambda path: (302, {"Location": path + "1"}, b"")
    assert len(fetch(site, tmp_path, max_pages=10)) <= 140


def test_other_hosts_and_ports_are_not_requested(site, other_site, tmp_path):
    """Neither after a link, nor a redirect, a base or the redirect of a robots.txt."""
    site.redirect("/robots.txt", other_site.url("/robots.txt"))
    site.add_page(
        "/",
        other_site.url("/linked"),
        "/away",
        "/based",
        "//127.0.0.1:1/",
        "http://169.254.169.254/latest/meta-data/",
    )
    site.redirect("/away", other_site.url("/moved"))
    site.respond("/based", f'<base href="{other_site.url()}"><a href="page">page</a>')
    responses = fetch(site, tmp_path)
    assert set(responses) == {"/", "/away", "/based"}
    assert read_statistics(tmp_path)["refused"] == {"redirect to another host": 1}
    assert other_site.requested == []


def test_hosts_of_the_options_are_crawled(site, other_site, tmp_path):
    site.add_page("/", other_site.url("/linked"), "/away")
    site.redirect("/away", other_site.url("/moved"))
    other_site.add_page("/linked")
    other_site.add_page("/moved")
    responses = fetch(site, tmp_path, hosts=(other_site.url().removeprefix("http://"),))
    assert set(responses) == {"/", "/away", other_site.url("/linked"), other_site.url("/moved")}


def test_rules_for_our_user_agent_are_obeyed(site, tmp_path):
    site.respond(
        "/robots.txt",
        "User-agent: *\nDisallow:\n\nUser-agent: unweave\nDisallow: /b\n",
        "text/plain",
    )
    site.add_page("/", "/a", "/b")
    site.add_page("/a", "/b/c")
    assert set(fetch(site, tmp_path)) == {"/", "/a"}
    assert read_statistics(tmp_path)["refused"] == {"robots.txt": 2}


@pytest.mark.parametrize(("robots", "delay"), [("", 0.2), ("User-agent: *\nCrawl-delay: 0.2\n", 0)])
def test_requests_wait_for_the_delay(site, tmp_path, robots, delay):
    """The first request may be late, so the sum is tested."""
    times = []
    site.respond("/robots.txt", robots, "text/plain")
    site.add_page("/", "/1", "/2", "/3")
    for path in ("/", "/1", "/2", "/3"):
        site.hooks[path] = lambda: times.append(monotonic())
    for path in ("/1", "/2", "/3"):
        site.add_page(path)
    fetch(site, tmp_path, delay=delay)
    gaps = [after - before for before, after in pairwise(times)]
    assert sum(gaps) > 0.5 * 3 * 0.2


def test_a_retry_waits_like_any_other_request(site, tmp_path):
    """Also if the server closes a connection, after which HTTP libraries retry at once."""
    delay = 1.0  # the server may note a request some tenths of a second late
    times = []

    def close_twice():
        times.append(monotonic())
        if site.requested.count("/a") <= 2:
            raise ConnectionResetError

    site.add_page("/", "/a")
    site.add_page("/a")
    site.hooks = {
        "/robots.txt": lambda: times.append(monotonic()),
        "/": lambda: times.append(monotonic()),
        "/a": close_twice,
    }
    responses = fetch(site, tmp_path, delay=delay)
    assert get_page_paths(responses) == {"/", "/a"}
    assert site.requested == ["/robots.txt", "/", "/a", "/a", "/a"]
    gaps = [after - before for before, after in pairwise(times)]
    assert len(gaps) == 4
    assert min(gaps) > delay / 2


def test_a_delay_is_never_shortened(tmp_path):
    for delay in (0.0, 1.0, 300.0):
        settings = make_settings(Crawl(("http://x.org/",), CrawlOptions(delay=delay)), tmp_path)
        assert settings["DOWNLOAD_DELAY"] == delay
        assert settings["AUTOTHROTTLE_MAX_DELAY"] >= max(delay, 60.0)


def test_large_responses_are_not_stored(site, tmp_path):
    """Neither by their Content-Length nor by their decompressed size."""
    site.add_page("/", "/long", "/bomb")
    site.respond("/long", "<p>a", **{"Content-Length": 10**9})
    site.respond(
        "/bomb", gzip.compress(bytes(DEFAULT_LIMITS.bytes + 1), 1), **{"Content-Encoding": "gzip"}
    )
    assert set(fetch(site, tmp_path)) == {"/"}
    assert read_statistics(tmp_path)["failed"] == {"too large": 2}


def test_refreshes_and_frames_are_followed(site, tmp_path):
    site.respond("/", '<meta http-equiv="Refresh" content="0; URL=/home"><p>One moment')
    site.respond("/home", '<frameset cols="1,2"><frame src="/menu"><frame src="/text"></frameset>')
    site.add_page("/menu", "/text")
    site.add_page("/text")
    assert set(fetch(site, tmp_path)) == {"/", "/home", "/menu", "/text"}


def test_session_ids_make_no_new_pages(site, tmp_path):
    """Without cookies, old shops redirect to a URL with a session id, a new one on every page."""
    visits = iter(range(1000))
    site.redirect("/", "/?PHPSESSID=0", 302)
    site.default = lambda path: (
        200,
        {"Content-Type": "text/html"},
        make_page(f"/a?PHPSESSID={next(visits)}", f"/b;jsessionid={next(visits)}?x=1").encode(),
    )
    responses = fetch(site, tmp_path, max_pages=50)
    assert sorted(path[:3] for path in responses) == ["/", "/?P", "/a?", "/b;"]


def test_a_crawl_without_pages_is_an_error_in_one_line_and_can_be_repeated(site, tmp_path):
    def check_failure(match, start="/"):
        with pytest.raises(SourceError, match=match) as caught:
            fetch(site, tmp_path, [start])
        assert "\n" not in str(caught.value)
        assert list_warc_files(tmp_path) == []

    check_failure("http://127.0.0.1:1/: no page found: connection refused", "http://127.0.0.1:1/")
    site.respond("/robots.txt", "User-agent: *\nDisallow: /\n", "text/plain")
    check_failure("not requested because of robots.txt")
    site.respond("/robots.txt", "later", status=503)
    check_failure("robots.txt: the server returned 503")
    site.respond("/robots.txt", "", status=404)
    site.redirect("/", "http://localhost:1/")
    check_failure("not requested because of redirect to another host")
    site.add_page("/")
    assert set(fetch(site, tmp_path)) == {"/"}


@pytest.mark.parametrize(
    "start",
    [(), ("x.org",), ("ftp://x.org/",), ("http://",), ("http://me:secret@x.org/",), ("http://[/",)],
)
def test_invalid_start_urls_are_refused(start):
    with pytest.raises(UsageError):
        Crawl(start=start)


@pytest.mark.parametrize(
    "options",
    [
        {"max_pages": 0},
        {"max_depth": -1},
        {"delay": -1.0},
        {"hosts": ("[",)},
        {"user_agent": ""},
        {"user_agent": "me\r\nHost: x"},
    ],
)
def test_invalid_options_are_refused(options):
    with pytest.raises(UsageError):
        Crawl(("http://x.org/",), CrawlOptions(**options))


def test_a_folder_that_cannot_be_written_is_an_error(site, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SinkError, match="cannot write"):
        fetch(site, tmp_path / "file")


def test_a_plan_is_plain_data():
    plan = Crawl(("http://x.org/", "http://y.org/"), CrawlOptions(max_depth=3, hosts=("z.org",)))
    assert Crawl.from_json(plan.to_json()) == plan


def test_without_scrapy_the_error_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "scrapy", None)
    with pytest.raises(MissingExtra, match=r"unweave\[crawl\]"):
        crawl(Crawl(start=("http://x.org/",)), tmp_path)


@pytest.mark.parametrize("host", ["x.org", "127.0.0.1:8080", "https://www.x.org:443/"])
def test_hosts_of_the_options_need_no_scheme(host):
    plan = Crawl(("http://start.org/",), CrawlOptions(hosts=(host,)))
    expected = host if "://" not in host else "x.org"
    assert plan.sites == {"start.org", expected}
