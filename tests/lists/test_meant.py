"""The list of two records that somebody points at."""

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import unweave
from unweave.page.page import Page

SHOP = """<body><nav><ul><li><a href=1>Home</a><li><a href=2>Shop</a><li><a href=3>About</a></ul></nav>
<div class=shop>{}</div></body>""".format(
    "".join(
        f"<div class=card><h3>Thing {n}</h3><p>${n}.50</p><ul><li>red {n}<li>green {n}<li>blue {n}</ul></div>"
        for n in range(6)
    )
)


def node_of(page: Page, text: str) -> int:
    return page.text_parents[page.texts.index(text)]


def meant(page: Page, one: str, other: str) -> unweave.Table:
    (table,) = unweave.records(
        page, like=[page.xpath(node_of(page, one)), page.xpath(node_of(page, other))]
    )
    return table


def test_two_cards_mean_the_cards() -> None:
    table = meant(Page.parse(SHOP), "Thing 1", "$4.50")
    assert [text.split(" $")[0] for text in table.texts] == [f"Thing {n}" for n in range(6)]


def test_two_entries_of_the_menu_mean_the_menu_although_it_is_no_list_worth_having() -> None:
    assert list(meant(Page.parse(SHOP), "Home", "About").texts) == ["Home", "Shop", "About"]


def test_two_colours_mean_colours_and_not_cards() -> None:
    found = meant(Page.parse(SHOP), "red 2", "blue 2").texts
    assert {"red 2", "green 2", "blue 2"} <= set(found)


def test_pictures_without_any_text_can_be_meant() -> None:
    page = Page.parse("<div>" + "<figure><img src=a.png></figure>" * 4 + "</div><p>words")
    images = [node for node, label in enumerate(page.tree.labels) if label == "img"]
    (table,) = unweave.records(page, like=images[:2])
    assert len(table) == 4


@pytest.mark.parametrize(
    ("like", "complaint"),
    [
        (["/html/body/nav"], "two elements"),
        (["/html/body/nav", "/html/body/nav/ul"], "one contains the other"),
        (["/html/body/nav", "/html/body/nav"], "the same element"),
        (["/html/body/nav", "/html/body/aside"], "no element /html/body/aside"),
        (["/html/body/nav", "nonsense((("], "no element nonsense"),
        ([0, 10_000_000], "no such element"),
        (["/html/head", "/html/body"], "nothing in common"),
    ],
)
def test_what_cannot_be_meant_is_told(like: list[str], complaint: str) -> None:
    with pytest.raises(unweave.UsageError, match=complaint):
        unweave.records(SHOP, like=like)


@given(st.data())
def test_every_node_is_found_again_by_its_xpath(data: st.DataObject) -> None:
    page = Page.parse(SHOP)
    node = data.draw(st.integers(0, len(page.tree) - 1))
    assert page.find_xpath(page.xpath(node)) == node


@given(st.data())
def test_any_two_nodes_that_stand_apart_stand_in_two_records_of_what_they_mean(
    data: st.DataObject,
) -> None:
    page = Page.parse(SHOP)
    nodes = st.integers(0, len(page.tree) - 1)
    one, other = data.draw(nodes), data.draw(nodes)
    first, second = sorted((one, other))
    assume(second >= page.tree.ends[first])
    try:
        (table,) = unweave.records(page, like=[one, other])
    except unweave.UsageError:
        reject()  # they have nothing in common, as a head and a body
    holders = [
        [
            number
            for number, record in enumerate(table.records)
            if any(root <= node < page.tree.ends[root] for root in record)
        ]
        for node in (one, other)
    ]
    assert len(holders[0]) == len(holders[1]) == 1
    assert holders[0] != holders[1]
