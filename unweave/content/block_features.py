"""Features of the blocks of a page: what each says, where it is, and what is around it."""

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
    MAX_NAME_LENGTH,
    MIN_PROSE_WORDS,
    MIN_SENTENCE_WORDS,
    Block,
    BlockScores,
    find_blocks,
    find_hidden_nodes,
)
from unweave.content.body import find_body
from unweave.page.page import Page


class TextFeatures(NamedTuple):
    """The numbers that describe the text of a block."""

    words: float
    ending: float
    commas: float
    sentences: float
    word_length: float
    numbers: float
    capitals: float
    start: float
    has_price: float
    has_date: float


class PlaceFeatures(NamedTuple):
    """The numbers that describe the place of a block in its page, and its neighbours."""

    linked: float
    occurrences: float
    occurs_before: float
    in_title: float
    position: float
    from_main_heading: float
    from_heading: float
    heading_level: float
    words_previous: float
    linked_previous: float
    same_tag_previous: float
    words_next: float
    linked_next: float
    same_tag_next: float
    prose_near: float
    linked_near: float
    prose_around: float
    linked_around: float
    body: float
    """2 in the body that an article would have, 1 in the element around it, else 0."""


class ElementFeatures(NamedTuple):
    """The numbers that describe the element of a block, and the elements around it."""

    tag: float
    hidden: float
    # The elements around it: each is the next larger one with more blocks.
    words_1: float
    linked_1: float
    prose_1: float
    words_2: float
    linked_2: float
    prose_2: float
    share_3: float
    section_words: float
    section_linked: float
    section_prose: float
    section_position: float
    # Siblings like it, and like the elements around it.
    same_0: float
    same_1: float
    record_count: float
    record_words: float
    record_linked: float
    # The page.
    page_words: float
    page_linked: float
    page_prose: float


Span = tuple[int, int]
"""The number of the first block and of the one after the last."""

_LEVELS = (0, 1, 2, 4)
_SECOND, _THIRD = 1, 3


class Element(NamedTuple):
    """The smallest element around some blocks."""

    node: int
    first: int
    end: int
    words: float
    log_words: float
    linked: float
    """The share of its words that are in links."""
    prose: float
    """The share of its words that are in sentences."""
    outer: int
    """The number of the next larger element; its own for the largest."""
    section: int
    """The number of the largest one around it without most words of the page."""


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The blocks of a page with their features and the words that tell what they are."""

    page: Page
    blocks: Sequence[Block]
    texts: list[TextFeatures]
    places: list[PlaceFeatures]
    elements: list[ElementFeatures]
    """The features of elements; similar siblings share them."""
    element_numbers: list[int]
    """The number of the features of the element of each block."""
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
_MAX_VALUE_WORDS = 40  # a price or a date in a longer text says little
_MAX_COUNTED_LENGTH = 2_000


@lru_cache(maxsize=16_384)  # the same names are all over a site
def split_names(label: str, classes: str, id_: str) -> tuple[str, ...]:
    """Return the tag of an element and the words of its class and id."""
    words: list[str] = []
    for name in (*classes[:MAX_NAME_LENGTH].split(), *id_[:MAX_NAME_LENGTH].split()):
        words += _split_name(name)
    found = dict.fromkeys(words[:_MAX_NAME_WORDS])
    return tuple(found) if label in ("div", "span") else (f"<{label}>", *found)


@lru_cache(maxsize=16_384)
def _split_name(name: str) -> tuple[str, ...]:
    """Return the words of one class or id."""
    return tuple([word.lower() for word in _NAME_WORD.findall(name) if len(word) > 2])


@lru_cache(maxsize=16_384)
def _split_phrase(text: str) -> tuple[str, ...]:
    """Return what the model knows of a text: its words, marked by the length of the text."""
    words = _WORD.findall(text[:_MAX_PHRASE_LENGTH].lower())
    if len(words) <= _MAX_SHORT_WORDS:
        if 1 < len(words) <= 4:
            return (f"={' '.join(words)}", *[f"s:{word}" for word in words])
        return tuple([f"s:{word}" for word in words])
    return tuple([f"l:{word}" for word in words[:_MAX_FIRST_WORDS]])


def describe_blocks(
    page: Page, blocks: Sequence[Block], visible: Sequence[Block] | None = None
) -> PageBlocks:
    """Return the features of the blocks of a page.

    ``visible`` has the blocks without hidden ones; they are looked for if they are not given.
    """
    if visible is None:
        visible = find_blocks(page)
    texts = [_describe_text(block.text[:_MAX_COUNTED_LENGTH], block.words) for block in blocks]
    around = _Surroundings(page, blocks, texts)
    headings, levels = _find_headings(page, blocks)
    bodies = _locate_body(page, blocks, visible)
    places = _describe_places(page, blocks, around, headings, levels, bodies)
    headings = [
        heading if number - heading <= _MAX_HEADING_DISTANCE else -1
        for number, heading in enumerate(headings)
    ]
    return PageBlocks(
        page,
        blocks,
        texts,
        places,
        around.features,
        around.element_numbers,
        around.names,
        [_split_phrase(block.text[:_MAX_PHRASE_LENGTH]) for block in blocks],
        headings,
        around.levels,
        around.kinds,
    )


@lru_cache(maxsize=16_384)
def _describe_text(text: str, words: float) -> TextFeatures:
    parts = text.split()
    count = len(parts)
    numbers = len(_NUMBERS.findall(text))
    is_short = words <= _MAX_VALUE_WORDS
    has_value = is_short and numbers > 0
    return TextFeatures(
        math.log1p(words),
        _SENTENCE_ENDS.get(text[-1], 0),
        text.count(",") / (words or 1),
        len(_SENTENCE.findall(text)) if words > 3 else 0,
        len(text) / (count or 1),
        numbers / (count or 1),
        sum([part[0].isupper() for part in parts[:10]]) / (min(10, count) or 1),
        _classify_start(text[0]),
        float(has_value and _PRICE.search(text) is not None),
        float(
            (has_value or (is_short and "ago" in text.lower())) and _DATE.search(text) is not None
        ),
    )


def _classify_start(character: str) -> float:
    if character.isupper():
        return 0.0
    if character.islower():
        return 1.0
    if character.isdigit():
        return 2.0
    return 3.0 if character in "©•·|/→›»«‹+-–—×✓★#" else 4.0


def _find_headings(page: Page, blocks: Sequence[Block]) -> tuple[list[int], list[int]]:
    """Return for each block the last heading before it, and its level, or seven more below it."""
    labels, parents = page.tree.labels, page.tree.parents
    headings: list[int] = []
    levels: list[int] = []
    heading, level = -1, 0
    for number, block in enumerate(blocks):
        owner = block.owner
        own = _HEADINGS.get(labels[owner]) or _HEADINGS.get(labels[parents[owner]], 0)
        headings.append(heading)
        levels.append(own or level + 7)
        if own:
            heading, level = number, own
    return headings, levels


def _describe_places(
    page: Page,
    blocks: Sequence[Block],
    around: _Surroundings,
    headings: Sequence[int],
    levels: Sequence[int],
    bodies: Sequence[float],
) -> list[PlaceFeatures]:
    words, linked, prose = around.words, around.linked, around.prose
    count = len(blocks)
    occurrences = Counter([block.text for block in blocks])
    title = f"{page.title} {page.metadata.find_first('og:title')}".lower()
    main_heading = next((number for number, level in enumerate(levels) if level == 1), -1000)
    seen: set[str] = set()
    logs = [0.0, *[text.words for text in around.texts], 0.0]
    links = [-1.0, *[block.linked for block in blocks], -1.0]
    tags = ["", *[page.tree.labels[block.owner] for block in blocks], ""]
    rows: list[PlaceFeatures] = []
    for number, block in enumerate(blocks):
        text, heading = block.text, headings[number]
        first, end = max(0, number - 2), min(count, number + 3)
        near = words[end] - words[first] or 1.0
        outer_first, outer_end = max(0, number - 6), min(count, number + 7)
        wide = words[outer_end] - words[outer_first] or 1.0
        rows.append(
            PlaceFeatures(
                block.linked,
                occurrences[text],
                1.0 if text in seen else 0.0,
                1.0 if 1 < block.words < 30 and text.lower() in title else 0.0,
                number / count,
                number - main_heading if main_heading >= 0 else -1000,
                number - heading if heading >= 0 else 1000,
                levels[number],
                logs[number],
                links[number],
                1.0 if tags[number] == tags[number + 1] else 0.0,
                logs[number + 2],
                links[number + 2],
                1.0 if tags[number + 2] == tags[number + 1] else 0.0,
                (prose[end] - prose[first]) / near,
                (linked[end] - linked[first]) / near,
                (prose[outer_end] - prose[outer_first]) / wide,
                (linked[outer_end] - linked[outer_first]) / wide,
                bodies[number],
            )
        )
        seen.add(text)
    return rows


def _locate_body(page: Page, blocks: Sequence[Block], visible: Sequence[Block]) -> list[float]:
    """Return for each block 2 in the body that an article would have, 1 around it, else 0."""
    if not visible:
        return [0.0] * len(blocks)
    body = find_body(BlockScores(page, visible))
    starts = {block.start for block in body.blocks}
    container = range(body.container, page.tree.ends[body.container])
    return [2.0 if block.start in starts else float(block.owner in container) for block in blocks]


class _Surroundings:
    """The elements around the blocks of a page."""

    def __init__(self, page: Page, blocks: Sequence[Block], texts: Sequence[TextFeatures]) -> None:
        self.page, self.blocks, self.texts = page, blocks, texts
        self.words = list(accumulate([block.words for block in blocks], initial=0.0))
        self.linked = list(
            accumulate([block.words * block.linked for block in blocks], initial=0.0)
        )
        prose = [
            block.words if _is_prose(block, text) else 0.0
            for block, text in zip(blocks, texts, strict=True)
        ]
        self.prose = list(accumulate(prose, initial=0.0))
        self.total = self.words[-1] or 1.0
        self._page_shares = (
            math.log1p(self.total),
            self.linked[-1] / self.total,
            self.prose[-1] / self.total,
        )
        self.names: dict[int, tuple[str, ...]] = {}
        self.features: list[ElementFeatures] = []
        self.element_numbers: list[int] = []
        self.levels: list[tuple[Span, ...]] = []
        self.kinds: list[int] = []
        self._hidden: dict[int, float] = {-1: 0.0}
        self._steps: dict[int, int] = {-1: -1}
        """A number for the tag and class of each node."""
        self._groups: dict[int, int] = {}
        """A number for the parent and the step of each node: siblings that are alike share it."""
        self._group_sizes: list[int] = []
        self._elements: list[Element] = []
        self._smallest: dict[int, int] = {}
        """The smallest element with the blocks of each node."""
        self._describe_nodes()
        self._describe_owners()

    def _describe_nodes(self) -> None:
        """Describe the nodes around blocks, the outer ones first."""
        page, parents, labels = self.page, self.page.tree.parents, self.page.tree.labels
        starts, ends = page.text_starts, page.text_ends
        hidden_nodes, aria_hidden = find_hidden_nodes(page), page.find_attribute("aria-hidden")
        needed: set[int] = set()
        for block in self.blocks:
            node = block.owner
            while node >= 0 and node not in needed:
                needed.add(node)
                node = parents[node]
        before = self._count_blocks_before()
        words, linked, prose = self.words, self.linked, self.prose
        largest = _MAX_SECTION_SHARE * self.total
        steps: dict[tuple[str, str], int] = {}
        groups: dict[tuple[int, int], int] = {}
        sizes = self._group_sizes
        names, hidden, elements = self.names, self._hidden, self._elements
        for node in sorted(needed):
            label, parent = labels[node], parents[node]
            classes, id_, _ = page.identifiers[node]
            if label in ("html", "body"):
                names[node] = ()
                above = 0.0
            else:
                names[node] = split_names(label, classes or "", id_ or "")
                above = hidden[parent]
                if node in hidden_nodes:
                    above = 2.0
                elif above < 2 and aria_hidden.get(node) == "true":
                    above = 1.0
            hidden[node] = above
            step = (label, classes or "")
            number = self._steps[node] = steps.setdefault(step, len(steps))
            group = self._groups[node] = groups.setdefault((parent, number), len(groups))
            if group == len(sizes):
                sizes.append(0)
            sizes[group] += 1
            first, end = before[starts[node]], before[ends[node]]
            outer = self._smallest.get(parent, -1)
            if outer >= 0 and elements[outer].first == first and elements[outer].end == end:
                self._smallest[node] = outer
                continue
            own = self._smallest[node] = len(elements)
            inside = words[end] - words[first]
            is_in_section = outer >= 0 and elements[outer].words <= largest
            elements.append(
                Element(
                    node,
                    first,
                    end,
                    inside,
                    math.log1p(inside),
                    (linked[end] - linked[first]) / (inside or 1.0),
                    (prose[end] - prose[first]) / (inside or 1.0),
                    max(outer, 0),
                    elements[outer].section if is_in_section else own,
                )
            )

    def _count_blocks_before(self) -> list[int]:
        """Return for each text node, and for the end, the number of blocks that start before."""
        before: list[int] = []
        for number, block in enumerate(self.blocks):
            before.extend([number] * (block.start + 1 - len(before)))
        before.extend([len(self.blocks)] * (len(self.page.texts) + 1 - len(before)))
        return before

    def _describe_owners(self) -> None:
        """Describe the element of each block. Similar siblings share all features."""
        parents, steps = self.page.tree.parents, self._steps
        known: dict[tuple[float, ...], int] = {}
        levels: dict[int, tuple[Span, ...]] = {}
        kinds: dict[tuple[int, ...], int] = {}
        for block in self.blocks:
            owner, parent = block.owner, parents[block.owner]
            smallest = self._smallest[owner]
            element = self._elements[smallest]
            is_single = element.end - element.first == 1
            key = (parent, steps[owner], self._hidden[owner]) if is_single else (-1, owner)
            number = known.get(key)
            if number is None:
                number = known[key] = len(self.features)
                self.features.append(self._describe_element(owner, smallest))
            self.element_numbers.append(number)
            several = element.outer if is_single else smallest
            if several not in levels:
                levels[several] = self._find_levels(several)
            self.levels.append(levels[several])
            above = parents[parent] if parent >= 0 else -1
            kind = (steps[owner], steps[parent], steps[above])
            self.kinds.append(kinds.setdefault(kind, len(kinds)))

    def _find_levels(self, smallest: int) -> tuple[Span, ...]:
        spans: list[Span] = []
        for level in range(_LEVELS[-1] + 1):
            element = self._elements[smallest]
            if level in _LEVELS:
                spans.append((element.first, element.end))
            smallest = element.outer
        return tuple(spans)

    def _describe_element(self, owner: int, smallest: int) -> ElementFeatures:
        """Return the features of an element with blocks, and of those around it."""
        elements, parents = self._elements, self.page.tree.parents
        groups, sizes = self._groups, self._group_sizes
        one = elements[smallest]
        if one.end - one.first == 1:
            one = elements[one.outer]
        two = elements[one.outer]
        three = elements[elements[two.outer].outer]
        section = elements[one.section]
        same: list[int] = []
        record_count, record, node, element = 0, one, owner, one
        for _ in range(3):
            most = 0
            while node != element.node:
                most = max(most, sizes[groups[node]])
                node = parents[node]
            if most >= 3 and most > record_count:
                record_count, record = most, element
            same.append(most)
            element = elements[element.outer]
        total = self.total
        return ElementFeatures(
            _TAG_CODES.get(self.page.tree.labels[owner], 0),
            self._hidden[owner],
            one.log_words,
            one.linked,
            one.prose,
            two.log_words,
            two.linked,
            two.prose,
            three.words / total,
            section.words / total,
            section.linked,
            section.prose,
            self.words[section.first] / total,
            same[0],
            same[1],
            record_count,
            record.words / max(1, record_count),
            record.linked,
            *self._page_shares,
        )


def _is_prose(block: Block, text: TextFeatures) -> bool:
    if block.linked > 1 / 2:
        return False
    return block.words >= MIN_PROSE_WORDS or (
        block.words >= MIN_SENTENCE_WORDS and text.sentences > 0
    )
