"""Which list comes first."""

import pytest

import unweave

ITEM = "<li><a href=x>{0}</a></li>"
MENU = "<ul>" + "".join(ITEM.format(f"menu entry number {k}") for k in range(10)) + "</ul>"
LIST = (
    "<div>" + "<p><b>title</b> <i>some text, a little longer than a menu has</i></p>" * 4 + "</div>"
)


def first(markup):
    return unweave.records(markup, method="depta")[0].texts[0]


def test_text_counts_more_than_links():
    assert first(MENU + LIST).startswith("title")


def listing(title, count, words):
    return "<div>" + f"<p><b>{title}</b><i>{'word ' * words}</i></p>" * count + "</div>"


def test_a_pair_is_weak_evidence():
    pair, five = listing("pair", count=2, words=60), listing("five", count=5, words=16)
    assert first(pair + "<hr>" + five).startswith("five")
    assert first(pair + "<hr>" + listing("five", count=5, words=5)).startswith("pair")


def test_what_the_author_calls_an_aside_comes_later():
    aside, main = listing("aside", count=4, words=20), listing("main", count=4, words=20)
    assert first(f"{aside}<h1>Title</h1>{main}").startswith("aside")
    assert first(f"<aside>{aside}</aside><h1>Title</h1>{main}").startswith("main")


def test_scores_are_between_0_and_1_and_fall():
    scores = [table.score for table in unweave.records("examples/products.html", method="depta")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_lists_without_text_are_no_tables():
    page = "<p>x</p><ul>" + "<li><a><img></a></li>" * 4 + "</ul>"
    assert unweave.records(page) == []
    assert len(unweave.records(page.replace("<img>", "text"))) == 1


@pytest.mark.parametrize("method", ["mdr", "depta"])
def test_lists_of_pictures_come_after_lists_of_text(method):
    pictures = "<ul>" + "".join(f"<li><b><img src=/{n}.png></b></li>" for n in range(6)) + "</ul>"
    tables = unweave.records(pictures + LIST, method=method)
    assert [len(table) for table in tables] == [4, 6]
    assert [row[0] for row in tables[1].rows] == [f"/{n}.png" for n in range(6)]
    assert tables[0].score > tables[1].score > 0


@pytest.mark.parametrize("method", ["mdr", "depta"])
def test_lists_of_pictures_without_addresses_are_no_tables(method):
    assert unweave.records("<ul>" + "<li><b><img></b></li>" * 6 + "</ul>", method=method) == []


def test_the_same_page_always_gives_the_same_tables():
    once, again = (unweave.records("examples/news.html") for _ in range(2))
    assert [table.to_json() for table in once] == [table.to_json() for table in again]
