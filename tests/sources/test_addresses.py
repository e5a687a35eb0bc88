"""Addresses: one way to write them, one number for a page, and traps."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unweave.sources.addresses import key_of, leads_in_circles, normal, site_of

ANY = st.text(max_size=40) | st.from_regex(
    r"https?://[a-z\[\]:@.0-9]{0,20}[/?#]?[\x20-\x7e]{0,20}", fullmatch=True
)


@pytest.mark.parametrize(
    ("address", "expected"),
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
def test_addresses_are_written_in_one_way(address, expected):
    assert normal(address, "http://base.org/folder/page") == expected


@given(ANY, ANY)
def test_whatever_a_page_says_is_an_address_or_none(address, base):
    url = normal(address, base)
    assume(url is not None)
    assert url.startswith(("http://", "https://"))
    assert url.isascii()
    assert not set(url) & set(" \r\n#")
    assert normal(url) == url
    assert site_of(url)
    assert key_of(url) == key_of(url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://x.org/?a=1&b=2", "http://x.org/?b=2&a=1"),
        ("http://x.org/a%2fb", "http://x.org/a%2Fb"),
        ("http://x.org/a", "http://x.org/a?utm_source=mail&utm_medium=mail"),
        ("http://x.org/a?b=1", "http://x.org/a?PHPSESSID=f00&b=1"),
        ("http://x.org/a?b=1", "http://x.org/a?b=1&phpsessid=f00"),
        ("http://x.org/a?b=1", "http://x.org/a;jsessionid=F00?b=1"),
    ],
)
def test_one_page_has_one_number(one, other):
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://x.org/a", "https://x.org/a"),
        ("http://x.org/a", "http://x.org/a/"),
        ("http://x.org/a", "http://x.org/A"),
        ("http://x.org/?a=1", "http://x.org/?a=2"),
        ("http://x.org/?a", "http://x.org/?b"),
    ],
)
def test_different_pages_have_different_numbers(one, other):
    assert key_of(one) != key_of(other)


def test_a_redirect_may_add_the_number_of_a_visit():
    assert key_of("http://x.org/", exact=True) != key_of("http://x.org/?PHPSESSID=1", exact=True)


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("http://www.x.org/a", "x.org"),
        ("https://X.org:443/", "x.org"),
        ("http://x.org:8080/", "x.org:8080"),
        ("https://shop.x.org/", "shop.x.org"),
        ("x.org", "x.org"),
        ("127.0.0.1:8080", "127.0.0.1:8080"),
    ],
)
def test_a_site_is_a_host_and_a_port(address, site):
    assert site_of(address) == site


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
def test_addresses_that_lead_in_circles_are_told_by_their_shape(path, expected):
    assert leads_in_circles("http://x.org" + path) == expected
