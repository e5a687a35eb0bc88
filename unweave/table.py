"""Table: columns, rows, and for every cell the nodes of the page that it came from."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra, SinkError
from unweave.page.page import Page

if TYPE_CHECKING:
    import pandas
    import pyarrow


CellNodes = list[list[tuple[int, ...]]]

Cell = str | list[str] | None
"""A text; a list of them in a column of type ``list``; None where the record has nothing there."""

LIST = "list"
BETWEEN_VALUES = "; "


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column, unique in its table, and the type of its values."""

    name: str
    type: str = "string"


class Table:
    """One list of a page: a row a record, a cell a text, a list of texts, or None."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Cell]],
        *,
        find_nodes: Callable[[], CellNodes],
        records: Sequence[tuple[int, ...]],
        texts: Sequence[str],
        score: float,
        page: Page,
    ) -> None:
        self.columns = columns
        self.rows = rows
        self.records = records
        """For every row the roots of the sub-trees that make up its record."""
        self.texts = texts
        """For every row the whole text of its record."""
        self.score = score
        self.page = page
        self._find_nodes: Callable[[], CellNodes] | None = find_nodes

    def __getstate__(self) -> dict[str, Any]:
        """Plain data only, so that tables travel between processes."""
        return {**self.__dict__, "nodes": self.nodes, "_find_nodes": None}

    @cached_property
    def nodes(self) -> CellNodes:
        """For every cell the nodes that its text stands in; none where the cell is None. Found when asked for."""
        return self._find_nodes() if self._find_nodes else []

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Table {len(self.rows)} rows x {len(self.columns)} columns, score {self.score:.2f}>"

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

    def lists(self) -> dict[str, list[Cell]]:
        """The columns of lists by name, a cell a row."""
        return {column.name: [row[n] for row in self.rows] for n, column in enumerate(self.columns) if column.type == LIST}

    def to_dict(self) -> dict[str, Any]:
        """The table as it stands in the JSON output: cells are texts, and lists stand beside them once more."""
        lists = self.lists()
        return {
            "score": round(self.score, 4),
            "columns": [{"name": column.name, "type": column.type} for column in self.columns],
            "rows": self.shown_rows(),
            **({"lists": lists} if lists else {}),
            "texts": list(self.texts),
            "records": [{"nodes": paths} for paths in self.xpaths()],
        }

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """The table as CSV with a line of names; also written to ``path`` if one is given."""
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.names)
        writer.writerows(self.shown_rows())
        text = buffer.getvalue()
        if path is not None:
            try:
                Path(path).write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                raise SinkError(f"cannot write {path}: {error.strerror}") from None
        return text

    def to_arrow(self) -> pyarrow.Table:
        """The table as a pyarrow Table."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra("pyarrow", "arrow") from None
        types = [pyarrow.list_(pyarrow.string()) if column.type == LIST else pyarrow.string() for column in self.columns]
        values = [pyarrow.array(cells, kind) for cells, kind in zip(self._by_column(), types, strict=True)]
        return pyarrow.table(values, names=self.names)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        return pandas.DataFrame([list(row) for row in self.rows], columns=self.names)

    def _by_column(self) -> list[list[Cell]]:
        return [[row[index] for row in self.rows] for index in range(len(self.columns))]


def shown(cell: Cell) -> str | None:
    """A cell as one text."""
    return BETWEEN_VALUES.join(cell) if isinstance(cell, list) else cell
