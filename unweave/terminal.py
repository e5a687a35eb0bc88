"""Tables for eyes: what a terminal shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from unweave.table import Table

# Pages are strangers: their text must not steer the terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LEAST_WIDTH = 14


def show_page(console: Console, page: str, tables: Sequence[Table], *, number: int | None = None) -> None:
    """Print one table of a page, the first or the chosen one, and say what else there is."""
    shown = number or 1
    if len(tables) < shown:
        found = "no list was found" if not tables else f"there are only {len(tables)} tables"
        console.print(Text(f"{plain(page)}: {found}", style="yellow"))
        return
    table = tables[shown - 1]
    columns = _fitting(table, console.width)
    console.print(_heading(page, tables, shown, len(columns)))
    console.print(_grid(table, columns))


def plain(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _heading(page: str, tables: Sequence[Table], number: int, shown_columns: int) -> Text:
    table = tables[number - 1]
    facts = [f"table {number} of {len(tables)}", f"{len(table)} rows", f"score {table.score:.2f}"]
    if shown_columns < len(table.columns):
        facts.append(f"{shown_columns} of {len(table.columns)} columns fit")
    return Text.assemble((plain(page), "bold"), f": {', '.join(facts)}")


def _fitting(table: Table, width: int) -> list[int]:
    """The columns that are shown: the fullest ones, as many as the width allows, in their order."""
    room = max(1, width // _LEAST_WIDTH)
    filled = [sum(1 for row in table.rows if row[index]) for index in range(len(table.columns))]
    fullest = sorted(range(len(filled)), key=lambda index: (-filled[index], index))[:room]
    return sorted(fullest)


def _grid(table: Table, columns: Sequence[int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for index in columns:
        grid.add_column(table.columns[index].name, overflow="ellipsis", no_wrap=True)
    for row in table.rows:
        grid.add_row(*(Text(plain(row[index] or "")) for index in columns))
    return grid
