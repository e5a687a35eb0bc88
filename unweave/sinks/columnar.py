"""A table as a Parquet file: every column has one type, which its cells tell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unweave.errors import SinkError
from unweave.sinks.cells import LONGEST_ROW, Cell, cell_of
from unweave.sinks.engine import explained
from unweave.sinks.merged import to_parquet
from unweave.sinks.names import make_names_unique
from unweave.sinks.relations import Attribute
from unweave.table import to_csv_cell, to_json_value

Columns = Mapping[str, Sequence[Any]]
"""The columns of a table by name, as ``Table.to_columns`` gives them: texts, lists of them, values, None."""

_TEXT = "text"
_KINDS: dict[type, str] = {
    str: _TEXT,
    bool: "boolean",
    int: "integer",
    float: "number",
    Decimal: "number",
    date: "date",
    datetime: "datetime",
    time: "time",
    list: "list",
}
# Where both stand in a column, the second can say what the first says.
_WIDER = {frozenset(["integer", "number"]): "number", frozenset(["date", "datetime"]): "datetime"}


def parquet(columns: Columns) -> bytes:
    """The table as the bytes of a Parquet file.

    A column with cells of several types has texts. Names that are alike but for case get numbers.
    """
    if not columns:
        raise SinkError("there is no table, and Parquet cannot hold one without columns")
    kinds = [_kind(cells) for cells in columns.values()]
    attributes = [
        Attribute(name, kind)
        for name, kind in zip(make_names_unique(list(columns)), kinds, strict=True)
    ]
    with explained("Parquet"), TemporaryDirectory(prefix="unweave-") as name:
        folder = Path(name).resolve()
        lines, path = folder / "rows.jsonl", folder / "table.parquet"
        to_parquet(lines, attributes, path, _write_lines(columns, kinds, lines))
        return path.read_bytes()


def plain_list(values: Sequence[Any]) -> list[str]:
    """A list whose elements are all texts; the place of what is missing is empty."""
    return ["" if value is None else str(value) for value in values]


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC, without saying so; as it is told at the two ends of time."""
    try:
        return (moment.astimezone(UTC) if moment.tzinfo else moment).replace(tzinfo=None)
    except OverflowError:
        return moment.replace(tzinfo=None)


def _kind(cells: Sequence[Any]) -> str:
    kinds = {_KINDS.get(type(cell), _TEXT) for cell in cells if cell is not None}
    return kinds.pop() if len(kinds) == 1 else _WIDER.get(frozenset(kinds), _TEXT)


def _write_lines(columns: Columns, kinds: Sequence[str], path: Path) -> int:
    """JSON Lines, with the numbers of columns for their names; gives the bytes of the longest."""
    longest = 0
    with path.open("wb") as file:
        for row in zip(*columns.values(), strict=True):
            cells = {
                str(number): _cell(value, kind)
                for number, (value, kind) in enumerate(zip(row, kinds, strict=True))
            }
            line = json.dumps(cells, ensure_ascii=False).encode() + b"\n"
            longest = max(longest, len(line))
            file.write(line)
    if longest > LONGEST_ROW:
        raise SinkError(f"a row has more than {LONGEST_ROW >> 20} MB")
    return longest


def _cell(value: Any, kind: str) -> Cell:
    if value is None:
        return None
    if isinstance(value, list):
        value = plain_list(value)
    if isinstance(value, datetime):
        value = in_utc(value)
    if kind == _TEXT:
        return cell_of(str(to_csv_cell(value)), kind)
    return cell_of(to_json_value(value), kind)
