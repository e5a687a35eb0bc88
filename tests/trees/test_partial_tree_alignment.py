"""Partial tree alignment by the figures of the DEPTA paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.oracles import notations
from unweave.lists.methods.depta import Depta
from unweave.trees.partial_tree_alignment import align_to_seed
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import Tree


def align(*notations, items=None):
    """The alignment, and the seed's labels in preorder without its root."""
    matcher = Matcher()
    trees = [Tree.parse(notation) for notation in notations]
    shapes = [matcher.classes.classify(tree)[0] for tree in trees]
    counts = items or [len(tree) for tree in trees]
    alignment = align_to_seed(shapes, counts, matcher=matcher)
    seed = alignment.seed
    return alignment, " ".join(seed.labels[node] for node in seed.preorder()[1:])


@pytest.mark.parametrize(
    ("other", "seed"),
    [
        ("p(b c d e)", "a b c d e"),
        ("p(e f g)", "a b e f g"),
        ("p(a x e)", "a b e"),
        ("p(f g a)", "f g a b e"),
        ("p(x b e)", "a b e"),
        ("p(a b x)", "a b e"),
    ],
    ids=["A", "B", "C", "mirror of B", "not before the first", "not after the last"],
)
def test_figure_12_expanding_the_seed(other, seed):
    assert align("p(a b e)", other, items=[9, 1])[1] == seed


COMMON = "<q>" + "<i>{0}</i>" * 30 + "</q>"


def read_columns(seed, *others, variant):
    """The columns of a list whose records have items of these letters, as the letters of the
    records from top to bottom.

    What the records have in common makes them similar. Only the seed has texts there, so that it
    has most data items.
    """
    rows = [(COMMON.format("-"), seed), *((COMMON.format(""), other) for other in others)]
    entries = []
    for common, letters in rows:
        items = "".join(f"<{letter}>{letter}</{letter}>" for letter in letters)
        entries.append(f"<li>{common}<div>{items}</div></li>")
    (table,) = unweave.records(f"<ul>{''.join(entries)}</ul>", method=Depta(variant=variant))
    cells = [
        "".join(row[number] or "." for row in table.rows) for number in range(len(table.columns))
    ]
    return [column for column in cells if not column.startswith("-")]


@pytest.mark.parametrize("variant", ["printed", "corrected", "improved"])
@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("bcde", "a.. bbb .cc .dd eee"),
        ("efg", "a.. b.. eee .ff .gg"),
        (
            "axe",
            "aaa ..x .x. b.. eee",
        ),  # the position of x is ambiguous: it is in no seed, and shares no column
        ("fga", ".ff .gg aaa b.. e.."),
        ("xbe", "..x .x. a.. bbb eee"),
        ("abx", "aaa bbb ..x .x. e.."),
    ],
    ids=["A", "B", "C", "mirror of B", "not before the first", "not after the last"],
)
def test_figure_12_as_columns_of_records(other, expected, variant):
    """Two equal records share the columns of what is inserted into the seed, and no others."""
    found = read_columns("abe", other, other, variant=variant)
    assert sorted(found) == sorted(expected.split())
    assert [column for column in found if "x" not in column] == [
        column for column in expected.split() if "x" not in column
    ]


def test_nodes_under_a_childless_node_have_a_unique_position():
    assert align("p(a b)", "p(a(x y) b)", items=[9, 1])[1] == "a x y b"


T1, T2, T3 = "p(t u v w x b d)", "p(b n c k g)", "p(b c d h k)"


def test_figure_14_two_iterations():
    alignment, seed = align(T1, T2, T3)
    assert seed == "t u v w x b n c d h k g"
    assert alignment.rounds == 2


def test_table_1():
    alignment, _ = align(T1, T2, T3)
    labels = alignment.seed.labels
    rows = [{labels[node] for node in links.values()} - {"p"} for links in alignment.links]
    assert rows == [set("tuvwxbd"), set("bnckg"), set("bcdhk")]
    column = {
        node: label
        for links in alignment.links
        for node, label in zip(links.values(), links, strict=True)
    }
    shared = [
        node for node in column if sum(node in links.values() for links in alignment.links) > 1
    ]
    assert sorted(labels[node] for node in shared if node) == ["b", "c", "d", "k"]


def test_an_ambiguous_node_stays_unlinked_and_the_loop_ends():
    alignment, seed = align("p(a b e)", "p(a x e)", "p(a x e)", items=[9, 1, 1])
    assert seed == "a b e"
    assert [len(links) for links in alignment.links] == [4, 3, 3]
    assert alignment.rounds == 2


@given(st.lists(notations, min_size=1, max_size=6))
def test_the_laws_of_an_alignment(many):
    many = [f"r({notation})" for notation in many]
    alignment, _ = align(*many)
    seed = alignment.seed
    position = {node: number for number, node in enumerate(seed.preorder())}
    parent = {child: node for node, children in enumerate(seed.children) for child in children}
    assert len(position) == len(seed.labels)
    for notation, links in zip(many, alignment.links, strict=True):
        tree = Tree.parse(notation)
        assert links[0] == 0
        assert len(set(links.values())) == len(links)
        for node, target in links.items():
            assert tree.labels[node] == seed.labels[target]
            assert node == 0 or links[tree.parents[node]] == parent[target]
        order = [position[links[node]] for node in sorted(links)]
        assert order == sorted(order), "an alignment keeps the order of nodes"


@given(st.lists(notations, min_size=1, max_size=4))
def test_identical_trees_have_the_same_complete_links(many):
    alignment, _ = align(*(f"r({notation})" for notation in many for _ in range(3)))
    largest = max(range(len(many)), key=lambda k: len(Tree.parse(many[k])))
    assert alignment.links[3 * largest] == alignment.links[3 * largest + 1]
    assert len(alignment.links[3 * largest]) == len(Tree.parse(many[largest])) + 1
