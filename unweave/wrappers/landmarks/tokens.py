"""A page as a row of tokens, and what a landmark says of the token that it stands for (Cetorelli et al., section 6)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from unweave.page.page import Page

UNMATCHED = -1
"""The partner of a tag that has none."""

# Elements that are one tag, without an end tag.
_VOID = frozenset(
    "area base br col embed frame hr img input keygen link meta param source track wbr".split()
)

# Attributes whose value may matter, and attributes that say nothing of what an element is for.
_WITH_VALUE = ("class", "id")
_IGNORED = frozenset(["bgcolor"])
_MOST_ATTRIBUTES = 8

MOST_CONDITIONS = 2
"""How many conditions a landmark may have."""


class TokenUnit(StrEnum):
    """What counts as one token of text: every word, as in the paper, or the whole text between two tags."""

    WORDS = "words"
    TEXTS = "texts"


class Condition(NamedTuple):
    """An attribute that an element must have, and its value; None for any."""

    attribute: str
    value: str | None

    def __str__(self) -> str:
        return f"{self.attribute}=*" if self.value is None else f'{self.attribute}="{self.value}"'


class Landmark(NamedTuple):
    """What tells a token: a text, or the name of an element and conditions on its attributes."""

    text: str | None
    tag: str = ""
    conditions: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return (
            f"<{' '.join([self.tag, *map(str, self.conditions)])}>"
            if self.text is None
            else f'"{self.text}"'
        )

    @property
    def end_tag(self) -> str:
        """The end tag of an element that has one; empty for the rest."""
        return f"</{self.tag}>" if self.text is None and self.tag not in _VOID else ""


Traits = frozenset[Condition]
"""What conditions can ask of an element's attributes."""


class Token(NamedTuple):
    """A text (with the number of its chunk), the start of an element or, with an empty name and no text, the end of one."""

    text: str | None
    tag: str
    traits: Traits
    node: int
    """The element that the token begins or ends, or that the text stands in."""
    chunk: int


_NO_TRAITS: Traits = frozenset()


@dataclass(frozen=True)
class Tokens:
    """The tokens of one page, each with the place of its partner: the end of an element for its start, and the other way.

    A text and an element without an end are their own partners.
    """

    tokens: list[Token]
    partners: list[int]
    glued: frozenset[int] = frozenset()
    """The chunks that continue the word before them."""

    def text(self, start: int, stop: int) -> str:
        """What the tokens of a region say, without tags."""
        parts: list[str] = []
        last = -1
        for token in self.tokens[start:stop]:
            if token.text is not None:
                is_continued = token.chunk != last and token.chunk in self.glued
                parts.append(token.text if is_continued or not parts else f" {token.text}")
                last = token.chunk
        return "".join(parts)

    @cached_property
    def _places(self) -> dict[tuple[str | None, str, Condition | None], list[int]]:
        """Where every text stands, and every element by its name and by each of its traits."""
        found: dict[tuple[str | None, str, Condition | None], list[int]] = defaultdict(list)
        for place, token in enumerate(self.tokens):
            if token.text is not None or token.tag:
                found[token.text, token.tag, None].append(place)
                for trait in token.traits:
                    found[None, token.tag, trait].append(place)
        return found

    def find(self, landmark: Landmark, start: int, stop: int) -> list[int]:
        """Where a landmark occurs in a region; two places are enough to tell that it is none."""
        text, tag, conditions = landmark
        places = min(
            (self._places.get((text, tag, own), []) for own in conditions or (None,)), key=len
        )
        found: list[int] = []
        for index in range(bisect_left(places, start), len(places)):
            place = places[index]
            if place >= stop or len(found) > 1:
                break
            if self.tokens[place].traits.issuperset(landmark.conditions):
                found.append(place)
        return found


def tokenize(page: Page, unit: TokenUnit, *, attributes: bool) -> Tokens:
    """The tokens of a page. Without attributes, an element is told by its name alone."""
    labels, ends = page.tree.labels, page.tree.ends
    traits = list(map(traits_of, page.attributes)) if attributes else [_NO_TRAITS] * len(labels)
    places = [*page.text_positions, len(labels) + 1]
    tokens: list[Token] = []
    partners: list[int] = []
    open_: list[tuple[int, int]] = []
    chunk = 0

    def single(token: Token) -> None:
        partners.append(len(tokens))
        tokens.append(token)

    for node in range(len(labels) + 1):
        while places[chunk] == node:
            # Texts that stand behind an element belong to an element that is still open.
            while open_ and open_[-1][0] != page.text_parents[chunk] and ends[open_[-1][0]] <= node:
                _close(tokens, partners, *open_.pop())
            for text in (
                page.texts[chunk].split() if unit is TokenUnit.WORDS else [page.texts[chunk]]
            ):
                single(Token(text, "", _NO_TRAITS, page.text_parents[chunk], chunk))
            chunk += 1
        while open_ and ends[open_[-1][0]] <= node:
            _close(tokens, partners, *open_.pop())
        if node < len(labels):
            if labels[node] not in _VOID:
                open_.append((node, len(tokens)))
            single(Token(None, labels[node], traits[node], node, -1))
    return Tokens(tokens, partners, frozenset(page.continuations))


def _close(tokens: list[Token], partners: list[int], node: int, start: int) -> None:
    partners[start] = len(tokens)
    partners.append(start)
    tokens.append(Token(None, "", _NO_TRAITS, node, -1))


def traits_of(attributes: dict[str, str]) -> Traits:
    """What conditions can ask of these attributes: their names, and the values of those whose value may matter."""
    names = sorted(
        (name for name in attributes if name not in _IGNORED),
        key=lambda name: (name not in _WITH_VALUE, name),
    )
    names = names[:_MOST_ATTRIBUTES]
    values = [Condition(name, attributes[name]) for name in names if name in _WITH_VALUE]
    return frozenset([*(Condition(name, None) for name in names), *values])


def generalisations(tag: str, traits: Traits, count: int) -> Iterable[Landmark]:
    """All landmarks with so many conditions that stand for an element."""
    ordered = sorted(traits, key=lambda own: (own.attribute, own.value or ""))
    for conditions in combinations(ordered, count):
        if len({own.attribute for own in conditions}) == count:
            yield Landmark(None, tag, conditions)
