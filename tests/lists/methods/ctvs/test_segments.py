"""Segmentation: the examples of the specification as letters, x for auxiliary nodes."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unweave.lists.methods.ctvs.segments import segment_letters


def letters(word):
    return [None if letter == "x" else ord(letter) for letter in word]


def segmented(word, sizes=None, **rules):
    return [word[span.start : span.stop] for span in spans(word, sizes, **rules)]


def spans(word, sizes=None, **rules):
    return segment_letters(letters(word), sizes or [1] * len(word), **rules)


@pytest.mark.parametrize(
    ("word", "records"),
    [
        ("AAAA", ["A"] * 4),
        ("ABAB", ["AB"] * 2),
        ("ABABxAB", ["AB"] * 3),  # not contiguous
        ("BABABx", ["AB"] * 2),  # stops before auxiliary nodes, unlike BA
        ("AABAAB", ["AAB"] * 2),
        ("ABCABCABCx", ["ABC"] * 3),
        ("AAxAAxA", ["A"] * 5),
        ("AxAxA", ["A"] * 3),  # something is between all of them
        ("ABxABxAB", ["AB"] * 3),
        ("ABxAxAB", ["AB"] * 2),
        ("A", []),
        ("x", []),
        ("", []),
    ],
)
@pytest.mark.parametrize("prefer_coverage", [False, True])
def test_tandem_repeats(word, records, prefer_coverage):
    assert segmented(word, prefer_coverage=prefer_coverage) == records


@pytest.mark.parametrize("prefer_coverage", [False, True])
def test_a_repeat_that_stops_before_auxiliary_nodes_wins_over_a_larger_rotation(prefer_coverage):
    word, sizes = "BABABx", [50, 1, 1, 1, 1, 1]
    assert segmented(word, sizes, prefer_coverage=prefer_coverage) == ["AB"] * 2
    assert (
        segmented(word, sizes, prefer_coverage=prefer_coverage, is_record=lambda rest, last: True)
        == ["AB"] * 2
    )


@pytest.mark.parametrize("prefer_coverage", [False, True])
def test_an_auxiliary_node_after_the_last_letter_counts_and_is_no_part_of_the_records(
    prefer_coverage,
):
    word, sizes = "BABAB", [50, 1, 1, 1, 1]
    assert segmented(word, sizes, prefer_coverage=prefer_coverage) == ["BA"] * 2
    assert (
        segmented(word, sizes, prefer_coverage=prefer_coverage, auxiliary_follows=True)
        == ["AB"] * 2
    )


def test_a_first_record_that_lacks_its_start_is_kept_as_a_last_one_that_lacks_its_end():
    assert segmented("BABAB", auxiliary_follows=True, is_record=lambda rest, last: True) == [
        "B",
        "AB",
        "AB",
    ]


def test_an_auxiliary_node_after_the_last_letter_decides_between_rotations_only():
    """The rule above a footer occurs twice, which makes it no record. With gaps, these decide."""
    assert segmented("DADADAA", auxiliary_follows=True) == ["DA"] * 3
    starts_with_b = segmented(
        "BABAB", auxiliary_follows=True, has_gaps=lambda spans: spans[0].start == 0
    )
    assert starts_with_b == ["BA"] * 2


def test_the_spans_of_the_records():
    assert [span.start for span in spans("ABABxAB")] == [0, 2, 5]


def test_most_of_the_tree_is_covered_not_most_siblings():
    word = "ABBAAAAA"  # two large entries between links of a pager
    sizes = [1, 20, 20, 1, 1, 1, 1, 1]
    assert segmented(word, prefer_coverage=True) == ["A"] * 6
    assert segmented(word, sizes, prefer_coverage=True) == ["B"] * 2
    assert segmented(word, sizes) == ["A"] * 6  # the paper takes the one that starts the region


@pytest.mark.parametrize("prefer_coverage", [False, True])
def test_gaps_decide_before_the_start_of_the_repeat(prefer_coverage):
    def records(word):
        return spans(
            word, has_gaps=lambda spans: spans[0].start == 1, prefer_coverage=prefer_coverage
        )

    assert [span.start for span in records("ABABABA")] == [1, 3, 5]
    assert [span.start for span in records("ABABAB")] == [1, 3]
    assert [span.start for span in records("ABABxAB")] == [
        0,
        2,
        5,
    ]  # auxiliary nodes come before gaps


def test_the_last_record_may_lack_the_rule_below_it():
    assert segmented("ABABA") == ["AB", "AB"]
    assert segmented("ABABA", is_record=lambda rest, last: True) == ["AB", "AB", "A"]
    assert segmented("ABABxABABA", is_record=lambda rest, last: True) == ["AB"] * 4 + ["A"]
    assert segmented("ABCABCB", is_record=lambda rest, last: True) == ["ABC", "ABC"]


@given(st.text(alphabet="ABCx", max_size=30), st.data())
def test_records_are_equal_words_that_do_not_overlap(word, data):
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=len(word), max_size=len(word)))
    records = spans(word, sizes)
    assume(records)
    assert len({word[span.start : span.stop] for span in records}) == 1
    assert all(left.stop <= right.start for left, right in pairwise(records))
    assert "x" not in "".join(word[span.start : span.stop] for span in records)
    assert len(records) != 1


@given(st.text(alphabet="ABC", min_size=1, max_size=4), st.integers(2, 5))
def test_a_word_that_repeats_is_found_whole(word, times):
    records = segmented(word * times)
    assert "".join(records) == word * times


def test_many_siblings_are_segmented_fast():
    records = segment_letters([number % 97 for number in range(20_000)], [1] * 20_000)
    assert {len(span) for span in records} == {1}  # no record is 97 siblings wide
