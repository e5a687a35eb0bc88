"""Rows of responses, extracted with a learned wrapper, also by Scrapy."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import unweave
from examples.bigshop.make import make
from examples.bigshop.serve import serving
from tests.sources.site import Site
from unweave.errors import SourceError, UsageError, WrapperError
from unweave.spiders import ExtractionPipeline, Rows


class Response:
    """A response with the attributes of those of Scrapy that are used."""

    def __init__(self, body, headers=None):
        self.url, self.body, self.headers = "https://example.org/list", body, headers or {}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrappers") / "people.json"
    unweave.learn(["examples/people.html"]).save(path)
    return path


def test_a_list_gives_a_row_for_each_record(people):
    rows = list(Rows(people)(Response(Path("examples/people.html").read_bytes())))
    assert len(rows) == 9
    assert rows[1]["title"] == "Henrik Vasquez"
    assert rows[1]["title_link"] == "https://example.org/about/people/henrik-vasquez"
    assert (rows[1]["url"], rows[1]["fit"]) == ("https://example.org/list", 1.0)


def test_detail_pages_give_a_row_for_each_page():
    pages = sorted(Path("examples/shop").glob("*.html"))
    (row,) = Rows(unweave.learn(pages))(Response(pages[0].read_bytes()))
    assert row["title"]


def test_values_are_plain_data():
    rows = Rows(unweave.learn(["examples/products.html"]), values=True)
    third = list(rows(Response(Path("examples/products.html").read_bytes())))[2]
    assert (third["was_price"], third["was_price_currency"]) == (24.0, "€")


def test_a_page_with_a_low_fit_gives_no_rows(people):
    assert list(Rows(people)(Response(b"<p>something else</p>"))) == []


def test_the_charset_is_read_from_the_headers(people):
    body = (
        Path("examples/people.html")
        .read_text(encoding="utf-8")
        .replace("Vasquez", "Vásquez")
        .encode("windows-1252")
    )
    headers = {"Content-Type": b'text/html; charset="windows-1252"'}
    assert list(Rows(people)(Response(body, headers)))[1]["title"] == "Henrik Vásquez"


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(UsageError, match="min_fit must be from 0 to 1"):
        Rows(unweave.learn(["examples/people.html"]), min_fit=2)
    (tmp_path / "w.json").write_text("{}")
    with pytest.raises(WrapperError, match=r"w\.json: this is JSON, but not an unweave wrapper"):
        Rows(tmp_path / "w.json")


def test_the_example_spider_extracts_the_lists_of_a_shop(tmp_path):
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


def list_pages(folder):
    return [Response(path.read_bytes()) for path in sorted(Path(folder).glob("*.html"))]


def test_pages_of_a_new_design_repair_the_wrapper_and_give_their_rows():
    old = unweave.learn(sorted(Path("examples/redesign/before").glob("*.html")))
    rows = Rows(old, min_fit=0.6, repair_after=6)
    given = [list(rows(response)) for response in list_pages("examples/redesign/after")]
    assert [len(each) for each in given] == [0, 0, 0, 0, 0, 6, 1, 1]
    assert rows.wrapper is not old
    assert {row["item_number"][:3] for each in given for row in each} == {"ML-"}
    assert all(row["price"].startswith("£") for each in given for row in each)


def test_pages_of_another_site_do_not_repair_the_wrapper():
    old = unweave.learn(sorted(Path("examples/redesign/before").glob("*.html")))
    rows = Rows(old, min_fit=0.6, repair_after=5)
    assert [list(rows(response)) for response in list_pages("examples/shop")] == [[]] * 6
    assert rows.wrapper is old
    with pytest.raises(UsageError, match="at least 2"):
        Rows(old, repair_after=1)


class TestPipeline:
    def process(self, wrapper, item, **options):
        return ExtractionPipeline(wrapper, **options).process_item(item)

    def test_the_response_of_an_item_is_replaced_by_its_fields(self):
        pages = sorted(Path("examples/shop").glob("*.html"))
        item = {"response": Response(pages[0].read_bytes()), "category": "kitchen"}
        done = self.process(unweave.learn(pages), item)
        assert done["category"] == "kitchen"
        assert done["url"] == "https://example.org/list"
        assert done["title"] == "Jug blender 1.5 l, glass"
        assert "response" not in done
        assert "response" in item

    def test_lists_are_records(self, people):
        item = {"response": Response(Path("examples/people.html").read_bytes())}
        done = self.process(people, item)
        assert len(done["records"]) == 9
        assert done["records"][1]["title"] == "Henrik Vasquez"
        assert done["fit"] == 1.0

    def test_pages_with_a_low_fit_are_dropped(self, people):
        from scrapy.exceptions import DropItem

        with pytest.raises(DropItem, match=r"https://example.org/list: its fit is 0\.00"):
            self.process(people, {"response": Response(b"<p>something else</p>")})

    def test_other_items_are_passed_on(self, people):
        item = {"title": "no page"}
        assert self.process(people, item) is item

    def test_settings_are_checked(self, people):
        from scrapy.settings import Settings

        def make(**settings):
            crawler = SimpleNamespace(settings=Settings(settings))
            return ExtractionPipeline.from_crawler(crawler)

        with pytest.raises(UsageError, match="UNWEAVE_WRAPPER"):
            make()
        with pytest.raises(SourceError, match=r"missing\.json: cannot be read"):
            make(UNWEAVE_WRAPPER="missing.json")
        with pytest.raises(UsageError, match="min_fit must be from 0 to 1, not 2"):
            make(UNWEAVE_WRAPPER=str(people), UNWEAVE_MIN_FIT="2")

    @pytest.mark.slow
    def test_scrapy_runs_it(self, tmp_path, people, monkeypatch):
        monkeypatch.setenv("no_proxy", "*")
        spider = tmp_path / "spider.py"
        spider.write_text(PIPELINE_SPIDER, encoding="utf-8")
        with Site() as site:
            site.respond("/people", Path("examples/people.html").read_bytes())
            site.respond("/other", b"<p>something else</p>")
            command = ["runspider", str(spider), "-a", f"site={site.url()}", "-O", "items.jsonl"]
            settings = ["-s", f"UNWEAVE_WRAPPER={people}", "-s", "TELNETCONSOLE_ENABLED=0"]
            done = subprocess.run(
                [sys.executable, "-m", "scrapy", *command, *settings],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(Path.cwd())},
                check=True,
                capture_output=True,
                text=True,
            )
        assert "/other: its fit is" in done.stderr
        assert "Deprecat" not in done.stderr
        (item,) = map(json.loads, (tmp_path / "items.jsonl").read_text().splitlines())
        assert item["found_on"] == "start"
        assert item["records"][0]["room"] == "Room 401"


PIPELINE_SPIDER = """
import scrapy

class People(scrapy.Spider):
    name = "people"
    custom_settings = {"ITEM_PIPELINES": {"unweave.spiders.ExtractionPipeline": 100}}

    async def start(self):
        for path in ("/people", "/other"):
            yield scrapy.Request(self.site + path)

    def parse(self, response):
        yield {"response": response, "found_on": "start"}
"""
