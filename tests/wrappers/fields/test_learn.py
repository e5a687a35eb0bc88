"""Fields of detail pages: by label, header or template path, and pages that lack some of them."""

import json
from contextlib import suppress

import pytest

import unweave
from tests.extraction import extract
from unweave.errors import WrapperError
from unweave.wrappers.base import Wrapper

COLOURS = ["red", "green", "blue", "red", "green", "blue"]


def page(name, rows, *, genres=("Drama",), extra="", menu="<ul><li>Home</li><li>Shop</li></ul>"):
    table = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows.items())
    listed = ", ".join(f"<a href=x>{genre}</a>" for genre in genres)
    return (
        f"<html><head><title>{name} - Shop</title></head><body>{menu}<h1>{name}</h1>{extra}"
        f"<table>{table}</table><p><b>Genres:</b> {listed}</p>"
        "<div class=foot>All rights reserved</div></body></html>"
    )


def shop(number, **options):
    rows = {"Colour": COLOURS[number % 6], "Weight": f"{number + 3} kg", "Made in": "Portugal"}
    genres = [
        ["Drama", "War"],
        ["Crime", "Opera", "Noir"],
        ["Comedy"],
        ["Western", "Drama"],
        ["Sport"],
    ][number % 5]
    return page(f"Thing {number}", rows, genres=genres, **options)


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn([shop(number) for number in range(8)])


def fields(wrapper, markup):
    found, _ = extract(wrapper, markup)
    return found


def test_fields_by_label_path_and_list(wrapper):
    found = fields(wrapper, shop(20))
    assert found["title"] == "Thing 20"
    assert (found["colour"], found["weight"]) == ("blue", "23 kg")
    assert found["genres"] == ["Drama", "War"]
    assert "All rights reserved" not in str(found)
    assert "Home" not in str(found)


def test_a_value_that_many_pages_share_is_no_label(wrapper):
    assert "red" not in {text for _, _, text in wrapper.anchors.labels}
    assert {"Colour", "Weight"} <= {text for _, _, text in wrapper.anchors.labels}


def test_a_row_among_others_is_a_field_even_if_its_value_is_constant(wrapper):
    assert fields(wrapper, shop(20))["made_in"] == "Portugal"


def test_a_missing_label_costs_its_field_only(wrapper):
    whole, harmed = (
        fields(wrapper, shop(20)),
        fields(wrapper, shop(20).replace("<td>Weight</td>", "<td></td>")),
    )
    assert "weight" not in harmed
    assert {
        name: text for name, text in whole.items() if name not in ("weight", "colour")
    }.items() <= harmed.items()


def test_a_new_row_does_not_change_other_fields(wrapper):
    rows = {"Colour": "red", "Height": "3 m", "Weight": "9 kg", "Made in": "Peru"}
    found = fields(wrapper, page("New", rows))
    assert (found["colour"], found["weight"], found["made_in"]) == ("red", "9 kg", "Peru")


def test_labels_of_definition_lists_and_header_cells_are_labels_by_their_tags():
    def detail(number):
        rows = "".join(
            f"<dt>Part {number}{part}</dt><dd>{number * part} pieces</dd>" for part in range(1, 4)
        )
        table = f"<table><tr><th>Size {number}</th><td>{number} cm</td></tr></table>"
        return f"<h1>Box {number}</h1><dl>{rows}</dl>{table}"

    wrapper = unweave.learn([detail(number) for number in range(5)])
    found = unweave.apply(wrapper, detail(9)).others  # labels that no learned page had
    assert (found["part_91"], found["part_93"]) == ("9 pieces", "27 pieces")


def test_the_label_of_a_row_wins_over_a_first_row_that_differs_from_page_to_page():
    """A first row of data looks like headers in tables without any."""

    def make(number):
        rows = [("Maker", f"Maker {number}"), ("Weight", f"{number} kg"), ("Size", f"{number} cm")]
        cells = "".join(
            f"<tr><td>{row}</td><td>{label}</td><td>{value}</td></tr>"
            for row, (label, value) in enumerate(rows, start=1)
        )
        return f"<body><h1>Product {number}</h1><table>{cells}</table></body>"

    wrapper = unweave.learn([make(number) for number in range(6)], method="fields")
    fields = unweave.apply(wrapper, make(17)).fields
    labelled = {name: fields[name] for name in ("maker", "weight", "size")}
    assert labelled == {"maker": "Maker 17", "weight": "17 kg", "size": "17 cm"}


def test_columns_are_named_by_their_headers():
    def player(number):
        rows = "".join(
            f"<tr><td>{year}</td><td>{number}{year}</td><td>{year}{number}</td></tr>"
            for year in (1, 2, 3)
        )
        header = "<tr><th>Year</th><th>Games</th><th>Goals</th></tr>"
        return f"<h1>Player {number}</h1><table>{header}{rows}</table>"

    found = fields(unweave.learn([player(number) for number in range(5)]), player(8))
    assert found["games"] == ["81", "82", "83"]
    assert found["goals"] == ["18", "28", "38"]


def test_a_paragraph_with_marked_words_is_one_text():
    def story(number):
        text = f"Day {number} was <i>dark {number}</i> and cold {number}."
        return f"<h1>Story {number}</h1><p>{text}</p>"

    found = fields(unweave.learn([story(number) for number in range(5)]), story(7))
    assert "Day 7 was dark 7 and cold 7." in found.values()


def test_one_field_where_a_value_has_a_link_or_not():
    def film(number):
        name = f"<a href=x>Ida {number}</a>" if number % 2 else f"Ida {number}"
        director = f"<p><b>Director:</b> <span>{name}</span></p>"
        return f"<h1>Film {number}</h1>{director}<p><b>Year:</b> <span>{number}</span></p>"

    wrapper = unweave.learn([film(number) for number in range(8)])
    assert [fields(wrapper, film(number))["director"] for number in (20, 21)] == [
        "Ida 20",
        "Ida 21",
    ]


def test_classes_of_single_pages_do_not_matter():
    def own(number):
        box = f"<div id=item{number} class='box b{number}'><h2>Name {number}</h2></div>"
        return f"<body class=page-{number}>{box}</body>"

    wrapper = unweave.learn([own(number) for number in range(5)])
    assert "Name 77" in fields(wrapper, own(77)).values()


def test_names_stay_when_learned_again():
    names = [
        [field.name for field in unweave.learn([shop(n) for n in numbers]).fields]
        for numbers in (range(8), range(8, 16))
    ]
    assert names[0] == names[1]


def test_the_fit_is_the_share_of_the_template_on_the_page(wrapper):
    assert extract(wrapper, shop(30))[1] == 1
    _, fit = extract(wrapper, shop(30).replace("<h1>Thing 30</h1>", ""))
    assert 0.5 < fit < 1
    assert wrapper.apply(unweave.load_page(shop(30).replace("<h1>Thing 30</h1>", ""))).missing == (
        "title",
    )
    assert extract(wrapper, "<p>Something else")[1] == 0


def test_a_wrapper_is_equal_after_writing_and_reading(wrapper):
    again = Wrapper.loads(wrapper.dumps())
    assert again == wrapper
    assert fields(again, shop(40)) == fields(wrapper, shop(40))


@pytest.mark.parametrize(
    "part", ["fields", "places", "labels", "lone", "open_rows", "stable", "pages"]
)
@pytest.mark.parametrize("broken", [None, 7, [7], [[7]], [["x", 7, 7]], "text"])
def test_damaged_files_are_refused_or_harmless(wrapper, part, broken):
    data = json.loads(wrapper.dumps())
    data[part] = broken
    with suppress(WrapperError):
        extract(Wrapper.loads(json.dumps(data)), shop(1))


def test_fields_need_pages_that_differ():
    with pytest.raises(WrapperError, match="two or more"):
        unweave.learn([shop(1)], method="fields")
    with pytest.raises(WrapperError, match="nothing that differs"):
        unweave.learn(["<p>Same</p>", "<p>Same</p>"], method="fields")


@pytest.mark.parametrize(
    "roles", [[], [["place", 99_999, "", -1]], [["place", -5, "", -1]], [["nothing", 1, "", -1]]]
)
def test_damaged_locators_are_refused(wrapper, roles):
    data = json.loads(wrapper.dumps())
    data["fields"][0]["roles"] = roles
    with pytest.raises(WrapperError, match="damaged"):
        Wrapper.loads(json.dumps(data))
