"""Extract the rows of a page with its template."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from unweave.content.article import extract_article
from unweave.errors import PageError
from unweave.names import append_underscores
from unweave.page.page import Page
from unweave.pipeline.column_names import (
    CURRENCY,
    LINKS,
    OTHERS,
    POSITION,
    UNPARSED,
    URL,
    make_derived_name,
    rename_reserved_column,
)
from unweave.pipeline.page_types import PageType
from unweave.pipeline.selection import NO_SELECTION, SiteSelection
from unweave.pipeline.templates import LIST_PAGES, Template
from unweave.sources.source import get_site
from unweave.table import LIST, Cell, CellValue, Column
from unweave.values.parsing import MAX_INTEGER, Price
from unweave.values.types import FRACTIONAL, TYPED, Type
from unweave.wrappers.base import MIN_FIT, Extraction
from unweave.wrappers.fields.apply import FieldWrapper

ARTICLE_COLUMNS = (
    Column("title"),
    Column("date", Type.DATETIME),
    Column("authors", Type.LIST),
    Column("body"),
)
"""The columns of articles."""

_MAX_MISSING_NAMED = 5
_UNQUOTED = "!$&'()*+,;=:@/-._~?"  # in paths and queries of URL keys

_SINK_TYPES: dict[str, str] = {
    "integer": "integer",
    **dict.fromkeys(FRACTIONAL, "number"),
    "date": "date",
    "datetime": "datetime",
    "time": "time",
    "boolean": "boolean",
}

Row = dict[str, Any]
TypedCell = tuple[str, str, Any]
"""The name and the type of a column, and a value for JSON."""


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows that a template extracts from a page."""

    fit: float
    rows: dict[str, list[Row]] = field(default_factory=dict)
    """The rows by the names of their tables."""
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each table the types of the columns that are not empty, by name."""
    reason: str | None = None
    """Why the page does not belong to the template, if it does not."""


class _RowCollector:
    """Collects the rows of one page, with the columns that were chosen."""

    def __init__(self, url: str, template: Template, selection: SiteSelection) -> None:
        self._url = url
        self._template = template
        self.selection = selection
        self.rows: dict[str, list[Row]] = {}
        self.types: dict[str, dict[str, str]] = {}

    def add(
        self,
        table: str,
        cells: Iterable[tuple[Column, Cell]],
        keys: Row | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """Add a row with its cells, further keys, and texts that have no column."""
        row: Row = {URL: self._url, **(keys or {})}
        types = self.types.setdefault(table, {})
        renamed = [
            (replace(column, name=rename_reserved_column(column.name)), cell)
            for column, cell in cells
        ]
        for column, cell in self.selection.select_cells(table, renamed):
            for name, type_, value in _convert_cell(column, cell, self._names.get(table, ())):
                row[name] = value
                types[name] = type_
        if others and table not in self.selection:
            row[OTHERS] = [*others]
            types[OTHERS] = LIST
        self.rows.setdefault(table, []).append(row)

    @cached_property
    def _names(self) -> dict[str, frozenset[str]]:
        """The names of the columns of each table of the template."""
        return {
            table: frozenset(
                self.selection.select_columns(table, {each.name: each for each in columns})
            )
            for table, columns in list_table_columns(self._template).items()
        }


def make_url_key(url: str) -> str:
    """Return a key that is the same for all URLs of a page, so that links to it can be matched.

    It has no scheme, "www.", default port, fragment or trailing slash, and one form of quoting.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    if parts.scheme not in ("http", "https", "file", ""):
        return url
    path = quote(unquote(parts.path), safe=_UNQUOTED).rstrip("/")
    query = f"?{quote(unquote(parts.query), safe=_UNQUOTED)}" if parts.query else ""
    return f"{get_site(url)}{path}{query}"


def list_table_columns(template: Template) -> dict[str, list[Column]]:
    """Return the columns of each table that a template fills, by the name of the table."""
    records = template.records.columns if template.records else ()
    columns = {template.name: [column for column in records if not column.part_of]}
    fields = template.fields
    if fields is not None:
        main = template.nested.get(LIST_PAGES, template.name)
        columns.setdefault(main, []).extend(
            [template.get_column(each.name) for each in fields.columns]
        )
    if template.page_type is PageType.ARTICLE:
        columns[template.name] += ARTICLE_COLUMNS
    elif template.reads_text and fields is not None:
        columns[template.name].append(_make_body_column(fields))
    for table in fields.tables if fields else ():
        columns[template.nested[table.name]] = [
            template.get_column(column.name) for column in table.columns
        ]
    return {
        table: [
            replace(column, name=rename_reserved_column(column.name)) for column in table_columns
        ]
        for table, table_columns in columns.items()
    }


def _make_body_column(fields: FieldWrapper) -> Column:
    """Return the column for the text of details, with a name that no field has."""
    return Column(append_underscores("body", {each.name for each in fields.fields}))


# ---- pages of each type --------------------------------------------------------------------------


def extract_rows(
    page: Page, url: str, template: Template, selection: SiteSelection = NO_SELECTION
) -> PageRows:
    """Return the rows of a page, with the chosen columns; ``url`` is its name in them."""
    extract = _EXTRACTORS[template.page_type]
    try:
        return extract(page, template, _RowCollector(url, template, selection))
    except PageError as error:
        return PageRows(0.0, reason=str(error))


def _extract_list(page: Page, template: Template, collector: _RowCollector) -> PageRows:
    extraction = template.records.apply(page) if template.records else Extraction()
    if extraction.table is None:
        return PageRows(0.0, reason="the list of its template was not found on it")
    fit = extraction.fit
    if fit < MIN_FIT:
        return PageRows(fit, reason=f"it fits its template {template.name} badly: {fit:.2f}")
    table = extraction.table
    is_selected = template.name in collector.selection
    table = table.merge_list_columns() if is_selected else table.drop_constant_columns()
    link_columns = [number for number, column in enumerate(table.columns) if column.type == "url"]
    for position, row in enumerate(table.rows, start=1):
        links: list[str | None] = []
        for number in link_columns:
            link = row[number]
            links.append(make_url_key(page.resolve_url(link)) if isinstance(link, str) else None)
        cells = zip(table.columns, row, strict=True)
        collector.add(template.name, cells, {POSITION: position, LINKS: links})
    if template.fields is not None:
        _add_fields(collector, template.nested[LIST_PAGES], template, template.fields.apply(page))
    return PageRows(fit, collector.rows, collector.types)


def _extract_detail(page: Page, template: Template, collector: _RowCollector) -> PageRows:
    extraction = template.fields.apply(page) if template.fields else Extraction()
    fit = extraction.fit
    if template.fields is None or extraction.fields is None or fit < MIN_FIT:
        missing = ", ".join(extraction.missing[:_MAX_MISSING_NAMED])
        lacking = f"; missing: {missing}" if missing else ""
        reason = f"it fits its template {template.name} badly: {fit:.2f}{lacking}"
        return PageRows(fit, reason=reason)
    body: list[tuple[Column, Cell]] = []
    if template.reads_text and (text := extract_article(page, template.shared).body):
        body = [(_make_body_column(template.fields), text)]
    _add_fields(collector, template.name, template, extraction, body)
    return PageRows(fit, collector.rows, collector.types)


def _add_fields(
    collector: _RowCollector,
    table_name: str,
    template: Template,
    extraction: Extraction,
    body: Sequence[tuple[Column, Cell]] = (),
) -> None:
    """Add a row with the fields of a page, and the rows of the tables inside the page."""
    if template.fields is None:
        return
    fields = extraction.clean_fields()
    known = {field.name for field in template.fields.columns}
    cells: list[tuple[Column, Cell]] = []
    others: list[str] = []
    for name, value in fields.items():
        if name in known:
            cell = value if isinstance(value, str) else [text for text in value if text]
            cells.append((template.get_column(name), cell))
    for name, value in extraction.clean_others().items():
        texts = value if isinstance(value, list) else [value]
        others += [f"{name}: {text}" for text in texts if text]
    collector.add(table_name, [*cells, *body], others=others)

    for table in template.fields.tables:
        columns: dict[str, Sequence[str | None]] = {}
        for column in table.columns:
            if column.name in fields:
                value = fields[column.name]
                columns[column.name] = value if isinstance(value, list) else [value]
        for position in range(max(map(len, columns.values()), default=0)):
            cells = [
                (template.get_column(name), values[position])
                for name, values in columns.items()
                if position < len(values)
            ]
            collector.add(template.nested[table.name], cells, {POSITION: position + 1})


def _extract_article(page: Page, template: Template, collector: _RowCollector) -> PageRows:
    article = extract_article(page, template.shared)
    if not article:
        return PageRows(0.0, reason="not an article, unlike other pages of its template")
    cells = [article.title, article.date, list(article.authors), article.body]
    collector.add(
        template.name,
        [(column, cell) for column, cell in zip(ARTICLE_COLUMNS, cells, strict=True) if cell],
    )
    return PageRows(1.0, collector.rows, collector.types)


def _refuse_page(page: Page, template: Template, collector: _RowCollector) -> PageRows:
    reason = (
        "no other page is similar"
        if template.pages == 1
        else "all pages of its template have the same text"
    )
    return PageRows(0.0, reason=f"neither a list, nor a detail page, nor an article: {reason}")


_EXTRACTORS: dict[PageType, Callable[[Page, Template, _RowCollector], PageRows]] = {
    PageType.LIST: _extract_list,
    PageType.DETAIL: _extract_detail,
    PageType.ARTICLE: _extract_article,
    PageType.NEITHER: _refuse_page,
}


# ---- cells ---------------------------------------------------------------------------------------


def _convert_cell(column: Column, cell: Cell, names: Container[str]) -> list[TypedCell]:
    """Return the cells of a database that a cell of a page fills.

    A price fills a second one with its currency. A text that does not parse as the type of its
    column is kept in another column. ``names`` are those of the columns of the table.
    """
    if cell is None:
        return []
    if isinstance(cell, list):
        return [(column.name, LIST, cell)]
    if column.type not in TYPED:
        return [(column.name, "text", cell)]
    value = column.parse(cell)
    converted = _convert_value(value)
    if converted is None:
        return [(make_derived_name(column.name, UNPARSED, names), "text", cell)]
    cells = [(column.name, _SINK_TYPES[column.type], converted)]
    if isinstance(value, Price) and value.currency:
        name = make_derived_name(column.name, CURRENCY, names)
        cells.append((name, "text", value.currency))
    return cells


def _convert_value(value: CellValue) -> Any:
    """Return a value for JSON and databases; None if they cannot hold it. Times are in UTC."""
    if isinstance(value, Price):
        value = value.amount
    if isinstance(value, Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
        return moment.replace(tzinfo=None).isoformat(timespec="seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return None if type(value) is int and abs(value) > MAX_INTEGER else value
