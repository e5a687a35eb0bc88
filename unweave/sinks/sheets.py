"""Tables as an Excel workbook: a sheet each, with numbers as numbers and days as days.

The cells come from strangers. None of them becomes a formula or a link, whatever it looks like.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra, SinkError
from unweave.sinks.cells import storable
from unweave.sinks.columnar import Columns, in_utc, plain_list
from unweave.sinks.names import make_names_unique
from unweave.table import to_csv_cell

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

NAME = "Table"
"""What a sheet is called that stands alone."""

MOST_ROWS = 1_048_576
"""The rows of a sheet, with the one that has the names."""

MOST_COLUMNS = 16_384
LONGEST_CELL = 32_767

_HARMLESS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "in_memory": True,
}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\']")
_LONGEST_SHEET_NAME = 31
_EXCELS_OWN = "history"
_FIRST_YEAR = 1900
# Excel keeps fifteen digits of a number. Longer ones are numbers of articles and the like, and each digit counts.
_MOST_DIGITS = 15
_MOST_ZEROS = 300
_MOST_PLACES = 8
_NARROWEST, _WIDEST, _LOOKED_AT = 8, 60, 1_000
_DAY, _MOMENT, _TIME = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "hh:mm:ss"


def check_installed() -> None:
    """Raise if the package is missing, so that it is said before any work is done."""
    try:
        import xlsxwriter  # noqa: F401
    except ImportError:
        raise MissingExtra("xlsxwriter", "excel") from None


def workbook(tables: Mapping[str, Columns]) -> bytes:
    """The tables, by the names of their sheets, as the bytes of an Excel file."""
    check_installed()
    from xlsxwriter.workbook import Workbook

    for name, columns in tables.items():
        _check(name, columns)
    file = io.BytesIO()
    with Workbook(file, _HARMLESS) as book:
        formats = _Formats(book)
        for name, columns in zip(_sheet_names(tables), tables.values(), strict=True):
            _write(book.add_worksheet(name), columns, formats)
    return file.getvalue()


class _Formats:
    """How cells of a kind are shown; one for all that are shown alike."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._shown: dict[str, Format] = {}
        self.head = book.add_format({"bold": True})

    def __getitem__(self, pattern: str) -> Format:
        if pattern not in self._shown:
            self._shown[pattern] = self._book.add_format({"num_format": pattern})
        return self._shown[pattern]


def _check(name: str, columns: Columns) -> None:
    rows = 1 + max(map(len, columns.values()), default=0)
    if rows > MOST_ROWS:
        raise SinkError(
            f"the table {name!r:.80} has {rows:,} rows with its names; a sheet of Excel holds {MOST_ROWS:,}"
        )
    if len(columns) > MOST_COLUMNS:
        raise SinkError(
            f"the table {name!r:.80} has {len(columns):,} columns; a sheet of Excel holds {MOST_COLUMNS:,}"
        )


def _sheet_names(names: Iterable[str]) -> list[str]:
    told = [_clean(_NOT_IN_SHEET_NAMES.sub(" ", name)).strip() for name in names]
    return make_names_unique(told, max_bytes=_LONGEST_SHEET_NAME, reserved=[_EXCELS_OWN])


def _write(sheet: Worksheet, columns: Columns, formats: _Formats) -> None:
    if not columns:
        return
    for column, (name, cells) in enumerate(columns.items()):
        sheet.write_string(0, column, _fitting(name), formats.head)
        sheet.set_column(column, column, _width(name, cells))
        for row, cell in enumerate(cells, 1):
            _write_cell(sheet, row, column, cell, formats)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(map(len, columns.values())), len(columns) - 1)


def _width(name: str, cells: Sequence[Any]) -> int:
    """Wide enough for nearly all of its cells, as far as they were looked at."""
    lengths = sorted(len(str(_text(cell))) for cell in cells[:_LOOKED_AT] if cell is not None)
    usual = lengths[len(lengths) * 9 // 10] if lengths else 0
    # The button of the filter needs room beside the name.
    return min(max(len(name) + 3, usual + 1, _NARROWEST), _WIDEST)


def _write_cell(sheet: Worksheet, row: int, column: int, cell: Any, formats: _Formats) -> None:
    if cell is None:
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, int | float | Decimal) and _is_exact(cell):
        sheet.write_number(row, column, float(cell), formats[_places(cell)])
    elif isinstance(cell, date | time) and getattr(cell, "year", _FIRST_YEAR) >= _FIRST_YEAR:
        sheet.write_datetime(row, column, _without_zone(cell), formats[_moment(cell)])
    else:
        sheet.write_string(row, column, _fitting(_text(cell)))


def _is_exact(number: float | Decimal) -> bool:
    """Can Excel hold it? What it cannot is written as a text."""
    if isinstance(number, float):
        return math.isfinite(number)
    value = Decimal(number)
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    return value.is_finite() and len(digits) <= _MOST_DIGITS and abs(value.adjusted()) < _MOST_ZEROS


def _places(number: float | Decimal) -> str:
    """As many places as the page shows: 19.90 stays 19.90."""
    exponent = number.as_tuple().exponent if isinstance(number, Decimal) else 0
    places = -exponent if isinstance(exponent, int) else 0
    return "0." + "0" * places if 0 < places <= _MOST_PLACES else "General"


def _moment(cell: date | time) -> str:
    if isinstance(cell, datetime):
        return _MOMENT
    return _DAY if isinstance(cell, date) else _TIME


def _without_zone(cell: date | time) -> date | time:
    """Excel knows no time zones: moments are in UTC."""
    if isinstance(cell, time):
        return cell.replace(tzinfo=None)
    return in_utc(cell) if isinstance(cell, datetime) else cell


def _text(cell: Any) -> str:
    return str(to_csv_cell(plain_list(cell) if isinstance(cell, list) else cell))


def _clean(text: str) -> str:
    """The text without what XML cannot hold, and with one kind of line ends."""
    return _NOT_IN_XML.sub("", storable(text).replace("\r\n", "\n").replace("\r", "\n"))


def _fitting(text: str) -> str:
    """The text, cut with a note if it is too long. Excel counts characters beyond U+FFFF twice."""
    clean = _clean(text)
    if (
        len(clean) * 2 <= LONGEST_CELL
        or len(coded := clean.encode("utf-16-le")) <= LONGEST_CELL * 2
    ):
        return clean
    note = f" … [cut: {len(clean):,} characters]"
    return coded[: (LONGEST_CELL - len(note)) * 2].decode("utf-16-le", "ignore") + note
