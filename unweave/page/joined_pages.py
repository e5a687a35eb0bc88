"""Several pages as one: their trees below one root, so that what holds for a page holds for all of them together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from unweave.page.metadata import Metadata
from unweave.page.page import Page
from unweave.page.parse import Attributes, KeyAttributes, ParsedDocument
from unweave.trees.tree import ROOT_PARENT, Tree

ROOT = "#pages"


class JoinedPages(Page):
    """Pages one after the other. Nodes of the first come first; node 0 is the root of all."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = pages
        self._starts: list[int] = []
        labels, parents = [ROOT], [ROOT_PARENT]
        texts: list[str] = []
        text_parents: list[int] = []
        text_positions: list[int] = []
        unspaced_texts: list[int] = []
        for page in pages:
            start = len(labels)
            self._starts.append(start)
            unspaced_texts.extend(text_node + len(texts) for text_node in page.continuations)
            labels.extend(page.tree.labels)
            parents.extend(parent + start if parent >= 0 else 0 for parent in page.tree.parents)
            texts.extend(page.texts)
            text_parents.extend(owner + start for owner in page.text_parents)
            text_positions.extend(place + start for place in page.text_positions)
        super().__init__(
            ParsedDocument(
                tree=Tree(labels, parents),
                texts=texts,
                text_parents=text_parents,
                text_positions=text_positions,
                unspaced_texts=unspaced_texts,
                read_attributes=self._all_attributes,
                read_key_attributes=self._all_key_attributes,
                read_metadata=self._all_metadata,
                encoding=None,
                notes=(),
            )
        )

    @property
    def base_url(self) -> str:
        """None: addresses are made absolute page by page, for no page may say where the links of another lead."""
        return ""

    def to_joined_node(self, number: int, node: int) -> int:
        """The node that a node of one of the pages is here."""
        return self._starts[number] + node

    def find_page(self, node: int) -> int:
        """The number of the page that a node stands on."""
        return bisect_right(self._starts, node) - 1

    def xpath(self, node: int) -> str:
        """The XPath of a node on its own page."""
        number = self.find_page(node)
        return self.pages[number].xpath(node - self._starts[number])

    def _all_attributes(self) -> list[Attributes]:
        return [{}, *(own for page in self.pages for own in page.attributes)]

    def _all_key_attributes(self) -> KeyAttributes:
        identifiers = [
            (None, None, None),
            *(own for page in self.pages for own in page.identifiers),
        ]
        return identifiers, [
            None,
            *(
                own and page.resolve_url(own.strip())
                for page in self.pages
                for own in page.node_urls
            ),
        ]

    def _all_metadata(self) -> Metadata:
        return Metadata(
            jsonld_objects=[thing for page in self.pages for thing in page.metadata.jsonld_objects]
        )
