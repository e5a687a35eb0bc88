"""The database that ``unweave site`` writes, and comparison of its cells with the truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isclose
from pathlib import Path
from typing import Any

from examples.bigshop.serve import canonical

Truth = dict[str, Any]
"""The truth of a page or of a field, in the format of examples/README.md."""

Row = dict[str, Any]

_METADATA_COLUMNS = ("url", "position", "detail", "detail_table")


@dataclass(frozen=True)
class Result:
    """The contents of the database of a site."""

    urls: Mapping[str, str]
    """The URL of every page by its path; of pages that were fetched twice, the shortest."""
    templates: Mapping[str, str | None]
    """The table of every page by its path."""
    rows: Mapping[str, Mapping[str, Sequence[Row]]]
    """The rows of every table, in order, by the URL of their page."""
    fetched: int
    """The number of pages, with those that were fetched twice."""

    @classmethod
    def read(cls, database: Path) -> Result:
        """Read a DuckDB file."""
        import duckdb

        with duckdb.connect(str(database), read_only=True) as connection:
            tables: dict[str, list[Row]] = {}
            names = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
            for (name,) in names:
                quoted = name.replace('"', '""')
                tables[name] = _fetch_rows(connection.execute(f'SELECT * FROM "{quoted}"'))
        pages = sorted(tables.pop("pages"), key=lambda page: len(page["url"]), reverse=True)
        return cls(
            {canonical(page["url"]): page["url"] for page in pages},
            {canonical(page["url"]): page["template"] for page in pages},
            {
                name: _group_by_url(rows)
                for name, rows in tables.items()
                if all("url" in row for row in rows)
            },
            len(pages),
        )

    def find_rows(self, path: str, table: str | None = None) -> Sequence[Row]:
        """Return the rows of a page in a table; in that of its template by default."""
        return self.rows.get(table or self.templates.get(path) or "", {}).get(
            self.urls.get(path, ""), ()
        )

    def list_nested_tables(self, template: str) -> list[str]:
        """Return the names of the tables inside the pages of a template."""
        known = set(self.templates.values())
        return [name for name in self.rows if name.startswith(f"{template}_") and name not in known]


def _fetch_rows(cursor: Any) -> list[Row]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _group_by_url(rows: Sequence[Row]) -> dict[str, list[Row]]:
    by_url: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.get("position") or 0):
        by_url[row["url"]].append(row)
    return by_url


# ---- texts and values ----------------------------------------------------------------------------


def agrees(true: Truth, cell: object) -> bool:
    """Tell whether a cell has the true text, number or date, and nothing else."""
    value = true.get("value")
    if isinstance(cell, str | list):
        text = _fold(cell)
        return text == _fold(true["text"]) or (
            isinstance(value, str) and text[: len(value)] == value
        )
    if isinstance(cell, date):
        return str(cell)[:10] == value
    if isinstance(cell, int | float | Decimal) and isinstance(value, int | float):
        return isclose(float(cell), value)
    return False


def shows(true: Truth, cell: object) -> bool:
    """Tell whether a cell has the true text, number or date, perhaps among other text."""
    return agrees(true, cell) or (
        isinstance(cell, str | list) and _fold(true["text"]) in _fold(cell)
    )


def _fold(text: str | list[str | None]) -> str:
    parts = [text] if isinstance(text, str) else text
    return " ".join(" ".join(part for part in parts if isinstance(part, str)).split())


def list_cells(row: Row) -> list[tuple[str, object]]:
    """Return the columns and cells of a row with the contents of the page."""
    return [
        (name, cell)
        for name, cell in row.items()
        if name not in _METADATA_COLUMNS and cell is not None
    ]
