"""A wrapper for pages of one template: patterns whose wildcards are the fields (Reis et al., section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from unweave.errors import PageTooLarge, TreeSyntaxError, WorkLimit, WrapperError
from unweave.page.page import Page
from unweave.trees import pattern_text
from unweave.trees.pattern import REPEATED, WILDCARDS
from unweave.trees.pattern_matching import MOST_PAIRS, Consumed, Match, match
from unweave.trees.tree import Tree
from unweave.wrappers.fields import RESERVED, Fields

KIND = "pattern"

_MOST_PATTERNS = 1_000
_MOST_LINES = 1_000_000

Passages = list[tuple[int, list[range]]]
"""Wildcards, each with the numbers of the texts that it stands for, sub-tree by sub-tree."""


@dataclass(frozen=True)
class Pattern:
    """A tree with wildcards, some of which have names."""

    tree: Tree
    names: dict[int, str]

    @cached_property
    def fixed(self) -> int:
        """How many vertices must be there as they are."""
        return sum(label not in WILDCARDS for label in self.tree.labels)


@dataclass(frozen=True)
class PatternWrapper:
    """One pattern for each template. A page is read by the one that it matches at the least cost."""

    patterns: tuple[Pattern, ...]

    def apply(self, page: Page) -> tuple[Fields | None, float]:
        """The fields of the page, and how well it fits: 1 less the share of the pattern that is left out."""
        best = self._best(labelled(page))
        if best is None:
            return None, 0.0
        said, found, pattern = best
        fields: Fields = {}
        for wildcard, texts in _told(page, said, pattern):
            is_list = pattern.tree.labels[wildcard] in REPEATED
            fields[pattern.names[wildcard]] = [text for text, _ in texts] if is_list else texts[0][0]
        return fields, 1 - found.cost / len(pattern.tree)

    def places(self, page: Page) -> dict[str, list[int]]:
        """For each field that the page has, the numbers of the texts that it stands for."""
        best = self._best(labelled(page))
        if best is None:
            return {}
        said, _, pattern = best
        return {
            pattern.names[wildcard]: [chunk for _, chunks in texts for chunk in chunks]
            for wildcard, texts in _told(page, said, pattern)
        }

    def _best(self, tree: Tree) -> tuple[Passages, Match, Pattern] | None:
        """What the wildcards of the best pattern stand for; None if no pattern matches."""
        best = best_match(self.patterns, tree)
        if best is None:
            return None
        found, pattern = best
        return passages(tree, found.consumed), found, pattern

    def to_json(self) -> dict[str, Any]:
        """Plain data: the patterns as lines of text."""
        return {"patterns": [pattern_text.dumps(pattern.tree, pattern.names) for pattern in self.patterns]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PatternWrapper:
        """Read plain data, which may come from anywhere."""
        wrapper = cls(read_patterns(data))
        if any(name in RESERVED for pattern in wrapper.patterns for name in pattern.names.values()):
            raise WrapperError(
                f"a field must not be named {' or '.join(sorted(RESERVED))}: that is what the output has besides"
            )
        return wrapper


def read_patterns(data: Mapping[str, Any]) -> tuple[Pattern, ...]:
    """Return the patterns of the plain data of a wrapper, which may come from anywhere."""
    patterns = data.get("patterns")
    if not isinstance(patterns, list) or not 0 < len(patterns) <= _MOST_PATTERNS:
        raise WrapperError("the wrapper has no patterns")
    if not all(isinstance(lines, list) and all(isinstance(line, str) for line in lines) for lines in patterns):
        raise WrapperError("a pattern must be a list of lines")
    if sum(map(len, patterns)) > _MOST_LINES:
        raise WrapperError(f"the patterns have more than {_MOST_LINES:,} lines")
    try:
        return tuple(Pattern(*pattern_text.loads(lines)) for lines in patterns)
    except TreeSyntaxError as error:
        raise WrapperError(str(error)) from None


def best_match(patterns: Sequence[Pattern], tree: Tree, *, tolerance: float = 0) -> tuple[Match, Pattern] | None:
    """The pattern that matches a tree at the least cost, and of equals the one with most fixed vertices; None if none does.

    Raises PageTooLarge if no pattern matches, and one of them was given up because it would have taken too long.
    """
    matches: list[tuple[Match, Pattern]] = []
    given_up = False
    for pattern in patterns:
        try:
            found = match(pattern.tree, tree, tolerance=tolerance, budget=MOST_PAIRS // len(patterns))
        except WorkLimit:
            given_up = True
            continue
        if found:
            matches.append((found, pattern))
    if not matches and given_up:
        raise PageTooLarge("the page is too large for this wrapper")
    return min(matches, key=lambda pair: (pair[0].cost, -pair[1].fixed), default=None)


def labelled(page: Page) -> Tree:
    """The tree of a page in which texts are told apart by what they say."""
    return page.tree_with_texts(pattern_text.text_label)


def passages(tree: Tree, consumed: Iterable[Consumed]) -> Passages:
    """Every wildcard with the texts that it stands for: of each sub-tree, the numbers of its texts in the page."""
    before = list(accumulate((pattern_text.is_text(label) for label in tree.labels), initial=0))
    return [(wildcard, [range(before[root], before[tree.ends[root]]) for root in roots]) for wildcard, roots in consumed]


def _told(page: Page, found: Passages, pattern: Pattern) -> Iterator[tuple[int, list[tuple[str, range]]]]:
    """What the wildcards with names stand for: one text, or several where there may be several, and where they stand."""
    for wildcard, chunks in found:
        if wildcard in pattern.names:
            texts = [(text, own) for own in chunks if (text := page.join(own))]
            if texts:
                yield wildcard, texts if pattern.tree.labels[wildcard] in REPEATED else texts[:1]
