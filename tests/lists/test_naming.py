"""Names and types of columns."""

import pytest

import unweave
from tests.lists.helpers import NAMES, build_list_table, get_column
from unweave.lists.naming import find_jsonld_key, read_jsonld_keys
from unweave.page.page import Page


def test_a_label_in_an_element_of_its_own_names_the_column():
    table = build_list_table("<h3>NAME</h3><p><b>Height:</b> N1 cm</p>")
    assert get_column(table, "height") == [f"{k} cm" for k in range(6)]
    assert "Height:" not in table.drop_constant_columns().to_csv()


PRODUCTS = {
    "brand": "string",
    "title_link": "url",
    "title": "string",
    "rating": "number",
    "count": "integer",
    "now_price": "string",  # "from €41.00" is no price
    "was_price": "price",
}
WEATHER = {
    "station": "string",
    "height_m": "integer",
    "observed_utc": "datetime",
    "temp_c": "number",
    "humidity": "integer",
    "pressure_hpa": "number",
    "weather": "string",
}
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
def test_names_and_types_on_the_example_pages(page, expected):
    table = unweave.records(f"examples/{page}.html")[0]
    types = {column.name: column.type for column in table.drop_constant_columns().columns}
    assert types.items() >= expected.items()
    assert len(set(table.names)) == len(table.names)


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
    table = unweave.records(f"<head>{script}</head><ul>{rows}</ul>")[0]
    assert table.names == ["name", "material", "width"]


def test_of_several_json_ld_keys_the_first_is_chosen():
    things = ",".join(
        f'{{"headline": "{name}", "name": "{name}", "title": "{name}"}}' for name in NAMES
    )
    rows = "".join(f"<li><p>{name}</p><p>of wood, {k}</p></li>" for k, name in enumerate(NAMES))
    page = Page.parse(f'<script type="application/ld+json">[{things}]</script><ul>{rows}</ul>')
    assert find_jsonld_key(read_jsonld_keys(page), NAMES) == "headline"


def test_a_column_with_a_text_that_does_not_convert_is_a_string():
    texts = ["3", "4", "5", "6", "7", "8", "9", "12", "$5", "2020-01-01"]
    table = build_list_table(
        lambda k, name: f"<h3>NAME</h3><p class='count'>{texts[k]}</p>",
        [*NAMES, "a b", "c d", "e f", "g h"],
    )
    assert table.columns[table.names.index("count")].type == "string"
    assert table.to_columns(values=True)["count"] == texts
    assert table.to_arrow(values=True)["count"].null_count == 0
    assert table.to_pandas(values=True)["count"].tolist() == texts


def test_numbers_that_are_too_large_for_databases_are_strings():
    table = build_list_table(lambda k, name: f"<h3>NAME</h3><p class='count'>{'9' * 30}{k}</p>")
    assert table.to_columns(values=True)["count"][0] == "9" * 30 + "0"
    assert table.to_arrow(values=True)["count"].null_count == 0


def test_a_column_with_the_values_of_another_one_is_left_out():
    """A name is often written twice: for wide and for narrow screens."""
    table = build_list_table("<h3>NAME</h3><p class=short>NAME</p><p><b>Height:</b> N1 cm</p>")
    repeated = [column.name for column in table.columns if column.is_constant]
    assert "short" in repeated
    shown = table.drop_constant_columns()
    columns = [tuple(row[number] for row in shown.rows) for number in range(len(shown.columns))]
    assert len(columns) == len(set(columns)) == 2


def test_columns_that_are_equal_by_chance_stay():
    """The numbers of likes and of comments, of which most are 0."""
    likes = build_list_table("<h3>NAME</h3><b class=likes>0</b><i class=comments>0</i>")
    assert {"likes", "comments"} <= {column.name for column in likes.columns}
    assert not any(column.is_constant for column in likes.columns)


@pytest.mark.parametrize(
    "record",
    [
        "<a href='/p/N1'>NAME</a> <span>N1 left</span>",
        "<p class='uix-lockup'>Page N1</p><h3><a class='uix' href='/p/N1'>NAME</a></h3>",
        "<a href='/p/N1'><i>N1</i> NAME</a>",
    ],
    ids=["link", "link in a heading", "most of a link"],
)
def test_the_text_of_the_heading_or_of_the_main_link_is_the_title(record):
    assert get_column(build_list_table(record), "title") == NAMES


def test_a_class_with_a_word_of_the_vocabulary_wins_over_the_main_link():
    table = build_list_table("<a class='job-company' href='/p/N1'>NAME</a><p>Place N1</p>")
    assert get_column(table, "job_company") == NAMES


def test_texts_of_links_that_repeat_are_no_title():
    table = build_list_table(lambda k, name: f"<a href='/t/{k}'>Topic {k % 2}</a><p>{name}</p>")
    assert "title" not in table.names


def test_a_class_of_different_things_is_no_name():
    table = build_list_table(
        "<h3>NAME</h3><p class='lockup'>1N1 views</p><p class='lockup'>May N1st, 2024 or later</p>"
    )
    assert get_column(table, "view") == [f"1{k} views" for k in range(6)]
    assert not any("lockup" in name for name in table.names)


def test_how_long_ago_is_a_date():
    table = build_list_table("<h3>NAME</h3><p>1N1 days ago</p>")
    assert get_column(table, "date") == [f"1{k} days ago" for k in range(6)]


def test_texts_that_are_urls_are_named_so():
    table = build_list_table("<h3>NAME</h3><p>https://www.example.org/N1</p>")
    assert get_column(table, "url") == [f"https://www.example.org/{k}" for k in range(6)]
