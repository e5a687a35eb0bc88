"""A wrapper for detail pages: fields that are told by labels, columns and places, each on its own.

Nothing is matched as a whole: a label that is missing on a page costs the fields that it tells, and no other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unweave.errors import WrapperError
from unweave.page.page import Page
from unweave.records.prices import Prices
from unweave.wrappers.fields import STEADY, Fields, field_name, is_field_name, is_value
from unweave.wrappers.places import NOWHERE, Places
from unweave.wrappers.roles import Anchors, By, LabelPlace, Role, items
from unweave.wrappers.tables import Column, Row, Spot, Table, Tables, chunks_of, columns_of, hide

KIND = "fields"

_MOST = 100_000
_MOST_COLUMNS = 2_000
_SHOWN_STEPS = 3

_Passage = tuple[str, range]
"""What is said, and the numbers of the texts that say it."""


@dataclass(frozen=True)
class Field:
    """What is told by one role: the n-th text of it on a page, or all of them as a list."""

    name: str
    roles: tuple[Role, ...]
    """The roles that tell it; a page has one of them."""
    number: int | None
    """Which text of the role, counted from 0; None for all."""
    share: float
    """The share of the learned pages that had it."""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class SlotWrapper:
    """What is stable in the pages of a template, and the fields that it tells."""

    anchors: Anchors
    fields: tuple[Field, ...]
    open_rows: frozenset[tuple[int, int]]
    """Places of values and of labels at which rows of a label and a value stand: a new label there tells a new field."""
    pages: int
    """How many pages it was learned from."""
    tables: tuple[Table, ...] = ()
    """What repeats inside the pages."""
    _by_role: dict[Role, list[Field]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Index the fields by their roles."""
        for own in self.fields:
            for role in own.roles:
                self._by_role.setdefault(role, []).append(own)

    def apply(self, page: Page) -> tuple[Fields | None, float]:
        """The fields of the page, and how well it fits: the share of the fields that every page should have."""
        found = self._found(page)
        return (found or None), self._fit(found)

    def missing(self, page: Page) -> list[str]:
        """The fields that every page should have, and this one has not."""
        found = self._found(page)
        return [own.name for own in self.fields if own.share >= STEADY and own.name not in found]

    def places(self, page: Page) -> dict[str, list[int]]:
        """For each field and each column of a table that the page has, the numbers of the texts that tell it."""
        said, rows = self._said(page)
        own = {name: sorted({chunk for _, chunks in passages for chunk in chunks}) for name, passages in said.items()}
        return own | chunks_of(rows)

    def told_by(self, own: Field) -> str:
        """What tells a field, in words."""
        role = own.roles[0]
        if role.label:
            return f"{'column' if role.by is By.COLUMN else 'label'} {role.label}"
        return "/".join(self.anchors.places.path(role.place)[-_SHOWN_STEPS:])

    def _found(self, page: Page) -> Fields:
        said, rows = self._said(page)
        lists = self._lists
        found: Fields = {}
        for name, passages in said.items():
            is_list = len(passages) > 1 or name in lists
            found[name] = [text for text, _ in passages] if is_list else passages[0][0]
        return found | columns_of(page, rows)

    def _said(self, page: Page) -> tuple[dict[str, list[_Passage]], list[tuple[Table, Row]]]:
        """What the page says of each field, where; and the rows of its tables."""
        texts: dict[str, list[_Passage]] = defaultdict(list)
        new: dict[str, list[_Passage]] = defaultdict(list)
        whole = self.anchors.places.of(page)
        rows = self._reader.rows(page, whole) if self.tables else []
        places = hide(page, whole, rows) if rows else whole
        prices = Prices.of(page)
        for item in items(page, self.anchors, places, prices, joined=self._has_joined):
            known = self._by_role.get(item.role)
            if known is None and not self._is_open(item.role):
                continue
            text = prices.join(item.chunks)
            if not is_value(text):
                continue
            if known is None:
                new[field_name(page.texts[item.label])].append((text, item.chunks))
            for own in known or ():
                if own.number is None or own.number == item.number:
                    texts[own.name].append((text, item.chunks))
        found = {
            own.name: texts[own.name] if own.number is None else texts[own.name][:1]
            for own in self.fields
            if own.name in texts
        }
        names = self._names
        found |= {name: said for name, said in new.items() if name not in names}
        return found, rows

    @cached_property
    def _reader(self) -> Tables:
        return Tables(self.tables, self.anchors.places)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of the fields and of the columns of tables."""
        columns = [column.name for table in self.tables for column in table.columns]
        return frozenset([*(own.name for own in self.fields), *columns])

    @cached_property
    def _lists(self) -> frozenset[str]:
        """The names of the fields that are lists, even of one text."""
        return frozenset(own.name for own in self.fields if own.number is None)

    @property
    def _has_joined(self) -> bool:
        return any(role.by is By.JOINED for role in self._by_role)

    def _is_open(self, role: Role) -> bool:
        return role.by is By.LABEL and (role.place, role.label_place) in self.open_rows

    def _fit(self, found: Fields) -> float:
        expected = [own for own in self.fields if own.share >= STEADY] or list(self.fields)
        return sum(own.name in found for own in expected) / len(expected) if expected else 0.0

    # ---- JSON ------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        places = self.anchors.places
        return {
            "pages": self.pages,
            "stable": sorted(places.stable),
            "places": [list(pair) for pair, _ in sorted(places.numbers.items(), key=lambda entry: entry[1])],
            "lone": sorted(self.anchors.lone),
            "labels": sorted(map(list, self.anchors.labels)),
            "label_spots": sorted(map(list, self.anchors.label_spots)),
            "colon_spots": sorted(map(list, self.anchors.colon_spots)),
            "open_rows": sorted(map(list, self.open_rows)),
            "fields": [
                {
                    "name": own.name,
                    "roles": [list(role) for role in own.roles],
                    "number": own.number,
                    "share": round(own.share, 4),
                    "examples": list(own.examples),
                }
                for own in self.fields
            ],
            "tables": [_table_to_json(table) for table in self.tables],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SlotWrapper:
        """Read plain data, which may come from anywhere."""
        try:
            fields = tuple(map(_field, _some(data["fields"])))
            tables = tuple(map(_table, _some(data["tables"])))
            wrapper = cls(_anchors(data), fields, _pairs(data["open_rows"]), int(data["pages"]), tables)
            wrapper._check()
            return wrapper
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise WrapperError("the wrapper is damaged: it does not have what a wrapper for fields has") from None

    def _check(self) -> None:
        """Names stand for one thing each, and places are known."""
        columns = sum(len(table.columns) for table in self.tables)
        rows = [place for table in self.tables for place in table.places]
        used = [place for own in self.fields for role in own.roles for place in (role.place, role.label_place)]
        if len(self._names) < len(self.fields) + columns or len({table.name for table in self.tables}) < len(self.tables):
            raise ValueError
        if columns > _MOST_COLUMNS or any(len(set(table.places)) < len(table.places) for table in self.tables):
            raise ValueError
        if any(not NOWHERE <= place < len(self.anchors.places.numbers) for place in [*rows, *used]):
            raise ValueError
        if not all(own.roles for own in self.fields):
            raise ValueError


def _some(values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) > _MOST:
        raise ValueError
    return values


def _anchors(data: dict[str, Any]) -> Anchors:
    numbers: dict[tuple[int, str], int] = {}
    for number, (above, step) in enumerate(_some(data["places"])):
        if not NOWHERE <= int(above) < number or (int(above), str(step)) in numbers:
            raise ValueError
        numbers[int(above), str(step)] = number
    labels: list[LabelPlace] = [(int(place), int(column), str(text)) for place, column, text in _some(data["labels"])]
    places = Places(frozenset(map(str, _some(data["stable"]))), numbers)
    lone = frozenset(map(int, _some(data["lone"])))
    return Anchors(places, frozenset(labels), lone, _pairs(data["label_spots"]), _pairs(data["colon_spots"]))


def _pairs(values: Any) -> frozenset[tuple[int, int]]:
    return frozenset((int(one), int(other)) for one, other in _some(values))


def _field(data: dict[str, Any]) -> Field:
    number = data["number"]
    roles = tuple(Role(By(by), int(place), str(label), int(above)) for by, place, label, above in _some(data["roles"]))
    examples = tuple(map(str, _some(data["examples"])))
    return Field(_name(data), roles, None if number is None else int(number), float(data["share"]), examples)


def _table_to_json(table: Table) -> dict[str, Any]:
    columns = [
        {
            "name": own.name,
            "path": own.spot.path,
            "cell": own.spot.column,
            "number": own.number,
            "examples": list(own.examples),
        }
        for own in table.columns
    ]
    return {"name": table.name, "rows": list(table.places), "share": round(table.share, 4), "columns": columns}


def _table(data: dict[str, Any]) -> Table:
    columns = tuple(map(_column, _some(data["columns"])))
    return Table(_name(data), tuple(map(int, _some(data["rows"]))), float(data["share"]), columns)


def _column(data: dict[str, Any]) -> Column:
    spot = Spot(str(data["path"]), int(data["cell"]))
    number = data["number"]
    return Column(_name(data), spot, None if number is None else int(number), tuple(map(str, _some(data["examples"]))))


def _name(data: dict[str, Any]) -> str:
    name = str(data["name"])
    if not is_field_name(name):
        raise ValueError
    return name
