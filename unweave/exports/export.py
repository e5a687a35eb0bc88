"""A wrapper as selectors: each chosen among its candidates, tried on sample pages if there are any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from unweave.errors import WrapperError
from unweave.exports import fields, tables
from unweave.exports.choice import MAX_WORK_PER_PAGE, Budget, Chosen, choose, same_first, same_texts
from unweave.exports.exported import Export, Exported, Rows
from unweave.exports.lists import Records
from unweave.exports.rows import RowChooser
from unweave.exports.samples import Sample, Value, said, squeezed, squeezed_value
from unweave.exports.selectors import Form, Selector
from unweave.exports.template import Template
from unweave.page.page import Page
from unweave.picks import Pick
from unweave.table import Cell
from unweave.table import Table as Found
from unweave.wrappers.records import RecordWrapper
from unweave.wrappers.seed import SeedWrapper
from unweave.wrappers.slots import Field, SlotWrapper
from unweave.wrappers.tables import Table, Tables
from unweave.wrappers.wrapper import Wrapper

Progress = Callable[[int, int], None]
"""What is told how many fields and columns have their selector, and how many there are."""


def no_progress(done: int, total: int) -> None:
    """Do nothing; the default progress callback."""


def export(
    wrapper: Wrapper,
    form: Form,
    samples: Sequence[Sample] = (),
    *,
    max_work_per_page: int = MAX_WORK_PER_PAGE,
    progress: Progress = no_progress,
) -> Export:
    """Return the selectors of a wrapper for fields or for lists, tried on samples with so much work at most."""
    max_work = max_work_per_page * len(samples)
    samples = sorted(samples, key=lambda sample: len(sample.page.tree))  # what is wrong fails on a small page
    if isinstance(wrapper, SlotWrapper):
        return _Details(wrapper, form, samples, max_work, progress).export()
    if isinstance(wrapper, RecordWrapper):
        return Export(form, rows=_list(wrapper, form, samples, max_work, progress))
    if isinstance(wrapper, SeedWrapper):
        raise WrapperError(
            "a wrapper of depta finds records by matching trees, which no selector does: learn one with --method records"
        )
    raise WrapperError(
        "this wrapper knows texts and no elements to select: learn one with --method fields, or records for lists"
    )


# ---- details ---------------------------------------------------------------------------------------------------


class _Details:
    """Chooses the selectors of a wrapper for fields."""

    def __init__(
        self, wrapper: SlotWrapper, form: Form, samples: Sequence[Sample], max_work: int, progress: Progress
    ) -> None:
        self._wrapper, self._form, self._samples = wrapper, form, samples
        self._template = Template.of(wrapper.anchors)
        self._found = [wrapper.apply(sample.page)[0] or {} for sample in samples]
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

        def read(sample: Sample, text: str, selector: Selector) -> Value:
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

    def _table(self, table: Table) -> Rows:
        candidates = list(tables.rows(table, self._template))
        texts = [texts_of_rows(self._wrapper, table, sample.page) for sample in self._samples]
        rows = RowChooser(self._form, self._samples, candidates, candidates, texts, self._budget)
        self._done += 1
        columns = [
            self._count(Exported(own.name, rows.column(tables.cells(own, table, self._template), self._said(own.name))))
            for own in table.columns
        ]
        return Rows(rows.chosen, tuple(columns), table.name)

    def _said(self, name: str) -> list[Value]:
        """What the wrapper finds on each page."""
        return [squeezed_value(page.get(name)) for page in self._found]


def texts_of_rows(wrapper: SlotWrapper, table: Table, page: Page) -> list[str]:
    """What the rows of a table in a page say."""
    places = wrapper.anchors.places
    rows = Tables(wrapper.tables, places).rows(page, places.of(page))
    return [squeezed(page.text(row.node)) for own, row in rows if own is table]


# ---- lists -----------------------------------------------------------------------------------------------------


def _list(wrapper: RecordWrapper, form: Form, samples: Sequence[Sample], max_work: int, progress: Progress) -> Rows:
    picks = wrapper.picks
    wrapper = replace(wrapper, picks=())
    records = Records(wrapper)
    found = [wrapper.apply(sample.page)[0] for sample in samples]
    texts = [texts_of_records(table) for table in found]
    budget = Budget(1 + len(wrapper.columns), max_work)
    rows = RowChooser(form, samples, records.rows(), records.surest_rows(), texts, budget)
    columns: list[Exported] = []
    for number, column in enumerate(wrapper.columns):
        if not column.is_constant:
            cells = [[_text(row[number]) for row in table.rows] if table else None for table in found]
            is_address = records.is_address(number)
            chosen = rows.column(records.cells(number), list(map(squeezed_value, cells)), says=bool, is_address=is_address)
            columns.append(Exported(column.name, chosen, is_address=is_address))
        progress(number + 1, len(wrapper.columns))
    return Rows(rows.chosen, _picked(columns, picks) if picks else tuple(columns))


def _picked(columns: Sequence[Exported], picks: Sequence[Pick]) -> tuple[Exported, ...]:
    """The columns that are wanted, under the names that are wanted."""
    known = {column.name: column for column in columns}
    found: list[Exported] = []
    for pick in picks:
        if pick.link or pick.column not in known:
            reason = "links are split out" if pick.link else "it says the same in every row"
            found.append(Exported(pick.wanted_name, Chosen(note=f"there is no selector for it: {reason}")))
        else:
            found.append(replace(known[pick.column], name=pick.wanted_name))
    return tuple(found)


def texts_of_records(table: Found | None) -> list[str]:
    """What the first elements of records say."""
    return [squeezed(table.page.text(record[0])) for record in table.records] if table else []


def _text(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) else None
