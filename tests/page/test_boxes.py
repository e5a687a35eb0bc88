"""Boxes, and the tree that is drawn."""

import pytest

from unweave import Page
from unweave.page.boxes import Box, tree_by_containment
from unweave.trees.tree import Tree

FIGURE_3 = [
    Box(100, 200, 300, 400),
    Box(100, 200, 300, 300),
    Box(100, 200, 200, 300),
    Box(200, 200, 300, 300),
    Box(100, 300, 300, 400),
    Box(100, 300, 200, 400),
    Box(200, 300, 300, 400),
]


def test_depta_figure_3():
    flat = Tree(["table", "tr", "td", "td", "tr", "td", "td"], [-1, 0, 0, 0, 0, 0, 0])
    assert str(tree_by_containment(flat, FIGURE_3)) == "table(tr(td td) tr(td td))"


def test_a_chain_that_the_markup_forgot_to_close_is_seen_as_siblings():
    """Nobody closed the cells: the parser nests them, and the boxes stand side by side."""
    chain = Tree.parse("table(tr(td(td(tr(td(td))))))")
    assert str(tree_by_containment(chain, FIGURE_3)) == "table(tr(td td) tr(td td))"


def test_what_runs_over_the_edge_of_its_element_stays_in_it():
    tree = Tree.parse("body(p(b) p)")
    boxes = [Box(0, 0, 100, 100), Box(0, 0, 50, 20), Box(10, 5, 90, 30), Box(0, 40, 50, 60)]
    assert str(tree_by_containment(tree, boxes)) == "body(p(b) p)"


def test_what_is_unseen_stays_where_it_is():
    tree = Tree.parse("body(p(b(i)) p)")
    boxes = [Box(0, 0, 100, 100), Box(0, 0, 50, 20), Box(0, 0, 0, 0), Box(0, 0, 0, 0), Box(0, 40, 50, 60)]
    assert str(tree_by_containment(tree, boxes, {2, 3})) == "body(p(b(i)) p)"


@pytest.mark.parametrize(
    ("one", "other", "gap"),
    [
        (Box(0, 0, 10, 10), Box(0, 25, 10, 35), 15),
        (Box(0, 25, 10, 35), Box(0, 0, 10, 10), 15),
        (Box(0, 0, 10, 10), Box(14, 0, 20, 10), 4),
        (Box(0, 0, 10, 10), Box(10, 0, 20, 10), 0),
        (Box(0, 0, 10, 10), Box(5, 5, 20, 20), 0),
    ],
)
def test_gaps(one, other, gap):
    assert one.gap(other) == other.gap(one) == gap


def test_boxes_contain_what_touches_their_edges():
    assert Box(0, 0, 10, 10).contains(Box(0, 0, 10, 5))
    assert not Box(0, 0, 10, 10).contains(Box(0, 0, 10.5, 5))
    assert Box(0, 0, 0, 10).is_empty


def test_without_boxes_the_tree_is_the_documents():
    page = Page.parse("<p>x")
    assert page.drawn_tree is page.tree
