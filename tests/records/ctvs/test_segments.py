"""Segmentation: the examples of the specification as letters, x for auxiliary nodes."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unweave.records.ctvs.segments import segment


def letters(word):
    return [None if letter == "x" else ord(letter) for letter in word]


def segmented(word, sizes=None, **rules):
    return [word[span.start : span.stop] for span in spans(word, sizes, **rules)]


def spans(word, sizes=None, **rules):
    return segment(letters(word), sizes or [1] * len(word), **rules)


@pytest.mark.parametrize(
    ("word", "records"),
    [
        ("AAAA", ["A"] * 4),
        ("ABAB", ["AB"] * 2),
        ("ABABxAB", ["AB"] * 3),  # not contiguous
        ("BABABx", ["AB"] * 2),  # what stops before auxiliary nodes, not BA
        ("AABAAB", ["AAB"] * 2),
        ("ABCABCABCx", ["ABC"] * 3),
        ("AAxAAxA", ["A"] * 5),
        ("AxAxA", ["A"] * 3),  # something stands between all of them
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
def test_what_stops_before_auxiliary_nodes_wins_over_a_larger_rotation(prefer_coverage):
    word, sizes = "BABABx", [50, 1, 1, 1, 1, 1]
    assert segmented(word, sizes, prefer_coverage=prefer_coverage) == ["AB"] * 2
    assert segmented(word, sizes, prefer_coverage=prefer_coverage, is_record=lambda rest, last: True) == ["AB"] * 2


@pytest.mark.parametrize("prefer_coverage", [False, True])
def test_an_auxiliary_node_after_the_last_letter_counts_and_is_no_part_of_the_records(prefer_coverage):
    word, sizes = "BABAB", [50, 1, 1, 1, 1]
    assert segmented(word, sizes, prefer_coverage=prefer_coverage) == ["BA"] * 2
    assert segmented(word, sizes, prefer_coverage=prefer_coverage, auxiliary_follows=True) == ["AB"] * 2


def test_a_first_record_that_lacks_its_start_is_kept_as_a_last_one_that_lacks_its_end():
    assert segmented("BABAB", auxiliary_follows=True, is_record=lambda rest, last: True) == ["B", "AB", "AB"]


def test_an_auxiliary_node_after_the_last_letter_decides_between_rotations_only():
    """The rule above a footer stands twice, and is not the record for that. With gaps, these decide."""
    assert segmented("DADADAA", auxiliary_follows=True) == ["DA"] * 3
    starts_with_b = segmented("BABAB", auxiliary_follows=True, has_gaps=lambda spans: spans[0].start == 0)
    assert starts_with_b == ["BA"] * 2


def test_where_the_records_stand():
    assert [span.start for span in spans("ABABxAB")] == [0, 2, 5]


def test_most_of_the_tree_is_covered_not_most_siblings():
    word = "ABBAAAAA"  # two large entries between links of a pager
    sizes = [1, 20, 20, 1, 1, 1, 1, 1]
    assert segmented(word, prefer_coverage=True) == ["A"] * 6
    assert segmented(word, sizes, prefer_coverage=True) == ["B"] * 2
    assert segmented(word, sizes) == ["A"] * 6  # the paper takes the one that starts the region


@pytest.mark.parametrize("prefer_coverage", [False, True])
def test_gaps_decide_before_what_starts_the_region(prefer_coverage):
    def found(word):
        return spans(word, has_gaps=lambda found: found[0].start == 1, prefer_coverage=prefer_coverage)

    assert [span.start for span in found("ABABABA")] == [1, 3, 5]
    assert [span.start for span in found("ABABAB")] == [1, 3]
    assert [span.start for span in found("ABABxAB")] == [0, 2, 5]  # auxiliary nodes come before gaps


def test_the_last_record_may_lack_the_rule_below_it():
    assert segmented("ABABA") == ["AB", "AB"]
    assert segmented("ABABA", is_record=lambda rest, last: True) == ["AB", "AB", "A"]
    assert segmented("ABABxABABA", is_record=lambda rest, last: True) == ["AB"] * 4 + ["A"]
    assert segmented("ABCABCB", is_record=lambda rest, last: True) == ["ABC", "ABC"]


@given(st.text(alphabet="ABCx", max_size=30), st.data())
def test_records_are_equal_words_that_do_not_overlap(word, data):
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=len(word), max_size=len(word)))
    found = spans(word, sizes)
    assume(found)
    assert len({word[span.start : span.stop] for span in found}) == 1
    assert all(one.stop <= other.start for one, other in pairwise(found))
    assert "x" not in "".join(word[span.start : span.stop] for span in found)
    assert len(found) != 1


@given(st.text(alphabet="ABC", min_size=1, max_size=4), st.integers(2, 5))
def test_a_word_that_repeats_is_found_whole(word, times):
    found = segmented(word * times)
    assert "".join(found) == word * times


def test_many_siblings_take_no_long_time():
    found = segment([number % 97 for number in range(20_000)], [1] * 20_000)
    assert {len(span) for span in found} == {1}  # no record is 97 siblings wide
