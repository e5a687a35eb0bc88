"""Finished tables, on their way to where they should go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from unweave.errors import UsageError

TYPES = ("text", "integer", "number", "boolean", "date", "datetime", "time", "list")
"""What a cell may be; a list is one of texts."""


class Attribute(NamedTuple):
    """A column of a relation."""

    name: str
    type: str = "text"


@dataclass(frozen=True)
class Relation:
    """One finished table: its columns, its key, and its rows as JSON Lines in files."""

    name: str
    attributes: tuple[Attribute, ...]
    key: tuple[str, ...]
    """The names of the columns that tell its rows apart."""
    files: tuple[Path, ...]
    """JSON Lines, an object a row, with the attributes' names; null or missing where a row has nothing."""

    def __post_init__(self) -> None:
        """Refuse what no sink could hold."""
        names = {attribute.name for attribute in self.attributes}
        if not names:
            raise UsageError(f"the table {self.name!r} has no columns")
        if unknown := [name for name in self.key if name not in names]:
            raise UsageError(f"the table {self.name!r} has no column {unknown[0]!r} for its key")
        if unknown := [
            attribute.type for attribute in self.attributes if attribute.type not in TYPES
        ]:
            raise UsageError(
                f"unknown type {unknown[0]!r} in the table {self.name!r}; there are {', '.join(TYPES)}"
            )
