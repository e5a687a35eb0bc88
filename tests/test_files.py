"""Atomic files, JSON files, and bounded decompression."""

import gzip
import io
import os
import re
import stat
import zlib
from contextlib import ExitStack

import pytest

from unweave.errors import SinkError, SourceError
from unweave.files import (
    DecompressionBomb,
    DecompressionError,
    TruncatedData,
    create_folder,
    create_scratch_folder,
    decompress,
    file_starts_with,
    format_json,
    is_decompression_bomb,
    open_atomic,
    read_gzip_member,
    read_json,
    replace_file,
    write_json,
    write_json_lines,
    write_text,
)


def get_permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "a.txt"
    with open_atomic(path, encoding="utf-8") as file:
        file.write("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt("stop"), OSError(28, "No space left on device")]
)
def test_a_failure_leaves_the_older_file(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")
    file = ExitStack()
    file.enter_context(open_atomic(path)).write("new")
    with pytest.raises(type(error), match=re.escape(str(error))), file:
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("permissions", [0o600, 0o664])
def test_the_permissions_of_the_older_file_are_kept(tmp_path, permissions):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(permissions)
    with open_atomic(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) & ~permissions == 0
    assert get_permissions(path) == permissions
    new = tmp_path / "new"
    new.write_text("newer")
    replace_file(new, path)
    assert (get_permissions(path), path.read_text()) == (permissions, "newer")


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "a.txt", "a")
    assert get_permissions(tmp_path / "a.txt") == get_permissions(tmp_path / "usual")


def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "a.txt")
    write_text(tmp_path / "link", "a")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "a.txt").read_text() == "a"


def test_a_device_is_written_to_directly():
    with open_atomic("/dev/null") as file:
        file.write("a")


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    write_text(tmp_path / ("𝄞" * 63), "a")


def test_errors_name_the_file(tmp_path):
    with pytest.raises(SinkError, match=r"^cannot write .*missing/a: No such file or directory$"):
        write_text(tmp_path / "missing" / "a", "a")
    with pytest.raises(SinkError, match="it is a folder"):
        write_text(tmp_path, "a")


def test_json_files(tmp_path):
    path = tmp_path / "folder" / "a.json"
    write_json(path, {"a": ["ü"]}, make_parents=True, durable=True)
    assert path.read_text() == '{"a": ["\\u00fc"]}'
    assert read_json(path) == {"a": ["ü"]}
    path.write_text("{")
    with pytest.raises(SourceError, match=r"a\.json: cannot be read: Expecting"):
        read_json(path)
    with pytest.raises(SourceError, match=r"b\.json: cannot be read: .*No such file"):
        read_json(tmp_path / "b.json")
    write_json_lines(tmp_path / "a.jsonl", [{"a": 1}, {"b": None}])
    assert (tmp_path / "a.jsonl").read_text() == '{"a": 1}\n{"b": null}\n'


def test_json_for_people_has_no_control_characters():
    assert format_json(["ü", "\x9b", "\ud800"]) == '["ü", "\\u009b", "\\ud800"]'


def test_of_two_workers_that_fill_a_folder_the_first_one_counts(tmp_path):
    path = tmp_path / "rows"
    with create_folder(path) as slow:
        (slow / "a").write_text("slow")
        with create_folder(path) as fast:
            (fast / "a").write_text("fast")
    assert (path / "a").read_text() == "fast"
    assert list(tmp_path.iterdir()) == [path]


def test_a_scratch_folder_is_private_and_removed(tmp_path):
    with create_scratch_folder(tmp_path / "out") as folder:
        (folder / "a").write_text("a")
        assert folder.parent == tmp_path
        assert get_permissions(folder) == 0o700
    assert list(tmp_path.iterdir()) == []


DATA = b"<p>hello" * 1000


def compress_raw(data):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", compress_raw),
    ],
)
def test_data_is_decompressed_up_to_a_limit(encoding, compress):
    data = compress(DATA)
    assert decompress([data[:9], b"", data[9:], b"rest"], encoding, 10_000) == (DATA, True)
    assert decompress([data], encoding, 100) == (DATA[:100], True)
    body, is_complete = decompress([data[:-10]], encoding, 10_000)
    assert DATA.startswith(body)
    assert not is_complete


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "unknown"])
def test_damaged_data_is_an_error(encoding):
    with pytest.raises(DecompressionError):
        decompress([b"nonsense"], encoding, 100)


def test_no_data_is_incomplete():
    assert decompress([], "gzip", 100) == (b"", False)


def test_gzip_members_are_read_one_by_one():
    member = gzip.compress(DATA)
    file = io.BytesIO(member + gzip.compress(b"second")[:-3])
    assert b"".join(read_gzip_member(file)) == DATA
    assert file.tell() == len(member)
    pieces = []
    with pytest.raises(TruncatedData):
        pieces.extend(read_gzip_member(file))
    assert pieces == [b"second"]


def test_a_gzip_member_that_is_a_bomb_is_an_error(monkeypatch):
    monkeypatch.setattr("unweave.files.MAX_EXCESS_BYTES", 1000)
    with pytest.raises(DecompressionBomb):
        list(read_gzip_member(io.BytesIO(gzip.compress(bytes(10_000_000)))))
    assert is_decompression_bomb(10, 2001)
    assert not is_decompression_bomb(10, 2000)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"WARC/1.0", True),
        (gzip.compress(b"WARC/1.0", mtime=0), True),
        (b"other", False),
        (gzip.compress(b"other", mtime=0), False),
        (b"\x1f\x8b\xff", False),
        (b"", False),
    ],
)
def test_the_start_of_a_file_is_compared(tmp_path, content, expected):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert file_starts_with(path, b"WARC/") is expected
