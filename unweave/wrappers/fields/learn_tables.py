"""Learn the tables inside detail pages, such as reviews or a cast: their rows and columns."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from unweave.page.html_tables import CELL_TAGS, find_column_headers
from unweave.page.page import INLINE_TAGS, Page
from unweave.page.template_paths import HIDDEN_PATH, UNKNOWN_PATH, TemplatePaths
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.locators import Anchors, find_labels_of_page, may_be_label
from unweave.wrappers.fields.naming import (
    FieldNames,
    choose_examples,
    find_most_common,
    join_names,
    name_row_column,
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
_MIN_REGULAR_WIDTH = 3  # cells of a row of data; rows of two are a label and a value
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
    """… this share of the labels differ, and …"""
    min_label_share: float = 0.5
    """… one of them is on this share of the pages with rows; names of users are not."""
    same_count_share: float = 0.8
    """The texts at a cell path are a column each if this share of the rows has as many of them."""
    min_common_columns: float = 0.8
    """Rows of two template paths are one table if they share this much of their columns."""
    min_common_cells: float = 0.5
    """Rows of one template path are different tables if they share less of their cells."""
    min_regular_rows: float = 0.8
    """Rows are regular if this share has the same number of cells, with one text at most."""
    min_alternating: float = 0.8
    """Two template paths alternate if this share of their neighbours are of the other one."""
    same_header_share: float = 0.8
    """A header names a column if it is above this share of its cells."""
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
    alternating = _find_alternating(pages, paths_of_pages)
    below_headers: dict[int, set[int]] = {}
    for number, (page, paths) in enumerate(zip(pages, paths_of_pages, strict=True)):
        reader = RowReader(page, paths, anchors.paths)
        labels[id(page)] = set(find_labels_of_page(page, paths, anchors))
        remaining = _MAX_TEXTS_PER_PAGE
        known = known_texts[number] if known_texts else ()
        leaders = [alternating.get(path, (path,))[0] for path in paths]
        below_headers[id(page)] = {page.tree.parents[cell] for cell in find_column_headers(page)}
        for path, siblings in _find_repeated_siblings(page, leaders):
            if any(node in known for row in siblings for node in page.text_nodes(row)):
                continue
            remaining -= sum(map(page.count_texts, siblings))
            if remaining < 0:
                break  # rows within rows within rows
            by_path[path].append((page, [reader.read(node) for node in siblings]))
    min_pages = _RULES.min_page_share * len(pages)
    candidates: list[tuple[int, _RowGroups]] = []
    for path, found in sorted(by_path.items()):
        if _are_regular(found):
            all_groups = _merge_cells(found, labels)
        else:
            all_groups = _drop_rows(found, below_headers)
        if len({id(page) for page, _ in all_groups}) >= min_pages:
            split = _split_by_content(all_groups)
            candidates += [(path, groups) for groups in split if _is_table(groups, labels)]
    tables: list[RowTable] = []
    for parts in _merge_similar(candidates, anchors.paths):
        if _has_varying_row_count(parts, len(pages)):
            table = _build_table(parts, alternating, len(pages))
            if len(table.columns) >= _RULES.min_columns:
                tables.append(table)
    return tables


def _find_alternating(
    pages: Sequence[Page], paths_of_pages: Sequence[Sequence[int]]
) -> dict[int, tuple[int, int]]:
    """Return pairs of template paths whose elements alternate, such as odd and even rows.

    Both are siblings of one tag: one is hardly ever followed by another of its own path.
    """
    changes: Counter[tuple[int, int]] = Counter()
    repeats: Counter[int] = Counter()
    for page, paths in zip(pages, paths_of_pages, strict=True):
        last: dict[tuple[int, str], int] = {}
        for node, (tag, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
            path, previous = paths[node], last.get((parent, tag))
            last[parent, tag] = path
            if previous is None or HIDDEN_PATH in (path, previous):
                continue
            if path == previous:
                repeats[path] += 1
            else:
                changes[min(path, previous), max(path, previous)] += 1
    pairs: dict[int, tuple[int, int]] = {}
    for pair, count in changes.most_common():
        total = count + repeats[pair[0]] + repeats[pair[1]]
        is_new = pair[0] not in pairs and pair[1] not in pairs
        if is_new and count >= max(len(pages), _RULES.min_alternating * total):
            pairs |= dict.fromkeys(pair, pair)
    return pairs


def _find_repeated_siblings(page: Page, paths: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield siblings with several texts that have one template path, with that path."""
    siblings: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for node, (tag, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
        is_sized = _RULES.min_columns <= page.count_texts(node) <= _MAX_TEXTS_PER_ROW
        if is_sized and parent >= 0 and tag not in _NO_ROW_TAGS:
            siblings[parent, paths[node]].append(node)
    for (_, path), nodes in siblings.items():
        if len(nodes) > 1:
            yield path, nodes


def _are_regular(groups: _RowGroups) -> bool:
    """Tell whether rows are those of a table of data: as many cells in each, with one text."""
    regular = total = 0
    for page, rows in groups:
        tags = page.tree.labels
        cells = [
            [cell for cell in page.tree.children(row.node) if tags[cell] in CELL_TAGS]
            for row in rows
            if tags[row.node] == "tr"
        ]
        total += len(rows)
        if not cells:
            continue
        width = Counter(map(len, cells)).most_common(1)[0][0]
        regular += sum(
            len(row) == width >= _MIN_REGULAR_WIDTH
            and all(page.count_texts(cell) <= 1 for cell in row)
            for row in cells
        )
    return regular >= _RULES.min_regular_rows * total


def _merge_cells(groups: _RowGroups, labels: Mapping[int, set[int]]) -> _RowGroups:
    """Return rows with whole cells, without those that have labels only, such as headers."""
    merged = [
        (
            page,
            [
                row.merge_cells()
                for row in rows
                if not labels[id(page)].issuperset(row.cells.values())
            ],
        )
        for page, rows in groups
    ]
    return [(page, rows) for page, rows in merged if len(rows) > 1]


def _drop_rows(groups: _RowGroups, dropped: Mapping[int, set[int]]) -> _RowGroups:
    """Return rows without those below headers, whose cells are located by the headers."""
    kept = [
        (page, [row for row in rows if row.node not in dropped[id(page)]]) for page, rows in groups
    ]
    return [(page, rows) for page, rows in kept if len(rows) > 1]


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
    pages = {id(page) for page, _ in groups}
    pages_of: defaultdict[str, set[int]] = defaultdict(set)
    for page, rows in groups:
        texts: list[str] = []
        for row in rows:
            # In tables of data, values of other columns than the first may be frequent, too.
            text_nodes = [
                node
                for (cell, _), node in row.cells.items()
                if not cell.is_whole or cell.column == 1
            ]
            labels_of_row = labels[id(page)].intersection(text_nodes)
            labelled_rows += bool(labels_of_row)
            texts += [page.texts[text_node] for text_node in labels_of_row]
        for text in texts:
            pages_of[text].add(id(page))
        distinct_groups += len(set(texts)) >= _RULES.min_distinct_labels * len(texts)
        total += len(rows)
    return (
        labelled_rows >= _RULES.min_labelled_rows * total
        and distinct_groups >= _RULES.min_distinct_labels * len(groups)
        and max(map(len, pages_of.values())) >= _RULES.min_label_share * len(pages)
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
            read = new_row.merge_cells() if column.cell.is_whole else new_row
            cells.update([cell for cell, text in read.cells.items() if text in texts])
        for (path, position), _ in cells.most_common(1):
            number = None if column.number is None else position
            relearned.setdefault((path, number), column._replace(cell=path, number=number))
    return tuple(relearned.values())


# ---- columns -------------------------------------------------------------------------------------


def _build_table(
    parts: Sequence[tuple[int, _RowGroups]],
    alternating: Mapping[int, tuple[int, int]],
    pages: int,
) -> RowTable:
    rows = [(page, row) for _, groups in parts for page, siblings in groups for row in siblings]
    headings: dict[int, str] = {}
    for page, row in rows:
        if id(page) not in headings:
            before = page.text_starts[_find_start(page, row)] - 1
            is_heading = before >= 0 and may_be_label(page.texts[before])
            headings[id(page)] = page.texts[before] if is_heading else ""
    return RowTable(
        name=find_most_common(Counter(headings.values()), _RULES.same_heading_share),
        paths=tuple(
            dict.fromkeys([each for path, _ in parts for each in alternating.get(path, (path,))])
        ),
        share=len(headings) / pages,
        columns=_build_columns(rows),
    )


def _find_start(page: Page, row: Row) -> int:
    """Return the row, or the whole table of a row of whole cells, which may have headers."""
    if any(cell.is_whole for cell in row.cell_paths):
        ancestors = page.tree.ancestors(row.node)
        return next((node for node in ancestors if page.tree.labels[node] == "table"), row.node)
    return row.node


def _find_headers(rows: Sequence[tuple[Page, Row]]) -> dict[CellPath, str]:
    """Return the headers of columns that are whole cells."""
    headers_of: dict[int, dict[int, int]] = {}
    counts: defaultdict[CellPath, Counter[str]] = defaultdict(Counter)
    for page, row in rows:
        if not any(cell.is_whole for cell in row.cell_paths):
            continue
        if id(page) not in headers_of:
            headers_of[id(page)] = find_column_headers(page)
        headers = headers_of[id(page)]
        for cell, text_node in row.cells.items():
            node = next(
                (
                    above
                    for above in page.tree.ancestors(page.text_parents[text_node])
                    if page.tree.labels[above] in CELL_TAGS
                ),
                -1,
            )
            if node in headers:
                counts[cell[0]][page.text(headers[node])] += 1
    found = {
        cell: find_most_common(texts, _RULES.same_header_share) for cell, texts in counts.items()
    }
    return {cell: text for cell, text in found.items() if text and may_be_label(text)}


def _build_columns(rows: Sequence[tuple[Page, Row]]) -> tuple[RowColumn, ...]:
    """Return the columns with different texts. A constant text names the column after it."""
    columns: list[RowColumn] = []
    headers = _find_headers(rows)
    label = ""
    for (cell, number), texts in _collect_texts(rows).items():
        if cell in headers:
            if _is_differing(texts):
                columns.append(RowColumn(headers[cell], cell, number, choose_examples(texts)))
            continue
        if not _is_differing(texts) and texts.total() > 1:
            label = find_most_common(texts, 0)
            continue
        column = RowColumn(label, cell, number, choose_examples(texts))
        if not may_be_label(label):
            column = column._replace(name=name_row_column(_iter_cells(rows, column)))
        columns.append(column)
        label = ""
    return tuple(columns)


def _iter_cells(
    rows: Sequence[tuple[Page, Row]], column: RowColumn
) -> Iterator[tuple[Page, int, int]]:
    """Yield the pages and rows that have a column, and the first text node of it."""
    for page, row in rows:
        for text_node in find_text_nodes(row.cells, column)[:1]:
            yield page, row.node, text_node


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
            column_name = join_names(prefix[0] if prefix else name, make_field_name(column.name))
            columns.append(column._replace(name=names.add(column_name)))
        named.append(table._replace(name=name, columns=tuple(columns)))
    return tuple(named)
