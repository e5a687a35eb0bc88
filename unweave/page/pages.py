"""Several pages as one: their trees below one root, so that what holds for a page holds for all of them together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from unweave.page.metadata import Metadata
from unweave.page.page import Page
from unweave.page.parse import Attributes, Marks, Parsed
from unweave.trees.tree import ROOT_PARENT, Tree

ROOT = "#pages"


class Pages(Page):
    """Pages one after the other. Nodes of the first come first; node 0 is the root of all."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = pages
        self._starts: list[int] = []
        labels, parents = [ROOT], [ROOT_PARENT]
        texts: list[str] = []
        owners: list[int] = []
        places: list[int] = []
        glued: list[int] = []
        for page in pages:
            start = len(labels)
            self._starts.append(start)
            glued.extend(chunk + len(texts) for chunk in page.glued)
            labels.extend(page.tree.labels)
            parents.extend(parent + start if parent >= 0 else 0 for parent in page.tree.parents)
            texts.extend(page.texts)
            owners.extend(owner + start for owner in page.owners)
            places.extend(place + start for place in page.places)
        super().__init__(
            Parsed(
                tree=Tree(labels, parents),
                texts=texts,
                owners=owners,
                places=places,
                glued=glued,
                read_attributes=self._all_attributes,
                read_marks=self._all_marks,
                read_metadata=self._all_metadata,
                encoding=None,
                notes=(),
            )
        )

    @property
    def base_url(self) -> str:
        """None: addresses are made absolute page by page, for no page may say where the links of another lead."""
        return ""

    def joined(self, number: int, node: int) -> int:
        """The node that a node of one of the pages is here."""
        return self._starts[number] + node

    def page_of(self, node: int) -> int:
        """The number of the page that a node stands on."""
        return bisect_right(self._starts, node) - 1

    def xpath(self, node: int) -> str:
        """The XPath of a node on its own page."""
        number = self.page_of(node)
        return self.pages[number].xpath(node - self._starts[number])

    def _all_attributes(self) -> list[Attributes]:
        return [{}, *(own for page in self.pages for own in page.attributes)]

    def _all_marks(self) -> Marks:
        names = [(None, None, None), *(own for page in self.pages for own in page.names)]
        return names, [None, *(own and page.absolute(own.strip()) for page in self.pages for own in page.addresses)]

    def _all_metadata(self) -> Metadata:
        return Metadata(things=[thing for page in self.pages for thing in page.metadata.things])
