"""Columns: which cells of different records share a column."""

from tests.lists.helpers import NAMES, build_list_table, get_column


def test_cells_keep_their_column_where_others_are_missing():
    table = build_list_table(
        lambda k, _: (
            "<h3>NAME</h3>"
            + ("<p class='old'>was N1</p>" if k % 2 else "")
            + "<p class='now'>now N1</p>"
        )
    )
    assert get_column(table, "old") == [None, "was 1", None, "was 3", None, "was 5"]
    assert get_column(table, "now") == [f"now {k}" for k in range(6)]


def test_records_of_two_templates_share_columns():
    table = build_list_table(
        lambda k, _: (
            f"<div class='{'wide' if k % 2 else 'tall'}'>"
            + ("<div>" if k % 2 else "")
            + "<h3 class='name'>NAME</h3>"
            "<span class='price'>$N1.00</span>" + ("</div>" if k % 2 else "") + "</div>"
        )
    )
    assert (get_column(table, "name"), get_column(table, "price")) == (
        NAMES,
        [f"${k}.00" for k in range(6)],
    )


def test_values_that_a_record_has_several_times_are_a_list_too():
    table = build_list_table(
        lambda k, _: (
            "<h3>NAME</h3><p>"
            + "".join(f"<a class='tag' href='/t{n}'>tag {n}</a> " for n in range(k % 3))
            + "</p>"
        )
    )
    assert table.collect_lists()["tag"] == [
        [f"tag {n}" for n in range(k % 3)] or None for k in range(6)
    ]
    assert get_column(table, "tag_2") == [None, None, "tag 1", None, None, "tag 1"]


def test_a_list_with_a_constant_first_value_is_kept():
    table = build_list_table(
        lambda k, _: (
            "<h3>NAME</h3><p>"
            + "".join(
                f"<a class='tag'>{(n and f't{k}{n}') or 'new'}</a> " for n in range(1 + k % 3)
            )
            + "</p>"
        )
    )
    assert table.to_columns()["tag"][:3] == [None, ["t11"], ["t21", "t22"]]
    assert table.collect_lists()["tag"][2] == ["new", "t21", "t22"]


def test_buttons_and_separators_are_no_columns_and_constant_texts_are_hidden():
    table = build_list_table("<h3>NAME</h3> <i>|</i> <p>In stock</p><button>Add to cart</button>")
    assert "Add to cart" not in str(table.rows)
    assert "|" not in str(table.rows)
    assert [column.is_constant for column in table.columns] == [False, True]
    assert table.drop_constant_columns().names == ["title"]
    assert table.to_csv().splitlines()[:2] == ["title", "Ash chair"]


def test_a_constant_price_is_data():
    table = build_list_table("<h3>NAME</h3><p>$5.00</p>")
    assert get_column(table.drop_constant_columns(), "price") == ["$5.00"] * 6


def test_a_repeated_link_is_one_column():
    table = build_list_table("<a href='/N1'><img src='N1.jpg'></a><h3><a href='/N1'>NAME</a></h3>")
    assert table.names == ["image", "title_link", "title"]
