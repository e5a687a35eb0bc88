import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import edit_distance
from unweave.trees.edit_distance import (
    are_similar,
    compute_distance,
    compute_normalized_distance,
    count_allowed_edits,
)

words = st.text("abc", max_size=12)


@given(words, words)
def test_distance_is_the_textbook_distance(a, b):
    assert compute_distance(a, b) == edit_distance(a, b)


@given(words, words, words)
def test_the_laws_of_a_distance(a, b, c):
    assert compute_distance(a, b) == compute_distance(b, a)
    assert (compute_distance(a, b) == 0) == (a == b)
    assert compute_distance(a, c) <= compute_distance(a, b) + compute_distance(b, c)
    assert 0 <= compute_normalized_distance(a, b) <= 2


@given(words, words, st.integers(0, 12))
def test_a_cut_off_changes_nothing_below_it(a, b, cutoff):
    exact = edit_distance(a, b)
    assert compute_distance(a, b, cutoff=cutoff) == min(exact, cutoff + 1)


@given(st.text("ab", max_size=900), st.text("ab", max_size=900), st.integers(0, 600))
def test_counting_symbols_first_changes_nothing(a, b, cutoff):
    assert compute_distance(a, b, cutoff=cutoff) == min(compute_distance(a, b), cutoff + 1)


@given(words, words, st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]))
def test_similar_means_a_normalized_distance_up_to_the_threshold(a, b, threshold):
    mean = (len(a) + len(b)) / 2
    expected = edit_distance(a, b) <= threshold * mean + 1e-9
    assert are_similar(a, b, threshold) is expected
    assert math.isfinite(compute_normalized_distance(a, b, cutoff=threshold)) is expected


@pytest.mark.parametrize("total", range(2, 4000, 7))
def test_the_threshold_of_the_paper_is_a_decimal(total):
    """ND <= 0.3 is 20 d <= 3 (|a| + |b|), whatever the float 0.3 is."""
    assert count_allowed_edits(total, 0.3) == 3 * total // 20


def test_two_empty_strings_are_equal():
    assert compute_normalized_distance("", "") == 0
    assert are_similar("", "", 0.0)
