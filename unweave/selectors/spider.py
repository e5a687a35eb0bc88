"""An export as the source of a Scrapy spider, ready to be run.

Whatever comes from pages stands in the source as the literal of a string, so that no page writes code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Template

from unweave.errors import WrapperError
from unweave.selectors.choosing import Chosen
from unweave.selectors.evaluation import TEXTS
from unweave.selectors.export import Export, Exported, Rows

_SOURCE = Template('''"""$about

    scrapy runspider THIS_FILE.py -a start=https://... -O items.jsonl

Made by unweave. Files of robots are obeyed, and the site is asked no faster than it answers: see custom_settings.
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
    if kind == "many":
        return texts
    if kind == "address":
        return response.urljoin(texts[0]) if texts else None
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
# Texts of pages say something if they have a letter or a figure; cells of lists may be stars.
_SAYS_IN_PAGES, _SAYS_IN_LISTS = r"\w", r"\S"


def format_spider(export: Export) -> str:
    """The source of the spider."""
    return _of_list(export.rows) if export.rows else _of_pages(export)


def _of_list(rows: Rows) -> str:
    if rows.chosen.text is None:
        raise WrapperError(f"the records of the list cannot be selected: {rows.chosen.note}")
    lines = [
        f"{_about(rows.chosen)}ROWS = {rows.chosen.text!r}",
        "COLUMNS = [",
        *_entries(rows.columns, "    "),
        "]",
        f"NEXT = {_NEXT!r}",
    ]
    return _filled("Takes the records of a list, page by page.", lines, _PARSE_LIST, _SAYS_IN_LISTS)


def _of_pages(export: Export) -> str:
    lines = ["FIELDS = [", *_entries(export.fields, "    "), "]", "TABLES = ["]
    taken = {own.name for own in export.fields}
    for table in export.tables:
        name = f"{table.name}_rows" if table.name in taken else table.name
        lines += _table(name, table)
    return _filled(
        "Takes the fields of pages of one template.", [*lines, "]"], _PARSE_PAGE, _SAYS_IN_PAGES
    )


def _table(name: str, table: Rows) -> Iterator[str]:
    if table.chosen.text is None:
        yield f"    # {name!r}: {table.chosen.note}"
        return
    yield f"    ({name!r}, {table.chosen.text!r}, [{_about(table.chosen, after=True)}"
    yield from _entries(table.columns, "        ")
    yield "    ]),"


def _entries(columns: Iterable[Exported], indent: str) -> Iterator[str]:
    """One line for each column: its name, its kind and its selector; or why it has none."""
    for own in columns:
        if own.chosen.text is None:
            yield f"{indent}# {own.name!r}: {own.chosen.note}"
        else:
            yield f"{indent}({own.name!r}, {_kind(own)!r}, {own.chosen.text!r}),{_about(own.chosen, after=True)}"


def _kind(own: Exported) -> str:
    if own.is_joined:
        return "joined"
    return "address" if own.is_address else "many" if own.many else "one"


def _about(chosen: Chosen, *, after: bool = False) -> str:
    """A comment that tells on how many pages a selector holds, on a line of its own or after something."""
    holds = [] if chosen.holds is None else [f"holds on {chosen.holds} of {chosen.of} pages"]
    said = [*holds, *([chosen.note] if chosen.note else [])]
    if not said:
        return ""
    comment = f"# {'; '.join(said)}"
    return f"  {comment}" if after else f"{comment}\n"


def _filled(about: str, lines: Iterable[str], parse: str, says: str) -> str:
    selectors = "".join([f"{line}\n" for line in lines])
    return _SOURCE.substitute(
        about=about, selectors=selectors, texts=repr(TEXTS), parse=parse, says=f'r"{says}"'
    )
