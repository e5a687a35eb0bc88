"""Columns that are wanted: in another order, under another name, of another type, with their links."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from unweave.column_selection import COLUMN_TYPES, ColumnSpec

PAGE = """<ul class=shop>
<li><a href=/a><b>Kettle</b></a> <i>steel</i> <u>$30.00</u> <em>7 views</em> <s>2024-03-01 10:00</s>
<li><a href=/b><b>Teapot</b></a> <i>glass</i> <u>$25.50</u> <em>12 views</em> <s>2024-03-02 11:30</s>
<li><a href=/c><b>Toaster</b></a> <i>steel</i> <u>$41.00</u> <em>3 views</em> <s>2024-03-05 09:15</s>
<li><a href=/d><b>Scale</b></a> <i>black</i> <u>$18.25</u> <em>9 views</em> <s>2024-03-09 17:45</s>
</ul>"""

column_names = st.text(st.characters(categories=["L", "N"], include_characters="_ "), min_size=1)
new_names = st.text(
    st.characters(exclude_categories=["C", "Z"], include_characters=" "), max_size=30
).filter(lambda name: not name or name.strip())


@pytest.fixture
def table() -> unweave.Table:
    return unweave.records(PAGE, url="https://shop.example/")[0]


def column(table: unweave.Table, says: str) -> str:
    """The name of the column that says this in the first row."""
    return table.names[list(table.rows[0]).index(says)]


def test_columns_are_given_in_the_order_in_which_they_are_wanted(table: unweave.Table) -> None:
    found = table.select(column(table, "$30.00"), column(table, "Kettle"))
    assert list(found.rows[0]) == ["$30.00", "Kettle"]


def test_a_column_can_be_called_something_else(table: unweave.Table) -> None:
    found = table.select(f"{column(table, 'Kettle')}=what it is")
    assert found.names == ["what it is"]


def test_of_a_price_that_is_to_be_a_number_the_amount_counts(table: unweave.Table) -> None:
    found = table.select(f"{column(table, '$30.00')}=cost:number")
    assert [row[0] for row in found.parse_values()][:2] == [Decimal("30.00"), Decimal("25.50")]


def test_of_a_moment_that_is_to_be_a_day_the_day_counts(table: unweave.Table) -> None:
    found = table.select(f"{column(table, '2024-03-01 10:00')}=day:date")
    assert str(found.parse_values()[0][0]) == "2024-03-01"


def test_words_around_values_do_not_hinder_a_type() -> None:
    page = PAGE.replace("<em>9 views</em>", "<em>9 of many views</em>")
    table = unweave.records(page)[0]
    found = table.select(f"{column(table, '7 views')}=views:integer")
    assert [row[0] for row in found.parse_values()] == [7, 12, 3, None]


def test_as_a_string_a_value_is_only_its_text(table: unweave.Table) -> None:
    found = table.select(f"{column(table, '$30.00')}:string")
    assert found.columns[0].type == "string"
    assert found.to_csv(values=True).splitlines()[1] == "$30.00"


def test_links_that_cells_stand_in_are_split_out_with_their_place(table: unweave.Table) -> None:
    found = table.select(f"{column(table, 'Kettle')}@link=where")
    assert [row[0] for row in found.rows] == [f"https://shop.example/{letter}" for letter in "abcd"]
    (link,) = found.nodes[0][0]
    assert table.page.tree.labels[link] == "a"


def test_links_that_cells_hold_are_split_out_too() -> None:
    rows = "".join(
        f"<li><p>see <a href=/{n}>item {n}</a></p><b>{n * 7} pieces</b>" for n in range(5)
    )
    table = unweave.records(f"<ul>{rows}</ul>")[0]
    links = [
        [row[0] for row in table.select(f"{name}@link=to").rows]
        for name, own in zip(table.names, table.columns, strict=True)
        if own.type != "url"
    ]
    assert [f"/{n}" for n in range(5)] in links


def test_lists_are_one_column_that_can_be_picked() -> None:
    table = unweave.records(Path(__file__).parents[1] / "examples" / "jobs.html")[0]
    merged = table.merge_list_columns()
    assert table.select(*merged.names).format_rows() == merged.format_rows()


def test_all_that_is_wanted_by_its_own_name_is_the_table_itself(table: unweave.Table) -> None:
    found = table.select(*table.names)
    assert (found.names, found.format_rows(), found.nodes) == (
        table.names,
        table.format_rows(),
        table.nodes,
    )


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        (["nothing_like_it"], "no column 'nothing_like_it'"),
        ([], "no column is selected"),
        (["a=b", "c=b"], "two columns would be called 'b'"),
        (["a=\n"], "invalid column name"),
    ],
)
def test_wishes_that_cannot_be_met_are_told(
    table: unweave.Table, columns: list[str], complaint: str
) -> None:
    with pytest.raises(unweave.UsageError, match=complaint):
        table.select(*columns)


def test_one_string_is_not_a_list_of_columns() -> None:
    with pytest.raises(unweave.UsageError, match="must be a list"):
        unweave.learn([PAGE], method="records", columns="title")


@given(column_names, new_names, st.sampled_from(["", *COLUMN_TYPES]), st.booleans())
def test_a_pick_in_words_is_read_as_it_was_meant(
    column: str, name: str, kind: str, link: bool
) -> None:
    pick = ColumnSpec(column, name, kind, link)
    assert ColumnSpec.parse(str(pick)) == pick
    assert ColumnSpec.from_json(pick.to_json()) == pick


def test_a_wrapper_remembers_what_is_wanted(table: unweave.Table) -> None:
    from unweave.wrappers.base import Wrapper

    wanted = [f"{column(table, '$30.00')}=cost:number", f"{column(table, 'Kettle')}@link=where"]
    wrapper = Wrapper.loads(unweave.learn([PAGE], method="records", columns=wanted).dumps())
    found, _ = extract(wrapper, PAGE.replace("$25.50", "$99.00"), url="https://shop.example/")
    assert isinstance(found, unweave.Table)
    assert found.names == ["cost", "where"]
    assert found.parse_values()[1][0] == Decimal("99.00")
    assert found.rows[1][1] == "https://shop.example/b"


def test_a_wrapper_that_selects_an_unknown_column_is_damaged(table: unweave.Table) -> None:
    import json

    from unweave.wrappers.base import Wrapper

    data = json.loads(unweave.learn([PAGE], method="records").dumps())
    for picks in (
        [{"column": "nothing"}],
        [{"column": data["columns"][0]["name"], "type": "code"}],
        [3],
        "x",
    ):
        with pytest.raises(unweave.WrapperError, match="damaged"):
            Wrapper.loads(json.dumps({**data, "picks": picks}))


def test_selectors_of_a_wrapper_have_the_names_that_are_wanted(table: unweave.Table) -> None:
    wanted = [f"{column(table, '$30.00')}=cost", f"{column(table, 'Kettle')}=what"]
    found = unweave.learn([PAGE], method="records", columns=wanted).selectors().to_json()
    assert [own["name"] for own in found["columns"]] == ["cost", "what"]
