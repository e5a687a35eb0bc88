"""The tables of pages as files, in the formats of ``unweave.sinks.registry``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from unweave.page.composite import JoinedPages
from unweave.sinks.output import open_binary
from unweave.sinks.registry import (
    check_target,
    encode_rows,
    infer_format,
    is_tabular,
    is_typed,
    open_row_writer,
)
from unweave.sinks.row_writers import Row, RowWriter
from unweave.table import Table

# Types that may differ between the tables of one column: the second can hold the first.
_COMPATIBLE_TYPES = (frozenset(["integer", "number"]), frozenset(["date", "datetime"]))


# ---- one table -----------------------------------------------------------------------------------


def encode_table(table: Table, format: str, *, values: bool = False) -> bytes:
    """Return a table as the bytes of a file; Excel and Parquet always have typed values."""
    return encode_rows(table.to_dicts(values=values or is_typed(format)), format)


def save_table(table: Table, path: str, *, values: bool = False) -> None:
    """Write a table to a file whose ending gives the format."""
    format = infer_format(path)
    check_target(path, format)
    data = encode_table(table, format, values=values)
    with open_binary(path) as file:
        file.write(data)


# ---- the tables of several pages -----------------------------------------------------------------


@contextmanager
def open_table_writer(
    path: str,
    format: str,
    *,
    table: int | None = None,
    name_pages: bool = False,
    with_fit: bool = False,
    values: bool = False,
) -> Iterator[PageWriter | RecordWriter]:
    """Open a writer of the tables of pages to a file or to standard output.

    Args:
        path: The file, or ``-``.
        format: A name of ``FILE_FORMATS``.
        table: Only the N-th table of each page, from 1. Tabular formats have the first by default.
        name_pages: Name the page in every row of tabular formats.
        with_fit: Give the fit of each page in JSON, 0 where there is no table.
        values: Give typed values in CSV, as Excel and Parquet always do.
    """
    with open_row_writer(path, format) as rows:
        if is_tabular(format):
            writer = RecordWriter(rows, table or 1, name_pages, values or is_typed(format))
            yield writer
            writer.close()
        else:
            yield PageWriter(rows, table, with_fit)


class PageWriter:
    """Writes a row for each page, with all of its tables or one of them."""

    def __init__(self, rows: RowWriter, table: int | None, with_fit: bool) -> None:
        self._rows = rows
        self._table = table
        self._with_fit = with_fit

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Write the tables of a page."""
        chosen = tables if self._table is None else tables[self._table - 1 : self._table]
        row: dict[str, Any] = {"page": page, "tables": [table.to_json() for table in chosen]}
        if self._with_fit:
            row["fit"] = round(tables[0].score, 4) if tables else 0.0
        self._rows.write(row)


class RecordWriter:
    """Writes a row for each record of one table of each page."""

    def __init__(self, rows: RowWriter, table: int, name_pages: bool, values: bool) -> None:
        self._rows = rows
        self._table = table
        self._name_pages = name_pages
        self._values = values
        self._typed_tables: list[_TypedTable] = []

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Write the records of a page; typed ones wait, as a later page may change a type."""
        prefix = {"page": page} if self._name_pages else {}
        for table in tables[self._table - 1 : self._table]:
            if self._values:
                self._typed_tables.append(_TypedTable.from_table(prefix, table))
            else:
                for row in table.to_dicts():
                    self._rows.write({**prefix, **row})

    def close(self) -> None:
        """Write the typed records."""
        for row in _unify_types(self._typed_tables):
            self._rows.write(row)


def unify_types(tables: Iterable[tuple[Row, Table]]) -> Iterator[Row]:
    """Yield the records of tables with typed values, each after the cells given with its table.

    A column has one type in all tables. Where the tables disagree, it has texts.
    """
    return _unify_types([_TypedTable.from_table(prefix, table) for prefix, table in tables])


@dataclass(frozen=True)
class _TypedTable:
    """The columns of a table without its page, which would take memory."""

    prefix: Row
    """Cells that precede those of every record."""
    texts: Mapping[str, Sequence[Any]]
    values: Mapping[str, Sequence[Any]]
    types: Mapping[str, str]
    """The types of the columns that are not empty."""

    @classmethod
    def from_table(cls, prefix: Row, table: Table) -> _TypedTable:
        texts = table.to_columns()
        types: dict[str, str] = {}
        for column in table.drop_constant_columns().resolve_column_types():
            if any(cell is not None for cell in texts[column.name]):
                types[column.name] = column.type
        return cls(prefix, texts, table.to_columns(values=True), types)


def _unify_types(tables: Sequence[_TypedTable]) -> Iterator[Row]:
    types: dict[str, set[str]] = {}
    for table in tables:
        for name, type in table.types.items():
            types.setdefault(name, set()).add(type)
    mixed = {
        name for name, names in types.items() if len(names) > 1 and names not in _COMPATIBLE_TYPES
    }
    for table in tables:
        columns: dict[str, Sequence[Any]] = {}
        is_mixed = False
        for name, cells in table.values.items():
            if name in table.texts:
                is_mixed = name in mixed
                columns[name] = table.texts[name] if is_mixed else cells
            elif not is_mixed:  # the currency of the price before it
                columns[name] = cells
        for row in zip(*columns.values(), strict=True):
            yield {**table.prefix, **dict(zip(columns, row, strict=True))}


# ---- one table of several pages ------------------------------------------------------------------


def write_multi_page_table(
    path: str,
    format: str,
    pages: Sequence[str],
    table: Table | None,
    next_url: str | None,
    *,
    values: bool = False,
) -> None:
    """Write the list that several pages continue to a file or to standard output.

    JSON has one object with the names of the pages and the URL of the page after the last. Tabular
    formats have a row for each record, with the name of its page.
    """
    with open_row_writer(path, format) as rows:
        if not is_tabular(format):
            tables = []
            if table is not None:
                data = table.to_json()
                records = zip(get_row_pages(pages, table), data["records"], strict=True)
                data["records"] = [{"page": page, **record} for page, record in records]
                tables.append(data)
            rows.write({"pages": list(pages), "tables": tables, "next": next_url})
        elif table is not None:
            row_pages = get_row_pages(pages, table)
            cells = table.to_dicts(values=values or is_typed(format))
            for page, row in zip(row_pages, cells, strict=True):
                rows.write({"page": page, **row})


def get_row_pages(pages: Sequence[str], table: Table) -> list[str]:
    """Return the name of the page of every row."""
    joined = table.page
    if not isinstance(joined, JoinedPages):
        return [pages[0]] * len(table)
    return [pages[joined.find_page(record[0])] for record in table.records]
