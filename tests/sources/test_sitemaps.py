"""Sitemaps of all types, also hostile ones, and crawls that start with one."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.site import compress, fetch, read_statistics
from unweave.errors import SourceError
from unweave.sources.sitemaps import MAX_SITEMAP_BYTES, parse_sitemap

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(*urls):
    return (
        f"{HEAD}<urlset {NAMESPACE}>"
        + "".join(f"<url><loc>{url}</loc></url>" for url in urls)
        + "</urlset>"
    )


def index(*urls):
    return (
        f"{HEAD}<sitemapindex {NAMESPACE}>"
        + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
        + "</sitemapindex>"
    )


@pytest.mark.parametrize(
    ("text", "sitemap_type", "urls"),
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
def test_types_and_urls_of_sitemaps(text, sitemap_type, urls):
    assert parse_sitemap(text.encode()) == (sitemap_type, urls)
    assert parse_sitemap(gzip.compress(text.encode())) == (sitemap_type, urls)


def test_images_and_dates_are_not_urls():
    image = "<image:image><image:loc>http://x/p.png</image:loc></image:image>"
    entry = f"<lastmod>2026-01-01</lastmod>{image}"
    urls = f"<url>{entry}<loc>http://x/1</loc></url><url>{entry}</url>"
    text = f'<urlset {NAMESPACE} xmlns:image="http://i/">{urls}</urlset>'
    assert parse_sitemap(text.encode()) == ("pages", ["http://x/1"])


def test_utf16_is_decoded():
    assert parse_sitemap(sitemap("http://x/é").replace("UTF-8", "UTF-16").encode("utf-16")) == (
        "pages",
        ["http://x/é"],
    )


def test_urls_before_damage_are_returned():
    """But not a URL that is incomplete."""
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
def test_other_data_is_an_error(data):
    with pytest.raises(SourceError, match="not a sitemap"):
        parse_sitemap(data)


def test_the_decompressed_size_is_limited():
    with pytest.raises(SourceError, match="52,428,800 bytes"):
        parse_sitemap(gzip.compress(bytes(MAX_SITEMAP_BYTES + 1), 1))


def declare_entities(levels):
    return "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels))


@pytest.mark.parametrize(
    "declared",
    [
        f'<!ENTITY e0 "ha">{declare_entities(10)}<!ENTITY e "&e9;">',  # a billion laughs
        f'<!ENTITY e "{"x" * 100_000}">',
        '<!ENTITY e SYSTEM "file:///etc/passwd">',
        '<!ENTITY e SYSTEM "http://127.0.0.1:1/">',
    ],
)
def test_entities_are_never_resolved(declared):
    text = (
        f"{HEAD}<!DOCTYPE urlset [{declared}]><urlset><url><loc>http://x/{'&e;' * 100}</loc></url>"
    )
    sitemap_type, urls = parse_sitemap(
        (text + "<url><loc>http://x/1</loc></url></urlset>").encode()
    )
    assert sitemap_type == "pages"
    assert set(urls) <= {"http://x/1"}


@pytest.mark.parametrize(
    "text", ["<urlset>" + "<a>" * 100_000, "<urlset><url><loc>" + "x" * 20_000_000]
)
def test_deep_and_long_sitemaps_are_bounded(text):
    assert parse_sitemap(text.encode())[1] == []
    before = text.replace("<urlset>", "<urlset><url><loc>http://x.org/a</loc></url>")
    assert parse_sitemap(before.encode())[1] == ["http://x.org/a"]


def test_an_endless_root_is_an_error():
    with pytest.raises(SourceError, match="not a sitemap"):
        parse_sitemap(("<urlset " + "a='1' " * 100_000).encode())


@given(
    st.binary(max_size=200)
    | st.text(alphabet="<>/urlsetocindxmap &;![]-?", max_size=200).map(str.encode)
)
def test_any_data_is_parsed_or_refused(data):
    try:
        sitemap_type, urls = parse_sitemap(data)
    except SourceError:
        return
    assert sitemap_type in ("pages", "sitemaps")
    assert all(isinstance(url, str) for url in urls)


def build(site):
    """Make a robots.txt with an index of sitemaps of all types, which list three pages."""
    site.respond(
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
    site.respond("/index.xml", index(*more), "text/xml")
    site.respond("/1.xml", sitemap(site.url("/a"), "http://127.0.0.1:1/"), "application/xml")
    site.respond("/2.xml.gz", compress(sitemap(site.url("/b"))), "application/x-gzip")
    site.respond("/3.txt", f"{site.url('/c')}\n{site.url('/a')}\n", "text/plain")
    site.add_page("/a", "/linked")
    site.add_page("/b", "/linked")
    site.add_page("/c", "/linked/deeper")
    site.add_page("/linked", "/linked/deeper")
    site.add_page("/linked/deeper", "/linked/deepest")


@pytest.mark.parametrize("start", ["/robots.txt", "/index.xml"])
def test_only_the_pages_of_a_sitemap_are_fetched(site, tmp_path, start):
    build(site)
    responses = fetch(site, tmp_path, [start])
    lists = {"/index.xml", "/1.xml", "/2.xml.gz", "/3.txt"}
    assert {path for path, response in responses.items() if response.is_page} == {"/a", "/b", "/c"}
    assert {
        path for path, response in responses.items() if response.url_type == "sitemap"
    } == lists | ({start} - {"/index.xml"})
    assert (read_statistics(tmp_path)["pages"], read_statistics(tmp_path)["errors"]) == (
        3,
        {"404": 1},
    )


def test_links_from_pages_of_a_sitemap_are_followed_with_a_depth(site, tmp_path):
    """Pages of a sitemap have depth 0, also if they are linked before the sitemap is read."""
    build(site)
    responses = fetch(site, tmp_path, ["/index.xml"], max_depth=1)
    pages = {path: response.depth for path, response in responses.items() if response.is_page}
    assert pages == {"/a": 0, "/b": 0, "/c": 0, "/linked": 1, "/linked/deeper": 1}


def test_a_page_in_a_sitemap_has_depth_zero_although_it_is_linked(site, tmp_path):
    """Also if a page and a sitemap are start URLs, and the page is fetched first."""
    build(site)
    site.add_page("/", "/c")
    responses = fetch(site, tmp_path, ["/", "/3.txt"], max_depth=1)
    assert {path: response.depth for path, response in responses.items() if response.is_page} == {
        "/": 0,
        "/a": 0,
        "/c": 0,
        "/linked": 1,
        "/linked/deeper": 1,
    }


def test_no_more_sitemaps_are_fetched_than_needed(site, tmp_path):
    build(site)
    fetch(site, tmp_path, ["/index.xml"], max_pages=1)
    assert site.requested == ["/robots.txt", "/index.xml", "/1.xml", "/a"]
    assert read_statistics(tmp_path)["is_full"]


def test_endless_sitemap_indexes_end(site, tmp_path):
    site.add_page("/", "/a")
    site.default = lambda path: (
        200,
        {"Content-Type": "text/xml"},
        index(site.url(path + "x"), site.url("/")).encode(),
    )
    responses = fetch(site, tmp_path, ["/index"])
    assert {"/", "/index"} < responses.keys()
    assert len(responses) < 15
