"""Several pages of one list, the next of them, and what a user knows of the list."""

import pytest

import unweave
from unweave.lists.method import METHODS
from unweave.lists.next_page import find_next_page
from unweave.page.composite import JoinedPages


def shop(first, count, following=""):
    items = "".join(
        f"<li class='item'><h3><a href='p{k}.html'>Chair number {k}</a></h3><p>made of wood, {k} cm</p><b>${k}.00</b></li>"
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
        [shop(0, 5), shop(5, 5), shop(10, 2, "<a rel='next' href='/page/4'>on</a>")]
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
    table, _ = unweave.join_records([shop(0, 6), shop(6, 6), shop(12, 2, talk)])
    assert len(table) == 14


def test_a_last_page_without_the_list_gives_the_others_theirs():
    table, following = unweave.join_records(
        [shop(0, 6), "<html><body><p>Nothing more</p></body></html>"]
    )
    assert (len(table), following) == (6, None)
    assert unweave.join_records(["<p>a</p>", "<p>b</p>"]) == (None, None)


def test_one_page_is_the_same_as_a_list_of_one():
    table, following = unweave.join_records(shop(0, 3))
    again, following_again = unweave.join_records([shop(0, 3)])
    assert (table.texts, following) == (again.texts, following_again)


def test_no_pages_are_an_error():
    with pytest.raises(unweave.UsageError, match="no pages"):
        unweave.join_records([])


def test_pages_as_one_page():
    pages = [
        unweave.load_page(shop(0, 2), url="https://a.example/x/"),
        unweave.load_page(shop(2, 1), url="https://b.example/"),
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


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ("<link rel='next' href='2.html'>", "2.html"),
        ("<a href='9.html'>more</a><a href='2.html' rel='nofollow next'>go on</a>", "2.html"),
        ("<a href='0.html'>‹ Previous</a><a href='2.html'>Next ›</a>", "2.html"),
        ("<a href='2.html'>»</a>", "2.html"),
        ("<a href='2.html'>Nächste Seite</a>", "2.html"),
        ("<a href='2.html'>次へ</a>", "2.html"),
        ("<a href='2.html' aria-label='Next page'><svg></svg></a>", "2.html"),
        ("<ul><li class='pager-next'><a href='2.html'><img></a></li></ul>", "2.html"),
        (
            "<p><a href='1.html'>1</a> <b>2</b> <a href='3.html'>3</a> <a href='4.html'>4</a></p>",
            "3.html",
        ),
        ("<a href='#'>Next</a><a href='javascript:x()'>Next</a>", None),
        ("<a href='n.html'>Next of kin: who inherits when nobody does?</a>", None),
        ("<p>3 chairs</p><a href='x.html'>4</a>", None),
    ],
)
def test_the_next_page(markup, address):
    assert (
        find_next_page(unweave.load_page(f"<html><body><p>x</p>{markup}</body></html>")) == address
    )


def test_the_next_page_is_absolute_if_the_address_is_known():
    page = unweave.load_page("<a href='?page=2'>Next</a>", url="https://shop.example/list")
    assert find_next_page(page) == "https://shop.example/list?page=2"


def two_lists():
    reviews = "".join(
        f"<article><p>A long and thoughtful word on chair {k}, with praise and some blame.</p></article>"
        for k in range(8)
    )
    offers = "".join(f"<li>Stool {k} <b>${k}.50</b></li>" for k in range(4))
    return f"<section>{reviews}</section><ul>{offers}</ul>"


def test_lists_with_what_is_wanted_come_first():
    assert "thoughtful" in unweave.records(two_lists())[0].texts[0]
    assert unweave.records(two_lists(), want=["price"])[0].texts[1] == "Stool 1 $1.50"
    assert unweave.records(two_lists(), want="price,number")[0].texts[1] == "Stool 1 $1.50"
    assert "thoughtful" in unweave.records(two_lists(), want=["text"])[0].texts[0]


def test_wants_and_parameters_that_are_unknown_are_named():
    with pytest.raises(unweave.UsageError, match="cannot look for 'colour'; there are price"):
        unweave.records(two_lists(), want=["colour"])
    with pytest.raises(
        unweave.UsageError, match="method auto has no option 'k'; its options are want"
    ):
        METHODS.make("auto", {"k": 3})
    with pytest.raises(
        unweave.UsageError, match="method ctvs has no option 'want'; its options are variant, "
    ):
        unweave.records(two_lists(), method="ctvs", want=["price"])


def test_no_page_says_where_the_links_of_another_lead():
    plain = unweave.load_page(shop(0, 4))
    based = unweave.load_page(
        shop(4, 4).replace("<body>", "<body><base href='http://other.example/sub/'>")
    )
    table, _ = unweave.join_records([plain, based])
    links = [row[table.names.index("title_link")] for row in table]
    assert links[0] == "p0.html"
    assert links[4] == "http://other.example/sub/p4.html"


def test_a_page_with_more_around_the_list_belongs_to_it():
    table, _ = unweave.join_records([shop(0, 5), shop(5, 5).replace("<main>", "<div><main>")])
    assert len(table) == 10
