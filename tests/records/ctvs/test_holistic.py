"""Holistic alignment: no column has two values of a record, no two columns cross."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.records.ctvs.test_pairs import values
from unweave.fields.similarity import Similarity
from unweave.records.ctvs.holistic import Graph, columns
from unweave.records.ctvs.options import options_of
from unweave.records.ctvs.order import Vertex


def endless(work):
    return True


IMPROVED = options_of("improved")
CORRECTED = options_of("corrected")


def table(*records, spend=endless, options=IMPROVED):
    """The columns of records given as "path:text path:text", as lists of texts."""
    rows = [values(*record.split()) for record in records]
    return [[rows[r][p].text for r, p in column] for column in columns(rows, Similarity(), spend, options)]


def test_a_column_a_path():
    assert table("a:x b:y", "a:p c:q", "b:r") == [["x", "p"], ["y", "r"], ["q"]]


def test_a_missing_field_between_others_of_its_path():
    assert table("a:one a:$5 a:2016-01-01", "a:two a:2016-02-02", "a:three a:$7 a:2016-03-03") == [
        ["one", "two", "three"],
        ["$5", "$7"],
        ["2016-01-01", "2016-02-02", "2016-03-03"],
    ]


def test_a_breach_is_cut_where_it_is_weakest():
    """The price of the second record is like no other value but the number; types hold the columns together."""
    found = table("a:5 a:6", "a:7", "a:8 a:9")
    assert sorted(map(sorted, found)) == [["5", "7", "8"], ["6", "9"]]


@pytest.mark.parametrize("options", [CORRECTED, IMPROVED], ids=["divide and conquer", "rings"])
def test_columns_that_cross_are_cut(options):
    found = table("a:one b:two", "b:three a:four", "a:five b:six", options=options)
    assert sorted(map(len, found)) in ([1, 2, 3], [1, 1, 2, 2])
    assert sum(map(len, found)) == 6


def test_the_column_that_divides_stays_whole():
    """Of intersecting components the one with most values is kept, and the other is cut at it."""
    assert table("a:1 b:2", "b:3 a:4", "a:5 b:6", "a:7", options=CORRECTED) == [["3"], ["1", "4", "5", "7"], ["2", "6"]]


def test_packing_joins_columns_of_one_path_that_no_record_tells_apart():
    records = ("a:y a:y", "a:x", "a:y a:x")
    assert table(*records, options=CORRECTED) == [["y", "y"], ["x", "x"], ["y"]]
    assert table(*records, options=replace(CORRECTED, pack_columns=True)) == [["y", "y"], ["y", "x", "x"]]


def test_a_record_without_the_dividing_column_keeps_the_sides():
    """The third record has no a, and has c before b: only one of the two can keep it."""
    found = table("b:1 a:2 c:3", "b:4 a:5 c:6", "c:7 b:8", "a:9", "c:1 a:2", options=CORRECTED)
    assert ["2", "5", "9", "2"] in found
    assert sum(map(len, found)) == 11


def test_without_time_the_values_of_a_component_are_numbered():
    left = [60]

    def spend(work):
        left[0] -= work
        return left[0] >= 0

    assert table("a:5 a:6", "a:7", spend=spend) == [["5", "7"], ["6"]]


def test_without_any_time_there_are_no_columns():
    rows = [values("a:5", "a:6"), values("a:7")]
    assert columns(rows, Similarity(), lambda work: False, IMPROVED) is None


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


@pytest.mark.parametrize("options", [CORRECTED, IMPROVED], ids=["divide and conquer", "rings"])
@given(rows=ROWS)
def test_the_two_constraints_and_the_order_hold_for_any_records(options, rows):
    found = columns(rows, Similarity(), endless, options)
    placed = [vertex for column in found for vertex in column]
    assert sorted(placed) == [Vertex(r, p) for r, row in enumerate(rows) for p in range(len(row))]
    number = {vertex: n for n, column in enumerate(found) for vertex in column}
    for column in found:
        assert len({vertex.record for vertex in column}) == len(column)
        assert len({rows[r][p].place for r, p in column}) == 1
    for record, row in enumerate(rows):
        order = [number[Vertex(record, position)] for position in range(len(row))]
        assert order == sorted(order)


@given(ROWS)
def test_no_two_columns_of_one_place_could_be_one(rows):
    """Packed: for any two of a path, some record tells them apart, or others that stand between them do."""
    found = columns(rows, Similarity(), endless, IMPROVED)
    places = [rows[column[0].record][column[0].position].place for column in found]
    pairs = [pair for pair in combinations(range(len(found)), 2) if places[pair[0]] == places[pair[1]]]
    assume(pairs)
    for one, other in pairs:
        shared = {vertex.record for vertex in found[one]} & {vertex.record for vertex in found[other]}
        assert shared or _are_ordered(rows, found, one, other)


def _are_ordered(rows, found, one, other):
    number = {vertex: n for n, column in enumerate(found) for vertex in column}
    after = {n: set() for n in range(len(found))}
    for record, row in enumerate(rows):
        for position in range(len(row) - 1):
            after[number[record, position]].add(number[record, position + 1])
    reached, waiting = set(), [one]
    while waiting:
        for following in after[waiting.pop()] - reached:
            reached.add(following)
            waiting.append(following)
    return other in reached


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 10**6), min_size=1, max_size=8))
def test_the_cut_is_a_lightest_one(edges):
    graph = Graph([values("a:x")] * 5)
    vertices = [Vertex(number, 0) for number in range(5)]
    weights = {}
    for (one, other), weight in edges.items():
        if one != other:
            graph._link(vertices[one], vertices[other], weight)
            weights[frozenset((one, other))] = weight
    cut = graph.cut(vertices, [vertices[0]], [vertices[1]])
    sides = [{0, *more} for size in range(4) for more in combinations((2, 3, 4), size)]
    lightest = min(sum(w for pair, w in weights.items() if len(pair & side) == 1) for side in sides)
    assert cut.weight == lightest
    assert sum(weights[frozenset((a.record, b.record))] for a, b in cut.edges) == lightest
    graph.remove(cut)
    assert not any({vertices[0], vertices[1]} <= set(part) for part in graph.components())
