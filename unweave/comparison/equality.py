"""When two cells are equal: by value, whatever the formats of the files that they come from.

Two texts are equal if they are the same. A number, date or truth value is also equal to a text that
stands for it, so that a CSV file can be compared with a typed one. How a text is read is decided
for the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

from unweave.sinks.cells import convert_to_utc, stringify_items
from unweave.table import LIST_SEPARATOR
from unweave.values.column_format import ColumnFormat, infer_column_format
from unweave.values.parsing import Price

TEXT, NUMBER, BOOLEAN, MOMENT, TIME, LIST, OBJECT = range(7)
"""The kinds of cells."""

_TYPED_KINDS = frozenset([NUMBER, BOOLEAN, MOMENT, TIME])
_UNTYPED = ColumnFormat()
_BOOLEANS = {"true": True, "false": False}
# As programs write numbers. With a leading zero, it is a part number or a telephone number.
_PLAIN_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
)
_MAX_NUMBER_LENGTH = 400
_EXACT = Context(prec=5_000, Emax=MAX_EMAX, Emin=MIN_EMIN)


@dataclass(frozen=True)
class CellComparer:
    """How the cells of a column are compared: cells with equal comparable values are equal."""

    kinds: frozenset[int] = frozenset([TEXT])
    """The kinds of the column's cells in both tables."""
    joins_lists: bool = False
    """Only one table has lists, and the other texts, as CSV has: lists are compared as texts."""
    format: ColumnFormat = _UNTYPED
    """How texts such as "€9.98" and "7 views" are read, if only one table has typed cells."""

    def to_comparable(self, cell: Any) -> Hashable:
        """Return what is equal for equal cells. Cells are those of a ``RowCollector``."""
        if isinstance(cell, str):
            return cell if self.kinds <= {TEXT} else self._read_text(cell)
        if cell is None:
            return None
        if isinstance(cell, list):
            if self.joins_lists:
                return self._read_text(LIST_SEPARATOR.join(stringify_items(cell)))
            return (LIST, *map(self.to_comparable, cell))
        if isinstance(cell, Mapping):
            items = {name: self.to_comparable(item) for name, item in cell.items()}
            return OBJECT, frozenset(item for item in items.items() if item[1] is not None)
        return _to_typed(cell)

    def _read_text(self, text: str) -> Hashable:
        """Return the value that a text stands for among the typed cells of its column."""
        kinds = self.kinds & _TYPED_KINDS
        value: Any = None
        if NUMBER in kinds:
            value = parse_plain_number(text)
        if value is None and BOOLEAN in kinds:
            value = _BOOLEANS.get(text)
        if value is None and MOMENT in kinds:
            value = _parse_moment(text)
        if value is None and TIME in kinds:
            value = _parse_time(text)
        if value is None:
            value = self.format.parse(text)
            value = value.amount if isinstance(value, Price) else value
        return text if value is None or _get_kind(value) not in kinds else _to_typed(value)


def make_comparer(old: Iterable[Any], new: Iterable[Any]) -> CellComparer:
    """Return how the cells of a column in two tables are compared."""
    old, new = list(old), list(new)
    old_kinds, new_kinds = _collect_kinds(old), _collect_kinds(new)
    kinds = old_kinds | new_kinds
    if kinds <= {TEXT}:
        return CellComparer()
    format = _UNTYPED
    for cells, cell_kinds, other_kinds in (
        (old, old_kinds, new_kinds),
        (new, new_kinds, old_kinds),
    ):
        if cell_kinds == {TEXT} and other_kinds & _TYPED_KINDS:
            format = infer_column_format(cells)
    joins_lists = (LIST in old_kinds) != (LIST in new_kinds) and TEXT in (
        new_kinds if LIST in old_kinds else old_kinds
    )
    return CellComparer(frozenset(kinds), joins_lists, format)


def _collect_kinds(cells: Iterable[Any]) -> set[int]:
    """Return the kinds of the cells that are not empty, and of the items of lists and objects."""
    kinds: set[int] = set()
    for cell in cells:
        if isinstance(cell, str):
            kinds.add(TEXT)
        elif isinstance(cell, list):
            kinds |= {LIST, *_collect_kinds(cell)}
        elif isinstance(cell, Mapping):
            kinds |= {OBJECT, *_collect_kinds(cell.values())}
        elif cell is not None:
            kinds.add(_get_kind(cell))
    return kinds


def _get_kind(value: Any) -> int:
    """Return the kind of a typed value."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, date):
        return MOMENT
    return TIME if isinstance(value, time) else NUMBER


def _to_typed(value: Any) -> Hashable:
    """Return the kind and the value: dates as the moment when they begin."""
    kind = _get_kind(value)
    if kind == NUMBER:
        value = _normalize_number(value)
    elif isinstance(value, datetime):
        value = convert_to_utc(value)
    elif isinstance(value, date):
        value = datetime.combine(value, time())
    elif isinstance(value, time):
        value = value.replace(tzinfo=None)
    return kind, value


def _normalize_number(number: int | float | Decimal) -> str:
    """Return one text for all numbers of a value.

    Untrusted numbers could be chosen to have the same hash, which texts cannot.
    """
    decimal = to_decimal(number)
    return str(decimal.normalize(_EXACT)) if decimal else "0"


def parse_plain_number(text: str) -> Decimal | None:
    """Return the number of a text such as "-9.98" and "1e5"; None for all other texts."""
    if len(text) > _MAX_NUMBER_LENGTH or not _PLAIN_NUMBER.fullmatch(text):
        return None
    return Decimal(text)


def _parse_moment(text: str) -> date | None:
    """Return the date or the moment of a text in ISO 8601."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _parse_time(text: str) -> time | None:
    try:
        return time.fromisoformat(text)
    except ValueError:
        return None


def to_decimal(number: int | float | Decimal) -> Decimal:
    """Return a number as a decimal: a float as its shortest text."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
