"""Columns by value: alignment of values, then nested structures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from unweave.lists.listing import AlignedItem, AlignedList, Aligner, Listing, cache_alignment
from unweave.lists.methods.ctvs.alignment import align_records
from unweave.lists.methods.ctvs.column_order import Column, Vertex
from unweave.lists.methods.ctvs.nested import Attribute, find_nested_groups
from unweave.lists.methods.ctvs.options import DEFAULT_OPTIONS, CtvsOptions
from unweave.lists.methods.ctvs.values import (
    RecordPath,
    Similarity,
    Value,
    ValueReader,
    Values,
)
from unweave.lists.paper_alignment import align_items_by_path
from unweave.page.page import Page

# Steps of aligning pairs on one page, about a second. A list may take half of the rest of the
# budget, so that the first lists get most of it.
_MAX_WORK = 10_000_000


class _Key(NamedTuple):
    """The key of a column; sorted, keys give the columns from left to right."""

    number: int
    """The number of the column of values; for a repeated attribute, of its first column."""
    group: int = -1
    """The number of the repeated group, -1 if the column is in none."""
    attribute: int = 0
    """The number of the attribute in its group."""
    side: int = 0
    """-1 for a link or an image before the value, 0 for the value itself, 1 for a link or an image
    after it.
    """
    address: int = 0
    """The number of the link or image."""

    @property
    def is_list(self) -> bool:
        """Whether a record may have several values in the column."""
        return self.group >= 0


def align_by_value(page: Page, options: CtvsOptions = DEFAULT_OPTIONS) -> Aligner:
    """Return an aligner: items share a column if they have the same tag path in their records and
    similar values.

    All lists of the page share one budget of work; lists beyond it are aligned by tag paths.
    """
    reader = ValueReader(page, bool(options.join_texts))
    similarity = Similarity(printed=bool(options.printed_types))
    budget = _MAX_WORK

    def align(listing: Listing) -> AlignedList:
        nonlocal budget
        allowance = _Allowance(budget // 2)
        rows = reader.read_values(listing)
        columns = align_records(rows, similarity, allowance.spend, options)
        budget -= budget // 2 - allowance.left
        if columns is None:
            items = [reader.read_items(record) for record in listing.records]
            return AlignedList([align_items_by_path(page, row) for row in items])
        groups = find_nested_groups(reader, listing, rows, columns, similarity, options)
        return _assign_keys(rows, columns, groups)

    return cache_alignment(align)


class _Allowance:
    """A part of the budget of work."""

    def __init__(self, work: int) -> None:
        self.left = work

    def spend(self, work: int) -> bool:
        """Take work from the budget; False if not so much is left."""
        if self.left < work:
            return False
        self.left -= work
        return True


def _assign_keys(
    rows: Sequence[Values], columns: Sequence[Column], groups: Sequence[Sequence[Attribute]]
) -> AlignedList:
    """Return the values with the keys of their columns; a repeated attribute has the key of its
    first column.
    """
    keys = {vertex: _Key(number) for number, column in enumerate(columns) for vertex in column}
    for group_number, group in enumerate(groups):
        for attribute_number, attribute in enumerate(group):
            number = min(keys[vertex].number for vertex in attribute)
            keys.update(dict.fromkeys(attribute, _Key(number, group_number, attribute_number)))
    address_keys: dict[tuple[_Key, RecordPath, int], _Key] = {}
    placed: list[list[AlignedItem]] = []
    for record, values in enumerate(rows):
        items: list[AlignedItem] = []
        for position, value in enumerate(values):
            items += _place_value(value, keys[Vertex(record, position)], address_keys)
        placed.append(items)
    order = sorted({*keys.values(), *address_keys.values()})
    return AlignedList(
        placed, order=order, multi_valued=frozenset(key for key in order if key.is_list)
    )


def _place_value(
    value: Value, key: _Key, address_keys: dict[tuple[_Key, RecordPath, int], _Key]
) -> list[AlignedItem]:
    """Return a value and its addresses with their keys, and add new keys of addresses to
    ``address_keys``.

    Addresses of one path are distinguished by their order.
    """
    seen: Counter[RecordPath] = Counter()
    before: list[AlignedItem] = []
    after: list[AlignedItem] = []
    for address in value.addresses:
        new_key = key._replace(side=-1 if address.is_before else 1, address=len(address_keys))
        address_key = address_keys.setdefault((key, address.path, seen[address.path]), new_key)
        seen[address.path] += 1
        placed = AlignedItem(address_key, address.path.kind, address.text, address.node)
        (before if address.is_before else after).append(placed)
    return [*before, AlignedItem(key, value.kind, value.text, value.node), *after]
