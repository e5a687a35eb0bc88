"""The wrapper for lists: finds the records that are similar to the learned ones, at their path.

The DEPTA paper remarks that aligned records can be used as an extraction pattern (sections 1 and
4.4). No list is mined here: one record on a page is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from unweave.column_selection import ColumnSpec, parse_columns, select_columns
from unweave.lists.listing import Record
from unweave.page.page import Page
from unweave.table import LIST, Cell, Column
from unweave.trees.edit_distance import are_similar
from unweave.values.column_format import ColumnFormat
from unweave.values.dates import infer_date_order
from unweave.values.types import DATES
from unweave.wrappers.base import Description, Extraction, FieldDescription, Wrapper
from unweave.wrappers.list_tables import (
    DESCRIBED_STEPS,
    build_table,
    check_columns,
    check_table_size,
    find_text_nodes,
)
from unweave.wrappers.lists.example_records import ExampleRecords

if TYPE_CHECKING:
    from unweave.selectors.evaluation import SamplePage
    from unweave.selectors.export import Export

# Without records at the learned path, those whose path has the same last steps are found: pages of
# a site differ most near the root.
_FALLBACK_STEPS = (3, 2)

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

    def apply(self, page: Page) -> Extraction:
        """Extract the list of a page. The fit is the share of the records' items with a column."""
        records = _RecordFinder(self, page).find_records()
        if not records:
            return Extraction(warnings=page.warnings)
        check_table_size(records, self.columns)
        rows = self.example_records.align(page, records)
        table = build_table(page, self.columns, records, rows, Page.join_siblings)
        columns = [
            _infer_date_order(column, table.rows, number)
            for number, column in enumerate(self.columns)
        ]
        table = replace(table, columns=tuple(columns))
        fit = table.score
        if self.selected_columns:
            table = select_columns(table, self.selected_columns)
        return Extraction(table=table, fit=fit, warnings=page.warnings)

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
        if self.selected_columns:
            data["picks"] = [selected.to_json() for selected in self.selected_columns]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ListWrapper:
        """Read untrusted plain data."""
        paths, shapes = data["paths"], data["examples"]
        wrapper = cls(
            paths=tuple(tuple(map(str, path)) for path in paths),
            shapes=tuple(tuple(tuple(map(str, tags)) for tags in part) for part in shapes),
            levels=int(data["levels"]),
            t=float(data["t"]),
            columns=tuple(map(Column.from_json, data["columns"])),
            example_records=ExampleRecords.from_json(data["memory"]),
            ancestor_identifiers=tuple(tuple(map(str, words)) for words in data.get("words", ())),
            selected_columns=parse_columns(map(ColumnSpec.from_json, data.get("picks", ()))),
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


class _RecordFinder:
    """Finds the records of a page by the paths and the shapes of the learned ones."""

    def __init__(self, wrapper: ListWrapper, page: Page) -> None:
        self._paths = wrapper.paths
        self._levels = wrapper.levels
        self._t = wrapper.t
        self._tree = page.tree
        alphabet = page.tree.alphabet
        self._tag_strings = [
            ["".join([alphabet[tag] for tag in tags]) for tags in part] for part in wrapper.shapes
        ]
        """The shapes of each part as tag strings of this page."""

    def find_records(self) -> list[Record]:
        """Return the longest list at the learned path, or at one with the same last steps."""
        for steps in (len(self._paths[0]) - 1, *_FALLBACK_STEPS):
            lists = self._find_lists(self._find_parents(steps))
            if lists:
                return max(lists, key=len)
        return []

    def _find_parents(self, steps: int) -> list[int]:
        """Return the nodes whose path ends with the last steps to the parent of a record."""
        path = self._paths[0][:-1]
        suffix = list(reversed(path[-steps:]))
        is_whole_path = steps == len(path)
        labels = self._tree.labels
        parents: list[int] = []
        for node, label in enumerate(labels):
            if label == suffix[0]:
                ancestors = islice(self._tree.ancestors(node), len(suffix) + 1)
                tags = [labels[ancestor] for ancestor in ancestors]
                is_root_reached = len(tags) == len(suffix)
                if tags[: len(suffix)] == suffix and (is_root_reached or not is_whole_path):
                    parents.append(node)
        return parents

    def _find_lists(self, parents: Iterable[int]) -> list[list[Record]]:
        """Return the records below the parents, by their common ancestor."""
        lists: dict[int, list[Record]] = {}
        done: set[int] = set()
        for parent in parents:
            if parent in done:
                continue
            rows = self._find_rows(parent)
            done.update(rows)
            ancestor = list(islice(self._tree.ancestors(parent), self._levels))[-1]
            records = lists.setdefault(ancestor, [])
            if len(rows) == 1:
                records += self._find_runs(self._tree.children(parent))
                continue
            for record in zip(*map(self._tree.children, rows), strict=False):
                if self._is_record(record):
                    records.append(record)
        return [records for records in lists.values() if records]

    def _find_rows(self, parent: int) -> list[int]:
        """Return the parents of a record's parts: one, or a row of siblings for each part."""
        parts = len(self._paths)
        has_one_parent = self._levels == 1 and len({path[:-1] for path in self._paths}) == 1
        if parts == 1 or has_one_parent:
            return [parent]
        rows = [parent]
        parents = self._tree.parents
        while len(rows) < parts:
            sibling = self._tree.ends[rows[-1]]
            if sibling >= len(self._tree) or parents[sibling] != parents[parent]:
                return [parent]
            rows.append(sibling)
        return rows

    def _find_runs(self, siblings: Sequence[int]) -> list[Record]:
        """Return the runs of siblings that are records, from left to right."""
        length = len(self._paths)
        records: list[Record] = []
        start = 0
        while start + length <= len(siblings):
            run = tuple(siblings[start : start + length])
            if self._is_record(run):
                records.append(run)
                start += length
            else:
                start += 1
        return records

    def _is_record(self, nodes: Record) -> bool:
        """Tell whether every node is similar to a shape of its part."""
        tree = self._tree
        for node, path, shapes in zip(nodes, self._paths, self._tag_strings, strict=True):
            if tree.labels[node] != path[-1]:
                return False
            tags = tree.tag_string[node : tree.ends[node]]
            if not any(are_similar(tags, shape, self._t) for shape in shapes):
                return False
        return True
