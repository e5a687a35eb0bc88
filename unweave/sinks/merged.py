"""The rows of a relation from all of its files into one Parquet file, in an order that does not depend on theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from unweave.sinks.cells import Cell, Row, rows
from unweave.sinks.engine import SQL_TYPES, connect, literal, quoted
from unweave.sinks.names import make_names_unique
from unweave.sinks.ordering import Line, in_order
from unweave.sinks.relations import Attribute, Relation

VECTOR = 2_048
"""So many rows DuckDB holds at once, whatever they weigh."""

_ROW_GROUP = 32 * 2**20
_SHORTEST_LIMIT = 2**20


@dataclass(frozen=True)
class Sorted:
    """A relation with its rows in order in a Parquet file, and with names that every sink can tell apart."""

    name: str
    attributes: tuple[Attribute, ...]
    key: tuple[str, ...]
    path: Path
    rows: int
    heaviest: int
    """The bytes of the heaviest rows that DuckDB holds at once."""
    longest_key: int
    """The bytes of the longest key."""
    fault: str | None
    """Why the key does not tell the rows apart, if so."""


class _Tally:
    """What is seen when all rows pass by in order."""

    def __init__(self, names: Sequence[str], key: Sequence[int]) -> None:
        self.rows = self.heaviest = self.longest_row = self.longest_key = 0
        self.fault: str | None = None
        self._names = names
        self._key = key
        self._block = 0
        self._last: list[Cell] | None = None

    def take(self, row: Row, size: int) -> None:
        """Take a row, and its bytes."""
        self._block = size + (self._block if self.rows % VECTOR else 0)
        self.rows += 1
        self.heaviest = max(self.heaviest, self._block)
        self.longest_row = max(self.longest_row, size)
        if self._key:
            self._take_key([row.get(str(column)) for column in self._key])

    def _take_key(self, key: list[Cell]) -> None:
        self.longest_key = max(self.longest_key, sum(len(str(cell).encode()) for cell in key))
        if None in key:
            self.fault = self.fault or f"a row has no {self._names[self._key[key.index(None)]]}"
        elif key == self._last:
            told = ", ".join(
                f"{self._names[column]} = {cell!r:.80}"
                for column, cell in zip(self._key, key, strict=True)
            )
            self.fault = self.fault or f"two rows have the key {told}"
        self._last = key


def merged(relations: Sequence[Relation], folder: Path) -> list[Sorted]:
    """A sorted Parquet file in the folder for each relation: by key, then by all other columns.

    Memory stays flat: what is more waits in files in the folder.
    """
    names = make_names_unique([relation.name for relation in relations])
    return [
        _merged(relation, name, folder.resolve() / f"{number}.parquet")
        for number, (relation, name) in enumerate(zip(relations, names, strict=True))
    ]


def _merged(relation: Relation, name: str, path: Path) -> Sorted:
    own = [attribute.name for attribute in relation.attributes]
    names = make_names_unique(own)
    attributes = tuple(
        Attribute(name, kind) for name, (_, kind) in zip(names, relation.attributes, strict=True)
    )
    key = [own.index(column) for column in relation.key]
    order = [*key, *(column for column in range(len(own)) if column not in key)]
    tally = _Tally(names, key)
    lines = path.with_suffix(".jsonl")
    try:
        _write_lines(in_order(rows(relation), order, path.parent), lines, tally)
        to_parquet(lines, attributes, path, tally.longest_row)
    finally:
        lines.unlink(missing_ok=True)
    return Sorted(
        name,
        attributes,
        tuple(names[column] for column in key),
        path,
        tally.rows,
        tally.heaviest,
        tally.longest_key,
        tally.fault,
    )


def _write_lines(ordered: Iterable[Line], path: Path, tally: _Tally) -> None:
    """JSON Lines with the numbers of columns for their names: DuckDB would not tell names apart by case."""
    with path.open("wb") as file:
        for row, line in ordered:
            tally.take(row, len(line))
            file.write(line)


def to_parquet(lines: Path, attributes: Sequence[Attribute], path: Path, longest_row: int) -> None:
    """JSON Lines, with the numbers of columns for their names, as a Parquet file in the same order."""
    types = ", ".join(
        f"'{number}': '{SQL_TYPES[attribute.type]}'" for number, attribute in enumerate(attributes)
    )
    columns = ", ".join(
        f"{quoted(str(number))} AS {quoted(attribute.name)}"
        for number, attribute in enumerate(attributes)
    )
    source = (
        f"read_json({literal(str(lines))}, columns = {{{types}}}, format = 'newline_delimited', records = true, "
        f"hive_partitioning = false, maximum_object_size = {max(_SHORTEST_LIMIT, longest_row + 1)})"
    )
    with closing(connect(path.parent)) as connection:
        connection.execute(
            f"COPY (SELECT {columns} FROM {source}) TO {literal(str(path))} "  # noqa: S608 (quoted)
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES {_ROW_GROUP})"
        )
