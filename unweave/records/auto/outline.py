"""What the search for candidates asks a page again and again: sums over its text, and the kinds of its elements."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import accumulate

from unweave.page.page import Page
from unweave.page.parse import Names
from unweave.records.region import Listing

Span = tuple[int, int]
"""The texts of a record: the number of the first, and that after the last."""

_LONGEST_CHAIN = 4
# A hostile page could have as many kinds of children as it has children.
_MOST_STEPS = 2_000_000
_FIGURES = re.compile(r"\d+")

# What authors call the parts of a page that are not its content, and those that are.
_BESIDES = re.compile(
    "nav|foot|header|menu|sidebar|aside|breadcrumb|pager|pagination|filter|facet|refine|toolbar|banner|related|recommend"
    "|social|share|widget|cookie|lang"
)
_BESIDES_TAGS = frozenset(["nav", "footer", "header", "aside", "select"])
_CONTENT = re.compile("main|content|result|search|list|item|product|grid|article|hits")
_CONTENT_TAGS = frozenset(["main"])


class Outline:
    """A page, seen as what might repeat in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.labels, self.parents, self.ends = page.tree.labels, page.tree.parents, page.tree.ends
        self.first, self.stop = page.first_chunks, page.stop_chunks
        self.letters = list(accumulate(map(len, page.texts), initial=0))
        self._steps_left = _MOST_STEPS
        self._slots: dict[Span, Counter[int]] = {}

    @cached_property
    def with_text(self) -> list[int]:
        """The elements that have text."""
        return [node for node, (first, stop) in enumerate(zip(self.first, self.stop, strict=True)) if stop > first]

    @cached_property
    def kids(self) -> list[list[int]]:
        """The children of every element that have text."""
        kids: list[list[int]] = [[] for _ in self.labels]
        parents = self.parents
        for node in self.with_text:
            if node:
                kids[parents[node]].append(node)
        return kids

    def is_in_one_piece(self, listing: Listing) -> bool:
        """Are the parts of each record siblings that stand together?"""
        return all(self.page.are_together(record) for record in listing.records)

    def texts(self, listing: Listing) -> set[int]:
        """The numbers of the texts of a list."""
        return {chunk for node in listing.nodes for chunk in self.page.chunks(node)}

    @cached_property
    def letters_before(self) -> list[int]:
        """How many letters stand before each element."""
        return [self.letters[first] for first in self.first]

    @cached_property
    def letters_after(self) -> list[int]:
        """How many letters stand before the end of each element."""
        return [self.letters[stop] for stop in self.stop]

    def may_walk(self, steps: int) -> bool:
        """Take so many steps from what the search may walk on one page, if they are left."""
        self._steps_left -= steps
        return self._steps_left >= 0

    def letters_of(self, node: int) -> int:
        """How many letters the texts of an element have."""
        return self.letters_after[node] - self.letters_before[node]

    # ---- what an element begins with -------------------------------------------------------------------------

    @cached_property
    def tokens(self) -> dict[int, list[str]]:
        """What tells an element from its siblings: its tag, each of its classes, and the tags that it begins with."""
        labels, classes, chain = self.labels, self.classes, self._chain
        return {node: [labels[node], *classes[node], chain(node)] for node in self.with_text}

    @cached_property
    def classes(self) -> dict[int, list[str]]:
        """The classes of an element, each with its tag, and its id without figures: they number what is alike."""
        labels, names = self.labels, self.page.names
        known: dict[tuple[str, Names], list[str]] = {}
        found: dict[int, list[str]] = {}
        for node in self.with_text:
            key = (labels[node], names[node])
            own = known.get(key)
            if own is None:
                own = known[key] = _words(*key)
            found[node] = own
        return found

    def _chain(self, node: int) -> str:
        chain, ends, labels, with_text = self.labels[node], self.ends, self.labels, self._begin_with_text
        for _ in range(_LONGEST_CHAIN):
            if node in with_text:
                return f"{chain}>#text"
            if node + 1 >= ends[node]:
                break
            node += 1
            chain = f"{chain}>{labels[node]}"
        return f"{chain}>"

    @cached_property
    def _begin_with_text(self) -> set[int]:
        return {owner for owner, place in zip(self.page.owners, self.page.places, strict=True) if place == owner + 1}

    @cached_property
    def depths(self) -> list[int]:
        """How many elements stand around each, itself included."""
        found: list[int] = []
        for parent in self.parents:
            found.append(found[parent] + 1 if parent >= 0 else 1)
        return found

    # ---- what stands in a record -----------------------------------------------------------------------------

    @cached_property
    def _slot_of(self) -> list[int]:
        """For each text a number for where it stands: the tags of three elements around it, and the class of the first."""
        numbers: dict[tuple[str, str, str, str], int] = {}
        found: list[int] = []
        labels, parents = [*self.labels, ""], [*self.parents, -1]
        known: dict[str | None, str] = {None: ""}
        for owner in self.page.owners:
            parent = parents[owner]
            classes = self.page.names[owner][0]
            if classes not in known:
                known[classes] = _FIGURES.sub("", classes or "")  # figures number what is alike
            key = (labels[owner], labels[parent], labels[parents[parent]], known[classes])
            found.append(numbers.setdefault(key, len(numbers)))
        return found

    def slots(self, span: Span) -> Counter[int]:
        """How often a record has a text in each slot. Candidates share records, so they are counted once."""
        known = self._slots.get(span)
        if known is None:
            known = self._slots[span] = Counter(self._slot_of[span[0] : span[1]])
        return known

    @cached_property
    def link_letters(self) -> list[int]:
        """The letters of links before each text."""
        is_linked: list[bool] = []
        for label, parent in zip(self.labels, self.parents, strict=True):
            is_linked.append(label == "a" or (parent >= 0 and is_linked[parent]))
        texts = zip(self.page.texts, self.page.owners, strict=True)
        return list(accumulate((len(text) if is_linked[owner] else 0 for text, owner in texts), initial=0))

    @cached_property
    def images(self) -> list[int]:
        """The number of images before each element."""
        return list(accumulate((label == "img" for label in self.labels), initial=0))

    @property
    def besides(self) -> list[int]:
        """How many elements around each say that they are not the content of the page."""
        return self._called[0]

    @property
    def content(self) -> list[int]:
        """How many elements around each say that they are the content of the page."""
        return self._called[1]

    @cached_property
    def _called(self) -> tuple[list[int], list[int]]:
        known: dict[tuple[str | None, str | None], tuple[bool, bool]] = {}
        besides: list[int] = []
        content: list[int] = []
        for label, parent, (classes, id_, _) in zip(self.labels, self.parents, self.page.names, strict=True):
            key = (classes, id_)
            if key not in known:
                words = f"{classes or ''} {id_ or ''}".lower()
                known[key] = bool(_BESIDES.search(words)), bool(_CONTENT.search(words))
            is_besides, is_content = known[key]
            besides.append((label in _BESIDES_TAGS or is_besides) + (besides[parent] if parent >= 0 else 0))
            content.append((label in _CONTENT_TAGS or is_content) + (content[parent] if parent >= 0 else 0))
        return besides, content


def _words(label: str, names: Names) -> list[str]:
    classes, id_, _ = names
    found = [f"{label}.{word}" for word in dict.fromkeys((classes or "").split())]
    if id_ and _FIGURES.search(id_):
        found.append(f"{label}#{_FIGURES.sub('', id_)}")
    return found
