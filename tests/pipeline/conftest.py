"""A small shop with a magazine in a folder, and WARC files."""

import gzip

import pytest

from examples.bigshop.make import make
from fuzz.archives import build_warc_record


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """Return the folder of a shop of 120 pages."""
    folder = tmp_path_factory.mktemp("shop") / "shop"
    make(folder, 120)
    return folder


def write_warc(path, pages):
    """Write a WARC file of (URL, body) or (URL, body, status, headers).

    Each record is compressed if the name of the file ends in .gz.
    """
    with path.open("wb") as file:
        for number, page in enumerate(pages):
            record = build_warc_record(number, *page)
            file.write(gzip.compress(record) if path.name.endswith(".gz") else record)
    return path
