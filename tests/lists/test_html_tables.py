"""Lists that are HTML tables: header rows, empty cells, spanning cells, row headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from unweave.page.page import Page

CASES = [
    ("Smith v. Jones", "2020-01-05", "S1"),
    ("Doe v. Roe", "2020-02-07", "S2"),
    ("In re Oak", "2020-03-09", "S3"),
    ("Ash v. Elm", "2020-04-11", "S4"),
    ("Fir v. Yew", "2020-05-13", "S5"),
]


def read_table(*rows):
    markup = "".join(f"<tr>{row}</tr>" for row in rows)
    return unweave.records(f"<h1>Opinions</h1><table>{markup}</table>")[0]


def make_cells(*texts, tag="td"):
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


@pytest.mark.parametrize(
    "header", ["<th>{}</th>", "<td><b>{}</b></td>", "<td><strong>{}</strong></td>"]
)
def test_a_header_row_names_the_columns_and_is_no_record(header):
    head = "".join(map(header.format, ["Case", "Filed", "Court", "Docket"]))
    table = read_table(
        head, *(make_cells(case, day, "Supreme Court", docket) for case, day, docket in CASES)
    )
    assert table.names == ["case", "filed", "court", "docket"]
    assert len(table) == len(CASES)


def test_a_first_row_in_bold_is_data_where_all_rows_are_in_bold():
    rows = "".join(
        f"<tr>{make_cells(f'<b>{case}</b>', f'<b>{docket}</b>')}</tr>" for case, _, docket in CASES
    )
    assert not Page.parse(f"<table>{rows}</table>").table_grid.header_rows


def test_a_constant_column_is_kept_where_the_table_has_a_header_for_it():
    rows = [make_cells(case, "Supreme Court", docket) for case, _, docket in CASES]
    assert (
        "court" in read_table(make_cells("Case", "Court", "Docket", tag="th"), *rows).to_columns()
    )
    items = "".join(
        f"<li><h3>{case}</h3><p>Supreme Court</p><p class=no>{docket}</p></li>"
        for case, _, docket in CASES
    )
    bare = unweave.records(f"<ul>{items}</ul>")[0]
    assert all("Supreme Court" not in column for column in bare.to_columns().values())
    kept = bare.keep_constant_columns()
    assert ["Supreme Court"] * len(CASES) in kept.to_columns().values()
    assert kept.nodes == bare.nodes


def test_an_empty_cell_stays_empty():
    rows = [
        make_cells(case, "" if number % 2 else f"Judge {number}", docket)
        for number, (case, _, docket) in enumerate(CASES)
    ]
    table = read_table(make_cells("Case", "Judge", "Docket", tag="th"), *rows)
    assert table.to_columns()["judge"] == ["Judge 0", None, "Judge 2", None, "Judge 4"]
    assert table.to_columns()["docket"] == ["S1", "S2", "S3", "S4", "S5"]


ROWSPAN = [
    make_cells("Day", "Case", "Docket", tag="th"),
    "<td rowspan=2>Monday</td>" + make_cells("Smith v. Jones", "S1"),
    make_cells("Doe v. Roe", "S2"),
    "<td rowspan=3>Tuesday</td>" + make_cells("In re Oak", "S3"),
    make_cells("Ash v. Elm", "S4"),
    make_cells("Fir v. Yew", "S5"),
]


def test_a_cell_that_spans_rows_fills_each_of_them():
    table = read_table(*ROWSPAN)
    assert table.to_columns()["day"] == ["Monday", "Monday", "Tuesday", "Tuesday", "Tuesday"]
    assert table.to_columns()["docket"] == ["S1", "S2", "S3", "S4", "S5"]
    assert table.nodes[1][0] == table.nodes[0][0]


def test_a_wrapper_fills_spanned_cells_too():
    markup = "<h1>Opinions</h1><table>" + "".join(f"<tr>{row}</tr>" for row in ROWSPAN) + "</table>"
    wrapper = unweave.learn([markup])
    changed = markup.replace("Monday", "Friday").replace("S2", "S7")
    table, _ = extract(wrapper, changed)
    assert table.to_columns()["day"] == ["Friday", "Friday", "Tuesday", "Tuesday", "Tuesday"]
    assert table.to_columns()["docket"] == ["S1", "S7", "S3", "S4", "S5"]


def test_a_wrapper_is_learned_from_records_with_a_cell_that_spans_them():
    full = [make_cells(f"a{n}", f"b{n}", "") for n in range(6)]
    spanning = ["<td></td><td rowspan=2>7</td>", make_cells("a9", "c9")]
    rows = [make_cells("One", "Two", "Three", tag="th"), *full, *spanning]
    markup = "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    table, _ = extract(unweave.learn([markup]), markup)
    assert table.format_rows()[-1] == ["a9", "7", "c9"]


def test_a_cell_that_spans_columns_fills_each_of_them():
    rows = [
        make_cells(case)
        + (f"<td colspan=2>Panel {n}</td>" if n % 2 else make_cells(f"Judge {n}", f"Clerk {n}"))
        + make_cells(docket)
        for n, (case, _, docket) in enumerate(CASES)
    ]
    table = read_table(make_cells("Case", "Judge", "Clerk", "Docket", tag="th"), *rows).to_columns()
    assert table["judge"][:2] == ["Judge 0", "Panel 1"]
    assert table["clerk"][:2] == ["Clerk 0", "Panel 1"]
    assert table["docket"] == ["S1", "S2", "S3", "S4", "S5"]


def test_headers_above_each_other_are_one_name():
    head = "<th rowspan=2>City</th><th colspan=2>2019</th><th colspan=2>2020</th>"
    rows = [make_cells(f"City {n}", n, n * 3, n * 7, n * 9) for n in range(6)]
    assert read_table(head, make_cells("in", "out", "in", "out", tag="th"), *rows).names == [
        "city", "2019_in", "2019_out", "2020_in", "2020_out"]  # fmt: skip


def test_row_headers_are_kept():
    rows = [f"<th scope=row>City {n}</th>" + make_cells(n * 31, n * 37) for n in range(1, 7)]
    table = read_table("<td></td>" + make_cells("2019", "2020", tag="th"), *rows)
    assert table.format_rows()[0] == ["City 1", "31", "37"]
    assert table.names[1:] == ["2019", "2020"]


SPANS = st.sampled_from(["", "0", "1", "2", "3", "-1", "x", "99999999999", "1000"])


@given(st.lists(st.lists(st.tuples(SPANS, SPANS), max_size=4), max_size=6))
def test_cells_of_one_row_never_overlap(rows):
    markup = "".join(
        "<tr>"
        + "".join(f"<td rowspan='{high}' colspan='{wide}'>a</td>" for high, wide in row)
        + "</tr>"
        for row in rows
    )
    page = Page.parse(f"<table>{markup}</table>")
    grid = page.table_grid
    assert len(grid.columns) == sum(map(len, rows))
    for row, label in enumerate(page.tree.labels):
        if label == "tr":
            filled = [
                column
                for cell in [*page.tree.children(row), *grid.cells_from_above.get(row, ())]
                for column in range(
                    grid.columns[cell], grid.columns[cell] + grid.widths.get(cell, 1)
                )
            ]
            starts = [grid.columns[cell] for cell in page.tree.children(row)]
            assert len(set(starts)) == len(starts)
            assert set(starts).isdisjoint(
                column
                for cell in grid.cells_from_above.get(row, ())
                for column in range(
                    grid.columns[cell], grid.columns[cell] + grid.widths.get(cell, 1)
                )
            )
            assert filled or not starts


def test_spans_of_a_hostile_table_are_bounded():
    row = "<tr>" + "<td rowspan=60000 colspan=1000>a</td>" * 5 + "</tr>"
    grid = Page.parse(f"<table>{row * 400}</table>").table_grid
    assert sum(map(len, grid.cells_from_above.values())) <= 100_000


@pytest.mark.parametrize("rows", [3, 5, 20])
@pytest.mark.parametrize("columns", [2, 6, 17, 30])
def test_a_table_of_any_size_with_headers_has_a_record_for_each_row(rows, columns):
    head = make_cells(*(f"Column {number}" for number in range(columns)), tag="th")
    table = read_table(
        head,
        *(make_cells(*(f"v{row} {number}" for number in range(columns))) for row in range(rows)),
    )
    assert (len(table), len(table.columns)) == (rows, columns)


def test_headings_of_sections_are_no_records_of_a_table_with_headers():
    rows = ["Drinks", ("Tea", "$2"), ("Coffee", "$3"), "Food", ("Pie", "$5"), ("Cake", "$4")]
    table = read_table(
        make_cells("Item", "Price", tag="th"),
        *(
            f"<td colspan=2><b>{row}</b></td>" if isinstance(row, str) else make_cells(*row)
            for row in rows
        ),
    )
    assert table.to_columns() == {
        "item": ["Tea", "Coffee", "Pie", "Cake"],
        "price": ["$2", "$3", "$5", "$4"],
        "section": ["Drinks", "Drinks", "Food", "Food"],
    }


@pytest.mark.parametrize("title", ["<b>Price list</b>", "Price list"])
def test_a_title_above_the_header_row_is_neither_header_nor_record(title):
    head = make_cells("<b>Item</b>", "<b>Wood</b>", "<b>Price</b>")
    rows = [make_cells(f"Chair {number}", f"oak {number}", f"${number}.50") for number in range(6)]
    assert read_table(f"<td colspan=3>{title}</td>", head, *rows).names == ["item", "wood", "price"]


def test_a_table_of_nothing_but_header_cells_has_no_header_rows():
    rows = "".join(
        f"<tr>{make_cells(f'a{number}', f'b{number}', tag='th')}</tr>" for number in range(8)
    )
    assert not Page.parse(f"<table>{rows}</table>").table_grid.header_rows


def test_a_column_with_a_header_is_never_merged_with_another():
    rows = [make_cells(f"a{number}", f"b{number}", "") for number in range(6)]
    table = read_table(
        make_cells("One", "Two", "Three", tag="th"), *rows, make_cells("a9", "", "c9")
    )
    assert table.format_rows()[-1] == ["a9", None, "c9"]


@pytest.mark.parametrize("value", ["€", "✓", "Tax Court"])
@pytest.mark.parametrize("header", ["Kind", "Name of the court that decided the case in the end"])
def test_a_constant_column_with_a_header_is_kept_whatever_its_text_and_header(value, header):
    table = read_table(
        make_cells("Item", header, tag="th"),
        *(make_cells(f"Item {number}", value) for number in range(5)),
    )
    assert [value] * 5 in table.to_columns().values()


def test_a_column_with_spanning_cells_keeps_its_name():
    rows = [
        "<td>Mon</td><td colspan=2>Closed</td>",
        *(make_cells(f"Day {n}", f"{n}:30", f"1{n}:00") for n in range(1, 6)),
    ]
    assert read_table(make_cells("Day", "AM", "PM", tag="th"), *rows).names == ["day", "am", "pm"]


def test_punctuation_of_code_is_a_part_of_it():
    rows = "".join(f"<li><code>:state-{n}</code><p>It is so, number {n}</p></li>" for n in range(5))
    assert unweave.records(f"<ul>{rows}</ul>")[0].format_rows()[0][0] == ":state-0"


def test_a_spanning_cell_with_a_table_inside_fills_rows_with_its_text():
    inner = "<table><tr><td>Hall 7</td></tr></table>"
    rows = [
        f"<td rowspan=3>{inner}</td>" + make_cells("Chair", "$5"),
        make_cells("Table", "$9"),
        make_cells("Stool", "$3"),
    ]
    rows += [
        f"<td>{inner.replace('7', '8')}</td>" + make_cells("Bench", "$4"),
        f"<td>{inner}</td>" + make_cells("Shelf", "$6"),
    ]
    table = read_table(make_cells("Where", "Item", "Price", tag="th"), *rows)
    assert table.to_columns()["where"] == ["Hall 7", "Hall 7", "Hall 7", "Hall 8", "Hall 7"]
    assert table.to_columns()["item"] == ["Chair", "Table", "Stool", "Bench", "Shelf"]
