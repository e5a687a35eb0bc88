"""Segmentation: which texts of a record are one cell."""

from hypothesis import assume, given
from hypothesis import strategies as st

import unweave
from tests.lists.helpers import NAMES, build_list_table, get_column


def test_classes_of_single_records_are_ignored():
    table = build_list_table(
        lambda k, _: f"<h3 class='title id-{k}'>NAME</h3><p class='n{k}'>wood N1</p>"
    )
    assert get_column(table, "title") == NAMES
    assert len(table.columns) == 2


def test_text_whose_marks_differ_between_records_is_one_cell():
    prose = [
        "made of <b>oak</b>",
        "made by <i>hand</i> in <b>June</b>",
        "plain",
        "<b>new</b> and old",
        "a <b>b</b> c",
        "d",
    ]
    table = build_list_table(lambda k, _: f"<h3>NAME</h3><p>{prose[k]} N1</p>")
    assert get_column(table, "text_1")[:2] == ["made of oak 0", "made by hand in June 1"]


def test_a_marked_value_that_every_record_has_is_no_part_of_the_prose():
    table = build_list_table(
        lambda k, _: (
            "<h3>NAME</h3><p>"
            + "a <b>b</b> " * (k % 3)
            + f"sold on <span class='day'>{k + 1} May 2020</span> here</p>"
        )
    )
    assert get_column(table, "day") == [f"{k + 1} May 2020" for k in range(6)]


def test_text_that_introduces_a_value_is_in_its_cell():
    table = build_list_table("<h3>NAME</h3><p>by <a href='/u/N1'>maker N1</a></p>")
    assert get_column(table, "author") == [f"by maker {k}" for k in range(6)]
    assert get_column(table, "author_link") == [f"/u/{k}" for k in range(6)]


def test_lines_of_a_running_text_are_cells():
    table = build_list_table(
        lambda k, _: (
            "<p><a href='/N1'>NAME</a><br>" + "made <b>well</b> " * (k % 2) + "in N1<br>$N1.50</p>"
        )
    )
    assert get_column(table, "price") == [f"${k}.50" for k in range(6)]
    assert NAMES[0] in [cell for row in table for cell in row]


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["<b>x</b>", "y", "<i>z</i>", "<br>", "<p>w</p>", "<a href='/q'>v</a>"]
            ),
            max_size=5,
        ),
        min_size=2,
        max_size=6,
    )
)
def test_every_text_is_in_exactly_one_cell(records):
    """Records of several elements are left out: text between these may be in no record."""
    markup = (
        "<ul>"
        + "".join(f"<li><h3>n{k}</h3>{''.join(parts)}</li>" for k, parts in enumerate(records))
        + "</ul>"
    )
    tables = unweave.records(markup)
    assume(tables)
    whole = [
        (row, text)
        for row, text, record in zip(tables[0], tables[0].texts, tables[0].records, strict=True)
        if len(record) == 1
    ]
    assume(whole)
    for row, text in whole:
        words = " ".join(
            cell
            for cell, column in zip(row, tables[0].columns, strict=True)
            if cell and column.type != "url"
        )
        assert sorted("".join(words.split())) == sorted("".join(text.split()))
