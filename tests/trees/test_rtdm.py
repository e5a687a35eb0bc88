"""The restricted top-down mapping, against every mapping that its definition allows."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import chawathe
from tests.oracles import notations, restricted_top_down_distance, top_down_distance
from unweave.trees.profile import Profiles
from unweave.trees.rtdm import UNIT, Costs, Rtdm
from unweave.trees.tree import Classes, Tree


def measured(*texts, costs=UNIT):
    classes = Classes()
    return Rtdm(classes, costs), [classes.of(Tree.parse(text))[0] for text in texts]


def distance(one, other, **options):
    rtdm, trees = measured(one, other)
    return rtdm.distance(*trees, **options)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("r(a b)", "r(a b)", 0),
        ("r(a b)", "r(a c)", 1),
        ("r(a b)", "r(a d e)", 2),
        ("a", "b", 1),
        ("r(x(a b c))", "r(y(a b c))", 7),  # nothing is mapped below vertices of different labels
        ("x(a b c)", "y(a b c)", 1),  # but roots are exempt
        ("r(x(a b))", "r(x)", 2),
        ("r(a b c)", "r(c)", 2),
    ],
)
def test_distances(one, other, expected):
    assert distance(one, other) == expected
    assert distance(other, one) == expected


def test_surplus_siblings_come_after_what_is_mapped():
    rtdm, (one, other) = measured("r(a d)", "r(a e f)")
    assert rtdm.mapping(one, other) == [(0, 0), (1, 1), (2, 2)]


def test_the_limit():
    assert distance("r(a b c)", "r", limit=3) == 3
    assert distance("r(a b c)", "r", limit=2) == math.inf
    assert distance("r(a b)", "r(c d)", limit=1) == math.inf


def test_similarity():
    rtdm, (one, other) = measured("r(a b)", "r(a c)")
    assert rtdm.similarity(one, other) == pytest.approx(5 / 6)
    assert rtdm.similarity(one, one) == 1


@given(notations, notations)
def test_the_distance_is_that_of_the_definition(x, y):
    rtdm, (one, other) = measured(x, y)
    expected = restricted_top_down_distance(Tree.parse(x), Tree.parse(y))
    assert rtdm.distance(one, other) == expected
    assert rtdm.lower_bound(one, other) <= expected
    assert rtdm.distance(one, other, limit=expected) == expected
    assert rtdm.distance(one, other, limit=expected - 1) in (math.inf, 0)


COSTS = Costs(lambda label: 2 + (label == "a"), lambda label: 1.5, lambda label, other: 1 + (label < other))


@given(notations, notations)
def test_costs_of_ones_own(x, y):
    rtdm, (one, other) = measured(x, y, costs=COSTS)
    assert rtdm.distance(one, other) == pytest.approx(restricted_top_down_distance(Tree.parse(x), Tree.parse(y), COSTS))


@given(notations, notations, st.sampled_from([UNIT, COSTS]))
def test_the_mapping_costs_what_the_distance_says(x, y, costs):
    a, b = Tree.parse(x), Tree.parse(y)
    rtdm, (one, other) = measured(x, y, costs=costs)
    pairs = rtdm.mapping(one, other)
    assert pairs[0] == (0, 0)
    lefts, rights = {i for i, _ in pairs}, {j for _, j in pairs}
    assert len(lefts) == len(rights) == len(pairs)
    mapped = dict(pairs)
    for i, j in pairs[1:]:  # top-down, and below equal labels only
        assert mapped[a.parents[i]] == b.parents[j]
        assert a.parents[i] == 0 or a.labels[a.parents[i]] == b.labels[b.parents[j]]
    cost = sum(costs.delete(a.labels[n]) for n in range(len(a)) if n not in lefts)
    cost += sum(costs.insert(b.labels[n]) for n in range(len(b)) if n not in rights)
    cost += sum(costs.replace(a.labels[i], b.labels[j]) for i, j in pairs if a.labels[i] != b.labels[j])
    assert cost == pytest.approx(rtdm.distance(one, other))


@given(notations, notations)
def test_a_profile_bounds_the_similarity_from_above(x, y):
    rtdm, (one, other) = measured(x, y)
    profiles = Profiles()
    bound = profiles.of(Tree.parse(x)).similarity_bound(profiles.of(Tree.parse(y)))
    assert rtdm.similarity(one, other) <= bound + 1e-9
    assert profiles.of(Tree.parse(y)).similarity_bound(profiles.of(Tree.parse(x))) == bound


@settings(max_examples=30)
@given(st.lists(notations, min_size=2, max_size=4))
def test_one_table_for_many_trees_changes_nothing(texts):
    rtdm, trees = measured(*texts)
    for x, one in zip(texts, trees, strict=True):
        for y, other in zip(texts, trees, strict=True):
            assert rtdm.distance(one, other) == distance(x, y)


def test_trees_may_be_as_deep_as_pages():
    deep = "(".join(["a"] * 300) + ")" * 299
    other = "(".join(["a"] * 299 + ["b"]) + ")" * 299
    assert distance(deep, other) == 1


def test_the_yardstick_of_the_benchmark_is_the_unrestricted_top_down_distance():
    assert chawathe.distance(Tree.parse("r(x(a b c))"), Tree.parse("r(y(a b c))")) == 1
    assert chawathe.distance(Tree.parse("r(a(b) c)"), Tree.parse("r(c)")) == 2


@given(notations, notations)
def test_the_yardstick_against_all_top_down_mappings(x, y):
    a, b = Tree.parse(x), Tree.parse(y)
    assert chawathe.distance(a, b) == top_down_distance(a, b)
    assert chawathe.distance(a, b) <= distance(x, y)
