"""A wrapper for the news of a site: patterns, of whose wildcards one is the body and one the title (Reis et al., 4.3, 4.4).

A page is read with the pattern that it matches at the least cost. What differs from the fixed part of the pattern are its
passages. The body is the longest of them, the title one before it that shares many words with it and stands near.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.trees import pattern_text
from unweave.trees.pattern_matching import Match
from unweave.variants import Variant, check_variant
from unweave.wrappers.fields import Fields
from unweave.wrappers.pattern import Pattern, best_match, labelled, passages, read_patterns

KIND = "news-pattern"

TOLERANCE = 0.2
"""A page is of a template if at most this share of both trees differs: pages of the paper's clusters are 80 % similar."""

_MIN_BODY_WORDS = 101
_MAX_TITLE_WORDS = 20
# The title of the document names the article if they share so many of their words.
_MIN_NAME_SIMILARITY = 0.5

_WORD = re.compile(r"\w+")


class Passage(NamedTuple):
    """What a wildcard stands for on a page."""

    position: int
    """That of the wildcard in the pattern, in preorder."""
    text: str
    chunks: tuple[range, ...] = ()
    """The numbers of its texts in the page, sub-tree by sub-tree."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """How a page was read."""

    pattern: int
    """The number of the pattern that it matches."""
    fit: float
    """1 less the share of both trees that does not match."""
    title: Passage | None
    body: Passage | None


@dataclass(frozen=True)
class NewsPatternWrapper:
    """One pattern for each template of a site."""

    patterns: tuple[Pattern, ...]
    variant: Variant = Variant.CORRECTED
    tolerance: float = TOLERANCE
    """How much of a page may not match, as a share of both trees. The printed form has none, and refuses all else."""

    def read(self, page: Page) -> Labelled | None:
        """The title and the body of a page; None if it matches no pattern."""
        tree = labelled(page)
        found = best_match(self.patterns, tree)
        if found is None and self.tolerance and self.variant != Variant.PRINTED:
            found = best_match(self.patterns, tree, tolerance=self.tolerance)
        if found is None:
            return None
        matched, pattern = found
        own = _passages(page, matched)
        body, title = label(own, variant=self.variant, name=page.title)
        fit = 1 - matched.cost / (len(pattern.tree) + len(tree))
        number = next(number for number, other in enumerate(self.patterns) if other is pattern)
        return Labelled(number, fit, None if title is None else own[title], None if body is None else own[body])

    def apply(self, page: Page) -> tuple[Fields | None, float]:
        """The title and the body of the page as fields, and how well it fits; None if it matches no pattern.

        The body is a list: a text for each sub-tree that it spans.
        """
        read = self.read(page)
        if read is None:
            return None, 0.0
        fields: Fields = {}
        if read.title:
            fields["title"] = read.title.text
        if read.body:
            fields["body"] = [text for chunks in read.body.chunks if (text := page.join(chunks))]
        return fields, read.fit

    def places(self, page: Page) -> dict[str, list[int]]:
        """For each field that the page has, the numbers of the texts that it stands for."""
        read = self.read(page)
        labels = {"title": read.title, "body": read.body} if read else {}
        return {name: [chunk for own in part.chunks for chunk in own] for name, part in labels.items() if part}

    def to_json(self) -> dict[str, Any]:
        """Plain data: the patterns as lines of text."""
        patterns = [pattern_text.dumps(pattern.tree, {}) for pattern in self.patterns]
        return {"variant": str(self.variant), "tolerance": self.tolerance, "patterns": patterns}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> NewsPatternWrapper:
        """Read plain data, which may come from anywhere."""
        variant, tolerance = data.get("variant"), data.get("tolerance")
        if not isinstance(tolerance, int | float) or isinstance(tolerance, bool):
            raise WrapperError("the tolerance of the wrapper is no number")
        try:
            return cls(read_patterns(data), check_variant(str(variant)), check_tolerance(tolerance))
        except UsageError as error:
            raise WrapperError(str(error)) from None


def check_tolerance(tolerance: float) -> float:
    """Return the tolerance; raises a UsageError if it is no share."""
    if not 0 <= tolerance < 1:
        raise UsageError(f"the tolerance must be at least 0 and below 1, not {tolerance}")
    return tolerance


def _passages(page: Page, matched: Match) -> list[Passage]:
    """What differs from the fixed part of the pattern, in its order."""
    tree = labelled(page)
    return [
        Passage(position, " ".join(filter(None, map(page.join, chunks))), tuple(chunks))
        for position, chunks in passages(tree, matched.passages())
    ]


def label(
    passages: Sequence[Passage], *, variant: str = Variant.CORRECTED, name: str = ""
) -> tuple[int | None, int | None]:
    """Which passage is the body and which the title, counted from 0; None for none (section 4.4).

    ``name`` is what the document calls itself, which only the improved form looks at.
    """
    lengths = [len(passage.text.split()) for passage in passages]
    body = max(range(len(passages)), key=lengths.__getitem__, default=None)
    if body is None or lengths[body] < _MIN_BODY_WORDS:
        return None, None
    candidates = [number for number in range(body) if 1 <= lengths[number] <= _MAX_TITLE_WORDS]
    closeness = _closeness(passages, body, variant)
    if variant == Variant.PRINTED:
        return body, _printed_title(candidates, [closeness(number)[0] for number in range(body)])
    if variant == Variant.IMPROVED:
        similarity = {number: _similarity(passages[number].text, name) for number in candidates}
        named = [n for n in candidates if similarity[n] >= _MIN_NAME_SIMILARITY and passages[n].text != name]
        if named:
            return body, max(named, key=lambda number: (similarity[number], closeness(number)))
    return body, max(candidates, key=closeness, default=None)


def _printed_title(candidates: Sequence[int], quotients: Sequence[float]) -> int | None:
    """Return the first candidate whose quotient is above those of all passages k with 1 < k < i, but for its own."""
    ordered = sorted(range(1, len(quotients)), key=lambda number: -quotients[number])[:2]
    for number in candidates:
        rivals = [quotients[other] for other in ordered if other != number]
        if not rivals or quotients[number] > rivals[0]:
            return number
    return None


def _closeness(passages: Sequence[Passage], body: int, variant: str) -> Callable[[int], tuple[float, int]]:
    """What the title has most of: words that it shares with the body, for its distance from there; of equals, the nearest.

    The printed denominator is the position of the title less that of the body, which is negative: the closer to the body
    a passage is and the more it shares, the less it is worth.
    """
    words, end = _terms(passages[body].text), passages[body].position
    sign = -1 if variant == Variant.PRINTED else 1

    def closeness(number: int) -> tuple[float, int]:
        distance = max(1, end - passages[number].position)
        return sign * len(words & _terms(passages[number].text)) / distance, number

    return closeness


def _terms(text: str) -> set[str]:
    """The words of a text, in one case."""
    return set(_WORD.findall(text.casefold()))


def _similarity(text: str, other: str) -> float:
    """The share of words that two texts have in common, from 0 to 1."""
    one, two = _terms(text), _terms(other)
    return 2 * len(one & two) / (len(one) + len(two)) if one and two else 0.0
