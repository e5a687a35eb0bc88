"""The restricted top-down mapping, against every mapping that its definition allows."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import chawathe
from tests.oracles import notations, restricted_top_down_distance, top_down_distance
from unweave.errors import WorkLimit
from unweave.trees.paths import PathProfiler
from unweave.trees.rtdm import UNIT_COSTS, Costs, Rtdm
from unweave.trees.tree import SubtreeClasses, Tree


def classify(*texts, costs=UNIT_COSTS):
    classes = SubtreeClasses()
    return Rtdm(classes, costs), [classes.classify(Tree.parse(text))[0] for text in texts]


def compute_distance(left, right, **options):
    rtdm, trees = classify(left, right)
    return rtdm.compute_distance(*trees, **options)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
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
def test_distances(left, right, expected):
    assert compute_distance(left, right) == expected
    assert compute_distance(right, left) == expected


def test_surplus_siblings_come_after_what_is_mapped():
    rtdm, (left, right) = classify("r(a d)", "r(a e f)")
    assert rtdm.find_mapping(left, right) == [(0, 0), (1, 1), (2, 2)]


def test_the_limit():
    assert compute_distance("r(a b c)", "r", limit=3) == 3
    assert compute_distance("r(a b c)", "r", limit=2) == math.inf
    assert compute_distance("r(a b)", "r(c d)", limit=1) == math.inf


def test_similarity():
    rtdm, (left, right) = classify("r(a b)", "r(a c)")
    assert rtdm.compute_normalized_similarity(left, right) == pytest.approx(5 / 6)
    assert rtdm.compute_normalized_similarity(left, left) == 1


@given(notations, notations)
def test_the_distance_is_that_of_the_definition(x, y):
    rtdm, (left, right) = classify(x, y)
    expected = restricted_top_down_distance(Tree.parse(x), Tree.parse(y))
    assert rtdm.compute_distance(left, right) == expected
    assert rtdm.compute_lower_bound(left, right) <= expected
    assert rtdm.compute_distance(left, right, limit=expected) == expected
    assert rtdm.compute_distance(left, right, limit=expected - 1) in (math.inf, 0)


COSTS = Costs(
    lambda label: 2 + (label == "a"), lambda label: 1.5, lambda label, other: 1 + (label < other)
)


@given(notations, notations)
def test_custom_costs(x, y):
    rtdm, (left, right) = classify(x, y, costs=COSTS)
    assert rtdm.compute_distance(left, right) == pytest.approx(
        restricted_top_down_distance(Tree.parse(x), Tree.parse(y), COSTS)
    )


@given(notations, notations, st.sampled_from([UNIT_COSTS, COSTS]))
def test_the_mapping_costs_what_the_distance_says(x, y, costs):
    a, b = Tree.parse(x), Tree.parse(y)
    rtdm, (left, right) = classify(x, y, costs=costs)
    pairs = rtdm.find_mapping(left, right)
    assert pairs[0] == (0, 0)
    lefts, rights = {i for i, _ in pairs}, {j for _, j in pairs}
    assert len(lefts) == len(rights) == len(pairs)
    mapped = dict(pairs)
    for i, j in pairs[1:]:  # top-down, and below equal labels only
        assert mapped[a.parents[i]] == b.parents[j]
        assert a.parents[i] == 0 or a.labels[a.parents[i]] == b.labels[b.parents[j]]
    cost = sum(costs.delete(a.labels[n]) for n in range(len(a)) if n not in lefts)
    cost += sum(costs.insert(b.labels[n]) for n in range(len(b)) if n not in rights)
    cost += sum(
        costs.replace(a.labels[i], b.labels[j]) for i, j in pairs if a.labels[i] != b.labels[j]
    )
    assert cost == pytest.approx(rtdm.compute_distance(left, right))


@given(notations, notations)
def test_a_profile_bounds_the_similarity_from_above(x, y):
    rtdm, (left, right) = classify(x, y)
    profiles = PathProfiler()
    bound = profiles.compute_profile(Tree.parse(x)).compute_similarity_bound(
        profiles.compute_profile(Tree.parse(y))
    )
    assert rtdm.compute_normalized_similarity(left, right) <= bound + 1e-9
    assert (
        profiles.compute_profile(Tree.parse(y)).compute_similarity_bound(
            profiles.compute_profile(Tree.parse(x))
        )
        == bound
    )


@settings(max_examples=30)
@given(st.lists(notations, min_size=2, max_size=4))
def test_one_table_for_many_trees_changes_nothing(texts):
    rtdm, trees = classify(*texts)
    for x, left in zip(texts, trees, strict=True):
        for y, right in zip(texts, trees, strict=True):
            assert rtdm.compute_distance(left, right) == compute_distance(x, y)


def test_trees_may_be_as_deep_as_pages():
    deep = "(".join(["a"] * 300) + ")" * 299
    other = "(".join(["a"] * 299 + ["b"]) + ")" * 299
    assert compute_distance(deep, other) == 1


def test_chawathe_is_the_unrestricted_top_down_distance():
    assert chawathe.compute_distance(Tree.parse("r(x(a b c))"), Tree.parse("r(y(a b c))")) == 1
    assert chawathe.compute_distance(Tree.parse("r(a(b) c)"), Tree.parse("r(c)")) == 2


@given(notations, notations)
def test_chawathe_against_all_top_down_mappings(x, y):
    a, b = Tree.parse(x), Tree.parse(y)
    assert chawathe.compute_distance(a, b) == top_down_distance(a, b)
    assert chawathe.compute_distance(a, b) <= compute_distance(x, y)


@given(notations, notations)
def test_without_the_restriction_it_is_the_traditional_top_down_distance(x, y):
    """Section 3: lines 20 to 25 can be altered to determine "the traditional distance"."""
    classes = SubtreeClasses()
    left, right = (classes.classify(Tree.parse(text))[0] for text in (x, y))
    unrestricted = Rtdm(classes, restricted=False)
    expected = chawathe.compute_distance(Tree.parse(x), Tree.parse(y))
    assert unrestricted.compute_distance(left, right) == expected
    pairs = unrestricted.find_mapping(left, right)
    replaced = sum(Tree.parse(x).labels[i] != Tree.parse(y).labels[j] for i, j in pairs)
    assert len(Tree.parse(x)) + len(Tree.parse(y)) - 2 * len(pairs) + replaced == expected


def test_the_restriction_costs_what_is_below_replaced_vertices():
    classes = SubtreeClasses()
    left, right = (classes.classify(Tree.parse(text))[0] for text in ("r(x(a b c))", "r(y(a b c))"))
    assert Rtdm(classes).compute_distance(left, right) == 7
    assert Rtdm(classes, restricted=False).compute_distance(left, right) == 1


@given(
    st.lists(notations, min_size=2, max_size=4),
    st.integers(0, 8),
    st.sampled_from([UNIT_COSTS, COSTS]),
)
def test_the_cut_off_inside_the_recursion_changes_no_answer(texts, limit, costs):
    """Figure 5, lines 15 and 16: a limit first, then none, then a limit again, of one table."""
    rtdm, trees = classify(*texts, costs=costs)
    for left in trees:
        for right in trees:
            for bound in (limit, limit + 3, math.inf, limit):
                fresh = Rtdm(rtdm._classes, costs).compute_distance(left, right)
                assert rtdm.compute_distance(left, right, limit=bound) == (
                    fresh if fresh <= bound else math.inf
                )


def test_the_cut_off_inside_the_recursion_saves_work():
    """The first children differ by more than the limit: those after them are not compared."""
    one = " ".join(f"a(b(x{n} y{n}) c(z{n} b))" for n in range(30))
    other = " ".join(
        f"a(b(y{n} x{n}) c(b z{n}))" for n in range(30)
    )  # the same labels, so that counting tells nothing
    limited = count_work(
        f"r({one})", f"r({other})", lambda rtdm, a, b: rtdm.compute_distance(a, b, limit=30)
    )
    assert limited < count_work(f"r({one})", f"r({other})") / 2


def make_chains(*texts, depth, tag="a"):
    """A tree of chains of elements, side by side, each with a text at its end."""
    return f"r({' '.join('('.join([tag] * depth) + f'({text}' + ')' * depth for text in texts)})"


def count_work(x, y, ask=Rtdm.compute_distance):
    classes = SubtreeClasses()
    rtdm = Rtdm(classes, budget=10**9)
    ask(rtdm, *(classes.classify(Tree.parse(text))[0] for text in (x, y)))
    assert rtdm.spent > 0
    return rtdm.spent


def test_the_depth_of_equal_chains_costs_nothing():
    count = 20
    lefts, rights = [f"x{n}" for n in range(count)], [f"y{n}" for n in range(count)]
    shallow, deep = (
        [make_chains(*texts, depth=depth) for texts in (lefts, rights)] for depth in (3, 200)
    )
    assert compute_distance(*deep) == compute_distance(*shallow) == count
    assert count_work(*deep) == count_work(*shallow)
    assert (
        count_work(*deep, ask=Rtdm.find_mapping) <= count_work(*deep) + 200 * count
    )  # and each level that is mapped, once


def test_chains_of_different_lengths_cost_their_levels_once():
    left, right = make_chains("x", depth=200), make_chains("x", depth=100)
    assert (
        compute_distance(left, right) == 101
    )  # what is left of the one is replaced for the text of the other
    assert count_work(left, right) < 100 * 20


def test_levels_that_differ_in_one_child_only_are_mapped():
    left, right = ("r(" + "a(t " * 200 + end + ")" * 201 for end in ("x", "y"))
    assert compute_distance(left, right) == 1
    assert count_work(left, right) < 200 * 20


def test_a_pair_over_the_budget_is_compared_once_only():
    rtdm, (left, right) = classify("r(a(x y) b)", "r(a(y x) c)")
    rtdm._budget = 1
    for pair in ((left, right), (right, left)):
        with pytest.raises(WorkLimit):
            rtdm.compute_distance(*pair)
    assert rtdm.spent == 0


def test_the_lower_bound_caches_no_sub_trees():
    rtdm, (left, right) = classify(*(f"r({f'a({end} ' * 200}z{')' * 201}" for end in ("x", "y")))
    assert rtdm.compute_lower_bound(left, right) == 200
    assert sum(map(len, rtdm._label_counts.values())) == 2 * len({"r", "a", "x", "z"})
