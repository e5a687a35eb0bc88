"""MDR by the figures of its paper, as printed and corrected, through the public method."""

import json
import re

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests import oracles
from unweave import Page, UsageError
from unweave.cli import main
from unweave.lists import data_records
from unweave.lists.data_records import find_regions
from unweave.lists.methods import mdr
from unweave.lists.methods.mdr import Mdr
from unweave.trees.edit_distance import compute_normalized_distance
from unweave.trees.tree import Tree

CELL = "<td><img><b>name</b><p>text <i>more</i></p></td>"
ROW_OF_ONE, ROW_OF_TWO = f"<tr>{CELL}</tr>", f"<tr>{CELL}{CELL}</tr>"


def table(*rows):
    return Page.parse(f"<table>{''.join(rows)}</table>")


def listings(page, **parameters):
    """The records of all lists, in document order."""
    return sorted(tuple(found.records) for found in unweave.records(page, method=Mdr(**parameters)))


def texts(page, records):
    return [" ".join(page.text(node) for node in record) for record in records]


def element(label, content):
    return f"<tag-{label}>{content}</tag-{label}>"


def regions_of(labels, k=10):
    """The regions among siblings of these labels as (width, start, covered) from 1; only siblings of one label are similar.

    As printed, the generalized nodes of such siblings are the records.
    """
    page = Page.parse(
        f"<main>{''.join(element(label, '<b>x</b>') for label in labels.lower())}</main>"
    )
    siblings = page.tree.children(page.tree.labels.index("main"))
    return [
        (len(records[0]), siblings.index(records[0][0]) + 1, sum(map(len, records)))
        for records in listings(page, variant="printed", k=k, t=0)
    ]


# ---- regions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["printed", "corrected", "improved"])
def test_figures_1_and_2_two_notebooks_of_five_rows_each(variant):
    offer = "<td><b>Buy new: $1,194.00</b> <i>ships in 1 to 2 days</i></td>"
    notebook = (
        f"<tr><td><a>1. Apple iBook</a></td></tr><tr><td><img></td>{offer}</tr><tr><td></td></tr>"
        "<tr><td><b>Best use:</b><u>Business</u><u>Portability</u></td></tr><tr><td>600 MHz</td></tr>"
    )
    page = table(notebook, notebook.replace("<i>ships in 1 to 2 days</i>", ""))
    (records,) = listings(page, variant=variant)
    assert [len(record) for record in records] == [5, 5]


def test_figure_3_regions_1_and_2():
    assert regions_of("AAxBBB") == [(1, 1, 2), (1, 4, 3)]


def test_figure_3_region_3_of_pairs():
    assert regions_of("XABABABY") == [(2, 2, 6)]


def test_figure_4_compares_21_pairs():
    pairs = oracles.compared_pairs(10, 3)
    assert len(pairs) == 21
    assert {(1, 9)} == set(pairs) - set(oracles.compared_pairs(10, 3, as_printed=True)), (
        "Figure 6 drops the pair (9, 10)"
    )


def siblings_with_one_pair(n, width, start):
    """Labels of so many siblings, all different but for two adjacent runs of this width that are alike."""
    labels = "abcdefghijklmnopqrstuvwxyz"[:n]
    first = labels[start - 1 : start - 1 + width]
    return labels[: start - 1] + first * 2 + labels[start - 1 + 2 * width :]


@pytest.mark.parametrize(("width", "start"), oracles.compared_pairs(10, 3))
def test_figure_4_each_of_the_21_pairs_is_a_region_if_it_alone_is_similar(width, start):
    assert regions_of(siblings_with_one_pair(10, width, start), k=3) == [(width, start, 2 * width)]


@pytest.mark.parametrize("variant", ["printed", "corrected", "improved"])
def test_figure_6_the_pair_of_the_last_two_siblings_is_compared(variant):
    """As printed, the loop ends before the pair (9, 10), which Figure 4 has: the list would be lost."""
    labels = siblings_with_one_pair(10, 1, 9)
    assert oracles.regions(labels, 10, as_printed=True) == []
    page = Page.parse(f"<main>{''.join(element(label, '<b>x</b>') for label in labels)}</main>")
    siblings = page.tree.children(page.tree.labels.index("main"))
    assert len(siblings) == 10
    (records,) = listings(page, variant=variant, t=0)
    assert records == ((siblings[8],), (siblings[9],))


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_figure_6_every_pair_of_adjacent_runs_is_compared(n):
    """And nothing else is: of runs wider than k, no region comes."""
    pairs = [
        (width, start) for width in range(1, n // 2 + 1) for start in range(1, n - 2 * width + 2)
    ]
    for k in range(1, n // 2 + 1):
        for width, start in pairs:
            expected = [(width, start, 2 * width)] if width <= k else []
            assert regions_of(siblings_with_one_pair(n, width, start), k=k) == expected


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(2, 25) for k in range(1, 11)])
def test_figure_6_compares_every_pair_of_adjacent_runs_once(n, k):
    assert sorted(oracles.compared_pairs(n, k)) == [
        (width, start) for width in range(1, k + 1) for start in range(1, n - 2 * width + 2)
    ]


def test_figure_9_a_list_that_fills_its_parent_is_found():
    """To the letter, a region that reaches the last child is thrown away: Figures 1, 7 and 11 would have no records."""
    assert regions_of("AAAA") == [(1, 1, 4)]
    assert oracles.regions("AAAA", 10, as_printed=True) == []


@given(st.text("ABx", max_size=14), st.integers(1, 4))
def test_figure_9_needs_not_forget_the_current_region_between_starts(labels, k):
    """The figure does not reset it. What has lost to the best region once loses to it again, and to any later one."""
    assert oracles.regions(labels, k, keeps_current=True) == oracles.regions(labels, k)


def test_wider_nodes_are_taken_where_they_cover_more():
    assert regions_of("AABAAB") == [(3, 1, 6)]


def test_several_regions_below_one_parent():
    assert regions_of("xAAyAA") == [(1, 2, 2), (1, 5, 2)]


def test_the_widest_node_has_k_components():
    assert regions_of("ABCABC", k=2) == []
    assert regions_of("ABCABC", k=3) == [(3, 1, 6)]


@given(st.text("ABx", min_size=1, max_size=14), st.integers(1, 4))
def test_regions_are_those_of_the_corrected_figure_9(labels, k):
    assert regions_of(labels, k=k) == oracles.regions(labels, k)


def test_the_threshold_counts_as_similar():
    """Definition 4 says 'less than', Figure 9 says 'at most': the figure holds. Here the distance is 0.3 exactly."""
    first, second = (
        "<tr>" + "<td>x</td>" * 9 + "</tr>",
        "<tr>" + "<td>x</td>" * 6 + "<th>x</th>" * 3 + "</tr>",
    )
    page = table(first, second)
    tree = page.tree
    rows = [node for node, label in enumerate(tree.labels) if label == "tr"]
    strings = [tree.tag_string[node : tree.ends[node]] for node in rows]
    assert compute_normalized_distance(*strings) == 0.3
    assert [len(records) for records in listings(page)] == [2]
    assert listings(page, t=0.29) == []


def test_figures_8_and_10_a_region_covers_what_is_below_it():
    def row(label, cell):
        return element(label, element(cell, "<p><b>x</b>y</p>") * 2 + "<i>z</i>")

    page = Page.parse(f"<main>{row('a', 'x') * 2}{row('b', 'y')}</main>")
    labels = [[page.tree.labels[record[0]] for record in records] for records in listings(page)]
    assert labels == [["tag-a"] * 2, ["tag-y"] * 2]


def test_figure_5_a_single_level_of_tags_holds_no_regions():
    page = Page.parse("<ul><li>a<li>b<li>c</ul>")
    assert listings(page) == []


# ---- records ---------------------------------------------------------------------------------------------------


def test_figure_7_eight_records_in_four_rows():
    page = table(*[ROW_OF_TWO] * 4)
    (region,) = find_regions(page.tree)
    assert (region.width, len(region.nodes)) == (1, 4)
    (records,) = listings(page)
    assert len(records) == 8
    assert {page.tree.labels[record[0]] for record in records} == {"td"}


def test_figures_11_and_12_two_records_in_each_row():
    page = table(*[ROW_OF_TWO] * 2)
    (records,) = listings(page)
    assert [page.tree.labels[record[0]] for record in records] == ["td"] * 4


def test_figure_13_the_rows_of_a_data_table_are_records():
    page = table(*["<tr><td>a</td><td>b</td><td>c</td></tr>"] * 3)
    (records,) = listings(page)
    assert texts(page, records) == ["a b c"] * 3


@pytest.mark.parametrize(
    "cell", ["<a href=x>text</a>", "<img src=x>", "<a href=x><img src=x></a>", "<a href=x></a>"]
)
def test_figure_13_the_only_item_of_a_cell_may_be_a_link_or_a_picture(cell):
    page = table(*[f"<tr>{f'<td>{cell}</td>' * 3}</tr>"] * 3)
    (records,) = listings(page)
    assert [page.tree.labels[record[0]] for record in records] == ["tr"] * 3


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_a_cell_with_a_picture_and_a_caption_is_an_object(variant):
    rows = [[f"{row}{column}" for column in range(3)] for row in range(2)]
    cells = [
        [f"<td><img src=/{name}.png><p>caption {name}</p></td>" for name in row] for row in rows
    ]
    page = table(*[f"<tr>{''.join(row)}</tr>" for row in cells])
    (found,) = unweave.records(page, method=Mdr(variant=variant))
    assert found.names == ["image_1", "text_1"]
    assert found.rows == [[f"/{name}.png", f"caption {name}"] for row in rows for name in row]


def test_figure_14_a_row_with_one_object_is_a_record():
    page = table(*[ROW_OF_ONE] * 3)
    (records,) = listings(page)
    assert {page.tree.labels[record[0]] for record in records} == {"tr"}


def test_figure_16_one_object_in_several_rows():
    name, details = (
        "<tr><td><b>name</b></td><td><i><u>price</u></i></td></tr>",
        "<tr><td><p>text</p></td></tr>",
    )
    page = table(*[name, details] * 3)
    (records,) = listings(page)
    assert texts(page, records) == ["name price text"] * 3


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_figures_17_and_18_four_objects_with_non_contiguous_descriptions(variant):
    def names(a, b):
        return f"<tr><td><b>{a}</b></td><td><b>{b}</b></td></tr>"

    def details(a, b):
        return (
            "<tr>"
            + "".join(f"<td><p>{x}<i></i></p><p></p><font></font><img></td>" for x in (a, b))
            + "</tr>"
        )

    page = table(names("n1", "n2"), details("d1", "d2"), names("n3", "n4"), details("d3", "d4"))
    (region,) = find_regions(page.tree)
    assert (region.width, len(region.nodes)) == (2, 4)
    (records,) = listings(page, variant=variant)
    assert texts(page, records) == ["n1 d1", "n2 d2", "n3 d3", "n4 d4"]


def test_the_second_non_contiguous_case_joins_two_rows():
    page = table(
        "<tr><td><b>n1</b></td><td><b>n2</b></td><td><b>n3</b></td></tr>",
        "<tr>"
        + "".join(
            f"<td><p>{x}<i></i></p><p></p><font></font><img></td>" for x in ("d1", "d2", "d3")
        )
        + "</tr>",
    )
    (records,) = listings(page)
    assert texts(page, records) == ["n1 d1", "n2 d2", "n3 d3"]


def test_adjacent_rows_that_are_alike_are_not_joined():
    row = "<div>" + "<p><b>n</b><i>t</i></p>" * 3 + "</div>"
    apart = Page.parse(f"<main><div><div>{row}</div></div><hr><div>{row}</div></main>")
    assert [[len(record) for record in records] for records in listings(apart)] == [[1] * 3] * 2


def page_with_wide_nodes():
    """A list of four entries in which a pair of two entries covers more nodes than single ones."""
    paragraph = "<p>x</p>"
    page = Page.parse(
        f"<ul>{''.join(f'<li><a>t</a>{paragraph * n}</li>' for n in (2, 3, 1, 2))}</ul>"
    )
    (region,) = find_regions(page.tree)
    assert region.width == 2
    return page


def test_figure_15_as_printed_a_node_of_several_components_is_one_record():
    (records,) = listings(page_with_wide_nodes(), variant="printed")
    assert [len(record) for record in records] == [2] * 2


@pytest.mark.parametrize("variant", ["corrected", "improved"])
def test_figure_15_corrected_components_that_are_similar_are_records(variant):
    (records,) = listings(page_with_wide_nodes(), variant=variant)
    assert [len(record) for record in records] == [1] * 4


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_figure_15_components_that_are_not_similar_stay_one_record(variant):
    page = Page.parse("<dl>" + "<dt><b>term</b></dt><dd><p>text</p><p>text</p></dd>" * 3 + "</dl>")
    (records,) = listings(page, variant=variant)
    assert [len(record) for record in records] == [2] * 3


# ---- stray records ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_figures_19_and_20_a_stray_record_is_found(variant):
    page = table(ROW_OF_TWO, ROW_OF_TWO, ROW_OF_ONE)
    tree = page.tree
    rows = [
        tree.tag_string[node : tree.ends[node]]
        for node, label in enumerate(tree.labels)
        if label == "tr"
    ]
    assert compute_normalized_distance(rows[1], rows[2]) == pytest.approx(10 / 17)
    (region,) = find_regions(tree)
    assert len(region.nodes) == 2
    (records,) = listings(page, variant=variant)
    assert len(records) == 5


def test_a_stray_record_is_like_the_last_one():
    """The paper allows any record; the last is the nearest. Here the first would not do."""
    small, large = "<td><b>n</b><p>t</p><p>t</p></td>", "<td><b>n</b><p>t</p><p>t</p><p>t</p></td>"
    largest = "<td><b>n</b><p>t</p><p>t</p><p>t</p><i>t</i></td>"
    page = table(f"<tr>{small}{large}</tr>", f"<tr>{large}{large}</tr>", f"<tr>{largest}</tr>")
    assert compute_normalized_distance("tbpp", "tbpppi") > mdr.T
    (records,) = listings(page)
    assert len(records) == 5


def different_row(number):
    """A row that is like no other, and like no run of other rows."""
    return f"<tr><th>{element(f'r{number}', 'x') * 60}</th></tr>"


def test_strays_are_found_beside_any_number_of_regions():
    count = 30
    page = table(*[ROW_OF_TWO * 2 + ROW_OF_ONE + different_row(number) for number in range(count)])
    tables = [records for records in listings(page) if page.tree.labels[records[0][0]] == "td"]
    assert [len(records) for records in tables] == [5] * count


def test_a_stray_belongs_to_the_nearest_list_before_it():
    page = table(ROW_OF_TWO * 2, different_row(1), ROW_OF_TWO * 2, ROW_OF_ONE)
    assert [len(records) for records in listings(page)] == [4, 5]


def test_a_stray_before_all_lists_belongs_to_the_first():
    page = table(ROW_OF_ONE, different_row(1), ROW_OF_TWO * 2, different_row(2), ROW_OF_TWO * 2)
    assert [len(records) for records in listings(page)] == [5, 4]


def test_beyond_the_limit_of_work_no_strays_are_looked_for(monkeypatch):
    page = table(ROW_OF_TWO, ROW_OF_TWO, ROW_OF_ONE)
    monkeypatch.setattr(data_records, "MAX_STRAY_WORK", 0)
    (records,) = listings(page)
    assert len(records) == 4


def test_beside_whole_rows_nothing_is_a_stray():
    page = Page.parse(
        "<div>"
        + "<p><a>t</a><b>u</b></p>" * 3
        + "<section><p><a>t</a><b>u</b></p><hr><br></section></div>"
    )
    (records,) = listings(page)
    assert len(records) == 3


def test_what_another_region_covers_is_no_stray():
    other = (
        "<tr><th>"
        + CELL.replace("td>", "th>")[4:-5]
        + "</th><th><u>x</u><u>y</u><u>z</u><u>q</u></th></tr>"
    )
    page = table(*[ROW_OF_TWO] * 2, "<tr><td>between</td></tr>", *[other] * 2)
    labels = [[page.tree.labels[record[0]] for record in records] for records in listings(page)]
    assert labels == [["td"] * 4, ["tr"] * 2]


def test_a_list_is_dropped_only_if_all_of_it_has_been_counted():
    """Below rows of two cells, a row of cells and notes: its cells are strays, its notes are in no other list."""
    cell, note = "<p>a<b>n</b><i>u</i></p>", "<q>lost<em></em><u></u><s></s></q>"
    page = Page.parse(
        f"<section>{f'<div>{cell * 2}</div>' * 3}<div>{(cell + note) * 4}</div></section>"
    )
    assert any("lost" in text for records in listings(page) for text in texts(page, records))


@pytest.mark.parametrize(("variant", "counts"), [("printed", [14, 2]), ("corrected", [14])])
def test_a_short_last_row_is_counted_once(variant, counts):
    """It forms a region of its own, whose records belong to the list above. As printed, they are given twice."""
    page = table(*[f"<tr>{CELL * 3}</tr>"] * 4, ROW_OF_TWO)
    assert len(find_regions(page.tree)) == 2
    assert [len(records) for records in listings(page, variant=variant)] == counts


# ---- pictures and links ------------------------------------------------------------------------------------------


def test_a_list_of_pictures_without_text_is_a_table():
    pictures = "".join(f"<li><a href=/{n}><img src=/{n}.png></a></li>" for n in range(4))
    (found,) = unweave.records(f"<h1>Gallery</h1><ul>{pictures}</ul>", method="mdr")
    assert found.names == ["image_1"]
    assert found.rows == [[f"/{n}.png"] for n in range(4)]
    assert 0 < found.score < 1


def test_a_list_of_links_without_text_is_a_table():
    links = "".join(f"<li><b><a href=/{n}></a></b></li>" for n in range(4))
    (found,) = unweave.records(f"<ul>{links}</ul>", method="mdr")
    assert (found.names, found.rows) == (["link_1"], [[f"/{n}"] for n in range(4)])


def test_pictures_stand_among_the_texts_in_the_order_of_the_page():
    entries = "".join(
        f"<li><b>name {n}</b><img src=/{n}.png><a href=/{n}></a><i>text {n}</i></li>"
        for n in range(3)
    )
    (found,) = unweave.records(f"<ul>{entries}</ul>", method="mdr")
    assert found.names == ["text_1", "image_1", "link_1", "text_2"]
    assert found.rows == [[f"name {n}", f"/{n}.png", f"/{n}", f"text {n}"] for n in range(3)]


def test_a_link_without_text_is_in_no_column_of_texts():
    entries = "<li><b>x</b><a href=/1>text</a></li><li><b>x</b><a href=/2></a></li><li><b>x</b><a href=/3>text</a></li>"
    (found,) = unweave.records(f"<ul>{entries}</ul>", method="mdr")
    assert found.rows == [["x", None, "text"], ["x", "/2", None], ["x", None, "text"]]


# ---- options -----------------------------------------------------------------------------------------------------


def test_with_tags_tables_records_consist_of_elements_of_tables_and_forms():
    rows = "<tr><td><b>a</b></td><td><i>b</i></td></tr>" * 3
    page = Page.parse(
        f"<ul>{'<li><b>x</b></li>' * 3}</ul><table>{rows}</table>{'<form><b>y</b></form>' * 2}<hr>"
    )

    def labels(**parameters):
        return [page.tree.labels[records[0][0]] for records in listings(page, **parameters)]

    assert labels() == labels(tags="all") == ["li", "tr", "form"]
    assert labels(tags="tables") == ["tr", "form"]


def test_with_tags_tables_other_siblings_part_regions():
    form, box = "<form><b>x</b><i>y</i><u>z</u></form>", "<div><b>x</b><i>y</i><u>z</u></div>"
    page = Page.parse(f"<main>{form * 3}{box}{form * 2}</main>")
    assert [len(records) for records in listings(page)] == [6]
    assert [len(records) for records in listings(page, tags="tables")] == [3, 2]


def shop_with_reviews():
    review = "<li><b>Ada</b><p>good</p></li>"
    product = "<article><h2>{}</h2><p>{}</p><ul>{}</ul></article>"
    return Page.parse(
        f"<main>{''.join(product.format(f'product {n}', 'text', review * 3) for n in range(4))}</main>"
    )


def test_nested_records_are_lists_of_their_own():
    page = shop_with_reviews()
    labels = [
        [page.tree.labels[record[0]] for record in records]
        for records in listings(page, nested=True)
    ]
    assert sorted(labels) == [["article"] * 4] + [["li"] * 3] * 4
    assert listings(page, nested=True)[0] == listings(page)[0]


def test_nested_lists_of_an_example_page():
    page = Page.load("examples/nested.html")
    courses = [
        records
        for records in listings(page, nested=True)
        if re.match("[A-Z]{3} [0-9]{3} ", texts(page, records)[0])
    ]
    assert [len(records) for records in courses] == [3, 4, 3, 5, 3, 3, 6, 3]
    assert not set(courses) & set(listings(page))


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_without_the_option_covered_lists_are_not_given(variant):
    """The paper claims nested records, but Figure 10 discards every region that a region further up covers."""
    page = shop_with_reviews()
    (records,) = listings(page, variant=variant)
    assert [page.tree.labels[record[0]] for record in records] == ["article"] * 4


def test_nested_lists_of_a_record_in_two_lists_are_given_once():
    """As printed, the records of the last row are in a list of their own, and stray records of the list above."""
    cell = f"<td><b>name</b><ul>{'<li><b>x</b><i>y</i></li>' * 2}</ul></td>"
    page = table(*[f"<tr>{cell * 3}</tr>"] * 4, f"<tr>{cell * 2}</tr>")
    assert [len(records) for records in listings(page, variant="printed")] == [14, 2]
    assert sorted(len(records) for records in listings(page, variant="printed", nested=True)) == [
        2
    ] * 15 + [14]


def test_cells_of_data_tables_and_records_in_rows_are_no_nested_lists():
    data = table(*["<tr><td><b>a</b></td><td><b>b</b></td><td><b>c</b></td></tr>"] * 3)
    assert listings(data, nested=True) == listings(data)
    objects = table(*["<tr>" + "<td><b>name</b><i>price</i></td>" * 3 + "</tr>"] * 3)
    assert [len(records) for records in listings(objects, nested=True)] == [9]


def page_of(notation):
    """The page of a tree such as ``a(b c)``, with a text in every element."""
    parts = re.findall(r"([abc])(\()?|(\))", notation)
    markup, open_labels = [], []
    for label, opens, closes in parts:
        if closes:
            markup.append(f"</tag-{open_labels.pop()}>")
        else:
            markup.append(f"<tag-{label}>x")
            if opens:
                open_labels.append(label)
            else:
                markup.append(f"</tag-{label}>")
    return Page.parse(f"<main>{''.join(markup)}</main>")


@given(
    st.lists(oracles.notations, min_size=1, max_size=5).map(" ".join),
    st.sampled_from(["printed", "corrected"]),
)
def test_laws_of_nested_lists(notation, variant):
    page = page_of(f"{notation} {notation}")
    ends = page.tree.ends
    plain = listings(page, variant=variant)
    nested = listings(page, variant=variant, nested=True)
    assert set(plain) <= set(nested)
    for found in set(nested) - set(plain):
        around = [
            node
            for records in nested
            if records != found
            for record in records
            for node in record
            if all(node < root < ends[node] for part in found for root in part)
        ]
        assert around, "every further list is inside of one part of a record"


@given(st.lists(oracles.notations, min_size=1, max_size=5).map(" ".join))
def test_no_region_of_figure_8_is_inside_of_another(notation):
    tree = page_of(f"{notation} {notation}").tree
    regions = find_regions(tree)
    covered = {
        inner
        for region in regions
        for node in region.nodes
        for inner in range(node, tree.ends[node])
    }
    assert not [region for region in regions if region.parent in covered]


@pytest.mark.parametrize(
    ("words", "parameters"),
    [
        (["--variant", "printed"], {"variant": "printed"}),
        (["-p", "tags=tables"], {"tags": "tables"}),
        (["-p", "nested=yes"], {"nested": True}),
    ],
)
def test_options_on_the_command_line(words, parameters):
    source = "examples/products.html"
    result = CliRunner().invoke(
        main, ["records", source, "--method", "mdr", *words, "--format", "json"]
    )
    assert result.exit_code == 0, result.output
    shown = [found["rows"] for found in json.loads(result.stdout)[0]["tables"]]
    assert shown == [
        found.format_rows() for found in unweave.records(source, method=Mdr(**parameters))
    ]
    assert shown != [found.format_rows() for found in unweave.records(source, method="mdr")], (
        "the page must be one that differs"
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be at least 1, not 0"),
        ({"t": -0.1}, "t must be at least 0 and below 2, not -0.1"),
        ({"t": 2}, "t must be at least 0 and below 2, not 2"),
        ({"variant": "best"}, "unknown variant 'best'; choose from printed, corrected, improved"),
        ({"tags": "lists"}, "unknown tags 'lists'; choose from all, tables"),
        ({"nested": 1}, "nested must be true or false, not 1"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        unweave.records("<p>x", method=Mdr(**parameters))


def test_lists_come_in_document_order_and_each_record_once():
    page = Page.load("examples/people.html")
    found = [listing.records for listing in mdr.find_lists(page)]
    assert len(found) > 1
    starts = [records[0][0] for records in found]
    assert starts == sorted(starts)
    for records in found:
        assert len(set(records)) == len(records)


def test_depth_is_no_limit():
    depth = 50_000
    tree = Tree(
        ["div"] * depth + ["a", "b"] * 3,
        [*range(-1, depth - 1), *(x for k in range(3) for x in (depth - 2, depth + 2 * k))],
    )
    assert [len(region.nodes) for region in find_regions(tree)] == [3]
