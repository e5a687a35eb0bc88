"""Wrappers for lists as selectors: records by their classes, columns seen from the record."""

import json
from pathlib import Path

import parsel
import pytest

import unweave
from tests.extraction import extract
from unweave.errors import WrapperError
from unweave.wrappers.base import Wrapper


def card(name, sale):
    kind, old = ("card sale", f"<s>old {name}</s>") if name in sale else ("card", "")
    return (
        f"<li class='{kind}' id=item-{name}><a class=pic href='/{name}'><img src='{name}.png'></a><h3>{name.title()}</h3>"
        f"{old}<p>All of <b>{name}</b> for you</p></li>"
    )


def shop(names, *, sale=(), advert=""):
    menu = (
        "<nav><ul>"
        + "".join(f"<li><a href='/{own}'>{own}</a></li>" for own in "abcde")
        + "</ul></nav>"
    )
    cards = "".join(card(name, sale) for name in names)
    return f"<body class=shop>{menu}<main><ul class=cards>{cards}</ul>{advert}</main></body>"


LEARNED = [
    shop(["ash", "birch", "cedar", "fir"], sale=["birch"]),
    shop(["elm", "larch", "plum"], sale=["elm", "plum"]),
]
NEW = shop(
    ["oak", "pine", "yew"], sale=["yew"], advert="<ul class=more><li><h3>More</h3></li></ul>"
)


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(unweave.learn(LEARNED, method="records").dumps())


def rows(markup, exported, form="xpath"):
    """The records that selectors find, as a user would run them."""
    root = parsel.Selector(text=markup)
    run = parsel.Selector.xpath if form == "xpath" else parsel.Selector.css
    return [
        {
            own["name"]: run(row, own["selector"]).get()
            for own in exported["columns"]
            if own["selector"]
        }
        for row in run(root, exported["rows"])
    ]


@pytest.mark.parametrize("form", ["xpath", "css"])
@pytest.mark.parametrize("pages", [LEARNED, []], ids=["with pages", "without"])
def test_records_and_columns_of_a_new_page(wrapper, form, pages):
    found = rows(NEW, wrapper.selectors(form=form, pages=pages).to_json(), form)
    assert [(own["link"], own["image"], own["title"]) for own in found] == [
        ("/oak", "oak.png", "Oak"),
        ("/pine", "pine.png", "Pine"),
        ("/yew", "yew.png", "Yew"),
    ]


def test_records_are_told_by_their_class_and_not_by_that_of_single_ones(wrapper):
    assert wrapper.selectors(form="css", pages=LEARNED).to_json()["rows"] == "li.card"
    assert wrapper.selectors(form="css").to_json()["rows"] == "ul.cards > li.card"


def test_pages_tell_on_how_many_of_them_the_list_was_found(wrapper):
    exported = wrapper.selectors(pages=LEARNED).to_json()
    assert exported["holds"] == "2 of 2"
    assert all(own["holds"] == "2 of 2" for own in exported["columns"] if own["selector"])


@pytest.mark.parametrize(
    "name", ["products", "products-rows", "people", "table", "search", "forum", "jobs"]
)
def test_the_lists_of_the_examples_are_found_by_those_who_try_nothing(name):
    path = Path(f"examples/{name}.html")
    wrapper = unweave.learn([path], method="records")
    found = parsel.Selector(text=path.read_text(encoding="utf-8")).xpath(
        wrapper.selectors().to_json()["rows"]
    )
    assert len(found) == len(extract(wrapper, path)[0])
    assert wrapper.selectors(pages=[path]).to_json()["holds"] == "1 of 1"


def test_links_and_pictures_are_attributes():
    exported = unweave.learn(["examples/people.html"]).selectors(form="css").to_json()
    columns = {own["name"]: own["selector"] for own in exported["columns"]}
    assert columns["email_link"] == "p.ca-person__mail > a::attr(href)"
    assert columns["email"] == "p.ca-person__mail > a::text"


def test_records_of_several_elements_side_by_side():
    path = Path("examples/headings.html")
    exported = unweave.learn([path], method="records").selectors(pages=[path]).to_json()
    found = rows(path.read_text(encoding="utf-8"), exported)
    assert exported["holds"] == "1 of 1"
    assert found[0]["text_1"].startswith("Lantern walk")
    assert found[0]["text_4"].startswith("Bring a jar")


def test_records_whose_parts_stand_in_rows_have_no_selector():
    exported = unweave.learn(["examples/twocolumn.html"], method="records").selectors().to_json()
    assert exported["rows"] is None
    assert exported["note"] == "no selector can say what tells it"
    assert {own["selector"] for own in exported["columns"]} == {None}


def test_older_wrappers_do_not_know_what_is_around_the_records(wrapper):
    data = json.loads(wrapper.dumps())
    del data["words"]
    old = Wrapper.loads(json.dumps(data))
    assert old.selectors(form="css", pages=LEARNED).to_json()["rows"] is not None
    assert [own["title"] for own in rows(NEW, old.selectors(pages=LEARNED).to_json())][:3] == [
        "Oak",
        "Pine",
        "Yew",
    ]


def test_words_that_do_not_fit_are_refused(wrapper):
    data = json.loads(wrapper.dumps())
    data["words"] = [["li.card"]]
    with pytest.raises(WrapperError, match="does not have words for each step"):
        Wrapper.loads(json.dumps(data))
