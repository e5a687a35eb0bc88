"""Sub-trees of pages as a page of their own: small, and apart from what stands around them."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.page.metadata import Metadata
from unweave.page.page import Page
from unweave.page.parse import Attributes, Marks, Names, Parsed
from unweave.page.table_grid import TableGrid
from unweave.trees.tree import ROOT_PARENT, Tree

ROOT = "#excerpt"

Groups = Sequence[tuple[int, ...]]
"""Nodes that belong together, such as the roots of a record."""


class Excerpt(Page):
    """Groups of sub-trees, of one page after the other, below one root. Addresses are as seen from their own page."""

    def __init__(self, parts: Sequence[tuple[Page, Groups]]) -> None:
        self.groups: list[tuple[int, ...]] = []
        """The groups, of all pages."""
        self.origins: list[int] = [ROOT_PARENT]
        """For every node that of its own page."""
        self._labels, self._parents = [ROOT], [ROOT_PARENT]
        self._texts: list[str] = []
        self._owners: list[int] = []
        self._places: list[int] = []
        self._glued_texts: list[int] = []
        self._names: list[Names] = [(None, None, None)]
        self._addresses: list[str | None] = [None]
        columns: dict[int, int] = {}
        headed: list[int] = []
        for page, groups in parts:
            glued = frozenset(page.glued)
            for group in groups:
                start = len(self.origins)
                self.groups.append(tuple([self._add(page, root, glued) for root in group]))
                for node, origin in enumerate(self.origins[start:], start) if page.grid.columns else ():
                    if origin in page.grid.columns:
                        columns[node] = page.grid.columns[origin]
                        headed += [node] if origin in page.grid.headers else []
        super().__init__(
            Parsed(
                tree=Tree(self._labels, self._parents),
                texts=self._texts,
                owners=self._owners,
                places=self._places,
                glued=self._glued_texts,
                read_attributes=self._all_attributes,
                read_marks=self._all_marks,
                read_metadata=Metadata,
                encoding=None,
                notes=(),
            )
        )
        # Rows that are taken out of a table keep their columns; which of them have a header is known, and not which.
        self.grid = TableGrid(columns, headers=dict.fromkeys(headed, ()))

    def _add(self, page: Page, root: int, glued: frozenset[int]) -> int:
        """Take a sub-tree, and give its new root."""
        start, end = len(self._labels), page.tree.ends[root]
        shift = start - root
        self.origins.extend(range(root, end))
        self._labels.extend(page.tree.labels[root:end])
        self._parents.append(0)
        self._parents.extend(parent + shift for parent in page.tree.parents[root + 1 : end])
        self._names.extend(page.names[root:end])
        self._addresses.extend(own and page.absolute(own.strip()) for own in page.addresses[root:end])
        chunks = page.chunks(root)
        self._glued_texts.extend(chunk - chunks.start + len(self._texts) for chunk in chunks[1:] if chunk in glued)
        self._texts.extend(page.texts[chunks.start : chunks.stop])
        self._owners.extend(owner + shift for owner in page.owners[chunks.start : chunks.stop])
        self._places.extend(place + shift for place in page.places[chunks.start : chunks.stop])
        return start

    def _all_attributes(self) -> list[Attributes]:
        return [{} for _ in self._labels]

    def _all_marks(self) -> Marks:
        return self._names, self._addresses
