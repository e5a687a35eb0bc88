"""Wrappers as selectors: one for each field, and for the rows and columns of tables and lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unweave.page.page import Page
from unweave.selectors.choice import (
    MAX_WORK_PER_PAGE,
    Budget,
    ChosenSelector,
    SelectorChooser,
    compare_first,
    compare_texts,
)
from unweave.selectors.evaluation import (
    SamplePage,
    Value,
    normalize_value,
    read_texts,
    remove_spaces,
    resolve_link,
)
from unweave.selectors.expressions import Form, Selector
from unweave.selectors.field_candidates import (
    list_field_candidates,
    list_untested_field_candidates,
    select_link,
)
from unweave.selectors.row_candidates import (
    ListCandidates,
    list_cell_candidates,
    list_row_candidates,
)
from unweave.selectors.template_tree import Template
from unweave.table import Column, Table
from unweave.wrappers.base import Fields
from unweave.wrappers.fields.apply import Field, FieldWrapper
from unweave.wrappers.fields.row_tables import RowColumn, RowTable
from unweave.wrappers.fields.selection import SelectedField
from unweave.wrappers.lists.apply import ListWrapper

Progress = Callable[[int, int], None]
"""Called with the number of fields and columns that have their selector, and of all of them."""


def no_progress(done: int, total: int) -> None:
    """Do nothing; the default progress callback."""


# ---- results -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExportedColumn:
    """A field or a column with its selector."""

    name: str
    chosen: ChosenSelector
    many: bool | None = None
    """Whether a field has several texts; None for a column, which has one for each row."""
    is_url: bool = False
    """Whether it is the address of a link or of an image."""

    @property
    def is_joined(self) -> bool:
        """Whether all results of the selector are one text."""
        return self.chosen.selector is not None and self.chosen.selector.is_joined

    def to_json(self) -> dict[str, Any]:
        """Return the field as plain data."""
        data: dict[str, Any] = {"name": self.name, "selector": self.chosen.text}
        if self.many is not None:
            data["many"] = self.many
        if self.is_joined:
            data["joined"] = True
        return data | _describe_test(self.chosen)


@dataclass(frozen=True)
class ExportedTable:
    """The rows of a table or a list, and their columns."""

    chosen: ChosenSelector
    columns: tuple[ExportedColumn, ...]
    name: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the table as plain data."""
        data: dict[str, Any] = {"name": self.name} if self.name else {}
        data |= {"rows": self.chosen.text, **_describe_test(self.chosen)}
        return data | {"columns": [column.to_json() for column in self.columns]}


@dataclass(frozen=True)
class Export:
    """The selectors of a wrapper: fields and tables of detail pages, or the rows of a list."""

    form: Form
    fields: tuple[ExportedColumn, ...] = ()
    tables: tuple[ExportedTable, ...] = ()
    rows: ExportedTable | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the selectors as plain data."""
        if self.rows:
            return self.rows.to_json()
        data: dict[str, Any] = {"fields": [field.to_json() for field in self.fields]}
        if self.tables:
            data["tables"] = [table.to_json() for table in self.tables]
        return data


def _describe_test(chosen: ChosenSelector) -> dict[str, str]:
    holds = {} if chosen.holds is None else {"holds": f"{chosen.holds} of {chosen.of}"}
    return {**holds, "note": chosen.note} if chosen.note else holds


# ---- wrappers for fields -------------------------------------------------------------------------


def export_fields(
    wrapper: FieldWrapper,
    form: str,
    samples: Sequence[SamplePage] = (),
    *,
    max_work_per_page: int = MAX_WORK_PER_PAGE,
    progress: Progress = no_progress,
) -> Export:
    """Return the selectors of a wrapper for fields, tested on sample pages.

    They are those of the selected fields; without a selection, of all but the others.
    """
    form, samples = Form(form), _sort_by_size(samples)
    selection = _list_selection(wrapper)
    tables = _select_tables(wrapper, selection)
    in_tables = {column.name for table in wrapper.tables for column in table.columns}
    selection = [each for each in selection if each.field not in in_tables]
    total = len(selection) + sum([1 + len(columns) for _, columns in tables])
    chooser = SelectorChooser(form, samples, Budget(total, max_work_per_page * len(samples)))
    template = Template.build(wrapper.anchors)
    extracted: list[Fields] = []
    for sample in samples:
        extraction = wrapper.drop_selection().apply(sample.page)
        extracted.append({**extraction.others, **(extraction.fields or {})})
    found = [wrapper.apply(sample.page).fields or {} for sample in samples]

    done = 0
    fields_by_name = {field.name: field for field in wrapper.fields}
    exported: list[ExportedColumn] = []
    for each in selection:
        field = fields_by_name.get(each.field)
        if field is None:
            chosen = ChosenSelector(note="the pages have no such field")
            exported.append(ExportedColumn(each.name, chosen, each.is_list))
        else:
            many = field.number is None or each.is_list
            values = (
                [fields.get(each.name) for fields in found]
                if each.link
                else [fields.get(field.name) for fields in extracted]
            )
            chosen = _choose_field(chooser, field, template, values, many=many, link=each.link)
            exported.append(ExportedColumn(each.name, chosen, many, is_url=each.link))
        done += 1
        progress(done, total)
    exported_tables: list[ExportedTable] = []
    texts_of_samples = [list_row_texts(wrapper, each.page) for each in samples if tables]
    for table, columns in tables:
        candidates = list(list_row_candidates(table, template))
        texts = [row_texts[table.name] for row_texts in texts_of_samples]
        rows = chooser.choose_rows(candidates, candidates, texts)
        done += 1
        exported_columns: list[ExportedColumn] = []
        for name, column in columns:
            cells = list_cell_candidates(column, table, template)
            values = [fields.get(column.name) for fields in extracted]
            chosen = chooser.choose_column(cells, list(map(normalize_value, values)), rows)
            exported_columns.append(ExportedColumn(name, chosen))
            done += 1
            progress(done, total)
        exported_tables.append(ExportedTable(rows.chosen, tuple(exported_columns), table.name))
    return Export(form, tuple(exported), tuple(exported_tables))


def _list_selection(wrapper: FieldWrapper) -> Sequence[SelectedField]:
    """Return the selected fields and columns; without a selection, all but the others."""
    if wrapper.selected:
        return wrapper.selected
    columns = [column.name for table in wrapper.tables for column in table.columns]
    names = [*[field.name for field in wrapper.columns], *columns]
    return [SelectedField(name, Column(name)) for name in names]


def _select_tables(
    wrapper: FieldWrapper, selection: Sequence[SelectedField]
) -> list[tuple[RowTable, list[tuple[str, RowColumn]]]]:
    """Return the tables inside the pages that have selected columns, and these with their names."""
    tables: list[tuple[RowTable, list[tuple[str, RowColumn]]]] = []
    for table in wrapper.tables:
        by_name = {column.name: column for column in table.columns}
        columns = [(each.name, by_name[each.field]) for each in selection if each.field in by_name]
        if columns:
            tables.append((table, columns))
    return tables


def _choose_field(
    chooser: SelectorChooser,
    field: Field,
    template: Template,
    values: Sequence[str | Sequence[str | None] | None],
    *,
    many: bool,
    link: bool,
) -> ChosenSelector:
    """Choose the selector of a field, or of the links around its texts, by its values on pages."""
    candidates = list_field_candidates(field, template)
    untested = list_untested_field_candidates(field, template)
    if link:
        candidates, untested = map(select_link, candidates), map(select_link, untested)

    def read(sample: SamplePage, text: str, selector: Selector) -> Value:
        texts = read_texts(sample.select(chooser.form, text), selector)
        if link:
            texts = [url for text in texts if (url := resolve_link(sample.page, text))]
        return texts or None

    compare = compare_texts if many else compare_first
    return chooser.choose(candidates, untested, list(map(normalize_value, values)), read, compare)


def list_row_texts(wrapper: FieldWrapper, page: Page) -> dict[str, list[str]]:
    """Return the texts of the rows of each table in a page by its name, without spaces."""
    texts: dict[str, list[str]] = {table.name: [] for table in wrapper.tables}
    for table, row in wrapper.match(page).rows:
        texts[table.name].append(remove_spaces(page.text(row.node)))
    return texts


# ---- wrappers for lists --------------------------------------------------------------------------


def export_list(
    wrapper: ListWrapper,
    form: str,
    samples: Sequence[SamplePage] = (),
    *,
    max_work_per_page: int = MAX_WORK_PER_PAGE,
    progress: Progress = no_progress,
) -> Export:
    """Return the selectors of a wrapper for lists, tested on sample pages."""
    form, samples = Form(form), _sort_by_size(samples)
    picks, total = wrapper.selected_columns, len(wrapper.columns)
    wrapper = replace(wrapper, selected_columns=())
    chooser = SelectorChooser(form, samples, Budget(1 + total, max_work_per_page * len(samples)))
    candidates = ListCandidates(wrapper)
    tables = [wrapper.apply(sample.page).table for sample in samples]
    rows = chooser.choose_rows(
        candidates.list_record_candidates(),
        candidates.list_untested_record_candidates(),
        [list_record_texts(table) for table in tables],
    )
    columns: list[ExportedColumn] = []
    for number, column in enumerate(wrapper.columns):
        if not column.is_constant:
            is_url = candidates.is_url(number)
            chosen = chooser.choose_column(
                candidates.list_column_candidates(number),
                [_read_column(table, number) for table in tables],
                rows,
                has_content=bool,
                is_url=is_url,
            )
            columns.append(ExportedColumn(column.name, chosen, is_url=is_url))
        progress(number + 1, total)
    if not picks:
        return Export(form, rows=ExportedTable(rows.chosen, tuple(columns)))
    by_name = {column.name: column for column in columns}
    picked: list[ExportedColumn] = []
    for pick in picks:
        if not pick.link and pick.column in by_name:
            picked.append(replace(by_name[pick.column], name=pick.new_name))
        else:
            reason = "links are split out" if pick.link else "it says the same in every row"
            note = f"there is no selector for it: {reason}"
            picked.append(ExportedColumn(pick.new_name, ChosenSelector(note=note)))
    return Export(form, rows=ExportedTable(rows.chosen, tuple(picked)))


def list_record_texts(table: Table | None) -> list[str]:
    """Return the texts of the first elements of records, without spaces."""
    if table is None:
        return []
    return [remove_spaces(table.page.text(record[0])) for record in table.records]


def _read_column(table: Table | None, number: int) -> Value:
    if table is None:
        return None
    cells = [row[number] for row in table.rows]
    return normalize_value([cell if isinstance(cell, str) else None for cell in cells])


def _sort_by_size(samples: Sequence[SamplePage]) -> list[SamplePage]:
    """Return the smallest pages first: a wrong selector fails on them sooner."""
    return sorted(samples, key=lambda sample: len(sample.page.tree))
