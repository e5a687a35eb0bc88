"""Archives that are made to be large in memory or time, and small as files."""

import gzip
import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from unweave.errors import SourceError
from unweave.sources import compressed as packed
from unweave.sources import warc
from unweave.sources.discovery import items


def tar_of(header: tarfile.TarInfo, content: bytes) -> bytes:
    return header.tobuf(tarfile.GNU_FORMAT) + content


@pytest.mark.parametrize(
    "kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE]
)
def test_headers_of_tar_files_are_not_read_into_memory(tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("long")
    header.type, header.size = kind, 2 * 1024 * 1024
    path = tmp_path / "long.tar.gz"
    path.write_bytes(gzip.compress(tar_of(header, bytes(header.size))))
    with pytest.raises(SourceError, match="header of it has 2,097,152 bytes"):
        list(items(path))


def test_what_is_unpacked_has_a_limit_even_if_it_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_MOST_MORE", 1024 * 1024)
    header = tarfile.TarInfo("picture.png")
    header.size = 20 * 1024 * 1024
    path = tmp_path / "zeros.tar.gz"
    path.write_bytes(gzip.compress(tar_of(header, bytes(header.size))))
    (aside,) = items(path)
    assert "far more" in aside.reason


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_tar_files_of_all_kinds_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"pages{ending}"
    with tarfile.open(path, f"w:{ending[5:]}") as archive:
        for name in ("a.html", "x" * 300 + ".html"):  # the second has a header for its name
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"<p>x"))
    assert [own.name for own in items(path)] == ["a.html", "x" * 300 + ".html"]


def test_a_zip_archive_of_nothing_but_a_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.html", "<p>x")
    data = bytearray(path.read_bytes())
    end = data.rfind(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 12, 65 * 1024 * 1024)
    path.write_bytes(data)
    with pytest.raises(SourceError, match="too many files"):
        list(items(path))


BODIES = {
    "endless name": b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"A" * 1_000_000,
    "nothing, many times": gzip.compress(b"", mtime=0) * 50_000,
    "damaged": b"\x1f\x8b\xff",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_only_the_head_of_a_packed_file_tells_what_it_is(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "odd.warc.gz"
    path.write_bytes(body)
    with pytest.raises(SourceError, match="is no WARC file"):
        warc.check(path)
