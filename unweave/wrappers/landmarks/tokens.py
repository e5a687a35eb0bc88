"""Tokens of pages, and the landmarks that match them (Cetorelli et al., sections 3 and 6)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from unweave.page.page import Page

UNMATCHED = -1
"""The partner of a tag that has none."""

MAX_CONDITIONS = 2
"""How many conditions a landmark may have."""

_MAX_ATTRIBUTES = 8  # of an element; those with values come first
_ATTRIBUTES_WITH_VALUES = ("class", "id")
_IGNORED_ATTRIBUTES = frozenset(["bgcolor"])
_VOID_TAGS = frozenset(
    "area base br col embed frame hr img input keygen link meta param source track wbr".split()
)


class TokenUnit(StrEnum):
    """What one token of text is: a word, as in the paper, or the whole text between two tags."""

    WORDS = "words"
    TEXTS = "texts"


class Condition(NamedTuple):
    """An attribute that an element must have, and its value; None for any value."""

    attribute: str
    value: str | None

    def __str__(self) -> str:
        return f"{self.attribute}=*" if self.value is None else f'{self.attribute}="{self.value}"'


Conditions = frozenset[Condition]
"""All conditions that the attributes of an element fulfil."""

_NO_CONDITIONS: Conditions = frozenset()


class Landmark(NamedTuple):
    """A text, or a tag with conditions on its attributes."""

    text: str | None
    tag: str = ""
    conditions: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        if self.text is not None:
            return f'"{self.text}"'
        return f"<{' '.join([self.tag, *map(str, self.conditions)])}>"

    @property
    def end_tag(self) -> str:
        """The end tag; empty for texts and for elements without one."""
        return f"</{self.tag}>" if self.text is None and self.tag not in _VOID_TAGS else ""


class Token(NamedTuple):
    """A text or a start tag; an end tag has neither text nor tag."""

    text: str | None
    tag: str = ""
    conditions: Conditions = _NO_CONDITIONS
    text_node: int = -1
    """The number of the text node that a text is from."""


@dataclass(frozen=True)
class TokenSequence:
    """The tokens of a page, each with the position of its partner.

    The partner of a start tag is its end tag and the other way around. A text and a tag without an
    end tag are their own partners.
    """

    tokens: list[Token]
    partners: list[int]
    continuations: frozenset[int] = frozenset()
    """The text nodes that continue the word before them."""

    def join_text(self, start: int, end: int) -> str:
        """Return the text of a region."""
        parts: list[str] = []
        previous = -1
        for token in self.tokens[start:end]:
            if token.text is not None:
                node = token.text_node
                is_continued = node != previous and node in self.continuations
                parts.append(token.text if is_continued or not parts else f" {token.text}")
                previous = node
        return "".join(parts)

    def find_landmark(self, landmark: Landmark, start: int, end: int) -> list[int]:
        """Return where a landmark occurs in a region; the first two positions if there are more."""
        text, tag, conditions = landmark
        keys = [(text, tag, condition) for condition in conditions or (None,)]
        positions = min((self._positions.get(key, []) for key in keys), key=len)
        occurrences: list[int] = []
        for index in range(bisect_left(positions, start), len(positions)):
            position = positions[index]
            if position >= end or len(occurrences) > 1:
                break
            if self.tokens[position].conditions.issuperset(conditions):
                occurrences.append(position)
        return occurrences

    @cached_property
    def _positions(self) -> dict[tuple[str | None, str, Condition | None], list[int]]:
        """The positions of texts, of tags, and of tags with one condition."""
        positions: dict[tuple[str | None, str, Condition | None], list[int]] = defaultdict(list)
        for position, token in enumerate(self.tokens):
            if token.text is not None or token.tag:
                positions[token.text, token.tag, None].append(position)
                for condition in token.conditions:
                    positions[None, token.tag, condition].append(position)
        return positions


def tokenize(page: Page, unit: TokenUnit, *, attributes: bool) -> TokenSequence:
    """Return the tokens of a page; without ``attributes``, tags fulfil no conditions."""
    labels, ends = page.tree.labels, page.tree.ends
    tokens: list[Token] = []
    partners: list[int] = []
    open_elements: list[tuple[int, int]] = []  # their nodes, and the positions of their start tags
    text_positions = [*page.text_positions, len(labels) + 1]
    text_node = 0

    def add_token(token: Token) -> None:
        partners.append(len(tokens))
        tokens.append(token)

    def close_element() -> None:
        start = open_elements.pop()[1]
        partners[start] = len(tokens)
        partners.append(start)
        tokens.append(Token(None))

    for node in range(len(labels) + 1):
        while text_positions[text_node] == node:
            # A text after an element belongs to an element that is still open.
            parent = page.text_parents[text_node]
            while open_elements and open_elements[-1][0] != parent:
                if ends[open_elements[-1][0]] > node:
                    break
                close_element()
            text = page.texts[text_node]
            for part in text.split() if unit is TokenUnit.WORDS else [text]:
                add_token(Token(part, text_node=text_node))
            text_node += 1
        while open_elements and ends[open_elements[-1][0]] <= node:
            close_element()
        if node < len(labels):
            if labels[node] not in _VOID_TAGS:
                open_elements.append((node, len(tokens)))
            conditions = list_conditions(page.attributes[node]) if attributes else _NO_CONDITIONS
            add_token(Token(None, labels[node], conditions))
    return TokenSequence(tokens, partners, frozenset(page.continuations))


# ---- dynamic tokenization (section 6) ------------------------------------------------------------


def list_conditions(attributes: dict[str, str]) -> Conditions:
    """Return the conditions that attributes fulfil: on their names, and on some of their values."""
    names = sorted(
        (name for name in attributes if name not in _IGNORED_ATTRIBUTES),
        key=lambda name: (name not in _ATTRIBUTES_WITH_VALUES, name),
    )
    conditions: set[Condition] = set()
    for name in names[:_MAX_ATTRIBUTES]:
        conditions.add(Condition(name, None))
        if name in _ATTRIBUTES_WITH_VALUES:
            conditions.add(Condition(name, attributes[name]))
    return frozenset(conditions)


def list_generalizations(tag: str, conditions: Conditions, count: int) -> Iterator[Landmark]:
    """Yield the landmarks with this number of conditions, on different attributes, for a tag."""
    ordered = sorted(conditions, key=lambda condition: (condition.attribute, condition.value or ""))
    for chosen in combinations(ordered, count):
        if len({condition.attribute for condition in chosen}) == count:
            yield Landmark(None, tag, chosen)
