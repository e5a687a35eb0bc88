"""A wrapper as selectors: each chosen among its candidates, tried on sample pages if there are any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unweave.column_selection import ColumnSpec
from unweave.page.page import Page
from unweave.selectors import field_candidates as fields
from unweave.selectors import table_candidates as tables
from unweave.selectors.choosing import (
    MAX_WORK_PER_PAGE,
    Budget,
    Chosen,
    choose,
    same_first,
    same_texts,
)
from unweave.selectors.evaluation import SamplePage, Value, said, squeezed, squeezed_value
from unweave.selectors.expressions import Form, Selector
from unweave.selectors.list_candidates import Records
from unweave.selectors.row_choosing import RowChooser
from unweave.selectors.template import Template
from unweave.table import Cell
from unweave.table import Table as Found
from unweave.wrappers.fields.apply import Field, FieldWrapper
from unweave.wrappers.fields.row_tables import RowFinder, RowTable
from unweave.wrappers.lists.apply import ListWrapper


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


Progress = Callable[[int, int], None]
"""What is told how many fields and columns have their selector, and how many there are."""


def no_progress(done: int, total: int) -> None:
    """Do nothing; the default progress callback."""


def export_fields(
    wrapper: FieldWrapper,
    form: str,
    samples: Sequence[SamplePage] = (),
    *,
    max_work_per_page: int = MAX_WORK_PER_PAGE,
    progress: Progress = no_progress,
) -> Export:
    """Return the selectors of a wrapper for fields, tested on samples."""
    max_work = max_work_per_page * len(samples)
    return _Details(wrapper, Form(form), _by_size(samples), max_work, progress).export()


def export_list(
    wrapper: ListWrapper,
    form: str,
    samples: Sequence[SamplePage] = (),
    *,
    max_work_per_page: int = MAX_WORK_PER_PAGE,
    progress: Progress = no_progress,
) -> Export:
    """Return the selectors of a wrapper for lists, tested on samples."""
    max_work = max_work_per_page * len(samples)
    rows = _list(wrapper, Form(form), _by_size(samples), max_work, progress)
    return Export(Form(form), rows=rows)


def _by_size(samples: Sequence[SamplePage]) -> list[SamplePage]:
    """Return the smallest samples first: a wrong selector fails on them sooner."""
    return sorted(samples, key=lambda sample: len(sample.page.tree))


# ---- details ---------------------------------------------------------------------------------------------------


class _Details:
    """Chooses the selectors of a wrapper for fields."""

    def __init__(
        self,
        wrapper: FieldWrapper,
        form: Form,
        samples: Sequence[SamplePage],
        max_work: int,
        progress: Progress,
    ) -> None:
        self._wrapper, self._form, self._samples = wrapper, form, samples
        self._template = Template.of(wrapper.anchors)
        self._found = [wrapper.apply(sample.page).fields or {} for sample in samples]
        self._total = len(wrapper.fields) + sum(1 + len(table.columns) for table in wrapper.tables)
        self._done, self._progress = 0, progress
        self._budget = Budget(self._total, max_work)

    def export(self) -> Export:
        """Return all fields, and the tables in the pages."""
        fields = tuple(map(self._field, self._wrapper.fields))
        return Export(self._form, fields, tuple(map(self._table, self._wrapper.tables)))

    def _count(self, exported: Exported) -> Exported:
        self._done += 1
        self._progress(self._done, self._total)
        return exported

    def _field(self, own: Field) -> Exported:
        many = own.number is None

        def read(sample: SamplePage, text: str, selector: Selector) -> Value:
            return said(sample.select(self._form, text), selector) or None

        chosen = choose(
            fields.plainest(own, self._template),
            fields.surest(own, self._template),
            self._form,
            self._samples,
            self._said(own.name),
            read,
            same_texts if many else same_first,
            self._budget,
        )
        return self._count(Exported(own.name, chosen, many))

    def _table(self, table: RowTable) -> Rows:
        candidates = list(tables.rows(table, self._template))
        texts = [texts_of_rows(self._wrapper, table, sample.page) for sample in self._samples]
        rows = RowChooser(self._form, self._samples, candidates, candidates, texts, self._budget)
        self._done += 1
        columns = [
            self._count(
                Exported(
                    own.name,
                    rows.column(tables.cells(own, table, self._template), self._said(own.name)),
                )
            )
            for own in table.columns
        ]
        return Rows(rows.chosen, tuple(columns), table.name)

    def _said(self, name: str) -> list[Value]:
        """What the wrapper finds on each page."""
        return [squeezed_value(page.get(name)) for page in self._found]


def texts_of_rows(wrapper: FieldWrapper, table: RowTable, page: Page) -> list[str]:
    """What the rows of a table in a page say."""
    paths = wrapper.anchors.paths
    rows = RowFinder(wrapper.tables, paths).find_rows(page, paths.number_nodes(page))
    return [squeezed(page.text(row.node)) for own, row in rows if own is table]


# ---- lists -----------------------------------------------------------------------------------------------------


def _list(
    wrapper: ListWrapper,
    form: Form,
    samples: Sequence[SamplePage],
    max_work: int,
    progress: Progress,
) -> Rows:
    picks = wrapper.selected_columns
    wrapper = replace(wrapper, selected_columns=())
    records = Records(wrapper)
    found = [wrapper.apply(sample.page).table for sample in samples]
    texts = [texts_of_records(table) for table in found]
    budget = Budget(1 + len(wrapper.columns), max_work)
    rows = RowChooser(form, samples, records.rows(), records.surest_rows(), texts, budget)
    columns: list[Exported] = []
    for number, column in enumerate(wrapper.columns):
        if not column.is_constant:
            cells = [
                [_text(row[number]) for row in table.rows] if table else None for table in found
            ]
            is_address = records.is_address(number)
            chosen = rows.column(
                records.cells(number),
                list(map(squeezed_value, cells)),
                says=bool,
                is_address=is_address,
            )
            columns.append(Exported(column.name, chosen, is_address=is_address))
        progress(number + 1, len(wrapper.columns))
    return Rows(rows.chosen, _picked(columns, picks) if picks else tuple(columns))


def _picked(columns: Sequence[Exported], picks: Sequence[ColumnSpec]) -> tuple[Exported, ...]:
    """The columns that are wanted, under the names that are wanted."""
    known = {column.name: column for column in columns}
    found: list[Exported] = []
    for pick in picks:
        if pick.link or pick.column not in known:
            reason = "links are split out" if pick.link else "it says the same in every row"
            found.append(
                Exported(pick.new_name, Chosen(note=f"there is no selector for it: {reason}"))
            )
        else:
            found.append(replace(known[pick.column], name=pick.new_name))
    return tuple(found)


def texts_of_records(table: Found | None) -> list[str]:
    """What the first elements of records say."""
    return [squeezed(table.page.text(record[0])) for record in table.records] if table else []


def _text(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) else None
