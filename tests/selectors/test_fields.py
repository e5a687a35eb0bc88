"""Wrappers for fields as selectors: what they find on new pages is what the wrapper finds there."""

import json

import pytest

import unweave
from tests.extraction import extract
from tests.selectors.shops import found, page
from unweave.errors import PageTooLarge, UsageError, WrapperError
from unweave.selectors import evaluation
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.learn import LandmarkLearner

LEARNED = [page(number) for number in range(8)]
NEW = [page(number) for number in (20, 21, 22, 23)]
# Paragraphs are joined where they have several texts; with one text, the selector still gives it.
PARAGRAPHS = {"tags_2"}


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(unweave.learn(LEARNED).dumps())


def selectors(wrapper, form="xpath", pages=LEARNED):
    return {
        own["name"]: own for own in wrapper.selectors(form=form, pages=pages).to_json()["fields"]
    }


def differing(wrapper, markup, **options):
    """The fields that selectors find otherwise than the wrapper."""
    exported = wrapper.selectors(**options).to_json()
    of_wrapper, of_selectors = (
        extract(wrapper, markup)[0],
        found(markup, exported, options.get("form", "xpath")),
    )
    names = {own["name"] for own in exported["fields"] if own["selector"] is not None} - PARAGRAPHS
    assert names, "no field has a selector"
    return {name for name in names if of_wrapper.get(name) != of_selectors.get(name)}


@pytest.mark.parametrize("form", ["xpath", "css"])
@pytest.mark.parametrize("pages", [LEARNED, []], ids=["with pages", "without"])
def test_selectors_find_on_new_pages_what_the_wrapper_finds(wrapper, form, pages):
    for markup in NEW:
        assert differing(wrapper, markup, form=form, pages=pages) == set()


@pytest.mark.parametrize("pages", [LEARNED, []], ids=["with pages", "without"])
def test_every_field_has_an_xpath(wrapper, pages):
    exported = selectors(wrapper, pages=pages)
    assert exported
    assert all(own["selector"] for own in exported.values())


def test_words_and_labels_tell_and_nothing_is_counted(wrapper):
    found = selectors(wrapper)
    assert found["price"]["selector"] == "//div[@itemprop='price']/text()"
    assert "normalize-space()='Height'" in found["height"]["selector"]
    assert found["height"]["selector"].endswith("/following-sibling::dd[1]/text()")
    assert "'Made by:'" in found["made_by"]["selector"]


def test_css_says_what_people_would_write(wrapper):
    found = selectors(wrapper, "css")
    assert found["title"]["selector"] == "h1::text"
    assert found["weight"]["selector"] == 'td:contains("Weight:") + td::text'
    assert found["stock"]["selector"] == 'li:contains("Stock")::text'


def test_what_css_cannot_say_is_said_to_be_so(wrapper):
    missing = selectors(wrapper, "css", [])["price_2"]
    assert missing["selector"] is None
    assert missing["note"] == "CSS cannot say what tells it: ask for XPath"


def test_pages_tell_on_how_many_of_them_a_selector_holds(wrapper):
    assert {own["holds"] for name, own in selectors(wrapper).items() if name not in PARAGRAPHS} == {
        "8 of 8"
    }
    assert all("holds" not in own for own in selectors(wrapper, pages=[]).values())


def test_lists_are_many_and_texts_are_one(wrapper):
    found = selectors(wrapper)
    assert found["tags"]["many"] is True
    assert found["weight"]["many"] is False


def test_labels_are_found_in_any_case_and_without_their_colon_if_there_were_no_pages(wrapper):
    changed = page(30).replace("Weight:", "WEIGHT").replace("Colour:", "colour :")
    values = found(changed, wrapper.selectors().to_json(), "xpath")
    assert (values["weight"], values["colour"]) == ("33 kg", "red")


def test_a_column_moves_with_its_header(wrapper):
    moved = page(30).replace(
        "<th>Size</th><th>Price</th>", "<th>New</th><th>Size</th><th>Price</th>"
    )
    moved = moved.replace("<tr><td>4", "<tr><td>*</td><td>4").replace(
        "<tr><td>5", "<tr><td>*</td><td>5"
    )
    values = found(
        moved.replace("<tr><td>6", "<tr><td>*</td><td>6"),
        wrapper.selectors(pages=LEARNED).to_json(),
        "xpath",
    )
    assert (values["size"], values["price_2"]) == (["4", "5", "6"], ["32.40", "32.50", "32.60"])


def test_selectors_do_not_lean_on_what_lxml_does_not_have(wrapper):
    """The paragraph around the layout table, and the bodies of tables."""
    exported = selectors(wrapper, pages=[])
    assert exported
    for own in exported.values():
        assert "tbody" not in own["selector"]
        assert "//p//table" not in own["selector"]


def test_pages_that_differ_from_the_template_lower_the_count(wrapper):
    without_height = page(40).replace("<dt>Height</dt>", "<dt>Tallness</dt>")
    held = selectors(wrapper, pages=[*LEARNED, without_height.replace("<h1>", "<h2>")])["title"][
        "holds"
    ]
    assert held == "9 of 9"  # the wrapper does not find it there either
    assert (
        selectors(wrapper, pages=[b"<h1>Another site</h1>", *LEARNED])["title"]["holds"] == "8 of 9"
    )


def test_tables_inside_of_pages_have_rows_and_columns():
    pages = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]
    exported = unweave.learn(pages).selectors(form="css", pages=pages).to_json()
    (table,) = exported["tables"]
    assert (table["name"], table["rows"]) == ("reviews", "section#reviews > div")
    assert table["holds"] == "5 of 5"
    assert {"name": "reviews_strong", "selector": "strong::text", "holds": "5 of 5"} in table[
        "columns"
    ]


@pytest.mark.parametrize("method", ["pattern", "landmark"])
def test_wrappers_without_elements_say_what_to_do(method):
    wrapper = unweave.learn(
        LEARNED[:3], method=LandmarkLearner(search="greedy") if method == "landmark" else method
    )
    with pytest.raises(WrapperError, match="learn one with method fields"):
        wrapper.selectors().to_json()


def test_wrong_use_is_said_in_words(wrapper):
    with pytest.raises(UsageError, match="unknown form 'jquery'; choose from xpath, css"):
        wrapper.selectors(form="jquery").to_json()
    assert wrapper.selectors(pages=LEARNED[0]) == wrapper.selectors(pages=LEARNED[:1])
    with pytest.raises(UsageError, match="give the page's file or its bytes"):
        wrapper.to_spider(pages=[unweave.load_page(LEARNED[0])])


def test_a_page_that_would_take_too_long_is_refused(wrapper, monkeypatch):
    monkeypatch.setattr(evaluation, "_MOST_ELEMENTS", 50)
    with pytest.raises(PageTooLarge, match="too large to try selectors on"):
        wrapper.selectors(pages=LEARNED).to_json()


def test_a_wrapper_from_anywhere_brings_no_traceback(wrapper):
    """Strange places, tags and labels: there is a selector or a note, and pages can be tried."""
    data = json.loads(wrapper.dumps())
    for own in data["fields"]:
        for role in own["roles"]:
            role[2] = role[2] and role[2] + "\x00'\""
    data["places"] = [[above, step.replace("td", "t\x01'd")] for above, step in data["places"]]
    data["fields"][0]["roles"] = [["place", -1, "", -1]]
    hostile = Wrapper.loads(json.dumps(data))
    for form in ("xpath", "css"):
        for pages in ([], LEARNED[:2]):
            exported = hostile.selectors(form=form, pages=pages).to_json()
            assert len(exported["fields"]) == len(data["fields"])
            assert all(own["selector"] or own["note"] for own in exported["fields"])
