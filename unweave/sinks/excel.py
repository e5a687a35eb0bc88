"""A table as an Excel workbook of one sheet, with numbers as numbers and dates as dates.

The cells are untrusted. None of them becomes a formula or a link, whatever it looks like.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO

from unweave.errors import MissingExtra, SinkError
from unweave.sinks.cells import Columns, clean_text, convert_to_utc, stringify_items
from unweave.sinks.row_writers import ColumnWriter
from unweave.table import to_csv_cell

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

# Limits of Excel.
MAX_ROWS = 1_048_576
"""The rows of a sheet, including the header."""
MAX_COLUMNS = 16_384
MAX_CELL_LENGTH = 32_767
_FIRST_YEAR = 1900
_MAX_EXPONENT = 300
# Excel keeps fifteen digits of a number. Longer ones are article numbers and the like, in which
# every digit counts, and are written as texts.
_MAX_DIGITS = 15

SHEET_NAME = "Table"

_WORKBOOK_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "in_memory": True,
}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MAX_DECIMAL_PLACES = 8
# The width of a column, in characters, and how many cells are measured for it.
_MIN_WIDTH, _MAX_WIDTH, _MEASURED_CELLS = 8, 60, 1_000
_FILTER_BUTTON_WIDTH = 3


class ExcelWriter(ColumnWriter):
    """Collects rows and writes them as an Excel workbook."""

    def __init__(self, file: BinaryIO) -> None:
        check_installed()
        super().__init__(file)

    def close(self) -> None:
        """Write the workbook."""
        self._file.write(encode_excel(self.get_columns()))


def check_installed() -> None:
    """Raise MissingExtra if xlsxwriter is missing, before any work is done."""
    try:
        import xlsxwriter  # noqa: F401
    except ImportError:
        raise MissingExtra("xlsxwriter", "excel") from None


def encode_excel(columns: Columns) -> bytes:
    """Return a table as the bytes of an Excel file."""
    check_installed()
    from xlsxwriter.workbook import Workbook

    row_count = 1 + max(map(len, columns.values()), default=0)
    if row_count > MAX_ROWS:
        raise SinkError(
            f"the table has {row_count:,} rows with its header; a sheet of Excel holds {MAX_ROWS:,}"
        )
    if len(columns) > MAX_COLUMNS:
        raise SinkError(
            f"the table has {len(columns):,} columns; a sheet of Excel holds {MAX_COLUMNS:,}"
        )
    file = io.BytesIO()
    with Workbook(file, _WORKBOOK_OPTIONS) as book:
        sheet = book.add_worksheet(SHEET_NAME)
        if columns:
            _write_columns(book, sheet, columns)
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, row_count - 1, len(columns) - 1)
    return file.getvalue()


def _write_columns(book: Workbook, sheet: Worksheet, columns: Columns) -> None:
    header_format = book.add_format({"bold": True})
    formats: dict[str, Format] = {}

    def get_format(pattern: str) -> Format:
        if pattern not in formats:
            formats[pattern] = book.add_format({"num_format": pattern})
        return formats[pattern]

    for column, (name, cells) in enumerate(columns.items()):
        sheet.write_string(0, column, _fit_text(name), header_format)
        sheet.set_column(column, column, _measure_width(name, cells))
        for row, cell in enumerate(cells, 1):
            if cell is None:
                continue
            if isinstance(cell, bool):
                sheet.write_boolean(row, column, cell)
            elif isinstance(cell, int | float | Decimal) and _is_exact(cell):
                pattern = _choose_number_format(cell)
                sheet.write_number(row, column, float(cell), get_format(pattern))
            elif (
                isinstance(cell, date | time) and getattr(cell, "year", _FIRST_YEAR) >= _FIRST_YEAR
            ):
                value, pattern = _convert_date(cell)
                sheet.write_datetime(row, column, value, get_format(pattern))
            else:
                sheet.write_string(row, column, _fit_text(_format_text(cell)))


def _measure_width(name: str, cells: Sequence[Any]) -> int:
    """Return a width that is enough for nine cells in ten."""
    lengths = sorted(
        len(_format_text(cell)) for cell in cells[:_MEASURED_CELLS] if cell is not None
    )
    usual = lengths[len(lengths) * 9 // 10] if lengths else 0
    return min(max(len(name) + _FILTER_BUTTON_WIDTH, usual + 1, _MIN_WIDTH), _MAX_WIDTH)


def _is_exact(number: float | Decimal) -> bool:
    """Tell whether Excel can hold a number without changing it."""
    if isinstance(number, float):
        return math.isfinite(number)
    value = Decimal(number)
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    is_in_range = value.is_finite() and abs(value.adjusted()) < _MAX_EXPONENT
    return is_in_range and len(digits) <= _MAX_DIGITS


def _choose_number_format(number: float | Decimal) -> str:
    """Return a format with the decimal places of the number: 19.90 stays 19.90."""
    exponent = number.as_tuple().exponent if isinstance(number, Decimal) else 0
    places = -exponent if isinstance(exponent, int) else 0
    return "0." + "0" * places if 0 < places <= _MAX_DECIMAL_PLACES else "General"


def _convert_date(cell: date | time) -> tuple[date | time, str]:
    """Return a date or time in UTC, as Excel has no time zones, and its format."""
    if isinstance(cell, time):
        return cell.replace(tzinfo=None), "hh:mm:ss"
    if isinstance(cell, datetime):
        return convert_to_utc(cell), "yyyy-mm-dd hh:mm:ss"
    return cell, "yyyy-mm-dd"


def _format_text(cell: Any) -> str:
    return str(to_csv_cell(stringify_items(cell) if isinstance(cell, list) else cell))


def _fit_text(text: str) -> str:
    """Return the text without what XML cannot hold, and cut with a note if it is too long."""
    line_feeds = clean_text(text).replace("\r\n", "\n").replace("\r", "\n")
    clean = _NOT_IN_XML.sub("", line_feeds)
    if len(clean) * 2 <= MAX_CELL_LENGTH:
        return clean
    encoded = clean.encode("utf-16-le")  # Excel counts characters beyond U+FFFF twice
    if len(encoded) <= MAX_CELL_LENGTH * 2:
        return clean
    note = f" … [cut: {len(clean):,} characters]"
    return encoded[: (MAX_CELL_LENGTH - len(note)) * 2].decode("utf-16-le", "ignore") + note
