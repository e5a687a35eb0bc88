"""Sitemaps of all kinds, hostile ones too, and crawls that begin with one."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.site import fetch, packed, read_statistics
from unweave.errors import SourceError
from unweave.sources.sitemaps import MAX_SITEMAP_BYTES, parse_sitemap

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(*urls):
    return (
        f"{HEAD}<urlset {SPACE}>"
        + "".join(f"<url><loc>{url}</loc></url>" for url in urls)
        + "</urlset>"
    )


def index(*urls):
    return (
        f"{HEAD}<sitemapindex {SPACE}>"
        + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
        + "</sitemapindex>"
    )


@pytest.mark.parametrize(
    ("text", "kind", "urls"),
    [
        (sitemap("http://x/1", " http://x/2\n"), "pages", ["http://x/1", "http://x/2"]),
        (
            index("http://x/a.xml", "http://x/b.xml"),
            "sitemaps",
            ["http://x/a.xml", "http://x/b.xml"],
        ),
        (sitemap(), "pages", []),
        (
            sitemap("http://x/?a=1&amp;b=2", "http://x/?a=1&b=2"),
            "pages",
            ["http://x/?a=1&b=2", "http://x/?a=1&b=2"],
        ),
        (sitemap("<![CDATA[http://x/?a=1&b=2]]>"), "pages", ["http://x/?a=1&b=2"]),
        ("\ufeff\n" + sitemap("http://x/é"), "pages", ["http://x/é"]),
        ("<urlset><url><loc>http://x/1</loc></url></urlset>", "pages", ["http://x/1"]),
        ("http://x/1\r\nhttps://x/2\n\n", "pages", ["http://x/1", "https://x/2"]),
        ("User-agent: *\nDisallow: /a\nSITEMAP: http://x/s.xml\n", "sitemaps", ["http://x/s.xml"]),
        ("User-agent: *\nDisallow: /a\n", "sitemaps", []),
    ],
)
def test_what_a_sitemap_lists(text, kind, urls):
    assert parse_sitemap(text.encode()) == (kind, urls)
    assert parse_sitemap(gzip.compress(text.encode())) == (kind, urls)


def test_pictures_and_dates_are_no_pages():
    more = "<lastmod>2026-01-01</lastmod><image:image><image:loc>http://x/p.png</image:loc></image:image>"
    text = f'<urlset {SPACE} xmlns:image="http://i/"><url>{more}<loc>http://x/1</loc></url><url>{more}</url></urlset>'
    assert parse_sitemap(text.encode()) == ("pages", ["http://x/1"])


def test_other_encodings_are_read():
    assert parse_sitemap(sitemap("http://x/é").replace("UTF-8", "UTF-16").encode("utf-16")) == (
        "pages",
        ["http://x/é"],
    )


def test_what_stands_before_a_break_is_taken():
    """But not an address that is torn itself."""
    text = sitemap("http://x/1", "http://x/2", "http://x/3").encode()
    assert parse_sitemap(text[: text.index(b"/3")]) == ("pages", ["http://x/1", "http://x/2"])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   ",
        b"hello",
        b"<html><p>hello</p></html>",
        b"<!doctype html><p>a<br>b",
        b"<rss/>",
        b"\x1f\x8bno",
        b"\x00\x01",
        b"{}",
    ],
)
def test_what_is_no_sitemap_says_so(data):
    with pytest.raises(SourceError, match="not a sitemap"):
        parse_sitemap(data)


def test_what_unpacks_to_too_much_is_refused():
    with pytest.raises(SourceError, match="52,428,800 bytes"):
        parse_sitemap(gzip.compress(bytes(MAX_SITEMAP_BYTES + 1), 1))


def entities(levels):
    return "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels))


@pytest.mark.parametrize(
    "declared",
    [
        f'<!ENTITY e0 "ha">{entities(10)}<!ENTITY e "&e9;">',  # a billion laughs
        f'<!ENTITY e "{"x" * 100_000}">',
        '<!ENTITY e SYSTEM "file:///etc/passwd">',
        '<!ENTITY e SYSTEM "http://127.0.0.1:1/">',
    ],
)
def test_entities_are_never_put_in(declared):
    text = (
        f"{HEAD}<!DOCTYPE urlset [{declared}]><urlset><url><loc>http://x/{'&e;' * 100}</loc></url>"
    )
    kind, urls = parse_sitemap((text + "<url><loc>http://x/1</loc></url></urlset>").encode())
    assert kind == "pages"
    assert set(urls) <= {"http://x/1"}


@pytest.mark.parametrize(
    "text", ["<urlset>" + "<a>" * 100_000, "<urlset><url><loc>" + "x" * 20_000_000]
)
def test_deep_and_long_sitemaps_end(text):
    assert parse_sitemap(text.encode())[1] == []
    before = text.replace("<urlset>", "<urlset><url><loc>http://x.org/a</loc></url>")
    assert parse_sitemap(before.encode())[1] == ["http://x.org/a"]


def test_a_root_without_end_is_no_sitemap():
    with pytest.raises(SourceError, match="not a sitemap"):
        parse_sitemap(("<urlset " + "a='1' " * 100_000).encode())


@given(
    st.binary(max_size=200)
    | st.text(alphabet="<>/urlsetocindxmap &;![]-?", max_size=200).map(str.encode)
)
def test_whatever_it_is_there_is_an_answer(data):
    try:
        kind, urls = parse_sitemap(data)
    except SourceError:
        return
    assert kind in ("pages", "sitemaps")
    assert all(isinstance(url, str) for url in urls)


def build(site):
    """A robots.txt, that names a list of sitemaps of all kinds, that lists three pages and some that are none of ours."""
    site.say(
        "/robots.txt",
        f"User-agent: *\nDisallow:\nSitemap: {site.url('/index.xml')}\n",
        "text/plain",
    )
    more = [
        site.url("/1.xml"),
        site.url("/2.xml.gz"),
        site.url("/3.txt"),
        "http://127.0.0.1:1/4.xml",
        site.url("/missing.xml"),
    ]
    site.say("/index.xml", index(*more), "text/xml")
    site.say("/1.xml", sitemap(site.url("/a"), "http://127.0.0.1:1/"), "application/xml")
    site.say("/2.xml.gz", packed(sitemap(site.url("/b"))), "application/x-gzip")
    site.say("/3.txt", f"{site.url('/c')}\n{site.url('/a')}\n", "text/plain")
    site.page("/a", "/linked")
    site.page("/b", "/linked")
    site.page("/c", "/linked/deeper")
    site.page("/linked", "/linked/deeper")
    site.page("/linked/deeper", "/linked/deepest")


@pytest.mark.parametrize("start", ["/robots.txt", "/index.xml"])
def test_the_pages_of_a_sitemap_are_fetched_and_no_more(site, tmp_path, start):
    build(site)
    found = fetch(site, tmp_path, [start])
    lists = {"/index.xml", "/1.xml", "/2.xml.gz", "/3.txt"}
    assert {path for path, answer in found.items() if answer.is_page} == {"/a", "/b", "/c"}
    assert {path for path, answer in found.items() if answer.url_type == "sitemap"} == lists | (
        {start} - {"/index.xml"}
    )
    assert (read_statistics(tmp_path)["pages"], read_statistics(tmp_path)["errors"]) == (
        3,
        {"404": 1},
    )


def test_links_are_followed_from_the_pages_of_a_sitemap_if_wanted(site, tmp_path):
    """All that is listed counts as the start, also what is linked before the list that has it is read."""
    build(site)
    found = fetch(site, tmp_path, ["/index.xml"], max_depth=1)
    pages = {path: answer.depth for path, answer in found.items() if answer.is_page}
    assert pages == {"/a": 0, "/b": 0, "/c": 0, "/linked": 1, "/linked/deeper": 1}


def test_what_is_linked_and_listed_counts_as_listed(site, tmp_path):
    """Also if a page and a sitemap are both named to begin with, and the page is answered first."""
    build(site)
    site.page("/", "/c")
    found = fetch(site, tmp_path, ["/", "/3.txt"], max_depth=1)
    assert {path: answer.depth for path, answer in found.items() if answer.is_page} == {
        "/": 0,
        "/a": 0,
        "/c": 0,
        "/linked": 1,
        "/linked/deeper": 1,
    }


def test_no_more_lists_are_read_than_are_needed(site, tmp_path):
    build(site)
    fetch(site, tmp_path, ["/index.xml"], max_pages=1)
    assert site.asked == ["/robots.txt", "/index.xml", "/1.xml", "/a"]
    assert read_statistics(tmp_path)["is_full"]


def test_lists_of_lists_do_not_go_on_for_ever(site, tmp_path):
    site.page("/", "/a")
    site.other = lambda path: (
        200,
        {"Content-Type": "text/xml"},
        index(site.url(path + "x"), site.url("/")).encode(),
    )
    found = fetch(site, tmp_path, ["/index"])
    assert {"/", "/index"} < found.keys()
    assert len(found) < 15
