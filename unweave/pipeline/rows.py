"""What a page of a template gives: rows of the template's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from unweave.content.article import Article, extract_article
from unweave.errors import PageError
from unweave.names import append_underscores
from unweave.page.page import Page
from unweave.pipeline.cells import cells, plain
from unweave.pipeline.page_types import Kind
from unweave.pipeline.templates import LEAST_FIT, PAGES, Template
from unweave.pipeline.url_keys import address_of
from unweave.table import LIST, Cell, Table
from unweave.wrappers.base import Extraction, Fields, clean_fields
from unweave.wrappers.fields.apply import FieldWrapper

URL, POSITION, DETAIL, DETAIL_TABLE, OTHERS = "url", "position", "detail", "detail_table", "others"
"""Columns that are not found on pages."""
LINKS = "~links"
"""The key of what is no column: the addresses that a record leads to, one a link column."""
_KEPT = frozenset([URL, POSITION, DETAIL, DETAIL_TABLE, OTHERS])
_MOST_MISSING = 5

Row = dict[str, Any]
Value = tuple[str, str, Any]
"""A name, a type, and a value as JSON has it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a template finds on a page."""

    fit: float
    rows: dict[str, list[Row]] = field(default_factory=dict)
    """Rows by the names of their tables."""
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    """For every table the types of the columns that have something, by name."""
    reason: str | None = None
    """Why the page does not belong to the template, if it does not."""


def read(page: Page, url: str, template: Template) -> Found:
    """The rows of a page."""
    try:
        return _READERS[template.kind](page, url, template)
    except PageError as error:
        return Found(0.0, reason=str(error))


class _Tables:
    """Gathers the rows of one page."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.rows: dict[str, list[Row]] = {}
        self.types: dict[str, dict[str, str]] = {}

    def add(
        self,
        table: str,
        found: Sequence[Value],
        ours: Row | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """Take a row: names, types and values, our own, and what has no column."""
        row: Row = {URL: self._url, **(ours or {})}
        types = self.types.setdefault(table, {})
        all_ = [(column_name(name), type_, value) for name, type_, value in found]
        for name, type_, value in [*all_, (OTHERS, LIST, [*others])] if others else all_:
            row[name] = value
            types[name] = type_
        self.rows.setdefault(table, []).append(row)


def column_name(name: str) -> str:
    """The name of a column, which is none of ours."""
    return f"{name}_" if name in _KEPT else name


def _list(page: Page, url: str, template: Template) -> Found:
    extraction = template.records.apply(page) if template.records else Extraction()
    table, fit = extraction.table, extraction.fit
    if table is None:
        return Found(0.0, reason="the list of its template was not found on it")
    if fit < LEAST_FIT:
        return Found(fit, reason=f"it fits its template {template.name} badly: {fit:.2f}")
    tables = _Tables(url)
    _add_records(tables, template.name, page, table)
    if template.fields is not None:
        told = template.fields.apply(page).fields or {}
        _add_fields(tables, template.nested[PAGES], template, template.fields, told)
    return Found(fit, tables.rows, tables.types)


def _add_records(tables: _Tables, name: str, page: Page, table: Table) -> None:
    told = table.drop_constant_columns()
    links = [number for number, column in enumerate(told.columns) if column.type == "url"]
    for position, row in enumerate(told.rows, start=1):
        found = [
            one
            for column, cell in zip(told.columns, row, strict=True)
            for one in cells(column, cell)
        ]
        targets = [
            address_of(page.resolve_url(cell)) if isinstance(cell := row[number], str) else None
            for number in links
        ]
        tables.add(name, found, {POSITION: position, LINKS: targets})


def _detail(page: Page, url: str, template: Template) -> Found:
    wrapper = template.fields
    extraction = wrapper.apply(page) if wrapper else Extraction()
    fields, fit = extraction.fields, extraction.fit
    if wrapper is None or fields is None or fit < LEAST_FIT:
        missing = ", ".join(extraction.missing[:_MOST_MISSING])
        lacking = f"; missing: {missing}" if missing else ""
        return Found(fit, reason=f"it fits its template {template.name} badly: {fit:.2f}{lacking}")
    tables = _Tables(url)
    text = _text(extract_article(page, template.shared), wrapper) if template.reads_text else []
    _add_fields(tables, template.name, template, wrapper, fields, text)
    return Found(fit, tables.rows, tables.types)


def _text(found: Article, wrapper: FieldWrapper) -> list[Value]:
    """The long text of a page that has fields too, under a name that none of them has."""
    names = {own.name for own in wrapper.fields}
    name = append_underscores("body", names)
    return [(name, "text", found.body)] if found.body else []


def _add_fields(
    tables: _Tables,
    name: str,
    template: Template,
    wrapper: FieldWrapper,
    fields: Fields,
    more: Sequence[Value] = (),
) -> None:
    """A row of fields, and rows of the tables inside the page."""
    fields = clean_fields(fields)
    nested = {column.name for table in wrapper.tables for column in table.columns}
    known = {own.name for own in wrapper.fields}
    found = [
        one
        for own in fields
        if own in known
        for one in cells(template.column(own), _cell(fields[own]))
    ]
    others = [
        f"{own}: {text}"
        for own, value in fields.items()
        if own not in known and own not in nested
        for text in (value if isinstance(value, list) else [value])
        if text
    ]
    tables.add(name, [*found, *more], others=others)
    for table in wrapper.tables:
        own = {
            column.name: fields[column.name] for column in table.columns if column.name in fields
        }
        _add_nested(tables, template.nested[table.name], template, own)


def _add_nested(tables: _Tables, name: str, template: Template, columns: Fields) -> None:
    """The rows of a table inside a page. Its columns are lists of one length."""
    lists = {own: value if isinstance(value, list) else [value] for own, value in columns.items()}
    for position in range(max(map(len, lists.values()), default=0)):
        found = [
            one
            for own, value in lists.items()
            for one in cells(template.column(own), _at(value, position))
        ]
        tables.add(name, found, {POSITION: position + 1})


def _at(values: Sequence[str | None], position: int) -> str | None:
    return values[position] if position < len(values) else None


def _cell(value: str | Sequence[str | None]) -> Cell:
    return value if isinstance(value, str) else [own for own in value if own]


def _article(page: Page, url: str, template: Template) -> Found:
    found = extract_article(page, template.shared)
    if not found:
        return Found(0.0, reason="it is no article, as the others of its template are")
    tables = _Tables(url)
    row = [
        ("title", "text", found.title),
        ("date", "datetime", _moment(found.date)),
        ("authors", LIST, list(found.authors)),
        ("body", "text", found.body),
    ]
    tables.add(template.name, [one for one in row if one[2]])
    return Found(1.0, tables.rows, tables.types)


def _moment(date: str | None) -> str | None:
    """A day or a moment as one that databases have: in UTC, as far as the page tells the zone."""
    moment = datetime.fromisoformat(date) if date else None
    return plain(moment) if moment else None


def _neither(page: Page, url: str, template: Template) -> Found:
    alone = (
        "no other page is like it"
        if template.pages == 1
        else "its pages tell nothing that differs from page to page"
    )
    return Found(0.0, reason=f"neither a list, nor a detail page, nor an article: {alone}")


_READERS = {Kind.LIST: _list, Kind.DETAIL: _detail, Kind.ARTICLE: _article, Kind.NEITHER: _neither}
