"""Table: columns, rows, and for every cell the nodes of the page that it came from."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra, SinkError
from unweave.fields.dates import DateOrder
from unweave.fields.readings import BOOLEAN, PRICE, STRING, TYPES, Reading, fit_type, is_placeholder
from unweave.fields.values import Price, Value, value_of
from unweave.page.page import Page

if TYPE_CHECKING:
    import pandas
    import pyarrow


CellNodes = list[list[tuple[int, ...]]]

Cell = str | list[str] | None
"""A text; a list of them in a column of type ``list``; None where the record has nothing there."""

Shown = Value | bool | list[str] | None
"""What a cell shows: a number, a price, a day, a list of texts; None where it shows none, or it is unclear which."""

LIST = "list"
ADDRESS = "url"
ADDRESSES = frozenset([ADDRESS, "image"])
"""The types of columns that hold where links lead and what pictures show, and no texts that are read."""
BETWEEN_VALUES = "; "
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column, unique in its table, and the type of its values."""

    name: str
    type: str = "string"
    is_constant: bool = False
    """Does it say the same wherever it stands, as buttons and labels do? It is then left out of what people read."""
    part_of: str = ""
    """The first column of those that hold the values of one list, in the order of the list."""
    before: str = ""
    """What stands before every value and is no part of it, as in "Price: $5"."""
    after: str = ""
    """What stands after every value and is no part of it, as in "7 views"."""
    date_order: DateOrder = DateOrder.UNKNOWN
    """Whether the day or the month comes first in dates of numbers, such as 01/02/2020."""
    is_asked: bool = False
    """Did somebody ask for the type? Values of other types are then converted, and what does not convert is left out."""

    def to_json(self) -> dict[str, Any]:
        """Plain data, without what is as usual."""
        texts = {"part_of": self.part_of, "before": self.before, "after": self.after, "date_order": self.date_order.value}
        said = {name: text for name, text in texts.items() if text}
        flags = {name: True for name, is_set in (("constant", self.is_constant), ("asked", self.is_asked)) if is_set}
        return {"name": self.name, "type": self.type, **flags, **said}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Column:
        """Read plain data, which may come from anywhere."""
        texts = {name: str(data.get(name, "")) for name in ("part_of", "before", "after")}
        order = str(data.get("date_order", ""))
        return cls(
            str(data["name"]),
            str(data["type"]),
            is_constant=data.get("constant") is True,
            is_asked=data.get("asked") is True,
            date_order=DateOrder(order) if order in list(DateOrder) else DateOrder.UNKNOWN,
            **texts,
        )

    def value(self, cell: Cell) -> Shown:
        """What a cell of this column shows, of one type all over the column."""
        if cell is None or isinstance(cell, list):
            return cell
        if self.type not in TYPES:
            return None
        reading = Reading(self.type, self.before, self.after, self.date_order)
        if not self.is_asked or self.type == BOOLEAN:
            return reading.value(cell)
        value = value_of(reading.bare(cell), self.date_order)
        return fit_type(_convert(value, self.type), self.type)

    def is_blank(self, text: str) -> bool:
        """Does a text of the page say that there is no value? In a column of numbers, a dash does."""
        return self.type in TYPES and is_placeholder(text)

    def reads_all(self, cells: Iterable[Cell]) -> bool:
        """Does every cell that has something convert to the type?"""
        return all(self.value(cell) is not None for cell in cells if cell is not None)


def _convert(value: Value | None, type_name: str) -> Value | None:
    """Convert a value to one of another type where that is plain: of a price the amount, of a moment the day."""
    if isinstance(value, Price) and type_name != PRICE:
        value = value.amount
    if isinstance(value, datetime):
        return value.date() if type_name == "date" else value.time() if type_name == "time" else value
    if type_name == PRICE and isinstance(value, int | Decimal):
        return Price(Decimal(value), "")
    if type_name == "integer" and isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return value


Content = tuple[Sequence[Column], Sequence[Sequence[Cell]]]
"""The columns of a table, and its rows."""


class Table:
    """One list of a page: a row a record, a cell a text, a list of texts, or None."""

    def __init__(
        self,
        fill: Callable[[], Content],
        *,
        find_nodes: Callable[[], CellNodes],
        records: Sequence[tuple[int, ...]],
        texts: Sequence[str],
        score: float,
        page: Page,
    ) -> None:
        self._fill: Callable[[], Content] | None = fill
        self.records = records
        """For every row the roots of the sub-trees that make up its record."""
        self.texts = texts
        """For every row the whole text of its record."""
        self.score = score
        self.page = page
        self._find_nodes: Callable[[], CellNodes] | None = find_nodes

    def __getstate__(self) -> dict[str, Any]:
        """Plain data only, so that tables travel between processes."""
        return {**self.__dict__, "_content": self._content, "nodes": self.nodes, "_fill": None, "_find_nodes": None}

    @cached_property
    def _content(self) -> Content:
        return self._fill() if self._fill else ((), ())

    @property
    def columns(self) -> Sequence[Column]:
        """The columns from left to right. They are found when somebody asks: most users want one table of a page."""
        return self._content[0]

    @property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """The rows from the first record to the last; found when somebody asks."""
        return self._content[1]

    @cached_property
    def nodes(self) -> CellNodes:
        """For every cell the nodes that its text stands in; none where the cell is None. Found when asked for."""
        return self._find_nodes() if self._find_nodes else []

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Table {len(self)} rows x {len(self.columns)} columns, score {self.score:.2f}>"

    def _repr_html_(self) -> str:
        """The table for notebooks: for people, and not all of a long one."""
        told = self.telling()
        rows = told.shown_rows()[:_MOST_SHOWN]
        head = "".join(f"<th>{escape(name)}</th>" for name in told.names)
        lines = ("".join(f"<td>{escape(cell or '')}</td>" for cell in row) for row in rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        more = f"<p>and {len(told) - len(rows):,} more rows</p>" if len(told) > len(rows) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def xpaths(self) -> list[list[str]]:
        """For every row the XPaths of its record's roots."""
        return [[self.page.xpath(node) for node in record] for record in self.records]

    def shown_rows(self) -> list[list[str | None]]:
        """The rows with every cell as one text; the values of a list with semicolons between them."""
        return [[shown(cell) for cell in row] for row in self.rows]

    def values(self) -> list[list[Shown]]:
        """For every cell what it shows, beside the text as it stands in ``rows``."""
        return [[column.value(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def lists(self) -> dict[str, list[Cell]]:
        """The lists by name, one a row: columns of them, and columns that hold the values of one."""
        found: dict[str, list[Cell]] = {}
        for name, parts in self._parts().items():
            if len(parts) == 1:
                found[name] = [row[parts[0]] for row in self.rows]
            else:
                found[name] = [[cell for part in parts if isinstance(cell := row[part], str)] or None for row in self.rows]
        return found

    def _parts(self) -> dict[str, list[int]]:
        """For every list the numbers of its columns."""
        found: dict[str, list[int]] = {}
        for number, column in enumerate(self.columns):
            if column.type == LIST or column.part_of:
                found.setdefault(column.part_of or column.name, []).append(number)
        return found

    def telling(self) -> Table:
        """The table for people: without columns that say the same in every row, and with lists as one column each."""
        return self._merged([number for number, column in enumerate(self.columns) if not column.is_constant])

    def merged(self) -> Table:
        """The table with lists as one column each."""
        return self._merged(range(len(self.columns)))

    def keep_constant(self) -> Table:
        """Return the table with its constant columns as data, so that everything for people has them, too."""
        return Table(
            lambda: ([replace(column, is_constant=False) for column in self.columns], self.rows),
            find_nodes=lambda: self.nodes,
            records=self.records,
            texts=self.texts,
            score=self.score,
            page=self.page,
        )

    def _merged(self, numbers: Iterable[int]) -> Table:
        """These columns, those of a list as one; the table as it is if that changes nothing."""
        series = {number: numbers for numbers in self._parts().values() for number in numbers}
        kept: dict[int, list[int]] = {}
        for number in numbers:
            first = series[number][0] if number in series else number
            kept.setdefault(first, []).append(number)
        if len(kept) in (0, len(self.columns)):
            return self
        groups = list(kept.values())
        columns = [self.columns[one] if not others else Column(self.columns[one].name, LIST) for one, *others in groups]
        rows = [[_together([row[number] for number in numbers]) for numbers in groups] for row in self.rows]
        return Table(
            lambda: (columns, rows),
            find_nodes=lambda: [[sum([row[number] for number in numbers], ()) for numbers in groups] for row in self.nodes],
            records=self.records,
            texts=self.texts,
            score=self.score,
            page=self.page,
        )

    def readable_columns(self) -> list[Column]:
        """Return the columns, as strings those of which a text does not convert to the type, unless somebody asked for it.

        So typed output has a value in every cell that has a text.
        """
        return [
            column
            if column.type not in TYPES or column.is_asked or column.reads_all(row[number] for row in self.rows)
            else replace(column, type=STRING, before="", after="", date_order=DateOrder.UNKNOWN)
            for number, column in enumerate(self.columns)
        ]

    def count_unread(self) -> dict[str, int]:
        """Count for every column whose type somebody asked for the texts that do not convert to it."""
        asked = [(number, column) for number, column in enumerate(self.columns) if column.is_asked]
        counts = {
            column.name: sum(row[number] is not None and column.value(row[number]) is None for row in self.rows)
            for number, column in asked
        }
        return {name: count for name, count in counts.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """The table as it stands in the JSON output: cells are texts; values and lists stand beside them once more."""
        columns, lists = self.readable_columns(), self.lists()
        typed = [(number, column) for number, column in enumerate(columns) if column.type in TYPES]
        values = {column.name: [as_json(column.value(row[number])) for row in self.rows] for number, column in typed}
        return {
            "score": round(self.score, 4),
            "columns": [column.to_json() for column in columns],
            "rows": self.shown_rows(),
            **({"values": values} if values else {}),
            **({"lists": lists} if lists else {}),
            "texts": list(self.texts),
            "records": [{"nodes": paths} for paths in self.xpaths()],
        }

    # ---- for people --------------------------------------------------------------------------------------------

    def by_name(self, *, values: bool = False) -> dict[str, list[Any]]:
        """The columns that tell something, as they are shown; or with what they show where they have a type.

        Of a price, the currency then has a column of its own.
        """
        table = self.telling()
        found: dict[str, list[Any]] = {}
        for number, column in enumerate(table.readable_columns() if values else table.columns):
            cells = [row[number] for row in table.rows]
            if not values or column.type not in TYPES:
                found[column.name] = cells
                continue
            shown = [column.value(cell) for cell in cells]
            if column.type == PRICE:
                prices = [value if isinstance(value, Price) else None for value in shown]
                found[column.name] = [price and price.amount for price in prices]
                found[_free(f"{column.name}_currency", table.names)] = [price and price.currency for price in prices]
            else:
                found[column.name] = shown
        return found

    def to_csv(self, path: str | PathLike[str] | None = None, *, values: bool = False) -> str:
        """The table as CSV with a line of names; also written to ``path`` if one is given."""
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        columns = self.by_name(values=values)
        writer.writerow(columns)
        writer.writerows(zip(*([as_text(cell) for cell in cells] for cells in columns.values()), strict=True))
        text = buffer.getvalue()
        if path is not None:
            try:
                Path(path).write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                raise SinkError(f"cannot write {path}: {error.strerror}") from None
        return text

    def to_arrow(self, *, values: bool = False) -> pyarrow.Table:
        """The table as a pyarrow Table; with values, of the types that the columns have."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra("pyarrow", "arrow") from None
        kinds = {
            "integer": pyarrow.int64(),
            **dict.fromkeys(("number", "percentage", PRICE), pyarrow.float64()),
            "date": pyarrow.date32(),
            "datetime": pyarrow.timestamp("us"),
            "time": pyarrow.time64("us"),
            BOOLEAN: pyarrow.bool_(),
            LIST: pyarrow.list_(pyarrow.string()),
        }
        columns = self.telling().readable_columns()
        types = {column.name: column.type for column in columns if values or column.type == LIST}
        return pyarrow.table(
            {
                name: pyarrow.array(_plain(cells), kinds.get(types.get(name, ""), pyarrow.string()))
                for name, cells in self.by_name(values=values).items()
            }
        )

    def to_pandas(self, *, values: bool = False) -> pandas.DataFrame:
        """The table as a pandas DataFrame; with values, numbers and days are such."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        cells_by_name = {name: _plain(cells) for name, cells in self.by_name(values=values).items()}
        frame = pandas.DataFrame(cells_by_name, index=range(len(self)))
        kinds = {"integer": "Int64", "date": "datetime64[us]", "datetime": "datetime64[us]", BOOLEAN: "boolean"}
        numbers = dict.fromkeys(("number", "percentage", PRICE), "float64")
        types = {**kinds, **numbers}
        typed_columns = self.telling().readable_columns() if values else ()
        # All at once: every call takes time for all columns.
        return frame.astype({column.name: types[column.type] for column in typed_columns if column.type in types})


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, longer if it is taken."""
    while name in taken:
        name += "_"
    return name


_LARGEST = 2**63 - 1


def _plain(cells: Sequence[Any]) -> list[Any]:
    """Values as other libraries take them: decimals as floats, moments in UTC, no whole number beyond a computer's word."""
    return [_plain_value(cell) for cell in cells]


def _plain_value(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return float(cell)
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return cell.astimezone(UTC).replace(tzinfo=None)
    return None if type(cell) is int and abs(cell) > _LARGEST else cell


def _together(cells: Sequence[Cell]) -> Cell:
    """The cells of a row that are one: a list of those that have something."""
    if len(cells) == 1:
        return cells[0]
    return [cell for cell in cells if isinstance(cell, str)] or None


def as_json(value: Shown) -> Any:
    """A value as JSON has it: numbers are numbers, days and times are texts as ISO 8601 writes them."""
    if isinstance(value, Price):
        return {"amount": _number(value.amount), "currency": value.currency}
    if isinstance(value, Decimal):
        return _number(value)
    return value.isoformat() if isinstance(value, date | time) else value


def _number(value: Decimal) -> float | None:
    """The number, if JSON can hold it."""
    number = float(value)
    return number if math.isfinite(number) else None


def as_text(value: Any) -> Any:
    """A value as a cell of CSV."""
    if isinstance(value, list):
        return shown(value)
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | time) else value


def shown(cell: Cell) -> str | None:
    """A cell as one text."""
    return BETWEEN_VALUES.join(cell) if isinstance(cell, list) else cell
