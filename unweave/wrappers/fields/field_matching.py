"""Find the fields of a page: exactly on pages like the learned ones, by several signs on others.

1. The exact template paths locate labels, values and the rows of tables.
2. If the page has something else in place of a path that is read, its elements are matched with
   the template paths (``path_matching``), and values have to look like those of their field.
3. If a field with a label, or a table, is missing that every page should have, the numbers of
   table cells are corrected where a column was added or removed, and reworded labels are looked
   for (``label_matching``).
4. Fields that are still missing are looked for by what else is known of them
   (``missing_fields``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from unweave.lists.split_prices import SplitPrices
from unweave.page.html_tables import number_cells
from unweave.page.page import Page
from unweave.page.template_paths import HIDDEN_PATH
from unweave.text_cleaning import normalize_label
from unweave.values.parsing import detect_type
from unweave.values.types import Type
from unweave.wrappers.base import EXPECTED_SHARE, is_value, make_field_name
from unweave.wrappers.fields.label_matching import find_reworded_labels
from unweave.wrappers.fields.locators import (
    LocatedBy,
    LocatedText,
    Locator,
    PositionedText,
    locate_texts,
)
from unweave.wrappers.fields.missing_fields import MissingFieldFinder, starts_with_label
from unweave.wrappers.fields.path_matching import PathMatcher, measure_known_share
from unweave.wrappers.fields.row_tables import Row, RowFinder, RowTable, hide_rows

if TYPE_CHECKING:
    from unweave.wrappers.fields.apply import Field, FieldWrapper

_MAX_KNOWN_COLUMNS = 100  # of one label, in files; learned labels are in one or two
_MIN_KNOWN_TEXTS = 0.8  # at known paths, as a share of those of a learned page, if it is unchanged

Value = tuple[str, range]
"""A text, and the numbers of its text nodes."""


@dataclass
class FieldMatch:
    """What a wrapper finds on a page."""

    values: dict[str, list[Value]]
    """The values of each field, in the order of the wrapper."""
    paths: list[int]
    """The template path of every node; those inside of rows are hidden."""
    rows: list[tuple[RowTable, Row]] = field(default_factory=list)
    labels: set[int] = field(default_factory=set)
    """The text nodes of the labels of values."""
    moved: set[str] = field(default_factory=set)
    """The fields that are not at a template path of the learned pages."""
    unusual: set[str] = field(default_factory=set)
    """The fields whose value does not look like those of the learned pages."""

    @property
    def text_nodes(self) -> set[int]:
        """The text nodes of all values and rows."""
        nodes = {node for values in self.values.values() for _, nodes in values for node in nodes}
        return nodes.union(*[row.cells.values() for _, row in self.rows])


@dataclass(frozen=True)
class _PageView:
    """A page, and where its nodes are in the template."""

    page: Page
    paths: list[int]
    """The template path of every node."""
    columns: list[int]
    """The number of the table cell around every node in its row; 0 outside of cells."""
    is_changed: bool
    """Whether the page lacks a template path that all learned pages have."""


class FieldFinder:
    """Finds the fields of a wrapper on pages."""

    def __init__(self, wrapper: FieldWrapper) -> None:
        self._wrapper, self._anchors = wrapper, wrapper.anchors
        self._rows = RowFinder(wrapper.tables, wrapper.anchors)
        self._by_name = {field.name: field for field in wrapper.fields}
        columns = [column.name for table in wrapper.tables for column in table.columns]
        self._names = frozenset([*self._by_name, *columns])
        self._by_locator: dict[Locator, list[Field]] = {}
        for each in wrapper.fields:
            for locator in dict.fromkeys(each.locators):
                self._by_locator.setdefault(locator, []).append(each)
        self._wanted_paths = {
            *[locator.path for locator in self._by_locator],
            *[path for path, _ in wrapper.label_value_rows],
        }
        self._has_joined = any(locator.by is LocatedBy.JOINED for locator in self._by_locator)
        self._labels_of_fields = {locator.label for locator in self._by_locator if locator.label}
        self._numeric_names = {
            field.name
            for field in wrapper.fields
            if len(field.examples) > 1
            and all(detect_type(example) != Type.STRING for example in field.examples)
        }
        self._prefixed_names = {
            field.name
            for field in wrapper.fields
            if field.text_label
            and all(starts_with_label(example, field.text_label) for example in field.examples)
        }
        self._missing_fields = MissingFieldFinder(wrapper)
        self._expected_tables = [
            table.name for table in wrapper.tables if table.share >= EXPECTED_SHARE
        ]
        # Fields that are expected on every page and located by a label.
        self._labelled_names = [
            field.name
            for field in wrapper.fields
            if field.share >= EXPECTED_SHARE and field.locators[0].by is LocatedBy.LABEL
        ]

    def find_fields(self, page: Page) -> FieldMatch:
        """Find the fields of a page."""
        exact = paths = self._anchors.paths.number_nodes(page)
        matcher = self._path_matcher
        is_changed = matcher is not None and (
            matcher.has_changed(page, paths) or self._lacks_texts(page, paths)
        )
        if matcher is not None and is_changed:
            paths = matcher.match_nodes(page)
        view = _PageView(page, paths, number_cells(page), is_changed)
        match = self._find(view, {})
        if matcher is not None and (
            self._lacks_expected(match) or self._rows.has_unknown_columns(match.rows)
        ):
            columns = self._correct_columns(view)
            if columns != view.columns:
                # A cell that was added in front of the others has no number any more.
                numbers = zip(paths, view.columns, columns, strict=True)
                visible = [HIDDEN_PATH if old and not new else path for path, old, new in numbers]
                view = replace(view, paths=visible, columns=columns)
                match = self._find(view, {})
            reworded = find_reworded_labels(
                page,
                match.paths,
                self._wrapper.labels,
                self._examples_by_label,
                self._labels_of_fields,
                view.columns,
            )
            if reworded:
                match = self._find(view, reworded)
        match.unusual = {
            name
            for name, values in match.values.items()
            if (field_ := self._by_name.get(name)) is not None
            and (self._looks_wrong(field_, values[0][0]) or not field_.look.is_usual(values[0][0]))
        }
        if is_changed:
            for name, values in match.values.items():
                node = page.text_parents[values[0][1][0]]
                if exact[node] != paths[node]:
                    match.moved.add(name)
        is_changed = is_changed or (matcher is not None and matcher.lacks_path(exact))
        self._missing_fields.find(page, match, self._looks_wrong, is_changed=is_changed)
        return match

    def locate_texts(self, page: Page) -> list[LocatedText]:
        """Return the texts of a page of the learned template with their locators."""
        view = _PageView(page, self._anchors.paths.number_nodes(page), number_cells(page), False)
        paths = self._find(view, {}).paths
        return locate_texts(page, self._anchors, paths, SplitPrices.find(page))

    def _lacks_texts(self, page: Page, paths: Sequence[int]) -> bool:
        """Tell whether far fewer texts than usual are at known template paths."""
        statistics = self._wrapper.statistics
        usual = statistics.known_share if statistics else 0.0
        return measure_known_share(page, paths) < _MIN_KNOWN_TEXTS * usual

    def _lacks_expected(self, match: FieldMatch) -> bool:
        """Tell whether a field with a label, or a table, is missing that every page should have."""
        tables = {table.name for table, _ in match.rows}
        return any(name not in match.values for name in self._labelled_names) or any(
            name not in tables for name in self._expected_tables
        )

    def _find(self, view: _PageView, reworded: Mapping[int, str]) -> FieldMatch:
        """Find rows and values, given the template paths of the nodes."""
        page, paths = view.page, view.paths
        rows: list[tuple[RowTable, Row]] = []
        if self._wrapper.tables:
            rows = self._rows.find_rows(
                page, paths, is_strict=view.is_changed, columns=view.columns
            )
            if rows:
                paths = hide_rows(page, paths, rows)
        values, labels = self._find_values(view, paths, reworded)
        return FieldMatch(values, paths, rows, labels)

    def _find_values(
        self, view: _PageView, paths: list[int], reworded: Mapping[int, str]
    ) -> tuple[dict[str, list[Value]], set[int]]:
        """Return the values of each field and their labels, given the paths of the nodes."""
        page = view.page
        labels: set[int] = set()
        prices = SplitPrices.find(page)
        values: dict[str, list[Value]] = defaultdict(list)
        new_values: dict[str, list[Value]] = defaultdict(list)
        label_value_rows = self._wrapper.label_value_rows
        for located in locate_texts(
            page,
            self._anchors,
            paths,
            prices,
            joined=self._has_joined,
            reworded=reworded,
            columns=view.columns,
            wanted=self._wanted_paths,
        ):
            locator = located.locator
            fields = self._by_locator.get(locator)
            is_new = (
                fields is None
                and locator.by is LocatedBy.LABEL
                and (locator.path, locator.label_path) in label_value_rows
            )
            if fields is None and not is_new:
                continue
            text = located.read(prices)
            if not is_value(text):
                continue
            if located.label >= 0:
                labels.add(located.label)
            if is_new:
                name = make_field_name(page.texts[located.label])
                new_values[name].append((text, located.text_nodes))
            for field_ in fields or ():
                is_number = field_.number is None or field_.number == located.number
                if is_number and not (view.is_changed and self._looks_wrong(field_, text)):
                    values[field_.name].append((text, located.text_nodes))
        matched: dict[str, list[Value]] = {}
        for field_ in self._wrapper.fields:
            if field_.name in values:
                texts = values[field_.name]
                matched[field_.name] = texts if field_.number is None else texts[:1]
        matched |= {name: new for name, new in new_values.items() if name not in self._names}
        return matched, labels

    # ---- changed pages ---------------------------------------------------------------------------

    @cached_property
    def _path_matcher(self) -> PathMatcher | None:
        """What matches elements of changed pages; None for wrappers of older files."""
        if self._wrapper.statistics is None:
            return None
        texts: defaultdict[int, list[str]] = defaultdict(list)
        for path, _, text in sorted(self._anchors.labels):
            texts[path].append(text)
        needed = {
            path
            for field_ in self._wrapper.columns
            for locator in field_.locators
            for path in (locator.path, locator.label_path)
        }
        needed.update(path for table in self._wrapper.tables for path in table.paths)
        return PathMatcher(self._anchors.paths, self._wrapper.statistics, texts, needed)

    @cached_property
    def _examples_by_label(self) -> dict[PositionedText, list[str]]:
        """Values after each label."""
        by_label: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for field_ in self._wrapper.fields:
            for locator in field_.locators:
                if locator.label:
                    by_label[locator.label, locator.label_path] += field_.examples
        return {
            label.text: by_label.get((normalize_label(label.text[2]), label.text[0]), [])
            for label in self._wrapper.labels
        }

    def _correct_columns(self, view: _PageView) -> list[int]:
        """Return the numbers of table cells as they were before a column was added or removed.

        In each table, labels and the cells of rows tell by how many cells it moved.
        """
        page, paths, columns = view.page, view.paths, view.columns
        tree, tags = page.tree, page.tree.labels
        known: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
        for path, column, text in sorted(self._anchors.labels):
            if column and len(known[path, text]) < _MAX_KNOWN_COLUMNS:
                known[path, text].add(column)
        table_of: list[int] = []
        for node, parent in enumerate(tree.parents):
            table_of.append(node if tags[node] == "table" else table_of[parent] if node else -1)
        shifts: defaultdict[int, Counter[int]] = defaultdict(Counter)
        for text, node in zip(page.texts, page.text_parents, strict=True):
            if learned := known.get((paths[node], text)):
                shift = min((columns[node] - column for column in learned), key=abs)
                shifts[table_of[node]][shift] += 1
        rows: defaultdict[int, list[int]] = defaultdict(list)
        for row in self._rows.list_rows(paths):
            tables = [table_of[row]]
            if tables == [-1]:  # the row has tables inside
                tables = [node for node in range(row, tree.ends[row]) if tags[node] == "table"]
            for table in tables:
                rows[table].append(row)
        shift_of: dict[int, int] = {}
        for table in {*shifts, *rows} - {-1}:
            if shifts[table]:
                shift_of[table] = shifts[table].most_common(1)[0][0]
            else:
                shift_of[table] = self._rows.find_shift(page, paths, columns, rows[table])
        return [
            max(0, column - shift) if (shift := shift_of.get(table, 0)) else column
            for column, table in zip(columns, table_of, strict=True)
        ]

    def _looks_wrong(self, field_: Field, text: str) -> bool:
        """Tell whether a text lacks what all values of a field have: a digit, a word, a label."""
        return (
            not field_.look.fits(text)
            or (field_.name in self._numeric_names and _has_no_digit(text))
            or (
                field_.name in self._prefixed_names
                and not starts_with_label(text, field_.text_label)
            )
        )


def _has_no_digit(text: str) -> bool:
    return not any(map(str.isdigit, text))
