"""Unique names."""

import pytest

from unweave.names import UniqueNames, append_underscores, make_unique


def test_a_taken_name_gets_the_lowest_free_number():
    assert make_unique("price", {"name"}) == "price"
    assert make_unique("price", {"price", "price_2", "price_4"}) == "price_3"


def test_a_taken_name_gets_underscores():
    assert append_underscores("body", {"title"}) == "body"
    assert append_underscores("body", {"body", "body_"}) == "body__"


@pytest.mark.parametrize(
    ("names", "unique"),
    [
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a_2", "a", "a", "a"], ["a_2", "a", "a_3", "a_4"]),
        (["a", "a", "a_2"], ["a", "a_2", "a_2_2"]),
        (["a", "A"], ["a", "A"]),
    ],
)
def test_equal_names_are_numbered_in_their_order(names, unique):
    given = UniqueNames()
    assert [given.add(name) for name in names] == unique


def test_names_can_be_numbered_from_one():
    given = UniqueNames()
    assert [given.add("text", always_number=True) for _ in range(2)] == ["text_1", "text_2"]
    assert given.add("text") == "text_3"


def test_case_reserved_names_length_and_separator():
    given = UniqueNames(["xmin"], ignore_case=True, max_bytes=7)
    assert [given.add(name) for name in ("XMIN", "ü" * 4, "ü" * 5)] == ["XMIN_2", "üüü", "üü_2"]
    sites = UniqueNames(separator="")
    assert [sites.add("shop"), sites.add("shop")] == ["shop", "shop2"]
