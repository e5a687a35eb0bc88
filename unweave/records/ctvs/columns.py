"""Columns by value: pairwise, holistic and nested alignment, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from unweave.fields.similarity import Similarity
from unweave.page.page import Page
from unweave.records.columns import Aligned, Aligner, Placed, by_path_of_all_items, remembered
from unweave.records.ctvs.holistic import columns
from unweave.records.ctvs.nested import Attribute, nested
from unweave.records.ctvs.options import options_of
from unweave.records.ctvs.order import Column, Vertex
from unweave.records.ctvs.values import Place, Reader, Value, Values
from unweave.records.region import Listing
from unweave.variants import Variant

# Steps of aligning pairs, on one page: about a second. A list may take half of what is left, so the first ones get most.
_MAX_WORK = 10_000_000


class _Key(NamedTuple):
    """A column of the table; sorted, they stand from left to right."""

    number: int
    """Of the column of values, for a repeated attribute of its first one."""
    group: int = -1
    """Of the repeated group, if it is one."""
    attribute: int = 0
    """Within its group."""
    side: int = 0
    """-1 for a link or an image before the value, 0 for the value itself, 1 for a link or an image after it."""
    address: int = 0
    """The number of the link or image."""

    @property
    def is_list(self) -> bool:
        """May a record have several values in it?"""
        return self.group >= 0


def by_value(
    page: Page,
    *,
    variant: str = Variant.CORRECTED,
    join_texts: bool | None = None,
    cut_rings: bool | None = None,
    pack_columns: bool | None = None,
    varying_lists: bool | None = None,
    printed_types: bool | None = None,
    printed_mean: bool | None = None,
) -> Aligner:
    """Items that have the same tag path in their records and similar values share a column. ``Options`` has the switches.

    All lists of the page share one budget; what it does not suffice for is aligned by tag paths.
    """
    options = options_of(
        variant,
        join_texts=join_texts,
        cut_rings=cut_rings,
        pack_columns=pack_columns,
        varying_lists=varying_lists,
        printed_types=printed_types,
        printed_mean=printed_mean,
    )
    reader, similarity = Reader(page, options.join_texts), Similarity(printed=options.printed_types)
    left = _MAX_WORK

    def align(listing: Listing) -> Aligned:
        nonlocal left
        allowance = _Allowance(left // 2)
        rows = reader.values(listing)
        found = columns(rows, similarity, allowance.spend, options)
        left -= left // 2 - allowance.left
        if found is None:
            return Aligned([by_path_of_all_items(page, reader.items(record)) for record in listing.records])
        return _place(rows, found, nested(reader, listing, rows, found, similarity, options))

    return remembered(align)


class _Allowance:
    """Work that may be done."""

    def __init__(self, work: int) -> None:
        self.left = work

    def spend(self, work: int) -> bool:
        """Take the work, if so much is left."""
        if self.left < work:
            return False
        self.left -= work
        return True


def _place(rows: Sequence[Values], found: Sequence[Column], groups: Sequence[Sequence[Attribute]]) -> Aligned:
    """Return the values with the keys of their columns; a repeated attribute has one key, at the first of its columns."""
    keys = {vertex: _Key(number) for number, column in enumerate(found) for vertex in column}
    for number, group in enumerate(groups):
        for offset, attribute in enumerate(group):
            key = _Key(min(keys[vertex].number for vertex in attribute), number, offset)
            keys.update(dict.fromkeys(attribute, key))
    address_keys: dict[tuple[_Key, Place, int], _Key] = {}
    placed: list[list[Placed]] = [
        [
            item
            for position, value in enumerate(values)
            for item in _place_value(value, keys[Vertex(record, position)], address_keys)
        ]
        for record, values in enumerate(rows)
    ]
    order = sorted({*keys.values(), *address_keys.values()})
    return Aligned(placed, order=order, lists=frozenset(key for key in order if key.is_list))


def _place_value(value: Value, key: _Key, address_keys: dict[tuple[_Key, Place, int], _Key]) -> list[Placed]:
    """Return a value and its addresses with their keys. Addresses of one tag path are told apart by their order."""
    seen: Counter[Place] = Counter()
    before: list[Placed] = []
    after: list[Placed] = []
    for address in value.addresses:
        side = -1 if address.is_before else 1
        known = (key, address.place, seen[address.place])
        address_key = address_keys.setdefault(known, key._replace(side=side, address=len(address_keys)))
        seen[address.place] += 1
        placed = Placed(address_key, address.place.kind, address.text, address.node)
        (before if address.is_before else after).append(placed)
    return [*before, Placed(key, value.kind, value.text, value.node), *after]
