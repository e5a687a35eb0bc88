"""Responses are read from WARC files as they were written, and other readers can read them."""

from datetime import UTC, datetime

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioReader

from unweave.errors import SourceError
from unweave.sources.crawl_archive import (
    PAGE,
    SITEMAP,
    START,
    ArchiveWriter,
    StoredResponse,
    list_warc_files,
    read_responses,
    remove_incomplete_record,
)

PAGE_RESPONSE = StoredResponse(
    "http://x.org/é?a=%C3%A9",
    200,
    ((b"Content-Type", b"text/html; charset=windows-1251"), (b"Content-Length", b"2")),
    b"<h1>\xca\xe0\xf2</h1>\r\n\r\n\x00WARC/1.1\r\n",
    depth=3,
    ip="127.0.0.1",
    time=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)
MOVED = StoredResponse("http://x.org/old", 301, ((b"Location", b"/new"),), hops=2, url_type=START)
LIST = StoredResponse(
    "http://x.org/sitemap.xml",
    200,
    ((b"Content-Type", b"text/xml"),),
    b"<urlset/>",
    url_type=SITEMAP,
)
CUT = StoredResponse(
    "http://x.org/film", 200, ((b"Content-Type", b"video/mp4"),), is_truncated=True
)
ALL = [PAGE_RESPONSE, MOVED, LIST, CUT]


def write(folder, responses, file_bytes=10**9):
    archive = ArchiveWriter(folder, max_file_bytes=file_bytes, user_agent="unweave/0")
    for response in responses:
        archive.add(response)
    archive.close()


def get_stored_parts(response):
    """Return what is stored of a response, without its time and Content-Length."""
    headers = tuple(header for header in response.headers if header[0] != b"Content-Length")
    return (
        response.url,
        response.status,
        headers,
        response.body,
        response.depth,
        response.hops,
        response.url_type,
        response.is_truncated,
        response.ip,
    )


def test_responses_are_read_as_they_were_written(tmp_path):
    write(tmp_path, ALL[:2])
    write(tmp_path, ALL[2:])
    responses = list(read_responses(tmp_path))
    assert list(map(get_stored_parts, responses)) == list(map(get_stored_parts, ALL))
    assert responses[0].time == PAGE_RESPONSE.time
    assert responses[0].get_header(b"content-length") == b"%d" % len(PAGE_RESPONSE.body)
    assert all(not response.body for response in read_responses(tmp_path, with_bodies=False))


@given(
    st.binary(max_size=300),
    st.lists(
        st.tuples(st.from_regex(rb"X-[A-Za-z0-9-]{1,10}", fullmatch=True), st.binary(max_size=40)),
        max_size=5,
    ),
    st.integers(100, 599),
)
def test_any_response_is_one_record(tmp_path_factory, body, headers, status):
    folder = tmp_path_factory.mktemp("any")
    write(folder, [StoredResponse("http://x.org/", status, tuple(headers), body), MOVED])
    responses = list(read_responses(folder))
    assert [(response.url, response.status) for response in responses] == [
        ("http://x.org/", status),
        ("http://x.org/old", 301),
    ]
    assert responses[0].body == body


def test_long_headers_are_left_out(tmp_path):
    headers = (
        (b"X-Long", b"x" * 20_000),
        *((b"X-Many", b"x" * 900),) * 50,
        (b"Content-Type", b"text/html"),
    )
    write(tmp_path, [StoredResponse("http://x.org/", 200, headers, b"<p>a")])
    (response,) = read_responses(tmp_path)
    assert response.is_page
    assert response.get_header(b"x-long") == b""


def test_warcio_and_fastwarc_agree_and_checksums_are_right(tmp_path):
    write(tmp_path, ALL)
    (path,) = list_warc_files(tmp_path)
    with path.open("rb") as file:
        fastwarc_records = [
            (
                record.headers["WARC-Target-URI"],
                record.http_headers.status_code,
                record.reader.read(),
            )
            for record in ArchiveIterator(
                file, record_types=WarcRecordType.response, verify_digests=True
            )
        ]
    warcio_records, types = [], []
    with path.open("rb") as file:
        for record in WarcioReader(file, check_digests="raise"):
            types.append(record.rec_type)
            body = record.content_stream().read()
            if record.rec_type == "response":
                url = record.rec_headers.get_header("WARC-Target-URI")
                warcio_records.append((url, int(record.http_headers.get_statuscode()), body))
    assert types == ["warcinfo"] + ["response"] * len(ALL)
    assert (
        fastwarc_records == warcio_records == [(item.url, item.status, item.body) for item in ALL]
    )


def test_files_can_be_read_from_any_record_on(tmp_path):
    write(tmp_path, ALL)
    (path,) = list_warc_files(tmp_path)
    with path.open("rb") as file:
        positions = [record.stream_pos for record in ArchiveIterator(file)]
    for number, position in enumerate(positions):
        with path.open("rb") as file:
            file.seek(position)
            assert sum(1 for _ in ArchiveIterator(file)) == len(positions) - number


def test_a_full_file_is_followed_by_another(tmp_path):
    for _ in range(3):
        write(tmp_path, ALL, file_bytes=1_000)
    assert len(list_warc_files(tmp_path)) > 3
    assert sum(1 for _ in read_responses(tmp_path)) == 3 * len(ALL)
    for path in list_warc_files(tmp_path):
        with path.open("rb") as file:
            assert next(iter(ArchiveIterator(file))).record_type == WarcRecordType.warcinfo


@given(st.integers(1, 600))
def test_an_incomplete_record_is_removed(tmp_path_factory, missing):
    """Wherever the file ends, the records before are kept, and more can be added."""
    folder = tmp_path_factory.mktemp("torn")
    write(folder, ALL)
    (path,) = list_warc_files(folder)
    path.write_bytes(path.read_bytes()[:-missing])
    remove_incomplete_record(folder)
    left = list(map(get_stored_parts, read_responses(folder)))
    assert left == list(map(get_stored_parts, ALL))[: len(left)]
    assert len(left) < len(ALL)
    write(folder, [MOVED])
    assert list(map(get_stored_parts, read_responses(folder))) == [*left, get_stored_parts(MOVED)]


@pytest.mark.parametrize(
    "rest", [b"\x1f\x8b", b"\x1f\x8b\x08\x00" + bytes(100), bytes(4096), b"WARC/1.1"]
)
def test_bytes_behind_the_last_record_are_removed(tmp_path, rest):
    write(tmp_path, ALL)
    (path,) = list_warc_files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + rest)
    remove_incomplete_record(tmp_path)
    assert path.read_bytes() == whole


def test_large_records_are_complete(tmp_path):
    """Records that decompress to several pieces."""
    large = StoredResponse("http://x.org/", 200, (), bytes(5_000_000))
    write(tmp_path, [large, MOVED, large])
    before = list_warc_files(tmp_path)[0].read_bytes()
    remove_incomplete_record(tmp_path)
    assert list_warc_files(tmp_path)[0].read_bytes() == before


def test_damage_within_a_file_is_an_error(tmp_path):
    write(tmp_path, ALL)
    (path,) = list_warc_files(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:400] + bytes(100) + data[500:])
    with pytest.raises(SourceError, match="file is damaged"):
        list(read_responses(tmp_path))


@pytest.mark.parametrize(
    ("response", "is_page"),
    [
        (PAGE_RESPONSE, True),
        (StoredResponse("http://x/", 200), True),
        (
            StoredResponse("http://x/", 200, ((b"content-type", b"TEXT/HTML"),), url_type=START),
            True,
        ),
        (StoredResponse("http://x/", 404, ((b"Content-Type", b"text/html"),)), False),
        (MOVED, False),
        (LIST, False),
        (CUT, False),
    ],
)
def test_which_responses_are_pages(response, is_page):
    assert response.is_page == is_page
    assert response.url_type in (PAGE, START, SITEMAP)
