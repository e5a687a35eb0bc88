"""Selecting columns of a table: which ones, in which order, under which name and of which type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.table import LIST, URL, URL_TYPES, Cell, CellNodes, Column, Table, format_cell
from unweave.values.column_format import iter_string_formats
from unweave.values.types import TYPED, Type

COLUMN_TYPES = tuple(sorted(member.value for member in Type))
"""The types that a selected column may be given."""

MAX_NAME_LENGTH = 200
_LINK = "@link"


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column to select."""

    column: str
    """Its name in the table."""
    name: str = ""
    """Its new name; empty to keep the name."""
    type: str = ""
    """Its new type; empty to keep the type."""
    link: bool = False
    """Select the URLs of the links around or inside the cells instead of their texts."""

    def __post_init__(self) -> None:
        if self.type and self.type not in COLUMN_TYPES:
            raise UsageError(
                f"unknown type {self.type[:40]!r}; choose from {', '.join(COLUMN_TYPES)}"
            )
        is_usable = self.name.isprintable() and self.name.strip()
        if self.name and (not is_usable or len(self.name) > MAX_NAME_LENGTH):
            raise UsageError(f"invalid column name {self.name[:40]!r}")

    @classmethod
    def parse(cls, text: str) -> ColumnSpec:
        """Parse ``COLUMN[@link][=NAME][:TYPE]``, as in ``price=cost:number``."""
        rest, _, type_name = text.rpartition(":")
        if not rest or (type_name and type_name not in COLUMN_TYPES):
            rest, type_name = text, ""
        column, separator, name = rest.partition("=")
        if separator and not name:
            raise UsageError(f"the column {column[:60]!r} has no name after the equals sign")
        return cls(column.removesuffix(_LINK), name, type_name, column.endswith(_LINK))

    def __str__(self) -> str:
        text = f"{self.column}{_LINK if self.link else ''}{f'={self.name}' if self.name else ''}"
        # A name that ends like a type, as in "a:date", needs a type after it, if only an empty one.
        ends_like_type = ":" in self.name and self.name.rpartition(":")[2] in ("", *COLUMN_TYPES)
        return f"{text}:{self.type}" if self.type or ends_like_type else text

    @property
    def new_name(self) -> str:
        """The name of the selected column."""
        return self.name or (f"{self.column}_link" if self.link else self.column)

    def to_json(self) -> dict[str, Any]:
        """Return the selection as plain data, without fields that have their default."""
        optional = {"name": self.name, "type": self.type, "link": self.link}
        return {"column": self.column, **{key: value for key, value in optional.items() if value}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ColumnSpec:
        """Read what ``to_json`` wrote. The data is untrusted."""
        return cls(
            str(data["column"]),
            str(data.get("name", "")),
            str(data.get("type", "")),
            link=data.get("link") is True,
        )


def parse_columns(columns: Iterable[ColumnSpec | str]) -> tuple[ColumnSpec, ...]:
    """Parse the columns to select; raise a UsageError if two would have the same name."""
    if isinstance(columns, str):
        raise UsageError("columns must be a list, not a single string")
    specs = tuple(
        spec if isinstance(spec, ColumnSpec) else ColumnSpec.parse(spec) for spec in columns
    )
    names = [spec.new_name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two columns would be called {name!r}")
    return specs


def resolve_columns(
    specs: Iterable[ColumnSpec], selected: Iterable[ColumnSpec]
) -> tuple[ColumnSpec, ...]:
    """Return the columns of a table that are meant by the names of an earlier selection.

    Names that the selection does not have are those of columns already.
    """
    earlier = {each.new_name: each for each in selected}
    resolved: list[ColumnSpec] = []
    for spec in specs:
        each = earlier.get(spec.column, ColumnSpec(spec.column))
        type_ = spec.type or each.type
        link = spec.link or each.link
        resolved.append(ColumnSpec(each.column, spec.new_name, type_, link=link))
    return tuple(resolved)


def select_columns(table: Table, columns: Iterable[ColumnSpec | str]) -> Table:
    """Return a table with the selected columns. A list that spans several columns is one column."""
    specs = parse_columns(columns)
    if not specs:
        raise UsageError("no column is selected")
    merged = table.merge_list_columns()
    numbers = {name: number for number, name in enumerate(merged.names)}
    for spec in specs:
        if spec.column not in numbers:
            raise UsageError(
                f"the table has no column {spec.column[:60]!r}; it has {', '.join(merged.names)}"
            )
    new_columns: list[Column] = []
    rows: list[list[Cell]] = [[] for _ in merged.rows]
    nodes: CellNodes = [[] for _ in merged.rows]
    for spec in specs:
        number = numbers[spec.column]
        column = _make_column(merged, number, spec)
        links = _find_links(merged, number) if spec.link else None
        for index, (cells, cell_nodes) in enumerate(zip(merged.rows, merged.nodes, strict=True)):
            if links is None:
                rows[index].append(_convert_cell(cells[number], column))
                nodes[index].append(cell_nodes[number])
            else:
                rows[index].append(_read_link_url(merged.page, links[index]))
                nodes[index].append(links[index])
        new_columns.append(column)
    return replace(table, columns=new_columns, rows=rows, nodes=nodes)


def _make_column(table: Table, number: int, spec: ColumnSpec) -> Column:
    """Return the column of a selection, with the reading under which most cells convert."""
    if spec.link:
        return Column(spec.new_name, URL)
    column = replace(table.columns[number], name=spec.new_name, is_constant=False)
    if not spec.type or spec.type == column.type:
        return column
    if spec.type not in TYPED:
        return Column(spec.new_name, spec.type)
    texts = [format_cell(row[number]) for row in table.rows]
    readings = [
        Column(
            spec.new_name,
            spec.type,
            prefix=reading.prefix,
            suffix=reading.suffix,
            is_requested_type=True,
        )
        for reading in iter_string_formats(filter(None, texts))
    ]
    return max(readings, key=lambda reading: sum(reading.parse(text) is not None for text in texts))


def _convert_cell(cell: Cell, column: Column) -> Cell:
    """Return a cell as the column holds it: a list, or one text."""
    if column.type == LIST:
        return [cell] if isinstance(cell, str) else cell
    return format_cell(cell)


# ---- links ---------------------------------------------------------------------------------------


def find_linked_columns(table: Table) -> set[int]:
    """Return the numbers of the text columns whose cells have links that no URL column holds."""
    url_columns = [number for number, column in enumerate(table.columns) if column.type == URL]
    known = {node for row in table.nodes for number in url_columns for node in row[number]}
    linked: set[int] = set()
    for number, column in enumerate(table.columns):
        if column.type not in URL_TYPES:
            links = _find_links(table, number)
            if any(link and link[0] not in known for link in links):
                linked.add(number)
    return linked


def _find_links(table: Table, number: int) -> list[tuple[int, ...]]:
    """Return for every row the link element around or inside its cell; an empty tuple for none."""
    links: list[tuple[int, ...]] = []
    for cells, record in zip(table.nodes, table.records, strict=True):
        found = (_find_link(table.page, node, record) for node in cells[number])
        links.append(next(((link,) for link in found if link is not None), ()))
    return links


def _find_link(page: Page, node: int, record: Sequence[int]) -> int | None:
    """Return the link around a node, up to its record's roots, or else the first link inside."""
    for ancestor in page.tree.ancestors(node):
        if _is_link(page, ancestor):
            return ancestor
        if ancestor in record:
            break
    inside = range(node, page.tree.ends[node])
    return next((descendant for descendant in inside if _is_link(page, descendant)), None)


def _is_link(page: Page, node: int) -> bool:
    return page.tree.labels[node] == "a" and bool(page.node_urls[node])


def _read_link_url(page: Page, link: tuple[int, ...]) -> Cell:
    address = page.node_urls[link[0]] if link else None
    return page.resolve_url(address.strip()) if address else None
