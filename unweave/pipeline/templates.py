"""Template: what was learned of the pages of one template, and the tables that they fill."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from unweave.clustering.site_templates import Outline
from unweave.content.shared_template import SharedTemplate
from unweave.errors import WrapperError
from unweave.pipeline.page_types import Kind
from unweave.table import Column
from unweave.values.types import TYPED, Type
from unweave.wrappers.base import Wrapper
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.lists.apply import ListWrapper

LEAST_FIT = 0.5
"""A page that fits less than that does not belong to a template."""

PAGES = ""
"""The table of what the pages of lists tell besides their list."""


@dataclass(frozen=True)
class Template:
    """The pages of one template: how they are known, what they are, and what reads them."""

    name: str
    """What its table is called."""
    site: str
    """The host of its pages."""
    kind: Kind
    pages: int
    """How many pages of the sample were made from it."""
    outlines: tuple[Outline, ...]
    """A few pages to know it by."""
    least_alike: float
    """How much like them a page of it is."""
    fields: FieldWrapper | None = None
    """What each page tells."""
    records: ListWrapper | None = None
    """The list that each page has."""
    reads_text: bool = False
    """Is there an article on each page, or a long text?"""
    shared: SharedTemplate | None = None
    """What the texts of the pages share that is no part of them."""
    columns: Mapping[str, Column] | None = None
    """How to read the values of fields, by the names of the fields."""
    nested: Mapping[str, str] = field(default_factory=dict)
    """What the tables inside its pages are called; that of the pages of lists by the name ``PAGES``."""

    def column(self, field: str) -> Column:
        """How to read the values of a field."""
        return (self.columns or {}).get(field) or Column(field)

    def as_texts(self) -> Template:
        """The same, with all values as the texts that pages show."""
        records = self.records
        if records is not None:
            columns = [
                replace(own, type=Type.STRING) if own.type in TYPED else own
                for own in records.columns
            ]
            records = replace(records, columns=tuple(columns))
        return replace(self, records=records, columns=None)

    @property
    def tables(self) -> list[str]:
        """The names of all its tables."""
        return [self.name, *self.nested.values()]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "site": self.site,
            "kind": self.kind,
            "pages": self.pages,
            "outlines": [sorted(own) for own in self.outlines],
            "least_alike": round(self.least_alike, 4),
            "fields": json.loads(self.fields.dumps()) if self.fields else None,
            "records": json.loads(self.records.dumps()) if self.records else None,
            "reads_text": self.reads_text,
            "shared": self.shared.to_json() if self.shared else None,
            "nested": dict(self.nested),
            "columns": {name: column.to_json() for name, column in (self.columns or {}).items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Template:
        """Read plain data."""
        return cls(
            name=data["name"],
            site=data["site"],
            kind=Kind(data["kind"]),
            pages=data["pages"],
            outlines=tuple(map(frozenset, data["outlines"])),
            least_alike=data["least_alike"],
            fields=cast(FieldWrapper, Wrapper.loads(json.dumps(data["fields"])))
            if data["fields"]
            else None,
            records=cast(ListWrapper, Wrapper.loads(json.dumps(data["records"])))
            if data["records"]
            else None,
            reads_text=data["reads_text"],
            shared=SharedTemplate.from_json(data["shared"]) if data["shared"] else None,
            nested=data["nested"],
            columns={name: Column.from_json(own) for name, own in data["columns"].items()},
        )


@dataclass(frozen=True)
class Site:
    """The templates of one site, and which of its pages are there twice."""

    name: str
    templates: tuple[Template, ...]
    twice: Mapping[int, frozenset[int]]
    """By the number of the part, the numbers of pages in it that another part has too, or has newer."""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "site": self.name,
            "templates": [template.to_json() for template in self.templates],
            "twice": {str(part): sorted(numbers) for part, numbers in self.twice.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Site:
        """Read plain data."""
        try:
            return cls(
                data["site"],
                tuple(map(Template.from_json, data["templates"])),
                {int(part): frozenset(numbers) for part, numbers in data["twice"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError, WrapperError) as error:
            raise WrapperError(f"what was learned of a site is damaged: {error}") from None
