"""Table 1 of the CTVS paper, and the laws of similarity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.lists.methods.ctvs.values import Similarity

GOBLET = "Harry Potter and the Goblet of Fire"
AZKABAN = "Harry Potter and the Prisoner of Azkaban"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("23", "876", 1),
        ("Jul 1, 2007", "2005.12.3, 1:30", 0.5),
        ("$32.5", "$18", 1),
        (GOBLET, AZKABAN, 0.714),
        (GOBLET, "876", 0),
    ],
)
def test_table_1(left, right, expected):
    assert Similarity()(left, right) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("5", "1.5", 0.5),  # an integer is a float
        ("May 5, 2012", "14:30", 0),  # date and time have a common parent, which is not enough
        ("$5", "5", 0),
        ("5 %", "1.5", 0),
        ("", "word", 0),
        ("a a b", "a", 2 / 5**0.5),  # counts of words, not sets
    ],
)
def test_the_formula_where_the_prose_says_otherwise(left, right, expected):
    assert Similarity()(left, right) == pytest.approx(expected)


TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["5", "1.5", "$3", "4 %", "2016-01-01", "3:20", "a b", "b c"]),
)


@given(TEXTS, TEXTS)
def test_similarity_is_symmetric_and_between_0_and_1(left, right):
    similarity = Similarity()
    assert similarity(left, right) == similarity(right, left) == Similarity()(right, left)
    assert 0 <= similarity(left, right) <= 1 + 1e-9
    assert similarity(left, left) == 1
