"""Candidates: everything on a page that repeats."""

from tests.lists.helpers import NAMES
from unweave.lists.candidates import find_candidates
from unweave.lists.page_index import PageIndex
from unweave.page.page import Page


def find_candidate_texts(page: Page) -> list[list[str]]:
    """Return the texts of the records of each candidate."""
    candidates = find_candidates(PageIndex(page)).values()
    return [[page.join_siblings(record) for record in listing.records] for listing in candidates]


def test_siblings_with_the_same_start_are_a_candidate_alone_and_with_what_follows():
    page = Page.parse(
        "<dl>"
        + "".join(f"<dt>{name}</dt><dd>made of wood {k}</dd>" for k, name in enumerate(NAMES))
        + "</dl>"
    )
    texts = find_candidate_texts(page)
    assert NAMES in texts
    assert [f"{name} made of wood {k}" for k, name in enumerate(NAMES)] in texts


def test_elements_of_one_class_are_a_candidate_among_siblings_and_anywhere():
    rows = "".join(
        f"<div class='row {'odd' * (k % 2)}'><b>{name}</b></div><div>advert</div>"
        for k, name in enumerate(NAMES[:4])
    )
    page = Page.parse(
        f"<section>{rows}</section>"
        f"<article><p><span></span><div class=row><b>{NAMES[4]}</b></div></p></article>"
    )
    texts = find_candidate_texts(page)
    assert NAMES[:4] in texts
    assert NAMES[:5] in texts


def test_records_of_several_parents_are_one_candidate():
    cells = [f"<td><b>{name}</b><i>{k} euro</i></td>" for k, name in enumerate(NAMES)]
    page = Page.parse(f"<table><tr>{''.join(cells[:3])}</tr><tr>{''.join(cells[3:])}</tr></table>")
    assert [f"{name} {k} euro" for k, name in enumerate(NAMES)] in find_candidate_texts(page)


def test_the_last_record_ends_where_the_others_end():
    rows = "".join(f"<h3>{name}</h3><p>made of wood {k}</p>" for k, name in enumerate(NAMES))
    page = Page.parse(f"<div>{rows}<footer>All rights reserved</footer><p>Contact</p></div>")
    assert [f"{name} made of wood {k}" for k, name in enumerate(NAMES)] in find_candidate_texts(
        page
    )


def test_choices_of_a_form_are_no_candidate():
    options = "".join(f"<option>Category number {k}</option>" for k in range(40))
    entries = options.replace("option>", "li>")
    assert find_candidate_texts(Page.parse(f"<select>{options}</select>")) == []
    assert [
        len(records) for records in find_candidate_texts(Page.parse(f"<ul>{entries}</ul>"))
    ] == [40]


def test_the_search_among_children_of_many_classes_has_a_budget():
    items = "".join(f"<li class=c{k // 2}>text number {k}</li>" for k in range(8000))
    index = PageIndex(Page.parse(f"<ul>{items}</ul>"))
    assert index.spend_steps(0)
    find_candidates(index)
    assert not index.spend_steps(0)
