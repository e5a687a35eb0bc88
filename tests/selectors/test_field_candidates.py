"""Selectors for fields find on new pages what the wrapper finds there."""

import json
from pathlib import Path

import pytest

import unweave
from tests.extraction import extract
from tests.selectors.shops import make_page, run_selectors
from unweave.errors import PageTooLarge, UsageError, WrapperError
from unweave.selectors import evaluation
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.learn import LandmarkLearner

LEARNED = [make_page(number) for number in range(8)]
NEW = [make_page(number) for number in (20, 21, 22, 23)]


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(unweave.learn(LEARNED).dumps())


def export(wrapper, form="xpath", pages=LEARNED):
    return {
        field["name"]: field
        for field in wrapper.selectors(form=form, pages=pages).to_json()["fields"]
    }


def find_column(wrapper, header):
    """Return the name of the field that is the column below a header."""
    (name,) = [
        field.name for field in wrapper.describe_fields() if field.located_by == f"column {header}"
    ]
    return name


def find_differences(wrapper, markup, **options):
    """Return the names of the fields that selectors extract differently from the wrapper."""
    exported = wrapper.selectors(**options).to_json()
    of_wrapper, of_selectors = (
        extract(wrapper, markup)[0],
        run_selectors(markup, exported, options.get("form", "xpath")),
    )
    names = {field["name"] for field in exported["fields"] if field["selector"] is not None}
    assert names, "no field has a selector"
    return {name for name in names if of_wrapper.get(name) != of_selectors.get(name)}


@pytest.mark.parametrize("form", ["xpath", "css"])
@pytest.mark.parametrize("pages", [LEARNED, []], ids=["with pages", "without"])
def test_selectors_find_on_new_pages_what_the_wrapper_finds(wrapper, form, pages):
    for markup in NEW:
        assert find_differences(wrapper, markup, form=form, pages=pages) == set()


@pytest.mark.parametrize("pages", [LEARNED, []], ids=["with pages", "without"])
def test_every_field_has_an_xpath(wrapper, pages):
    exported = export(wrapper, pages=pages)
    assert exported
    assert all(field["selector"] for field in exported.values())


def test_selectors_use_identifiers_and_labels_rather_than_positions(wrapper):
    fields = export(wrapper)
    assert fields["price"]["selector"] == "//div[@itemprop='price']/text()"
    assert "normalize-space()='Height'" in fields["height"]["selector"]
    assert fields["height"]["selector"].endswith("/following-sibling::dd[1]/text()")
    assert "'Made by:'" in fields["made_by"]["selector"]


def test_css_is_as_people_would_write_it(wrapper):
    fields = export(wrapper, "css")
    assert fields["title"]["selector"] == "h1::text"
    assert fields["weight"]["selector"] == 'td:contains("Weight:") + td::text'
    assert fields["stock"]["selector"] == 'li:contains("Stock")::text'


def test_a_note_says_what_css_cannot_express(wrapper):
    missing = export(wrapper, "css", [])[find_column(wrapper, "price")]
    assert missing["selector"] is None
    assert missing["note"] == "CSS cannot express its condition: use XPath"


def test_holds_counts_the_pages_on_which_a_selector_is_right(wrapper):
    assert {field["holds"] for field in export(wrapper).values()} == {"8 of 8"}
    assert all("holds" not in field for field in export(wrapper, pages=[]).values())


def test_only_lists_have_many_texts(wrapper):
    fields = export(wrapper)
    assert fields["tags"]["many"] is True
    assert fields["weight"]["many"] is False


def test_untested_selectors_find_labels_in_any_case_and_without_colon(wrapper):
    changed = make_page(30).replace("Weight:", "WEIGHT").replace("Colour:", "colour :")
    values = run_selectors(changed, wrapper.selectors().to_json(), "xpath")
    assert (values["weight"], values["colour"]) == ("33 kg", "red")


def test_a_column_is_found_where_its_header_has_moved(wrapper):
    moved = make_page(30).replace(
        "<th>Size</th><th>Price</th>", "<th>New</th><th>Size</th><th>Price</th>"
    )
    moved = moved.replace("<tr><td>4", "<tr><td>*</td><td>4").replace(
        "<tr><td>5", "<tr><td>*</td><td>5"
    )
    values = run_selectors(
        moved.replace("<tr><td>6", "<tr><td>*</td><td>6"),
        wrapper.selectors(pages=LEARNED).to_json(),
        "xpath",
    )
    assert values["size"] == ["4", "5", "6"]
    assert values[find_column(wrapper, "price")] == ["32.40", "32.50", "32.60"]


def test_selectors_do_not_name_elements_that_lxml_does_not_have(wrapper):
    """The paragraph around the layout table, and the bodies of tables."""
    exported = export(wrapper, pages=[])
    assert exported
    for field in exported.values():
        assert "tbody" not in field["selector"]
        assert "//p//table" not in field["selector"]


def test_pages_that_differ_from_the_template_lower_the_count(wrapper):
    without_height = make_page(40).replace("<dt>Height</dt>", "<dt>Tallness</dt>")
    without_title = without_height.replace("<h1>", "<!--").replace("</h1>", "-->")
    held = export(wrapper, pages=[*LEARNED, without_title])["title"]["holds"]
    assert held == "9 of 9"  # the wrapper does not find it there either
    other_heading = without_height.replace("<h1>", "<h2>")
    held = export(wrapper, pages=[*LEARNED, other_heading])["title"]["holds"]
    assert held == "8 of 9"  # only the wrapper finds it in another heading
    other_product = b"<h1>Thing 41</h1>"
    assert export(wrapper, pages=[other_product, *LEARNED])["title"]["holds"] == "9 of 9"
    other_site = b"<h1>Another site</h1>"
    held = export(wrapper, pages=[other_site, *LEARNED])["title"]["holds"]
    assert held == "8 of 9"  # the titles of all learned pages have a number


def test_tables_in_detail_pages_have_rows_and_columns():
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    exported = unweave.learn(pages).selectors(form="css", pages=pages).to_json()
    (table,) = exported["tables"]
    assert (table["name"], table["rows"]) == ("reviews", "section#reviews > div")
    assert table["holds"] == "5 of 5"
    assert {"name": "reviews_text", "selector": "strong::text", "holds": "5 of 5"} in table[
        "columns"
    ]


def test_rows_of_a_changed_page_are_those_that_the_wrapper_finds():
    """On a changed page, the wrapper leaves out a row with one of several cells."""
    shop = Path("examples/shop")
    pages = [shop / f"{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    changed = (shop / "blender.html").read_text(encoding="utf-8")
    for old, new in (
        ("<h1", "<div class=top><h1"),
        ("</h1>", "</h1></div>"),
        ("Reviews</h2>", "Reviews</h2><div class=review><p><strong>Advice</strong></p></div>"),
    ):
        assert old in changed
        changed = changed.replace(old, new)
    wrapper = unweave.learn(pages)
    (table,) = wrapper.selectors(form="css", pages=[*pages, changed.encode()]).to_json()["tables"]
    assert (table["rows"], table["holds"]) == ("section#reviews > div", "5 of 6")


@pytest.mark.parametrize("method", ["pattern", "landmark"])
def test_wrappers_without_elements_are_refused(method):
    wrapper = unweave.learn(
        LEARNED[:3], method=LandmarkLearner(search="greedy") if method == "landmark" else method
    )
    with pytest.raises(WrapperError, match="learn one with method fields"):
        wrapper.selectors().to_json()


def test_wrong_arguments_are_refused(wrapper):
    with pytest.raises(UsageError, match="unknown form 'jquery'; choose from xpath, css"):
        wrapper.selectors(form="jquery").to_json()
    assert wrapper.selectors(pages=LEARNED[0]) == wrapper.selectors(pages=LEARNED[:1])
    with pytest.raises(UsageError, match="give the page's file or its bytes"):
        wrapper.to_spider(pages=[unweave.load_page(LEARNED[0])])


def test_a_page_with_too_many_elements_is_refused(wrapper, monkeypatch):
    monkeypatch.setattr(evaluation, "MAX_ELEMENTS", 50)
    with pytest.raises(PageTooLarge, match="too large to test selectors"):
        wrapper.selectors(pages=LEARNED).to_json()


def test_an_untrusted_wrapper_gives_selectors_or_notes(wrapper):
    """With invalid paths, tags and labels."""
    data = json.loads(wrapper.dumps())
    for field in data["fields"]:
        for locator in field["roles"]:
            locator[2] = locator[2] and locator[2] + "\x00'\""
    data["places"] = [[above, step.replace("td", "t\x01'd")] for above, step in data["places"]]
    data["fields"][0]["roles"] = [["place", -1, "", -1]]
    hostile = Wrapper.loads(json.dumps(data))
    for form in ("xpath", "css"):
        for pages in ([], LEARNED[:2]):
            exported = hostile.selectors(form=form, pages=pages).to_json()
            assert len(exported["fields"]) == len(data["fields"])
            assert all(field["selector"] or field["note"] for field in exported["fields"])
