"""The default: candidates of every kind, one score, and the list that a person would choose."""

import pytest

import unweave
from unweave.lists import default as auto
from unweave.lists.candidates import find_candidates
from unweave.lists.data_records import find_listings
from unweave.lists.features import Features
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import MAX_COMPARED, MODEL, measure_candidates
from unweave.page.page import Page

NAMES = ["Ash chair", "Birch table", "Cedar chest", "Elm bench", "Fir shelf", "Oak bed"]


def texts(page: Page) -> list[list[str]]:
    """What the records of each candidate say."""
    return [
        [page.join_siblings(record) for record in listing.records]
        for listing in find_candidates(PageIndex(page)).values()
    ]


def first(markup: str) -> list[str]:
    return list(unweave.records(markup)[0].texts)


def test_siblings_that_begin_alike_are_a_candidate_and_so_are_they_with_what_follows_them():
    page = Page.parse(
        "<dl>"
        + "".join(f"<dt>{name}</dt><dd>made of wood {k}</dd>" for k, name in enumerate(NAMES))
        + "</dl>"
    )
    found = texts(page)
    assert NAMES in found
    assert [f"{name} made of wood {k}" for k, name in enumerate(NAMES)] in found


def test_a_class_tells_records_from_their_siblings_and_wherever_they_stand():
    rows = "".join(
        f"<div class='row {'odd' * (k % 2)}'><b>{name}</b></div><div>advert</div>"
        for k, name in enumerate(NAMES[:4])
    )
    page = Page.parse(
        f"<section>{rows}</section><article><p><span></span><div class=row><b>{NAMES[4]}</b></div></p></article>"
    )
    found = texts(page)
    assert NAMES[:4] in found
    assert NAMES[:5] in found


def test_records_of_several_parents_are_one_candidate():
    cells = [f"<td><b>{name}</b><i>{k} euro</i></td>" for k, name in enumerate(NAMES)]
    page = Page.parse(f"<table><tr>{''.join(cells[:3])}</tr><tr>{''.join(cells[3:])}</tr></table>")
    assert [f"{name} {k} euro" for k, name in enumerate(NAMES)] in texts(page)


def test_the_last_record_ends_where_the_others_end():
    rows = "".join(f"<h3>{name}</h3><p>made of wood {k}</p>" for k, name in enumerate(NAMES))
    page = Page.parse(f"<div>{rows}<footer>All rights reserved</footer><p>Contact</p></div>")
    assert [f"{name} made of wood {k}" for k, name in enumerate(NAMES)] in texts(page)


def test_choices_of_a_form_are_no_list():
    options = "".join(f"<option>Category number {k}</option>" for k in range(40))
    entries = options.replace("option>", "li>")
    assert texts(Page.parse(f"<select>{options}</select>")) == []
    assert [len(records) for records in texts(Page.parse(f"<ul>{entries}</ul>"))] == [40]


PRODUCTS = "".join(
    f"<div class=product><a href=/p{k}>{name}</a><p>Made of solid wood by hand, number {k}.</p><b>{k * 17 + 9}.00</b></div>"
    for k, name in enumerate(NAMES)
)
MENU = (
    "<ul class=menu>"
    + "".join(f"<li><a href=/m{k}>Department {k}</a></li>" for k in range(30))
    + "</ul>"
)


@pytest.mark.parametrize(
    "markup", [MENU + PRODUCTS, PRODUCTS + MENU, f"<nav>{MENU}</nav><main>{PRODUCTS}</main>"]
)
def test_the_list_that_the_page_is_made_for_comes_before_its_menu(markup):
    assert [text.split(" Made")[0] for text in first(markup)] == NAMES


def test_what_stands_between_the_parts_of_a_record_is_part_of_it():
    rows = "".join(
        f"<h3>{name}</h3> bare words {k} <p>made of wood</p>" for k, name in enumerate(NAMES)
    )
    assert first(f"<div>{rows}</div>")[1] == "Birch table bare words 1 made of wood"


def test_records_torn_over_two_rows_are_put_together():
    table = unweave.records("examples/twocolumn.html")[0]
    assert len(table) == 12
    assert all(len(record) == 2 for record in table.records)


def test_lists_of_a_page_do_not_share_their_text():
    page = Page.load("examples/products.html")
    found = auto.rank_lists(page)
    assert len(found) > 1
    index = PageIndex(page)
    taken: set[int] = set()
    for _, listing in found:
        texts = index.collect_texts(listing)
        assert texts
        assert len(texts & taken) < 0.3 * len(texts)
        taken |= texts


def test_every_feature_has_a_weight_and_is_computed():
    assert all(MODEL.weights)
    index = PageIndex(Page.load("examples/products.html"))
    measured = measure_candidates(index, find_candidates(index, find_listings(index.page)))
    assert 0 < len(measured) <= MAX_COMPARED
    for position, name in enumerate(Features._fields):
        assert any(features[position] for _, _, features in measured), name


def test_a_page_without_anything_that_repeats_has_no_list():
    assert unweave.records("<h1>Title</h1><p>One paragraph.</p>") == []


def test_a_page_of_thousands_of_classes_ends():
    rows = "".join(
        f"<p class='{' '.join(f'c{k % 7}x{j}' for j in range(12))}'>text number {k}</p>"
        for k in range(3_000)
    )
    assert unweave.records(f"<div>{rows}</div>")
