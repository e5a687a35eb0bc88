"""A wrapper for list pages: records of a list, used to find and read the same list on other pages.

The DEPTA paper remarks that aligned records can be used as an extraction pattern (sections 1 and 4.4). Nothing is mined:
records are looked for where they stood, by their tag path, and are what is similar to those that were learned from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from unweave.column_selection import ColumnSpec, parse_columns, select_columns
from unweave.errors import PageTooLarge, UsageError, WrapperError
from unweave.lists.listing import Record
from unweave.page.page import Page
from unweave.table import LIST, URL_TYPES, Cell, CellNodes, Column, Table, format_cell
from unweave.trees.edit_distance import are_similar
from unweave.values.column_format import ColumnFormat
from unweave.values.dates import infer_date_order
from unweave.values.types import DATES
from unweave.wrappers.base import Description, Extraction, FieldDescription, Wrapper
from unweave.wrappers.lists.example_records import ExampleRecords

if TYPE_CHECKING:
    from unweave.selectors.evaluation import SamplePage
    from unweave.selectors.export import Export

# If nothing stands at the learned path, so many last steps of it must do: pages of a site differ most near the root.
_LAST_STEPS = (3, 2)

_SHOWN_STEPS = 3
_MOST_COLUMNS = 10_000
_MOST_LEVELS = 1_000
MAX_CELLS = 2_000_000


@dataclass(frozen=True)
class ListWrapper(Wrapper):
    """What is stable in the records of one list."""

    method = "records"
    gives_fields = False

    paths: tuple[tuple[str, ...], ...]
    """For each part of a record, the labels from the root of the page to it."""
    shapes: tuple[tuple[tuple[str, ...], ...], ...]
    """For each part, the labels of the sub-trees that it was seen as."""
    levels: int
    """How far up from a record its list has a common ancestor: 1 if that is the parent, 2 if records stand in rows."""
    t: float
    columns: tuple[Column, ...]
    example_records: ExampleRecords
    """Some of the records that it was learned from."""
    ancestor_identifiers: tuple[tuple[str, ...], ...] = ()
    """What the elements from the root of the page to a record are called; older files lack it."""
    selected_columns: tuple[ColumnSpec, ...] = ()
    """The columns that are wanted, and how; none if all are, as they are."""

    # ---- apply -----------------------------------------------------------------------------------------------

    def apply(self, page: Page) -> Extraction:
        """Extract the list of a page as a table. The fit is the share of the records' items that have a column."""
        records = _Finder(self, page).records()
        if not records:
            return Extraction(warnings=page.notes)
        if len(records) * len(self.columns) > MAX_CELLS:
            raise PageTooLarge(f"the table would have more than {MAX_CELLS:,} cells")
        cells: list[list[Cell]] = [[None] * len(self.columns) for _ in records]
        nodes: CellNodes = [[()] * len(self.columns) for _ in records]
        placed, items = 0, 0
        for number, row in enumerate(self.example_records.align(page, records)):
            items += len(row)
            for column, own in row:
                if column is not None and not nodes[number][column]:
                    placed += 1
                    if self.columns[column].is_blank(own.value):
                        continue
                    cells[number][column] = own.value
                    nodes[number][column] = (own.node,)
        fit = placed / items if items else 0.0
        texts = [page.join_siblings(record) for record in records]
        columns = tuple(
            _with_order_of_page(column, cells, number) for number, column in enumerate(self.columns)
        )
        table = Table(columns, cells, nodes, records, texts, score=fit, page=page)
        if self.selected_columns:
            table = select_columns(table, self.selected_columns)
        return Extraction(table=table, fit=fit, warnings=page.notes)

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes of each column's cells; addresses have none."""
        table = self.apply(page).table
        found: dict[str, list[int]] = {}
        for number, column in enumerate(table.columns if table is not None else ()):
            if table is None or column.type in URL_TYPES:
                continue
            cells = [
                (format_cell(row[number]), nodes[number])
                for row, nodes in zip(table.rows, table.nodes, strict=True)
            ]
            if chunks := [
                chunk
                for text, own in cells
                if text
                for node in own
                for chunk in _chunks(page, node, text)
            ]:
                found[column.name] = chunks
        return found

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        paths = " and ".join("/".join(path) for path in self.paths)
        if self.selected_columns:
            lines = tuple(map(str, self.selected_columns))
        else:
            lines = tuple(f"{column.name} ({column.type})" for column in self.columns)
        return Description(f"a list of records at {paths}", lines)

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe each column."""
        path = "/".join(self.paths[0][-_SHOWN_STEPS:])
        for column in self.columns:
            yield FieldDescription(
                column.name, f"column of the list at {path}", column.type == LIST
            )

    def to_selectors(
        self, form: str = "xpath", samples: Sequence[SamplePage] = (), **options: Any
    ) -> Export:
        """Return the wrapper as selectors, tested on sample pages."""
        from unweave.selectors.export import export_list

        return export_list(self, form, samples, **options)

    # ---- JSON ------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "paths": self.paths,
            "examples": self.shapes,
            "levels": self.levels,
            "t": self.t,
            "columns": [column.to_json() for column in self.columns],
            "memory": self.example_records.to_json(),
            "words": self.ancestor_identifiers,
            **(
                {"picks": [pick.to_json() for pick in self.selected_columns]}
                if self.selected_columns
                else {}
            ),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ListWrapper:
        """Read plain data, which may come from anywhere."""
        try:
            wrapper = cls(
                paths=tuple(tuple(map(str, path)) for path in data["paths"]),
                shapes=tuple(
                    tuple(tuple(map(str, labels)) for labels in part) for part in data["examples"]
                ),
                levels=int(data["levels"]),
                t=float(data["t"]),
                columns=tuple(map(Column.from_json, data["columns"])),
                example_records=ExampleRecords.from_json(data["memory"]),
                ancestor_identifiers=tuple(
                    tuple(map(str, words)) for words in data.get("words", ())
                ),
                selected_columns=parse_columns(map(ColumnSpec.from_json, data.get("picks", ()))),
            )
            wrapper._check()
        except UsageError as error:
            raise WrapperError(f"the wrapper is broken: {error}") from None
        except (
            KeyError,
            TypeError,
            ValueError,
            IndexError,
            OverflowError,
            AttributeError,
        ) as error:
            raise WrapperError(f"the wrapper is broken: {type(error).__name__} {error}") from None
        return wrapper

    def _check(self) -> None:
        if (
            not self.paths
            or len(self.paths) != len(self.shapes)
            or any(len(path) < 2 for path in self.paths)
        ):
            raise WrapperError("the wrapper is broken: its paths and examples do not fit together")
        if (
            not 0 <= self.t < 2
            or not 1 <= self.levels <= _MOST_LEVELS
            or len(self.columns) > _MOST_COLUMNS
        ):
            raise WrapperError("the wrapper is broken: a number in it is out of range")
        if len(self.ancestor_identifiers) not in (0, len(self.paths[0])):
            raise WrapperError("the wrapper is broken: its words and paths do not fit together")
        if self.example_records.width > len(self.columns):
            raise WrapperError("the wrapper is broken: an example has a column that there is not")
        names = {column.name for column in self.columns}
        if len(names) != len(self.columns):
            raise WrapperError("the wrapper is broken: two columns have one name")
        if not names.issuperset(pick.column for pick in self.selected_columns):
            raise WrapperError("the wrapper is broken: it wants a column that there is not")


def _chunks(page: Page, node: int, value: str) -> list[int]:
    """The texts of a node that a value is made of: one, or all of a running text."""
    texts = page.texts
    alone = [chunk for chunk in page.text_nodes(node) if texts[chunk] == value]
    return alone or [chunk for chunk in page.text_nodes(node) if texts[chunk] in value]


def _with_order_of_page(column: Column, rows: Sequence[Sequence[Cell]], number: int) -> Column:
    """Return a column of dates with the order of day and month that the cells of this page prove, if they do."""
    if column.type not in DATES:
        return column
    reading = ColumnFormat(column.type, column.prefix, column.suffix)
    texts = [reading.strip_affixes(cell) for row in rows if isinstance(cell := row[number], str)]
    return replace(column, date_order=infer_date_order(texts) or column.date_order)


class _Finder:
    """Finds the records of a page that look like those that were learned from."""

    def __init__(self, wrapper: ListWrapper, page: Page) -> None:
        self._wrapper = wrapper
        self._tree = page.tree

    def records(self) -> list[Record]:
        """The records of the list that has most of them."""
        steps = len(self._wrapper.paths[0]) - 1
        for last in (steps, *_LAST_STEPS):
            lists = self._lists(self._parents(last))
            if lists:
                return max(lists, key=len)
        return []

    def _parents(self, last: int) -> list[int]:
        """The nodes that could hold a record's first part: the last steps of their path are the learned ones."""
        path = self._wrapper.paths[0][:-1]
        exact = last == len(path)
        wanted = path[-last:]
        labels = self._tree.labels
        found: list[int] = []
        for node, label in enumerate(labels):
            if label == wanted[-1]:
                steps = [
                    labels[above] for above in islice(self._tree.ancestors(node), len(wanted) + 1)
                ]
                if steps[: len(wanted)][::-1] == list(wanted) and (
                    not exact or len(steps) == len(wanted)
                ):
                    found.append(node)
        return found

    def _lists(self, parents: Iterable[int]) -> list[list[Record]]:
        """The records, by the ancestor that they have in common."""
        lists: dict[int, list[Record]] = {}
        done: set[int] = set()
        for parent in parents:
            if parent in done:
                continue
            rows = self._rows(parent)
            done.update(rows)
            ancestor = list(islice(self._tree.ancestors(parent), self._wrapper.levels))[-1]
            lists.setdefault(ancestor, []).extend(self._in_rows(rows))
        return [records for records in lists.values() if records]

    def _rows(self, parent: int) -> list[int]:
        """The parents of a record's parts: the same for all, or so many siblings if each part has a row of its own."""
        distinct = len({path[:-1] for path in self._wrapper.paths})
        if len(self._wrapper.paths) == 1 or (distinct == 1 and self._wrapper.levels == 1):
            return [parent]
        rows = [parent]
        while len(rows) < len(self._wrapper.paths):
            below = self._tree.ends[rows[-1]]
            if below >= len(self._tree) or self._tree.parents[below] != self._tree.parents[parent]:
                return [parent]
            rows.append(below)
        return rows

    def _in_rows(self, rows: Sequence[int]) -> list[Record]:
        if len(rows) == 1:
            return self._in_run(self._tree.children(rows[0]))
        columns = zip(*(self._tree.children(row) for row in rows), strict=False)
        return [record for record in columns if all(map(self._is_part, range(len(record)), record))]

    def _in_run(self, children: Sequence[int]) -> list[Record]:
        """Runs of siblings, each similar to its part of a record, from left to right."""
        width = len(self._wrapper.paths)
        found: list[Record] = []
        start = 0
        while start + width <= len(children):
            run = tuple(children[start : start + width])
            if all(map(self._is_part, range(width), run)):
                found.append(run)
                start += width
            else:
                start += 1
        return found

    def _is_part(self, part: int, node: int) -> bool:
        tags = self._tree.tag_string[node : self._tree.ends[node]]
        if self._tree.labels[node] != self._wrapper.paths[part][-1]:
            return False
        return any(are_similar(tags, example, self._wrapper.t) for example in self._strings[part])

    @cached_property
    def _strings(self) -> list[list[str]]:
        """The examples in the page's own alphabet."""
        alphabet = self._tree.alphabet
        return [
            ["".join(alphabet[label] for label in labels) for labels in part]
            for part in self._wrapper.shapes
        ]
