"""Selectors as the source of a Scrapy spider that is ready to run.

Texts of untrusted pages are string literals in the source, so that no page can insert code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Template

from unweave.errors import WrapperError
from unweave.selectors.choice import ChosenSelector
from unweave.selectors.evaluation import VISIBLE_TEXTS
from unweave.selectors.export import Export, ExportedColumn, ExportedTable

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

def read(where, response, columns):
    """The fields of a page, or the columns of a row, by their names."""
    return {name: take(where.xpath(selector), kind, response) for name, kind, selector in columns}


def take(nodes, kind, response):
    """What was found: one text, many, all of them joined, or an address."""
    texts = [text_of(node) for node in nodes]
    if kind == "joined":
        texts = [joined(texts)]
    texts = [text for text in texts if re.search($says, text)]
    if kind in ("address", "addresses"):
        texts = [response.urljoin(text) for text in texts]
    if kind in ("many", "addresses"):
        return texts
    return texts[0] if texts else None


def text_of(node):
    """A text or an attribute on one line, or all that an element says; comments say nothing."""
    if isinstance(node.root, str):
        return " ".join(node.root.split())
    is_element = isinstance(node.root.tag, str)
    return joined(node.xpath(TEXTS).getall()) if is_element else ""


def joined(texts):
    """Several texts as one, without the spaces that this would put before commas and points."""
    return re.sub(r"\\s+([,.;:!?)\\]])", r"\\1", " ".join(" ".join(texts).split()))
''')

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

_NEXT = (
    "//*[self::a or self::link][contains(concat(' ', normalize-space(@rel), ' '), ' next ')]/@href"
)
# Texts of pages have a letter or a digit; cells of lists may also be stars.
_PAGE_TEXT, _LIST_TEXT = r'r"\w"', r'r"\S"'


def format_spider(export: Export) -> str:
    """Return the source of a spider that extracts what the selectors extract."""
    if export.rows:
        rows = export.rows
        if rows.chosen.text is None:
            raise WrapperError(f"the records of the list cannot be selected: {rows.chosen.note}")
        comment = _describe_test(rows.chosen)
        lines = [comment] if comment else []
        lines += [f"ROWS = {rows.chosen.text!r}", "COLUMNS = ["]
        lines += [*_format_columns(rows.columns, "    "), "]", f"NEXT = {_NEXT!r}"]
        about, parse = "Takes the records of a list, page by page.", _PARSE_LIST
        pattern = _LIST_TEXT
    else:
        lines = ["FIELDS = [", *_format_columns(export.fields, "    "), "]", "TABLES = ["]
        field_names = {field.name for field in export.fields}
        for table in export.tables:
            name = f"{table.name}_rows" if table.name in field_names else table.name
            lines += _format_table(name, table)
        lines.append("]")
        about, parse = "Takes the fields of pages of one template.", _PARSE_PAGE
        pattern = _PAGE_TEXT
    return _SOURCE.substitute(
        about=about,
        selectors="".join([f"{line}\n" for line in lines]),
        texts=repr(VISIBLE_TEXTS),
        parse=parse,
        says=pattern,
    )


def _format_table(name: str, table: ExportedTable) -> list[str]:
    if table.chosen.text is None:
        return [f"    # {name!r}: {table.chosen.note}"]
    comment = _describe_test(table.chosen, indent="  ")
    start = f"    ({name!r}, {table.chosen.text!r}, [{comment}"
    return [start, *_format_columns(table.columns, "        "), "    ]),"]


def _format_columns(columns: Iterable[ExportedColumn], indent: str) -> Iterator[str]:
    """Yield a line for each column: its name, its kind and its selector, or why it has none."""
    for column in columns:
        name, text = column.name, column.chosen.text
        if text is None:
            yield f"{indent}# {name!r}: {column.chosen.note}"
            continue
        kind = "many" if column.many else "one"
        if column.is_joined:
            kind = "joined"
        elif column.is_url:
            kind = "addresses" if column.many else "address"
        comment = _describe_test(column.chosen, indent="  ")
        yield f"{indent}({name!r}, {kind!r}, {text!r}),{comment}"


def _describe_test(chosen: ChosenSelector, indent: str = "") -> str:
    """Return a comment with the number of pages on which a selector holds, and the note."""
    parts = [] if chosen.holds is None else [f"holds on {chosen.holds} of {chosen.of} pages"]
    if chosen.note:
        parts.append(chosen.note)
    return f"{indent}# {'; '.join(parts)}" if parts else ""
