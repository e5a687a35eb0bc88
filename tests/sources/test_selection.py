"""Files, folders and archives: every page once, by its name, and a clear reason for what is none."""

import gzip
import io
import os
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fuzz.archives import DATE
from tests.pipeline.conftest import write_warc
from unweave.errors import SourceError
from unweave.sources.selection import find_files, make_archive_shards
from unweave.sources.shards import PAGES_PER_SHARD, decode_shard, encode_shard, make_file_shards
from unweave.sources.source import FetchedPage, Redirect, Skipped, get_site

PAGE = "<p>Grüße</p>".encode()


def items(parts):
    """All items, through the plain data that parts travel as."""
    return [item for part in parts for item in decode_shard(encode_shard(part)).read()]


def test_a_folder_has_its_pages_and_its_archives(tmp_path):
    for name in (
        "a.html",
        "b/c.php?id=3",
        "b/no-ending",
        "b/style.css",
        "b/.hidden.html",
        ".git/x.html",
        "crawl.warc.gz",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(PAGE)
    names, archives = find_files(tmp_path)
    assert names == ["a.html", "b/c.php?id=3", "b/no-ending"]
    assert [path.name for path in archives] == ["crawl.warc.gz"]
    found = items(make_file_shards(tmp_path, names))
    assert [(own.name, own.body, own.is_url) for own in found] == [
        (name, PAGE, False) for name in names
    ]
    assert found[1].url == "file:///b/c.php%3Fid%3D3"


def test_a_file_that_has_gone_meanwhile_is_set_aside(tmp_path):
    assert items(make_file_shards(tmp_path, ["gone.html"])) == [
        Skipped("gone.html", "cannot be read: No such file or directory")
    ]


def test_a_file_whose_name_is_no_text_is_read_under_an_escaped_name(tmp_path):
    name = os.fsdecode(b"caf\xe9.html")
    try:
        (tmp_path / name).write_bytes(PAGE)
    except OSError:
        pytest.skip("no such names on this file system")
    (found,) = items(make_file_shards(tmp_path, [name]))
    assert (found.name, found.body) == (r"caf\udce9.html", PAGE)


def test_a_source_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="no such file or folder"):
        find_files(tmp_path / "nothing")


def test_warc_tells_address_time_charset_and_what_is_no_page(tmp_path):
    html = [("Content-Type", "text/html; charset=windows-1251")]
    path = write_warc(
        tmp_path / "a.warc.gz",
        [
            ("http://www.example.org/1", PAGE, "200 OK", html),
            ("http://example.org/old", b"", "301 Redirect", [("Location", "/1")]),
            ("http://example.org/gone", b"gone", "404 Not Found", html),
            ("http://example.org/x.png", b"\x89PNG", "200 OK", [("Content-Type", "image/png")]),
        ],
    )
    time = datetime.fromisoformat(DATE)
    assert items(make_archive_shards(path, tmp_path)) == [
        FetchedPage(
            "http://www.example.org/1", PAGE, is_url=True, time=time, charset="windows-1251"
        ),
        Redirect("http://example.org/old", "http://example.org/1"),
        Skipped("http://example.org/gone", "the server returned 404", time),
        Skipped("http://example.org/x.png", "not HTML but image/png", time),
    ]
    assert items(make_archive_shards(path, tmp_path))[0].site == "example.org"


def test_a_packed_body_is_unpacked(tmp_path):
    headers = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
    path = write_warc(
        tmp_path / "a.warc", [("http://example.org/", gzip.compress(PAGE), "200 OK", headers)]
    )
    assert items(make_archive_shards(path, tmp_path))[0].body == PAGE


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "whole.warc.gz"])
def test_a_long_warc_is_cut_into_parts_that_are_read_from_the_middle(tmp_path, name):
    """A file that was packed as a whole can be read from its beginning only: it is copied."""
    count = PAGES_PER_SHARD * 2 + 7
    pages = [
        (f"http://example.org/{number}", f"<p>{number}</p>".encode()) for number in range(count)
    ]
    path = write_warc(tmp_path / ("a.warc" if name.startswith("whole") else name), pages)
    if name.startswith("whole"):
        path = tmp_path / name
        path.write_bytes(gzip.compress((tmp_path / "a.warc").read_bytes()))
    parts = make_archive_shards(path, tmp_path / "copied")
    assert len(parts) == 3
    assert [(own.name, own.body) for own in items(parts)] == pages


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.xz", ".zip"])
def test_other_archives(tmp_path, ending):
    path = tmp_path / f"pages{ending}"
    names = ["a.html", "b/c.html", "b/style.css"]
    if ending == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, PAGE)
    else:
        with tarfile.open(path, f"w:{ending.removeprefix('.tar').removeprefix('.')}") as archive:
            for name in names:
                info = tarfile.TarInfo(name)
                info.size, info.mtime = len(PAGE), 1_700_000_000
                archive.addfile(info, io.BytesIO(PAGE))
    found = items(make_archive_shards(path, tmp_path / "copied"))
    assert [(own.name, own.body) for own in found] == [("a.html", PAGE), ("b/c.html", PAGE)]
    assert found[0].time is not None
    assert found[0].time.tzinfo == UTC


@pytest.mark.parametrize("name", ["a.warc.gz", "a.zip", "a.tar.gz", "a.warc"])
def test_archives_that_are_none(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"this is no archive at all" * 10)
    with pytest.raises(SourceError, match="damaged"):
        items(make_archive_shards(path, tmp_path / "copied"))


def test_a_torn_archive_gives_all_pages_before_the_tear(tmp_path):
    pages = [(f"http://example.org/{number}", PAGE * 500) for number in range(20)]
    whole = write_warc(tmp_path / "a.warc.gz", pages).read_bytes()
    (tmp_path / "b.warc.gz").write_bytes(whole[: len(whole) // 2])
    found = items(make_archive_shards(tmp_path / "b.warc.gz", tmp_path))
    whole_pages = [
        (own.name, own.body)
        for own in found
        if isinstance(own, FetchedPage) and own.body == pages[0][1]
    ]
    assert whole_pages == pages[:10]


def test_a_member_that_cannot_be_unpacked_is_set_aside(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.html", PAGE * 50)
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(data)
    (found,) = items(make_archive_shards(path, tmp_path))
    assert isinstance(found, Skipped)
    assert "cannot be decompressed" in found.reason


def test_names_of_archives_do_not_leave_the_folder(tmp_path):
    """What stands in an archive is a name, and never a path to write to."""
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("../../outside.html")
        info.size = len(PAGE)
        archive.addfile(info, io.BytesIO(PAGE))
    assert [own.name for own in items(make_archive_shards(path, tmp_path / "in" / "copied"))] == [
        "../../outside.html"
    ]
    assert not (tmp_path / "outside.html").exists()
    assert not Path("outside.html").exists()


def test_hosts():
    assert get_site("https://www.Example.org:443/x") == "example.org"
    assert get_site("http://localhost:8080/x") == "localhost:8080"
    assert get_site("http://[broken") == ""
