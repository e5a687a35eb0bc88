"""Column types, cells and names that every sink can store.

Cells and names come from untrusted pages. So that all sinks store the same:

- texts have no NUL, which PostgreSQL cannot store, and U+FFFD for unpaired surrogates;
- integers beyond 64 bits, infinities and NaN are left out, and minus zero is zero;
- times are in UTC, without saying so;
- names are not empty, and no two are equal but for case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

from unweave.names import UniqueNames
from unweave.table import to_csv_cell, to_json_value

Cell = str | int | float | bool | list[str] | None
"""A cell as JSON has it: dates and times are texts in ISO 8601, which sort as what they mean."""

Columns = Mapping[str, Sequence[Any]]
"""The cells of each column by name, as ``Table.to_columns`` gives them."""

MAX_ROW_BYTES = 64 * 2**20
"""The size of a row as JSON."""

UNNAMED = "unnamed"

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
INT64 = range(-(2**63), 2**63)


class SiteColumn(NamedTuple):
    """A column of a table of a site: its name, and one of the keys of ``CELL_CONVERTERS``."""

    name: str
    type: str = "text"


def clean_text(text: str) -> str:
    """Return the text without NUL, and with U+FFFD for unpaired surrogates."""
    if "\0" not in text:
        try:  # encoding finds surrogates faster than a regular expression
            if text.isascii() or text.encode():
                return text
        except UnicodeEncodeError:
            pass
    return _UNSTORABLE.sub(
        lambda match: "" if match[0] == "\0" else "\N{REPLACEMENT CHARACTER}", text
    )


def make_names_unique(
    names: Sequence[str], *, max_bytes: int | None = None, reserved: Iterable[str] = ()
) -> list[str]:
    """Return the names, none empty, and no two equal but for case.

    Databases and file systems may not distinguish case. The first of equal names stays as it is,
    the others get a number. ``max_bytes`` limits the bytes of a name; ``reserved`` names are not
    used.
    """
    unique = UniqueNames(reserved, ignore_case=True, max_bytes=max_bytes)
    return [unique.add(clean_text(name) or UNNAMED) for name in names]


def stringify_items(values: Iterable[Any]) -> list[str]:
    """Return the items of a list as texts; missing ones are empty."""
    return ["" if value is None else str(value) for value in values]


def convert_to_utc(moment: datetime) -> datetime:
    """Return the moment in UTC without its zone; unchanged at the limits of datetime."""
    try:
        return (moment.astimezone(UTC) if moment.tzinfo else moment).replace(tzinfo=None)
    except OverflowError:
        return moment.replace(tzinfo=None)


def convert_cell(value: Any, type: str) -> Cell:
    """Return a value from JSON as a cell of a type.

    Raises TypeError, ValueError or OverflowError if the value is of another type.
    """
    return None if value is None else CELL_CONVERTERS[type](value)


def _convert_integer(value: Any) -> int | None:
    if type(value) is float and not math.isfinite(value):
        return None
    if type(value) not in (int, float) or value != int(value):
        raise TypeError
    return int(value) if int(value) in INT64 else None


def _convert_number(value: Any) -> float | None:
    if type(value) not in (int, float):
        raise TypeError
    try:
        number = float(value) + 0.0  # minus zero becomes zero
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _convert_boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _convert_date(value: Any) -> str:
    return date.fromisoformat(value).isoformat()


def _convert_datetime(value: Any) -> str:
    moment = datetime.fromisoformat(value)
    return (moment.astimezone(UTC) if moment.tzinfo else moment).replace(tzinfo=None).isoformat()


def _convert_time(value: Any) -> str:
    return time.fromisoformat(value).replace(tzinfo=None).isoformat()


def _convert_list(value: Any) -> list[str]:
    if type(value) is not list:
        raise TypeError
    return [clean_text(item) for item in value]


CELL_CONVERTERS: dict[str, Callable[[Any], Cell]] = {
    "text": clean_text,
    "integer": _convert_integer,
    "number": _convert_number,
    "boolean": _convert_boolean,
    "date": _convert_date,
    "datetime": _convert_datetime,
    "time": _convert_time,
    "list": _convert_list,
}
"""The types of columns, and how values are converted to cells of them."""


# ---- columns of typed values ---------------------------------------------------------------------

_TYPE_NAMES: dict[type, str] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    float: "number",
    Decimal: "number",
    date: "date",
    datetime: "datetime",
    time: "time",
    list: "list",
}
# Two types of one column that have a common type; other combinations become texts.
_COMMON_TYPES = {
    frozenset(["integer", "number"]): "number",
    frozenset(["date", "datetime"]): "datetime",
}


def make_site_rows(columns: Columns) -> tuple[list[SiteColumn], Iterator[list[Cell]]]:
    """Return columns of typed values as columns and rows that every sink can store.

    A column has the type that its cells share, or texts. Names that are equal but for case get
    numbers.
    """
    types = [_infer_type(cells) for cells in columns.values()]
    names = make_names_unique(list(columns))
    rows = (
        [_convert_value(cell, type) for cell, type in zip(row, types, strict=True)]
        for row in zip(*columns.values(), strict=True)
    )
    return [SiteColumn(*column) for column in zip(names, types, strict=True)], rows


def _infer_type(cells: Sequence[Any]) -> str:
    types = {_TYPE_NAMES.get(type(cell), "text") for cell in cells if cell is not None}
    return types.pop() if len(types) == 1 else _COMMON_TYPES.get(frozenset(types), "text")


def _convert_value(value: Any, type: str) -> Cell:
    if isinstance(value, list):
        value = stringify_items(value)
    elif isinstance(value, datetime):
        value = convert_to_utc(value)
    if type == "text" and value is not None:
        return convert_cell(str(to_csv_cell(value)), type)
    return convert_cell(to_json_value(value), type)
