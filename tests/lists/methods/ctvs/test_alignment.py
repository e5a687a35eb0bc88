"""Alignment in pairs, against all possible alignments, and over all records: no column has two values of a record."""

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unweave.lists.methods.ctvs.alignment import (
    AlignmentGraph,
    align_pair,
    align_records,
    score_pair,
)
from unweave.lists.methods.ctvs.column_order import Vertex
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.values import RecordPath, Similarity, Value


def values(*described):
    """Values from "path:text"."""
    return [
        Value(RecordPath(ord(text[0]), "text", ""), text[2:], node)
        for node, text in enumerate(described)
    ]


def align(left, right, similarity):
    paths = [[value.path for value in record] for record in (left, right)]
    return align_pair(
        *paths, lambda position, match: score_pair(left[position], right[match], similarity)
    )


def test_only_values_of_the_same_path_are_align():
    assert align(values("a:x", "b:x"), values("b:x", "a:x"), Similarity()) in ([(0, 1)], [(1, 0)])
    assert align(values("a:x"), values("b:x"), Similarity()) == []


def test_the_types_of_values_tell_which_field_is_missing():
    """The path of all fields is the same."""
    assert align(
        values("a:Title one", "a:$5", "a:2016-01-01"),
        values("a:Other", "a:2017-02-02"),
        Similarity(),
    ) == [
        (0, 0),
        (2, 1),
    ]


def test_titles_that_share_no_word_are_still_align():
    assert align(values("a:Hamlet"), values("a:Macbeth"), Similarity()) == [(0, 0)]


def test_of_equal_alignments_the_first_is_taken():
    assert align(values("a:x"), values("a:p", "a:q"), Similarity()) == [(0, 0)]


def test_an_empty_record_has_no_pairs():
    assert align([], values("a:x"), Similarity()) == []
    assert align(values("a:x"), [], Similarity()) == []


RECORDS = st.lists(
    st.builds(
        lambda path, text: f"{path}:{text}",
        st.sampled_from("ab"),
        st.sampled_from(["x", "x y", "z", "5", "1.5", "$3"]),
    ),
    max_size=5,
).map(lambda described: values(*described))


def find_best_sum(left, right, similarity):
    """The best of all sets of pairs that obey the three constraints."""
    pairs = [(i, j) for i, a in enumerate(left) for j, b in enumerate(right) if a.path == b.path]
    return max(
        (sum(score_pair(left[i], right[j], similarity) for i, j in chosen), size)
        for size in range(min(len(left), len(right)) + 1)
        for chosen in combinations(pairs, size)
        if all(i < k and j < m for (i, j), (k, m) in pairwise(chosen))
    )


@given(RECORDS, RECORDS)
def test_no_alignment_of_a_pair_is_better(left, right):
    similarity = Similarity()
    pairs = align(left, right, similarity)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    assert all(left[i].path == right[j].path for i, j in pairs)
    best, _ = find_best_sum(left, right, similarity)
    assert sum(score_pair(left[i], right[j], similarity) for i, j in pairs) == pytest.approx(best)


def spend_freely(work):
    return True


IMPROVED = CtvsOptions(variant="improved")
CORRECTED = CtvsOptions(variant="corrected")


def table(*records, spend=spend_freely, options=IMPROVED):
    """Return the columns of records given as "path:text path:text", as lists of texts."""
    rows = [values(*record.split()) for record in records]
    return [
        [rows[r][p].text for r, p in column]
        for column in align_records(rows, Similarity(), spend, options)
    ]


def test_every_path_has_a_column():
    assert table("a:x b:y", "a:p c:q", "b:r") == [["x", "p"], ["y", "r"], ["q"]]


def test_a_missing_field_between_others_of_its_path():
    assert table("a:one a:$5 a:2016-01-01", "a:two a:2016-02-02", "a:three a:$7 a:2016-03-03") == [
        ["one", "two", "three"],
        ["$5", "$7"],
        ["2016-01-01", "2016-02-02", "2016-03-03"],
    ]


def test_a_breach_is_cut_where_it_is_weakest():
    """The price of the second record is similar to the number only; types hold the columns together."""
    columns = table("a:5 a:6", "a:7", "a:8 a:9")
    assert sorted(map(sorted, columns)) == [["5", "7", "8"], ["6", "9"]]


@pytest.mark.parametrize("options", [CORRECTED, IMPROVED], ids=["divide and conquer", "cycles"])
def test_columns_that_intersect_are_cut(options):
    columns = table("a:one b:two", "b:three a:four", "a:five b:six", options=options)
    assert sorted(map(len, columns)) in ([1, 2, 3], [1, 1, 2, 2])
    assert sum(map(len, columns)) == 6


def test_the_pivot_is_not_cut():
    """Of intersecting components the one with most values is kept, and the other is cut at it."""
    assert table("a:1 b:2", "b:3 a:4", "a:5 b:6", "a:7", options=CORRECTED) == [
        ["3"],
        ["1", "4", "5", "7"],
        ["2", "6"],
    ]


def test_packing_joins_columns_of_one_path_that_no_record_has_both_of():
    records = ("a:y a:y", "a:x", "a:y a:x")
    assert table(*records, options=CORRECTED) == [["y", "y"], ["x", "x"], ["y"]]
    assert table(*records, options=replace(CORRECTED, pack_columns=True)) == [
        ["y", "y"],
        ["y", "x", "x"],
    ]


def test_a_record_without_the_pivot_keeps_the_sides():
    """The third record has no a, and has c before b: only one of the two can keep it."""
    columns = table("b:1 a:2 c:3", "b:4 a:5 c:6", "c:7 b:8", "a:9", "c:1 a:2", options=CORRECTED)
    assert ["2", "5", "9", "2"] in columns
    assert sum(map(len, columns)) == 11


def test_without_budget_for_cuts_components_are_split_by_count():
    budget = [60]

    def spend(work):
        budget[0] -= work
        return budget[0] >= 0

    assert table("a:5 a:6", "a:7", spend=spend) == [["5", "7"], ["6"]]


def test_without_any_budget_there_are_no_columns():
    rows = [values("a:5", "a:6"), values("a:7")]
    assert align_records(rows, Similarity(), lambda work: False, IMPROVED) is None


ROWS = st.lists(
    st.lists(
        st.builds(
            lambda path, text: f"{path}:{text}",
            st.sampled_from("abc"),
            st.sampled_from(["x", "x-y", "z", "5", "1.5", "$3"]),
        ),
        max_size=5,
    ).map(lambda described: values(*described)),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("options", [CORRECTED, IMPROVED], ids=["divide and conquer", "cycles"])
@given(rows=ROWS)
def test_the_two_constraints_and_the_order_hold_for_any_records(options, rows):
    columns = align_records(rows, Similarity(), spend_freely, options)
    placed = [vertex for column in columns for vertex in column]
    assert sorted(placed) == [Vertex(r, p) for r, row in enumerate(rows) for p in range(len(row))]
    number = {vertex: n for n, column in enumerate(columns) for vertex in column}
    for column in columns:
        assert len({vertex.record for vertex in column}) == len(column)
        assert len({rows[r][p].path for r, p in column}) == 1
    for record, row in enumerate(rows):
        order = [number[Vertex(record, position)] for position in range(len(row))]
        assert order == sorted(order)


@given(ROWS)
def test_no_two_columns_of_one_path_could_be_joined(rows):
    """For any two of a path, some record has both, or an order follows from other columns."""
    columns = align_records(rows, Similarity(), spend_freely, IMPROVED)
    paths = [rows[column[0].record][column[0].position].path for column in columns]
    pairs = [
        pair for pair in combinations(range(len(columns)), 2) if paths[pair[0]] == paths[pair[1]]
    ]
    assume(pairs)
    for left, right in pairs:
        shared = {vertex.record for vertex in columns[left]} & {
            vertex.record for vertex in columns[right]
        }
        assert shared or _is_ordered(rows, columns, left, right)


def _is_ordered(rows, columns, left, right):
    number = {vertex: n for n, column in enumerate(columns) for vertex in column}
    after = {n: set() for n in range(len(columns))}
    for record, row in enumerate(rows):
        for position in range(len(row) - 1):
            after[number[record, position]].add(number[record, position + 1])
    reached, waiting = set(), [left]
    while waiting:
        for following in after[waiting.pop()] - reached:
            reached.add(following)
            waiting.append(following)
    return right in reached


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 4)),
        st.integers(1, 10**6),
        min_size=1,
        max_size=8,
    )
)
def test_the_cut_is_a_lightest_one(edges):
    graph = AlignmentGraph([values("a:x")] * 5)
    vertices = [Vertex(number, 0) for number in range(5)]
    weights = {}
    for (left, right), weight in edges.items():
        if left != right:
            graph.add_edge(vertices[left], vertices[right], weight)
            weights[frozenset((left, right))] = weight
    cut = graph.find_cut(vertices, [vertices[0]], [vertices[1]])
    sides = [{0, *more} for size in range(4) for more in combinations((2, 3, 4), size)]
    lightest = min(sum(w for pair, w in weights.items() if len(pair & side) == 1) for side in sides)
    assert cut.weight == lightest
    assert sum(weights[frozenset((a.record, b.record))] for a, b in cut.edges) == lightest
    graph.remove_edges(cut.edges)
    assert not any({vertices[0], vertices[1]} <= set(part) for part in graph.find_components())
