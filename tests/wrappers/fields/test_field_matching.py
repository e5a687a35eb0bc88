"""Fields of changed pages: columns that were added, labels in another structure, and headings."""

import json

import pytest

import unweave
from tests.wrappers.fields.products import (
    LEARNED,
    NEW,
    REDESIGNS,
    learn_products,
    list_rows,
    make_product,
    read_values,
    rename_all_classes,
    wrap_content,
)
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields import missing_fields


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(learn_products().dumps())


def read_texts(wrapper, markup):
    """Return the texts of the text nodes that each field came from."""
    page = unweave.load_page(markup)
    return {
        name: [page.texts[node] for node in nodes]
        for name, nodes in wrapper.provenance(page).items()
    }


# ---- columns that were added ---------------------------------------------------------------------


def test_a_column_before_labels_and_values(wrapper):
    markup = make_product(21).replace("<tr>", "<tr><td class='icon'>new</td>")
    assert read_values(wrapper, markup) == read_values(wrapper, make_product(21))


def test_an_empty_column_before_labels_and_values(wrapper):
    markup = make_product(21).replace("<tr>", "<tr><td></td>")
    assert read_values(wrapper, markup) == read_values(wrapper, make_product(21))


def test_a_column_in_one_table_does_not_move_the_other():
    def make(number, cell=""):
        tables = [
            "".join(
                f"<tr>{cell if first else ''}<td>{label}</td><td>{label[0]}{number + first}</td></tr>"
                for label in labels
            )
            for first, labels in (
                (1, ("Height", "Width", "Depth")),
                (0, ("Maker", "Owner", "User")),
            )
        ]
        return (
            f"<body><h1>Item {number}</h1><table class='a'>{tables[0]}</table>"
            f"<table class='b'>{tables[1]}</table></body>"
        )

    wrapper = unweave.learn([make(number) for number in LEARNED], method="fields")
    expected = read_values(wrapper, make(30))
    assert expected.keys() >= {"height", "width", "depth", "maker", "owner", "user"}
    assert read_values(wrapper, make(30, "<td>*</td>")) == expected
    assert read_values(wrapper, make(30, "<td>more</td>")) == expected


def make_schedule(number, *, header="", cell=""):
    """Return a page with a table of games, and in each row the given cell before the others."""
    rows = "".join(
        f"<tr>{cell}<td>{number}-{game}-2020</td><td>Team {number}{game}</td>"
        f"<td>{game}:{number}</td></tr>"
        for game in range(1, 5)
    )
    head = f"<tr>{header}<th>Date</th><th>Opponent</th><th>Result</th></tr>"
    return f"<body><h1>Club {number}</h1><table class='games'>{head}{rows}</table></body>"


def test_a_column_before_those_of_a_table():
    wrapper = unweave.learn([make_schedule(number) for number in LEARNED], method="fields")
    expected = read_values(wrapper, make_schedule(30))
    assert expected["opponent"] == [f"Team 30{game}" for game in range(1, 5)]
    changed = make_schedule(30, header="<th>No</th>", cell="<td>7</td>")
    assert read_values(wrapper, changed) == expected


# ---- labels in another structure -----------------------------------------------------------------


def make_definitions(rows):
    items = "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in rows.items())
    return f"<dl>{items}</dl>"


def make_paragraphs(rows):
    return "".join(f"<p><b>{label}:</b> <i>{value}</i></p>" for label, value in rows.items())


def make_boxes(rows):
    return "".join(
        f"<section><div><h4>{label}</h4></div><div><span>{value}</span></div></section>"
        for label, value in rows.items()
    )


@pytest.mark.parametrize("number", NEW)
@pytest.mark.parametrize("specification", [make_definitions, make_paragraphs, make_boxes])
def test_labels_locate_values_in_another_structure(wrapper, specification, number):
    markup = make_product(number, specification=specification)
    assert read_values(wrapper, markup) == read_values(wrapper, make_product(number))
    moved = set(unweave.apply(wrapper, markup).moved)
    assert moved >= {"colour", "weight", "maker", "year"}
    assert "title" not in moved


def test_a_label_that_is_twice_on_the_page_locates_nothing(wrapper):
    markup = make_product(20, specification=make_definitions)
    assert "weight" in read_values(wrapper, markup)
    twice = markup.replace("</dl>", "</dl><dl><dt>Weight</dt><dd>99 kg</dd></dl>")
    assert "weight" not in read_values(wrapper, twice)


def test_a_label_without_value_does_not_take_the_next_label(wrapper):
    markup = make_product(20, specification=make_definitions)
    empty = markup.replace(f"<dd>{list_rows(20)['Colour']}</dd>", "<dd></dd>")
    fields = read_values(wrapper, empty)
    assert "colour" not in fields
    assert fields["weight"] == list_rows(20)["Weight"]


def test_fields_of_one_label_do_not_share_a_value():
    """Fields with a number have the text of that number, wherever the label stands."""

    def make(number, tag="p"):
        return (
            f"<body class='a'><h1>Item {number}</h1><{tag}>Size: <b>{number} cm</b>"
            f"<b>{number * 3} m</b></{tag}><p class='x'>Sold in {number}</p></body>"
        )

    wrapper = unweave.learn([make(number) for number in LEARNED], method="fields")
    expected = read_values(wrapper, make(30))
    numbered = [name for name, value in expected.items() if value in ("30 cm", "90 m")]
    assert len(numbered) == 2
    fields = read_values(wrapper, make(30, "li").replace("<b>", "<i>").replace("</b>", "</i>"))
    found = {name: fields[name] for name in numbered if name in fields}
    assert found
    assert found.items() <= expected.items()


# ---- values keep their type ----------------------------------------------------------------------


def test_a_name_is_not_a_price(wrapper):
    price = "<p class='price'><b>EUR 21.50</b></p>"
    changed = wrap_content(make_product(21)).replace(price, "<p class='price'><b>Ida Berg</b></p>")
    extraction = unweave.apply(wrapper, changed)
    assert "price" not in extraction.fields
    assert "price" in extraction.missing


def test_an_unusual_value_of_an_unchanged_page_is_named(wrapper):
    page = make_product(21)
    usual, unusual = (
        unweave.apply(wrapper, markup) for markup in (page, page.replace("EUR 21.50", "on request"))
    )
    assert (usual.unusual, unusual.unusual) == ((), ("price",))
    assert unusual.fields["price"] == "on request"
    assert unusual.fit < usual.fit == 1


# ---- headings ------------------------------------------------------------------------------------


def move_heading(markup, *, tag="h1"):
    """Return the page with its heading in another place."""
    start, stop = markup.index("<h1"), markup.index("</h1>") + 5
    heading, name = markup[start:stop], markup[start:stop].split(">")[1].split("<")[0]
    heading = f"<header><div><div><div><div><div><{tag}>{name}</{tag}>" + "</div>" * 5 + "</header>"
    return markup[:start] + markup[stop:].replace("</body>", f"{heading}</body>")


def test_the_only_main_heading_is_the_title(wrapper):
    extraction = unweave.apply(wrapper, move_heading(make_product(21)))
    assert extraction.fields["title"] == "Camera 21"
    assert "title" in extraction.moved


def test_one_of_two_main_headings_is_not_the_title(wrapper):
    second = "<div><div><div><div><div><h1>Sale</h1></div></div></div></div></div>"
    markup = move_heading(make_product(21)).replace("</header>", f"{second}</header>")
    assert "title" not in unweave.apply(wrapper, markup).fields


def test_another_heading_is_not_the_title(wrapper):
    assert "title" not in unweave.apply(wrapper, move_heading(make_product(21), tag="h4")).fields


# ---- what moved, and where from ------------------------------------------------------------------


@pytest.mark.parametrize("number", NEW)
def test_nothing_moved_on_an_unchanged_page(wrapper, number):
    extraction = unweave.apply(wrapper, make_product(number))
    assert (extraction.fit, extraction.moved, extraction.unusual) == (1, (), ())


def test_one_renamed_class_moves_the_fields_below_it_only(wrapper):
    extraction = unweave.apply(wrapper, make_product(21).replace("'price'", "'cost'"))
    assert extraction.moved == ("price",)
    assert 0.9 < extraction.fit < 1


def test_all_fields_below_a_new_element_moved(wrapper):
    extraction = unweave.apply(wrapper, wrap_content(make_product(21)))
    assert set(extraction.moved) == extraction.fields.keys() - {"page_title"}
    assert extraction.missing == ()


@pytest.mark.parametrize("redesign", REDESIGNS)
@pytest.mark.parametrize("number", NEW)
def test_provenance_has_the_text_nodes_of_the_values(wrapper, redesign, number):
    markup = REDESIGNS[redesign](make_product(number))
    fields = unweave.apply(wrapper, markup).fields
    texts = read_texts(wrapper, markup)
    assert texts == {
        name: value if isinstance(value, list) else [value] for name, value in fields.items()
    }


def test_provenance_of_labels_in_another_structure(wrapper):
    texts = read_texts(wrapper, make_product(21, specification=make_definitions))
    assert texts["maker"] == [list_rows(21)["Maker"]]


# ---- hostile wrappers and pages ------------------------------------------------------------------


def edit(wrapper, change):
    data = json.loads(wrapper.dumps())
    change(data)
    return Wrapper.loads(json.dumps(data))


def test_examples_of_a_file_are_bounded(wrapper):
    def add_examples(data):
        for field in data["fields"]:
            field["examples"] = [f"{number}" for number in range(50_000)]

    fields = edit(wrapper, add_examples).fields
    assert max(len(field.examples) for field in fields) < 100


def test_columns_of_labels_in_a_file_are_bounded(wrapper):
    """A wrapper may know a label in any number of columns; a page is read all the same."""

    def add_columns(data):
        path, _, text = next(label for label in data["labels"] if label[2] == "Colour")
        data["labels"] += [[path, 10**9 + column, text] for column in range(20_000)]

    hostile = edit(wrapper, add_columns)
    rows = "<tr><td class='label'>Colour</td><td class='value'>red</td></tr>" * 2_000
    markup = wrap_content(make_product(21)).replace("</table>", f"{rows}</table>")
    markup = markup.replace(">Weight<", ">Mass<")
    assert unweave.apply(hostile, markup).fields["title"] == "Camera 21"


def test_nested_tables_are_corrected(wrapper):
    rows = (
        "<table><tr><td>x</td><td class='label'>Colour</td><td class='value'>red</td></tr><tr><td>"
    )
    markup = wrap_content(make_product(21)).replace(
        "</div></body>", f"{rows * 60}{'</td></tr></table>' * 60}</div></body>"
    )
    assert unweave.apply(wrapper, markup).fields["title"] == "Camera 21"


def test_classes_renamed_everywhere_and_another_structure(wrapper):
    markup = rename_all_classes(make_product(23, specification=make_definitions))
    assert read_values(wrapper, markup) == read_values(wrapper, make_product(23))


def test_texts_beside_a_label_are_in_its_element_or_in_the_next_one():
    page = unweave.load_page(
        "<body><h1>A</h1><p>Maker <b>Ann</b></p><div><h4>Year</h4></div><div>1999 <i>May</i></div>"
        "<p>End</p></body>"
    )

    def read(label):
        nodes = missing_fields._find_texts_beside(
            page, page.texts.index(label), lambda node: page.texts[node] == "Year"
        )
        return [page.texts[node] for node in nodes]

    assert read("Maker") == ["Ann"]
    assert read("End") == []


def test_a_wrapper_with_many_fields_of_one_label_is_read(wrapper):
    def copy_field(data):
        field = next(field for field in data["fields"] if field["name"] == "weight")
        data["fields"] = [{**field, "name": f"weight_{number}"} for number in range(50_000)]

    fields = unweave.apply(edit(wrapper, copy_field), make_product(21)).fields
    assert sum(name.startswith("weight_") for name in fields) == 50_000
