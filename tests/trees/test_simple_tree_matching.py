import pytest
from hypothesis import given

import unweave
from tests.oracles import notations, tree_mapping, tree_matching
from unweave.lists.methods.depta import Depta
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import Tree


def compute_similarity(left, right):
    matcher = Matcher()
    return matcher.compute_similarity(*classify(matcher, left, right))


def find_mapping(left, right):
    matcher = Matcher()
    return matcher.find_mapping(*classify(matcher, left, right))


def classify(matcher, *trees):
    return [matcher.classes.classify(tree)[0] for tree in trees]


A = Tree.parse("a(b(d,e),c(f),b(e,d),c(g(h,i,j)))")
B = Tree.parse("a(b(d,e),c(g(h),f))")


def test_depta_figure_10():
    assert compute_similarity(A, B) == 7


def test_depta_figure_10_each_pair_of_subtrees():
    """The table W of the figure: rows (3,0), (0,2), (2,0), (0,3)."""
    left = ["b(d e)", "c(f)", "b(e d)", "c(g(h i j))"]
    right = ["b(d e)", "c(g(h) f)"]
    found = [tuple(compute_similarity(Tree.parse(x), Tree.parse(y)) for y in right) for x in left]
    assert found == [(3, 0), (0, 2), (2, 0), (0, 3)]


def test_depta_figure_11_the_earliest_match_is_taken():
    assert find_mapping(Tree.parse("r(c)"), Tree.parse("r(c x c)")) == [(0, 0), (1, 1)]
    assert find_mapping(Tree.parse("r(c x c)"), Tree.parse("r(c)")) == [(0, 0), (1, 1)]


def test_one_child_goes_to_the_best_of_two():
    """The prose before Figure 9 takes the last child; the algorithm takes the best."""
    assert find_mapping(Tree.parse("r(c(x y) c)"), Tree.parse("r(c(x y))")) == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
    ]


COMMON = "<q>" + "<i></i>" * 30 + "</q>"


def format_html(tree, node=0):
    """The tree as elements, with a text in each that has no children: its label."""
    label = f"tag-{tree.labels[node]}"
    inner = "".join(format_html(tree, child) for child in tree.children(node)) or tree.labels[node]
    return f"<{label}>{inner}</{label}>"


def read_columns(first, second, variant):
    """Return the columns of a list of two records that contain these trees, as both texts."""
    (table,) = unweave.records(
        f"<ul><li>{COMMON}{format_html(first)}</li><li>{COMMON}{format_html(second)}</li></ul>",
        method=Depta(variant=variant),
    )
    assert len(table.rows) == 2
    return [f"{above or '.'}{below or '.'}" for above, below in zip(*table.rows, strict=True)]


VARIANTS = pytest.mark.parametrize("variant", ["printed", "corrected", "improved"])


@VARIANTS
def test_depta_figures_9_and_10_as_columns_of_records(variant):
    """The first b of A goes with that of B, and the last c: the cells of W that are 3."""
    assert read_columns(A, B, variant) == ["dd", "ee", "f.", "e.", "d.", "hh", "i.", "j.", ".f"]
    assert read_columns(B, A, variant) == ["dd", "ee", ".f", ".e", ".d", "hh", ".i", ".j", "f."]


@VARIANTS
def test_depta_figure_11_as_columns_of_records(variant):
    """The only c of tree A shares the column of the first c of tree B."""
    one, two = Tree.parse("r(c)"), Tree.parse("r(c x c)")
    assert read_columns(one, two, variant) == ["cc", ".x", ".c"]
    assert read_columns(two, one, variant) == ["cc", "x.", "c."]


@given(notations, notations)
def test_similarity_and_mapping_are_those_of_the_definition(x, y):
    a, b, matcher = Tree.parse(x), Tree.parse(y), Matcher()
    left, right = classify(matcher, a, b)
    similarity = matcher.compute_similarity(left, right)
    mapping = matcher.find_mapping(left, right)
    assert similarity == tree_matching(a, b)
    assert mapping == tree_mapping(a, b)
    assert len(mapping) == similarity


@given(notations, notations)
def test_the_laws_of_a_matching(x, y):
    a, b, matcher = Tree.parse(x), Tree.parse(y), Matcher()
    left, right = classify(matcher, a, b)
    similarity = matcher.compute_similarity(left, right)
    assert similarity == matcher.compute_similarity(right, left) <= min(len(a), len(b))
    assert matcher.compute_similarity(left, left) == len(a)
    assert (similarity == len(a) == len(b)) == (str(a) == str(b))


@given(notations, notations)
def test_a_mapping_keeps_labels_parents_and_order(x, y):
    a, b = Tree.parse(x), Tree.parse(y)
    mapping = find_mapping(a, b)
    partner = dict(mapping)
    assert len(partner) == len(set(partner.values())) == len(mapping)
    for u, v in mapping:
        assert a.labels[u] == b.labels[v]
        assert u == 0 or partner[a.parents[u]] == b.parents[v]
    assert mapping == sorted(mapping) == sorted(mapping, key=lambda pair: pair[1])


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["", "b"])
def test_depth_is_no_limit(tail):
    deep = Tree(["a"] * 50_000, list(range(-1, 49_999)))
    other = Tree(["a"] * 49_999 + [tail or "a"], list(range(-1, 49_999)))
    assert compute_similarity(deep, other) == 50_000 - bool(tail)
