"""Features and ranking: which list of a page comes first."""

from pathlib import Path

import pytest

import unweave
from tests.lists.helpers import NAMES
from unweave.lists.candidates import find_candidates
from unweave.lists.data_records import find_data_record_lists
from unweave.lists.default import rank_lists
from unweave.lists.features import QUICK_FEATURE_COUNT, Features
from unweave.lists.method import METHODS
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import MAX_COMPARED, measure_candidates
from unweave.lists.sections import ExtensionFeatures
from unweave.page.page import Page
from unweave.scoring.model import read_model_file


def get_first_texts(markup: str) -> list[str]:
    return list(unweave.records(markup)[0].texts)


PRODUCTS = "".join(
    f"<div class=product><a href=/p{k}>{name}</a><p>Made of solid wood by hand, number {k}.</p>"
    f"<b>{k * 17 + 9}.00</b></div>"
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
def test_the_main_list_of_a_page_comes_before_its_menu(markup):
    assert [text.split(" Made")[0] for text in get_first_texts(markup)] == NAMES


def test_text_between_the_elements_of_a_record_is_part_of_it():
    rows = "".join(
        f"<h3>{name}</h3> bare words {k} <p>made of wood</p>" for k, name in enumerate(NAMES)
    )
    assert get_first_texts(f"<div>{rows}</div>")[1] == "Birch table bare words 1 made of wood"


def test_records_that_are_split_over_two_rows_are_joined():
    table = unweave.records("examples/twocolumn.html")[0]
    assert len(table) == 12
    assert all(len(record) == 2 for record in table.records)


def test_lists_of_a_page_do_not_share_their_text():
    page = Page.load("examples/products.html")
    lists = rank_lists(page)
    assert len(lists) > 1
    index = PageIndex(page)
    taken: set[int] = set()
    for _, listing in lists:
        texts = index.collect_texts(listing)
        assert texts
        assert len(texts & taken) < 0.3 * len(texts)
        taken |= texts


def test_weights_are_those_of_features_and_features_are_computed():
    model = read_model_file("unweave.lists", "model.json")
    names = set(Features._fields)
    assert set(model["quick"]["weights"]) <= set(Features._fields[:QUICK_FEATURE_COUNT])
    for part in ("quick", "ranking", "confidence"):
        assert set(model[part]["weights"]) <= names
        assert len(model[part]["weights"]) > 15
    assert set(model["extension"]["weights"]) <= set(ExtensionFeatures._fields)
    computed: set[str] = set()
    for path in Path("examples").glob("*.html"):
        index = PageIndex(Page.load(path))
        measured = measure_candidates(
            index, find_candidates(index, find_data_record_lists(index.page))
        )
        assert 0 < len(measured) <= MAX_COMPARED
        for _, _, features in measured:
            computed |= {name for name, value in features._asdict().items() if value}
    assert names - computed <= {"is_outside_main"}


def test_a_page_without_repetition_has_no_list():
    assert unweave.records("<h1>Title</h1><p>One paragraph.</p>") == []


def test_a_page_with_thousands_of_classes_takes_bounded_time():
    rows = "".join(
        f"<p class='{' '.join(f'c{k % 7}x{j}' for j in range(12))}'>text number {k}</p>"
        for k in range(3_000)
    )
    assert unweave.records(f"<div>{rows}</div>", alternatives=True)


def test_lists_without_text_are_no_tables():
    page = "<p>x</p><ul>" + "<li><a><img></a></li>" * 4 + "</ul>"
    assert unweave.records(page) == []
    assert len(unweave.records(page.replace("<img>", "text"))) == 1


def test_the_same_page_always_gives_the_same_tables():
    once, again = (unweave.records("examples/news.html") for _ in range(2))
    assert [table.to_json() for table in once] == [table.to_json() for table in again]


def make_page_with_two_lists():
    reviews = "".join(
        f"<article><p>A long and thoughtful word on chair {k}, with praise and some blame.</p>"
        "</article>"
        for k in range(8)
    )
    offers = "".join(f"<li>Stool {k} <b>${k}.50</b></li>" for k in range(4))
    return f"<section>{reviews}</section><ul>{offers}</ul>"


def test_lists_with_the_required_types_come_first():
    assert "thoughtful" in unweave.records(make_page_with_two_lists())[0].texts[0]
    assert (
        unweave.records(make_page_with_two_lists(), want=["price"])[0].texts[1] == "Stool 1 $1.50"
    )
    assert (
        unweave.records(make_page_with_two_lists(), want="price,number")[0].texts[1]
        == "Stool 1 $1.50"
    )
    assert "thoughtful" in unweave.records(make_page_with_two_lists(), want=["text"])[0].texts[0]


def test_unknown_types_and_parameters_are_errors_that_name_the_known_ones():
    with pytest.raises(unweave.UsageError, match="cannot look for 'colour'; choose from price"):
        unweave.records(make_page_with_two_lists(), want=["colour"])
    with pytest.raises(
        unweave.UsageError, match="method auto has no option 'k'; its options are want"
    ):
        METHODS.make("auto", {"k": 3})
    with pytest.raises(
        unweave.UsageError, match="method ctvs has no option 'want'; its options are variant, "
    ):
        unweave.records(make_page_with_two_lists(), method="ctvs", want=["price"])
