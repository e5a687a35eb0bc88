"""Find the labels of a template: texts that most pages have at one position.

A value that many pages share, such as a genre, is frequent, too. It differs from a label by what
other pages have instead: after one label comes one value or another, never both, while the labels
of several rows are on the same page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unweave.page.html_tables import find_label_nodes, find_value_nodes, number_cells
from unweave.page.page import Page
from unweave.page.template_paths import HIDDEN_PATH
from unweave.wrappers.fields.locators import Position, PositionedText, may_be_label

MAX_OTHER_TEXTS = 200
"""After one text, more different texts than this are values and not counted further."""


@dataclass(frozen=True)
class LabelRules:
    """When a text at a position is a label. Shares are of the pages unless stated otherwise."""

    min_pages: int = 2
    """A label is on this many pages; if it ends with a colon, that is enough."""
    frequent_share: float = 0.3
    """A text that is on fewer pages is not a label."""
    min_frequent_texts: float = 0.4
    """At the position of a label, this share of the texts is frequent, and …"""
    min_frequent_distinct: float = 0.5
    """… this share of the different texts, or …"""
    always_share: float = 0.8
    """… the label is on this share of the pages."""
    preceding_share: float = 0.5
    """A text alternates if it does so after a text that precedes it in this share of the cases."""
    min_other_share: float = 0.1
    """Texts alternate only if this share of the pages has another text."""
    max_shared_pages: float = 0.5
    """Texts alternate only if fewer of them than this share are on the same page."""
    min_labels: int = 3
    """A position that holds labels only has this many labels that are …"""
    common_share: float = 0.5
    """… on this share of the pages, and …"""
    value_share: float = 0.8
    """A text is a value if it follows a colon on its line in this share of the cases."""
    labels_only_share: float = 0.8
    """… this share of its texts are labels."""


_RULES = LabelRules()


def find_labels(
    pages: Sequence[Page], paths_of_pages: Sequence[Sequence[int]]
) -> tuple[frozenset[PositionedText], frozenset[Position]]:
    """Return the labels of pages, and the positions that hold labels only.

    Args:
        pages: The pages of one template.
        paths_of_pages: The template path of every node of each page.
    """
    statistics = TextStatistics(pages, paths_of_pages)
    labels = frozenset([text for text in statistics.page_counts if statistics.is_label(text)])
    return labels, statistics.find_label_positions(labels)


class _Followers(NamedTuple):
    """Counts of the texts at one position after a given text."""

    texts: int
    """How many different texts there are."""
    total: int
    """The number of pages on which each of them follows the given text, added up."""
    by_page: Counter[int]
    """The same for each page, of the texts that it has at the position after whatever text."""


class TextStatistics:
    """How often texts are at which positions, and after which other texts."""

    def __init__(self, pages: Sequence[Page], paths_of_pages: Sequence[Sequence[int]]) -> None:
        self.page_counts: Counter[PositionedText] = Counter()
        self._page_total = len(pages)
        self._pages_of: defaultdict[PositionedText, list[int]] = defaultdict(list)
        self._occurrences: Counter[PositionedText] = Counter()
        self._preceding: defaultdict[PositionedText, Counter[PositionedText]] = defaultdict(Counter)
        self._following: defaultdict[
            tuple[PositionedText, Position], defaultdict[str, set[int]]
        ] = defaultdict(lambda: defaultdict(set))
        self._after_colons: Counter[PositionedText] = Counter()
        self._followers: dict[tuple[PositionedText, Position], _Followers] = {}
        # by position
        self._text_counts: Counter[Position] = Counter()
        self._max_per_page: Counter[Position] = Counter()
        self._value_counts: Counter[Position] = Counter()
        self._key_counts: Counter[Position] = Counter()
        self._distinct_texts: defaultdict[Position, set[str]] = defaultdict(set)
        for number, (page, paths) in enumerate(zip(pages, paths_of_pages, strict=True)):
            self._add_page(number, page, paths)
        self._min_frequent = max(_RULES.min_pages, _RULES.frequent_share * self._page_total)
        self._frequent_counts: Counter[Position] = Counter()
        self._frequent_distinct: Counter[Position] = Counter()
        for text, count in self.page_counts.items():
            if count >= self._min_frequent:
                self._frequent_distinct[text[:2]] += 1
                self._frequent_counts[text[:2]] += self._occurrences[text]

    def _add_page(self, number: int, page: Page, paths: Sequence[int]) -> None:
        cell_columns = number_cells(page)
        is_value, is_key = find_value_nodes(page), find_label_nodes(page)
        counts: Counter[Position] = Counter()
        texts_of_page: set[PositionedText] = set()
        previous: PositionedText | None = None
        blocks = page.block_ancestors
        previous_block = -1
        for text, parent in zip(page.texts, page.text_parents, strict=True):
            position = (paths[parent], cell_columns[parent])
            if position[0] == HIDDEN_PATH:
                previous = None
                continue
            positioned = (*position, text)
            counts[position] += 1
            self._value_counts[position] += is_value[parent]
            self._key_counts[position] += is_key[parent] and may_be_label(text)
            self._occurrences[positioned] += 1
            self._distinct_texts[position].add(text)
            texts_of_page.add(positioned)
            if previous is not None:
                self._following[previous, position][text].add(number)
                self._preceding[positioned][previous] += 1
                is_beside = blocks[parent] == previous_block
                self._after_colons[positioned] += is_beside and previous[2].endswith(":")
            previous, previous_block = positioned, blocks[parent]
        self.page_counts.update(texts_of_page)
        for positioned in texts_of_page:
            self._pages_of[positioned].append(number)
        self._text_counts.update(counts)
        for position, count in counts.items():
            self._max_per_page[position] = max(self._max_per_page[position], count)

    def find_label_positions(self, labels: frozenset[PositionedText]) -> frozenset[Position]:
        """Return the positions that hold labels only, by the number of labels or by their tags."""
        common: Counter[Position] = Counter()
        occurrences: Counter[Position] = Counter()
        for label in labels:
            common[label[:2]] += self.page_counts[label] >= _RULES.common_share * self._page_total
            occurrences[label[:2]] += self._occurrences[label]
        positions: set[Position] = set()
        for position, text_count in self._text_counts.items():
            min_count = _RULES.labels_only_share * text_count
            has_labels = common[position] >= _RULES.min_labels and self._max_per_page[position] > 1
            if self._key_counts[position] >= min_count or (
                has_labels and occurrences[position] >= min_count
            ):
                positions.add(position)
        return frozenset(positions)

    def is_label(self, positioned: PositionedText) -> bool:
        """Tell whether a text at its position is a label."""
        text, count = positioned[2], self.page_counts[positioned]
        if not may_be_label(text):
            return False
        if text.endswith(":") and count >= _RULES.min_pages:
            return True
        if self._after_colons[positioned] >= _RULES.value_share * self._occurrences[positioned]:
            return False
        return (
            count >= self._min_frequent
            and self._may_hold_label(positioned)
            and not self._alternates(positioned)
        )

    def _may_hold_label(self, positioned: PositionedText) -> bool:
        position = positioned[:2]
        text_count = self._text_counts[position]
        if self._value_counts[position] >= _RULES.labels_only_share * text_count:
            return False
        distinct = len(self._distinct_texts[position])
        if self._max_per_page[position] == 1 and distinct > 1:
            return False  # one text on every page, and not always the same
        if self._frequent_counts[position] < _RULES.min_frequent_texts * text_count:
            return False
        if self._frequent_distinct[position] >= _RULES.min_frequent_distinct * distinct:
            return True
        return self.page_counts[positioned] >= _RULES.always_share * self._page_total

    def _alternates(self, positioned: PositionedText) -> bool:
        """Tell whether other pages have another text instead, after the same text."""
        if self.page_counts[positioned] == self._page_total:
            return False
        preceding = self._preceding[positioned]
        min_count = _RULES.preceding_share * preceding.total()
        return any(
            count >= min_count and self.alternates_after(previous, positioned)
            for previous, count in preceding.items()
        )

    def alternates_after(self, previous: PositionedText, positioned: PositionedText) -> bool:
        """Tell whether other pages have another text after ``previous``, and these pages do not."""
        position = positioned[:2]
        followers = self._count_followers(previous, position)
        pages = self._following[previous, position][positioned[2]]
        total = followers.total - len(pages)
        if total < max(2, _RULES.min_other_share * self._page_total):
            return False
        if followers.texts - 1 > MAX_OTHER_TEXTS:
            return True
        shared = sum(followers.by_page[page] - len(pages) for page in pages)
        return shared < _RULES.max_shared_pages * total * len(pages)

    def _count_followers(self, previous: PositionedText, position: Position) -> _Followers:
        """Count the texts at a position after a text; cached, as there may be many."""
        key = (previous, position)
        followers = self._followers.get(key)
        if followers is None:
            following = self._following[key]
            total = 0
            by_page: Counter[int] = Counter()
            for text, pages in following.items():
                total += len(pages)
                for page in self._pages_of[(*position, text)]:
                    by_page[page] += len(pages)
            followers = self._followers[key] = _Followers(len(following), total, by_page)
        return followers
