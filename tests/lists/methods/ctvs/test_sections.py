"""The query result section, and the regions that are merged with it."""

import pytest

from unweave import Page
from unweave.lists.methods import ctvs
from unweave.lists.methods.ctvs import CtvsOptions
from unweave.page.layout import Box

WORDS = "a paragraph with a number of words in it"


def entries(*names):
    return "".join(f"<li><h3>{name}</h3><p>{WORDS}</p></li>" for name in names)


def rank(page, **parameters):
    """The first letters of the records of each list, best first."""
    lists = ctvs.find_ranked_lists(page, CtvsOptions(**parameters))
    assert [score for score, _ in lists] == sorted([score for score, _ in lists], reverse=True)
    return ["".join(page.text(record[0])[:1] for record in listing.records) for _, listing in lists]


def two_sections(first, second):
    """The first list has much above it and the second much below, so that the sections themselves are not similar."""
    much = "<table>" + "<tr><td>x</td></tr>" * 9 + "</table>"
    return Page.parse(
        f"<main><section>{much}{first}</section><section>{second}{'<form><input></form>' * 30}</section></main>"
    )


def test_similar_records_below_different_parents_are_one_list():
    page = two_sections(f"<ul>{entries('A', 'B', 'C')}</ul>", f"<ul>{entries('D', 'E')}</ul>")
    assert rank(page)[0] == "ABCDE"


def test_a_list_with_other_tags_around_it_is_another_list():
    page = two_sections(
        f"<ul>{entries('A', 'B', 'C')}</ul>", f"<nav><ul>{entries('D', 'E')}</ul></nav>"
    )
    assert rank(page, merge_same_place=True)[0] == "ABC"
    assert "DE" in rank(page, merge_same_place=True)
    assert rank(page)[0] == "ABCDE"


def test_lists_of_different_records_are_not_merged():
    page = two_sections(
        f"<ul>{entries('A', 'B', 'C')}</ul>",
        "<ul>" + "<li><img><b>D</b><i>i</i><u>u</u><s>s</s></li>" * 3 + "</ul>",
    )
    assert rank(page)[0] == "ABC"


def test_the_menus_of_a_page_do_not_become_its_largest_list():
    menus = "".join(
        f"<div><ul>{'<li><a>link</a></li>' * 30}</ul>{'<hr>' * n * n}</div>" for n in range(1, 8)
    )
    page = Page.parse(
        f"<body><header>{menus}</header><main><ul>{entries(*'ABCDEF')}</ul></main></body>"
    )
    assert rank(page)[0] == "ABCDEF"


@pytest.fixture
def drawn():
    """Two lists of equal text, of which the second is drawn larger and in the middle."""
    page = Page.parse(
        f"<main><ul>{entries('A', 'B')}</ul><ol>{entries('C', 'D')}{'<s></s>' * 40}</ol></main>"
    )
    places = {"ul": Box(0, 0, 100, 40), "ol": Box(0, 400, 1000, 800)}
    page.boxes = [Box(0, 0, 1000, 1200)] * len(page.tree)
    for node, label in enumerate(page.tree.labels):
        if label == "li":
            page.boxes[node] = places[page.tree.labels[page.tree.parents[node]]]
    return page


def test_with_layout_area_and_centre_decide(drawn):
    assert rank(drawn, merge_same_place=True) == ["CD", "AB"]


def test_with_layout_a_list_in_the_very_centre_is_no_division_by_zero(drawn):
    drawn.boxes = [Box(0, 0, 1000, 1200)] * len(drawn.tree)
    assert len(rank(drawn, merge_same_place=True)) == 2
