"""What a database of a whole site holds, and whether its cells show what is true."""

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
"""What is true of a page or of a field; examples/README.md says how."""

Row = dict[str, Any]

_ABOUT_ROWS = ("url", "position", "detail", "detail_table")


@dataclass(frozen=True)
class Result:
    """A database that unweave made of a site."""

    urls: Mapping[str, str]
    """The address of every page by its path. Of pages that were fetched twice, the shortest."""
    templates: Mapping[str, str | None]
    """The table of every page by its path."""
    rows: Mapping[str, Mapping[str, Sequence[Row]]]
    """The rows of every table, in order, by the address of their page."""
    fetched: int
    """How many pages there are, with those that are there twice."""

    @classmethod
    def read(cls, database: Path) -> Result:
        """Read a file of DuckDB."""
        import duckdb

        with duckdb.connect(str(database), read_only=True) as connection:
            names = [
                name
                for (name,) in connection.execute(
                    "SELECT table_name FROM duckdb_tables()"
                ).fetchall()
            ]
            tables = {
                name: _rows(connection.execute(f"SELECT * FROM {_quoted(name)}")) for name in names
            }
        pages = sorted(tables.pop("pages"), key=lambda page: len(page["url"]), reverse=True)
        return cls(
            {canonical(page["url"]): page["url"] for page in pages},
            {canonical(page["url"]): page["template"] for page in pages},
            {
                name: _by_url(rows)
                for name, rows in tables.items()
                if all("url" in row for row in rows)
            },
            len(pages),
        )

    def of(self, path: str, table: str | None = None) -> Sequence[Row]:
        """The rows of a page, in its own table or in another one."""
        return self.rows.get(table or self.templates.get(path) or "", {}).get(
            self.urls.get(path, ""), ()
        )

    def nested(self, template: str) -> list[str]:
        """The tables of what repeats inside the pages of a template."""
        known = set(self.templates.values())
        return [name for name in self.rows if name.startswith(f"{template}_") and name not in known]


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _rows(cursor: Any) -> list[Row]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _by_url(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.get("position") or 0):
        found[row["url"]].append(row)
    return found


# ---- texts and values ------------------------------------------------------------------------------------------


def agrees(true: Truth, cell: object) -> bool:
    """Does a cell show what is true, and nothing else: the same text, or the same number or day?"""
    value = true.get("value")
    if isinstance(cell, str | list):
        text = _folded(cell)
        return text == _folded(true["text"]) or (
            isinstance(value, str) and text[: len(value)] == value
        )
    if isinstance(cell, date):
        return str(cell)[:10] == value
    if isinstance(cell, int | float | Decimal) and isinstance(value, int | float):
        return isclose(float(cell), value)
    return False


def shows(true: Truth, cell: object) -> bool:
    """Does a cell show what is true, whatever else it shows?"""
    return agrees(true, cell) or (
        isinstance(cell, str | list) and _folded(true["text"]) in _folded(cell)
    )


def _folded(text: str | list[str | None]) -> str:
    said = (
        text if isinstance(text, str) else " ".join(part for part in text if isinstance(part, str))
    )
    return " ".join(said.split())


def cells(row: Row) -> list[tuple[str, object]]:
    """The columns and cells of a row that tell what the page shows."""
    return [
        (name, cell) for name, cell in row.items() if name not in _ABOUT_ROWS and cell is not None
    ]
