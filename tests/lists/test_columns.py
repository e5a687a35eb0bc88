"""Columns by role: what belongs in one cell, and which cells share a column."""

import pickle

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unweave
from unweave.lists import default as auto
from unweave.lists.candidates import find_candidates
from unweave.lists.listing import Listing
from unweave.lists.naming import find_jsonld_key, read_jsonld_keys
from unweave.lists.page_index import PageIndex
from unweave.lists.table_building import build_table
from unweave.page.page import Page

NAMES = ["Ash chair", "Birch table", "Cedar chest", "Elm bench", "Fir shelf", "Oak bed"]


def table(record, names=NAMES):
    """The table of a list whose records are made like this: NAME and N1 stand for the name and the number of each."""
    records = [record(k, name) if callable(record) else record for k, name in enumerate(names)]
    filled = [
        own.replace("NAME", name).replace("N1", str(k))
        for k, (own, name) in enumerate(zip(records, names, strict=True))
    ]
    page = Page.parse("<main><ul>" + "".join(f"<li>{own}</li>" for own in filled) + "</ul></main>")
    listing = Listing(
        tuple((node,) for node, label in enumerate(page.tree.labels) if label == "li")
    )
    return build_table(
        page, listing, 1.0, auto.make_aligner(page), Page.join_siblings, auto.name_columns
    )


def column(found, name):
    return [row[found.names.index(name)] for row in found]


def test_parts_of_a_role_share_a_column_wherever_a_part_is_missing():
    found = table(
        lambda k, _: (
            "<h3>NAME</h3>"
            + ("<p class='old'>was N1</p>" if k % 2 else "")
            + "<p class='now'>now N1</p>"
        )
    )
    assert column(found, "old") == [None, "was 1", None, "was 3", None, "was 5"]
    assert column(found, "now") == [f"now {k}" for k in range(6)]


def test_classes_of_single_records_are_noise():
    found = table(lambda k, _: f"<h3 class='title id-{k}'>NAME</h3><p class='n{k}'>wood N1</p>")
    assert column(found, "title") == NAMES
    assert len(found.columns) == 2


def test_marks_that_differ_are_words_of_a_prose():
    prose = [
        "made of <b>oak</b>",
        "made by <i>hand</i> in <b>June</b>",
        "plain",
        "<b>new</b> and old",
        "a <b>b</b> c",
        "d",
    ]
    found = table(lambda k, _: f"<h3>NAME</h3><p>{prose[k]} N1</p>")
    assert column(found, "text_1")[:2] == ["made of oak 0", "made by hand in June 1"]


def test_what_stands_out_of_a_prose_is_a_cell_of_its_own():
    found = table(
        lambda k, _: (
            "<h3>NAME</h3><p>"
            + "a <b>b</b> " * (k % 3)
            + f"sold on <span class='day'>{k + 1} May 2020</span> here</p>"
        )
    )
    assert column(found, "day") == [f"{k + 1} May 2020" for k in range(6)]


def test_text_that_introduces_a_value_belongs_to_it():
    found = table("<h3>NAME</h3><p>by <a href='/u/N1'>maker N1</a></p>")
    assert column(found, "author") == [f"by maker {k}" for k in range(6)]
    assert column(found, "author_link") == [f"/u/{k}" for k in range(6)]


def test_a_label_in_an_element_of_its_own_names_the_column():
    found = table("<h3>NAME</h3><p><b>Height:</b> N1 cm</p>")
    assert column(found, "height") == [f"{k} cm" for k in range(6)]
    assert "Height:" not in found.drop_constant_columns().to_csv()


def test_lines_of_a_running_text_are_cells():
    found = table(
        lambda k, _: (
            "<p><a href='/N1'>NAME</a><br>" + "made <b>well</b> " * (k % 2) + "in N1<br>$N1.50</p>"
        )
    )
    assert column(found, "price") == [f"${k}.50" for k in range(6)]
    assert NAMES[0] in [cell for row in found for cell in row]


def test_records_of_two_makes_share_their_columns():
    found = table(
        lambda k, _: (
            f"<div class='{'wide' if k % 2 else 'tall'}'>"
            + ("<div>" if k % 2 else "")
            + "<h3 class='name'>NAME</h3>"
            "<span class='price'>$N1.00</span>" + ("</div>" if k % 2 else "") + "</div>"
        )
    )
    assert (column(found, "name"), column(found, "price")) == (
        NAMES,
        [f"${k}.00" for k in range(6)],
    )


def test_what_a_record_has_several_times_is_a_list_beside_the_columns():
    found = table(
        lambda k, _: (
            "<h3>NAME</h3><p>"
            + "".join(f"<a class='tag' href='/t{n}'>tag {n}</a> " for n in range(k % 3))
            + "</p>"
        )
    )
    assert found.collect_lists()["tag"] == [
        [f"tag {n}" for n in range(k % 3)] or None for k in range(6)
    ]
    assert column(found, "tag_2") == [None, None, "tag 1", None, None, "tag 1"]


def test_buttons_and_marks_are_no_columns_and_constant_texts_are_not_shown():
    found = table("<h3>NAME</h3> <i>|</i> <p>In stock</p><button>Add to cart</button>")
    assert "Add to cart" not in str(found.rows)
    assert "|" not in str(found.rows)
    assert [column.is_constant for column in found.columns] == [False, True]
    assert found.drop_constant_columns().names == ["title"]
    assert found.to_csv().splitlines()[:2] == ["title", "Ash chair"]


def test_a_price_that_is_the_same_everywhere_is_still_data():
    found = table("<h3>NAME</h3><p>$5.00</p>")
    assert column(found.drop_constant_columns(), "price") == ["$5.00"] * 6


def test_the_same_link_twice_is_given_once():
    found = table("<a href='/N1'><img src='N1.jpg'></a><h3><a href='/N1'>NAME</a></h3>")
    assert found.names == ["image", "title_link", "title"]


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["<b>x</b>", "y", "<i>z</i>", "<br>", "<p>w</p>", "<a href='/q'>v</a>"]
            ),
            max_size=5,
        ),
        min_size=2,
        max_size=6,
    )
)
def test_every_text_stands_in_one_cell_and_no_more(records):
    """Of records that are one element: between the parts of others, text may stand that is of none of them."""
    markup = (
        "<ul>"
        + "".join(f"<li><h3>n{k}</h3>{''.join(own)}</li>" for k, own in enumerate(records))
        + "</ul>"
    )
    tables = unweave.records(markup)
    assume(tables)
    whole = [
        (row, text)
        for row, text, record in zip(tables[0], tables[0].texts, tables[0].records, strict=True)
        if len(record) == 1
    ]
    assume(whole)
    for row, text in whole:
        words = " ".join(
            cell
            for cell, column in zip(row, tables[0].columns, strict=True)
            if cell and column.type != "url"
        )
        assert sorted("".join(words.split())) == sorted("".join(text.split()))


def test_tables_with_names_and_values_travel_between_processes():
    found = unweave.records("examples/products.html")[0]
    again = pickle.loads(pickle.dumps(found))
    assert (again.columns, again.rows, again.parse_values(), again.nodes) == (
        found.columns,
        found.rows,
        found.parse_values(),
        found.nodes,
    )


PRODUCTS = {
    "brand": "string",
    "title_link": "url",
    "title": "string",
    "rating": "number",
    "count": "integer",
    "now_price": "string",
    "was_price": "price",
}  # fmt: skip  ("from €41.00" is no price)
WEATHER = {"station": "string", "height_m": "integer", "observed_utc": "datetime", "temp_c": "number",
           "humidity": "integer", "pressure_hpa": "number", "weather": "string"}  # fmt: skip
PEOPLE = {
    "title": "string",
    "role": "string",
    "telephone": "string",
    "email": "string",
    "room": "string",
}
AUCTION = {"商品名": "string", "現在価格": "price", "入札": "integer"}
FORUM = {
    "title": "string",
    "author": "string",
    "date": "datetime",
    "posts": "integer",
    "joined": "date",
    "location": "string",
}
GALLERY = {"lot": "integer", "est_price": "price", "image": "image"}
TWO_COLUMNS = {"price": "string", "was_price": "price", "image": "image"}
NEWS = {
    "kicker": "string",
    "headline": "string",
    "headline_link": "url",
    "standfirst": "string",
    "comments": "integer",
}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("products", PRODUCTS),
        ("table", WEATHER),
        ("people", PEOPLE),
        ("auction-sjis", AUCTION),
        ("forum", FORUM),
        ("gallery", GALLERY),
        ("twocolumn", TWO_COLUMNS),
        ("news", NEWS),
    ],
)
def test_names_and_types_on_the_shipped_pages(page, expected):
    found = unweave.records(f"examples/{page}.html")[0]
    types = {own.name: own.type for own in found.drop_constant_columns().columns}
    assert types.items() >= expected.items()
    assert len(set(found.names)) == len(found.names)


def test_microdata_and_json_ld_name_columns():
    things = ",".join(
        f'{{"@type": "Product", "name": "{name}", "material": "wood no {k}"}}'
        for k, name in enumerate(NAMES)
    )
    script = f'<script type="application/ld+json">[{things}]</script>'
    rows = "".join(
        f"<li><h3>{name}</h3><p>wood no {k}</p><p itemprop='width'>{k} m</p></li>"
        for k, name in enumerate(NAMES)
    )
    found = unweave.records(f"<head>{script}</head><ul>{rows}</ul>")[0]
    assert found.names == ["name", "material", "width"]


def test_a_list_whose_first_value_is_always_the_same_is_still_there():
    found = table(
        lambda k, _: (
            "<h3>NAME</h3><p>"
            + "".join(
                f"<a class='tag'>{(n and f't{k}{n}') or 'new'}</a> " for n in range(1 + k % 3)
            )
            + "</p>"
        )
    )
    assert found.to_columns()["tag"][:3] == [None, ["t11"], ["t21", "t22"]]
    assert found.collect_lists()["tag"][2] == ["new", "t21", "t22"]


def test_a_text_that_does_not_convert_keeps_its_column_a_text():
    texts = ["3", "4", "5", "6", "7", "8", "9", "12", "$5", "2020-01-01"]
    found = table(
        lambda k, name: f"<h3>NAME</h3><p class='count'>{texts[k]}</p>",
        [*NAMES, "a b", "c d", "e f", "g h"],
    )
    assert found.columns[found.names.index("count")].type == "string"
    assert found.to_columns(values=True)["count"] == texts
    assert found.to_arrow(values=True)["count"].null_count == 0
    assert found.to_pandas(values=True)["count"].tolist() == texts


def test_a_dash_in_a_column_of_numbers_is_an_empty_cell():
    texts = ["3", "–", "5", "6", "n/a", "8"]
    found = table(lambda k, name: f"<h3>NAME</h3><p class='count'>{texts[k]}</p>")
    assert found.to_columns()["count"] == ["3", None, "5", "6", None, "8"]
    assert found.to_columns(values=True)["count"] == [3, None, 5, 6, None, 8]
    assert [row[found.names.index("count")] for row in found.nodes][1] == ()


def test_moments_of_different_zones_are_given_in_one():
    texts = ["2020-01-01 10:00Z", "2020-01-02 10:00 UTC", "2020-01-03 11:00 +02:00"] * 2
    found = table(lambda k, name: f"<h3>NAME</h3><p class='seen'>{texts[k]}</p>")
    frame = found.to_pandas(values=True)
    assert str(frame["seen"].iloc[2]) == "2020-01-03 09:00:00"
    assert found.to_arrow(values=True)["seen"].null_count == 0


def test_numbers_that_are_too_large_for_others_are_texts():
    found = table(lambda k, name: f"<h3>NAME</h3><p class='count'>{'9' * 30}{k}</p>")
    assert found.to_columns(values=True)["count"][0] == "9" * 30 + "0"
    assert found.to_arrow(values=True)["count"].null_count == 0


def test_of_names_that_json_ld_has_the_first_is_taken():
    things = ",".join(
        f'{{"headline": "{name}", "name": "{name}", "title": "{name}"}}' for name in NAMES
    )
    rows = "".join(f"<li><p>{name}</p><p>of wood, {k}</p></li>" for k, name in enumerate(NAMES))
    page = Page.parse(f'<script type="application/ld+json">[{things}]</script><ul>{rows}</ul>')
    assert find_jsonld_key(read_jsonld_keys(page), NAMES) == "headline"


def test_children_of_many_kinds_do_not_take_forever():
    items = "".join(f"<li class=c{k // 2}>text number {k}</li>" for k in range(8000))
    index = PageIndex(Page.parse(f"<ul>{items}</ul>"))
    assert index.spend_steps(0)
    find_candidates(index)
    assert not index.spend_steps(0)
