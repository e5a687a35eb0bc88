"""URLs of a crawl: normalization, hashes, traps, and the links of pages."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unweave.sources.crawl_archive import StoredResponse
from unweave.sources.links import find_links, find_redirect_target, hash_url, is_trap, normalize_url
from unweave.sources.source import get_site

ANY = st.text(max_size=40) | st.from_regex(
    r"https?://[a-z\[\]:@.0-9]{0,20}[/?#]?[\x20-\x7e]{0,20}", fullmatch=True
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://x.org", "http://x.org/"),
        ("HTTP://X.Org:80/A b#part", "http://x.org/A%20b"),
        ("https://x.org:443/?q=é", "https://x.org/?q=%C3%A9"),
        ("https://x.org:80/", "https://x.org:80/"),
        (" ../up\n", "http://base.org/up"),
        ("//other.org/a", "http://other.org/a"),
        ("?page=2", "http://base.org/folder/page?page=2"),
        ("#part", "http://base.org/folder/page"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://me:secret@x.org/", None),
        ("http://[::1/", None),
        ("http://x.org:port/", None),
        ("mailto:me@x.org", None),
        ("javascript:void(0)", None),
        ("file:///etc/passwd", None),
        ("http://a b/", None),
        ("http://x.org/" + "a" * 2000, None),
        ("http://x.org/" + "a" * 1987, "http://x.org/" + "a" * 1987),
    ],
)
def test_urls_are_normalized(url, expected):
    assert normalize_url(url, "http://base.org/folder/page") == expected


@given(ANY, ANY)
def test_any_text_is_a_normalized_url_or_none(url, base):
    normalized = normalize_url(url, base)
    assume(normalized is not None)
    assert normalized.startswith(("http://", "https://"))
    assert normalized.isascii()
    assert not set(normalized) & set(" \r\n#")
    assert normalize_url(normalized) == normalized
    assert get_site(normalized)
    assert hash_url(normalized) == hash_url(normalized)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("http://x.org/?a=1&b=2", "http://x.org/?b=2&a=1"),
        ("http://x.org/a%2fb", "http://x.org/a%2Fb"),
        ("http://x.org/a", "http://x.org/a?utm_source=mail&utm_medium=mail"),
        ("http://x.org/a?b=1", "http://x.org/a?PHPSESSID=f00&b=1"),
        ("http://x.org/a?b=1", "http://x.org/a?b=1&phpsessid=f00"),
        ("http://x.org/a?b=1", "http://x.org/a;jsessionid=F00?b=1"),
    ],
)
def test_urls_of_one_page_have_one_hash(left, right):
    assert hash_url(left) == hash_url(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("http://x.org/a", "https://x.org/a"),
        ("http://x.org/a", "http://x.org/a/"),
        ("http://x.org/a", "http://x.org/A"),
        ("http://x.org/?a=1", "http://x.org/?a=2"),
        ("http://x.org/?a", "http://x.org/?b"),
    ],
)
def test_different_pages_have_different_hashes(left, right):
    assert hash_url(left) != hash_url(right)


def test_a_redirect_may_add_a_session_id():
    assert hash_url("http://x.org/", with_session=True) != hash_url(
        "http://x.org/?PHPSESSID=1", with_session=True
    )


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.x.org/a", "x.org"),
        ("https://X.org:443/", "x.org"),
        ("http://x.org:8080/", "x.org:8080"),
        ("https://shop.x.org/", "shop.x.org"),
    ],
)
def test_a_site_is_a_host_and_a_port(url, site):
    assert get_site(url) == site


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/2026/01/01/01/", False),
        ("/a/b/a/b/a/b/", False),
        ("/a/b/a/b/a/b/a/", True),
        ("/?" + "a=1&" * 12, False),
        ("/?" + "a=1&" * 13, True),
    ],
)
def test_traps_are_recognized_by_their_urls(path, expected):
    assert is_trap("http://x.org" + path) == expected


HTML = ((b"Content-Type", b"text/html"),)


def list_links(body, headers=HTML, url="http://x.org/folder/page"):
    return list(
        find_links(
            StoredResponse(url, 200, headers, body if isinstance(body, bytes) else body.encode())
        )
    )


def test_links_are_resolved_against_the_page_or_its_base():
    body = "<a href=a>1</a><a href=/b>2</a><area href=?c><a href='//y.org/d'>3</a>"
    body += "<a>4</a><a href='a#x'>5</a><link href=/e><img src=/f>"
    assert list_links(body) == [
        "http://x.org/folder/a",
        "http://x.org/b",
        "http://x.org/folder/page?c",
        "http://y.org/d",
        "http://x.org/folder/a",
    ]
    assert list_links('<base href="/other/"><a href=a>a</a>') == ["http://x.org/other/a"]
    assert list_links('<base href="http://[/"><a href=a>a</a><a href=/b>b</a>') == [
        "http://x.org/folder/a",
        "http://x.org/b",
    ]


def test_files_and_nofollow_links_are_left_out():
    assert list_links(
        "<a href=a.PDF>1</a><a href=b.jpg?x>2</a><a href=c rel='Nofollow ugc'>3</a>"
        "<a href=d.html>4</a><a href=pdf>5</a>"
    ) == [
        "http://x.org/folder/d.html",
        "http://x.org/folder/pdf",
    ]


def test_links_are_decoded_with_the_charset_of_the_response():
    body = "<p>Страница</p><a href='/каталог'>a</a>"
    expected = ["http://x.org/%D0%BA%D0%B0%D1%82%D0%B0%D0%BB%D0%BE%D0%B3"]
    assert (
        list_links(
            body.encode("windows-1251"), ((b"Content-Type", b"text/html; Charset=windows-1251"),)
        )
        == expected
    )
    assert list_links(body.encode(), ((b"Content-Type", b"text/html;charset=UTF-8"),)) == expected


def test_the_number_of_links_is_limited():
    assert len(list_links("".join(f"<a href={number}>a</a>" for number in range(20_000)))) == 10_000


def test_documents_that_are_not_html_have_no_links():
    assert list_links(b"%PDF-1.4 <a href=a>") == []
    assert list_links(b"") == []


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_any_page_has_valid_links_or_none(base, href, refresh):
    head = f'<base href="{base}"><meta http-equiv=refresh content="0;url={refresh}">'
    body = f'{head}<a href="{href}">a</a><a href="/{href}">b</a>'
    urls = list_links(body.encode(errors="replace"))
    assume(urls)
    assert all(url.startswith(("http://", "https://")) for url in urls)


@given(st.text(alphabet=":/[]?#@ab.1%", max_size=12), st.text(alphabet=":/[]?#@ab.1%", max_size=12))
def test_any_base_and_link_give_valid_urls_or_none(base, href):
    urls = list_links(f'<base href="{base}"><a href="/{href}">b</a>')
    assume(urls)
    assert all(url.startswith(("http://", "https://")) for url in urls)


@given(st.binary(max_size=30))
def test_any_location_is_a_valid_url_or_none(location):
    target = find_redirect_target(StoredResponse("http://x.org/a", 302, ((b"Location", location),)))
    assert target is None or target.startswith(("http://", "https://"))
