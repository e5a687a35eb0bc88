"""Text of pages: without stray punctuation, and harmless for a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.text_cleaning import normalize_label, strip_stray_punctuation


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (": (770) 730-9080", "(770) 730-9080"),
        ("4.0 of 5 (", "4.0 of 5"),
        (") and more", "and more"),
        ("(12 reviews", "12 reviews"),
        ("12 reviews)", "12 reviews"),
        ("| Oslo |", "Oslo"),
        ("– by Ada", "by Ada"),
        ("Oslo, ", "Oslo"),
        ("[ (a", "a"),
        # What belongs to the value stays.
        ("(212)", "(212)"),
        ("f(x)", "f(x)"),
        ("Well :)", "Well :)"),
        ("-5", "-5"),
        ("- 5", "- 5"),
        ("12,-", "12,-"),
        (".NET", ".NET"),
        ("/a/path", "/a/path"),
        ("Price:", "Price:"),
        ("…", "…"),
        ("|", "|"),
        ("", ""),
    ],
)
def test_punctuation_of_the_markup_around_a_value_is_no_part_of_it(text, value):
    assert strip_stray_punctuation(text) == value


@given(st.text(alphabet="()[]{}:;,|-– ab1", max_size=30))
def test_letters_and_digits_are_never_lost(text):
    stripped = strip_stray_punctuation(text)
    assert stripped in text
    assert [letter for letter in stripped if letter.isalnum()] == [
        letter for letter in text if letter.isalnum()
    ]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Authors:", "author"),
        ("Author(s)", "author"),
        (" ISBN ", "isbn"),
        ("!" * 1_000_000 + "a", "!" * 1_000_000 + "a"),  # in linear time
    ],
)
def test_labels_lose_their_sign_and_plural(text, label):
    assert normalize_label(text) == label
