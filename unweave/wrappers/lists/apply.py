"""The wrapper for lists: finds the records that are similar to the learned ones, at their path.

The DEPTA paper remarks that aligned records can be used as an extraction pattern (sections 1 and
4.4). One record on a page is enough; lists are mined only if the records are in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unweave.column_selection import ColumnSpec, parse_columns, resolve_columns, select_columns
from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.schema import Schema, SchemaField
from unweave.table import LIST, Cell, Column
from unweave.values.column_format import ColumnFormat
from unweave.values.dates import infer_date_order
from unweave.values.types import DATES, Type
from unweave.wrappers.base import Description, Extraction, FieldDescription, Wrapper
from unweave.wrappers.list_tables import (
    DESCRIBED_STEPS,
    build_table,
    check_columns,
    find_text_nodes,
)
from unweave.wrappers.lists.agreement import ListStatistics
from unweave.wrappers.lists.example_records import ExampleRecords
from unweave.wrappers.lists.list_matching import LearnedList, ListMatcher
from unweave.wrappers.lists.record_finding import RecordPattern

if TYPE_CHECKING:
    from unweave.selectors.evaluation import SamplePage
    from unweave.selectors.export import Export

_MAX_LEVELS = 1_000  # of a wrapper file


@dataclass(frozen=True)
class ListWrapper(Wrapper):
    """The path, the shapes and the columns of the records of a list."""

    method = "records"
    gives_fields = False

    paths: tuple[tuple[str, ...], ...]
    """For each part of a record, the tags from the root of the page to it."""
    shapes: tuple[tuple[tuple[str, ...], ...], ...]
    """For each part of a record, the tags of the most common sub-trees."""
    levels: int
    """How many levels above a record all have a common ancestor: 1 for siblings, 2 for rows."""
    t: float
    """The maximum normalized edit distance of a part and one of its shapes."""
    columns: tuple[Column, ...]
    example_records: ExampleRecords
    ancestor_identifiers: tuple[tuple[str, ...], ...] = ()
    """The classes and ids of the elements from the root to a record; empty in older files."""
    selected_columns: tuple[ColumnSpec, ...] = ()
    """The columns of the result, with their names and types; all columns if there are none."""
    statistics: ListStatistics | None = None
    """What the records of the learned pages were like; None in older files."""

    def apply(self, page: Page) -> Extraction:
        """Extract the list of a page. The fit is the agreement with the learned records."""
        match = ListMatcher(self._learned, page).match()
        if match is None:
            return Extraction(warnings=page.warnings)
        records, rows, fit = match.records, match.rows, match.fit
        table = build_table(page, self.columns, records, rows, Page.join_siblings)
        columns = [
            _infer_date_order(column, table.rows, number)
            for number, column in enumerate(self.columns)
        ]
        table = replace(table, columns=tuple(columns), score=fit)
        if self.selected_columns:
            table = select_columns(table, self.selected_columns)
        return Extraction(table=table, fit=fit, warnings=page.warnings)

    @cached_property
    def _learned(self) -> LearnedList:
        return LearnedList(
            RecordPattern(self.paths, self.shapes, self.levels, self.t),
            self.example_records,
            self.ancestor_identifiers,
            len(self.columns),
            self.statistics,
        )

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes of each column's cells; addresses have none."""
        return find_text_nodes(page, self.apply(page).table)

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        paths = " and ".join("/".join(path) for path in self.paths)
        lines = [f"{column.name} ({column.type})" for column in self.columns]
        if self.selected_columns:
            lines = list(map(str, self.selected_columns))
        return Description(f"a list of records at {paths}", tuple(lines))

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe each column."""
        located_by = f"column of the list at {'/'.join(self.paths[0][-DESCRIBED_STEPS:])}"
        for column in self.columns:
            yield FieldDescription(column.name, located_by, column.type == LIST)

    @property
    def schema(self) -> Schema:
        """The schema of the records: the names and types of the columns."""
        types = {column.name: column.type for column in self.columns}
        fields = [
            SchemaField(
                spec.new_name,
                Type(spec.type or (Type.URL if spec.link else types[spec.column])),
                is_list=types[spec.column] == LIST,
            )
            for spec in self.selected_columns or map(ColumnSpec, types)
        ]
        return Schema(tuple(fields))

    def select(self, *columns: ColumnSpec | str) -> ListWrapper:
        """Return the wrapper with these columns only, renamed and retyped, in this order.

        They are named as in the result, or else as in ``describe_fields``.
        """
        specs = resolve_columns(parse_columns(columns), self.selected_columns)
        check_selected(specs, {column.name for column in self.columns})
        return replace(self, selected_columns=specs)

    def drop_selection(self) -> ListWrapper:
        """Return the wrapper with all columns under their own names."""
        return replace(self, selected_columns=())

    def rename_fields(self, names: Mapping[str, str], old: Wrapper) -> ListWrapper:
        """Return the wrapper with new names, and the selection of columns of the old wrapper."""
        columns = tuple([replace(column, name=names[column.name]) for column in self.columns])
        known = {column.name for column in columns}
        selected = old.selected_columns if isinstance(old, ListWrapper) else ()
        kept = tuple([spec for spec in selected if spec.column in known])
        return replace(self, columns=columns, selected_columns=kept)

    def build_selectors(
        self, form: str, samples: Sequence[SamplePage], progress: Callable[[int, int], None]
    ) -> Export:
        """Return the wrapper as selectors, tested on sample pages."""
        from unweave.selectors.export import export_list

        return export_list(self, form, samples, progress=progress)

    # ---- JSON ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data."""
        data: dict[str, Any] = {
            "paths": self.paths,
            "examples": self.shapes,
            "levels": self.levels,
            "t": self.t,
            "columns": [column.to_json() for column in self.columns],
            "memory": self.example_records.to_json(),
            "words": self.ancestor_identifiers,
        }
        if self.statistics is not None:
            data["statistics"] = self.statistics.to_json()
        if self.selected_columns:
            data["picks"] = [selected.to_json() for selected in self.selected_columns]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ListWrapper:
        """Read untrusted plain data."""
        paths, shapes = data["paths"], data["examples"]
        columns = tuple(map(Column.from_json, data["columns"]))
        statistics = data.get("statistics")
        wrapper = cls(
            paths=tuple(tuple(map(str, path)) for path in paths),
            shapes=tuple(tuple(tuple(map(str, tags)) for tags in part) for part in shapes),
            levels=int(data["levels"]),
            t=float(data["t"]),
            columns=columns,
            example_records=ExampleRecords.from_json(data["memory"]),
            ancestor_identifiers=tuple(tuple(map(str, words)) for words in data.get("words", ())),
            selected_columns=parse_columns(map(ColumnSpec.from_json, data.get("picks", ()))),
            statistics=(
                None if statistics is None else ListStatistics.from_json(statistics, len(columns))
            ),
        )
        wrapper._check()
        return wrapper

    def _check(self) -> None:
        """Raise ValueError if the values do not belong together, or are out of range."""
        if not self.paths or len(self.paths) != len(self.shapes):
            raise ValueError("it does not have a path and shapes for each part of a record")
        if any(len(path) < 2 for path in self.paths):
            raise ValueError("a path is too short")
        if not 0 <= self.t < 2 or not 1 <= self.levels <= _MAX_LEVELS:
            raise ValueError("t or levels is out of range")
        if len(self.ancestor_identifiers) not in (0, len(self.paths[0])):
            raise ValueError("it does not have words for each step of the path")
        check_columns(self.columns)
        if self.example_records.column_count > len(self.columns):
            raise ValueError("an example record has a column that does not exist")
        names = {column.name for column in self.columns}
        if not names.issuperset(selected.column for selected in self.selected_columns):
            raise ValueError("it selects a column that does not exist")


def check_selected(specs: Sequence[ColumnSpec], names: set[str]) -> None:
    """Raise UsageError if a list does not have one of the columns."""
    for spec in specs:
        if spec.column not in names:
            raise UsageError(
                f"the list has no column {spec.column[:60]!r}; it has {', '.join(sorted(names))}"
            )


def _infer_date_order(column: Column, rows: Sequence[Sequence[Cell]], number: int) -> Column:
    """Return a column of dates with the order of day and month that the page proves, if any."""
    if column.type not in DATES:
        return column
    column_format = ColumnFormat(column.type, column.prefix, column.suffix)
    texts: list[str] = []
    for row in rows:
        cell = row[number]
        if isinstance(cell, str):
            texts.append(column_format.strip_affixes(cell))
    return replace(column, date_order=infer_date_order(texts) or column.date_order)
