"""Where answers lead."""

from hypothesis import assume, given
from hypothesis import strategies as st

from unweave.sources.archive import Answer
from unweave.sources.links import links, redirect

HTML = ((b"Content-Type", b"text/html"),)


def leads(body, headers=HTML, url="http://x.org/folder/page"):
    return list(
        links(Answer(url, 200, headers, body if isinstance(body, bytes) else body.encode()))
    )


def test_links_are_seen_from_the_page_or_its_base():
    body = "<a href=a>1</a><a href=/b>2</a><area href=?c><a href='//y.org/d'>3</a><a>4</a><a href='a#x'>5</a>"
    body += "<link href=/e><img src=/f>"
    assert leads(body) == [
        "http://x.org/folder/a",
        "http://x.org/b",
        "http://x.org/folder/page?c",
        "http://y.org/d",
        "http://x.org/folder/a",
    ]
    assert leads('<base href="/other/"><a href=a>a</a>') == ["http://x.org/other/a"]
    assert leads('<base href="http://[/"><a href=a>a</a><a href=/b>b</a>') == [
        "http://x.org/folder/a",
        "http://x.org/b",
    ]


def test_files_are_no_pages_and_neither_is_what_nobody_should_follow():
    assert leads(
        "<a href=a.PDF>1</a><a href=b.jpg?x>2</a><a href=c rel='Nofollow ugc'>3</a><a href=d.html>4</a><a href=pdf>5</a>"
    ) == [
        "http://x.org/folder/d.html",
        "http://x.org/folder/pdf",
    ]


def test_addresses_are_read_in_the_encoding_that_the_transport_says():
    body = "<p>Страница</p><a href='/каталог'>a</a>"
    expected = ["http://x.org/%D0%BA%D0%B0%D1%82%D0%B0%D0%BB%D0%BE%D0%B3"]
    assert (
        leads(body.encode("windows-1251"), ((b"Content-Type", b"text/html; Charset=windows-1251"),))
        == expected
    )
    assert leads(body.encode(), ((b"Content-Type", b"text/html;charset=UTF-8"),)) == expected


def test_there_is_an_end_of_links():
    assert len(leads("".join(f"<a href={number}>a</a>" for number in range(20_000)))) == 10_000


def test_what_is_no_html_has_no_links():
    assert leads(b"%PDF-1.4 <a href=a>") == []
    assert leads(b"") == []


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_whatever_stands_in_a_page_there_is_an_answer(base, href, refresh):
    head = f'<base href="{base}"><meta http-equiv=refresh content="0;url={refresh}">'
    body = f'{head}<a href="{href}">a</a><a href="/{href}">b</a>'
    urls = leads(body.encode(errors="replace"))
    assume(urls)
    assert all(url.startswith(("http://", "https://")) for url in urls)


@given(st.text(alphabet=":/[]?#@ab.1%", max_size=12), st.text(alphabet=":/[]?#@ab.1%", max_size=12))
def test_whatever_addresses_are_made_of_there_is_an_answer(base, href):
    urls = leads(f'<base href="{base}"><a href="/{href}">b</a>')
    assume(urls)
    assert all(url.startswith(("http://", "https://")) for url in urls)


@given(st.binary(max_size=30))
def test_redirects_lead_to_an_address_or_nowhere(location):
    target = redirect(Answer("http://x.org/a", 302, ((b"Location", location),)))
    assert target is None or target.startswith(("http://", "https://"))
