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
