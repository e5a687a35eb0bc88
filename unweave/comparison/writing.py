"""Writing the differences of two tables: JSON, tables with a line for each cell, and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unweave.comparison.html_page import build_page
from unweave.comparison.rows import to_plain
from unweave.comparison.table_diff import RowChange, TableDiff
from unweave.files import format_json
from unweave.names import make_unique
from unweave.sinks.output import open_text
from unweave.sinks.registry import infer_format, is_tabular, open_row_writer
from unweave.sinks.row_writers import Row

HTML_FORMATS = ("html", "htm")

_CHANGE, _FIELD, _OLD, _NEW = _OWN_COLUMNS = ("change", "field", "old", "new")


def write_diff(diff: TableDiff, path: str, format: str | None = None) -> None:
    """Write differences to a file or to standard output; the ending selects the format."""
    format = format or infer_format(path, HTML_FORMATS)
    if format in HTML_FORMATS:
        with open_text(path) as file:
            file.write(build_page(diff))
        return
    key_columns = _name_key_columns(diff)
    names = (_CHANGE, *key_columns.values(), _FIELD, _OLD, _NEW) if is_tabular(format) else ()
    with open_row_writer(path, format, names=names) as writer:
        for change in diff.changes:
            if not is_tabular(format):
                writer.write(change.to_json())
                continue
            for row in _iter_cell_rows(change, key_columns):
                writer.write(row)


def _name_key_columns(diff: TableDiff) -> dict[str, str]:
    """Return the names of the columns of the key in a table of differences."""
    names: dict[str, str] = {}
    for name in diff.key:
        names[name] = make_unique(name, [*_OWN_COLUMNS, *names.values()])
    return names


def _iter_cell_rows(change: RowChange, key_columns: dict[str, str]) -> Iterator[Row]:
    """Yield a row for each field that differs, or for each cell of a row that is in one table."""
    front = {_CHANGE: change.change}
    front |= {column: _flatten(change.key.get(name)) for name, column in key_columns.items()}
    if change.row is None:
        for name, (old, new) in change.fields.items():
            yield {**front, _FIELD: name, _OLD: _flatten(old), _NEW: _flatten(new)}
        return
    side = _NEW if change.change == "added" else _OLD
    cells = {name: cell for name, cell in change.row.items() if name not in key_columns}
    for name, cell in cells.items():
        yield {**front, _FIELD: name, side: _flatten(cell)}
    if not cells:
        yield front


def _flatten(cell: Any) -> Any:
    """Return a cell for a table: objects, and lists that hold lists or objects, as JSON."""
    items = cell if isinstance(cell, list) else [cell]
    return format_json(to_plain(cell)) if any(isinstance(i, list | dict) for i in items) else cell
