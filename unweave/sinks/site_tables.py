"""The tables of a site on their way to a folder or database.

A ``SiteTable`` has its rows in files of JSON Lines. They are read and checked, sorted by key, and
written to one Parquet file, which makes a ``SortedTable``: whatever the order of rows and files,
sinks get the same bytes.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unweave.errors import SinkError, UsageError
from unweave.sinks.cells import (
    CELL_CONVERTERS,
    MAX_ROW_BYTES,
    Cell,
    SiteColumn,
    convert_cell,
    make_names_unique,
)
from unweave.sinks.parquet import convert_json_lines

DUCKDB_BATCH_ROWS = 2_048
"""The rows that DuckDB holds in memory at once, however large they are."""

# PostgreSQL's index takes keys of up to 2,704 bytes, DuckDB's of 8,192.
_MAX_INDEXED_KEY_BYTES = 2_000
# Python refuses to parse thousands of digits. These are beyond any number of 64 bits, with a
# decimal point or without.
_MAX_DIGITS = 400

_SORT_MEMORY_BYTES = 64 * 2**20
# What Python needs for a cell and its sort key, besides the text.
_CELL_OVERHEAD_BYTES = 200
# A merge holds one row of each file.
_MERGE_MEMORY_BYTES = 4 * _SORT_MEMORY_BYTES
_MAX_MERGED_FILES = 16

Row = dict[str, Cell]
"""The cells of a row that are not empty, by the number of the column."""

RowLine = tuple[Row, bytes]
"""A row, and the row as a line of JSON."""

SortKey = Callable[[RowLine], Any]


@dataclass(frozen=True)
class SiteTable:
    """A table of a site: its columns, its key, and files with its rows."""

    name: str
    columns: tuple[SiteColumn, ...]
    key: tuple[str, ...]
    """The names of the columns whose values no two rows share."""
    files: tuple[Path, ...]
    """JSON Lines: an object for each row, by column name; null or missing where a cell is empty."""

    def __post_init__(self) -> None:
        """Raise UsageError for a table that no sink can store."""
        names = {column.name for column in self.columns}
        if not names:
            raise UsageError(f"the table {self.name!r} has no columns")
        for name in self.key:
            if name not in names:
                raise UsageError(f"the table {self.name!r} has no column {name!r} for its key")
        for column in self.columns:
            if column.type not in CELL_CONVERTERS:
                raise UsageError(
                    f"unknown type {column.type!r} in the table {self.name!r};"
                    f" choose from {', '.join(CELL_CONVERTERS)}"
                )


@dataclass(frozen=True)
class SortedTable:
    """A table of a site with unique names and its rows, sorted, in a Parquet file."""

    name: str
    columns: tuple[SiteColumn, ...]
    key: tuple[str, ...]
    path: Path
    row_count: int
    max_batch_bytes: int
    """The size of the largest ``DUCKDB_BATCH_ROWS`` rows."""
    max_key_bytes: int
    key_error: str | None
    """Why the key does not identify rows, if so."""

    @property
    def has_indexable_key(self) -> bool:
        """Whether a database can have an index on the key; untrusted ones may be too long."""
        has_list = any(column.type == "list" for column in self.columns if column.name in self.key)
        return bool(self.key) and self.max_key_bytes <= _MAX_INDEXED_KEY_BYTES and not has_list


def check_keys(tables: Sequence[SortedTable]) -> None:
    """Raise SinkError if the key of a table does not identify its rows."""
    for table in tables:
        if table.key_error:
            raise SinkError(
                f"the table {table.name} cannot be written to a database: {table.key_error}"
            )


def sort_tables(tables: Sequence[SiteTable], folder: Path) -> list[SortedTable]:
    """Sort the rows of each table by key, then by all other columns, into a file in the folder.

    Memory stays flat: larger tables are sorted in files in the folder.
    """
    folder = folder.resolve()
    names = make_names_unique([table.name for table in tables])
    return [
        _sort_table(table, name, folder / f"{number}.parquet")
        for number, (table, name) in enumerate(zip(tables, names, strict=True))
    ]


def _sort_table(table: SiteTable, table_name: str, path: Path) -> SortedTable:
    original_names = [column.name for column in table.columns]
    names = make_names_unique(original_names)
    columns = tuple(
        SiteColumn(name, column.type) for name, column in zip(names, table.columns, strict=True)
    )
    key = [original_names.index(name) for name in table.key]
    key_names = tuple(names[number] for number in key)
    order = [*key, *(number for number in range(len(names)) if number not in key)]
    row_count = batch_bytes = max_batch_bytes = max_row_bytes = max_key_bytes = 0
    key_error: str | None = None
    previous: list[Cell] | None = None
    lines = path.with_suffix(".jsonl")
    try:
        with lines.open("wb") as file:
            for row, line in sort_rows(read_rows(table), order, path.parent):
                file.write(line)
                batch_bytes = len(line) + (batch_bytes if row_count % DUCKDB_BATCH_ROWS else 0)
                row_count += 1
                max_batch_bytes = max(max_batch_bytes, batch_bytes)
                max_row_bytes = max(max_row_bytes, len(line))
                if key:
                    cells = [row.get(str(number)) for number in key]
                    key_bytes = sum(len(str(cell).encode()) for cell in cells)
                    max_key_bytes = max(max_key_bytes, key_bytes)
                    key_error = key_error or _find_key_error(key_names, cells, previous)
                    previous = cells
        convert_json_lines(lines, columns, path, max_row_bytes)
    finally:
        lines.unlink(missing_ok=True)
    return SortedTable(
        table_name,
        columns,
        key_names,
        path,
        row_count,
        max_batch_bytes,
        max_key_bytes,
        key_error,
    )


def _find_key_error(
    names: Sequence[str], cells: list[Cell], previous: list[Cell] | None
) -> str | None:
    if None in cells:
        return f"a row has no {names[cells.index(None)]}"
    if cells == previous:
        values = zip(names, cells, strict=True)
        return (
            f"two rows have the key {', '.join(f'{name} = {cell!r:.80}' for name, cell in values)}"
        )
    return None


# ---- reading -------------------------------------------------------------------------------------


def read_rows(table: SiteTable) -> Iterator[Row]:
    """Yield the rows of all files of a table. Raises SinkError for rows that do not match it."""
    for path in table.files:
        with path.open("rb") as file:
            lines = iter(lambda: file.readline(MAX_ROW_BYTES + 1), b"")
            for number, line in enumerate(lines, 1):
                if not line.isspace():
                    yield _parse_row(table, line, f"{path}, line {number}")


def _parse_row(table: SiteTable, line: bytes, location: str) -> Row:
    if len(line) > MAX_ROW_BYTES:
        raise SinkError(
            f"a row of the table {table.name} has more than {MAX_ROW_BYTES >> 20} MB ({location})"
        )
    try:
        values = _DECODER.decode(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise SinkError(f"a row of the table {table.name} is not a JSON object ({location})")
    row: Row = {}
    for number, (name, type) in enumerate(table.columns):
        value = values.get(name)
        try:
            cell = convert_cell(value, type)
        except (TypeError, ValueError, OverflowError):
            raise SinkError(
                f"{value!r:.60} is not of type {type},"
                f" in the column {name} of the table {table.name} ({location})"
            ) from None
        if cell is not None:
            row[str(number)] = cell
    return row


def _parse_int(digits: str) -> int | float:
    return int(digits) if len(digits) < _MAX_DIGITS else math.inf


_DECODER = json.JSONDecoder(parse_int=_parse_int)


# ---- sorting -------------------------------------------------------------------------------------
# DuckDB sorts whole rows. With texts of articles in them it gave up: half a gigabyte of memory was
# too little for a gigabyte of rows.

# Created once: ``json.dumps`` would create one for each row.
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def sort_rows(
    rows: Iterable[Row],
    columns: Sequence[int],
    folder: Path,
    *,
    memory_bytes: int = _SORT_MEMORY_BYTES,
) -> Iterator[RowLine]:
    """Yield the rows sorted by these columns, texts by code points, empty cells last.

    An external merge sort: rows beyond ``memory_bytes`` are sorted in files in the folder.
    """
    names = [str(column) for column in columns]

    def sort_key(line: RowLine) -> list[Any]:
        return [((cell := line[0].get(name)) is None, cell) for name in names]

    files: list[Path] = []
    held: list[RowLine] = []
    held_bytes = max_row_bytes = 0
    for row in rows:
        line = _ENCODER.encode(row).encode() + b"\n"
        held.append((row, line))
        held_bytes += len(line) + _CELL_OVERHEAD_BYTES * len(columns)
        max_row_bytes = max(max_row_bytes, len(line))
        if held_bytes > memory_bytes:
            path = folder / f"run-{len(files)}.jsonl"
            files.append(_write_lines(sorted(held, key=sort_key), path))
            held, held_bytes = [], 0
    held.sort(key=sort_key)
    width = min(_MAX_MERGED_FILES, max(2, _MERGE_MEMORY_BYTES // max(1, max_row_bytes)))
    while len(files) > width:
        files = [
            _merge_files(files[start : start + width], sort_key)
            for start in range(0, len(files), width)
        ]
    yield from heapq.merge(held, *map(_read_lines, files), key=sort_key)


def _merge_files(files: Sequence[Path], sort_key: SortKey) -> Path:
    """Merge sorted files into one, which has the name of the first."""
    rows = heapq.merge(*map(_read_lines, files), key=sort_key)
    return _write_lines(rows, files[0].with_suffix(".part")).rename(files[0])


def _write_lines(lines: Iterable[RowLine], path: Path) -> Path:
    with path.open("wb") as file:
        file.writelines(line for _, line in lines)
    return path


def _read_lines(path: Path) -> Iterator[RowLine]:
    """Yield the rows of a file, and remove it after the last."""
    with path.open("rb") as file:
        for line in file:
            yield json.loads(line), line
    path.unlink()
