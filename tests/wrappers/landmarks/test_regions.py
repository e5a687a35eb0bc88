"""Candidate landmarks and splits of region sets."""

from functools import cache

import unweave
from tests.wrappers.landmarks.tables import (
    EVERYTHING,
    STAR_WARS,
    build_table,
    find_split,
    list_landmarks,
)
from unweave.wrappers.landmarks.costs import IncompressibleCost
from unweave.wrappers.landmarks.exact import search_exact
from unweave.wrappers.landmarks.regions import build_token_table
from unweave.wrappers.landmarks.tokens import TokenUnit, tokenize


def test_the_running_example_has_the_candidates_of_the_paper():
    table = build_table(EVERYTHING, STAR_WARS)
    assert [stop for _, _, stop in table.whole_pages] == [20, 23]
    assert list_landmarks(table, table.whole_pages) == {
        "<br>",
        "<span>",
        '"Descr."',
        '"The"',
        '"Title"',
    }
    left, _, _ = table.split_regions(
        table.whole_pages, find_split(table, table.whole_pages, "<br>")
    )
    assert "<b>" in list_landmarks(table, left)
    assert IncompressibleCost(table, table.whole_pages).cost == 14


def test_a_tag_without_its_partner_is_no_candidate_and_counts_as_an_occurrence():
    table = build_table("<p> a", "<p> a", "<p> </p> b", "<p> </p> b")
    assert "<p>" not in list_landmarks(table, table.whole_pages)
    assert "<p>" in list_landmarks(table, table.whole_pages[2:])


def test_ties_go_to_texts_then_to_longer_texts_then_to_lower_depth():
    table = build_table("<x> aa </x> bbb <br/>", "<x> aa </x> bbb <br/>")
    ordered = sorted(table.find_splits(table.whole_pages), key=lambda split: split.rank)
    assert [str(table.landmarks[split.landmark]) for split in ordered] == [
        '"bbb"',
        '"aa"',
        "<x>",
        "<br>",
    ]


@cache
def shop(number: int) -> str:
    return (
        f"<body><div class=name>Kettle {number}</div><div class=price>{number} euro</div>"
        f"<div>odd {number * 7}</div>"
    )


def test_conditions_on_attributes_give_more_landmarks():
    pages = [unweave.load_page(shop(number)) for number in (3, 5)]
    plain, dynamic = (
        build_token_table(
            [tokenize(page, TokenUnit.WORDS, attributes=attributes) for page in pages], 2
        )
        for attributes in (False, True)
    )
    assert '<div class="price">' in list_landmarks(dynamic, dynamic.whole_pages)
    assert not any(name.startswith("<div") for name in list_landmarks(plain, plain.whole_pages))
    assert search_exact(dynamic).cost < search_exact(plain).cost


def test_of_landmarks_at_the_same_positions_the_most_general_is_taken():
    pages = [unweave.load_page(f"<body><p class=x id=y>{number}</p>") for number in (3, 5)]
    table = build_token_table(
        [tokenize(page, TokenUnit.WORDS, attributes=True) for page in pages], 2
    )
    assert {str(name) for name in table.landmarks} >= {"<p>"}
    assert list_landmarks(table, table.whole_pages) == {"<html>", "<head>", "<body>", "<p>"}
