"""Boxes and the tree that they form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.oracles import notations
from unweave import Page
from unweave.lists.methods.depta import Depta
from unweave.page.layout import Box, build_containment_tree, split_unclosed_entries
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
    assert str(build_containment_tree(flat, FIGURE_3)) == "table(tr(td td) tr(td td))"


@pytest.mark.parametrize("variant", ["printed", "corrected"])
@pytest.mark.parametrize(
    ("row", "cell", "markup"),
    [
        ("tr", "td", "<table><tr><td>data 1<td>data 2<tr><td>data 3<td>data 4</table>"),
        (
            "article",
            "span",
            "<section><article><span>data 1<span>data 2<article><span>data 3<span>data 4</section>",
        ),
    ],
    ids=["as in the figure", "nested by the parser"],
)
def test_depta_figures_3_and_4_as_records(row, cell, markup, variant):
    """By the boxes of Figure 3, the records are the rows of the tree of Figure 4."""
    page = Page.parse(markup)
    page.boxes = [Box(0, 0, 800, 600)] * (len(page.tree) - len(FIGURE_3)) + FIGURE_3
    (table,) = unweave.records(page, method=Depta(variant=variant))
    assert [[page.tree.labels[node] for node in record] for record in table.records] == [
        [row],
        [row],
    ]
    assert table.rows == [["data 1", "data 2"], ["data 3", "data 4"]]
    owners = [page.tree.labels[nodes[0]] for sources in table.nodes for nodes in sources]
    assert owners == [cell] * 4


def test_depta_figure_3_without_boxes_is_what_the_parser_made_of_it():
    page = Page.parse(
        "<section><article><span>data 1<span>data 2<article><span>data 3<span>data 4</section>"
    )
    assert unweave.records(page, method="depta") == []


def test_an_unclosed_chain_becomes_siblings_by_its_boxes():
    """The cells are not closed: the parser nests them, but their boxes are side by side."""
    chain = Tree.parse("table(tr(td(td(tr(td(td))))))")
    assert str(build_containment_tree(chain, FIGURE_3)) == "table(tr(td td) tr(td td))"


def test_overlapping_text_stays_in_its_element():
    tree = Tree.parse("body(p(b) p)")
    boxes = [Box(0, 0, 100, 100), Box(0, 0, 50, 20), Box(10, 5, 90, 30), Box(0, 40, 50, 60)]
    assert str(build_containment_tree(tree, boxes)) == "body(p b p)", "overlap is not containment"
    assert str(build_containment_tree(tree, boxes, overlap=True)) == "body(p(b) p)"


def test_a_box_may_stick_out_by_the_tolerance():
    tree = Tree.parse("body(p(b))")
    boxes = [Box(0, 0, 100, 100), Box(0, 0, 50, 20), Box(0, 0, 50, 21.5)]
    assert str(build_containment_tree(tree, boxes)) == "body(p b)"
    assert str(build_containment_tree(tree, boxes, tolerance=2)) == "body(p(b))"


CHAIN = Tree.parse("body(div(b i div(b i div(b i div(b i)))))")


def chain_boxes(step):
    """Return boxes of unclosed entries, each ``step`` pixels to the right of the one around it."""
    boxes = [Box(0, 0, 200, 400)]
    for number in range(4):
        top, left = 100 * number, step * number
        boxes += [
            Box(left, top, 200, 400),
            Box(left, top, 90, top + 50),
            Box(left, top + 50, 90, top + 100),
        ]
    return boxes


def test_unclosed_entries_become_siblings():
    drawn = build_containment_tree(CHAIN, chain_boxes(0))
    assert str(drawn) == str(CHAIN)
    assert (
        str(split_unclosed_entries(drawn, chain_boxes(0), 0.3))
        == "body(div(b i) div(b i) div(b i) div(b i))"
    )


def test_entries_with_nested_boxes_stay_nested():
    assert str(split_unclosed_entries(CHAIN, chain_boxes(9), 0.3)) == str(CHAIN)
    other = Tree.parse("body(div(b i div(u div(b i div(b i)))))")
    assert str(split_unclosed_entries(other, [Box(0, 0, 9, 9)] * len(other), 0.3)) == str(other)


def test_invisible_elements_keep_their_parents():
    tree = Tree.parse("body(p(b(i)) p)")
    boxes = [
        Box(0, 0, 100, 100),
        Box(0, 0, 50, 20),
        Box(0, 0, 0, 0),
        Box(0, 0, 0, 0),
        Box(0, 40, 50, 60),
    ]
    assert str(build_containment_tree(tree, boxes, {2, 3})) == "body(p(b(i)) p)"


@pytest.mark.parametrize(
    ("left", "right", "gap"),
    [
        (Box(0, 0, 10, 10), Box(0, 25, 10, 35), 15),
        (Box(0, 25, 10, 35), Box(0, 0, 10, 10), 15),
        (Box(0, 0, 10, 10), Box(14, 0, 20, 10), 4),
        (Box(0, 0, 10, 10), Box(10, 0, 20, 10), 0),
        (Box(0, 0, 10, 10), Box(5, 5, 20, 20), 0),
    ],
)
def test_gaps(left, right, gap):
    assert left.measure_gap(right) == right.measure_gap(left) == gap


def test_boxes_contain_what_touches_their_edges():
    assert Box(0, 0, 10, 10).contains(Box(0, 0, 10, 5))
    assert not Box(0, 0, 10, 10).contains(Box(0, 0, 10.5, 5))
    assert Box(0, 0, 0, 10).is_empty


def test_without_boxes_the_tree_is_the_documents():
    page = Page.parse("<p>x")
    assert page.layout_tree is page.tree


def test_an_element_without_area_is_where_its_children_are():
    """As with floats: the list's entries have no height, and what floats in them has."""
    tree = Tree.parse("ul(li(a) li(a))")
    flat = Box(0, 0, 90, 0)
    boxes = [Box(0, 0, 90, 60), flat, Box(0, 0, 40, 30), flat, Box(50, 0, 90, 30)]
    assert str(build_containment_tree(tree, boxes, {1, 3})) == "ul(li(a) li(a))"


def test_elements_with_boxes_elsewhere_are_not_contained():
    tree = Tree.parse("body(p(b) div(i))")
    boxes = [
        Box(0, 0, 99, 99),
        Box(0, 0, 20, 20),
        Box(50, 50, 60, 60),
        Box(0, 30, 20, 40),
        Box(5, 5, 9, 9),
    ]
    assert str(build_containment_tree(tree, boxes)) == "body(p b div i)"


corners = st.tuples(*[st.integers(0, 6)] * 4).map(
    lambda c: Box(min(c[0], c[1]), min(c[2], c[3]), max(c[0], c[1]), max(c[2], c[3]))
)


@given(notations, st.data())
def test_the_containment_tree_is_in_preorder(notation, data):
    tree = Tree.parse(notation)
    boxes = [Box(0, 0, 6, 6)] + [data.draw(corners) for _ in range(len(tree) - 1)]
    unseen = {node for node, box in enumerate(boxes) if box.is_empty} - {0}
    drawn = build_containment_tree(tree, boxes, unseen)
    assert drawn.labels == tree.labels
    for node in range(1, len(drawn)):
        assert node in drawn.children(drawn.parents[node])
