"""Picks: which columns of a table are wanted, in which order, under which name and of which type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unweave.errors import UsageError
from unweave.fields.readings import STRING, TYPES, ways
from unweave.page.page import Page
from unweave.table import ADDRESS, ADDRESSES, LIST, Cell, Column, Table, shown

_LINK = "@link"
KINDS = tuple(sorted(TYPES | ADDRESSES | {STRING, LIST}))
"""The types that a column may be given."""

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Pick:
    """One column that is wanted."""

    column: str
    """What the table calls it."""
    name: str = ""
    """What it is to be called; as the table does if that is empty."""
    type: str = ""
    """The type that it is to have; the one that it has if that is empty."""
    link: bool = False
    """The addresses of the links that the cells stand in or hold are wanted, and not their texts."""

    def __post_init__(self) -> None:
        if self.type and self.type not in KINDS:
            raise UsageError(f"unknown type {self.type[:40]!r}; there are {', '.join(KINDS)}")
        if self.name and (not self.name.isprintable() or not self.name.strip() or len(self.name) > _LONGEST_NAME):
            raise UsageError(f"a column cannot be called {self.name[:40]!r}")

    @classmethod
    def parse(cls, text: str) -> Pick:
        """Read ``COLUMN[@link][=NAME][:TYPE]``: ``price=cost:number`` is the column price, as cost, a number."""
        rest, _, kind = text.rpartition(":")
        if not rest or (kind and kind not in KINDS):
            rest, kind = text, ""
        column, _, name = rest.partition("=")
        return cls(column.removesuffix(_LINK), name, kind, column.endswith(_LINK))

    def __str__(self) -> str:
        said = f"{self.column}{_LINK if self.link else ''}{f'={self.name}' if self.name else ''}"
        # A name that looks as if a type stood at its end needs a type behind it, if only an empty one.
        is_unclear = ":" in self.name and self.name.rpartition(":")[2] in ("", *KINDS)
        return f"{said}:{self.type}" if self.type or is_unclear else said

    @property
    def wanted_name(self) -> str:
        """What the column is called in the end."""
        return self.name or (f"{self.column}_link" if self.link else self.column)

    def to_json(self) -> dict[str, Any]:
        """Plain data, without what is as usual."""
        said = {"name": self.name, "type": self.type, "link": self.link}
        return {"column": self.column, **{name: value for name, value in said.items() if value}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Pick:
        """Read plain data, which may come from anywhere."""
        return cls(str(data["column"]), str(data.get("name", "")), str(data.get("type", "")), link=data.get("link") is True)


def picks_of(columns: Iterable[Pick | str]) -> tuple[Pick, ...]:
    """What is wanted, in words or not."""
    if isinstance(columns, str):
        raise UsageError("give a list of columns, and not one text")
    picks = tuple(pick if isinstance(pick, Pick) else Pick.parse(pick) for pick in columns)
    name, times = Counter(pick.wanted_name for pick in picks).most_common(1)[0] if picks else ("", 0)
    if times > 1:
        raise UsageError(f"two columns would be called {name!r}")
    return picks


def picked(table: Table, picks: Iterable[Pick | str]) -> Table:
    """The table with the columns that are wanted, as they are wanted. Lists are one column each."""
    wanted = picks_of(picks)
    if not wanted:
        raise UsageError("no column is wanted")
    whole = table.merged()
    numbers = {name: number for number, name in enumerate(whole.names)}
    if unknown := [pick.column for pick in wanted if pick.column not in numbers]:
        raise UsageError(f"the table has no column {unknown[0][:60]!r}; it has {', '.join(whole.names)}")
    places = [numbers[pick.column] for pick in wanted]
    links = {place: _links(whole, place) for pick, place in zip(wanted, places, strict=True) if pick.link}
    columns = [_column(whole, place, pick) for pick, place in zip(wanted, places, strict=True)]
    rows = [
        [
            _linked(whole.page, links[place][row]) if pick.link else _as(column, cells[place])
            for pick, place, column in zip(wanted, places, columns, strict=True)
        ]
        for row, cells in enumerate(whole.rows)
    ]

    def nodes() -> list[list[tuple[int, ...]]]:
        return [
            [links[place][row] if pick.link else cells[place] for pick, place in zip(wanted, places, strict=True)]
            for row, cells in enumerate(whole.nodes)
        ]

    return Table(
        lambda: (columns, rows),
        find_nodes=nodes,
        records=table.records,
        texts=table.texts,
        score=table.score,
        page=table.page,
    )


def _column(table: Table, number: int, pick: Pick) -> Column:
    own = replace(table.columns[number], name=pick.wanted_name, is_constant=False)
    if pick.link:
        return Column(pick.wanted_name, ADDRESS)
    if not pick.type or pick.type == own.type:
        return own
    if pick.type not in TYPES:
        return Column(pick.wanted_name, pick.type)
    texts = [shown(row[number]) for row in table.rows]
    return max(_asked(texts, pick), key=lambda way: sum(way.value(text) is not None for text in texts))


def _as(column: Column, cell: Cell) -> Cell:
    """A cell as a column has it: a list, or one text."""
    if column.type == LIST:
        return [cell] if isinstance(cell, str) else cell
    return shown(cell)


def _asked(texts: Iterable[str | None], pick: Pick) -> Iterator[Column]:
    """The ways to read a column as of the type that is asked for: with and without words around the values."""
    for way in ways(filter(None, texts)):
        yield Column(pick.wanted_name, pick.type, before=way.before, after=way.after, is_asked=True)


# ---- links ---------------------------------------------------------------------------------------------------------


def with_links(table: Table) -> set[int]:
    """The numbers of the columns whose cells stand in links, or hold some, that no column has."""
    addresses = [number for number, column in enumerate(table.columns) if column.type == ADDRESS]
    known = {node for row in table.nodes for number in addresses for node in row[number]}
    texts = (number for number, column in enumerate(table.columns) if column.type not in ADDRESSES)
    return {number for number in texts if any(link and link[0] not in known for link in _links(table, number))}


def _links(table: Table, number: int) -> list[tuple[int, ...]]:
    """For every row the element of the link that its cell stands in or holds; nothing where there is none."""
    return [
        next(((link,) for node in row[number] if (link := _link(table.page, node, record)) is not None), ())
        for row, record in zip(table.nodes, table.records, strict=True)
    ]


def _link(page: Page, node: int, record: Sequence[int]) -> int | None:
    for above in page.tree.ancestors(node):
        if page.tree.labels[above] == "a" and page.addresses[above]:
            return above
        if above in record:
            break
    inside = range(node, page.tree.ends[node])
    return next((own for own in inside if page.tree.labels[own] == "a" and page.addresses[own]), None)


def _linked(page: Page, link: tuple[int, ...]) -> Cell:
    address = page.addresses[link[0]] if link else None
    return page.absolute(address.strip()) if address else None
