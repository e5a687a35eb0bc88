"""Spiders are valid Python with any names, and Scrapy runs them on a local site."""

import ast
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from tests.selectors.shops import make_page
from tests.sources.site import Site
from unweave.errors import WrapperError
from unweave.selectors.choice import ChosenSelector
from unweave.selectors.export import Export, ExportedColumn, ExportedTable
from unweave.selectors.expressions import Form
from unweave.selectors.spider import format_spider


def run(tmp_path, spider, start):
    """Return the items of a spider that Scrapy runs in another process."""
    path, out = tmp_path / "spider.py", tmp_path / "items.jsonl"
    path.write_text(spider, encoding="utf-8")
    command = ["-m", "scrapy", "runspider", str(path), "-a", f"start={start}", "-O", str(out)]
    quick = [
        "-s",
        "AUTOTHROTTLE_START_DELAY=0",
        "-s",
        "DOWNLOAD_DELAY=0",
        "-s",
        "TELNETCONSOLE_ENABLED=0",
    ]
    done = subprocess.run(
        [sys.executable, *command, *quick], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "Traceback" not in done.stderr
    with out.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with Site() as site:
        site.respond("/robots.txt", "User-agent: *\nDisallow: /private", "text/plain")
        yield site


def test_a_spider_extracts_the_fields_of_a_page(tmp_path, site):
    learned = [make_page(number) for number in range(8)]
    wrapper = unweave.learn(learned)
    site.respond("/thing", make_page(21))
    (item,) = run(tmp_path, wrapper.to_spider(pages=learned), site.url("/thing"))
    assert site.requested[0] == "/robots.txt"
    assert item.pop("page") == site.url("/thing")
    fields, _ = extract(wrapper, make_page(21))
    assert {name: value for name, value in item.items() if value} == fields


def test_a_spider_extracts_the_tables_of_a_page(tmp_path, site):
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    with open("examples/shop/kettle.html", "rb") as file:
        site.respond("/kettle", file.read())
    (item,) = run(tmp_path, unweave.learn(pages).to_spider(pages=pages), site.url("/kettle"))
    assert item["guarantee"] == "3 years"
    assert [row["reviews_text"] for row in item["reviews"]][:3] == [
        "Pours like a dream",
        "Good, with one wish",
        None,
    ]


def test_a_spider_follows_the_pages_of_a_list(tmp_path, site):
    cards = "<ul class=cards>{}</ul>"
    card = (
        "<li class=card><a href='{0}'>{0}</a><p class=stars>★★★</p><p class=price>{1}.50</p></li>"
    )
    lists = [
        cards.format("".join(card.format(f"{name}-{number}", number) for name in "abc"))
        for number in range(3)
    ]
    site.respond("/list", f"{lists[0]}<a rel='nofollow next' href='/list?page=2'>on</a>")
    site.respond("/list?page=2", f"<link rel=next href='/private/3'>{lists[1]}")
    wrapper = unweave.learn(lists[:2], method="records")
    items = run(tmp_path, wrapper.to_spider(), site.url("/list"))
    assert len(items) == 6
    assert "/private/3" not in site.requested
    assert [item["page"] for item in items[2:4]] == [site.url("/list"), site.url("/list?page=2")]
    first = {key: value for key, value in items[0].items() if key != "page"}
    assert site.url("/a-0") in first.values()
    assert {"a-0", "0.50"} <= set(first.values())


ANY = st.text(max_size=20)
CHOSEN = st.builds(
    ChosenSelector,
    st.none(),
    st.none() | ANY,
    st.none() | st.integers(0, 3),
    st.just(3),
    st.just("a note"),
)


@settings(deadline=None)
@given(st.lists(st.tuples(ANY, CHOSEN, st.booleans()), max_size=3), ANY, CHOSEN, CHOSEN)
def test_names_and_selectors_never_become_code(fields, name, rows, cell):
    """The literals in the source are the names and selectors."""
    exported = tuple(ExportedColumn(field, chosen, many) for field, chosen, many in fields)
    table = ExportedTable(rows, (ExportedColumn(name, cell),), name)
    tree = ast.parse(format_spider(Export(Form.XPATH, exported, (table,))))
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
    }
    kept = [
        (column.name, "many" if column.many else "one", column.chosen.text)
        for column in exported
        if column.chosen.text is not None
    ]
    assert values["FIELDS"] == kept
    assert [column[1] for column in values["TABLES"]] == ([] if rows.text is None else [rows.text])
    assert [type(node) for node in tree.body] == [
        type(node) for node in ast.parse(format_spider(Export(Form.XPATH))).body
    ]


def test_a_list_without_a_selector_for_its_records_has_no_spider():
    wrapper = unweave.learn(["examples/twocolumn.html"], method="records")
    with pytest.raises(WrapperError, match="the records of the list cannot be selected"):
        wrapper.to_spider()


def test_a_table_with_the_name_of_a_field_is_renamed():
    field = ExportedColumn("sizes", ChosenSelector(None, "//a/text()"), many=False)
    table = ExportedTable(
        ChosenSelector(None, "//tr"),
        (ExportedColumn("size", ChosenSelector(None, "./td")),),
        "sizes",
    )
    assert "('sizes_rows', '//tr', [" in format_spider(Export(Form.XPATH, (field,), (table,)))
