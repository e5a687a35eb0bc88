"""Selectors as the source of a Scrapy spider that is ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Template

from unweave.errors import WrapperError
from unweave.selectors.export import Export, ExportedColumn, ExportedTable
from unweave.selectors.python_source import (
    LIST_TEXT,
    NEXT,
    PAGE_TEXT,
    choose_kind,
    describe_test,
    format_functions,
    format_visible_texts,
)

_SOURCE = Template('''"""$about

    scrapy runspider THIS_FILE.py -a start=https://... -O items.jsonl

Made by unweave. Files of robots are obeyed, and the site is asked no faster than it answers: \
see custom_settings.
"""

import re

import scrapy

$selectors
# What an element says, without what is never drawn.
TEXTS = $texts


class Spider(scrapy.Spider):
    """$about"""

    name = "unweave"
    start_urls = []  # to be filled in, or one with -a start=...
    custom_settings = {"ROBOTSTXT_OBEY": True, "AUTOTHROTTLE_ENABLED": True}

    def __init__(self, start=None, **arguments):
        super().__init__(**arguments)
        if start:
            self.start_urls = [start]

$parse

$functions''')

_PARSE_LIST = '''    def parse(self, response):
        """One item for each row, and the next page of the list."""
        for row in response.xpath(ROWS):
            yield {"page": response.url, **read(row, response, COLUMNS)}
        following = response.xpath(NEXT).get()
        if following:
            yield response.follow(following, self.parse)
'''

_PARSE_PAGE = '''    def parse(self, response):
        """One item for the page."""
        item = {"page": response.url, **read(response, response, FIELDS)}
        for name, rows, columns in TABLES:
            item[name] = [read(row, response, columns) for row in response.xpath(rows)]
        yield item
'''


def format_spider(export: Export) -> str:
    """Return the source of a spider that extracts what the selectors extract."""
    if export.rows:
        rows = export.rows
        if rows.chosen.text is None:
            raise WrapperError(f"the records of the list cannot be selected: {rows.chosen.note}")
        comment = describe_test(rows.chosen)
        lines = [comment] if comment else []
        lines += [f"ROWS = {rows.chosen.text!r}", "COLUMNS = ["]
        lines += [*_format_columns(rows.columns, "    "), "]", f"NEXT = {NEXT!r}"]
        about, parse = "Takes the records of a list, page by page.", _PARSE_LIST
        pattern = LIST_TEXT
    else:
        lines = ["FIELDS = [", *_format_columns(export.fields, "    "), "]", "TABLES = ["]
        field_names = {field.name for field in export.fields}
        for table in export.tables:
            name = f"{table.name}_rows" if table.name in field_names else table.name
            lines += _format_table(name, table)
        lines.append("]")
        about, parse = "Takes the fields of pages of one template.", _PARSE_PAGE
        pattern = PAGE_TEXT
    return _SOURCE.substitute(
        about=about,
        selectors="".join([f"{line}\n" for line in lines]),
        texts=format_visible_texts(),
        parse=parse,
        functions=format_functions(pattern),
    )


def _format_table(name: str, table: ExportedTable) -> list[str]:
    if table.chosen.text is None:
        return [f"    # {name!r}: {table.chosen.note}"]
    comment = describe_test(table.chosen, indent="  ")
    start = f"    ({name!r}, {table.chosen.text!r}, [{comment}"
    return [start, *_format_columns(table.columns, "        "), "    ]),"]


def _format_columns(columns: Iterable[ExportedColumn], indent: str) -> Iterator[str]:
    """Yield a line for each column: its name, its kind and its selector, or why it has none."""
    for column in columns:
        name, text = column.name, column.chosen.text
        if text is None:
            yield f"{indent}# {name!r}: {column.chosen.note}"
        else:
            comment = describe_test(column.chosen, indent="  ")
            yield f"{indent}({name!r}, {choose_kind(column)!r}, {text!r}),{comment}"
