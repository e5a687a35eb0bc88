"""Bad input: each has a clear message, and does not affect other pages."""

import bz2
import gzip
import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import unweave
from unweave import EmptyPage, NotHTML, PageTooLarge, SourceError, UnweaveError
from unweave.cli import main
from unweave.lists.method import METHODS

MEGABYTE = 1_000_000

REFUSED = {
    "empty": (b"", EmptyPage, "the page is empty: 0 bytes"),
    "blank": (b" \n\t ", EmptyPage, "the page has no content: no elements and no text"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(200), NotHTML, "not HTML but a PNG picture"),
    "pdf": (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>", NotHTML, "not HTML but a PDF document"),
    "gzip": (
        gzip.compress(b"<p>x</p>"),
        NotHTML,
        "not HTML but gzip-compressed data: unpack it first (gunzip)",
    ),
    "bzip2": (
        bz2.compress(b"<p>x</p>", 1),
        NotHTML,
        "not HTML but bzip2-compressed data: unpack it first (bunzip2)",
    ),
    "webp": (
        b"RIFF\x24\x00\x00\x00WEBPVP8 ",
        NotHTML,
        "not HTML but a WebP picture, a sound or a video",
    ),
    "mp4": (
        b"\x00\x00\x00\x20ftypisom",
        NotHTML,
        "not HTML but a video or picture (MP4, AVIF or HEIC)",
    ),
    "zip": (
        b"PK\x03\x04" + bytes(100),
        NotHTML,
        "not HTML but a ZIP archive or an Office document",
    ),
    "nul": (bytes(1000), NotHTML, "not HTML but NUL bytes"),
    "binary": (
        b"\x01\x02\x00\x03 something \x00",
        NotHTML,
        "not HTML but binary data: NUL bytes and no tag at its beginning",
    ),
    "divs": (
        b"<div>" * (20 * MEGABYTE),
        PageTooLarge,
        "the page has 33,554,433 bytes or more; the limit is 33,554,432",
    ),
    "siblings": (
        b"<p>x</p>" * MEGABYTE,
        PageTooLarge,
        "the page has more than 500,000 elements, which is the limit",
    ),
    "deep": (
        b"<div>" * 100_000 + b"x",
        PageTooLarge,
        "elements are nested more than 256 levels deep, which is the limit",
    ),
    "long-name": (
        b"<" + b"x" * 200 + b">x",
        PageTooLarge,
        "an element's name has more than 100 characters, which is the limit",
    ),
    "reopened": (
        b"".join(b"<b x%d><p>" % n for n in range(20_000)),
        PageTooLarge,
        "the page has 20,000 formatting elements that are never closed",
    ),
    "noise": (
        bytes(range(256)) * 8,
        NotHTML,
        "not HTML but binary data: control characters at its beginning",
    ),
    "utf-32": (
        "<p>x</p>".encode("utf-32"),
        NotHTML,
        "not HTML but UTF-32 text, which browsers do not read",
    ),
    "lone-end": (b"</html>", EmptyPage, "the page has no content: no elements and no text"),
    "comment": (
        b"<!-- nothing else -->",
        EmptyPage,
        "the page has no content: no elements and no text",
    ),
}

READ = {
    "unclosed": b"<html><body><table><tr><td><ul><li><b><i>one<li>two<li>three<p>four",
    "invalid-utf8": b"<html><meta charset=utf-8><p>caf\xe9 \xff\xfe \xc3</p></html>",
    "some-nuls": b"<p>a\x00b</p><p>c</p>",
    "radio": b"<html>\n\nWAVE radio: RIFF and BZh",
    "text": b"just text and no tag at all",
    "attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(20_000)) + b">x",
    "formatting": b"<font color=i><p>x" * 2_000,
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    for name, (data, _, _) in REFUSED.items():
        (folder / f"{name}.html").write_bytes(data)
    for name, data in READ.items():
        (folder / f"{name}.html").write_bytes(data)
    (folder / "good.html").write_bytes(
        b"<ul>"
        + b"".join(
            b"<li><a href=/%d><b>title %d</b></a><p>text of item %d</p></li>" % (k, k, k)
            for k in range(3)
        )
        + b"</ul>"
    )
    return folder


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_page_is_refused_with_its_reason(folder, name):
    _, error, reason = REFUSED[name]
    with pytest.raises(error) as caught:
        unweave.records(folder / f"{name}.html")
    assert str(caught.value) == reason


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("name", READ)
def test_what_is_a_poor_page_is_read(folder, name, method):
    page = unweave.load_page(folder / f"{name}.html")
    assert page.texts
    assert all(len(table) for table in unweave.records(page, method=method))


def test_invalid_utf8_is_reported(folder):
    page = unweave.load_page(folder / "invalid-utf8.html")
    assert page.warnings == ("some bytes are not UTF-8 and were replaced by \ufffd",)
    assert "caf\ufffd" in page.text()


def test_unclosed_everything_still_has_its_texts(folder):
    assert unweave.load_page(folder / "unclosed.html").texts == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.html", "no such file"),
        (".", "is a folder; give its files, or use unweave site"),
        ("\0", "invalid file name"),
    ],
)
def test_invalid_paths_are_refused_with_their_name(folder, name, reason):
    with pytest.raises(SourceError, match=reason):
        unweave.records(folder / name)


def test_a_bad_page_does_not_affect_other_pages(folder, monkeypatch):
    monkeypatch.chdir(folder)
    bad = [*(f"{name}.html" for name in REFUSED), "missing.html", "."]
    names = [name for one in bad for name in (one, "good.html")]
    result = CliRunner().invoke(main, ["records", *names])
    assert result.exit_code == 1
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["page"] for line in lines] == ["good.html"] * len(bad)
    assert all(len(line["tables"][0]["rows"]) == 3 for line in lines)
    expected = [f"unweave: {name}.html: {reason}" for name, (_, _, reason) in REFUSED.items()]
    expected += [
        "unweave: missing.html: no such file",
        "unweave: .: is a folder; give its files, or use unweave site",
    ]
    assert result.stderr.splitlines() == expected


@given(st.binary(max_size=400))
def test_random_bytes_raise_unweave_errors_only(data):
    try:
        tables = unweave.records(data)
    except UnweaveError:
        return
    json.dumps([table.to_json() for table in tables]).encode()


_TAGS = [
    "html",
    "body",
    "div",
    "table",
    "tr",
    "td",
    "p",
    "a",
    "b",
    "ul",
    "li",
    "svg",
    "select",
    "option",
    "template",
    "frameset",
]
_PIECES = st.one_of(
    st.sampled_from(
        [
            *(f"<{tag}>" for tag in _TAGS),
            *(f"</{tag}>" for tag in _TAGS),
            "<x:y z=1>",
            "<",
            "&#xD800;",
            "\x00",
            "text",
        ]
    ),
    st.text(max_size=5),
)


@settings(max_examples=300)
@given(
    st.lists(_PIECES, max_size=60).map("".join),
    st.sampled_from(["utf-8", "utf-16", "gbk", "windows-1252"]),
)
def test_tag_soup_raises_unweave_errors_only(markup, codec):
    for source in ("<" + markup, ("<p>" + markup).encode(codec, "replace")):
        try:
            tables = unweave.records(source)
        except UnweaveError:
            continue
        for table in tables:
            json.dumps(table.to_json(), ensure_ascii=False).encode()
            table.to_csv().encode()
