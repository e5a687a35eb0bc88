"""Selectors for lists: records by their classes, columns relative to the record."""

import json
from pathlib import Path

import parsel
import pytest

import unweave
from tests.extraction import extract
from unweave.errors import WrapperError
from unweave.wrappers.base import Wrapper


def make_card(name, sale):
    classes, old = ("card sale", f"<s>old {name}</s>") if name in sale else ("card", "")
    return (
        f"<li class='{classes}' id=item-{name}>"
        f"<a class=pic href='/{name}'><img src='{name}.png'></a><h3>{name.title()}</h3>"
        f"{old}<p>All of <b>{name}</b> for you</p></li>"
    )


def make_list(names, *, sale=(), advert=""):
    menu = (
        "<nav><ul>"
        + "".join(f"<li><a href='/{column}'>{column}</a></li>" for column in "abcde")
        + "</ul></nav>"
    )
    cards = "".join(make_card(name, sale) for name in names)
    return f"<body class=shop>{menu}<main><ul class=cards>{cards}</ul>{advert}</main></body>"


LEARNED = [
    make_list(["ash", "birch", "cedar", "fir"], sale=["birch"]),
    make_list(["elm", "larch", "plum"], sale=["elm", "plum"]),
]
NEW = make_list(
    ["oak", "pine", "yew"], sale=["yew"], advert="<ul class=more><li><h3>More</h3></li></ul>"
)


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(unweave.learn(LEARNED, method="records").dumps())


def run_selectors(markup, exported, form="xpath"):
    """Return the records that selectors find, run as a user would."""
    root = parsel.Selector(text=markup)
    run = parsel.Selector.xpath if form == "xpath" else parsel.Selector.css
    return [
        {
            column["name"]: run(row, column["selector"]).get()
            for column in exported["columns"]
            if column["selector"]
        }
        for row in run(root, exported["rows"])
    ]


@pytest.mark.parametrize("form", ["xpath", "css"])
@pytest.mark.parametrize("pages", [LEARNED, []], ids=["with pages", "without"])
def test_records_and_columns_of_a_new_page(wrapper, form, pages):
    records = run_selectors(NEW, wrapper.selectors(form=form, pages=pages).to_json(), form)
    assert [(record["link"], record["image"], record["title"]) for record in records] == [
        ("/oak", "oak.png", "Oak"),
        ("/pine", "pine.png", "Pine"),
        ("/yew", "yew.png", "Yew"),
    ]


def test_records_are_selected_by_the_class_that_all_of_them_have(wrapper):
    assert wrapper.selectors(form="css", pages=LEARNED).to_json()["rows"] == "li.card"
    assert wrapper.selectors(form="css").to_json()["rows"] == "ul.cards > li.card"


def test_holds_counts_the_pages_on_which_the_list_was_found(wrapper):
    exported = wrapper.selectors(pages=LEARNED).to_json()
    assert exported["holds"] == "2 of 2"
    assert all(column["holds"] == "2 of 2" for column in exported["columns"] if column["selector"])


@pytest.mark.parametrize(
    "name", ["products", "products-rows", "people", "table", "search", "forum", "jobs"]
)
def test_untested_selectors_find_the_lists_of_the_examples(name):
    path = Path(f"examples/{name}.html")
    wrapper = unweave.learn([path], method="records")
    found = parsel.Selector(text=path.read_text(encoding="utf-8")).xpath(
        wrapper.selectors().to_json()["rows"]
    )
    assert len(found) == len(extract(wrapper, path)[0])
    assert wrapper.selectors(pages=[path]).to_json()["holds"] == "1 of 1"


def test_links_and_images_are_attributes():
    exported = unweave.learn(["examples/people.html"]).selectors(form="css").to_json()
    columns = {column["name"]: column["selector"] for column in exported["columns"]}
    assert columns["email_link"] == "p.ca-person__mail > a::attr(href)"
    assert columns["email"] == "p.ca-person__mail > a::text"


def test_records_of_several_sibling_elements():
    path = Path("examples/headings.html")
    exported = unweave.learn([path], method="records").selectors(pages=[path]).to_json()
    records = run_selectors(path.read_text(encoding="utf-8"), exported)
    assert exported["holds"] == "1 of 1"
    assert records[0]["text_1"].startswith("Lantern walk")
    assert records[0]["text_4"].startswith("Bring a jar")


def test_records_with_parts_in_different_rows_have_no_selector():
    exported = unweave.learn(["examples/twocolumn.html"], method="records").selectors().to_json()
    assert exported["rows"] is None
    assert exported["note"] == "no selector can express its condition"
    assert {column["selector"] for column in exported["columns"]} == {None}


def test_older_wrappers_without_identifiers_of_ancestors(wrapper):
    data = json.loads(wrapper.dumps())
    del data["words"]
    old = Wrapper.loads(json.dumps(data))
    assert old.selectors(form="css", pages=LEARNED).to_json()["rows"] is not None
    assert [
        record["title"] for record in run_selectors(NEW, old.selectors(pages=LEARNED).to_json())
    ][:3] == [
        "Oak",
        "Pine",
        "Yew",
    ]


def test_identifiers_that_do_not_match_the_path_are_refused(wrapper):
    data = json.loads(wrapper.dumps())
    data["words"] = [["li.card"]]
    with pytest.raises(WrapperError, match="does not have words for each step"):
        Wrapper.loads(json.dumps(data))
