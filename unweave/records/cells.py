"""Records to a table: texts that stand at the same tag path of their records share a column."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.page.page import Page
from unweave.records.region import Listing, Record
from unweave.table import Column, Table

# A hostile page could ask for as many cells as it has texts, squared. Beyond this the table has one column: the whole text.
_MOST_CELLS = 2_000_000

# The part of the record, the tag path, and the how-manieth text there.
_Place = tuple[int, int, int]


def to_table(page: Page, listing: Listing, score: float) -> Table:
    """The table of a list, its columns in the order in which their texts stand in the records."""
    texts = [_whole_text(page, record) for record in listing.records]
    placed = [_placed(page, record) for record in listing.records]
    places = _column_order(placed)
    if len(places) * len(placed) > _MOST_CELLS:
        rows: list[list[str | None]] = [[text] for text in texts]
        nodes = [[record] for record in listing.records]
        width = 1
    else:
        rows = [[page.texts[chunks[place]] if place in chunks else None for place in places] for chunks in placed]
        nodes = [[(page.owners[chunks[place]],) if place in chunks else () for place in places] for chunks in placed]
        width = len(places)
    columns = [Column(f"text_{number}") for number in range(1, width + 1)]
    return Table(columns, rows, nodes=nodes, records=listing.records, texts=texts, score=score, page=page)


def _whole_text(page: Page, record: Record) -> str:
    return " ".join(filter(None, map(page.text, record)))


def _placed(page: Page, record: Record) -> dict[_Place, int]:
    """The record's text chunks by their place."""
    paths, owners = page.tree.paths, page.owners
    seen: dict[tuple[int, int], int] = {}
    found: dict[_Place, int] = {}
    for part, node in enumerate(record):
        for chunk in page.chunks(node):
            key = (part, paths[owners[chunk]])
            count = seen[key] = seen.get(key, 0) + 1
            found[*key, count] = chunk
    return found


def _column_order(placed: Sequence[dict[_Place, int]]) -> list[_Place]:
    """All places; one that an earlier record lacks comes right after its neighbour on the left."""
    start = (-1, -1, -1)
    following: dict[_Place, _Place] = {start: start}
    for chunks in placed:
        left = start
        for place in chunks:
            if place not in following:
                following[left], following[place] = place, following[left]
            left = place
    order: list[_Place] = []
    place = following[start]
    while place != start:
        order.append(place)
        place = following[place]
    return order
