"""Composition, promotion and matching of patterns: the paper's figures and definitions."""

import math
from functools import reduce
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import notations
from unweave.trees.pattern import (
    ANY,
    MAX_FIXED_BETWEEN,
    MAYBE,
    ONE,
    OPTIONAL_WILDCARDS,
    REPEATED_WILDCARDS,
    SOME,
    WILDCARDS,
    PatternNode,
    compose_patterns,
    make_optional,
    merge_labels,
    promote_wildcards,
)
from unweave.trees.pattern_matching import match_pattern
from unweave.trees.tree import Tree

NO_PROMOTION = -1
"""A gap that no two wildcards are within."""


def compose(*texts, **options):
    return str(reduce(lambda a, b: compose_patterns(a, b, **options), map(Tree.parse, texts)))


def test_figure_8():
    assert compose("r(a b)", "r(a c)") == "r(a ·)"
    assert compose("r(a b)", "r(a c)", "r(a d e)") == "r(a +)"


def test_without_promotion_the_surplus_is_an_option_after_the_wildcard():
    assert compose("r(a b)", "r(a c)", "r(a d e)", gap=NO_PROMOTION) == "r(a · ?)"


TABLE = """
   * + · ? n
*  * * * * *
+  * + + * +
·  * + · ? ·
?  * * ? ? ?
n  * + · ? n
"""


def test_the_table_of_labels():
    _, head, *lines = TABLE.splitlines()
    for line in lines:
        row, *cells = line.split()
        for column, expected in zip(head.split(), cells, strict=True):
            assert merge_labels(row, column) == expected
    assert merge_labels("n", "m") == ONE
    assert [make_optional(label) for label in (ANY, SOME, ONE, MAYBE, "n")] == [
        ANY,
        ANY,
        MAYBE,
        MAYBE,
        MAYBE,
    ]


@pytest.mark.parametrize(
    ("siblings", "expected"),
    [
        ("· ?", "+"),
        ("+ ? *", "+"),
        ("? ?", "*"),
        ("* ?", "*"),
        ("· a ?", "+"),
        ("? a ?", "+"),  # a is always there
        ("· a b c ?", "+"),
        ("· a b c d ?", "· a b c d ?"),  # too far away
        ("· ·", "· ·"),  # title and body stay apart
        (
            "· a · ?",
            "+",
        ),  # one wildcard after the other, with few vertices between them, and one is an option
        ("· a b c d · ?", "· a b c d +"),
        ("a ? b", "a ? b"),
    ],
)
def test_promotion(siblings, expected):
    assert (
        " ".join(
            node.label
            for node in promote_wildcards([PatternNode(label) for label in siblings.split()])
        )
        == expected
    )


def test_paragraphs_of_different_number_are_one_object():
    """Section 4.2: a "body that is composed of many adjacent paragraphs" is a single entity."""
    bodies = ["div(p(a) p(b))", "div(p(c) p(d) p(e))", "div(p(f) p(g) p(h) p(i))"]
    for order in permutations(bodies):
        assert compose(*order) == "div(+)"


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("", "div(+)"),
        ("x y", "div(+)"),  # with the p that has the next wildcard, three vertices
        ("x(y)", "div(+)"),  # at whatever depth
        ("x y z", "div(p(·) x y z +)"),  # four
        ("x(y(z))", "div(p(·) x(y(z)) +)"),
    ],
)
def test_wildcards_three_vertices_apart_are_merged(between, expected):
    assert compose(f"div(p(a) {between} p(b))", f"div(p(c) {between} p(d) q)") == expected


def test_an_object_of_its_own_is_not_merged():
    pages = ["r(h1(t) p(a) p(b))", "r(h1(u) p(c) p(d) p(e))"]
    assert compose(*pages) == "r(+)"
    assert compose(*pages, separate_labels={"h1"}) == "r(h1(·) +)"


def test_without_an_option_title_and_body_stay_apart():
    assert compose("r(h1(t) p(a))", "r(h1(u) p(b))") == "r(h1(·) p(·))"


@pytest.mark.parametrize(
    ("pattern", "tree", "tolerance", "cost", "passages"),
    [
        ('a("x" ·)', 'a("y" b)', 0, None, []),  # Definition 7: what is fixed must be there
        ('a("x" ·)', 'a("y" b)', 0.2, 1, ['"y"', "b"]),  # another text in its place is what differs
        ("a(b c d e ·)", "a(b c d f)", 0.2, 1, ["f"]),  # e is missing
        ("a(b c d e ·)", "a(b x c d e f)", 0.2, 1, ["x", "f"]),  # x has no wildcard
        ("a(b c d e ·)", "a(b x x c d e f)", 0.2, 2, ["x x", "f"]),
        ("a(b c d e ·)", "a(x x x c d e f)", 0.2, None, []),  # too much
        ("a(b c d e ·)", "a(b c d e)", 0.2, 1, [""]),
    ],
)
def test_a_tolerance_for_pages_that_were_not_learned_from(pattern, tree, tolerance, cost, passages):
    target = Tree.parse(tree)
    match = match_pattern(Tree.parse(pattern), target, tolerance=tolerance)
    assert (match and match.cost) == cost
    if match:
        assert [
            " ".join(target.labels[root] for root in passage.roots)
            for passage in match.list_passages()
        ] == passages


@given(st.lists(notations, min_size=1, max_size=4), notations, st.sampled_from([0.2, 0.5, 0.99]))
def test_the_cost_with_a_tolerance(texts, tree, tolerance):
    """It is at most that of the definition and that allowed; nothing is consumed twice."""
    pattern, target = Tree.parse(compose(*texts)), Tree.parse(tree)
    strict, match = (
        match_pattern(pattern, target),
        match_pattern(pattern, target, tolerance=tolerance),
    )
    limit = tolerance * (len(pattern) + len(target))
    if strict and strict.cost <= limit:
        assert match
        assert match.cost <= strict.cost
    if match:
        assert match.cost <= limit
        consumed = [
            n
            for passage in match.list_passages()
            for root in passage.roots
            for n in range(root, target.ends[root])
        ]
        assert len(consumed) == len(set(consumed))


TARGET = Tree.parse("a(b c d(e f))")


@pytest.mark.parametrize(
    ("pattern", "cost", "consumed"),
    [
        ("a(b c * d(e f))", 1, [()]),
        ("a(+ d(e ·))", 0, [(1, 2), (5,)]),
        ("a(b c d(e f))", 0, []),
        ("·", 0, [(0,)]),
        ("a(* ?)", 0, [(1, 2), (3,)]),  # an option takes one, if possible
        ("a(+ *)", 0, [(1, 2), (3,)]),
        ("a(* c ·)", 0, [(1,), (3,)]),
        ("a(+ + +)", 0, [(1,), (2,), (3,)]),
        ("a(* · ·)", 0, [(1,), (2,), (3,)]),
    ],
)
def test_figure_9_and_more(pattern, cost, consumed):
    match = match_pattern(Tree.parse(pattern), TARGET)
    assert match.cost == cost
    assert [passage.roots for passage in match.consumed] == consumed


@pytest.mark.parametrize(
    "pattern",
    ["a(b c d(e f) g)", "a(b c d(e))", "a(b c d)", "b(· · ·)", "a(+ + + +)", "a(b c)", "a"],
)
def test_what_does_not_match(pattern):
    assert match_pattern(Tree.parse(pattern), TARGET) is None


@given(st.lists(notations, min_size=1, max_size=5), st.booleans())
def test_a_composition_accepts_all_that_it_was_made_from(texts, promote):
    gap = MAX_FIXED_BETWEEN if promote else NO_PROMOTION
    pattern = Tree.parse(compose(*texts, gap=gap))
    for text in texts:
        assert match_pattern(pattern, Tree.parse(text)) is not None


patterns = st.lists(notations, min_size=1, max_size=4).map(lambda texts: compose(*texts))


@given(patterns, notations)
def test_the_cost_is_that_of_the_definition(text, tree):
    pattern, target = Tree.parse(text), Tree.parse(tree)
    match = match_pattern(pattern, target)
    expected = least_cost(pattern, target, 0, 0)
    assert (match.cost if match else math.inf) == expected


@given(st.lists(notations, min_size=2, max_size=4))
def test_wildcards_consume_what_is_not_mapped(texts):
    """Every vertex of the tree is fixed or below one consumed root."""
    pattern, target = Tree.parse(compose(*texts)), Tree.parse(texts[0])
    match = match_pattern(pattern, target)
    consumed = [
        n
        for passage in match.consumed
        for root in passage.roots
        for n in range(root, target.ends[root])
    ]
    fixed = sum(label not in WILDCARDS for label in pattern.labels)
    assert len(consumed) == len(set(consumed)) == len(target) - fixed
    assert [passage.wildcard for passage in match.consumed] == [
        n for n, label in enumerate(pattern.labels) if label in WILDCARDS
    ]


def least_cost(pattern, target, p, t):
    """Every way to share the siblings of the tree among those of the pattern."""
    label = pattern.labels[p]
    if label in WILDCARDS:
        return 0
    if label != target.labels[t]:
        return math.inf

    def shared(parts, targets):
        if not parts:
            return 0 if not targets else math.inf
        label_of_part = pattern.labels[parts[0]]
        if label_of_part not in WILDCARDS:
            if not targets:
                return math.inf
            return least_cost(pattern, target, parts[0], targets[0]) + shared(
                parts[1:], targets[1:]
            )
        most = len(targets) if label_of_part in REPEATED_WILDCARDS else min(1, len(targets))
        costs = [shared(parts[1:], targets[count:]) for count in range(1, most + 1)]
        return min(
            [
                *costs,
                1 + shared(parts[1:], targets) if label_of_part in OPTIONAL_WILDCARDS else math.inf,
            ]
        )

    return shared(pattern.children(p), target.children(t))


@pytest.mark.parametrize(
    ("pattern", "tree", "consumed"),
    [
        ("a(? ?)", "a(x)", [["x"], []]),
        ("a(? · ?)", "a(x y)", [["x"], ["y"], []]),
        ("a(* · *)", "a(x y)", [["x"], ["y"], []]),
        ("a(? + ?)", "a(x y)", [["x"], ["y"], []]),
        ("a(* *)", "a(x y z)", [["x", "y"], ["z"]]),  # to leave one out would cost
    ],
)
def test_of_equals_the_leftmost_wildcards_take_most(pattern, tree, consumed):
    target = Tree.parse(tree)
    match = match_pattern(Tree.parse(pattern), target)
    assert [[target.labels[root] for root in roots] for _, roots in match.consumed] == consumed
