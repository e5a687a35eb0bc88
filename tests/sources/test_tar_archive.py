"""Tar archives: a damaged header loses one file, and what cannot be read is reported."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unweave.errors import SourceError
from unweave.page.limits import MIB
from unweave.sources import tar_archive
from unweave.sources.selection import make_archive_shards, read_archive
from unweave.sources.source import FetchedPage, Skipped

COMPRESSORS = {
    ".tar": lambda data: data,
    ".tar.gz": gzip.compress,
    ".tar.bz2": bz2.compress,
    ".tar.xz": lzma.compress,
}
NAMES = [f"{number}.html" for number in range(5)]


def make_body(name: str) -> bytes:
    return f"<h1>{name}</h1>".encode() + b"<p>text</p>" * 200


def make_tar(names=NAMES, end=bytes(1024), **fields) -> bytes:
    parts = []
    for name in names:
        info = tarfile.TarInfo(name)
        info.size = len(make_body(name))
        for field, value in fields.items():
            setattr(info, field, value)
        parts += [
            info.tobuf(tarfile.GNU_FORMAT),
            make_body(name).ljust(-len(make_body(name)) // 512 * -512, b"\0"),
        ]
    return b"".join(parts) + end


def read(tmp_path, data, ending=".tar"):
    path = tmp_path / f"pages{ending}"
    path.write_bytes(COMPRESSORS[ending](data))
    items = list(read_archive(path))
    stored = [
        item for shard in make_archive_shards(path, tmp_path / "copied") for item in shard.read()
    ]
    assert sorted(stored, key=repr) == sorted(items, key=repr)
    return items


def get_good_pages(items):
    pages = [item for item in items if isinstance(item, FetchedPage) and item.damage is None]
    assert all(item.body == make_body(item.name) for item in pages)
    return [item.name for item in pages]


SIZE = len(make_tar(["0.html"], b""))


@pytest.mark.parametrize("ending", COMPRESSORS)
@pytest.mark.parametrize("number", range(5))
def test_a_damaged_header_loses_one_file(tmp_path, ending, number):
    data = bytearray(make_tar())
    data[number * SIZE + 3] ^= 0xFF
    items = read(tmp_path, bytes(data), ending)
    assert get_good_pages(items) == [name for name in NAMES if name != f"{number}.html"]
    (skipped,) = (item for item in items if isinstance(item, Skipped))
    assert skipped.name.startswith(f"pages{ending}, byte ")
    assert "bad checksum" in skipped.reason


def test_garbage_between_files_is_skipped_and_reported(tmp_path):
    data = make_tar(NAMES[:2], b"") + b"garbage!" * 640 + make_tar(NAMES[2:])
    items = read(tmp_path, data)
    assert get_good_pages(items) == NAMES
    assert [item.name for item in items if isinstance(item, Skipped)] == [
        f"pages.tar, byte {SIZE + 512 + len(make_body(NAMES[1])):,}"
    ]


def test_concatenated_archives_are_read(tmp_path):
    assert get_good_pages(read(tmp_path, make_tar(NAMES[:2]) + make_tar(NAMES[2:]))) == NAMES


@pytest.mark.parametrize("ending", COMPRESSORS)
def test_an_incomplete_archive_has_all_files_up_to_its_end(tmp_path, ending):
    path = tmp_path / f"cut{ending}"
    pages = (make_tar([f"{n:05}.html"], b"").replace(b"text", b"%04d" % n) for n in range(2_000))
    whole = COMPRESSORS[ending](b"".join(pages))
    path.write_bytes(whole[: len(whole) * 2 // 3])
    *items, last = read_archive(path)
    names = [item.name for item in items]
    assert names == [f"{n:05}.html" for n in range(len(names))]
    assert 500 < len(names) < 2_000
    assert not any(item.damage for item in items[:-1])
    assert isinstance(last, Skipped)
    assert last.name.startswith(f"cut{ending}, byte ")


@pytest.mark.parametrize("cut", [1, 100, 511])
def test_an_incomplete_header_is_reported(tmp_path, cut):
    items = read(tmp_path, make_tar(end=b"")[: 4 * SIZE + cut])
    assert get_good_pages(items) == NAMES[:4]
    assert isinstance(items[-1], Skipped)


@pytest.mark.parametrize("time", ["-99999999999999999999", "nan", "1e400", "99999999999999"])
def test_invalid_times_lose_no_page(tmp_path, time):
    info = tarfile.TarInfo("0.html")
    info.size, info.pax_headers = 4, {"mtime": time}
    data = info.tobuf(tarfile.PAX_FORMAT) + b"<p>x".ljust(512, b"\0") + make_tar(NAMES[1:])
    items = read(tmp_path, data)
    assert [item.name for item in items] == NAMES
    assert items[0].time is None
    assert items[1].time == datetime(1970, 1, 1, tzinfo=UTC)


def test_names_that_are_not_utf8_are_escaped(tmp_path):
    info = tarfile.TarInfo("caf\udce9.html")
    info.size = 4
    data = info.tobuf(tarfile.GNU_FORMAT) + b"<p>x".ljust(512, b"\0")
    (item,) = read(tmp_path, data + bytes(1024))
    assert item.name == r"caf\udce9.html"


def test_links_folders_and_devices_are_skipped(tmp_path):
    data = b""
    for type_ in (
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.DIRTYPE,
        tarfile.CHRTYPE,
        tarfile.FIFOTYPE,
    ):
        info = tarfile.TarInfo("link.html")
        info.type, info.linkname = type_, "/etc/passwd"
        data += info.tobuf()
    assert get_good_pages(read(tmp_path, data + make_tar())) == NAMES


def make_endless_sparse_map() -> bytes:
    """Return a sparse file, as GNU tar writes it, with an endless map."""
    info = tarfile.TarInfo("0.html")
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "x",
        "GNU.sparse.realsize": "9",
    }
    lines = b"99999999\n" + b"1\n" * (10 * MIB)
    info.size = len(lines)
    return (
        info.tobuf(tarfile.PAX_FORMAT) + lines.ljust(-len(lines) // 512 * -512, b"\0") + bytes(1024)
    )


@pytest.mark.slow
def test_endless_sparse_maps_are_not_read_into_memory(tmp_path):
    path = tmp_path / "sparse.tar"
    path.write_bytes(make_tar(NAMES, b"") + make_endless_sparse_map())
    tracemalloc.start()
    try:
        items = list(read_archive(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert get_good_pages(items) == NAMES
    assert isinstance(items[-1], Skipped)
    assert peak < 300 * MIB


@pytest.mark.slow
def test_members_are_not_kept_in_memory(tmp_path):
    path = tmp_path / "many.tar"
    info = tarfile.TarInfo("x.css")
    path.write_bytes(info.tobuf() * 20_000 + make_tar())
    tracemalloc.start()
    try:
        names = get_good_pages(read_archive(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert names == NAMES
    assert peak < 4 * MIB


@pytest.mark.parametrize("data", [b"no archive" * 1_000, b"short"])
def test_other_files_are_errors(tmp_path, data):
    path = tmp_path / "none.tar"
    path.write_bytes(data)
    with pytest.raises(SourceError, match="not a tar archive"):
        list(read_archive(path))


def test_an_empty_archive_has_no_pages(tmp_path):
    assert read(tmp_path, bytes(10_240)) == []


def format_member(header: tarfile.TarInfo, content: bytes) -> bytes:
    return header.tobuf(tarfile.GNU_FORMAT) + content


@pytest.mark.parametrize(
    "type_", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE]
)
def test_large_headers_are_not_read_into_memory(tmp_path: Path, type_: bytes) -> None:
    header = tarfile.TarInfo("long")
    header.type, header.size = type_, 2 * 1024 * 1024
    path = tmp_path / "long.tar.gz"
    path.write_bytes(gzip.compress(format_member(header, bytes(header.size))))
    with pytest.raises(SourceError, match="header has 2,097,152 bytes"):
        list(read_archive(path))


def test_the_decompressed_size_of_skipped_files_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tar_archive, "_MAX_EXCESS_BYTES", 1024 * 1024)
    header = tarfile.TarInfo("picture.png")
    header.size = 20 * 1024 * 1024
    path = tmp_path / "zeros.tar.gz"
    path.write_bytes(gzip.compress(format_member(header, bytes(header.size))))
    (skipped,) = read_archive(path)
    assert "far more" in skipped.reason


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_all_compressions_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"pages{ending}"
    with tarfile.open(path, f"w:{ending[5:]}") as archive:
        for name in ("a.html", "x" * 300 + ".html"):  # the second has a header for its name
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"<p>x"))
    assert [item.name for item in read_archive(path)] == ["a.html", "x" * 300 + ".html"]


@pytest.fixture
def newer_python(monkeypatch):
    """Headers are read by ``_frombuf``, as Python 3.14.10 does."""
    if hasattr(tarfile.TarInfo, "_frombuf"):
        return
    frombuf = tarfile.TarInfo.frombuf.__func__

    def new_frombuf(cls, buf, encoding, errors):
        return cls._frombuf(buf, encoding, errors)

    def new_private_frombuf(cls, buf, encoding, errors, *, dircheck=True):
        return frombuf(cls, buf, encoding, errors)

    def fromtarfile(cls, archive):
        header = cls._frombuf(archive.fileobj.read(512), archive.encoding, archive.errors)
        header.offset = archive.fileobj.tell() - 512
        return header._proc_member(archive)

    monkeypatch.setattr(tarfile.TarInfo, "frombuf", classmethod(new_frombuf))
    monkeypatch.setattr(
        tarfile.TarInfo, "_frombuf", classmethod(new_private_frombuf), raising=False
    )
    monkeypatch.setattr(tarfile.TarInfo, "fromtarfile", classmethod(fromtarfile))


@pytest.mark.usefixtures("newer_python")
def test_newer_versions_of_python_check_headers_too(tmp_path):
    data = make_tar(NAMES[:2], b"") + b"garbage!" * 128 + make_tar(NAMES[2:])
    items = read(tmp_path, data)
    assert get_good_pages(items) == NAMES
    (skipped,) = [item for item in items if isinstance(item, Skipped)]
    assert "2 blocks belong to no file" in skipped.reason
    header = tarfile.TarInfo("long")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 2 * MIB
    path = tmp_path / "long.tar"
    path.write_bytes(format_member(header, bytes(header.size)))
    with pytest.raises(SourceError, match="header has 2,097,152 bytes"):
        list(read_archive(path))
