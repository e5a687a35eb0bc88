"""What an export gives: selectors with their names, on how many pages they hold, and why some are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unweave.selectors.choosing import Chosen
from unweave.selectors.expressions import Form


@dataclass(frozen=True)
class Exported:
    """A field or a column, and its selector."""

    name: str
    chosen: Chosen
    many: bool | None = None
    """Has it several texts? None for a column, which has one a row."""
    is_address: bool = False
    """Is it the address of a link or of a picture?"""

    @property
    def is_joined(self) -> bool:
        """Is all that is found one text?"""
        return self.chosen.selector is not None and self.chosen.selector.is_joined

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        joined = {"joined": True} if self.is_joined else {}
        many = {} if self.many is None else {"many": self.many}
        return {
            "name": self.name,
            "selector": self.chosen.text,
            **many,
            **joined,
            **_tried(self.chosen),
        }


@dataclass(frozen=True)
class Rows:
    """The rows of a list, and what each of them has."""

    chosen: Chosen
    columns: tuple[Exported, ...]
    name: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        name = {"name": self.name} if self.name else {}
        return {
            **name,
            "rows": self.chosen.text,
            **_tried(self.chosen),
            "columns": [own.to_json() for own in self.columns],
        }


@dataclass(frozen=True)
class Export:
    """What a wrapper finds: the fields of a page and the tables in it, or the rows of a list."""

    form: Form
    fields: tuple[Exported, ...] = ()
    tables: tuple[Rows, ...] = ()
    rows: Rows | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        if self.rows:
            return self.rows.to_json()
        tables = {"tables": [own.to_json() for own in self.tables]} if self.tables else {}
        return {"fields": [own.to_json() for own in self.fields], **tables}


def _tried(chosen: Chosen) -> dict[str, str]:
    holds = {} if chosen.holds is None else {"holds": f"{chosen.holds} of {chosen.of}"}
    return {**holds, **({"note": chosen.note} if chosen.note else {})}
