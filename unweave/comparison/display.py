"""Cells and their differences as texts for people."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from unweave.comparison.equality import to_decimal
from unweave.comparison.keys import format_names
from unweave.comparison.rows import to_plain
from unweave.files import format_json
from unweave.table import LIST_SEPARATOR, to_csv_cell
from unweave.values.parsing import Price, parse_value

if TYPE_CHECKING:
    from unweave.comparison.table_diff import TableDiff

ELLIPSIS = "…"
MAX_COLUMN_LENGTH = 40
_MAX_EXPONENT = 12
"""Larger and smaller amounts are shown without their difference."""
_MIN_CONTEXT, _MAX_CONTEXT_SHARE = 8, 4


def format_text(cell: Any) -> str:
    """Return a cell as one text; an empty one gives an empty text."""
    if isinstance(cell, list) and not any(isinstance(item, list | Mapping) for item in cell):
        return LIST_SEPARATOR.join(map(format_text, cell))
    if isinstance(cell, list | Mapping):
        return format_json(to_plain(cell))
    return "" if cell is None else str(to_csv_cell(cell))


def shorten(text: str, length: int) -> str:
    """Return a text with at most this many characters; the end is cut off."""
    return text if len(text) <= length else text[: length - 1] + ELLIPSIS


def shorten_pair(old: str, new: str, length: int) -> tuple[str, str]:
    """Return two texts with at most this many characters each, which show where they differ."""
    if max(len(old), len(new)) <= length:
        return old, new
    context = max(_MIN_CONTEXT, length // _MAX_CONTEXT_SHARE)
    pairs = enumerate(zip(old, new, strict=False))
    shared = next((number for number, pair in pairs if pair[0] != pair[1]), min(len(old), len(new)))
    start = shared - context
    if start > 0:
        old, new = ELLIPSIS + old[start + 1 :], ELLIPSIS + new[start + 1 :]
    return shorten(old, length), shorten(new, length)


def describe_counts(diff: TableDiff) -> str:
    """Return the number of rows of each kind, as in "1 added, 0 removed, 2 changed"."""
    counts = {**diff.count_changes(), "unchanged": diff.unchanged}
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def describe_columns(diff: TableDiff) -> list[str]:
    """Return a message for each table that has columns which the other lacks."""
    return [
        f"columns only in {name}, left out without --all-columns: "
        + format_names([_describe_column(*column) for column in columns.items()])
        for name, columns in (
            (diff.new_name, diff.added_columns),
            (diff.old_name, diff.removed_columns),
        )
        if columns
    ]


def _describe_column(name: str, count: int) -> str:
    return f"{shorten(name, MAX_COLUMN_LENGTH)} ({count:,} {'cell' if count == 1 else 'cells'})"


def describe_difference(old: Any, new: Any) -> str:
    """Return the difference of two numbers or prices, as "−1.00, −10.0 %"; of others, nothing."""
    before, after = _read_price(old), _read_price(new)
    if before is None or after is None or before.currency != after.currency:
        return ""
    difference = after.amount - before.amount
    if not difference:
        return ""
    text = f"{difference:+,f}"
    if before.amount:
        text += f", {100 * difference / abs(before.amount):+,.1f} %"
    return text.replace("-", "\N{MINUS SIGN}")


def _read_price(cell: Any) -> Price | None:
    """Return a price, or a number as a price without a currency; None for other cells."""
    value = parse_value(cell) if isinstance(cell, str) else cell
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        value = Price(to_decimal(value), "")
    if not isinstance(value, Price) or abs(value.amount.adjusted()) > _MAX_EXPONENT:
        return None
    return value
