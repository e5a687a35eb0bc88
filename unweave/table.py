"""Table: columns, rows, and for every cell the nodes of the page that it came from."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra, SinkError
from unweave.fields.readings import TYPES, Reading
from unweave.fields.values import Price, Value
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
PRICE = "price"
BETWEEN_VALUES = "; "


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column, unique in its table, and the type of its values."""

    name: str
    type: str = "string"
    is_constant: bool = False
    """Does every row say the same? Such columns are left out of what people read."""
    part_of: str = ""
    """The first column of those that hold the values of one list, in the order of the list."""
    before: str = ""
    """What stands before every value and is no part of it, as in "Price: $5"."""
    after: str = ""
    """What stands after every value and is no part of it, as in "7 views"."""

    def value(self, cell: Cell) -> Shown:
        """What a cell of this column shows."""
        if cell is None or isinstance(cell, list):
            return cell
        return Reading(self.type, self.before, self.after).value(cell) if self.type in TYPES else None


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
        """The table without the columns in which every row says the same."""
        kept = [number for number, column in enumerate(self.columns) if not column.is_constant]
        if len(kept) == len(self.columns) or not kept:
            return self
        columns = [self.columns[number] for number in kept]
        rows = [[row[number] for number in kept] for row in self.rows]
        return Table(
            lambda: (columns, rows),
            find_nodes=lambda: [[row[number] for number in kept] for row in self.nodes],
            records=self.records,
            texts=self.texts,
            score=self.score,
            page=self.page,
        )

    def to_dict(self) -> dict[str, Any]:
        """The table as it stands in the JSON output: cells are texts; values and lists stand beside them once more."""
        lists, values = self.lists(), self._json_values()
        return {
            "score": round(self.score, 4),
            "columns": [_described(column) for column in self.columns],
            "rows": self.shown_rows(),
            **({"values": values} if values else {}),
            **({"lists": lists} if lists else {}),
            "texts": list(self.texts),
            "records": [{"nodes": paths} for paths in self.xpaths()],
        }

    def _json_values(self) -> dict[str, list[Any]]:
        typed = [(number, column) for number, column in enumerate(self.columns) if column.type in TYPES]
        return {column.name: [_as_json(column.value(row[number])) for row in self.rows] for number, column in typed}

    # ---- for people --------------------------------------------------------------------------------------------

    def by_name(self, *, values: bool = False) -> dict[str, list[Any]]:
        """The columns that tell something, as they are shown; or with what they show where they have a type.

        Of a price, the currency then has a column of its own.
        """
        table = self.telling()
        found: dict[str, list[Any]] = {}
        for number, column in enumerate(table.columns):
            cells = [row[number] for row in table.rows]
            if not values or column.type not in TYPES:
                found[column.name] = cells
                continue
            shown = [column.value(cell) for cell in cells]
            if column.type == PRICE:
                prices = [value if isinstance(value, Price) else None for value in shown]
                found[column.name] = [price and price.amount for price in prices]
                found[f"{column.name}_currency"] = [price and price.currency for price in prices]
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
        """The table as a pyarrow Table."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra("pyarrow", "arrow") from None
        lists = {column.name for column in self.columns if column.type == LIST}
        arrays = {}
        for name, cells in self.by_name(values=values).items():
            is_text = all(cell is None or isinstance(cell, str) for cell in cells)
            kind = pyarrow.list_(pyarrow.string()) if name in lists else pyarrow.string() if is_text else None
            arrays[name] = pyarrow.array(cells, kind)
        return pyarrow.table(arrays)

    def to_pandas(self, *, values: bool = False) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        return pandas.DataFrame(self.by_name(values=values))


def _described(column: Column) -> dict[str, Any]:
    return {"name": column.name, "type": column.type, **({"constant": True} if column.is_constant else {})}


def _as_json(value: Shown) -> Any:
    """A value as JSON has it: numbers are numbers, days and times are texts as ISO 8601 writes them."""
    if isinstance(value, Price):
        return {"amount": float(value.amount), "currency": value.currency}
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date | time) else value


def as_text(value: Any) -> Any:
    """A value as a cell of CSV."""
    if isinstance(value, list):
        return BETWEEN_VALUES.join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | time) else value


def shown(cell: Cell) -> str | None:
    """A cell as one text."""
    return BETWEEN_VALUES.join(cell) if isinstance(cell, list) else cell
