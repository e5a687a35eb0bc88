"""Selectors as the source of a page object of web-poet, with its item.

Names of fields become identifiers; everything else of a page is a string literal in the source, so
that no page can insert code.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from string import Template
from typing import NamedTuple
from urllib.parse import urlsplit

from unweave.errors import WrapperError
from unweave.names import make_unique
from unweave.page.page import Page
from unweave.selectors.choice import ChosenSelector
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

# The attributes that pages of web-poet have, the decorator that is used between the fields, and the
# first parameter of the constructor that attrs writes.
_RESERVED = frozenset(
    "base_url css field fields_to_ignore html item_cls jmespath page response selector self to_item"
    " url urljoin validate_input xpath".split()
)
_MAX_NAME_LENGTH = 60
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII)

_SOURCE = Template('''"""$about

Made by unweave. A subclass can have other fields, and scrapy-poet gives callbacks the item:

    def parse(self, response, item: $item): ...
"""

from __future__ import annotations

import re

import attrs
from web_poet import $names

$constants
# What an element says, without what is never drawn.
TEXTS = $texts


$classes

$functions''')


class _Member(NamedTuple):
    """A field of an item: its name, its type, and the lines of the method that reads it."""

    name: str
    type: str
    expression: str
    comment: str = ""


def format_page_object(export: Export, hosts: Sequence[str] = ()) -> str:
    """Return the source of a page object that extracts what the selectors extract.

    It handles the URLs of the host if there is exactly one; without, that is left to the user.
    """
    if export.rows:
        about, item = "The records of a list, as a page object of web-poet.", "RecordList"
        constants, classes = _format_list(export.rows)
        pattern = LIST_TEXT
    else:
        about, item = "The fields of pages of one template, as a page object of web-poet.", "Item"
        constants, classes = _format_fields(export)
        pattern = PAGE_TEXT
    names = "WebPage, field"
    if len(set(hosts)) == 1:
        names += ", handle_urls"
        classes[-1] = f"@handle_urls({hosts[0]!r})\n{classes[-1]}"
    return _SOURCE.substitute(
        about=about,
        item=item,
        names=names,
        constants="".join(f"{line}\n" for line in constants),
        texts=format_visible_texts(),
        classes="\n\n".join(classes),
        functions=format_functions(pattern),
    )


def _format_list(rows: ExportedTable) -> tuple[list[str], list[str]]:
    """Return the constants and the classes for the records of a list."""
    if rows.chosen.text is None:
        raise WrapperError(f"the records of the list cannot be selected: {rows.chosen.note}")
    record, constants = _format_row_class("Record", "COLUMNS", rows.columns, "A record of a list.")
    constants.append(f"NEXT = {NEXT!r}")
    members = [
        _Member("page", "str", "str(self.url)"),
        _format_rows_member("records", "Record", "COLUMNS", rows.chosen),
        _Member("next_page", "str | None", 'take(self.xpath(NEXT), "address", self)'),
    ]
    item = _format_item("RecordList", members, "The records of a page, and the page after it.")
    return constants, [record, item, _format_page("RecordListPage", "RecordList", members, ())]


def _format_fields(export: Export) -> tuple[list[str], list[str]]:
    """Return the constants and the classes for detail pages."""
    members = [_Member("page", "str", "str(self.url)")]
    taken = {"page"}
    missing: list[str] = []
    for column in export.fields:
        if column.chosen.text is None:
            missing.append(_describe_missing(column.name, column.chosen))
            continue
        name = _make_identifier(column.name, taken)
        kind = choose_kind(column)
        read = f"take(self.xpath({column.chosen.text!r}), {kind!r}, self)"
        members.append(_Member(name, _choose_type(kind), read, describe_test(column.chosen)))
    constants: list[str] = []
    classes: list[str] = []
    class_names: set[str] = set()
    constant_names: set[str] = set()
    for table in export.tables:
        if table.chosen.text is None:
            missing.append(_describe_missing(table.name, table.chosen))
            continue
        name = _make_identifier(table.name, taken)
        word = name if name.isascii() else f"table_{len(classes) + 1}"
        class_name = make_unique(f"{_make_class_name(word)}Row", class_names)
        class_names.add(class_name)
        columns = make_unique(f"{word.upper()}_COLUMNS", constant_names)
        constant_names.add(columns)
        row, lines = _format_row_class(class_name, columns, table.columns, "A row of a table.")
        constants += lines
        classes.append(row)
        members.append(_format_rows_member(name, class_name, columns, table.chosen))
    item = _format_item("Item", members, "What a page is about.")
    return constants, [*classes, item, _format_page("ItemPage", "Item", members, missing)]


def _format_row_class(
    class_name: str, constant: str, columns: Iterable[ExportedColumn], about: str
) -> tuple[str, list[str]]:
    """Return the class of the rows of a table, and the lines of the constant with its columns."""
    taken: set[str] = set()
    members: list[_Member] = []
    lines = [f"{constant} = ["]
    for column in columns:
        if column.chosen.text is None:
            lines.append(f"    {_describe_missing(column.name, column.chosen)}")
            continue
        name, kind = _make_identifier(column.name, taken), choose_kind(column)
        members.append(_Member(name, _choose_type(kind), ""))
        comment = describe_test(column.chosen, indent="  ")
        lines.append(f"    ({name!r}, {kind!r}, {column.chosen.text!r}),{comment}")
    return _format_item(class_name, members, about), [*lines, "]"]


def _format_rows_member(
    name: str, class_name: str, constant: str, chosen: ChosenSelector
) -> _Member:
    read = f"[{class_name}(**read(row, self, {constant})) for row in self.xpath({chosen.text!r})]"
    return _Member(name, f"list[{class_name}]", read, describe_test(chosen))


def _format_item(name: str, members: Iterable[_Member], about: str) -> str:
    lines = ["@attrs.define", f"class {name}:", f'    """{about}"""', ""]
    lines += [f"    {member.name}: {member.type}" for member in members]
    return "\n".join(lines) + "\n"


def _format_page(name: str, item: str, members: Iterable[_Member], missing: Iterable[str]) -> str:
    lines = [f"class {name}(WebPage[{item}]):", f'    """Reads the {item} of a response."""']
    for member in members:
        lines += ["", "    @field", f"    def {member.name}(self) -> {member.type}:"]
        lines += [f"        {member.comment}"] if member.comment else []
        lines.append(f"        return {member.expression}")
    lines += [f"    {line}" for line in missing]
    return "\n".join(lines) + "\n"


def find_hosts(pages: Iterable[Page]) -> list[str]:
    """Return the hosts of the URLs of pages, or of the canonical URLs that they name."""
    hosts: list[str] = []
    for page in pages:
        try:
            host = urlsplit(page.url or page.metadata.links.get("canonical", "")).hostname
        except ValueError:
            continue
        if host and _HOST.fullmatch(host):
            hosts.append(host)
    return hosts


def _describe_missing(name: str, chosen: ChosenSelector) -> str:
    return f"# {name!r}: {chosen.note}"


def _choose_type(kind: str) -> str:
    return "list[str]" if kind in ("many", "addresses") else "str | None"


def _make_identifier(name: str, taken: set[str]) -> str:
    """Return a name as an identifier that is not taken, and take it."""
    text = unicodedata.normalize("NFKC", name)[:_MAX_NAME_LENGTH]
    text = "".join(_iter_identifier_characters(text)).strip("_")
    text = re.sub("_+", "_", text)
    if not text.isidentifier():
        text = f"field_{text}" if text else "field_1"
    if keyword.iskeyword(text) or text in _RESERVED:
        text = f"{text}_"
    text = make_unique(text, taken)
    taken.add(text)
    return text


def _iter_identifier_characters(text: str) -> Iterator[str]:
    for character in text:
        yield character if f"a{character}".isidentifier() else "_"


def _make_class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
