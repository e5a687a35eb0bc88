"""Pairwise alignment against all possible ones."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.fields.similarity import Similarity
from unweave.records.ctvs.pairs import align, worth
from unweave.records.ctvs.values import Place, Value


def values(*described):
    """Values from "path:text"."""
    return [Value(Place(ord(text[0]), "text", ""), text[2:], node) for node, text in enumerate(described)]


def aligned(one, other, similarity):
    places = [[value.place for value in record] for record in (one, other)]
    return align(*places, lambda position, match: worth(one[position], other[match], similarity))


def test_only_values_of_the_same_path_are_aligned():
    assert aligned(values("a:x", "b:x"), values("b:x", "a:x"), Similarity()) in ([(0, 1)], [(1, 0)])
    assert aligned(values("a:x"), values("b:x"), Similarity()) == []


def test_values_that_speak():
    """An optional field is missing: the path is the same, and only the types tell which."""
    assert aligned(values("a:Title one", "a:$5", "a:2016-01-01"), values("a:Other", "a:2017-02-02"), Similarity()) == [
        (0, 0),
        (2, 1),
    ]


def test_titles_that_share_no_word_are_still_aligned():
    assert aligned(values("a:Hamlet"), values("a:Macbeth"), Similarity()) == [(0, 0)]


def test_of_equal_alignments_the_first():
    assert aligned(values("a:x"), values("a:p", "a:q"), Similarity()) == [(0, 0)]


def test_an_empty_record():
    assert aligned([], values("a:x"), Similarity()) == []
    assert aligned(values("a:x"), [], Similarity()) == []


RECORDS = st.lists(
    st.builds(
        lambda path, text: f"{path}:{text}", st.sampled_from("ab"), st.sampled_from(["x", "x y", "z", "5", "1.5", "$3"])
    ),
    max_size=5,
).map(lambda described: values(*described))


def best_sum(one, other, similarity):
    """Every set of pairs that obeys the three constraints."""
    pairs = [(i, j) for i, a in enumerate(one) for j, b in enumerate(other) if a.place == b.place]
    return max(
        (sum(worth(one[i], other[j], similarity) for i, j in chosen), size)
        for size in range(min(len(one), len(other)) + 1)
        for chosen in combinations(pairs, size)
        if all(i < k and j < m for (i, j), (k, m) in pairwise(chosen))
    )


@given(RECORDS, RECORDS)
def test_no_alignment_is_better(one, other):
    similarity = Similarity()
    pairs = aligned(one, other, similarity)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    assert all(one[i].place == other[j].place for i, j in pairs)
    best, _ = best_sum(one, other, similarity)
    assert sum(worth(one[i], other[j], similarity) for i, j in pairs) == pytest.approx(best)
