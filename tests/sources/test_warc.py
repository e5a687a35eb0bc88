"""A damaged record is skipped with a reason, and all other records of a WARC file are read."""

import gzip
import io
import json
import random
import re
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner

from unweave.cli import main
from unweave.errors import SourceError
from unweave.page.limits import MIB
from unweave.sources import warc
from unweave.sources.selection import make_archive_shards, read_archive
from unweave.sources.shards import decode_shard, encode_shard
from unweave.sources.source import FetchedPage, Skipped

BAD = "http://x.org/bad"
PAGE = b"<html><body><h1>A page</h1>" + b"<p>some text of it</p>" * 100


def make_http(body: bytes, **headers: object) -> bytes:
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def record(url: str, block: bytes, length: object = "right", **headers: str) -> bytes:
    lines = [
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2024-05-01T10:00:00Z",
        "Content-Type: application/http; msgtype=response",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    if length is not None:
        lines.append(f"Content-Length: {len(block) if length == 'right' else length}")
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def make_good_record(number: int) -> bytes:
    return record(f"http://x.org/{number}", make_http(b"<h1>Page %d</h1>" % number + PAGE))


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


GZIPPED = gzip.compress(random.Random(1).randbytes(3_000) + PAGE, mtime=0)
FLIPPED = GZIPPED[:2_000] + bytes([GZIPPED[2_000] ^ 0xFF]) + GZIPPED[2_001:]

# What is set skipped: the record, and what the reason says.
LOST = {
    "damaged gzip body": (
        record(BAD, make_http(FLIPPED, Content_Encoding="gzip")),
        "gzip data is damaged",
    ),
    "body in no known packing": (
        record(BAD, make_http(b"\0\1\2" * 99, Content_Encoding="gzip")),
        "gzip data is damaged",
    ),
    "bad first chunk": (
        record(BAD, make_http(b"zz\r\n" + PAGE, Transfer_Encoding="chunked")),
        "chunk",
    ),
    "bad later chunk": (
        record(BAD, make_http(b"3\r\nabc\r\nxyz\r\n", Transfer_Encoding="chunked")),
        "chunk",
    ),
    "chunk without its end": (
        record(BAD, make_http(b"3\r\nabcdef\r\n0\r\n\r\n", Transfer_Encoding="chunked")),
        "chunk",
    ),
    "long HTTP headers": (record(BAD, make_http(PAGE, X_Long="y" * 70_000)), "headers"),
    "long URL": (record(BAD + "b" * 70_000, make_http(PAGE)), "header of the record"),
    "gzip bomb": (
        record(BAD, make_http(gzip.compress(bytes(200_000_000), 1), Content_Encoding="gzip")),
        "limit",
    ),
    "length too short": (record(BAD, make_http(PAGE), 120), "Content-Length"),
    "length too long": (record(BAD, make_http(PAGE), len(make_http(PAGE)) + 900), "Content-Length"),
    "length of a later record": (
        record(BAD, make_http(PAGE), len(make_http(PAGE)) + 4 + 2_000),
        "Content-Length",
    ),
    "negative length": (record(BAD, make_http(PAGE), -5), "Content-Length"),
    "no length": (record(BAD, make_http(PAGE), None), "Content-Length"),
    "length in words": (record(BAD, make_http(PAGE), "many"), "Content-Length"),
    "length with other digits": (record(BAD, make_http(PAGE), "٣٤"), "Content-Length"),
    "huge length": (record(BAD, make_http(PAGE), 10**15), "Content-Length"),
    "endless length": (record(BAD, make_http(PAGE), "9" * 5_000), "Content-Length"),
    "length over the limit of a page": (record(BAD, make_http(PAGE), 40 * MIB), "Content-Length"),
    "noise in the header": (
        record(BAD, make_http(PAGE), X_Noise="\x01\x02"),
        "header of the record is damaged",
    ),
    "unknown type": (
        record(BAD, make_http(PAGE)).replace(b"Type: response", b"Type: rezponse", 1),
        "WARC-Type 'rezponse'",
    ),
    "no HTTP": (record(BAD, b"nothing of the kind\r\n\r\n"), "HTTP"),
    "headers without end": (
        record(BAD, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"),
        "headers",
    ),
}

# Records that are read as far as possible, and their damage.
MARKED = {
    "truncated by the crawler": (
        record(BAD, make_http(PAGE), WARC_Truncated="length"),
        "cut off: .*length",
    ),
    "shorter than the server said": (
        record(BAD, make_http(PAGE, Content_Length=9_999)),
        "cut off: .*9,999",
    ),
    "last chunk is missing": (
        record(BAD, make_http(b"fff\r\n" + PAGE[:99], Transfer_Encoding="chunked")),
        "cut off: .*chunk",
    ),
    "cut between chunks": (
        record(BAD, make_http(chunked(PAGE)[:-5], Transfer_Encoding="chunked")),
        "cut off: .*chunk",
    ),
    "gzip body is cut": (
        record(BAD, make_http(GZIPPED[:-20], Content_Encoding="gzip")),
        "cut off: .*gzip",
    ),
    "only the first of several segments": (
        record(BAD, make_http(PAGE), WARC_Segment_Number="1"),
        "cut off: .*segment",
    ),
    "says gzip and is not": (
        record(BAD, make_http(PAGE, Content_Encoding="gzip")),
        "wrong Content-Encoding",
    ),
    "says brotli and is not": (
        record(BAD, make_http(PAGE, Content_Encoding="br")),
        "wrong Content-Encoding",
    ),
    "says chunked and is not": (
        record(BAD, make_http(PAGE, Transfer_Encoding="chunked")),
        "wrong Transfer-Encoding",
    ),
}

GARBAGE = {
    "lines": b"garbage, garbage\r\n" * 500,
    "random bytes": random.Random(3).randbytes(100_000),
    "half a header": b"WARC/1.0\r\nWARC-Type: resp",
    "zeros and more": bytes(1_000) + b"x" + bytes(1_000),
}

FORMS = {".warc": lambda data: data, ".warc.gz": lambda data: gzip.compress(data, mtime=0)}


@pytest.fixture(params=FORMS)
def form(request):
    return request.param


def write(tmp_path, form, records, name="crawl"):
    path = tmp_path / (name + form)
    path.write_bytes(b"".join(map(FORMS[form], records)))
    return path


def read(path):
    """Return the items of an archive, which are the same when it is read as shards."""
    whole = list(read_archive(path))
    shards = [
        decode_shard(json.loads(json.dumps(encode_shard(shard))))
        for shard in make_archive_shards(path, path.with_suffix(".copied"))
    ]
    assert [item for shard in shards for item in shard.read()] == whole
    return whole


def get_good_names(items):
    """Which of the make_good_record pages are there."""
    return [item.name for item in items if isinstance(item, FetchedPage) and item.damage is None]


FOUR = [f"http://x.org/{number}" for number in range(4)]


@pytest.mark.parametrize("damage", LOST)
def test_a_damaged_record_is_skipped_alone(tmp_path, form, damage):
    bad, reason = LOST[damage]
    items = read(
        write(
            tmp_path,
            form,
            [
                make_good_record(0),
                make_good_record(1),
                bad,
                make_good_record(2),
                make_good_record(3),
            ],
        )
    )
    assert get_good_names(items) == FOUR
    (skipped,) = (item for item in items if isinstance(item, Skipped))
    assert skipped.name.startswith(BAD)
    assert reason in skipped.reason
    assert len(items) == 5


def test_a_record_without_url_is_named_by_its_position(tmp_path, form):
    bad = record(BAD, make_http(PAGE)).replace(b"WARC-Target-URI", b"WARC-Targxt-URI")
    items = read(
        write(
            tmp_path,
            form,
            [
                make_good_record(0),
                make_good_record(1),
                bad,
                make_good_record(2),
                make_good_record(3),
            ],
        )
    )
    assert get_good_names(items) == FOUR
    (skipped,) = (item for item in items if isinstance(item, Skipped))
    assert skipped.name.startswith(f"crawl{form}, byte ")
    assert "WARC-Target-URI" in skipped.reason


@pytest.mark.parametrize("damage", MARKED)
def test_a_page_that_is_cut_off_is_read_with_its_damage(tmp_path, form, damage):
    bad, reason = MARKED[damage]
    items = read(
        write(
            tmp_path,
            form,
            [
                make_good_record(0),
                make_good_record(1),
                bad,
                make_good_record(2),
                make_good_record(3),
            ],
        )
    )
    assert get_good_names(items) == FOUR
    (marked,) = (item for item in items if isinstance(item, FetchedPage) and item.damage)
    assert marked.name == BAD
    assert re.match(reason, marked.damage)
    assert marked.body


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("at", [0, 2, 4], ids=["first", "between", "last"])
def test_garbage_between_records_is_skipped_and_reported(tmp_path, form, garbage, at):
    records = [FORMS[form](make_good_record(number)) for number in range(4)]
    records.insert(at, GARBAGE[garbage])
    path = tmp_path / f"crawl{form}"
    path.write_bytes(b"".join(records))
    items = read(path)
    assert get_good_names(items) == FOUR
    skipped = [item for item in items if isinstance(item, Skipped)]
    assert [item.name for item in skipped] == [f"{path.name}, byte {sum(map(len, records[:at])):,}"]


def test_a_gzip_member_of_garbage_is_reported(tmp_path):
    items = read(
        write(
            tmp_path,
            ".warc.gz",
            [
                make_good_record(0),
                make_good_record(1),
                b"garbage",
                make_good_record(2),
                make_good_record(3),
            ],
        )
    )
    assert get_good_names(items) == FOUR
    assert sum(isinstance(item, Skipped) for item in items) == 1


@pytest.mark.parametrize("where", [0, 3, 12, 200, 1_500, -6, -1])
def test_records_behind_a_damaged_gzip_member_are_read(tmp_path, where):
    """With damage of the gzip header, the data, the checksum or the length."""
    noise = random.Random(2).randbytes(2_000).hex().encode()
    members = [
        bytearray(gzip.compress(each, mtime=0))
        for each in (
            make_good_record(0),
            make_good_record(1),
            record(BAD, make_http(noise)),
            make_good_record(2),
            make_good_record(3),
        )
    ]
    members[2][where] ^= 0xFF
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(members))
    items = read(path)
    assert get_good_names(items) == FOUR
    (skipped,) = (item for item in items if isinstance(item, Skipped))
    assert "gzip" in skipped.reason


@pytest.mark.parametrize("kept", [5, 12, 600, 1_200])
def test_records_behind_an_incomplete_gzip_member_are_read(tmp_path, kept):
    noise = random.Random(2).randbytes(2_000).hex().encode()
    members = [
        gzip.compress(each, mtime=0)
        for each in (
            make_good_record(0),
            make_good_record(1),
            record(BAD, make_http(noise)),
            make_good_record(2),
            make_good_record(3),
        )
    ]
    members[2] = members[2][:kept]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(members))
    items = read(path)
    assert get_good_names(items) == FOUR
    assert sum(isinstance(item, Skipped) for item in items) == 1


@pytest.mark.parametrize("missing", [1, 3, 7, 30, 300])
def test_an_incomplete_file_has_all_records_up_to_its_end(tmp_path, form, missing):
    noise = random.Random(2).randbytes(2_000).hex().encode()
    path = write(tmp_path, form, [*map(make_good_record, range(4)), record(BAD, make_http(noise))])
    path.write_bytes(path.read_bytes()[:-missing])
    items = read(path)
    last = items.pop()
    assert get_good_names(items) == FOUR
    assert len(items) == 4
    assert last.name == BAD
    assert last.damage is None or last.damage.startswith("cut off: the archive ends")
    assert last.body == noise[: len(last.body)]
    assert (last.body == noise) == (last.damage is None)


def test_an_incomplete_record_header_is_reported(tmp_path, form):
    data = b"".join(map(FORMS[form], [make_good_record(0), make_good_record(1)]))
    path = tmp_path / f"crawl{form}"
    path.write_bytes(
        data + FORMS[form](b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.org/b")
    )
    *items, last = read(path)
    assert get_good_names(items) == FOUR[:2]
    assert isinstance(last, Skipped)
    assert "header" in last.reason


@pytest.mark.parametrize("size", [60_000, 65_536])
def test_gzip_members_that_do_not_follow_records_are_one_stream(tmp_path, size):
    """As bgzip writes them: members of one size, and records in several members."""
    plain = b"".join(map(make_good_record, range(300)))
    path = tmp_path / "blocks.warc.gz"
    path.write_bytes(
        b"".join(gzip.compress(plain[at : at + size]) for at in range(0, len(plain), size))
    )
    items = read(path)
    assert get_good_names(items) == [f"http://x.org/{number}" for number in range(300)]
    assert len(items) == 300


@pytest.mark.parametrize(
    "damage", ["length too short", "negative length", "huge length", "length too long"]
)
def test_damage_in_a_file_that_is_one_gzip_member(tmp_path, damage):
    path = tmp_path / "whole.warc.gz"
    path.write_bytes(
        gzip.compress(
            b"".join(
                [
                    make_good_record(0),
                    make_good_record(1),
                    LOST[damage][0],
                    make_good_record(2),
                    make_good_record(3),
                ]
            )
        )
    )
    items = read(path)
    assert get_good_names(items) == FOUR
    assert sum(isinstance(item, Skipped) for item in items) == 1


def test_records_without_line_breaks_between_them_and_with_bare_ones_are_read(tmp_path, form):
    """As old crawlers wrote them."""
    records = [
        make_good_record(0).removesuffix(b"\r\n\r\n"),
        make_good_record(1) + b"\n\n",
        b"",
        make_good_record(3),
    ]
    block = make_http(b"<h1>Page 2</h1>" + PAGE).replace(b"\r\n", b"\n")
    records[2] = record(FOUR[2], block).replace(b"\r\n", b"\n")
    assert get_good_names(read(write(tmp_path, form, records))) == FOUR


def test_a_page_may_contain_a_record(tmp_path, form):
    """A page about WARC files, and one with the end of a record."""
    inner = record("http://y.org/", make_http(PAGE))
    pages = [
        make_good_record(0),
        record(FOUR[1], make_http(inner)),
        record(FOUR[2], make_http(PAGE + b"\r\n\r\n")),
        make_good_record(3),
    ]
    items = read(write(tmp_path, form, pages))
    assert get_good_names(items) == FOUR
    assert items[1].body == inner


def test_a_large_record_of_records_is_skipped_as_a_whole(tmp_path):
    inner = record("http://y.org/", make_http(PAGE)) * (34 * MIB // 2_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/warc\r\n\r\n"
    items = read(
        write(
            tmp_path, ".warc", [make_good_record(0), record(BAD, head + inner), make_good_record(1)]
        )
    )
    assert [item.name for item in items] == [FOUR[0], BAD, FOUR[1]]
    assert items[1].reason == "not HTML but application/warc"


@pytest.fixture
def count_read_bytes(monkeypatch):
    """A function that returns the number of decompressed bytes so far."""
    counts = []
    fill = warc.Segment.fill

    def counting_fill(segment, size):
        before = segment.end
        is_full = fill(segment, size)
        counts.append(segment.end - before)
        return is_full

    monkeypatch.setattr(warc.Segment, "fill", counting_fill)
    return lambda: sum(counts)


@pytest.mark.slow
def test_a_decompression_bomb_is_left_early(tmp_path, monkeypatch, count_read_bytes):
    """The next one is found without decompressing all of it."""
    monkeypatch.setattr("unweave.files.MAX_EXCESS_BYTES", MIB)
    bomb = record(BAD, make_http(bytes(300 * MIB)))
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(
        gzip.compress(make_good_record(0))
        + gzip.compress(bomb)
        + gzip.compress(make_good_record(1))
    )
    records = list(warc.read_records(path))
    assert [each.headers["warc-target-uri"] for each in records] == [FOUR[0], BAD, FOUR[1]]
    assert [each.damage is not None for each in records] == [False, True, False]
    assert MIB < count_read_bytes() < 100 * MIB


@pytest.mark.parametrize(
    "bad",
    [
        record(BAD, make_http(PAGE), 33 * MIB),
        record(BAD, make_http(gzip.compress(bytes(200 * MIB), 1), Content_Encoding="gzip")),
        b"WARC/1.0\r\n" + b"A: b\r\n" * (6 * MIB),
        record(BAD, make_http(bytes(100 * MIB))),
    ],
    ids=["long", "bomb", "endless header", "large"],
)
def test_memory_is_bounded(tmp_path, form, bad):
    path = write(tmp_path, form, [make_good_record(0), bad, make_good_record(1)])
    del bad
    tracemalloc.start()
    try:
        names = get_good_names(read_archive(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert names == FOUR[:2]
    assert peak < 160 * MIB


def test_wrong_lengths_do_not_make_reading_quadratic(tmp_path, count_read_bytes):
    """Records that all claim to reach far do not make reading quadratic."""
    records = b"".join(
        record(f"http://x.org/{n}", make_http(b"<p>x"), 20_000_000) for n in range(3_000)
    )
    path = tmp_path / "claims.warc"
    path.write_bytes(records)
    assert sum(each.damage is not None for each in warc.read_records(path)) == 2_999
    assert count_read_bytes() == len(records)


@pytest.mark.parametrize("at", [(0,), (3,), (8,), (2, 3, 6)])
def test_damage_of_zstd_data_loses_one_frame(tmp_path, at):
    from fastwarc.stream_io import ZstdWriter

    def pack(data):
        packed = io.BytesIO()
        with ZstdWriter(packed) as writer:
            writer.write(data)
        return bytearray(packed.getvalue())

    frames = [pack(make_good_record(number)) for number in range(9)]
    path = tmp_path / "crawl.warc.zst"
    path.write_bytes(b"".join(frames))
    assert get_good_names(read(path)) == [f"http://x.org/{number}" for number in range(9)]
    for number in at:
        frames[number][20] ^= 0xFF
    path.write_bytes(b"".join(frames))
    items = read(path)
    assert get_good_names(items) == [
        f"http://x.org/{number}" for number in range(9) if number not in at
    ]
    assert sum(isinstance(item, Skipped) and "zstd" in item.reason for item in items) == len(at)


def test_a_file_without_records_is_an_error(tmp_path, form):
    path = write(tmp_path, form, [b"garbage " * 10_000])
    with pytest.raises(SourceError, match="not a WARC file"):
        list(read_archive(path))
    with pytest.raises(SourceError, match="not a WARC file"):
        make_archive_shards(path, tmp_path)


def make_book_page(number):
    facts = {"Author": f"Writer {number * 7}", "Pages": 100 + number, "Price": f"{number}.50 $"}
    rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
    return f"<html><title>Book {number}</title><h1>Book {number}</h1><table>{rows}</table>".encode()


def test_site_writes_good_pages_and_reports_damaged_ones(tmp_path, form):
    shop = [make_book_page(number) for number in range(8)]
    pages = [record(f"http://x.org/book/{n}", make_http(body)) for n, body in enumerate(shop)]
    cut = record("http://x.org/book/cut", make_http(shop[0]), WARC_Truncated="length")
    bad = [
        bad.replace(BAD.encode(), f"{BAD}/{n}".encode()) for n, (bad, _) in enumerate(LOST.values())
    ]
    path = write(tmp_path, form, [*pages[:4], *bad, cut, *pages[4:]])
    out = tmp_path / "tables"
    result = CliRunner().invoke(
        main, ["site", str(path), "-o", str(out), "--format", "jsonl", "--runner", "serial"]
    )
    assert result.exit_code == 0, result.output
    rows = {
        row["url"]: row for row in map(json.loads, (out / "pages.jsonl").read_text().splitlines())
    }
    read = {url for url, row in rows.items() if row["template"] is not None}
    assert read == {f"http://x.org/book/{n}" for n in [*range(8), "cut"]}
    assert rows["http://x.org/book/cut"]["reason"].startswith("cut off: ")
    assert [row["reason"] for url, row in rows.items() if url in read].count(None) == 8
    skipped = {url: row for url, row in rows.items() if url not in read}
    assert len(skipped) == len(LOST)
    assert all(row["reason"] for row in skipped.values())
    assert "skipped: " in result.output
    assert "1 read, though damaged: cut off" in result.output


BODIES = {
    "endless name": b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"A" * 1_000_000,
    "nothing, many times": gzip.compress(b"", mtime=0) * 50_000,
    "damaged": b"\x1f\x8b\xff",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_only_the_first_bytes_of_a_gzip_file_are_read_to_recognize_it(
    tmp_path: Path, body: bytes
) -> None:
    path = tmp_path / "odd.warc.gz"
    path.write_bytes(body)
    with pytest.raises(SourceError, match="not a WARC file"):
        warc.check(path)
