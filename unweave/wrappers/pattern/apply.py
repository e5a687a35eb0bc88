"""The wrapper of patterns: the fields are the wildcards of a pattern (Reis et al., section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from unweave.errors import PageTooLarge, TreeSyntaxError, WorkLimit, WrapperError
from unweave.page.page import Page
from unweave.trees import pattern_text
from unweave.trees.pattern import REPEATED_WILDCARDS, WILDCARDS
from unweave.trees.pattern_matching import MAX_SIBLING_PAIRS, Consumed, Match, match_pattern
from unweave.trees.tree import Tree
from unweave.wrappers.base import (
    RESERVED_NAMES,
    Description,
    Extraction,
    FieldDescription,
    Fields,
    Wrapper,
)

MAX_PATTERNS = 1_000
MAX_PATTERN_LINES = 1_000_000
_DESCRIBED_LEVELS = 3

TextRuns = list[range]
"""The numbers of the text nodes of sub-trees of a page, one range per sub-tree."""


@dataclass(frozen=True)
class Pattern:
    """A tree with wildcards, and the names of those wildcards that are fields."""

    tree: Tree
    names: dict[int, str]

    @cached_property
    def fixed_count(self) -> int:
        """The number of vertices that are not wildcards."""
        return sum(label not in WILDCARDS for label in self.tree.labels)


@dataclass(frozen=True)
class PatternWrapper(Wrapper):
    """One pattern per template. A page is read by the pattern that matches it at the least cost."""

    method = "pattern"
    gives_fields = True

    patterns: tuple[Pattern, ...]

    def apply(self, page: Page) -> Extraction:
        """Extract the fields of a page. The fit is 1 less the share of the pattern left out."""
        tree = build_pattern_tree(page)
        best = find_best_match(self.patterns, tree)
        if best is None:
            return Extraction(warnings=page.warnings)
        match, pattern = best
        fields: Fields = {}
        for wildcard, runs in _find_field_runs(page, tree, match, pattern):
            texts = list(map(page.join_text_nodes, runs))
            is_list = pattern.tree.labels[wildcard] in REPEATED_WILDCARDS
            fields[pattern.names[wildcard]] = [*texts] if is_list else texts[0]
        fit = 1 - match.cost / len(pattern.tree)
        return Extraction(fields=fields, fit=fit, warnings=page.warnings)

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes that each field of a page came from."""
        tree = build_pattern_tree(page)
        best = find_best_match(self.patterns, tree)
        if best is None:
            return {}
        match, pattern = best
        return {
            pattern.names[wildcard]: [text_node for run in runs for text_node in run]
            for wildcard, runs in _find_field_runs(page, tree, match, pattern)
        }

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        return Description(f"{len(self.patterns)} patterns", tuple(self.format_pattern()))

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe each wildcard that has a name."""
        for pattern in self.patterns:
            labels = pattern.tree.labels
            for node, name in pattern.names.items():
                above = [labels[ancestor] for ancestor in pattern.tree.ancestors(node)]
                path = "/".join(reversed(above[1 : _DESCRIBED_LEVELS + 1]))
                yield FieldDescription(name, path, labels[node] in REPEATED_WILDCARDS)

    def format_pattern(self) -> Iterator[str]:
        """Return the lines of all patterns."""
        for pattern in self.patterns:
            yield from pattern_text.format_pattern(pattern.tree, pattern.names)

    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data, with the patterns as lines of text."""
        lines = [
            pattern_text.format_pattern(pattern.tree, pattern.names) for pattern in self.patterns
        ]
        return {"patterns": lines}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PatternWrapper:
        """Read plain data, which is untrusted."""
        wrapper = cls(read_patterns(data))
        for pattern in wrapper.patterns:
            if not RESERVED_NAMES.isdisjoint(pattern.names.values()):
                raise WrapperError(
                    f"a field must not be named {' or '.join(sorted(RESERVED_NAMES))}: the output"
                    " has these keys beside the fields"
                )
        return wrapper


def read_patterns(data: Mapping[str, Any]) -> tuple[Pattern, ...]:
    """Return the patterns in the plain data of a wrapper, which are untrusted."""
    patterns = data.get("patterns")
    if not isinstance(patterns, list) or not 0 < len(patterns) <= MAX_PATTERNS:
        raise WrapperError("the wrapper has no patterns")
    for lines in patterns:
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise WrapperError("a pattern must be a list of lines")
    if sum(map(len, patterns)) > MAX_PATTERN_LINES:
        raise WrapperError(f"the patterns have more than {MAX_PATTERN_LINES:,} lines")
    try:
        return tuple(Pattern(*pattern_text.parse_pattern(lines)) for lines in patterns)
    except TreeSyntaxError as error:
        raise WrapperError(str(error)) from None


def build_pattern_tree(page: Page) -> Tree:
    """Return the tree of a page with its texts as leaves, labelled by what they say."""
    return page.build_tree_with_texts(pattern_text.make_text_label)


def find_best_match(
    patterns: Sequence[Pattern], tree: Tree, *, tolerance: float = 0
) -> tuple[Match, Pattern] | None:
    """Return the match of least cost, and its pattern; None if no pattern matches the tree.

    Of equal costs, the pattern with most fixed vertices is taken. Raises PageTooLarge if none
    matches and the matching of one of them was given up because it would have taken too long.
    """
    matches: list[tuple[Match, Pattern]] = []
    was_given_up = False
    budget = MAX_SIBLING_PAIRS // len(patterns)
    for pattern in patterns:
        try:
            match = match_pattern(pattern.tree, tree, tolerance=tolerance, budget=budget)
        except WorkLimit:
            was_given_up = True
            continue
        if match:
            matches.append((match, pattern))
    if not matches and was_given_up:
        raise PageTooLarge("the page is too large for this wrapper")
    return min(matches, key=lambda pair: (pair[0].cost, -pair[1].fixed_count), default=None)


def find_text_runs(tree: Tree, consumed: Iterable[Consumed]) -> list[tuple[int, TextRuns]]:
    """Return the text nodes that each of the wildcards of a match stands for."""
    is_text = [pattern_text.is_text_label(label) for label in tree.labels]
    texts_before = list(accumulate(is_text, initial=0))
    return [
        (wildcard, [range(texts_before[root], texts_before[tree.ends[root]]) for root in roots])
        for wildcard, roots in consumed
    ]


def _find_field_runs(
    page: Page, tree: Tree, match: Match, pattern: Pattern
) -> Iterator[tuple[int, TextRuns]]:
    """Yield the wildcards that are fields, each with its runs of text; one if it is not a list."""
    for wildcard, runs in find_text_runs(tree, match.consumed):
        if wildcard in pattern.names:
            with_text = [run for run in runs if page.join_text_nodes(run)]
            if with_text:
                is_list = pattern.tree.labels[wildcard] in REPEATED_WILDCARDS
                yield wildcard, with_text if is_list else with_text[:1]
