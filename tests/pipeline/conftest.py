"""A small shop with a magazine, as pages in a folder; and WARC files."""

import gzip

import pytest

from examples.bigshop.make import make
from fuzz.archives import build_warc_record


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The folder of a shop of 120 pages."""
    folder = tmp_path_factory.mktemp("shop") / "shop"
    make(folder, 120)
    return folder


def write_warc(path, pages):
    """A WARC file of (address, body) or (address, body, status, headers), packed record by record if its name says so."""
    with path.open("wb") as file:
        for number, page in enumerate(pages):
            record = build_warc_record(number, *page)
            file.write(gzip.compress(record) if path.name.endswith(".gz") else record)
    return path
