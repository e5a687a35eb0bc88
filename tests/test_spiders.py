"""Responses to rows with a wrapper that was learned before, and a real spider that does it."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

import unweave
from examples.bigshop.make import make
from examples.bigshop.serve import serving
from unweave.errors import UsageError, WrapperError
from unweave.spiders import Rows


class Response:
    """What Scrapy gives, as far as it is asked for."""

    def __init__(self, body, headers=None):
        self.url, self.body, self.headers = "https://example.org/list", body, headers or {}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrappers") / "people.json"
    unweave.learn(["examples/people.html"]).save(path)
    return path


def test_a_list_gives_a_row_a_record(people):
    rows = list(Rows(people)(Response(Path("examples/people.html").read_bytes())))
    assert len(rows) == 9
    assert rows[1]["title"] == "Henrik Vasquez"
    assert rows[1]["title_link"] == "https://example.org/about/people/henrik-vasquez"
    assert (rows[1]["url"], rows[1]["fit"]) == ("https://example.org/list", 1.0)


def test_details_give_a_row_a_page():
    pages = sorted(Path("examples/shop").glob("*.html"))
    (row,) = Rows(unweave.learn(pages))(Response(pages[0].read_bytes()))
    assert row["title"]


def test_values_are_plain_data():
    rows = Rows(unweave.learn(["examples/products.html"]), values=True)
    third = list(rows(Response(Path("examples/products.html").read_bytes())))[2]
    assert (third["was_price"], third["was_price_currency"]) == (24.0, "€")


def test_a_page_that_does_not_fit_gives_nothing(people):
    assert list(Rows(people)(Response(b"<p>something else</p>"))) == []


def test_the_transport_tells_the_charset(people):
    body = (
        Path("examples/people.html")
        .read_text(encoding="utf-8")
        .replace("Vasquez", "Vásquez")
        .encode("windows-1252")
    )
    headers = {"Content-Type": b'text/html; charset="windows-1252"'}
    assert list(Rows(people)(Response(body, headers)))[1]["title"] == "Henrik Vásquez"


def test_wrong_use(tmp_path):
    with pytest.raises(UsageError, match="the least fit must be from 0 to 1"):
        Rows(unweave.learn(["examples/people.html"]), min_fit=2)
    (tmp_path / "w.json").write_text("{}")
    with pytest.raises(WrapperError, match=r"w\.json: this is JSON, but no wrapper"):
        Rows(tmp_path / "w.json")


def test_the_example_spider_reads_the_lists_of_a_shop(tmp_path):
    truth = make(tmp_path / "shop", 100)
    lists = sorted((tmp_path / "shop" / "shop").glob("*/index.html"))
    unweave.learn(lists, method="records").save(tmp_path / "cards.json")
    with serving(tmp_path / "shop") as address:
        command = [
            "runspider",
            "examples/spider.py",
            "-a",
            f"start={address}/",
            "-a",
            f"wrapper={tmp_path / 'cards.json'}",
        ]
        settings = [
            "-s",
            "AUTOTHROTTLE_ENABLED=0",
            "-s",
            "DOWNLOAD_DELAY=0",
            "-O",
            str(tmp_path / "cards.csv"),
        ]
        subprocess.run(
            [sys.executable, "-m", "scrapy", *command, *settings], check=True, capture_output=True
        )
    with (tmp_path / "cards.csv").open(encoding="utf-8", newline="") as file:
        titles = sorted(row["title"] for row in csv.DictReader(file))
    records = [
        record for page in truth if page["template"] == "category" for record in page["records"]
    ]
    assert titles == sorted(record["fields"]["title"]["text"] for record in records)
