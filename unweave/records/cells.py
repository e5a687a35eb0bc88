"""Records to a table: the columns in their order, the cells, and where each came from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache

from unweave.page.page import Page
from unweave.records.columns import Aligner, Keyed
from unweave.records.items import IMAGE, LINK, TEXT
from unweave.records.region import Listing
from unweave.table import CellNodes, Column, Table

# A hostile page could ask for as many cells as it has texts, squared. Beyond this the table has one column: the whole text.
_MOST_CELLS = 2_000_000
_TYPES = {TEXT: "string", LINK: "url", IMAGE: "image"}


def to_table(page: Page, listing: Listing, score: float, aligner: Aligner) -> Table:
    """The table of a list, its columns in the order in which their items stand in the records."""
    texts = [page.text_of(record) for record in listing.records]
    aligned = aligner(listing)
    columns = Columns(aligned)
    if len(columns.kinds) * len(aligned) > _MOST_CELLS:
        return Table(
            named((TEXT,)),
            [[text] for text in texts],
            records=listing.records,
            texts=texts,
            score=score,
            page=page,
            find_nodes=lambda: [[record] for record in listing.records],
        )
    return Table(
        named(columns.kinds),
        columns.rows(aligned),
        records=listing.records,
        texts=texts,
        score=score,
        page=page,
        find_nodes=lambda: Columns(aligned := aligner(listing)).nodes(aligned),
    )


class Columns:
    """The columns of a table, from left to right: a new one comes right after its neighbour on the left."""

    def __init__(self, aligned: Sequence[Keyed]) -> None:
        following: dict[Hashable, Hashable] = {None: None}
        kinds: dict[Hashable, str] = {}
        for keyed in aligned:
            left: Hashable = None
            for key, kind, _, _ in keyed:
                if key not in following:
                    following[left], following[key] = key, following[left]
                    kinds[key] = kind
                left = key
        self._position: dict[Hashable, int] = {}
        key = following[None]
        while key is not None:
            self._position[key] = len(self._position)
            key = following[key]
        self.keys = list(self._position)
        self.kinds = tuple(kinds[key] for key in self.keys)

    def rows(self, aligned: Sequence[Keyed]) -> list[list[str | None]]:
        """The values of the cells."""
        width, position = len(self.kinds), self._position
        rows: list[list[str | None]] = [[None] * width for _ in aligned]
        for row, keyed in zip(rows, aligned, strict=True):
            for key, _, value, _ in keyed:
                row[position[key]] = value
        return rows

    def nodes(self, aligned: Sequence[Keyed]) -> CellNodes:
        """The nodes of the cells."""
        nodes: CellNodes = [[()] * len(self.kinds) for _ in aligned]
        for row, keyed in zip(nodes, aligned, strict=True):
            for placed in keyed:
                row[self._position[placed.key]] = (placed.node,)
        return nodes


@lru_cache(maxsize=256)
def named(kinds: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns named by their kind and number: text_1, link_1, text_2."""
    seen: dict[str, int] = {}
    columns: list[Column] = []
    for kind in kinds:
        seen[kind] = seen.get(kind, 0) + 1
        columns.append(Column(f"{kind}_{seen[kind]}", _TYPES[kind]))
    return tuple(columns)
