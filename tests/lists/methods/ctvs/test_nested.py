"""Nested structures, by their tags and by their values together."""

import unweave
from unweave import Page
from unweave.lists.methods.ctvs import Ctvs
from unweave.lists.methods.ctvs.nested import is_nested
from unweave.lists.methods.ctvs.values import Similarity


def test_columns_of_numbers_are_one_attribute():
    assert is_nested([[["1", "2"]], [["3", "4"]]], Similarity())


def test_columns_of_numbers_and_words_are_two_attributes():
    assert not is_nested([[["1", "2"]], [["red", "green"]]], Similarity())


def test_values_that_have_nothing_in_common_are_no_evidence():
    assert not is_nested([[["red", "green"]], [["blue", "black"]]], Similarity())


def test_the_means_are_over_all_pairs():
    """Printed, the sum of half of the pairs is divided by the number of all, which would accept half of the similarity."""
    assert is_nested([[["a", "a", "b"]], [["a", "b", "b"]]], Similarity())
    assert not is_nested([[["a", "a", "a"]], [["b", "b", "b"]]], Similarity())


def test_groups_of_values_are_compared_column_by_column():
    assert is_nested([[["S", "S"], ["$1", "$2"]], [["S", "S"], ["$3", "$4"]]], Similarity())
    assert not is_nested(
        [[["S", "S"], ["$1", "$2"]], [["red", "blue"], ["5 kg", "6 kg"]]], Similarity()
    )


def entry(name, *tags, flat="<p>flat</p>"):
    return f"<article><h3>{name}</h3><ul>{''.join(f'<li><a href=/{tag}>{tag}</a></li>' for tag in tags)}</ul>{flat}</article>"


def page_of(*entries, variant="improved"):
    return unweave.records(
        Page.parse(f"<main>{''.join(entries)}</main>"), method=Ctvs(variant=variant)
    )[0]


def test_a_varying_number_of_values_is_a_list_in_the_cell():
    table = page_of(
        entry("one", "12", "13"), entry("two", "5"), entry("three", "7", "8", "9"), entry("four")
    )
    assert [column.type for column in table.columns] == ["string", "list", "list", "string"]
    assert table.rows[0] == ["one", ["/12", "/13"], ["12", "13"], "flat"]
    assert table.rows[1] == ["two", ["/5"], ["5"], "flat"]
    assert table.rows[2] == ["three", ["/7", "/8", "/9"], ["7", "8", "9"], "flat"]
    assert table.rows[3] == ["four", None, None, "flat"]
    assert [len(nodes) for nodes in table.nodes[2]] == [1, 3, 3, 1]


def test_the_cells_of_a_data_table_are_columns():
    """All rows have three cells, though some are empty."""
    rows = [("1", "2", "3"), ("4", "", "6"), ("7", "8", ""), ("", "", "9")]
    cells = "".join(
        "<tr><th>n</th>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    table = unweave.records(Page.parse(f"<table>{cells}</table>"), method=Ctvs(variant="improved"))[
        0
    ]
    assert [column.type for column in table.columns] == ["string"] * 4
    assert table.rows[0] == ["n", "1", "2", "3"]


def test_fields_of_other_types_beside_the_repeated_ones_stay_out():
    flat = "<ul><li>5.0 kg</li><li>Monday</li></ul>"
    table = page_of(
        entry("one", "12", "13", flat=flat),
        entry("two", "5", flat=flat),
        entry("three", "7", "8", "9", flat=flat),
        entry("four", flat=flat),
    )
    assert table.rows[2][2] == ["7", "8", "9"]
    assert [row[-1] for row in table.rows] == ["Monday"] * 4


def test_an_optional_second_value_is_a_column_of_its_own():
    table = page_of(entry("one", "12", "13"), entry("two", "5"), entry("three", "7"))
    assert [column.type for column in table.columns] == [
        "string",
        "url",
        "string",
        "url",
        "string",
        "string",
    ]
    assert table.rows[:2] == [
        ["one", "/12", "12", "/13", "13", "flat"],
        ["two", "/5", "5", None, None, "flat"],
    ]
