"""Columns: align the segments of a list's records.

Segments with the same path share a column, and so do segments whose paths stand in for each other.
Cells of HTML tables that span rows or columns are values of every row and column that they fill.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import islice

from unweave.lists.listing import (
    LINK,
    TEXT,
    AlignedItem,
    AlignedList,
    AlignedRecord,
    Aligner,
    Listing,
    Record,
    cache_alignment,
)
from unweave.lists.segmentation import Segmenter
from unweave.page.page import Page

# Limits for hostile lists. Beyond, columns are not merged, and spanned cells are not filled in.
_MAX_CELLS = 200_000
_MAX_COLUMNS = 400
_MAX_GROUPS = 50
_MAX_FILLED_CELLS = 200_000
# With fewer records, a constant text is no evidence.
_MIN_CONSTANT_RECORDS = 3
_MAX_BUTTON_LEVELS = 3


def make_aligner(page: Page) -> Aligner:
    """Return a function that aligns the records of a list of the page."""
    segmenter = Segmenter(page)

    def align(listing: Listing) -> AlignedList:
        rows = [
            [AlignedItem(segment.key, segment.kind, segment.value, segment.node) for segment in row]
            for row in segmenter.segment(listing)
        ]
        rows = _merge_columns(page, rows)
        rows = fill_spans(page, listing.records, rows)
        rows = _drop_controls(page, rows)
        rows = _drop_repeated_links(page, rows)
        return AlignedList(rows, _order_by_table(page, listing.records, rows))

    return cache_alignment(align)


# ---- columns that stand in for each other --------------------------------------------------------


def _merge_columns(page: Page, rows: list[AlignedRecord]) -> list[AlignedRecord]:
    """Merge columns that stand in for each other.

    No record has both of them, their elements have the same description, and the order of columns
    stays the same. A list may have records of two templates: the price of one is the price of the
    other, whatever its path. Descriptions are tried from narrow to wide.
    """
    keys = {item.key for row in rows for item in row}
    if len(keys) > _MAX_COLUMNS or sum(map(len, rows)) > _MAX_CELLS:
        return rows
    row_masks, first_items = _index_columns(rows)
    for describe in (_describe_with_parent, _describe_element, _describe_tags):
        descriptions = {key: describe(page, item) for key, item in first_items.items()}
        merged = _find_merges(rows, row_masks, descriptions)
        if merged:
            rows = [
                [item._replace(key=merged.get(item.key, item.key)) for item in row] for row in rows
            ]
            row_masks, first_items = _index_columns(rows)
    return rows


def _index_columns(
    rows: Sequence[AlignedRecord],
) -> tuple[dict[Hashable, int], dict[Hashable, AlignedItem]]:
    """Return for every column a bit for each row that has it, and its first item."""
    row_masks: dict[Hashable, int] = {}
    first_items: dict[Hashable, AlignedItem] = {}
    for number, row in enumerate(rows):
        for item in row:
            mask = row_masks.get(item.key, 0)
            if not mask:
                first_items[item.key] = item
            row_masks[item.key] = mask | 1 << number
    return row_masks, first_items


def _find_merges(
    rows: Sequence[AlignedRecord],
    row_masks: Mapping[Hashable, int],
    descriptions: Mapping[Hashable, Hashable],
) -> dict[Hashable, Hashable]:
    """Return the key that each merged one goes into."""
    row_masks = dict(row_masks)
    by_description: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
    for key in sorted(row_masks, key=lambda key: -row_masks[key].bit_count()):
        by_description[descriptions[key]].append(key)
    every_row = (1 << len(rows)) - 1
    merged: dict[Hashable, Hashable] = {}
    sides: _Sides | None = None
    for keys in by_description.values():
        groups: list[Hashable] = []
        for key in keys:
            for group in groups:
                if row_masks[group] & row_masks[key]:
                    continue
                sides = sides or _Sides(rows)
                if sides.keep_order(group, key):
                    merged[key] = group
                    row_masks[group] |= row_masks[key]
                    sides.join(group, key)
                    break
            else:
                if row_masks[key] != every_row and len(groups) < _MAX_GROUPS:
                    groups.append(key)
    return merged


class _Sides:
    """For every column the columns that are before and after it in some record."""

    def __init__(self, rows: Sequence[AlignedRecord]) -> None:
        self._before: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        self._after: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        for keys in dict.fromkeys(tuple([item.key for item in row]) for row in rows):
            for position, key in enumerate(keys):
                self._before[key].update(keys[:position])
                self._after[key].update(keys[position + 1 :])

    def keep_order(self, left: Hashable, right: Hashable) -> bool:
        """Tell whether no column is before the one and after the other."""
        before, after = self._before, self._after
        only_before, only_after = before[left] - after[left], after[left] - before[left]
        return before[right].isdisjoint(only_after) and after[right].isdisjoint(only_before)

    def join(self, group: Hashable, key: Hashable) -> None:
        """Add what is before and after a column to that of its group."""
        self._before[group] |= self._before[key]
        self._after[group] |= self._after[key]


def _describe_with_parent(page: Page, item: AlignedItem) -> Hashable:
    parent = page.tree.parents[item.node]
    return _describe_element(page, item), page.tree.labels[parent], page.identifiers[parent][0]


def _describe_element(page: Page, item: AlignedItem) -> Hashable:
    node = item.node
    column = _find_headed_column(page, node)
    return item.kind, page.tree.labels[node], page.identifiers[node][0], column


def _describe_tags(page: Page, item: AlignedItem) -> Hashable:
    labels, parent = page.tree.labels, page.tree.parents[item.node]
    return item.kind, labels[item.node], labels[parent], _find_headed_column(page, item.node)


def _find_headed_column(page: Page, node: int) -> int | None:
    """Return the column of the table cell around a node if it has a header, else None."""
    headers = page.table_grid.headers
    if not headers:
        return None
    for ancestor in page.tree.ancestors(node):
        if ancestor in headers:
            return page.table_grid.columns[ancestor]
    return None


# ---- columns that are not data -------------------------------------------------------------------


def _drop_controls(page: Page, rows: list[AlignedRecord]) -> list[AlignedRecord]:
    """Drop buttons that have the same text in every record, and marks between values."""
    if len(rows) < _MIN_CONSTANT_RECORDS:
        return rows
    texts: defaultdict[Hashable, list[AlignedItem]] = defaultdict(list)
    for row in rows:
        for item in row:
            if item.kind == TEXT:
                texts[item.key].append(item)
    controls: set[Hashable] = set()
    for key, items in texts.items():
        if len(items) == len(rows) and len({item.value for item in items}) == 1:
            is_mark = not any(map(str.isalnum, items[0].value))
            node = items[0].node
            if (is_mark or _is_in_button(page, node)) and _find_headed_column(page, node) is None:
                controls.add(key)
    return _drop_columns(rows, controls)


def _is_in_button(page: Page, node: int) -> bool:
    around = islice(page.tree.ancestors(node), _MAX_BUTTON_LEVELS)
    return any(page.tree.labels[ancestor] == "button" for ancestor in around)


def _drop_repeated_links(page: Page, rows: list[AlignedRecord]) -> list[AlignedRecord]:
    """Of columns with the same addresses in the same records, keep only the one with most text."""
    addresses: defaultdict[Hashable, list[tuple[int, str]]] = defaultdict(list)
    lengths: Counter[Hashable] = Counter()
    for number, row in enumerate(rows):
        for item in row:
            if item.kind == LINK:
                addresses[item.key].append((number, item.value))
                lengths[item.key] += len(page.text(item.node))
    kept: dict[tuple[tuple[int, str], ...], Hashable] = {}
    for key in sorted(addresses, key=lambda key: -lengths[key]):
        kept.setdefault(tuple(addresses[key]), key)
    return _drop_columns(rows, addresses.keys() - set(kept.values()))


def _drop_columns(rows: list[AlignedRecord], keys: set[Hashable]) -> list[AlignedRecord]:
    if not keys:
        return rows
    return [[item for item in row if item.key not in keys] for row in rows]


# ---- cells of tables that span others ------------------------------------------------------------


def fill_spans(
    page: Page, records: Sequence[Record], rows: Sequence[AlignedRecord]
) -> list[AlignedRecord]:
    """Return the rows of a list of table rows, with cells that span them from above or the left.

    A table with too many such cells stays as it is.
    """
    grid = page.table_grid
    if not (grid.widths or grid.cells_from_above) or not _are_table_rows(page, records):
        return list(rows)
    find_cell = _CellFinder(page, records)
    items_in: defaultdict[int, list[AlignedItem]] = defaultdict(list)
    for row in rows:
        for item in row:
            if (cell := find_cell(item.node)) is not None:
                items_in[cell].append(item)
    column_keys = _find_column_keys(page, items_in)
    filled: list[AlignedRecord] = []
    cells_left = _MAX_FILLED_CELLS
    for record, row in zip(records, rows, strict=True):
        keys = {item.key for item in row}
        added: AlignedRecord = []
        for cell in grid.cells_from_above.get(record[0], ()):
            added += [item for item in items_in.get(cell, ()) if item.key not in keys]
        for cell in page.tree.children(record[0]) if grid.widths else ():
            # The only text of a cell is that of all columns that it spans, if they have texts.
            texts = [item for item in items_in.get(cell, ()) if item.kind == TEXT]
            if len(texts) == 1:
                first = grid.columns.get(cell, 0)
                for column in range(first + 1, first + grid.widths.get(cell, 1)):
                    key = column_keys.get(column)
                    if key is not None and key not in keys:
                        added.append(texts[0]._replace(key=key))
        cells_left -= len(added)
        if cells_left < 0:
            return list(rows)
        filled.append(
            sorted([*row, *added], key=lambda item: (find_cell.get_column(item.node), item.node))
        )
    return filled


def _order_by_table(
    page: Page, records: Sequence[Record], rows: Sequence[AlignedRecord]
) -> list[Hashable] | None:
    """Return the keys of a list of table rows in the order of the table, None for other lists."""
    if not _are_table_rows(page, records):
        return None
    find_cell = _CellFinder(page, records)
    columns: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    first: dict[Hashable, tuple[int, int]] = {}
    for row in rows:
        for position, item in enumerate(row):
            columns[item.key][find_cell.get_column(item.node)] += 1
            first.setdefault(item.key, (position, len(first)))
    return sorted(columns, key=lambda key: (columns[key].most_common(1)[0][0], *first[key]))


class _CellFinder:
    """Finds the cells around nodes: those of the rows that are records, not of inner tables."""

    def __init__(self, page: Page, records: Sequence[Record]) -> None:
        self._parents = page.tree.parents
        self._columns = page.table_grid.columns
        self._roots = frozenset(record[0] for record in records)

    def __call__(self, node: int) -> int | None:
        """Return the cell around a node."""
        parents = self._parents
        while node >= 0 and parents[node] not in self._roots:
            node = parents[node]
        return node if node in self._columns else None

    def get_column(self, node: int) -> int:
        """Return the column of the cell around a node, 0 if there is none."""
        cell = self(node)
        return self._columns[cell] if cell is not None else 0


def _are_table_rows(page: Page, records: Sequence[Record]) -> bool:
    return all(len(record) == 1 and page.tree.labels[record[0]] == "tr" for record in records)


def _find_column_keys(
    page: Page, items_in: Mapping[int, Sequence[AlignedItem]]
) -> dict[int, Hashable]:
    """Return for every column of the table the key of most texts in cells of this column alone."""
    counts: defaultdict[int, Counter[Hashable]] = defaultdict(Counter)
    for cell, items in items_in.items():
        if cell not in page.table_grid.widths:
            column = page.table_grid.columns[cell]
            counts[column].update(item.key for item in items if item.kind == TEXT)
    return {column: keys.most_common(1)[0][0] for column, keys in counts.items() if keys}
