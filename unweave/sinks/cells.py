"""The cells of strangers' rows, such that every sink can hold them and all hold the same.

Little is changed. Texts lose NUL, which PostgreSQL cannot store, and have U+FFFD for half a character (a lone surrogate).
Whole numbers beyond 64 bits are left out, as is what is infinite or no number. Minus zero is zero, and moments are in UTC.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from unweave.errors import SinkError
from unweave.sinks.relations import Relation

Cell = str | int | float | bool | list[str] | None
"""A cell as JSON has it: days, moments and times are texts as ISO 8601 writes them, whose order is theirs."""

Row = dict[str, Cell]
"""The cells of a row that has something, by the numbers of their columns."""

LONGEST_ROW = 64 * 2**20
"""The most bytes of a row, as JSON."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_WORD = range(-(2**63), 2**63)
# Python refuses to read thousands of digits. So many are beyond any number of 64 bits, with a point or without.
_MOST_DIGITS = 400


def storable(text: str) -> str:
    """The text without NUL, and with U+FFFD for half a character."""
    if "\0" not in text and _is_whole(text):
        return text
    return _UNSTORABLE.sub(
        lambda match: "" if match[0] == "\0" else "\N{REPLACEMENT CHARACTER}", text
    )


def _is_whole(text: str) -> bool:
    """Has it no half of a character? Encoding finds them faster than a pattern."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def rows(relation: Relation) -> Iterator[Row]:
    """The rows of all files of the relation."""
    for path in relation.files:
        with path.open("rb") as file:
            lines = iter(lambda: file.readline(LONGEST_ROW + 1), b"")
            for number, line in enumerate(lines, 1):
                if not line.isspace():
                    yield _row(relation, line, f"{path}, line {number}")


def _row(relation: Relation, line: bytes, place: str) -> Row:
    if len(line) > LONGEST_ROW:
        raise SinkError(
            f"a row of the table {relation.name} has more than {LONGEST_ROW >> 20} MB ({place})"
        )
    values = _parsed(line, place)
    row: Row = {}
    for column, (name, kind) in enumerate(relation.attributes):
        value = values.get(name)
        try:
            cell = cell_of(value, kind)
        except (TypeError, ValueError, OverflowError):
            raise SinkError(
                f"{value!r:.60} is no {kind}, in {name} of the table {relation.name} ({place})"
            ) from None
        if cell is not None:
            row[str(column)] = cell
    return row


def cell_of(value: Any, kind: str) -> Cell:
    """A value as JSON has it, as a cell of this type; an error if it is of another."""
    return None if value is None else _READERS[kind](value)


def _parsed(line: bytes, place: str) -> Mapping[str, Any]:
    try:
        row = _DECODER.decode(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise SinkError(f"a row of a table cannot be read: it is no JSON object ({place})")
    return row


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _MOST_DIGITS else math.inf


_DECODER = json.JSONDecoder(parse_int=_whole)


def _integer(value: Any) -> int | None:
    if type(value) is float and not math.isfinite(value):
        return None
    if type(value) not in (int, float) or value != int(value):
        raise TypeError
    return int(value) if int(value) in _WORD else None


def _number(value: Any) -> float | None:
    if type(value) not in (int, float):
        raise TypeError
    try:
        number = (
            float(value) + 0.0
        )  # minus zero has an order of its own nowhere, and a text of its own everywhere
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _date(value: Any) -> str:
    return date.fromisoformat(value).isoformat()


def _datetime(value: Any) -> str:
    moment = datetime.fromisoformat(value)
    return (moment.astimezone(UTC) if moment.tzinfo else moment).replace(tzinfo=None).isoformat()


def _time(value: Any) -> str:
    return time.fromisoformat(value).replace(tzinfo=None).isoformat()


def _list(value: Any) -> list[str]:
    if type(value) is not list:
        raise TypeError
    return [storable(own) for own in value]


_READERS: dict[str, Callable[[Any], Cell]] = {
    "text": storable,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "time": _time,
    "list": _list,
}
