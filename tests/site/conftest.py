"""A small shop with a magazine, as pages in a folder; and WARC files."""

import gzip

import pytest

from examples.bigshop.make import make

DATE = "2024-05-01T10:00:00Z"


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The folder of a shop of 120 pages."""
    folder = tmp_path_factory.mktemp("shop") / "shop"
    make(folder, 120)
    return folder


def write_warc(path, pages):
    """A WARC file of (address, body) or (address, body, status, headers), packed record by record if its name says so."""
    with path.open("wb") as file:
        for number, (address, body, *more) in enumerate(pages):
            status, headers = more or ("200 OK", [("Content-Type", "text/html; charset=utf-8")])
            http = "".join(f"{line}\r\n" for line in [f"HTTP/1.1 {status}", *(f"{name}: {own}" for name, own in headers)])
            block = f"{http}\r\n".encode() + body
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\nWARC-Date: {DATE}\r\n"
                f"WARC-Target-URI: {address}\r\nContent-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(block)}\r\n\r\n"
            )
            record = head.encode() + block + b"\r\n\r\n"
            file.write(gzip.compress(record) if path.name.endswith(".gz") else record)
    return path
