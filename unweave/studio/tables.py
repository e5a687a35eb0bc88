"""Tables of a page: choose one, describe it as JSON, and export it as a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from unweave.column_selection import find_linked_columns, select_columns
from unweave.errors import PageError, UsageError
from unweave.page.page import Page
from unweave.sinks.page_tables import unify_types
from unweave.sinks.registry import encode_rows, is_typed
from unweave.sinks.row_writers import Row
from unweave.studio.page_store import OpenPage
from unweave.studio.schemas import TableChoice, TableRequest
from unweave.table import Table, to_json_value
from unweave.values.types import TYPED
from unweave.wrappers.base import Extraction, Wrapper
from unweave.wrappers.extractions import RowList, make_field_row, make_field_row_writer

MEDIA_TYPES = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
"""The media types of exported files, by format."""

_BINARY: Any = {"schema": {"type": "string", "format": "binary"}}
FILE_RESPONSE_DOCS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": dict.fromkeys(MEDIA_TYPES.values(), _BINARY)}
}
"""The response with a file, for the description of the API."""

_MAX_FILE_NAME_CHARACTERS = 60
_UNSAFE_IN_FILE_NAME = re.compile(r"[^\w.-]+")


def choose_table(page: OpenPage, choice: TableChoice) -> Table:
    """Return the chosen table of a page with all its columns."""
    if choice.like is not None:
        return page.find_table_by_example(*choice.like)
    tables = page.find_tables(choice.method, choice.want)
    if choice.number > len(tables):
        raise UsageError(f"the page has {len(tables)} tables, and no table {choice.number}")
    return tables[choice.number - 1]


def build_table(page: OpenPage, request: TableRequest) -> Table:
    """Return the chosen table with the chosen columns, or those that are not constant."""
    table = choose_table(page, request.choice)
    if request.columns is None:
        return table.drop_constant_columns()
    return select_columns(table, [column.to_spec() for column in request.columns])


def describe_table(table: Table, number: int | None) -> dict[str, Any]:
    """Return a table as ``TableInfo`` describes it."""
    linked = find_linked_columns(table)
    columns: list[dict[str, Any]] = []
    values: dict[str, list[Any]] = {}
    for position, column in enumerate(table.columns):
        columns.append({**column.to_json(), **({"links": True} if position in linked else {})})
        if column.type in TYPED:
            cells = [row[position] for row in table.rows]
            values[column.name] = [to_json_value(column.parse(cell)) for cell in cells]
    return {
        "number": number,
        "score": round(table.score, 4),
        "columns": columns,
        "rows": table.format_rows(),
        "values": values,
        "records": [list(record) for record in table.records],
        "cells": [[list(nodes) for nodes in row] for row in table.nodes],
    }


def export_extractions(
    wrapper: Wrapper, pages: Iterable[tuple[str, Page | None]], format: str
) -> bytes:
    """Return a file with what a wrapper extracts from named pages; None for unreadable ones.

    It has a row for each record of a list, or for each page. Every row names its page.
    """
    rows = RowList()
    field_rows = make_field_row_writer(rows, wrapper, is_typed=is_typed(format))
    tables: list[tuple[Row, Table]] = []
    for name, page in pages:
        try:
            extraction = wrapper.apply(page) if page is not None else Extraction()
        except PageError:
            continue
        table, fields = extraction.table, extraction.fields
        if table is not None and is_typed(format):
            tables.append(({"page": name}, table))
        elif table is not None:
            rows.rows += [{"page": name, **row} for row in table.to_dicts()]
        elif fields is not None:
            field_rows.write(make_field_row(wrapper, name, extraction))
    field_rows.close()
    return encode_rows([*unify_types(tables), *rows.rows], format)


def make_download_headers(name: str, ending: str) -> dict[str, str]:
    """Return headers that make a browser save a response under a name like that of the page."""
    last_part = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    stem = _UNSAFE_IN_FILE_NAME.sub("-", last_part).strip("-.")[:_MAX_FILE_NAME_CHARACTERS]
    stem = stem or "table"
    ascii_stem = stem.encode("ascii", "ignore").decode().strip("-.") or "table"
    value = f'attachment; filename="{ascii_stem}.{ending}"'
    if ascii_stem != stem:
        value += f"; filename*=UTF-8''{quote(f'{stem}.{ending}')}"
    return {"content-disposition": value}
