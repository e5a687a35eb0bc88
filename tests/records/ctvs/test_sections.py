"""Which list comes first, and what continues it."""

import pytest

from unweave import Page
from unweave.page.boxes import Box
from unweave.records import ctvs

WORDS = "a paragraph with a number of words in it"


def entries(*names):
    return "".join(f"<li><h3>{name}</h3><p>{WORDS}</p></li>" for name in names)


def ranked(page, **parameters):
    """The first letters of the records of each list, best first."""
    found = ctvs.ranked(page, **parameters)
    assert [score for score, _ in found] == sorted([score for score, _ in found], reverse=True)
    return ["".join(page.text(record[0])[:1] for record in listing.records) for _, listing in found]


def two_sections(first, second):
    """The first list has much above it and the second much below, so that the sections are not alike themselves."""
    much = "<table>" + "<tr><td>x</td></tr>" * 9 + "</table>"
    return Page.parse(
        f"<main><section>{much}{first}</section><section>{second}{'<form><input></form>' * 30}</section></main>"
    )


def test_similar_records_below_different_parents_are_one_list():
    page = two_sections(f"<ul>{entries('A', 'B', 'C')}</ul>", f"<ul>{entries('D', 'E')}</ul>")
    assert ranked(page)[0] == "ABCDE"


def test_a_list_at_another_place_is_another_list():
    page = two_sections(f"<ul>{entries('A', 'B', 'C')}</ul>", f"<nav><ul>{entries('D', 'E')}</ul></nav>")
    assert ranked(page, merge_same_place=True)[0] == "ABC"
    assert "DE" in ranked(page, merge_same_place=True)
    assert ranked(page)[0] == "ABCDE"


def test_records_that_are_not_alike_are_not_joined():
    page = two_sections(
        f"<ul>{entries('A', 'B', 'C')}</ul>", "<ul>" + "<li><img><b>D</b><i>i</i><u>u</u><s>s</s></li>" * 3 + "</ul>"
    )
    assert ranked(page)[0] == "ABC"


def test_the_menus_of_a_page_do_not_become_its_largest_list():
    menus = "".join(f"<div><ul>{'<li><a>link</a></li>' * 30}</ul>{'<hr>' * n * n}</div>" for n in range(1, 8))
    page = Page.parse(f"<body><header>{menus}</header><main><ul>{entries(*'ABCDEF')}</ul></main></body>")
    assert ranked(page)[0] == "ABCDEF"


@pytest.fixture
def drawn():
    """Two lists of equal text, of which the second is drawn larger and in the middle."""
    page = Page.parse(f"<main><ul>{entries('A', 'B')}</ul><ol>{entries('C', 'D')}{'<s></s>' * 40}</ol></main>")
    places = {"ul": Box(0, 0, 100, 40), "ol": Box(0, 400, 1000, 800)}
    page.boxes = [Box(0, 0, 1000, 1200)] * len(page.tree)
    for node, label in enumerate(page.tree.labels):
        if label == "li":
            page.boxes[node] = places[page.tree.labels[page.tree.parents[node]]]
    return page


def test_with_layout_area_and_centre_decide(drawn):
    assert ranked(drawn, merge_same_place=True) == ["CD", "AB"]


def test_with_layout_a_list_in_the_very_centre_is_no_division_by_zero(drawn):
    drawn.boxes = [Box(0, 0, 1000, 1200)] * len(drawn.tree)
    assert len(ranked(drawn, merge_same_place=True)) == 2
