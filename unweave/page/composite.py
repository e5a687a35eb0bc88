"""Pages that are made of parts of other pages, below one new root."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from unweave.page.html_tables import TableGrid
from unweave.page.metadata import Metadata
from unweave.page.page import Page
from unweave.page.parse import NO_IDENTIFIERS, Attributes, Identifiers, ParsedDocument
from unweave.trees.tree import ROOT_PARENT, Tree


class JoinedPages(Page):
    """Whole pages, one after the other: an algorithm for one page then works on all of them."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = pages
        copies = _Copies("#pages")
        self._starts = [copies.add(page, 0) for page in pages]
        super().__init__(copies.to_document())

    @property
    def base_url(self) -> str:
        """Empty: ``node_urls`` are absolute already, each resolved on its page."""
        return ""

    def to_joined_node(self, number: int, node: int) -> int:
        """Return the number that a node of a page has here."""
        return self._starts[number] + node

    def find_page(self, node: int) -> int:
        """Return the number of the page that a node belongs to."""
        return bisect_right(self._starts, node) - 1

    def xpath(self, node: int) -> str:
        """Return the XPath of a node in its page."""
        number = self.find_page(node)
        return self.pages[number].xpath(node - self._starts[number])

    @cached_property
    def attributes(self) -> list[Attributes]:
        """The attributes of every node."""
        attributes: list[Attributes] = [{}]
        for page in self.pages:
            attributes.extend(page.attributes)
        return attributes

    @cached_property
    def identifiers(self) -> list[Identifiers]:
        """The class, the id and the property of every node."""
        identifiers = [NO_IDENTIFIERS]
        for page in self.pages:
            identifiers.extend(page.identifiers)
        return identifiers

    @cached_property
    def node_urls(self) -> list[str | None]:
        """For every link and image its absolute URL; None for other nodes."""
        urls: list[str | None] = [None]
        for page in self.pages:
            urls.extend(_resolve_urls(page, page.node_urls))
        return urls

    @cached_property
    def metadata(self) -> Metadata:
        """The JSON-LD of all pages."""
        metadata = Metadata()
        for page in self.pages:
            metadata.jsonld_objects.extend(page.metadata.jsonld_objects)
        return metadata


class Excerpt(Page):
    """Groups of sub-trees of one or several pages, such as the records of a list.

    Identifiers and URLs are copied; other attributes are not.
    """

    def __init__(self, parts: Iterable[tuple[Page, Iterable[Sequence[int]]]]) -> None:
        self.groups: list[tuple[int, ...]] = []
        """The roots of the sub-trees of each group, of all pages."""
        self.source_nodes: list[int] = [ROOT_PARENT]
        """For every node its number in its page."""
        copies = _Copies("#excerpt")
        identifiers = [NO_IDENTIFIERS]
        urls: list[str | None] = [None]
        columns: dict[int, int] = {}
        below_header: list[int] = []
        for page, groups in parts:
            grid = page.table_grid
            for group in groups:
                copied_roots: list[int] = []
                for root in group:
                    start, end = len(self.source_nodes), page.tree.ends[root]
                    copied_roots.append(copies.add(page, root))
                    self.source_nodes.extend(range(root, end))
                    identifiers.extend(page.identifiers[root:end])
                    urls.extend(_resolve_urls(page, page.node_urls[root:end]))
                    if grid.columns:
                        for node, source in enumerate(range(root, end), start):
                            if source in grid.columns:
                                columns[node] = grid.columns[source]
                                if source in grid.headers:
                                    below_header.append(node)
                self.groups.append(tuple(copied_roots))
        super().__init__(copies.to_document(identifiers, urls))
        # Rows without their table keep their columns, and whether they are below a header.
        self.table_grid = TableGrid(columns, headers=dict.fromkeys(below_header, ()))


class _Copies:
    """The arrays of a document that is filled with copies of sub-trees."""

    def __init__(self, root_label: str) -> None:
        self._labels, self._parents = [root_label], [ROOT_PARENT]
        self._texts: list[str] = []
        self._text_parents: list[int] = []
        self._text_positions: list[int] = []
        self._unspaced_texts: list[int] = []

    def add(self, page: Page, root: int) -> int:
        """Copy a sub-tree, and return the number of its root."""
        start, end = len(self._labels), page.tree.ends[root]
        offset = start - root
        self._labels.extend(page.tree.labels[root:end])
        self._parents.append(0)
        self._parents.extend([parent + offset for parent in page.tree.parents[root + 1 : end]])
        first, stop = page.text_starts[root], page.text_ends[root]
        unspaced = page.continuations
        unspaced = unspaced[bisect_right(unspaced, first) : bisect_left(unspaced, stop)]
        text_offset = len(self._texts) - first
        self._unspaced_texts.extend([text_node + text_offset for text_node in unspaced])
        self._texts.extend(page.texts[first:stop])
        self._text_parents.extend([node + offset for node in page.text_parents[first:stop]])
        self._text_positions.extend([node + offset for node in page.text_positions[first:stop]])
        return start

    def to_document(
        self,
        identifiers: list[Identifiers] | None = None,
        node_urls: list[str | None] | None = None,
    ) -> ParsedDocument:
        return ParsedDocument(
            tree=Tree(self._labels, self._parents),
            texts=self._texts,
            text_parents=self._text_parents,
            text_positions=self._text_positions,
            unspaced_texts=self._unspaced_texts,
            identifiers=identifiers,
            node_urls=node_urls,
        )


def _resolve_urls(page: Page, urls: Iterable[str | None]) -> list[str | None]:
    return [url and page.resolve_url(url.strip()) for url in urls]
