"""The tables of a finished run: the rows of all rounds and parts, the links between them, and what became of each page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unweave.files import read_json, write_json_lines
from unweave.pipeline.apply import MOVED, PAGES, file_name
from unweave.pipeline.cells import CURRENCY, UNREAD
from unweave.pipeline.links import Links
from unweave.pipeline.page_types import Kind
from unweave.pipeline.rows import DETAIL, DETAIL_TABLE, OTHERS, POSITION, URL, column_name
from unweave.pipeline.templates import PAGES as PAGES_OF_LISTS
from unweave.pipeline.templates import Template
from unweave.pipeline.work import Work
from unweave.sinks.cells import SiteColumn
from unweave.sinks.site_tables import SiteTable
from unweave.table import Column

TEMPLATES, COLUMNS = "templates", "columns"
"""Tables that every database has, besides that of the pages."""

_PAGES = (
    SiteColumn(URL),
    SiteColumn("site"),
    SiteColumn("template"),
    SiteColumn("kind"),
    SiteColumn("fit", "number"),
    SiteColumn("reason"),
    SiteColumn("fetched", "datetime"),
)
_TEMPLATES = (
    SiteColumn("name"),
    SiteColumn("site"),
    SiteColumn("kind"),
    SiteColumn("pages", "integer"),
)
_COLUMNS = (
    SiteColumn("table"),
    SiteColumn("number", "integer"),
    SiteColumn("column"),
    SiteColumn("type"),
    SiteColumn("before"),
    SiteColumn("after"),
)


@dataclass(frozen=True)
class Described:
    """A template, as the tables need it: without what reads pages."""

    name: str
    site: str
    kind: Kind
    tables: tuple[str, ...]
    of_records: frozenset[str]
    """Those of its tables that have several rows a page."""
    columns: Mapping[str, Column]
    """How its columns are read, in the order in which they stand on its pages."""

    @classmethod
    def of(cls, template: Template) -> Described:
        """Leave out what is not needed."""
        of_records = {name for own, name in template.nested.items() if own != PAGES_OF_LISTS}
        if template.kind is Kind.LIST:
            of_records.add(template.name)
        columns = {column_name(column.name): column for column in _columns(template)}
        return cls(
            template.name,
            template.site,
            template.kind,
            tuple(template.tables),
            frozenset(of_records),
            columns,
        )


def _columns(template: Template) -> Iterator[Column]:
    if template.records:
        yield from template.records.columns
    if template.fields:
        yield from (template.column(field.name) for field in template.fields.fields)
        yield from (
            template.column(column.name)
            for table in template.fields.tables
            for column in table.columns
        )
    if template.reads_text:
        yield from map(Column, ("title", "date", "authors", "body"))


def learned(work: Work, rounds: int) -> Iterator[Template]:
    """The templates that have tables, of all sites and rounds."""
    for round_ in range(1, rounds + 1):
        for path in sorted((work.round(round_) / "sites").glob("*.json")):
            for template in read_json(path)["templates"]:
                if template["kind"] != Kind.NEITHER:
                    yield Template.from_json(template)


class Tables:
    """What the rounds of a run have given."""

    def __init__(self, work: Work, rounds: int) -> None:
        self._work = work
        self._folder = work.folder / "write"
        self._parts = [
            work.rows(round_, part)
            for round_ in range(1, rounds + 1)
            for part in range(len(work.parts(round_)))
        ]
        self.templates = sorted(map(Described.of, learned(work, rounds)), key=lambda own: own.name)
        self.pages: dict[str, int] = {}
        """How many pages each template has."""
        self.reasons: dict[str, int] = {}
        """How many pages were set aside for each reason."""
        self.damaged: dict[str, int] = {}
        """How many pages of templates are damaged, by what is wrong with them."""

    def counts(self) -> Counter[str]:
        """How many pages were read, set aside, and met twice."""
        counts: Counter[str] = Counter()
        for folder in self._parts:
            counts.update(read_json(folder / "summary.json")["counts"])
        return counts

    def relations(self) -> list[SiteTable]:
        """The tables that every database has, and those of the templates; the records of lists have their links."""
        self._folder.mkdir(exist_ok=True)
        types = self._types()
        with Links(
            self._work.folder, self._folder, self._files(PAGES), self._files(MOVED)
        ) as links:
            self.pages = links.page_counts()
            self.reasons, self.damaged = links.count_set_aside(), links.count_damaged()
            known = {
                name: template
                for template in self.templates
                for name in template.tables
                if name in types
            }
            found = [
                self._relation(name, own, types[name], links) for name, own in sorted(known.items())
            ]
            pages = SiteTable(PAGES, _PAGES, (URL,), (links.pages,))
        return [pages, self._templates(), self._described_columns(found, known), *found]

    def _relation(
        self, name: str, template: Described, types: Mapping[str, str], links: Links
    ) -> SiteTable:
        attributes = _attributes(types, list(template.columns))
        files = self._files(name)
        if template.kind is Kind.LIST and name == template.name:
            files = (links.linked(name, files, [attribute.name for attribute in attributes]),)
            attributes = (*attributes, SiteColumn(DETAIL), SiteColumn(DETAIL_TABLE))
        keys = (
            (SiteColumn(URL), SiteColumn(POSITION, "integer"))
            if name in template.of_records
            else (SiteColumn(URL),)
        )
        return SiteTable(name, (*keys, *attributes), tuple(key.name for key in keys), files)

    def _types(self) -> dict[str, dict[str, str]]:
        """For every table the types of the columns that have something."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for folder in self._parts:
            for table, types in read_json(folder / "summary.json")["types"].items():
                found[table].update(types)
        return found

    def _files(self, table: str) -> tuple[Path, ...]:
        paths = (folder / f"{file_name(table)}.jsonl" for folder in self._parts)
        return tuple(path for path in paths if path.exists())

    def _templates(self) -> SiteTable:
        rows = [
            {"name": own.name, "site": own.site, "kind": own.kind, "pages": self.pages[own.name]}
            for own in self.templates
            if own.name in self.pages
        ]
        return SiteTable(TEMPLATES, _TEMPLATES, ("name",), (self._written(TEMPLATES, rows),))

    def _described_columns(
        self, relations: Sequence[SiteTable], known: Mapping[str, Described]
    ) -> SiteTable:
        """What the columns are: of a weight in numbers, that "kg" stood behind each."""
        rows = [
            {
                "table": relation.name,
                "number": number,
                "column": attribute.name,
                "type": attribute.type,
                "before": column.prefix or None,
                "after": column.suffix or None,
            }
            for relation in relations
            for number, attribute in enumerate(relation.columns, start=1)
            for column in [known[relation.name].columns.get(attribute.name, Column(attribute.name))]
        ]
        return SiteTable(COLUMNS, _COLUMNS, ("table", "number"), (self._written(COLUMNS, rows),))

    def _written(self, name: str, rows: Sequence[dict[str, Any]]) -> Path:
        path = self._folder / f"{name}.jsonl"
        write_json_lines(path, rows)
        return path


def _attributes(types: Mapping[str, str], order: Sequence[str]) -> tuple[SiteColumn, ...]:
    """The columns in the order in which they stand on the pages; what belongs to one behind it."""
    place: dict[str, tuple[int, int]] = {}
    for number, name in enumerate(order):
        for later, ending in enumerate(("", CURRENCY, UNREAD)):
            place.setdefault(name + ending, (number, later))
    names = sorted(types, key=lambda name: (name == OTHERS, place.get(name, (len(order), 0)), name))
    return tuple(SiteColumn(name, types[name]) for name in names)
