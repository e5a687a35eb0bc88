"""Sub-trees of pages as a page of their own: small, and apart from what stands around them."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.page.metadata import Metadata
from unweave.page.page import Page
from unweave.page.parse import Attributes, Identifiers, KeyAttributes, ParsedDocument
from unweave.page.table_grid import TableGrid
from unweave.trees.tree import ROOT_PARENT, Tree

ROOT = "#excerpt"

TagGrouper = Sequence[tuple[int, ...]]
"""Nodes that belong together, such as the roots of a record."""


class Excerpt(Page):
    """Groups of sub-trees, of one page after the other, below one root. Addresses are as seen from their own page."""

    def __init__(self, parts: Sequence[tuple[Page, TagGrouper]]) -> None:
        self.groups: list[tuple[int, ...]] = []
        """The groups, of all pages."""
        self.source_nodes: list[int] = [ROOT_PARENT]
        """For every node that of its own page."""
        self._labels, self._parents = [ROOT], [ROOT_PARENT]
        self._texts: list[str] = []
        self._owners: list[int] = []
        self._places: list[int] = []
        self._unspaced_texts: list[int] = []
        self._names: list[Identifiers] = [(None, None, None)]
        self._addresses: list[str | None] = [None]
        columns: dict[int, int] = {}
        headed: list[int] = []
        for page, groups in parts:
            continuations = frozenset(page.continuations)
            for group in groups:
                start = len(self.source_nodes)
                self.groups.append(tuple([self._add(page, root, continuations) for root in group]))
                for node, origin in (
                    enumerate(self.source_nodes[start:], start) if page.table_grid.columns else ()
                ):
                    if origin in page.table_grid.columns:
                        columns[node] = page.table_grid.columns[origin]
                        headed += [node] if origin in page.table_grid.headers else []
        super().__init__(
            ParsedDocument(
                tree=Tree(self._labels, self._parents),
                texts=self._texts,
                text_parents=self._owners,
                text_positions=self._places,
                unspaced_texts=self._unspaced_texts,
                read_attributes=self._all_attributes,
                read_key_attributes=self._all_key_attributes,
                read_metadata=Metadata,
                encoding=None,
                notes=(),
            )
        )
        # Rows that are taken out of a table keep their columns; which of them have a header is known, and not which.
        self.table_grid = TableGrid(columns, headers=dict.fromkeys(headed, ()))

    def _add(self, page: Page, root: int, continuations: frozenset[int]) -> int:
        """Take a sub-tree, and give its new root."""
        start, end = len(self._labels), page.tree.ends[root]
        shift = start - root
        self.source_nodes.extend(range(root, end))
        self._labels.extend(page.tree.labels[root:end])
        self._parents.append(0)
        self._parents.extend(parent + shift for parent in page.tree.parents[root + 1 : end])
        self._names.extend(page.identifiers[root:end])
        self._addresses.extend(
            own and page.resolve_url(own.strip()) for own in page.node_urls[root:end]
        )
        text_nodes = page.text_nodes(root)
        self._unspaced_texts.extend(
            text_node - text_nodes.start + len(self._texts)
            for text_node in text_nodes[1:]
            if text_node in continuations
        )
        self._texts.extend(page.texts[text_nodes.start : text_nodes.stop])
        self._owners.extend(
            owner + shift for owner in page.text_parents[text_nodes.start : text_nodes.stop]
        )
        self._places.extend(
            place + shift for place in page.text_positions[text_nodes.start : text_nodes.stop]
        )
        return start

    def _all_attributes(self) -> list[Attributes]:
        return [{} for _ in self._labels]

    def _all_key_attributes(self) -> KeyAttributes:
        return self._names, self._addresses
