"""Ranking for the methods of papers."""

import pytest

import unweave

ITEM = "<li><a href=x>{0}</a></li>"
MENU = "<ul>" + "".join(ITEM.format(f"menu entry number {k}") for k in range(10)) + "</ul>"
LIST = (
    "<div>" + "<p><b>title</b> <i>some text, a little longer than a menu has</i></p>" * 4 + "</div>"
)


def get_first_text(markup):
    return unweave.records(markup, method="depta")[0].texts[0]


def test_text_counts_more_than_links():
    assert get_first_text(MENU + LIST).startswith("title")


def make_list(title, count, words):
    return "<div>" + f"<p><b>{title}</b><i>{'word ' * words}</i></p>" * count + "</div>"


def test_a_pair_is_weak_evidence():
    pair, five = make_list("pair", count=2, words=60), make_list("five", count=5, words=16)
    assert get_first_text(pair + "<hr>" + five).startswith("five")
    assert get_first_text(pair + "<hr>" + make_list("five", count=5, words=5)).startswith("pair")


def test_lists_in_an_aside_come_later():
    aside, main = make_list("aside", count=4, words=20), make_list("main", count=4, words=20)
    assert get_first_text(f"{aside}<h1>Title</h1>{main}").startswith("aside")
    assert get_first_text(f"<aside>{aside}</aside><h1>Title</h1>{main}").startswith("main")


def test_scores_are_between_0_and_1_and_decrease():
    scores = [table.score for table in unweave.records("examples/products.html", method="depta")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.parametrize("method", ["mdr", "depta"])
def test_lists_of_images_come_after_lists_of_text(method):
    pictures = "<ul>" + "".join(f"<li><b><img src=/{n}.png></b></li>" for n in range(6)) + "</ul>"
    tables = unweave.records(pictures + LIST, method=method)
    assert [len(table) for table in tables] == [4, 6]
    assert [row[0] for row in tables[1].rows] == [f"/{n}.png" for n in range(6)]
    assert tables[0].score > tables[1].score > 0


@pytest.mark.parametrize("method", ["mdr", "depta"])
def test_lists_of_images_without_urls_are_no_tables(method):
    assert unweave.records("<ul>" + "<li><b><img></b></li>" * 6 + "</ul>", method=method) == []
