"""Features of the blocks of a page: what each says, and what surrounds it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from unweave.content.blocks import (
    MIN_PROSE_WORDS,
    MIN_SENTENCE_WORDS,
    Block,
    is_hidden,
    join_names,
)
from unweave.page.page import Page


class BlockFeatures(NamedTuple):
    """The numbers that describe a block."""

    # What it says.
    words: float
    linked: float
    ending: float
    commas: float
    sentences: float
    word_length: float
    numbers: float
    capitals: float
    start: float
    has_price: float
    has_date: float
    tag: float
    hidden: float
    occurrences: float
    occurs_before: float
    in_title: float
    # Where it is.
    position: float
    words_before: float
    words_after: float
    from_main_heading: float
    from_heading: float
    heading_level: float
    depth: float
    # The elements around it: each is the next larger one with more blocks.
    words_1: float
    linked_1: float
    prose_1: float
    blocks_1: float
    words_2: float
    linked_2: float
    prose_2: float
    blocks_2: float
    words_3: float
    linked_3: float
    prose_3: float
    share_3: float
    section_words: float
    section_linked: float
    section_prose: float
    section_position: float
    # Siblings like it, and like the elements around it.
    same_0: float
    same_1: float
    same_2: float
    same_3: float
    record_count: float
    record_words: float
    record_linked: float
    # Its neighbours.
    words_previous: float
    linked_previous: float
    same_tag_previous: float
    words_next: float
    linked_next: float
    same_tag_next: float
    prose_near: float
    linked_near: float
    prose_near_2: float
    linked_near_2: float
    # The page.
    page_words: float
    page_linked: float
    page_prose: float


Span = tuple[int, int]
"""The number of the first block and of the one after the last."""

LEVELS = (0, 1, 2, 4)
"""The elements that PageBlocks.levels has, of those that have ever more blocks."""


class Element(NamedTuple):
    """An element with several blocks."""

    node: int
    first: int
    end: int
    words: float
    linked: float
    prose: float


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The blocks of a page with their features and the words that tell what they are."""

    page: Page
    blocks: Sequence[Block]
    features: list[BlockFeatures]
    names: dict[int, tuple[str, ...]]
    """The tags and the words in the class and the id of the elements around blocks."""
    phrases: list[tuple[str, ...]]
    """The words of each block."""
    headings: list[int]
    """The number of the last heading before each block; -1 for none."""
    levels: list[tuple[Span, ...]]
    """The blocks of four elements around each block, the smallest with several blocks first."""
    kinds: list[int]
    """A number for the tags and classes of the element of each block and of the two around it."""

    def list_near_names(self, number: int) -> tuple[str, ...]:
        """Return the names of the element of a block and of its parent."""
        owner = self.blocks[number].owner
        return self.names[owner] + self.names.get(self.page.tree.parents[owner], ())

    def find_far_node(self, number: int) -> int:
        """Return the grandparent of a block; -1 for none."""
        parents = self.page.tree.parents
        parent = parents[self.blocks[number].owner]
        return parents[parent] if parent >= 0 else -1


_TAG_GROUPS = (
    "div section article main body",
    "p",
    "li",
    "h1",
    "h2",
    "h3",
    "h4 h5 h6",
    "td",
    "th",
    "dt",
    "dd",
    "pre",
    "blockquote",
    "button",
    "label legend",
    "figcaption caption",
    "summary",
    "tr tbody table",
    "ul ol dl",
    "nav header footer aside",
)
_TAG_CODES = {tag: code for code, tags in enumerate(_TAG_GROUPS, start=1) for tag in tags.split()}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SENTENCE_ENDS = {**dict.fromkeys(".!?…。！？", 1), ":": 2, **dict.fromkeys("\"”»)’'", 3)}
_SENTENCE = re.compile(r"[.!?…。！？][\"”»)]?(?:\s|$)")
_NUMBERS = re.compile(r"\d+")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[€£¥]|USD|EUR|GBP|kr\b|zł)")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,2}:\d\d\b"
    r"|\b(?:\d+|an?)\s(?:second|minute|min|hour|day|week|month|year)s?\sago\b",
    re.IGNORECASE,
)
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WORD = re.compile(r"[^\W\d_]+")

_MAX_NAME_WORDS = 16
_MAX_SHORT_WORDS = 8
_MAX_FIRST_WORDS = 12
_MAX_PHRASE_LENGTH = 120
_MAX_HEADING_DISTANCE = 60
_MAX_SECTION_SHARE = 0.7


@lru_cache(maxsize=16_384)  # the same names are all over a site
def split_names(label: str, names: str) -> tuple[str, ...]:
    """Return the tag of an element and the words of its class and id."""
    words = [word.lower() for word in _NAME_WORD.findall(names) if len(word) > 2]
    found = dict.fromkeys(words[:_MAX_NAME_WORDS])
    return tuple(found) if label in ("div", "span") else (f"<{label}>", *found)


@lru_cache(maxsize=16_384)
def _split_phrase(text: str) -> tuple[str, ...]:
    words = _WORD.findall(text[:_MAX_PHRASE_LENGTH].lower())
    if len(words) <= _MAX_SHORT_WORDS:
        if 1 < len(words) <= 4:
            return (f"={' '.join(words)}", *[f"s:{word}" for word in words])
        return tuple([f"s:{word}" for word in words])
    return tuple([f"l:{word}" for word in words[:_MAX_FIRST_WORDS]])


class _Surroundings:
    """The elements around the blocks of a page."""

    def __init__(self, page: Page, blocks: Sequence[Block]) -> None:
        tree = page.tree
        self.page, self.blocks = page, blocks
        self.words = list(accumulate([block.words for block in blocks], initial=0.0))
        self.linked = list(
            accumulate([block.words * block.linked for block in blocks], initial=0.0)
        )
        self.is_prose = [
            block.linked <= 1 / 2
            and (
                block.words >= MIN_PROSE_WORDS
                or (block.words >= MIN_SENTENCE_WORDS and _SENTENCE.search(block.text) is not None)
            )
            for block in blocks
        ]
        self.prose = list(
            accumulate(
                [
                    block.words if is_prose else 0.0
                    for block, is_prose in zip(blocks, self.is_prose, strict=True)
                ],
                initial=0.0,
            )
        )
        self._blocks_before: list[int] = []
        number = 0
        for text_node in range(len(page.texts) + 1):
            while number < len(blocks) and blocks[number].start < text_node:
                number += 1
            self._blocks_before.append(number)
        self.nodes: dict[int, tuple[int, ...]] = {}
        self.depths: dict[int, int] = {}
        self.names: dict[int, tuple[str, ...]] = {}
        self.hidden: dict[int, float] = {}
        self._elements: dict[int, list[Element]] = {}
        counts: Counter[tuple[int, str, str]] = Counter()
        labels, parents, attributes = tree.labels, tree.parents, page.attributes
        self._signatures = [
            (parent, label, values.get("class", "")) if values else (parent, label, "")
            for parent, label, values in zip(parents, labels, attributes, strict=True)
        ]
        counts.update(self._signatures)
        self._counts = counts
        self._describe_nodes()

    def count_same(self, node: int) -> int:
        """Return the number of siblings with the same tag and class, with the node itself."""
        return self._counts[self._signatures[node]]

    def _describe_nodes(self) -> None:
        """Describe the elements around blocks, the outer ones first."""
        tree, attributes = self.page.tree, self.page.attributes
        needed: set[int] = set()
        for block in self.blocks:
            node = block.owner
            while node >= 0 and node not in needed:
                needed.add(node)
                node = tree.parents[node]
        for node in sorted(needed):
            label, parent = tree.labels[node], tree.parents[node]
            values = attributes[node]
            is_root = label in ("html", "body")
            self.names[node] = () if is_root else split_names(label, join_names(values))
            above = self.hidden.get(parent, 0.0)
            if is_root:
                self.hidden[node] = 0.0
            elif values and is_hidden(values):
                self.hidden[node] = 2.0
            elif values and values.get("aria-hidden") == "true":
                self.hidden[node] = max(above, 1.0)
            else:
                self.hidden[node] = above
            self.depths[node] = self.depths.get(parent, 0) + 1

    def find_elements(self, node: int) -> list[Element]:
        """Return the elements around a node that have ever more blocks, the smallest first."""
        known = self._elements.get(node)
        if known is not None:
            return known
        page, parents = self.page, self.page.tree.parents
        path: list[int] = []
        while node >= 0 and node not in self._elements:
            path.append(node)
            node = parents[node]
        for inner in reversed(path):
            outer = self._elements[parents[inner]] if parents[inner] >= 0 else []
            first = self._blocks_before[page.text_starts[inner]]
            end = self._blocks_before[page.text_ends[inner]]
            if outer and outer[0].first == first and outer[0].end == end:
                elements = outer
            else:
                elements = [
                    Element(
                        inner,
                        first,
                        end,
                        self.words[end] - self.words[first],
                        self.linked[end] - self.linked[first],
                        self.prose[end] - self.prose[first],
                    ),
                    *outer[:24],
                ]
            self._elements[inner] = elements
        return self._elements[path[0]]


def describe_blocks(page: Page, blocks: Sequence[Block]) -> PageBlocks:
    """Return the features of the blocks of a page."""
    around = _Surroundings(page, blocks)
    labels, parents = page.tree.labels, page.tree.parents
    total = around.words[-1] or 1.0
    count = len(blocks)
    occurrences = Counter([block.text for block in blocks])
    seen: set[str] = set()
    title = f"{page.title} {page.metadata.find_first('og:title')}".lower()
    main_heading = next(
        (number for number, block in enumerate(blocks) if _is_main_heading(page, block)), -1
    )
    heading, level = -1, 0
    rows: list[BlockFeatures] = []
    phrases: list[tuple[str, ...]] = []
    headings: list[int] = []
    logs = [math.log1p(block.words) for block in blocks]
    page_words, page_linked = math.log1p(total), around.linked[-1] / total
    page_prose = around.prose[-1] / total
    containers: dict[int, tuple[float, ...]] = {}
    for number, block in enumerate(blocks):
        owner, _, text, words, linked = block
        label = labels[owner]
        in_heading = _HEADINGS.get(label, 0)
        headings.append(heading if number - heading <= _MAX_HEADING_DISTANCE else -1)
        is_short = words <= 40
        surrounding = containers.get(owner)
        if surrounding is None:
            surrounding = containers[owner] = _describe_container(around, owner, total)
        near = max(0, number - 2), min(count, number + 3)
        near_2 = max(0, number - 6), min(count, number + 7)
        near_words = around.words[near[1]] - around.words[near[0]] or 1.0
        near_words_2 = around.words[near_2[1]] - around.words[near_2[0]] or 1.0
        words_in = text.split()
        rows.append(
            BlockFeatures(
                logs[number],
                linked,
                _SENTENCE_ENDS.get(text[-1], 0),
                text.count(",") / (words or 1),
                len(_SENTENCE.findall(text)) if words > 3 else 0,
                len(text) / len(words_in),
                len(_NUMBERS.findall(text)) / len(words_in) if words < 200 else 0,
                sum([word[0].isupper() for word in words_in[:10]]) / min(10, len(words_in)),
                _classify_start(text[0]),
                float(is_short and _PRICE.search(text) is not None),
                float(is_short and _DATE.search(text) is not None),
                _TAG_CODES.get(label, 0),
                around.hidden[owner],
                occurrences[text],
                float(text in seen),
                float(1 < words < 30 and text.lower() in title),
                number / count,
                around.words[number] / total,
                (total - around.words[number]) / total,
                number - main_heading if main_heading >= 0 else -1000,
                number - heading if heading >= 0 else 1000,
                in_heading or level + 7,
                around.depths[owner],
                *surrounding,
                logs[number - 1] if number else 0.0,
                blocks[number - 1].linked if number else -1.0,
                float(number > 0 and labels[blocks[number - 1].owner] == label),
                logs[number + 1] if number + 1 < count else 0.0,
                blocks[number + 1].linked if number + 1 < count else -1.0,
                float(number + 1 < count and labels[blocks[number + 1].owner] == label),
                (around.prose[near[1]] - around.prose[near[0]]) / near_words,
                (around.linked[near[1]] - around.linked[near[0]]) / near_words,
                (around.prose[near_2[1]] - around.prose[near_2[0]]) / near_words_2,
                (around.linked[near_2[1]] - around.linked[near_2[0]]) / near_words_2,
                page_words,
                page_linked,
                page_prose,
            )
        )
        phrases.append(_split_phrase(text[:_MAX_PHRASE_LENGTH]))
        seen.add(text)
        if not in_heading and labels[parents[owner]] in _HEADINGS:
            in_heading = _HEADINGS[labels[parents[owner]]]
        if in_heading:
            heading, level = number, in_heading
    levels = [_find_levels(around, block.owner) for block in blocks]
    kinds = _number_kinds(page, blocks)
    return PageBlocks(page, blocks, rows, around.names, phrases, headings, levels, kinds)


def _find_levels(around: _Surroundings, owner: int) -> tuple[Span, ...]:
    elements = around.find_elements(owner)
    last = len(elements) - 1
    return tuple(
        [(elements[min(level, last)].first, elements[min(level, last)].end) for level in LEVELS]
    )


def _number_kinds(page: Page, blocks: Sequence[Block]) -> list[int]:
    """Return a number for the tags and classes around each block."""
    tree, attributes = page.tree, page.attributes
    numbers: dict[tuple[str, ...], int] = {}
    kinds: dict[int, int] = {}
    for block in blocks:
        if block.owner in kinds:
            continue
        key: list[str] = []
        node = block.owner
        for _ in range(3):
            if node < 0:
                break
            key += (tree.labels[node], attributes[node].get("class", ""))
            node = tree.parents[node]
        kinds[block.owner] = numbers.setdefault(tuple(key), len(numbers))
    return [kinds[block.owner] for block in blocks]


def _is_main_heading(page: Page, block: Block) -> bool:
    labels, parents = page.tree.labels, page.tree.parents
    return labels[block.owner] == "h1" or labels[parents[block.owner]] == "h1"


def _classify_start(character: str) -> float:
    if character.isupper():
        return 0.0
    if character.islower():
        return 1.0
    if character.isdigit():
        return 2.0
    if character in "©•·|/→›»«‹+-–—×✓★#":
        return 3.0
    return 4.0


def _describe_container(around: _Surroundings, owner: int, total: float) -> tuple[float, ...]:
    """Return the features of the elements around the blocks of an element, and of its siblings."""
    parents = around.page.tree.parents
    elements = around.find_elements(owner)
    start = 1 if elements[0].end - elements[0].first == 1 and len(elements) > 1 else 0
    one = elements[start]
    two = elements[min(start + 1, len(elements) - 1)]
    three = elements[min(start + 3, len(elements) - 1)]
    section = one
    for element in elements[start:]:
        if element.words > _MAX_SECTION_SHARE * total:
            break
        section = element
    same: list[int] = []
    record_count, record = 0, one
    node = owner
    for element in elements[start : start + 3]:
        most = around.count_same(node) if node != element.node else 0
        while node != element.node and parents[node] != element.node:
            node = parents[node]
            most = max(most, around.count_same(node))
        if most >= 3 and most > record_count:
            record_count, record = most, element
        same.append(most)
        node = element.node
    same.extend([0] * (3 - len(same)))
    outer = max(
        [around.count_same(element.node) for element in elements[start + 2 : start + 6]], default=0
    )
    records = max(1, record_count)
    return (
        math.log1p(one.words),
        one.linked / (one.words or 1),
        one.prose / (one.words or 1),
        one.end - one.first,
        math.log1p(two.words),
        two.linked / (two.words or 1),
        two.prose / (two.words or 1),
        two.end - two.first,
        math.log1p(three.words),
        three.linked / (three.words or 1),
        three.prose / (three.words or 1),
        three.words / total,
        section.words / total,
        section.linked / (section.words or 1),
        section.prose / (section.words or 1),
        around.words[section.first] / total,
        *same,
        outer,
        record_count,
        record.words / records,
        record.linked / (record.words or 1),
    )
