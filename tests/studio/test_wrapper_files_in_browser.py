"""Wrapper files in the studio: dropped onto a page or a group they are applied, and else it is said what they are."""

import re
import shutil
from pathlib import Path

import pytest

import unweave
from tests.studio.conftest import running
from tests.studio.test_many_in_browser import shown, tab, with_marks
from tests.studio.test_page_in_browser import cell, drawn, inside, status

expect = pytest.importorskip("playwright.sync_api").expect

SHOP = sorted(Path("examples/shop").glob("*.html"))
PRODUCTS = Path("examples/products.html")


@pytest.fixture(scope="module")
def fields_file():
    """A wrapper of detail pages, as `unweave learn` writes it, by its name."""
    return ["shop.wrapper.json", unweave.learn(SHOP[:-1], method="fields").dumps()]


@pytest.fixture(scope="module")
def records_file():
    """A wrapper of a list."""
    return ["products.json", unweave.learn([PRODUCTS], method="records").dumps()]


@pytest.fixture
def empty(start, look):
    """A window on a studio in which nothing is open."""
    return look(start().address)


def drop(window, *files, onto="#drop"):
    inside(window, "drop", [onto, list(files)])


def applied(window):
    return window.get_by_role("region", name="What the wrapper finds")


def test_a_wrapper_of_fields_is_applied_to_the_open_page(empty, fields_file):
    drop(empty, [SHOP[-1].name, SHOP[-1].read_text("utf-8")])
    expect(status(empty)).to_contain_text("found")
    drop(empty, fields_file, onto="#table-pane")
    expect(applied(empty)).to_contain_text("shop.wrapper.json")
    expect(applied(empty)).to_contain_text(re.compile(r"A wrapper: \d+ fields \(title, "))
    expect(applied(empty)).to_contain_text(re.compile(r"100 %\s*fits"))
    expect(applied(empty).locator(".field").filter(has_text="toaster").first).to_be_visible()
    expect(status(empty)).to_have_text("shop.wrapper.json: fit 100 %")
    frame = empty.locator("#frame-container iframe").element_handle().content_frame()
    frame.wait_for_function("[...CSS.highlights.keys()].some(name => name.startsWith('data-'))")
    assert inside(empty, "wrongIds") == []
    assert inside(empty, "nameless") == []
    assert inside(empty, "mislabelled")["wrong"] == []
    empty.get_by_role("button", name="Back to the tables").click()
    expect(applied(empty)).to_be_hidden()
    expect(status(empty)).to_contain_text("found")
    frame.wait_for_function("CSS.highlights.size === 0")


def test_a_wrapper_of_a_list_is_applied_to_the_open_page(start, look, records_file):
    window = look(start(str(PRODUCTS)).address)
    expect(status(window)).to_contain_text("24 rows")
    drop(window, records_file, onto="#table-pane")
    expect(applied(window)).to_contain_text("a list of records with 8 columns")
    expect(applied(window).get_by_role("grid", name="Table: 24 rows")).to_be_visible()
    drawn(window).get_by_text("Stoneware dinner plate, sand glaze").hover()
    expect(cell(window, 0, 3)).to_have_class(re.compile("is-pointed"))
    cell(window, 1, 3).hover()
    expect(drawn(window).locator(".record.shown")).to_have_attribute("data-number", "2")
    assert inside(window, "wrongIds") == []
    window.get_by_role("button", name="Back to the tables").click()
    expect(window.get_by_role("grid", name="Table 1: 24 rows")).to_be_visible()


def test_a_wrapper_that_does_not_fit_says_so(start, look, fields_file):
    window = look(start(str(PRODUCTS)).address)
    expect(status(window)).to_contain_text("24 rows")
    drop(window, fields_file, onto="#table-pane")
    expect(applied(window)).to_contain_text(re.compile(r"\d %\s*does not fit"))
    expect(applied(window)).to_contain_text("Missing: ")


def test_without_a_page_it_is_said_what_it_is_and_the_next_page_gets_it(empty, fields_file):
    drop(empty, fields_file)
    said = empty.locator("#start").get_by_role("status")
    expect(said).to_contain_text(
        re.compile(r"shop\.wrapper\.json is a wrapper: \d+ fields .*Open a page")
    )
    drop(empty, [SHOP[-1].name, SHOP[-1].read_text("utf-8")])
    expect(applied(empty)).to_contain_text(re.compile(r"100 %\s*fits"))
    empty.get_by_role("button", name="Open", exact=True).click()
    expect(empty.get_by_role("heading", name="A page in, a table out")).to_be_visible()
    expect(said).to_have_count(0)


def test_a_wrapper_that_waits_is_put_away(empty, fields_file):
    drop(empty, fields_file)
    empty.get_by_role("button", name="Dismiss this wrapper").click()
    drop(empty, [SHOP[-1].name, SHOP[-1].read_text("utf-8")])
    expect(status(empty)).to_contain_text("found")
    expect(applied(empty)).to_be_hidden()


def test_pasted_text_that_is_a_wrapper_is_one(empty, fields_file):
    inside(empty, "paste", ["text/plain", fields_file[1]])
    expect(empty.locator("#start").get_by_role("status")).to_contain_text(
        "The pasted text is a wrapper"
    )


def test_other_json_is_neither_a_page_nor_a_wrapper(empty):
    drop(empty, ["data.json", '{"a": [1, 2, 3]}'])
    expect(empty.get_by_role("alert")).to_contain_text("data.json is neither a page nor a wrapper")
    expect(empty.locator("#opened-list li")).to_have_count(0)


def test_a_wrapper_of_another_version_is_told(empty, look):
    drop(empty, ["old.json", '{"unweave": "wrapper", "version": 99}'])
    expect(empty.get_by_role("alert")).to_contain_text("The wrapper has version 99")
    look.complaints.clear()  # the browser tells of the answer's status as well


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    folder = tmp_path_factory.mktemp("five")
    for path in SHOP[:-1]:
        shutil.copy(path, folder)
    with running(str(folder)) as studio:
        yield studio


def test_a_wrapper_is_tried_on_all_pages_of_a_group(five, look, fields_file):
    window = look(five.address)
    window.locator(".card").click()
    shown(window)
    expect(window.get_by_role("radio", name="From a file")).to_have_count(0)
    drop(window, fields_file, onto=".group-panes")
    panel = window.get_by_role("tabpanel", name="Wrapper")
    expect(panel.get_by_role("radio", name="From a file")).to_be_checked()
    expect(panel).to_contain_text("Here: fields.")
    expect(window.locator("#news")).to_have_text("Applied shop.wrapper.json")
    window.mouse.move(1, 1)
    with_marks(window, "template", "data")
    expect(tab(window, "Pages").get_by_role("option")).to_have_count(5)
    tab(window, "Wrapper").get_by_role("radio", name="Automatic").check()
    expect(panel).to_contain_text("Lists of records for list pages")


def test_a_wrapper_waits_for_a_group_to_be_opened(five, look, fields_file):
    window = look(five.address)
    expect(window.locator(".card")).to_be_visible()
    drop(window, fields_file, onto=".cards")
    expect(window.locator("#set-notes").get_by_role("status")).to_contain_text("is a wrapper")
    window.locator(".card").click()
    expect(window.get_by_role("radio", name="From a file")).to_be_checked()
