"""The default method: the list of two example nodes, and the list that several pages continue."""

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import unweave
from unweave.page.composite import JoinedPages
from unweave.page.page import Page

MENU = "<nav><ul><li><a href=1>Home</a><li><a href=2>Shop</a><li><a href=3>About</a></ul></nav>"
CARDS = "".join(
    f"<div class=card><h3>Thing {n}</h3><p>${n}.50</p>"
    f"<ul><li>red {n}<li>green {n}<li>blue {n}</ul></div>"
    for n in range(6)
)
SHOP = f"<body>{MENU}\n<div class=shop>{CARDS}</div></body>"


def find_by_example(page: Page, left: str, right: str) -> unweave.Table:
    """Return the table of the list that has two texts in different records."""
    nodes = [page.text_parents[page.texts.index(text)] for text in (left, right)]
    (table,) = unweave.records(page, like=[page.xpath(node) for node in nodes])
    return table


def test_nodes_of_two_cards_give_the_list_of_cards() -> None:
    table = find_by_example(Page.parse(SHOP), "Thing 1", "$4.50")
    assert [text.split(" $")[0] for text in table.texts] == [f"Thing {n}" for n in range(6)]


def test_two_entries_of_a_menu_give_the_menu_although_ranking_leaves_it_out() -> None:
    assert list(find_by_example(Page.parse(SHOP), "Home", "About").texts) == [
        "Home",
        "Shop",
        "About",
    ]


def test_two_nodes_in_one_card_give_a_list_inside_of_cards() -> None:
    table = find_by_example(Page.parse(SHOP), "red 2", "blue 2")
    assert {"red 2", "green 2", "blue 2"} <= set(table.texts)


def test_images_without_text_can_be_examples() -> None:
    page = Page.parse("<div>" + "<figure><img src=a.png></figure>" * 4 + "</div><p>words")
    images = [node for node, label in enumerate(page.tree.labels) if label == "img"]
    (table,) = unweave.records(page, like=images[:2])
    assert len(table) == 4


@pytest.mark.parametrize(
    ("like", "message"),
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
def test_unusable_examples_are_errors(like: list[str], message: str) -> None:
    with pytest.raises(unweave.UsageError, match=message):
        unweave.records(SHOP, like=like)


@given(st.data())
def test_every_node_is_found_again_by_its_xpath(data: st.DataObject) -> None:
    page = Page.parse(SHOP)
    node = data.draw(st.integers(0, len(page.tree) - 1))
    assert page.find_xpath(page.xpath(node)) == node


@given(st.data())
def test_any_two_separate_nodes_are_in_two_records_of_the_list(
    data: st.DataObject,
) -> None:
    page = Page.parse(SHOP)
    nodes = st.integers(0, len(page.tree) - 1)
    left, right = data.draw(nodes), data.draw(nodes)
    first, second = sorted((left, right))
    assume(second >= page.tree.ends[first])
    try:
        (table,) = unweave.records(page, like=[left, right])
    except unweave.UsageError:
        reject()  # they have nothing in common, as a head and a body
    record_numbers = [
        [
            number
            for number, record in enumerate(table.records)
            if any(root <= node < page.tree.ends[root] for root in record)
        ]
        for node in (left, right)
    ]
    assert len(record_numbers[0]) == len(record_numbers[1]) == 1
    assert record_numbers[0] != record_numbers[1]


def make_shop_page(first, count, following=""):
    items = "".join(
        f"<li class='item'><h3><a href='p{k}.html'>Chair number {k}</a></h3>"
        f"<p>made of wood, {k} cm</p><b>${k}.00</b></li>"
        for k in range(first, first + count)
    )
    menu = (
        "<nav><ul>"
        + "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in ("home", "sale", "about"))
        + "</ul></nav>"
    )
    return f"<html><body>{menu}<main><ul>{items}</ul></main>{following}</body></html>"


def test_pages_that_continue_one_list_give_one_table():
    table, following = unweave.join_records(
        [
            make_shop_page(0, 5),
            make_shop_page(5, 5),
            make_shop_page(10, 2, "<a rel='next' href='/page/4'>on</a>"),
        ]
    )
    assert len(table) == 12
    assert [row[table.names.index("title")] for row in table] == [
        f"Chair number {k}" for k in range(12)
    ]
    assert [table.page.find_page(record[0]) for record in table.records] == [0] * 5 + [1] * 5 + [
        2
    ] * 2
    assert table.xpaths()[5] == ["/html/body/main/ul/li[1]"]
    assert following == "/page/4"


def test_a_page_with_another_list_as_its_best_follows_the_others():
    talk = (
        "<section>"
        + "".join(
            f"<article><p>A long word of mine on chair {k}, and on others.</p></article>"
            for k in range(4)
        )
        + "</section>"
    )
    table, _ = unweave.join_records(
        [make_shop_page(0, 6), make_shop_page(6, 6), make_shop_page(12, 2, talk)]
    )
    assert len(table) == 14


def test_a_last_page_without_the_list_adds_no_records():
    table, following = unweave.join_records(
        [make_shop_page(0, 6), "<html><body><p>Nothing more</p></body></html>"]
    )
    assert (len(table), following) == (6, None)
    assert unweave.join_records(["<p>a</p>", "<p>b</p>"]) == (None, None)


def test_one_page_is_the_same_as_a_list_of_one():
    table, following = unweave.join_records(make_shop_page(0, 3))
    again, following_again = unweave.join_records([make_shop_page(0, 3)])
    assert (table.texts, following) == (again.texts, following_again)


def test_no_pages_are_an_error():
    with pytest.raises(unweave.UsageError, match="no pages"):
        unweave.join_records([])


def test_joined_pages_keep_texts_xpaths_and_urls():
    pages = [
        unweave.load_page(make_shop_page(0, 2), url="https://a.example/x/"),
        unweave.load_page(make_shop_page(2, 1), url="https://b.example/"),
    ]
    joined = JoinedPages(pages)
    assert joined.texts == [*pages[0].texts, *pages[1].texts]
    assert len(joined.tree) == 1 + sum(len(page.tree) for page in pages)
    for number, page in enumerate(pages):
        for node in range(len(page.tree)):
            assert joined.xpath(joined.to_joined_node(number, node)) == page.xpath(node)
            assert joined.text(joined.to_joined_node(number, node)) == page.text(node)
    assert [address for address in joined.node_urls if address and "p0" in address] == [
        "https://a.example/x/p0.html"
    ]


def test_the_base_url_of_a_page_holds_for_its_own_links_only():
    plain = unweave.load_page(make_shop_page(0, 4))
    based = unweave.load_page(
        make_shop_page(4, 4).replace("<body>", "<body><base href='http://other.example/sub/'>")
    )
    table, _ = unweave.join_records([plain, based])
    links = [row[table.names.index("title_link")] for row in table]
    assert links[0] == "p0.html"
    assert links[4] == "http://other.example/sub/p4.html"


def test_a_page_with_more_elements_around_the_list_has_the_same_list():
    table, _ = unweave.join_records(
        [make_shop_page(0, 5), make_shop_page(5, 5).replace("<main>", "<div><main>")]
    )
    assert len(table) == 10
