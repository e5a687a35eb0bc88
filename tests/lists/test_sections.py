"""Sections: records under several headings are one list, with the headings in a column."""

import pytest

import unweave
from unweave.lists.default import find_lists
from unweave.page.page import Page

DISHES = {
    "Starters": [("Leek soup", 6), ("Smoked trout", 9), ("Beetroot salad", 7)],
    "Mains": [("Lamb shoulder", 18), ("Hake with beans", 16), ("Mushroom pie", 14)],
    "Puddings": [("Plum crumble", 7), ("Treacle tart", 6), ("Rhubarb fool", 6)],
}


def make_entry(name: str, price: int, tag: str = "li") -> str:
    return (
        f"<{tag} class=dish><h4><a href=/{name.replace(' ', '-')}>{name}</a></h4>"
        f"<p>Served with bread, for one.</p><b>${price}.50</b></{tag}>"
    )


def make_sections(heading: str = "h2") -> str:
    parts = []
    for title, dishes in DISHES.items():
        entries = "".join(make_entry(*dish) for dish in dishes)
        parts.append(f"<section><{heading}>{title}</{heading}><ul>{entries}</ul></section>")
    return f"<main><h1>Menu of the week</h1>{''.join(parts)}</main>"


@pytest.mark.parametrize("heading", ["h2", "h3"])
def test_sections_of_one_list_are_one_table_with_a_column_for_their_headings(heading):
    (table,) = unweave.records(make_sections(heading))
    assert [text.split(" Served")[0] for text in table.texts] == [
        name for dishes in DISHES.values() for name, _ in dishes
    ]
    assert table.names[-1] == "section"
    assert [row[-1] for row in table.rows] == [title for title in DISHES for _ in range(3)]
    for row, nodes in zip(table.rows, table.nodes, strict=True):
        assert table.page.text(nodes[-1][0]) == row[-1]


def test_the_section_column_does_not_take_the_name_of_another():
    table = unweave.records(
        make_sections().replace(
            "<p>Served with bread, for one.</p>", "<p class=section>of many</p>"
        )
    )[0]
    assert len(set(table.names)) == len(table.names)
    assert table.names[-1].startswith("section")


def test_rows_of_a_table_that_are_headings_are_sections():
    rows = "".join(
        f"<tr><td colspan=2>{title}</td></tr>"
        + "".join(f"<tr><td>{name}</td><td>${price}.50</td></tr>" for name, price in dishes)
        for title, dishes in DISHES.items()
    )
    head = "<tr><th>Dish</th><th>Price</th></tr>"
    (table,) = unweave.records(f"<table>{head}{rows}</table>")
    assert table.to_columns()["section"] == [title for title in DISHES for _ in range(3)]


def test_one_heading_between_records_separates_no_sections():
    entries = [make_entry(*dish, tag="div") for dishes in DISHES.values() for dish in dishes]
    page = "<div>" + "".join(entries[:5]) + "<h3>Sponsored</h3>" + "".join(entries[5:]) + "</div>"
    (table,) = unweave.records(page)
    assert len(table) == 9
    assert "section" not in table.names


def test_lists_of_different_kinds_are_different_tables():
    films = "".join(
        f"<div class=film><img src=f{k}.png><h4><a href=f{k}>Film {k}</a></h4>"
        f"<i>{1950 + k}</i><p>{k} minutes long, with Ida Lupino</p><b>${k}.00</b></div>"
        for k in range(12)
    )
    page = Page.parse(f"{make_sections()}<section><h2>Films</h2>{films}</section>")
    counts = [len(each.listing.records) for each in find_lists(page).lists]
    assert {9, 12} <= set(counts)


def test_the_confidence_of_a_list_does_not_depend_on_a_list_elsewhere():
    """A second list takes no confidence from the first, and none is capped."""
    alone = find_lists(Page.parse(make_sections())).lists[0]
    films = "".join(
        f"<div class=film><img src=f{k}.png><h4><a href=f{k}>Film {k}</a></h4><i>{1950 + k}</i></div>"
        for k in range(12)
    )
    both = find_lists(Page.parse(f"{make_sections()}<section>{films}</section>")).lists
    assert len(both) > 1
    assert alone.confidence > 0.5
    assert max(each.confidence for each in both[1:]) > 0.5
