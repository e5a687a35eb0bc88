"""Files, folders and archives: every page once by its name, and a reason for what is skipped."""

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
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import (
    CrawlSource,
    FileSource,
    FolderSource,
    SitemapSource,
    TarSource,
    WarcSource,
    ZipSource,
    choose_source,
    find_files,
    make_archive_shards,
)
from unweave.sources.shards import PAGES_PER_SHARD, decode_shard, encode_shard, make_file_shards
from unweave.sources.source import FetchedPage, Redirect, Skipped, get_site

PAGE = "<p>Grüße</p>".encode()


def read_shards(shards):
    """Return the items of shards that were encoded and decoded."""
    return [item for shard in shards for item in decode_shard(encode_shard(shard)).read()]


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
    items = read_shards(make_file_shards(tmp_path, names))
    assert [(item.name, item.body, item.is_url) for item in items] == [
        (name, PAGE, False) for name in names
    ]
    assert items[1].url == "file:///b/c.php%3Fid%3D3"


def test_a_file_that_was_removed_is_skipped(tmp_path):
    assert read_shards(make_file_shards(tmp_path, ["gone.html"])) == [
        Skipped("gone.html", "cannot be read: No such file or directory")
    ]


def test_a_file_name_that_is_not_utf8_is_escaped(tmp_path):
    name = os.fsdecode(b"caf\xe9.html")
    try:
        (tmp_path / name).write_bytes(PAGE)
    except OSError:
        pytest.skip("no such names on this file system")
    (item,) = read_shards(make_file_shards(tmp_path, [name]))
    assert (item.name, item.body) == (r"caf\udce9.html", PAGE)


def test_a_missing_source_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="no such file or folder"):
        find_files(tmp_path / "nothing")


def test_warc_records_have_url_time_charset_and_reasons(tmp_path):
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
    assert read_shards(make_archive_shards(path, tmp_path)) == [
        FetchedPage(
            "http://www.example.org/1", PAGE, is_url=True, time=time, charset="windows-1251"
        ),
        Redirect("http://example.org/old", "http://example.org/1"),
        Skipped("http://example.org/gone", "the server returned 404", time),
        Skipped("http://example.org/x.png", "not HTML but image/png", time),
    ]
    assert read_shards(make_archive_shards(path, tmp_path))[0].site == "example.org"


def test_a_compressed_body_is_decompressed(tmp_path):
    headers = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
    path = write_warc(
        tmp_path / "a.warc", [("http://example.org/", gzip.compress(PAGE), "200 OK", headers)]
    )
    assert read_shards(make_archive_shards(path, tmp_path))[0].body == PAGE


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "whole.warc.gz"])
def test_a_long_warc_file_is_split_into_shards(tmp_path, name):
    """A file that was compressed as a whole is copied into stores."""
    count = PAGES_PER_SHARD * 2 + 7
    pages = [
        (f"http://example.org/{number}", f"<p>{number}</p>".encode()) for number in range(count)
    ]
    path = write_warc(tmp_path / ("a.warc" if name.startswith("whole") else name), pages)
    if name.startswith("whole"):
        path = tmp_path / name
        path.write_bytes(gzip.compress((tmp_path / "a.warc").read_bytes()))
    shards = make_archive_shards(path, tmp_path / "copied")
    assert len(shards) == 3
    assert [(item.name, item.body) for item in read_shards(shards)] == pages


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.xz", ".zip"])
def test_tar_and_zip_archives(tmp_path, ending):
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
    items = read_shards(make_archive_shards(path, tmp_path / "copied"))
    assert [(item.name, item.body) for item in items] == [("a.html", PAGE), ("b/c.html", PAGE)]
    assert items[0].time is not None
    assert items[0].time.tzinfo == UTC


@pytest.mark.parametrize("name", ["a.warc.gz", "a.zip", "a.tar.gz", "a.warc"])
def test_files_that_are_not_archives_are_errors(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"this is no archive at all" * 10)
    with pytest.raises(SourceError, match="damaged"):
        read_shards(make_archive_shards(path, tmp_path / "copied"))


def test_an_incomplete_archive_has_all_pages_up_to_its_end(tmp_path):
    pages = [(f"http://example.org/{number}", PAGE * 500) for number in range(20)]
    whole = write_warc(tmp_path / "a.warc.gz", pages).read_bytes()
    (tmp_path / "b.warc.gz").write_bytes(whole[: len(whole) // 2])
    items = read_shards(make_archive_shards(tmp_path / "b.warc.gz", tmp_path))
    whole_pages = [
        (item.name, item.body)
        for item in items
        if isinstance(item, FetchedPage) and item.body == pages[0][1]
    ]
    assert whole_pages == pages[:10]


def test_a_member_that_cannot_be_decompressed_is_skipped(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.html", PAGE * 50)
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(data)
    (item,) = read_shards(make_archive_shards(path, tmp_path))
    assert isinstance(item, Skipped)
    assert "cannot be decompressed" in item.reason


def test_names_in_archives_are_not_written_to(tmp_path):
    """A name in an archive is never a path to write to."""
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("../../outside.html")
        info.size = len(PAGE)
        archive.addfile(info, io.BytesIO(PAGE))
    assert [
        item.name for item in read_shards(make_archive_shards(path, tmp_path / "in" / "copied"))
    ] == ["../../outside.html"]
    assert not (tmp_path / "outside.html").exists()
    assert not Path("outside.html").exists()


def test_sites_of_urls():
    assert get_site("https://www.Example.org:443/x") == "example.org"
    assert get_site("http://localhost:8080/x") == "localhost:8080"
    assert get_site("http://[broken") == ""


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("https://example.org/", CrawlSource),
        ("HTTP://example.org/sitemap.xml", CrawlSource),
        ("https://example.org/pages.zip", CrawlSource),
        ("sitemap.xml.gz", SitemapSource),
        ("crawl.warc.gz", WarcSource),
        ("pages.ZIP", ZipSource),
        ("pages.tar.xz", TarSource),
        ("page.html", FileSource),
        ("missing", FileSource),
    ],
)
def test_sources_are_chosen_by_location(location, expected):
    assert type(choose_source(location)) is expected


@pytest.mark.parametrize("name", ["folder", "folder.zip", "folder.xml"])
def test_a_folder_is_a_folder_whatever_its_name(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.html").write_bytes(PAGE)
    source = choose_source(str(tmp_path / name))
    assert type(source) is FolderSource
    assert [item.name for item in source.read(str(tmp_path / name))] == ["a.html"]


@pytest.mark.parametrize("name", ["a.warc", "a.zip", "a.tar", "a.html"])
def test_a_missing_file_is_an_error_of_every_source(tmp_path, name):
    location = str(tmp_path / name)
    with pytest.raises(SourceError, match="no such file or folder"):
        list(choose_source(location).read(location))


def test_options_of_a_crawl_are_passed_to_its_source():
    options = CrawlOptions(max_pages=3)
    assert choose_source("https://example.org/", options).options == options


def test_the_pages_of_a_sitemap_file_are_read(site, tmp_path):
    site.add_page("/a", "/b")
    (tmp_path / "sitemap.xml").write_text(
        f"<urlset><url><loc>{site.url('/a')}</loc></url></urlset>"
    )
    location = str(tmp_path / "sitemap.xml")
    source = choose_source(location, CrawlOptions(delay=0))
    assert [item.name for item in source.read(location)] == [site.url("/a")]
