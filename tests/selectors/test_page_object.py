"""Page objects are valid Python with any names, and web-poet extracts what the wrapper does."""

import ast
import asyncio
import keyword
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from tests.selectors.shops import make_page
from tests.selectors.test_spider import ANY, CHOSEN
from unweave.errors import WrapperError
from unweave.selectors.choice import ChosenSelector
from unweave.selectors.export import Export, ExportedColumn, ExportedTable
from unweave.selectors.expressions import Form
from unweave.selectors.page_object import _RESERVED, find_hosts, format_page_object

web_poet = pytest.importorskip("web_poet")

URL = "https://shop.example/things/21"


def load(source):
    """Return the names of a module that was exported."""
    namespace = {"__name__": "exported"}
    exec(compile(source, "exported.py", "exec", dont_inherit=True), namespace)
    return namespace


def read_item(source, class_name, markup, url=URL):
    """Return the item that the page object extracts from a page, as plain data."""
    body = markup if isinstance(markup, bytes) else markup.encode()
    response = web_poet.HttpResponse(url, body=body, encoding="utf-8")
    page = load(source)[class_name](response=response)
    with ThreadPoolExecutor(1) as thread:  # another test may have left its loop in this one
        return attrs.asdict(thread.submit(lambda: asyncio.run(page.to_item())).result())


def test_a_page_object_extracts_the_fields_of_a_page():
    learned = [make_page(number) for number in range(8)]
    wrapper = unweave.learn(learned)
    item = read_item(wrapper.to_page_object(learned), "ItemPage", make_page(21))
    assert item.pop("page") == URL
    fields, _ = extract(wrapper, make_page(21))
    assert {name: value for name, value in item.items() if value} == fields


def test_a_page_object_extracts_the_tables_of_a_page():
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    source = unweave.learn(pages).to_page_object(pages)
    item = read_item(source, "ItemPage", Path(pages[0]).read_bytes())
    assert item["guarantee"] == "3 years"
    assert [row["reviews_text"] for row in item["reviews"]][:2] == [
        "Pours like a dream",
        "Good, with one wish",
    ]


def test_a_page_object_extracts_the_records_of_a_list_and_the_next_page():
    page = Path("examples/people.html").read_bytes()
    source = unweave.learn("examples/people.html").to_page_object("examples/people.html")
    markup = page.replace(b"</body>", b"<a rel=next href='?page=2'>more</a></body>")
    item = read_item(source, "RecordListPage", markup)
    assert len(item["records"]) == 9
    assert item["records"][1]["title"] == "Henrik Vasquez"
    assert item["records"][1]["title_link"] == "https://shop.example/about/people/henrik-vasquez"
    assert item["next_page"] == f"{URL}?page=2"
    assert read_item(source, "RecordListPage", page)["next_page"] is None


def test_fields_can_be_replaced_in_a_subclass():
    pages = ["examples/shop/kettle.html", "examples/shop/lamp.html"]
    source = unweave.learn(pages).select("title=name", "price").to_page_object(pages)
    source += """
class Better(ItemPage):
    @field
    def name(self):
        return super().name.upper()
"""
    item = read_item(source, "Better", Path(pages[0]).read_bytes())
    assert item == {"page": URL, "name": "GOOSENECK KETTLE 0.9 L, MATT BLACK", "price": "€64.90"}


def test_the_host_of_the_pages_is_handled():
    pages = sorted(Path("examples/shop").glob("*.html"))
    source = unweave.learn(pages).to_page_object(pages)
    registry = load(source)["handle_urls"].__self__
    rules = [rule for rule in registry.get_rules() if rule.use.__module__ == "exported"]
    assert rules[-1].for_patterns.include == ("www.brightwaterhouse.example.com",)
    assert "handle_urls" not in unweave.learn(pages).to_page_object()


@pytest.mark.parametrize(
    ("canonical", "hosts"),
    [
        ("https://Shop.example/a", ["shop.example"]),
        ("/relative", []),
        ("https://[broken/", []),
        ("https://a'b.example/", []),
        ("https://x.example'); print(1)/", []),
        ("https://localhost/", []),
    ],
)
def test_hosts_are_names_of_hosts(canonical, hosts):
    page = unweave.load_page(f'<link rel=canonical href="{canonical}"><p>x')
    assert find_hosts([page]) == hosts


def test_pages_of_several_hosts_have_no_rule():
    export = Export(Form.XPATH)
    assert "@handle_urls('a.example')" in format_page_object(export, ["a.example", "a.example"])
    assert "handle_urls" not in format_page_object(export, ["a.example", "b.example"])


def list_methods(tree, name):
    (page,) = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name]
    return [each for each in page.body if isinstance(each, ast.FunctionDef)]


@given(st.lists(st.tuples(ANY, CHOSEN, st.booleans()), max_size=3), ANY, CHOSEN, CHOSEN)
def test_names_and_selectors_never_become_code(fields, name, rows, cell):
    """The literals in the methods are the selectors, and the names are identifiers."""
    exported = tuple(ExportedColumn(field, chosen, many) for field, chosen, many in fields)
    table = ExportedTable(rows, (ExportedColumn(name, cell),), name)
    tree = ast.parse(format_page_object(Export(Form.XPATH, exported, (table,))))
    methods = list_methods(tree, "ItemPage")
    texts = [column.chosen.text for column in exported if column.chosen.text is not None]
    texts += [] if rows.text is None else [rows.text]
    literals = [
        node.args[0].value
        for method in methods
        for node in ast.walk(method)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "xpath"
    ]
    assert literals == texts
    names = [method.name for method in methods]
    assert len(set(names)) == len(names)
    assert all(each.isidentifier() and not keyword.iskeyword(each) for each in names)


@pytest.mark.parametrize(
    "name", ["class", "self", "url", "field", "__init__", "2nd price", "größe", "%", "ﬁ"]
)
def test_any_name_of_a_field_becomes_one_that_works(name):
    chosen = ChosenSelector(None, "//b/text()")
    columns = (ExportedColumn(name, chosen, False), ExportedColumn(name, chosen, False))
    rows = ExportedTable(ChosenSelector(None, "//p"), (ExportedColumn(name, chosen),), name)
    item = read_item(
        format_page_object(Export(Form.XPATH, columns, (rows,))), "ItemPage", "<p><b>7"
    )
    assert list(item.values())[:3] == [URL, "7", "7"]
    assert [list(row.values()) for row in item[list(item)[3]]] == [["7"]]


def test_the_names_of_pages_are_reserved():
    names = {name for name in dir(web_poet.WebPage) if not name.startswith("_")}
    assert names <= _RESERVED


def test_a_list_without_a_selector_for_its_records_has_no_page_object():
    wrapper = unweave.learn(["examples/twocolumn.html"], method="records")
    with pytest.raises(WrapperError, match="the records of the list cannot be selected"):
        wrapper.to_page_object()


def test_the_item_of_a_page_object_is_known():
    """So that callbacks of scrapy-poet can ask for the item."""
    pages = ["examples/shop/kettle.html", "examples/shop/lamp.html"]
    names = load(unweave.learn(pages).to_page_object(pages))
    assert web_poet.pages.get_item_cls(names["ItemPage"]) is names["Item"]
