"""ZIP archives of all methods are read in linear time, and damage loses only the files it is in."""

import io
import json
import random
import struct
import zipfile
from pathlib import Path

import pytest

from unweave.errors import SourceError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.sources import zip_archive
from unweave.sources.selection import make_archive_shards, read_archive
from unweave.sources.shards import PAGES_PER_SHARD, decode_shard, encode_shard
from unweave.sources.source import FetchedPage, Skipped

BODY = b"<p>some text, and more of it</p>" * 20


def make_body(number: int) -> bytes:
    return b"<h1>%d</h1>" % number + BODY + random.Random(number).randbytes(300).hex().encode()


def make_zip(count: int = 5, method: int = zipfile.ZIP_DEFLATED, **more) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, **more) as archive:
        for number in range(count):
            archive.writestr(f"{number}.html", make_body(number))
    return file.getvalue()


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "pages.zip"
    path.write_bytes(data)
    return path


def read(path: Path) -> dict:
    """Return the items of an archive by name, which are the same when it is read as shards."""
    whole = list(read_archive(path))
    shards = [
        decode_shard(json.loads(json.dumps(encode_shard(shard))))
        for shard in make_archive_shards(path, path.parent / "copied")
    ]
    assert [item for shard in shards for item in shard.read()] == whole
    items = {item.name: item for item in whole}
    assert len(items) == len(whole)
    return items


def get_good_pages(items: dict) -> set[int]:
    """Return the numbers of the pages that are unchanged."""
    pages = {
        int(name[:-5]): item
        for name, item in items.items()
        if isinstance(item, FetchedPage) and item.damage is None
    }
    assert all(item.body == make_body(number) for number, item in pages.items())
    return set(pages)


ALL = set(range(5))


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_all_methods_are_decompressed(tmp_path, method):
    items = read(write(tmp_path, make_zip(method=method)))
    assert get_good_pages(items) == ALL
    assert len(items) == 5


def test_archives_written_to_a_pipe_have_sizes_behind_the_data(tmp_path):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise OSError

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.html", make_body(number))
    data = pipe.getvalue()
    assert get_good_pages(read(write(tmp_path, data))) == ALL
    assert get_good_pages(read(write(tmp_path, data[: data.rfind(b"PK\x05\x06")]))) == ALL


def test_zip64_fields_are_read(tmp_path):
    """ZIP64: made for archives of more than 4 GB or 65,535 files, and allowed for others."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(5):
            with archive.open(f"{number}.html", "w", force_zip64=True) as member:
                member.write(make_body(number))
    data = file.getvalue()
    end = data.rfind(b"PK\x05\x06")
    *_, count, length, offset, _ = struct.unpack_from("<4s4H2LH", data, end)
    end_64 = struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, offset
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    full = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    items = read(write(tmp_path, data[:end] + end_64 + locator + full))
    assert (get_good_pages(items), len(items)) == (ALL, 5)


def test_an_archive_may_have_more_than_65535_files(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(66_000):
            archive.writestr(str(number), b"")
    assert len(zip_archive.read_directory(write(tmp_path, file.getvalue()))[0]) == 66_000


def test_an_archive_may_have_a_prefix_and_a_comment(tmp_path):
    file = io.BytesIO(b"#!/bin/sh\nexit\n")
    file.seek(0, 2)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = b"made by hand" * 100
        for number in range(5):
            archive.writestr(f"{number}.html", make_body(number))
    moved = b"more before it" + file.getvalue()
    for data in (file.getvalue(), moved):
        items = read(write(tmp_path, data))
        assert (get_good_pages(items), len(items)) == (ALL, 5)


def test_the_directory_is_read_once_for_all_shards(tmp_path, monkeypatch):
    count = 5 * PAGES_PER_SHARD
    path = write(tmp_path, make_zip(count))
    calls = []
    real = zip_archive._parse_directory
    monkeypatch.setattr(
        zip_archive, "_parse_directory", lambda *arguments: calls.append(1) or real(*arguments)
    )
    monkeypatch.setattr(zipfile, "ZipFile", None)
    shards = [
        decode_shard(encode_shard(shard))
        for shard in make_archive_shards(path, tmp_path / "copied")
    ]
    assert len(shards) == 5
    assert len([item for shard in shards for item in shard.read()]) == count
    assert len(calls) == 1


@pytest.mark.parametrize("field", ["name", "time"])
def test_invalid_names_and_times_lose_no_page(tmp_path, field):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.html", BODY)
    data = bytearray(file.getvalue())
    entry = data.rfind(b"PK\x01\x02")
    for at in (30, entry + 46) if field == "name" else (10, 12, entry + 12, entry + 14):
        data[at] = 0xFF
    (item,) = read_archive(write(tmp_path, bytes(data)))
    assert isinstance(item, FetchedPage)
    assert item.body == BODY


@pytest.mark.parametrize("where", ["signature", "name length", "end", "count"])
def test_damage_of_the_directory_loses_no_file(tmp_path, where):
    data = bytearray(make_zip())
    entry = [at for at in range(len(data)) if data.startswith(b"PK\x01\x02", at)][2]
    end = data.rfind(b"PK\x05\x06")
    at = {"signature": entry, "name length": entry + 28, "end": end, "count": end + 10}[where]
    data[at] ^= 0xFF
    items = read(write(tmp_path, bytes(data)))
    assert ALL - {2} <= get_good_pages(items)
    assert (
        sum(item.body == make_body(2) for item in items.values() if isinstance(item, FetchedPage))
        == 1
    )
    assert items["pages.zip"].reason.startswith("the directory of the ZIP archive is damaged")


@pytest.mark.parametrize("kept", [0.3, 0.5, 0.7, 0.9])
def test_an_incomplete_archive_has_all_files_up_to_its_end(tmp_path, kept):
    data = make_zip()
    directory = data.find(b"PK\x01\x02")
    items = read(write(tmp_path, data[: int(directory * kept)]))
    whole = get_good_pages(items)
    assert whole == set(range(len(whole)))
    assert len(whole) >= int(5 * kept) - 1
    cut = [item for item in items.values() if isinstance(item, FetchedPage) and item.damage]
    assert all(item.damage.startswith("cut off: ") for item in cut)
    assert isinstance(items["pages.zip"], Skipped)


@pytest.mark.parametrize("change", ["inserted", "removed"])
@pytest.mark.parametrize("number", [1, 3])
def test_inserted_and_removed_bytes_lose_one_file(tmp_path, change, number):
    """The directory has the old positions of the files."""
    data = make_zip()
    at = [at for at in range(len(data)) if data.startswith(b"PK\x03\x04", at)][number] + 100
    data = (
        data[:at] + b"noise" * 40 + data[at:]
        if change == "inserted"
        else data[:at] + data[at + 50 :]
    )
    items = read(write(tmp_path, data))
    assert get_good_pages(items) == ALL - {number}
    assert isinstance(items[f"{number}.html"], Skipped)
    assert "directory of the ZIP archive is damaged" in items["pages.zip"].reason


def test_of_files_with_one_name_the_last_comes_first(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("0.html", b"<p>old")
        archive.writestr("1.html", b"<p>new")
    data = file.getvalue().replace(b"1.html", b"0.html")
    assert [item.body for item in read_archive(write(tmp_path, data))] == [b"<p>new", b"<p>old"]


def test_damage_of_a_file_loses_one_file(tmp_path):
    data = bytearray(make_zip())
    third = [at for at in range(len(data)) if data.startswith(b"PK\x03\x04", at)][2]
    data[third + 100] ^= 0xFF
    items = read(write(tmp_path, bytes(data)))
    assert get_good_pages(items) == ALL - {2}
    assert items["2.html"].reason.startswith("cannot be decompressed: ")


def test_overlapping_files_are_not_decompressed(tmp_path):
    """A small archive could decompress to terabytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.html", bytes(1_000_000))
    data = file.getvalue()
    entry, end = data.find(b"PK\x01\x02"), data.find(b"PK\x05\x06")
    entries = b"".join(
        data[entry:end].replace(b"0.html", b"%d.html" % number) for number in range(10)
    )
    record = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 10, 10, len(entries), entry, 0)
    items = read(write(tmp_path, data[:entry] + entries + record))
    assert len(items) == 10
    assert sum(isinstance(item, FetchedPage) for item in items.values()) == 1
    assert (
        sum("overlaps" in item.reason for item in items.values() if isinstance(item, Skipped)) == 9
    )


def test_the_decompressed_size_is_limited_to_that_of_a_page(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.html", bytes(2 * DEFAULT_LIMITS.bytes))
    (item,) = read_archive(write(tmp_path, file.getvalue()))
    assert len(item.body) == DEFAULT_LIMITS.bytes + 1


@pytest.mark.parametrize(
    ("flags", "method", "reason"), [(1, 8, "encrypted"), (0, 9, "method 9"), (0, 99, "method 99")]
)
def test_unsupported_files_are_skipped_with_a_reason(tmp_path, flags, method, reason):
    data = bytearray(make_zip(1))
    struct.pack_into("<2H", data, data.find(b"PK\x01\x02") + 8, flags, method)
    (item,) = read_archive(write(tmp_path, bytes(data)))
    assert isinstance(item, Skipped)
    assert reason in item.reason


def test_the_memory_of_lzma_is_limited(tmp_path):
    data = bytearray(make_zip(1, zipfile.ZIP_LZMA))
    struct.pack_into("<L", data, 30 + len("0.html") + 5, 0xF0000000)
    (item,) = read_archive(write(tmp_path, bytes(data)))
    assert "bytes of memory" in item.reason


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + bytes(10), b"nothing" * 1_000])
def test_other_files_are_errors(tmp_path, data):
    with pytest.raises(SourceError, match="not a ZIP archive"):
        list(read_archive(write(tmp_path, data)))


def test_an_empty_archive_has_no_pages(tmp_path):
    assert list(read_archive(write(tmp_path, make_zip(0)))) == []


def test_the_size_of_the_directory_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "list.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.html", "<p>x")
    data = bytearray(path.read_bytes())
    end = data.rfind(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 12, 65 * 1024 * 1024)
    path.write_bytes(data)
    with pytest.raises(SourceError, match="too many files"):
        list(read_archive(path))
