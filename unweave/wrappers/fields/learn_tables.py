"""Learn the tables inside detail pages, such as reviews or a cast: their rows and columns."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from unweave.page.html_tables import find_column_headers
from unweave.page.page import INLINE_TAGS, Page
from unweave.page.template_paths import UNKNOWN_PATH, TemplatePaths
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.locators import Anchors, find_labels_of_page, may_be_label
from unweave.wrappers.fields.naming import (
    FieldNames,
    choose_examples,
    find_identifier,
    find_most_common,
)
from unweave.wrappers.fields.row_tables import (
    CellPath,
    Row,
    RowColumn,
    RowReader,
    RowTable,
    find_text_nodes,
)

_MAX_TEXTS_PER_ROW = 200  # a node with more texts is not a row
_MAX_TEXTS_PER_PAGE = 500_000  # rows within rows are read up to this many texts
_MAX_COMPARED_TABLES = 20  # with the rows of another template path
_MAX_TABLES_PER_PATH = 10
# A template path is one of the rows of an earlier table if this share of its nodes are such rows.
_MIN_ROWS_OF_PATH = 0.5


@dataclass(frozen=True)
class TableRules:
    """Which repeated nodes are rows of a table, and which of their texts are columns."""

    min_page_share: float = 0.3
    """A table is on this share of the pages, not with the same number of rows on all, and …"""
    min_rows: int = 3
    """… has this many rows on one of them."""
    min_column_share: float = 0.5
    """A column is in this share of the rows."""
    min_texts_in_columns: float = 0.8
    """This share of the texts of rows is in columns."""
    min_columns: int = 2
    """This many columns differ from row to row, and …"""
    min_new_texts: float = 0.3
    """… one of them has this share of different texts."""
    max_same_text: float = 0.9
    """A column differs if no text is in more than this share of the rows."""
    min_labelled_rows: float = 0.3
    """Rows are label-value rows, and no table, if this share has a label, and …"""
    min_distinct_labels: float = 0.8
    """… this share of the labels differ."""
    same_count_share: float = 0.8
    """The texts at a cell path are a column each if this share of the rows has as many of them."""
    min_common_columns: float = 0.8
    """Rows of two template paths are one table if they share this much of their columns."""
    min_common_cells: float = 0.5
    """Rows of one template path are different tables if they share less of their cells."""
    same_heading_share: float = 0.5
    """The text before the first row names the table if this share of the pages has the same."""


_RULES = TableRules()

# The beginning of a table's name that the names of its columns start with.
_NAME_PREFIX = re.compile(r".{1,24}(?=_|$)")

_NO_ROW_TAGS = INLINE_TAGS | frozenset("p h1 h2 h3 h4 h5 h6 pre option blockquote".split())

_RowGroups = list[tuple[Page, list[Row]]]
"""Rows that are siblings, each time with their page."""


def find_tables(
    pages: Sequence[Page],
    paths_of_pages: Sequence[Sequence[int]],
    anchors: Anchors,
    known_texts: Sequence[Container[int]] = (),
) -> list[RowTable]:
    """Return the tables of pages. Their names are texts of the pages; see ``name_tables``.

    Args:
        pages: The pages of one template.
        paths_of_pages: The template path of every node of each page.
        anchors: The labels of the template.
        known_texts: The text nodes of each page that no table may have.
    """
    by_path: defaultdict[int, _RowGroups] = defaultdict(list)
    labels: dict[int, set[int]] = {}
    for number, (page, paths) in enumerate(zip(pages, paths_of_pages, strict=True)):
        reader = RowReader(page, paths, anchors.paths)
        labels[id(page)] = set(find_labels_of_page(page, paths, anchors))
        remaining = _MAX_TEXTS_PER_PAGE
        known = known_texts[number] if known_texts else ()
        for path, siblings in _find_repeated_siblings(page, paths):
            if any(node in known for row in siblings for node in page.text_nodes(row)):
                continue
            remaining -= sum(map(page.count_texts, siblings))
            if remaining < 0:
                break  # rows within rows within rows
            by_path[path].append((page, [reader.read(node) for node in siblings]))
    min_pages = _RULES.min_page_share * len(pages)
    candidates: list[tuple[int, _RowGroups]] = []
    for path, all_groups in sorted(by_path.items()):
        if len({id(page) for page, _ in all_groups}) >= min_pages:
            split = _split_by_content(all_groups)
            candidates += [(path, groups) for groups in split if _is_table(groups, labels)]
    tables: list[RowTable] = []
    for parts in _merge_similar(candidates, anchors.paths):
        if _has_varying_row_count(parts, len(pages)):
            table = _build_table(parts, len(pages))
            if len(table.columns) >= _RULES.min_columns:
                tables.append(table)
    return tables


def _find_repeated_siblings(page: Page, paths: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield siblings with several texts that have one template path, with that path."""
    header_rows = {page.tree.parents[cell] for cell in find_column_headers(page)}
    siblings: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for node, (tag, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
        is_sized = _RULES.min_columns <= page.count_texts(node) <= _MAX_TEXTS_PER_ROW
        if is_sized and parent >= 0 and tag not in _NO_ROW_TAGS and node not in header_rows:
            siblings[parent, paths[node]].append(node)
    for (_, path), nodes in siblings.items():
        if len(nodes) > 1:
            yield path, nodes


def _split_by_content(groups: _RowGroups) -> Iterator[_RowGroups]:
    """Yield the rows of one template path by their cells: a cast and a crew may have one path."""
    contents = Counter(row.cell_paths for _, rows in groups for row in rows)
    leaders: list[frozenset[CellPath]] = []
    leader_of: dict[frozenset[CellPath], int] = {}
    for cells, _ in contents.most_common():
        similarity = [len(cells & leader) / max(1, len(cells | leader)) for leader in leaders]
        best = max(range(len(leaders)), key=similarity.__getitem__, default=None)
        if best is None or (
            similarity[best] < _RULES.min_common_cells and len(leaders) < _MAX_TABLES_PER_PATH
        ):
            best = len(leaders)
            leaders.append(cells)
        leader_of[cells] = best
    for leader in range(len(leaders)):
        split: _RowGroups = []
        for page, rows in groups:
            if chosen := [row for row in rows if leader_of[row.cell_paths] == leader]:
                split.append((page, chosen))
        yield split


def _has_varying_row_count(parts: Sequence[tuple[int, _RowGroups]], pages: int) -> bool:
    """Tell whether the number of rows differs from page to page; parts of a template do not."""
    counts: Counter[int] = Counter()
    for _, groups in parts:
        for page, rows in groups:
            counts[id(page)] += len(rows)
    if len(counts) < _RULES.min_page_share * pages or max(counts.values()) < _RULES.min_rows:
        return False
    return len(set(counts.values())) > 1 or len(counts) < pages


def _is_table(groups: _RowGroups, labels: Mapping[int, set[int]]) -> bool:
    """Tell whether rows have the same columns with different texts, and no labels."""
    in_columns = total = 0
    texts: defaultdict[tuple[CellPath, int], Counter[str]] = defaultdict(Counter)
    for page, rows in groups:
        row_counts: Counter[tuple[CellPath, int]] = Counter()
        for row in rows:
            row_counts.update(row.cells.keys())
            for cell, text_node in row.cells.items():
                texts[cell][page.texts[text_node]] += 1
        min_count = _RULES.min_column_share * len(rows)
        in_columns += sum([count for count in row_counts.values() if count >= min_count])
        total += row_counts.total()
    if in_columns < _RULES.min_texts_in_columns * total:
        return False
    if sum(map(_is_differing, texts.values())) < _RULES.min_columns:
        return False
    if not any(len(cell) > max(1, _RULES.min_new_texts * cell.total()) for cell in texts.values()):
        return False
    return not _have_labels(groups, labels)


def _is_differing(texts: Counter[str]) -> bool:
    return texts.most_common(1)[0][1] <= _RULES.max_same_text * texts.total()


def _have_labels(groups: _RowGroups, labels: Mapping[int, set[int]]) -> bool:
    """Tell whether many rows have a label that the other rows have not."""
    labelled_rows = distinct_groups = total = 0
    for page, rows in groups:
        texts: list[str] = []
        for row in rows:
            labels_of_row = labels[id(page)].intersection(row.cells.values())
            labelled_rows += bool(labels_of_row)
            texts += [page.texts[text_node] for text_node in labels_of_row]
        distinct_groups += len(set(texts)) >= _RULES.min_distinct_labels * len(texts)
        total += len(rows)
    return (
        labelled_rows >= _RULES.min_labelled_rows * total
        and distinct_groups >= _RULES.min_distinct_labels * len(groups)
    )


def _merge_similar(
    candidates: Sequence[tuple[int, _RowGroups]], paths: TemplatePaths
) -> list[list[tuple[int, _RowGroups]]]:
    """Group rows of near template paths with the same columns, such as both halves of a list."""
    tables: list[list[tuple[int, _RowGroups]]] = []
    cells_of: list[set[CellPath]] = []
    tables_below: defaultdict[int, list[int]] = defaultdict(list)
    for path, groups in candidates:
        cells = {cell for _, rows in groups for row in rows for cell in row.cell_paths}
        parent = paths.parents[path][0]
        ancestors = [above for above in (parent, paths.parents[parent][0]) if above != UNKNOWN_PATH]
        neighbours: list[int] = []
        for above in ancestors:
            neighbours += tables_below[above][-_MAX_COMPARED_TABLES:]
        for number in neighbours:
            common, all_cells = cells & cells_of[number], cells | cells_of[number]
            if len(common) >= _RULES.min_common_columns * len(all_cells):
                tables[number].append((path, groups))
                break
        else:
            for above in ancestors:
                tables_below[above].append(len(tables))
            tables.append([(path, groups)])
            cells_of.append(cells)
    return tables


# ---- tables of an earlier wrapper ----------------------------------------------------------------


def relearn_tables(
    pages: Sequence[Page],
    paths_of_pages: Sequence[Sequence[int]],
    paths: TemplatePaths,
    rows_of_pages: Sequence[Sequence[tuple[RowTable, Row]]],
) -> list[RowTable]:
    """Return the tables of an earlier wrapper as they are in the template of these pages.

    Args:
        pages: The pages of one template.
        paths_of_pages: The template path of every node of each page.
        paths: The template paths.
        rows_of_pages: The rows of each page that the earlier wrapper finds, with their tables.
    """
    found_by_name: defaultdict[str, list[tuple[int, RowTable, Row]]] = defaultdict(list)
    node_counts: Counter[int] = Counter()
    for number, (paths_of_page, rows) in enumerate(
        zip(paths_of_pages, rows_of_pages, strict=False)
    ):
        node_counts.update(paths_of_page)
        for table, row in rows:
            found_by_name[table.name].append((number, table, row))
    readers = {
        number: RowReader(pages[number], paths_of_pages[number], paths)
        for number, rows in enumerate(rows_of_pages)
        if rows
    }
    tables: list[RowTable] = []
    for found in found_by_name.values():
        table = found[0][1]
        row_counts = Counter([paths_of_pages[number][row.node] for number, _, row in found])
        row_paths = [
            path
            for path, count in row_counts.items()
            if count >= _MIN_ROWS_OF_PATH * node_counts[path]
        ]
        pairs = [(row, readers[number].read(row.node)) for number, _, row in found]
        columns = _relearn_columns(table.columns, pairs)
        if row_paths and columns:
            share = len({number for number, _, _ in found}) / len(pages)
            tables.append(RowTable(table.name, tuple(row_paths), share, columns))
    return tables


def _relearn_columns(
    columns: Sequence[RowColumn], rows: Sequence[tuple[Row, Row]]
) -> tuple[RowColumn, ...]:
    """Return columns with their cell paths in a new template, given each row in both templates."""
    relearned: dict[tuple[CellPath, int | None], RowColumn] = {}
    for column in columns:
        cells: Counter[tuple[CellPath, int]] = Counter()
        for old_row, new_row in rows:
            texts = set(find_text_nodes(old_row.cells, column))
            cells.update([cell for cell, text in new_row.cells.items() if text in texts])
        for (path, position), _ in cells.most_common(1):
            number = None if column.number is None else position
            relearned.setdefault((path, number), column._replace(cell=path, number=number))
    return tuple(relearned.values())


# ---- columns -------------------------------------------------------------------------------------


def _build_table(parts: Sequence[tuple[int, _RowGroups]], pages: int) -> RowTable:
    rows = [(page, row) for _, groups in parts for page, siblings in groups for row in siblings]
    headings: dict[int, str] = {}
    for page, row in rows:
        if id(page) not in headings:
            before = page.text_starts[row.node] - 1
            is_heading = before >= 0 and may_be_label(page.texts[before])
            headings[id(page)] = page.texts[before] if is_heading else ""
    return RowTable(
        name=find_most_common(Counter(headings.values()), _RULES.same_heading_share),
        paths=tuple(dict.fromkeys([path for path, _ in parts])),
        share=len(headings) / pages,
        columns=_build_columns(rows),
    )


def _build_columns(rows: Sequence[tuple[Page, Row]]) -> tuple[RowColumn, ...]:
    """Return the columns with different texts. A constant text names the column after it."""
    columns: list[RowColumn] = []
    label = ""
    for (cell, number), texts in _collect_texts(rows).items():
        if not _is_differing(texts) and texts.total() > 1:
            label = find_most_common(texts, 0)
            continue
        name = label if may_be_label(label) else ""
        columns.append(RowColumn(name, cell, number, choose_examples(texts)))
        label = ""
    return tuple(columns)


def _collect_texts(
    rows: Sequence[tuple[Page, Row]],
) -> dict[tuple[CellPath, int | None], Counter[str]]:
    """Return the texts of columns by cell path and number, in the order of their first rows."""
    counts: defaultdict[CellPath, Counter[int]] = defaultdict(Counter)
    for _, row in rows:
        for cell, count in Counter([cell for cell, _ in row.cells]).items():
            counts[cell][count] += 1
    numbers = {cell: _choose_numbers(count, len(rows)) for cell, count in counts.items()}
    texts: defaultdict[tuple[CellPath, int | None], Counter[str]] = defaultdict(Counter)
    for page, row in rows:
        for (cell, position), text_node in row.cells.items():
            number = None if None in numbers[cell] else position
            if number in numbers[cell]:
                texts[cell, number][page.texts[text_node]] += 1
    return texts


def _choose_numbers(counts: Counter[int], rows: int) -> list[int | None]:
    """Return which texts of a cell path are columns: each by its number, or None for all as one.

    A rare cell path has no columns.

    Args:
        counts: How many rows have how many texts at the cell path.
        rows: How many rows there are.
    """
    if counts.total() < _RULES.min_column_share * rows:
        return []
    count, times = counts.most_common(1)[0]
    if times >= _RULES.same_count_share * counts.total():
        return [*range(count)]
    return [None]


def name_tables(tables: Sequence[RowTable], names: FieldNames) -> tuple[RowTable, ...]:
    """Return the tables with unique names, by their heading or the class or id of their rows."""
    named: list[RowTable] = []
    for table in tables:
        name = names.add(make_field_name(table.name or names.name_path(table.paths[0])))
        prefix = _NAME_PREFIX.match(name)
        columns: list[RowColumn] = []
        for column in table.columns:
            steps = column.cell.path.split("/")
            identifiers = filter(None, map(find_identifier, reversed(steps)))
            text = column.name or next(identifiers, steps[-1] or "text")
            column_name = f"{prefix[0] if prefix else name}_{make_field_name(text)}"
            columns.append(column._replace(name=names.add(column_name)))
        named.append(table._replace(name=name, columns=tuple(columns)))
    return tuple(named)
