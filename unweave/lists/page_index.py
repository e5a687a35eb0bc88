"""The page index: sums over the text of a page and descriptions of its elements."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import accumulate

from unweave.lists.listing import Listing
from unweave.page.boilerplate import LIST_BOILERPLATE_TAGS, LIST_BOILERPLATE_WORDS
from unweave.page.page import Page
from unweave.page.parse import Identifiers

Span = tuple[int, int]
"""The text nodes of a record: the number of the first, and that after the last."""

_MAX_START_TAGS = 4
# A hostile page could have as many different children as it has children.
_MAX_STEPS = 2_000_000
_DIGITS = re.compile(r"\d+")

# Words in classes and ids of main content.
_CONTENT = re.compile("main|content|result|search|list|item|product|grid|article|hits")
_CONTENT_TAGS = frozenset(["main"])


class PageIndex:
    """An index of one page: prefix sums by text node and by element, and tokens of elements.

    A prefix sum at ``i`` is the sum over all text nodes (or elements) before ``i``, so that the
    sum over a range is the difference of two.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.labels, self.parents, self.ends = page.tree.labels, page.tree.parents, page.tree.ends
        self.first_texts, self.stop_texts = page.text_starts, page.text_ends
        self.length_sums = list(accumulate(map(len, page.texts), initial=0))
        """The length of all text before each text node, in characters."""
        self._steps_left = _MAX_STEPS
        self._path_counts: dict[Span, Counter[int]] = {}

    def spend_steps(self, steps: int) -> bool:
        """Take steps from the budget of this page; return False if too few are left."""
        self._steps_left -= steps
        return self._steps_left >= 0

    # ---- text ------------------------------------------------------------------------------------

    @cached_property
    def nodes_with_text(self) -> list[int]:
        """The elements that have text."""
        bounds = zip(self.first_texts, self.stop_texts, strict=True)
        return [node for node, (first, stop) in enumerate(bounds) if stop > first]

    @cached_property
    def children_with_text(self) -> list[list[int]]:
        """For every element its children that have text."""
        children: list[list[int]] = [[] for _ in self.labels]
        parents = self.parents
        for node in self.nodes_with_text:
            if node:
                children[parents[node]].append(node)
        return children

    @cached_property
    def length_before(self) -> list[int]:
        """For every element the length of the text before it."""
        return [self.length_sums[first] for first in self.first_texts]

    @cached_property
    def length_to_end(self) -> list[int]:
        """For every element the length of the text before its end."""
        return [self.length_sums[stop] for stop in self.stop_texts]

    def measure_text(self, node: int) -> int:
        """Return the length of the text of an element."""
        return self.length_to_end[node] - self.length_before[node]

    @cached_property
    def link_length_sums(self) -> list[int]:
        """The length of all linked text before each text node."""
        is_linked: list[bool] = []
        for label, parent in zip(self.labels, self.parents, strict=True):
            is_linked.append(label == "a" or (parent >= 0 and is_linked[parent]))
        texts = zip(self.page.texts, self.page.text_parents, strict=True)
        return list(
            accumulate((len(text) if is_linked[owner] else 0 for text, owner in texts), initial=0)
        )

    @cached_property
    def image_sums(self) -> list[int]:
        """The number of images before each element."""
        return list(accumulate((label == "img" for label in self.labels), initial=0))

    # ---- lists -----------------------------------------------------------------------------------

    def is_contiguous(self, listing: Listing) -> bool:
        """Tell whether the parts of each record are adjacent siblings."""
        return all(self.page.are_adjacent_siblings(record) for record in listing.records)

    def collect_texts(self, listing: Listing) -> set[int]:
        """Return the numbers of the text nodes of a list."""
        return {text for node in listing.nodes for text in self.page.text_nodes(node)}

    @cached_property
    def _text_paths(self) -> list[int]:
        """For every text node the number of its path: three tags, and the classes of the first."""
        numbers: dict[tuple[str, str, str, str], int] = {}
        paths: list[int] = []
        labels, parents = [*self.labels, ""], [*self.parents, -1]
        without_digits: dict[str | None, str] = {None: ""}
        for owner in self.page.text_parents:
            parent = parents[owner]
            classes = self.page.identifiers[owner][0]
            if classes not in without_digits:  # digits only number similar elements
                without_digits[classes] = _DIGITS.sub("", classes or "")
            key = (
                labels[owner],
                labels[parent],
                labels[parents[parent]],
                without_digits[classes],
            )
            paths.append(numbers.setdefault(key, len(numbers)))
        return paths

    def count_paths(self, span: Span) -> Counter[int]:
        """Return how often a record has a text node at each path; candidates share records."""
        counts = self._path_counts.get(span)
        if counts is None:
            counts = self._path_counts[span] = Counter(self._text_paths[span[0] : span[1]])
        return counts

    # ---- elements --------------------------------------------------------------------------------

    @cached_property
    def start_tokens(self) -> dict[int, list[str]]:
        """For every element its tag, its class tokens, and the tags that it starts with."""
        labels, classes, describe = self.labels, self.class_tokens, self._describe_start
        return {
            node: [labels[node], *classes[node], describe(node)] for node in self.nodes_with_text
        }

    @cached_property
    def class_tokens(self) -> dict[int, list[str]]:
        """For every element its classes, each with its tag, and its id without digits.

        Digits in an id only number similar elements.
        """
        labels, names = self.labels, self.page.identifiers
        known: dict[tuple[str, Identifiers], list[str]] = {}
        tokens_of: dict[int, list[str]] = {}
        for node in self.nodes_with_text:
            key = (labels[node], names[node])
            tokens = known.get(key)
            if tokens is None:
                label, (classes, id_, _) = key
                tokens = [f"{label}.{word}" for word in dict.fromkeys((classes or "").split())]
                if id_ and _DIGITS.search(id_):
                    tokens.append(f"{label}#{_DIGITS.sub('', id_)}")
                known[key] = tokens
            tokens_of[node] = tokens
        return tokens_of

    def _describe_start(self, node: int) -> str:
        """Return the tags of the first descendants of an element, up to the first text."""
        labels, ends, starts_with_text = self.labels, self.ends, self._nodes_starting_with_text
        tags = labels[node]
        for _ in range(_MAX_START_TAGS):
            if node in starts_with_text:
                return f"{tags}>#text"
            if node + 1 >= ends[node]:
                break
            node += 1
            tags = f"{tags}>{labels[node]}"
        return f"{tags}>"

    @cached_property
    def _nodes_starting_with_text(self) -> set[int]:
        texts = zip(self.page.text_parents, self.page.text_positions, strict=True)
        return {owner for owner, following in texts if following == owner + 1}

    @cached_property
    def depths(self) -> list[int]:
        """The number of elements around each, itself included."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 1)
        return depths

    @property
    def boilerplate_depths(self) -> list[int]:
        """The number of elements around each whose tag, class or id marks boilerplate."""
        return self._marked_depths[0]

    @property
    def content_depths(self) -> list[int]:
        """The number of elements around each whose tag, class or id marks content."""
        return self._marked_depths[1]

    @cached_property
    def _marked_depths(self) -> tuple[list[int], list[int]]:
        known: dict[tuple[str | None, str | None], tuple[bool, bool]] = {}
        boilerplate: list[int] = []
        content: list[int] = []
        for label, parent, (classes, id_, _) in zip(
            self.labels, self.parents, self.page.identifiers, strict=True
        ):
            key = (classes, id_)
            if key not in known:
                words = f"{classes or ''} {id_ or ''}".lower()
                known[key] = (
                    bool(LIST_BOILERPLATE_WORDS.search(words)),
                    bool(_CONTENT.search(words)),
                )
            is_boilerplate, is_content = known[key]
            boilerplate.append(
                (label in LIST_BOILERPLATE_TAGS or is_boilerplate)
                + (boilerplate[parent] if parent >= 0 else 0)
            )
            content.append(
                (label in _CONTENT_TAGS or is_content) + (content[parent] if parent >= 0 else 0)
            )
        return boilerplate, content
