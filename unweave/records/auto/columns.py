"""Columns by role: pieces with the same role share one, and so do pieces whose roles stand in for each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property

from unweave.page.page import Page
from unweave.records.auto.pieces import Pieces
from unweave.records.auto.roles import roles_of
from unweave.records.columns import Aligned, Aligner, Keyed, Placed, remembered
from unweave.records.items import LINK, TEXT
from unweave.records.region import Listing
from unweave.records.spans import fill_spans, order_by_grid

# A hostile list could ask for more. Beyond, columns stay apart.
_MOST_CELLS = 200_000
_MOST_COLUMNS = 400
_MOST_GROUPS = 50
_LEAST_CONSTANT = 3

Tail = Callable[[Page, Placed], Hashable]
"""What the elements around a piece have in common with others, from narrow to wide."""


def by_role(page: Page) -> Aligner:
    """Pieces of the same role in their records share a column; the second of a role in a record has one of its own."""
    pieces = Pieces(page)

    def aligned(listing: Listing) -> Aligned:
        found = pieces.of(listing.records, roles_of(page, listing))
        rows = [[Placed(piece.key, piece.kind, piece.value, piece.node) for piece in row] for row in found]
        rows = fill_spans(page, listing.records, _merged(page, rows))
        rows = _without_repeats(page, _without_controls(page, rows))
        return Aligned(rows, order_by_grid(page, listing.records, rows))

    return remembered(aligned)


def _without_controls(page: Page, rows: list[Keyed]) -> list[Keyed]:
    """The rows without what is no data: buttons that say the same in every record, and marks between values."""
    said: defaultdict[Hashable, list[Placed]] = defaultdict(list)
    for row in rows:
        for placed in row:
            if placed.kind == TEXT:
                said[placed.key].append(placed)
    controls = {
        key
        for key, cells in said.items()
        if len(rows) >= _LEAST_CONSTANT
        and len(cells) == len(rows)
        and len({placed.value for placed in cells}) == 1
        and (not any(map(str.isalnum, cells[0].value)) or _is_in_button(page, cells[0].node))
        and _headed_column(page, cells[0].node) is None
    }
    return [[placed for placed in row if placed.key not in controls] for row in rows] if controls else rows


def _without_repeats(page: Page, rows: list[Keyed]) -> list[Keyed]:
    """The rows with links that lead to the same places as others only once: those with most text."""
    leads: defaultdict[Hashable, list[tuple[int, str]]] = defaultdict(list)
    letters: Counter[Hashable] = Counter()
    for number, row in enumerate(rows):
        for placed in row:
            if placed.kind == LINK:
                leads[placed.key].append((number, placed.value))
                letters[placed.key] += len(page.text(placed.node))
    kept: dict[tuple[tuple[int, str], ...], Hashable] = {}
    for key in sorted(leads, key=lambda key: -letters[key]):
        kept.setdefault(tuple(leads[key]), key)
    repeated = leads.keys() - set(kept.values())
    return [[placed for placed in row if placed.key not in repeated] for row in rows] if repeated else rows


def _is_in_button(page: Page, node: int) -> bool:
    return any(page.tree.labels[own] == "button" for own, _ in zip(page.tree.ancestors(node), range(3), strict=False))


def _element_and_parent(page: Page, placed: Placed) -> Hashable:
    parent = page.tree.parents[placed.node]
    return _element(page, placed), page.tree.labels[parent], page.names[parent][0]


def _element(page: Page, placed: Placed) -> Hashable:
    return placed.kind, page.tree.labels[placed.node], page.names[placed.node][0], _headed_column(page, placed.node)


def _tags(page: Page, placed: Placed) -> Hashable:
    parent = page.tree.parents[placed.node]
    return placed.kind, page.tree.labels[placed.node], page.tree.labels[parent], _headed_column(page, placed.node)


def _headed_column(page: Page, node: int) -> int | None:
    """Return the column of the table cell that a node stands in, if the table has headers: it is no other column then."""
    if not page.grid.headers:
        return None
    cell = next((above for above in page.tree.ancestors(node) if above in page.grid.headers), None)
    return None if cell is None else page.grid.columns[cell]


_TAILS: tuple[Tail, ...] = (_element_and_parent, _element, _tags)


def _merged(page: Page, rows: list[Keyed]) -> list[Keyed]:
    """The rows, with columns as one that no record has both of, whose elements are called alike, and that keep the order.

    A list may have records of two makes. What is the price in one is the price in the other, wherever it stands.
    """
    keys = {placed.key for row in rows for placed in row}
    if len(keys) > _MOST_COLUMNS or sum(map(len, rows)) > _MOST_CELLS:
        return rows
    for tail in _TAILS:
        merged = _Columns(page, rows, tail).merged()
        if merged:
            rows = [[placed._replace(key=merged.get(placed.key, placed.key)) for placed in row] for row in rows]
    return rows


class _Columns:
    """The columns of a table: which rows have them, what stands before and after them, and what they are called."""

    def __init__(self, page: Page, rows: Sequence[Keyed], tail: Tail) -> None:
        self._rows = rows
        self.rows_of: dict[Hashable, int] = {}
        """For every column a bit for each row that has it."""
        tails: dict[Hashable, Hashable] = {}
        for number, row in enumerate(rows):
            for placed in row:
                if placed.key not in tails:
                    tails[placed.key] = tail(page, placed)
                self.rows_of[placed.key] = self.rows_of.get(placed.key, 0) | 1 << number
        self._called: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
        for key in sorted(self.rows_of, key=lambda key: -self.rows_of[key].bit_count()):
            self._called[tails[key]].append(key)

    def merged(self) -> dict[Hashable, Hashable]:
        """The key that each merged one goes into."""
        every = (1 << len(self._rows)) - 1
        found: dict[Hashable, Hashable] = {}
        for alike in self._called.values():
            groups: list[Hashable] = []
            for key in alike:
                mask = self.rows_of[key]
                for group in groups:
                    if not self.rows_of[group] & mask and self._keep_order(group, key):
                        found[key] = group
                        self._join(group, key)
                        break
                else:
                    if mask != every and len(groups) < _MOST_GROUPS:
                        groups.append(key)
        return found

    def _keep_order(self, group: Hashable, key: Hashable) -> bool:
        """Does nothing stand before the one and after the other?"""
        before, after = self._around
        only_before, only_after = before[group] - after[group], after[group] - before[group]
        return before[key].isdisjoint(only_after) and after[key].isdisjoint(only_before)

    def _join(self, group: Hashable, key: Hashable) -> None:
        before, after = self._around
        self.rows_of[group] |= self.rows_of[key]
        before[group] |= before[key]
        after[group] |= after[key]

    @cached_property
    def _around(self) -> tuple[dict[Hashable, set[Hashable]], dict[Hashable, set[Hashable]]]:
        """What stands before each column in some row, and what after."""
        before: dict[Hashable, set[Hashable]] = {key: set() for key in self.rows_of}
        after: dict[Hashable, set[Hashable]] = {key: set() for key in self.rows_of}
        for row in dict.fromkeys(tuple([placed.key for placed in row]) for row in self._rows):
            for place, key in enumerate(row):
                before[key].update(row[:place])
                after[key].update(row[place + 1 :])
        return before, after
