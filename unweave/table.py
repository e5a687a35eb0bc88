"""Table: columns, rows, and the nodes of the page that every cell came from."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra, SinkError
from unweave.page.page import Page
from unweave.values.column_format import ColumnFormat, is_placeholder
from unweave.values.dates import DateOrder
from unweave.values.parsing import MAX_INTEGER, Price, Value, parse_value, widen_value
from unweave.values.types import FRACTIONAL, TYPED, Type

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from unweave.column_selection import ColumnSpec


Cell = str | list[str] | None
"""A text; a list of texts in a column of type ``list``; None where the record has no value."""

CellNodes = list[list[tuple[int, ...]]]
"""For every cell of every row the nodes that its text came from."""

CellValue = Value | bool | list[str] | None
"""The typed value of a cell; None where it is empty or its text is ambiguous."""

LIST = "list"
URL = "url"
URL_TYPES = frozenset([URL, "image"])
"""The types of columns that hold the URLs of links and images instead of visible text."""
LIST_SEPARATOR = "; "

MAX_NOTEBOOK_ROWS = 60


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column, unique in its table, and how its texts are converted to values."""

    name: str
    type: str = "string"
    is_constant: bool = False
    """All cells have the same text, as buttons and labels do, or the texts of another column.
    Formats for people leave it out.
    """
    part_of: str = ""
    """The name of the first column of a list whose values are spread over several columns."""
    prefix: str = ""
    """The text before every value that is not part of it, as in "Price: $5"."""
    suffix: str = ""
    """The text after every value that is not part of it, as in "7 views"."""
    date_order: DateOrder = DateOrder.UNKNOWN
    """Whether the day or the month comes first in numeric dates such as 01/02/2020."""
    is_requested_type: bool = False
    """A user chose the type: values of other types are converted, or left out where they cannot be.
    """

    def to_json(self) -> dict[str, Any]:
        """Return the column as plain data, without fields that have their default."""
        flags = {"constant": self.is_constant, "asked": self.is_requested_type}
        texts = {
            "part_of": self.part_of,
            "before": self.prefix,
            "after": self.suffix,
            "date_order": self.date_order.value,
        }
        optional = {name: value for name, value in {**flags, **texts}.items() if value}
        return {"name": self.name, "type": self.type, **optional}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Column:
        """Read what ``to_json`` wrote. The data is untrusted."""
        order = str(data.get("date_order", ""))
        return cls(
            str(data["name"]),
            str(data["type"]),
            is_constant=data.get("constant") is True,
            part_of=str(data.get("part_of", "")),
            prefix=str(data.get("before", "")),
            suffix=str(data.get("after", "")),
            date_order=DateOrder(order) if order in list(DateOrder) else DateOrder.UNKNOWN,
            is_requested_type=data.get("asked") is True,
        )

    def parse(self, cell: Cell) -> CellValue:
        """Convert a cell to a value of the column's type; None if it does not convert."""
        if cell is None or isinstance(cell, list):
            return cell
        if self.type not in TYPED:
            return None
        reading = ColumnFormat(self.type, self.prefix, self.suffix, self.date_order)
        if not self.is_requested_type or self.type == Type.BOOLEAN:
            return reading.parse(cell)
        value = parse_value(reading.strip_affixes(cell), self.date_order)
        return widen_value(_convert(value, self.type), self.type)

    def is_blank(self, text: str) -> bool:
        """Tell whether a text stands for a missing value, as a dash does in a column of numbers."""
        return self.type in TYPED and is_placeholder(text)

    def converts_all(self, cells: Iterable[Cell]) -> bool:
        """Tell whether every cell that is not empty converts to the type."""
        return all(self.parse(cell) is not None for cell in cells if cell is not None)


def _convert(value: Value | None, type_name: str) -> Value | None:
    """Convert a value to another type where that is unambiguous: a price to its amount, …"""
    if isinstance(value, Price) and type_name != Type.PRICE:
        value = value.amount
    if isinstance(value, datetime):
        if type_name == "date":
            return value.date()
        return value.time() if type_name == "time" else value
    if type_name == Type.PRICE and isinstance(value, int | Decimal):
        return Price(Decimal(value), "")
    if type_name == "integer" and isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One list of a page: a row for each record. Plain data; methods return new tables."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    nodes: CellNodes
    """For every cell the nodes that its text came from; empty where the cell is None."""
    records: Sequence[tuple[int, ...]]
    """For every row the roots of the sub-trees that make up its record."""
    texts: Sequence[str]
    """For every row the whole text of its record."""
    score: float
    """From 0 to 1: in the default method the confidence that this is the page's list."""
    page: Page

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Table {len(self)} rows x {len(self.columns)} columns, score {self.score:.2f}>"

    def _repr_html_(self) -> str:
        """Return the table as HTML for notebooks, without constant columns, cut after 60 rows."""
        table = self.drop_constant_columns()
        rows = table.format_rows()[:MAX_NOTEBOOK_ROWS]
        head = "".join(f"<th>{escape(name)}</th>" for name in table.names)
        lines = ("".join(f"<td>{escape(cell or '')}</td>" for cell in row) for row in rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        rest = len(table) - len(rows)
        more = f"<p>and {rest:,} more rows</p>" if rest else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the typed table through the Arrow PyCapsule interface.

        Needs the extra ``arrow``.
        """
        return self.to_arrow(values=True).__arrow_c_stream__(requested_schema)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def xpaths(self) -> list[list[str]]:
        """Return for every row the XPaths of its record's roots."""
        return [[self.page.xpath(node) for node in record] for record in self.records]

    # ---- tables with other columns ---------------------------------------------------------------

    def select(self, *columns: ColumnSpec | str) -> Table:
        """Return a table with these columns, in this order, renamed and retyped.

        A column is given as ``COLUMN[@link][=NAME][:TYPE]``: ``price=cost:number`` is the column
        ``price``, called ``cost``, as a number; ``title@link`` holds the URLs of the links
        around or
        inside the titles.
        """
        from unweave.column_selection import select_columns

        return select_columns(self, columns)

    def drop_constant_columns(self) -> Table:
        """Return the table without constant columns, and with each list as one column."""
        numbers = [number for number, column in enumerate(self.columns) if not column.is_constant]
        return self._merge_columns(numbers)

    def merge_list_columns(self) -> Table:
        """Return the table with each list as one column."""
        return self._merge_columns(range(len(self.columns)))

    def keep_constant_columns(self) -> Table:
        """Return the table with its constant columns marked as data: no format drops them."""
        return replace(
            self, columns=[replace(column, is_constant=False) for column in self.columns]
        )

    def _merge_columns(self, numbers: Iterable[int]) -> Table:
        """Return these columns, with the columns of one list merged into one."""
        first_of_list = {
            number: parts[0] for parts in self._list_columns().values() for number in parts
        }
        groups: dict[int, list[int]] = {}
        for number in numbers:
            groups.setdefault(first_of_list.get(number, number), []).append(number)
        if len(groups) in (0, len(self.columns)):
            return self
        columns = [
            self.columns[first] if not rest else Column(self.columns[first].name, LIST)
            for first, *rest in groups.values()
        ]
        rows = [
            [_merge_cells([row[number] for number in group]) for group in groups.values()]
            for row in self.rows
        ]
        nodes: CellNodes = [
            [sum([row[number] for number in group], ()) for group in groups.values()]
            for row in self.nodes
        ]
        return replace(self, columns=columns, rows=rows, nodes=nodes)

    def _list_columns(self) -> dict[str, list[int]]:
        """Return for every list, by name, the numbers of its columns."""
        numbers: dict[str, list[int]] = {}
        for number, column in enumerate(self.columns):
            if column.type == LIST or column.part_of:
                numbers.setdefault(column.part_of or column.name, []).append(number)
        return numbers

    # ---- types and values ------------------------------------------------------------------------

    def resolve_column_types(self) -> list[Column]:
        """Return the columns, as strings where a text does not convert to the column's type.

        So typed output has a value in every cell with a text. Types that the user requested stay.
        """
        return [
            column
            if column.type not in TYPED
            or column.is_requested_type
            or column.converts_all(row[number] for row in self.rows)
            else replace(
                column, type=Type.STRING, prefix="", suffix="", date_order=DateOrder.UNKNOWN
            )
            for number, column in enumerate(self.columns)
        ]

    def count_unconverted(self) -> dict[str, int]:
        """Count the texts that do not convert, for every column whose type the user requested."""
        counts: dict[str, int] = {}
        for number, column in enumerate(self.columns):
            if column.is_requested_type:
                cells = [row[number] for row in self.rows if row[number] is not None]
                counts[column.name] = sum(column.parse(cell) is None for cell in cells)
        return {name: count for name, count in counts.items() if count}

    def parse_values(self) -> list[list[CellValue]]:
        """Return the rows with the typed value of every cell."""
        return [
            [column.parse(cell) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def collect_lists(self) -> dict[str, list[Cell]]:
        """Return the lists of the table by name, each with one list of texts per row."""
        lists: dict[str, list[Cell]] = {}
        for name, numbers in self._list_columns().items():
            lists[name] = [_merge_cells([row[number] for number in numbers]) for row in self.rows]
        return lists

    # ---- other forms -----------------------------------------------------------------------------

    def format_rows(self) -> list[list[str | None]]:
        """Return the rows with every cell as one text; lists are joined with semicolons."""
        return [[format_cell(cell) for cell in row] for row in self.rows]

    def to_columns(self, *, values: bool = False) -> dict[str, list[Any]]:
        """Return the cells of the columns that are not constant, by name.

        With ``values``, cells of typed columns are converted, and the currencies of prices have a
        column of their own.
        """
        table = self.drop_constant_columns()
        cells_by_name: dict[str, list[Any]] = {}
        for number, column in enumerate(table.resolve_column_types() if values else table.columns):
            cells = [row[number] for row in table.rows]
            if not values or column.type not in TYPED:
                cells_by_name[column.name] = cells
            elif column.type != Type.PRICE:
                cells_by_name[column.name] = [column.parse(cell) for cell in cells]
            else:
                parsed = [column.parse(cell) for cell in cells]
                prices = [value if isinstance(value, Price) else None for value in parsed]
                currency_name = f"{column.name}_currency"
                while currency_name in table.names:
                    currency_name += "_"
                cells_by_name[column.name] = [price and price.amount for price in prices]
                cells_by_name[currency_name] = [price and price.currency for price in prices]
        return cells_by_name

    def to_dicts(self, *, values: bool = False) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column name, without constant columns."""
        columns = self.to_columns(values=values)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_json(self) -> dict[str, Any]:
        """Return the table as the JSON output has it: texts, and beside them values and lists."""
        columns, lists = self.resolve_column_types(), self.collect_lists()
        values = {
            column.name: [to_json_value(column.parse(row[number])) for row in self.rows]
            for number, column in enumerate(columns)
            if column.type in TYPED
        }
        return {
            "score": round(self.score, 4),
            "columns": [column.to_json() for column in columns],
            "rows": self.format_rows(),
            **({"values": values} if values else {}),
            **({"lists": lists} if lists else {}),
            "texts": list(self.texts),
            "records": [{"nodes": paths} for paths in self.xpaths()],
        }

    def save(self, path: str | PathLike[str], *, values: bool = False) -> None:
        """Write the table to a file, whose ending selects the format.

        The endings are ``.csv``, ``.xlsx``, ``.parquet``, ``.duckdb``, ``.jsonl`` and ``.json``.
        With ``values``, CSV and JSON hold numbers and dates instead of the texts of the page; the
        other formats always do.
        """
        from unweave.sinks.page_tables import save_table

        save_table(self, str(path), values=values)

    def to_csv(self, path: str | PathLike[str] | None = None, *, values: bool = False) -> str:
        """Return the table as CSV with a header line; also write it to ``path`` if given."""
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        columns = self.to_columns(values=values)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([to_csv_cell(cell) for cell in row])
        text = buffer.getvalue()
        if path is not None:
            try:
                Path(path).write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                raise SinkError(f"cannot write {path}: {error.strerror}") from None
        return text

    def to_arrow(self, *, values: bool = False) -> pyarrow.Table:
        """Return the table as a pyarrow Table; with ``values``, typed as the columns are."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra("pyarrow", "arrow") from None
        arrow_types = {
            "integer": pyarrow.int64(),
            **dict.fromkeys(FRACTIONAL, pyarrow.float64()),
            "date": pyarrow.date32(),
            "datetime": pyarrow.timestamp("us"),
            "time": pyarrow.time64("us"),
            Type.BOOLEAN: pyarrow.bool_(),
            LIST: pyarrow.list_(pyarrow.string()),
        }
        columns = self.drop_constant_columns().resolve_column_types()
        types = {column.name: column.type for column in columns if values or column.type == LIST}
        arrays = {}
        for name, cells in self.to_columns(values=values).items():
            arrow_type = arrow_types.get(types.get(name, ""), pyarrow.string())
            arrays[name] = pyarrow.array([to_plain_value(cell) for cell in cells], arrow_type)
        return pyarrow.table(arrays)

    def to_pandas(self, *, values: bool = False) -> pandas.DataFrame:
        """Return the table as a pandas DataFrame; with ``values``, typed as the columns are."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        cells_by_name = {
            name: [to_plain_value(cell) for cell in cells]
            for name, cells in self.to_columns(values=values).items()
        }
        frame = pandas.DataFrame(cells_by_name, index=range(len(self)))
        dtypes: dict[str, str] = {
            "integer": "Int64",
            "date": "datetime64[us]",
            "datetime": "datetime64[us]",
            Type.BOOLEAN: "boolean",
            **dict.fromkeys(FRACTIONAL, "float64"),
        }
        columns = self.drop_constant_columns().resolve_column_types() if values else ()
        # One call for all columns: each call takes time for the whole frame.
        return frame.astype(
            {column.name: dtypes[column.type] for column in columns if column.type in dtypes}
        )


def _merge_cells(cells: Sequence[Cell]) -> Cell:
    """Return the cells of one list as one cell: the texts of those that are not empty."""
    if len(cells) == 1:
        return cells[0]
    return [cell for cell in cells if isinstance(cell, str)] or None


def format_cell(cell: Cell) -> str | None:
    """Return a cell as one text; the values of a list are joined with semicolons."""
    return LIST_SEPARATOR.join(cell) if isinstance(cell, list) else cell


def to_json_value(value: CellValue) -> Any:
    """Convert a value for JSON: decimals to numbers, dates and times to ISO 8601 texts."""
    if isinstance(value, Price):
        return {"amount": to_json_value(value.amount), "currency": value.currency}
    if isinstance(value, Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    return value.isoformat() if isinstance(value, date | time) else value


def to_csv_cell(value: Any) -> Any:
    """Convert a value for a cell of CSV."""
    if isinstance(value, list):
        return format_cell(value)
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | time) else value


def to_plain_value(cell: Any) -> Any:
    """Convert a value for other libraries: decimals to floats, times to UTC, no huge integers."""
    if isinstance(cell, Decimal):
        return float(cell)
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return cell.astimezone(UTC).replace(tzinfo=None)
    return None if type(cell) is int and abs(cell) > MAX_INTEGER else cell
