"""What a wrapper finds on all pages of a group, as one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unweave.errors import PageError
from unweave.page.page import Page
from unweave.sinks.files import Row, as_bytes, is_typed, rows_of, typed_rows
from unweave.table import Table
from unweave.wrappers.base import Extraction, Wrapper, clean_fields


def found_on_all(wrapper: Wrapper, pages: Iterable[tuple[str, Page | None]], format: str) -> bytes:
    """A file with a row for each record of a list, or for each page; every row names its page, as the command line does."""
    tables: list[tuple[Row, Table]] | None = [] if is_typed(format) else None
    rows = list(_rows(wrapper, pages, tables))
    return as_bytes([*typed_rows(tables or ()), *rows], format)


def _rows(
    wrapper: Wrapper,
    pages: Iterable[tuple[str, Page | None]],
    tables: list[tuple[Row, Table]] | None,
) -> Iterator[Row]:
    """Return the rows of pages; tables that are written with values are collected instead, if there is a list for them."""
    for name, page in pages:
        try:
            extraction = wrapper.apply(page) if page is not None else Extraction()
        except PageError:
            continue
        table, fields = extraction.table, extraction.fields
        if table is not None and tables is not None:
            tables.append(({"page": name}, table))
        elif table is not None:
            yield from ({"page": name, **row} for row in rows_of(table, values=False))
        elif fields is not None:
            yield {"page": name, "fit": round(extraction.fit, 4), **clean_fields(fields)}
