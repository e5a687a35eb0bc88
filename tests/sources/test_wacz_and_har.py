"""WACZ archives, which hold WARC files, and HAR files, which browsers save."""

import base64
import gzip
import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fuzz.archives import build_warc_record
from unweave.cli import main
from unweave.errors import SourceError
from unweave.sources import har, selection
from unweave.sources.selection import choose_source, find_files, is_collection
from unweave.sources.shards import decode_shard, encode_shard
from unweave.sources.source import FetchedPage, Redirect, Skipped

PAGE = "<p>Grüße</p>".encode()
EXAMPLES = Path(__file__).parents[2] / "examples"


def read(path, folder):
    """Return the items of an archive, which are the same whether read at once or in shards."""
    source = choose_source(str(path))
    items = list(source.read(str(path)))
    folder.mkdir()
    shards = [decode_shard(encode_shard(shard)) for shard in source.split(str(path), folder)]
    in_shards = [item for shard in shards for item in shard.read()]
    assert sorted(map(repr, in_shards)) == sorted(map(repr, items))
    return items


# ---- WACZ ----------------------------------------------------------------------------------------


def make_warc(*urls, compressed=True):
    records = [build_warc_record(number, url, PAGE) for number, url in enumerate(urls)]
    return b"".join(gzip.compress(record) if compressed else record for record in records)


def make_wacz(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("pages/pages.jsonl", '{"format": "json-pages-1.0"}\n')
        archive.writestr("indexes/index.cdx.gz", b"x")
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_pages_of_all_warc_files_are_read(tmp_path, method):
    path = tmp_path / "crawl.wacz"
    urls = [f"https://a.example/{number}" for number in range(3)]
    members = {
        "archive/data-0.warc.gz": make_warc(*urls[:2]),
        "archive/data-1.warc": make_warc(urls[2], compressed=False),
    }
    path.write_bytes(make_wacz(members, method))
    items = read(path, tmp_path / "shards")
    assert [(item.name, item.body, item.is_url) for item in items] == [
        (url, PAGE, True) for url in urls
    ]


def test_two_files_that_were_compressed_as_a_whole_do_not_mix(tmp_path):
    path = tmp_path / "crawl.wacz"
    members = {
        f"archive/{host}.warc.gz": gzip.compress(
            make_warc(*(f"https://{host}.example/{n}" for n in range(250)), compressed=False)
        )
        for host in "ab"
    }
    path.write_bytes(make_wacz(members))
    items = read(path, tmp_path / "shards")
    assert len({item.name for item in items}) == 500


def test_names_that_lead_outside_are_not_used(tmp_path):
    path = tmp_path / "sub" / "crawl.wacz"
    path.parent.mkdir()
    names = ["../../evil.warc.gz", "/tmp/evil.warc.gz", "archive/../x.WARC.GZ"]
    path.write_bytes(make_wacz({name: make_warc(f"https://a.example/{name}") for name in names}))
    before = sorted(tmp_path.iterdir())
    assert len(list(choose_source(str(path)).read(str(path)))) == 3
    assert sorted(tmp_path.iterdir()) == before


def test_an_archive_without_warc_files_is_refused(tmp_path):
    path = tmp_path / "crawl.wacz"
    path.write_bytes(make_wacz({}))
    with pytest.raises(SourceError, match="not a WACZ archive, or damaged: it has no WARC files"):
        list(choose_source(str(path)).read(str(path)))
    path.write_bytes(b"<p>page")
    with pytest.raises(SourceError, match="not a ZIP archive"):
        list(choose_source(str(path)).read(str(path)))


def test_a_warc_file_that_is_none_is_skipped_and_the_others_are_read(tmp_path):
    path = tmp_path / "crawl.wacz"
    members = {
        "archive/a.warc": b"nothing of the kind",
        "archive/b.warc.gz": make_warc("https://a.example/"),
    }
    path.write_bytes(make_wacz(members))
    skipped, page = read(path, tmp_path / "shards")
    assert (type(skipped), type(page)) == (Skipped, FetchedPage)
    assert skipped.reason == "not a WARC file, or damaged: it has no WARC record"


def test_damage_is_named_and_what_can_be_read_is_read(tmp_path):
    path = tmp_path / "crawl.wacz"
    data = bytearray(
        make_wacz({"archive/a.warc": make_warc("https://a.example/", compressed=False)})
    )
    data[data.index(b"Gr\xc3\xbc\xc3\x9fe")] = ord("g")
    path.write_bytes(data)
    skipped, page = read(path, tmp_path / "shards")
    assert skipped == Skipped(
        "archive/a.warc", "cut off or damaged: its checksum is wrong", skipped.time
    )
    assert page.body == PAGE.replace(b"G", b"g")


def test_decompression_bombs_are_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(selection, "_MAX_EXCESS_BYTES", 0)
    path = tmp_path / "crawl.wacz"
    members = {
        "archive/bomb.warc": b"\0" * 50_000_000,
        "archive/page.warc.gz": make_warc("https://a.example/"),
    }
    path.write_bytes(make_wacz(members, zipfile.ZIP_DEFLATED))
    skipped, page = read(path, tmp_path / "shards")
    assert skipped.reason == "cannot be decompressed: it is too large for its compressed size"
    assert page.body == PAGE


# ---- HAR -----------------------------------------------------------------------------------------


def make_entry(url="https://a.example/", *, status=200, mime="text/html", text="<p>x", **more):
    response = {
        "status": status,
        "redirectURL": more.pop("location", ""),
        "content": {"mimeType": mime, "text": text, **more},
    }
    time = "2026-01-02T03:04:05.678+01:00"
    return {"startedDateTime": time, "request": {"url": url}, "response": response}


def write_har(path, *entries):
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": list(entries)}}))
    return path


def test_pages_redirects_and_other_documents_of_a_har_file(tmp_path):
    latin = base64.b64encode("<p>Grüße".encode("latin-1")).decode()
    path = write_har(
        tmp_path / "visit.har",
        make_entry("https://a.example/", text="<p>Grüße \ud800"),
        make_entry(
            "https://a.example/latin",
            text=latin,
            encoding="base64",
            mime="text/html; charset=latin-1",
        ),
        make_entry("https://a.example/old", status=301, location="/new"),
        make_entry("https://a.example/x.css", mime="text/css"),
        make_entry("https://a.example/gone", status=404),
        make_entry("https://a.example/unsaved", text=None),
        make_entry("https://a.example/broken", text="§", encoding="base64"),
        make_entry(""),
    )
    first, latin, redirect, *skipped = read(path, tmp_path / "shards")
    assert first.body.startswith("<p>Grüße".encode())
    assert first.time == datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert "Grüße" in first.parse().text()
    assert latin.parse().text() == "Grüße"
    assert redirect == Redirect("https://a.example/old", "https://a.example/new")
    assert [(item.name, item.reason) for item in skipped] == [
        ("https://a.example/x.css", "not HTML but text/css"),
        ("https://a.example/gone", "the server returned 404"),
        ("https://a.example/unsaved", "the file does not have its content"),
        ("https://a.example/broken", "cannot be decoded: invalid Base64"),
        ("visit.har, entry 8", "the entry has no URL"),
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<p>page", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"\xff\xfe\xff", "it is not JSON"),
        (b"{}", "no log with entries"),
        (b"[1]", "no log with entries"),
        (b'{"log": {"entries": 5}}', "no log with entries"),
    ],
)
def test_what_is_not_a_har_file_is_refused(tmp_path, data, reason):
    path = tmp_path / "x.har"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=reason):
        list(choose_source(str(path)).read(str(path)))


def test_large_har_files_and_large_pages_in_them_are_refused(tmp_path, monkeypatch):
    path = write_har(tmp_path / "x.har", make_entry(text="x" * (33 * 2**20)))
    (item,) = choose_source(str(path)).read(str(path))
    assert "the limit is 33,554,432" in item.reason
    monkeypatch.setattr(har, "MAX_HAR_BYTES", 1_000)
    with pytest.raises(SourceError, match="more than 1,000 bytes"):
        list(choose_source(str(path)).read(str(path)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["request", "response", "content", "url", "status", "text", "mimeType"]
            ),
            inner,
        )
    ),
    max_leaves=10,
)


@given(st.lists(JSON, max_size=4))
def test_any_entries_give_items(tmp_path_factory, entries):
    path = write_har(tmp_path_factory.mktemp("har") / "x.har", *entries)
    assert len(list(har.read_har(path))) == len(entries)


# ---- where archives are accepted -----------------------------------------------------------------


def test_folders_have_them_and_commands_read_them(tmp_path):
    entries = [
        make_entry(f"https://shop.example/{path.name}", text=path.read_text())
        for path in sorted((EXAMPLES / "shop").glob("*.html"))
    ]
    write_har(tmp_path / "visit.har", *entries)
    (tmp_path / "crawl.wacz").write_bytes(
        make_wacz({"archive/a.warc.gz": make_warc("https://a.example/")})
    )
    assert is_collection(str(tmp_path / "visit.har"))
    names, archives = find_files(tmp_path)
    assert (names, [path.name for path in archives]) == ([], ["crawl.wacz", "visit.har"])
    wrapper = tmp_path / "shop.json"
    result = CliRunner().invoke(main, ["learn", str(tmp_path / "visit.har"), "-o", str(wrapper)])
    assert result.exit_code == 0, result.output
    assert json.loads(wrapper.read_text())["pages"] == len(entries) == 6
    result = CliRunner().invoke(main, ["text", str(tmp_path / "crawl.wacz")])
    assert result.exit_code == 0, result.output
    assert "Grüße" in result.output
