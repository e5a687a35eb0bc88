"""MDR by the figures of its paper, with a test for each error of the printed pseudo-code that fails on the literal text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from unweave import Page, UsageError
from unweave.records import mdr
from unweave.records.regions import find_regions
from unweave.trees.distance import normalized_distance
from unweave.trees.tree import Tree

CELL = "<td><img><b>name</b><p>text <i>more</i></p></td>"
ROW_OF_ONE, ROW_OF_TWO = f"<tr>{CELL}</tr>", f"<tr>{CELL}{CELL}</tr>"


def table(*rows):
    return Page.parse(f"<table>{''.join(rows)}</table>")


def listings(page, **parameters):
    return [listing.records for listing in mdr.find(page, **parameters)]


def texts(page, records):
    return [" ".join(page.text(node) for node in record) for record in records]


def regions_of(labels, k=10, t=0.0):
    """The regions among siblings of these labels, where only equal ones are similar, as (width, start, covered) from 1."""
    tree = Tree.parse(f"r({' '.join(f'{label}({label}1({label}2 {label}3))' for label in labels)})")
    children = tree.children(0)
    regions = [region for region in find_regions(tree, k=k, t=t) if region.parent == 0]
    return [(region.width, children.index(region.nodes[0]) + 1, len(region.nodes)) for region in regions]


# ---- regions ---------------------------------------------------------------------------------------------------


def test_figure_3_regions_1_and_2():
    assert regions_of("AAxBBB") == [(1, 1, 2), (1, 4, 3)]


def test_figure_3_region_3_of_pairs():
    assert regions_of("XABABABY") == [(2, 2, 6)]


def test_figure_4_compares_21_pairs():
    pairs = oracles.compared_pairs(10, 3)
    assert len(pairs) == 21
    assert (1, 9) in pairs, "Figure 6 as printed drops the last pair of single nodes, (9, 10)"


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(2, 25) for k in range(1, 11)])
def test_figure_6_compares_every_pair_of_adjacent_runs_once(n, k):
    assert sorted(oracles.compared_pairs(n, k)) == [
        (width, start) for width in range(1, k + 1) for start in range(1, n - 2 * width + 2)
    ]


def test_figure_9_a_list_that_fills_its_parent_is_found():
    """As printed, a region that reaches the last child is thrown away."""
    assert regions_of("AAAA") == [(1, 1, 4)]


def test_figure_9_the_current_region_is_forgotten_between_starts():
    """As printed, what was found with one width is counted on with the next."""
    assert regions_of("xAAyAA") == [(1, 2, 2), (1, 5, 2)]


def test_wider_nodes_are_taken_where_they_cover_more():
    assert regions_of("AABAAB") == [(3, 1, 6)]


def test_the_widest_node_has_k_components():
    assert regions_of("ABCABC", k=2) == []
    assert regions_of("ABCABC", k=3) == [(3, 1, 6)]


@given(st.text("ABx", max_size=14), st.integers(1, 4))
def test_regions_are_those_of_the_mended_figure_9(labels, k):
    assert regions_of(labels or "A", k=k) == oracles.regions(labels, k)


def test_the_threshold_counts_as_similar():
    """Definition 4 says 'less than', Figure 9 says 'at most': the figure holds. Here the distance is 0.3 exactly."""
    first, second = "<tr>" + "<td></td>" * 9 + "</tr>", "<tr>" + "<td></td>" * 6 + "<th></th>" * 3 + "</tr>"
    page = table(first, second)
    tree = page.tree
    rows = [node for node, label in enumerate(tree.labels) if label == "tr"]
    strings = [tree.tags[node : tree.ends[node]] for node in rows]
    assert normalized_distance(*strings) == 0.3
    assert len(find_regions(tree)) == 1
    assert find_regions(tree, t=0.29) == []


def test_figure_8_a_region_covers_what_is_below_it():
    tree = Tree.parse("r(A(x(p(i)) x(p(i))) A(x(p(i)) x(p(i))) B(y(p(i)) y(p(i))))")
    assert [(r.parent, len(r.nodes)) for r in find_regions(tree)] == [(0, 2), (15, 2)]


def test_nodes_of_height_two_hold_no_regions():
    assert find_regions(Tree.parse("r(a a a a)")) == []


# ---- records ---------------------------------------------------------------------------------------------------


def test_figure_7_eight_records_in_four_rows():
    page = table(*[ROW_OF_TWO] * 4)
    (region,) = find_regions(page.tree)
    assert (region.width, len(region.nodes)) == (1, 4)
    (records,) = listings(page)
    assert len(records) == 8
    assert {page.tree.labels[record[0]] for record in records} == {"td"}


def test_figure_13_the_rows_of_a_data_table_are_records():
    page = table(*["<tr><td>a</td><td>b</td><td>c</td></tr>"] * 3)
    (records,) = listings(page)
    assert texts(page, records) == ["a b c"] * 3


def test_figure_14_a_row_with_one_object_is_a_record():
    page = table(*[ROW_OF_ONE] * 3)
    (records,) = listings(page)
    assert {page.tree.labels[record[0]] for record in records} == {"tr"}


def test_figure_16_one_object_in_several_rows():
    name, details = "<tr><td><b>name</b></td><td><i><u>price</u></i></td></tr>", "<tr><td><p>text</p></td></tr>"
    page = table(*[name, details] * 3)
    (records,) = listings(page)
    assert texts(page, records) == ["name price text"] * 3


def test_figure_17_four_objects_with_non_contiguous_descriptions():
    def names(a, b):
        return f"<tr><td><b>{a}</b></td><td><b>{b}</b></td></tr>"

    def details(a, b):
        return "<tr>" + "".join(f"<td><p>{x}<i></i></p><p></p><font></font><img></td>" for x in (a, b)) + "</tr>"

    page = table(names("n1", "n2"), details("d1", "d2"), names("n3", "n4"), details("d3", "d4"))
    (region,) = find_regions(page.tree)
    assert (region.width, len(region.nodes)) == (2, 4)
    (records,) = listings(page)
    assert texts(page, records) == ["n1 d1", "n2 d2", "n3 d3", "n4 d4"]


def test_the_second_non_contiguous_case_joins_two_rows():
    page = table(
        "<tr><td><b>n1</b></td><td><b>n2</b></td><td><b>n3</b></td></tr>",
        "<tr>" + "".join(f"<td><p>{x}<i></i></p><p></p><font></font><img></td>" for x in ("d1", "d2", "d3")) + "</tr>",
    )
    (records,) = listings(page)
    assert texts(page, records) == ["n1 d1", "n2 d2", "n3 d3"]


def test_figure_19_a_stray_record_is_found():
    page = table(ROW_OF_TWO, ROW_OF_TWO, ROW_OF_ONE)
    tree = page.tree
    rows = [tree.tags[node : tree.ends[node]] for node, label in enumerate(tree.labels) if label == "tr"]
    assert normalized_distance(rows[1], rows[2]) == pytest.approx(10 / 17)
    (region,) = find_regions(tree)
    assert len(region.nodes) == 2
    (records,) = listings(page)
    assert len(records) == 5


def test_a_stray_record_is_like_the_last_one():
    """The paper allows any record; the last is the nearest. Here the first would not do."""
    small, large = "<td><b>n</b><p>t</p><p>t</p></td>", "<td><b>n</b><p>t</p><p>t</p><p>t</p></td>"
    largest = "<td><b>n</b><p>t</p><p>t</p><p>t</p><i>t</i></td>"
    page = table(f"<tr>{small}{large}</tr>", f"<tr>{large}{large}</tr>", f"<tr>{largest}</tr>")
    assert normalized_distance("tbpp", "tbpppi") > mdr.T
    (records,) = listings(page)
    assert len(records) == 5


def test_beside_whole_rows_nothing_is_a_stray():
    page = Page.parse("<div>" + "<p><a>t</a><b>u</b></p>" * 3 + "<section><p><a>t</a><b>u</b></p><hr><br></section></div>")
    (records,) = listings(page)
    assert len(records) == 3


def test_what_another_region_covers_is_no_stray():
    other = "<tr><th>" + CELL.replace("td>", "th>")[4:-5] + "</th><th><u>x</u><u>y</u><u>z</u><u>q</u></th></tr>"
    page = table(*[ROW_OF_TWO] * 2, "<tr><td>between</td></tr>", *[other] * 2)
    labels = [[page.tree.labels[record[0]] for record in records] for records in listings(page)]
    assert labels == [["td"] * 4, ["tr"] * 2]


def test_a_list_is_dropped_only_if_all_of_it_has_been_counted():
    """Below rows of two cells, a row of cells and notes: its cells are strays, its notes are in no other list."""
    cell, note = "<p>a<b>n</b><i>u</i></p>", "<q>lost<em></em><u></u><s></s></q>"
    page = Page.parse(f"<section>{f'<div>{cell * 2}</div>' * 3}<div>{(cell + note) * 4}</div></section>")
    assert any("lost" in text for records in listings(page) for text in texts(page, records))


def test_adjacent_rows_that_are_alike_are_not_joined():
    row = "<div>" + "<p><b>n</b><i>t</i></p>" * 3 + "</div>"
    apart = Page.parse(f"<main><div><div>{row}</div></div><hr><div>{row}</div></main>")
    assert [[len(record) for record in records] for records in listings(apart)] == [[1] * 3] * 2


def test_a_short_last_row_is_counted_once():
    """It forms a region of its own, whose records belong to the list above."""
    page = table(*[f"<tr>{CELL * 3}</tr>"] * 4, ROW_OF_TWO)
    assert len(find_regions(page.tree)) == 2
    (records,) = listings(page)
    assert len(records) == 14


def test_figure_15_components_that_are_similar_are_records():
    """Odd entries make wider nodes cover more than single ones. As printed, all of a wide node would be one record."""
    paragraph = "<p>x</p>"
    page = Page.parse(f"<ul>{''.join(f'<li><a>t</a>{paragraph * n}</li>' for n in (2, 3, 1, 2))}</ul>")
    (region,) = find_regions(page.tree)
    assert region.width > 1, "the example must be one where wider nodes cover more"
    (records,) = listings(page)
    assert [len(record) for record in records] == [1] * 4


def test_figure_15_components_that_are_not_similar_stay_one_record():
    page = Page.parse("<dl>" + "<dt><b>term</b></dt><dd><p>text</p><p>text</p></dd>" * 3 + "</dl>")
    (records,) = listings(page)
    assert [len(record) for record in records] == [2] * 3


def test_lists_come_in_document_order_and_each_record_once():
    page = Page.load("examples/people.html")
    found = listings(page)
    assert len(found) > 1
    starts = [records[0][0] for records in found]
    assert starts == sorted(starts)
    for records in found:
        assert len(set(records)) == len(records)


@pytest.mark.parametrize("parameters", [{"k": 0}, {"t": -0.1}, {"t": 2}])
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(UsageError):
        mdr.find(Page.parse("<p>x"), **parameters)


def test_depth_is_no_limit():
    depth = 50_000
    tree = Tree(
        ["div"] * depth + ["a", "b"] * 3,
        [*range(-1, depth - 1), *(x for k in range(3) for x in (depth - 2, depth + 2 * k))],
    )
    assert [len(region.nodes) for region in find_regions(tree)] == [3]
