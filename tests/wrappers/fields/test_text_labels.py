"""Labels inside texts: several cut a text, and one is left out where texts become values."""

import csv
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.test_cli import run
from tests.wrappers.fields.templates import (
    AUTHORS,
    COUNT,
    MENU,
    PLAYERS,
    TEAMS,
    TITLES,
    make_page,
)
from unweave.text_cleaning import find_prefix, strip_label
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields.text_labels import cut_text, find_text_labels

SIGNS = pytest.mark.parametrize("sign", [":", " =", " -", ":&nbsp;"])


def learn_page(make, count=10, number=0):
    """Return the fields of a page of a template."""
    wrapper = unweave.learn([make(each) for each in range(count)], method="fields")
    return unweave.apply(wrapper, make(number)).fields


def make_player(number, *, extra="", mark="<p>{}</p>"):
    """Return a page with the height and the weight of a player in one text."""
    text = f"Height: 6-{number % 10} Weight: {number * 7 + 200}{extra}"
    player = PLAYERS[number % len(PLAYERS)]
    return make_page(f"{player} - Sport", f"<h1>{player}</h1>{mark.format(text)}")


@pytest.fixture(scope="module")
def players():
    return unweave.learn([make_player(number) for number in range(10)], method="fields")


# ---- several labels ------------------------------------------------------------------------------


def test_labels_inside_one_text_are_split_off(players):
    fields = unweave.apply(players, make_player(0)).fields
    assert (fields["height"], fields["weight"]) == ("6-0", "200")


def test_lines_of_one_paragraph_are_split_at_their_labels():
    def make(number):
        lines = f"Brand: {AUTHORS[number]}<br>Year: {number + 1990}<br>Team: {TEAMS[number % 4]}"
        return make_page(f"{TITLES[number]} - Shop", f"<h1>{TITLES[number]}</h1><p>{lines}</p>")

    fields = learn_page(make)
    assert (fields["brand"], fields["year"], fields["team"]) == (AUTHORS[0], "1990", TEAMS[0])


def test_items_of_a_list_are_split_at_their_labels():
    def make(number):
        items = f"<li>Brand: {AUTHORS[number]}</li><li>Year: {number + 1990}</li>"
        return make_page(f"{TITLES[number]} - Shop", f"<h1>{TITLES[number]}</h1><ul>{items}</ul>")

    fields = learn_page(make)
    assert (fields["brand"], fields["year"]) == (AUTHORS[0], "1990")


def test_a_label_that_some_pages_lack_is_split_off_too():
    def make(number):
        team = f", Team: {TEAMS[number // 2 % 4]}" if number % 2 else ""
        return make_player(number, extra=team)

    assert learn_page(make, number=1)["team"] == "Lions"
    assert "team" not in learn_page(make, number=0)
    assert learn_page(make, number=1)["weight"] == "207"


def test_a_label_with_the_same_value_on_all_pages_ends_the_value_before():
    fields = learn_page(lambda number: make_player(number, extra=" lbs Sport: Golf"))
    assert fields["weight"] == "200 lbs"


def test_the_unit_before_a_label_belongs_to_the_value():
    text = "Height: {} ft Weight: {} lbs"
    labels = find_text_labels([[text.format(n, n * 7 + 200)] for n in range(9)], 9)
    assert labels == ("Height:", "Weight:")


def test_prose_is_not_cut():
    texts = [[f"{AUTHORS[n]} asked: why? {AUTHORS[n + 1]} said: no."] for n in range(9)]
    labels = find_text_labels(texts, 9)
    assert not [piece for text in texts for piece in cut_text(text[0], labels)]


def test_times_and_addresses_are_not_cut():
    assert find_text_labels([["from 12:30 to 13:45, see http://a.org"]] * 9, 9) == ()


def test_labels_in_another_place_locate_the_values(players):
    page = make_player(12, mark="<section><div><div>News</div><span>{}</span></div></section>")
    extraction = unweave.apply(players, page.replace(MENU, ""))
    assert (extraction.fields["height"], extraction.fields["weight"]) == ("6-2", "284")
    assert {"height", "weight"} <= set(extraction.moved)


def test_one_of_several_labels_in_another_place_locates_nothing(players):
    page = make_page("News", "<section><div><div>Height: of fashion</div></div></section>")
    assert "height" not in (unweave.apply(players, page.replace(MENU, "")).fields or {})


def test_repair_keeps_the_names(players):
    selected = players.rename_fields(
        {each.name: {"height": "size"}.get(each.name, each.name) for each in players.fields},
        players,
    )
    pages = [make_player(n, mark="<div class=new><span>{}</span></div>") for n in range(10, 20)]
    repaired = unweave.repair(selected, pages).wrapper
    fields = unweave.apply(repaired, pages[0]).fields
    assert (fields["size"], fields["weight"]) == ("6-0", "270")


def test_a_file_has_the_labels(players):
    loaded = Wrapper.loads(players.dumps())
    assert loaded == players
    assert unweave.apply(loaded, make_player(3)).fields["weight"] == "221"


def test_an_older_file_without_labels_is_read(players):
    data = json.loads(players.dumps())
    del data["text_labels"]
    assert unweave.apply(Wrapper.loads(json.dumps(data)), make_player(3)).fields["title"]


@pytest.mark.parametrize(
    "labels", [[], ["Height"], ["Height:", "Weight ="], ["a:"] * 100, ["a" * 99 + ":"]]
)
def test_labels_of_another_form_are_refused(players, labels):
    data = json.loads(players.dumps())
    data["text_labels"][0][-1] = labels
    with pytest.raises(unweave.WrapperError):
        Wrapper.loads(json.dumps(data))


@given(st.lists(st.tuples(st.sampled_from(["Size", "Age", "Team"]), st.text(max_size=9))))
def test_values_are_parts_of_the_text(parts):
    text = " ".join(f"{label}: {value}" for label, value in parts)
    for piece in cut_text(text, ("Size:", "Age:", "Team:")):
        assert piece.text in text
        assert piece.label in {"Size", "Age", "Team"}


# ---- one label -----------------------------------------------------------------------------------


def make_price(sign):
    """Return a function for pages with one label inside of a text."""

    def make(number):
        content = f"<h1>{TITLES[number]}</h1><p>Price{sign} ${number + 10}.50</p>"
        return make_page(f"{TITLES[number]} - Shop", content)

    return make


@SIGNS
def test_one_label_names_the_field_and_stays_in_its_texts(sign):
    fields = learn_page(make_price(sign))
    assert fields["price"].startswith("Price")
    assert fields["price"].endswith("$10.50")


@SIGNS
def test_values_and_tables_lack_the_label(sign):
    make = make_price(sign)
    wrapper = unweave.learn([make(number) for number in range(COUNT)], method="fields")
    wrapper = Wrapper.loads(wrapper.select("price:number").dumps())
    extraction = unweave.apply(wrapper, make(3))
    assert extraction.values == {"price": Decimal("13.50")}
    assert extraction.clean_fields() == {"price": "$13.50"}
    assert not extraction.invalid


def test_csv_files_lack_the_label(tmp_path):
    for number in range(10):
        brand = AUTHORS[number]
        content = f"<h1>{TITLES[number]}</h1><p>Brand = {brand}</p>"
        (tmp_path / f"{number}.html").write_text(make_page(f"{TITLES[number]} - Shop", content))
    pages = sorted(map(str, tmp_path.glob("*.html")))
    run("learn", *pages, "--method", "fields", "-o", str(tmp_path / "w.json"))
    run("apply", str(tmp_path / "w.json"), *pages, "-o", str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open() as file:
        assert [row["brand"] for row in csv.DictReader(file)] == list(AUTHORS[:10])


def test_a_schema_gets_the_value_without_the_label():
    make = make_price(":")
    schema = {"properties": {"price": {"type": "number"}}, "required": ["price"]}
    pages = [make(number) for number in range(10)]
    wrapper = unweave.learn(pages, method="fields", schema=schema)
    extraction = unweave.apply(wrapper, pages[2])
    assert extraction.values == {"price": Decimal("12.50")}
    assert not extraction.invalid


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("Brand: Nikon", "Brand", "Nikon"),
        ("Brand = Nikon", "Brand", "Nikon"),
        ("BRAND - Nikon", "Brand", "Nikon"),
        ("Nikon", "Brand", "Nikon"),
        ("Model: D5", "Brand", "Model: D5"),
        ("Brand:", "Brand", "Brand:"),
    ],
)
def test_the_label_is_stripped_where_a_text_starts_with_it(text, label, value):
    assert strip_label(text, label) == value


@pytest.mark.parametrize("text", ["https://a.org", "12:30", "Brand:", "Well-known man"])
def test_other_beginnings_are_no_labels(text):
    assert find_prefix(text) == ""
