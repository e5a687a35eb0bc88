"""The wrapper for title and body of the news of a site (Reis et al., sections 4.3 and 4.4).

A page is read by the pattern that matches it at the least cost. Its passages are the texts that
differ from the fixed part of the pattern. The body is the longest passage. The title is a passage
before it, close to it and with many of its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from unweave.errors import UsageError, WrapperError
from unweave.page.page import Page
from unweave.text_similarity import compute_dice, count_terms
from unweave.trees import pattern_text
from unweave.variants import Variant, check_variant
from unweave.wrappers.base import Description, Extraction, FieldDescription, Fields, Wrapper
from unweave.wrappers.pattern.apply import (
    Pattern,
    TextRuns,
    build_pattern_tree,
    find_best_match,
    find_text_runs,
    read_patterns,
)

DEFAULT_TOLERANCE = 0.2
"""The pages of a cluster of the paper are 80 % similar."""
MIN_BODY_WORDS = 101
MAX_TITLE_WORDS = 20
MIN_DOCUMENT_TITLE_SIMILARITY = 0.5
"""A passage this similar to the title of the document is the title, in the improved variant."""


class Passage(NamedTuple):
    """The text of a page that a wildcard stands for."""

    position: int
    """The position of the wildcard in the pattern, in preorder."""
    text: str
    runs: TextRuns
    """The text nodes of each of its sub-trees."""


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """The title and the body of a page, and the pattern that it matches."""

    pattern: int
    """The number of the pattern."""
    fit: float
    """1 less the share of both trees that does not match."""
    title: Passage | None
    body: Passage | None


@dataclass(frozen=True)
class NewsPatternWrapper(Wrapper):
    """One pattern for each template of a site."""

    method = "news-pattern"
    gives_fields = True

    patterns: tuple[Pattern, ...]
    variant: Variant = Variant.CORRECTED
    tolerance: float = DEFAULT_TOLERANCE
    """The share of both trees that may not match; none in the printed variant."""

    def label_page(self, page: Page) -> LabelledPage | None:
        """Find the title and the body of a page; return None if it matches no pattern."""
        tree = build_pattern_tree(page)
        best = find_best_match(self.patterns, tree)
        if best is None and self.tolerance and self.variant != Variant.PRINTED:
            best = find_best_match(self.patterns, tree, tolerance=self.tolerance)
        if best is None:
            return None
        match, pattern = best
        passages: list[Passage] = []
        for position, runs in find_text_runs(tree, match.list_passages()):
            text = " ".join(filter(None, map(page.join_text_nodes, runs)))
            passages.append(Passage(position, text, runs))
        body, title = label_passages(passages, variant=self.variant, document_title=page.title)
        return LabelledPage(
            next(number for number, other in enumerate(self.patterns) if other is pattern),
            1 - match.cost / (len(pattern.tree) + len(tree)),
            None if title is None else passages[title],
            None if body is None else passages[body],
        )

    def apply(self, page: Page) -> Extraction:
        """Extract the title and the body of a page as fields.

        The body is a list with a text for each sub-tree that it spans.
        """
        labelled = self.label_page(page)
        if labelled is None:
            return Extraction(warnings=page.warnings)
        fields: Fields = {}
        if labelled.title:
            fields["title"] = labelled.title.text
        if labelled.body:
            texts = map(page.join_text_nodes, labelled.body.runs)
            fields["body"] = [text for text in texts if text]
        return Extraction(fields=fields, fit=labelled.fit, warnings=page.warnings)

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes that each field of a page came from."""
        labelled = self.label_page(page)
        nodes: dict[str, list[int]] = {}
        if labelled and labelled.title:
            nodes["title"] = [text_node for run in labelled.title.runs for text_node in run]
        if labelled and labelled.body:
            nodes["body"] = [text_node for run in labelled.body.runs for text_node in run]
        return nodes

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        return Description(f"{len(self.patterns)} patterns", tuple(self.format_pattern()))

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe the title and the body."""
        yield FieldDescription("title", "what differs before the body", False)
        yield FieldDescription("body", "the longest text that differs", True)

    def format_pattern(self) -> Iterator[str]:
        """Return the lines of all patterns."""
        for pattern in self.patterns:
            yield from pattern_text.format_pattern(pattern.tree, {})

    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data, with the patterns as lines of text."""
        patterns = [pattern_text.format_pattern(pattern.tree, {}) for pattern in self.patterns]
        return {"variant": str(self.variant), "tolerance": self.tolerance, "patterns": patterns}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> NewsPatternWrapper:
        """Read plain data, which is untrusted."""
        variant, tolerance = data.get("variant"), data.get("tolerance")
        if not isinstance(tolerance, int | float) or isinstance(tolerance, bool):
            raise WrapperError("the tolerance of the wrapper is not a number")
        try:
            return cls(read_patterns(data), check_variant(str(variant)), check_tolerance(tolerance))
        except UsageError as error:
            raise WrapperError(str(error)) from None


def check_tolerance(tolerance: float) -> float:
    """Return the tolerance; raise UsageError if it is out of range."""
    if not 0 <= tolerance < 1:
        raise UsageError(f"the tolerance must be at least 0 and below 1, not {str(tolerance)[:40]}")
    return tolerance


def label_passages(
    passages: Sequence[Passage], *, variant: str = Variant.CORRECTED, document_title: str = ""
) -> tuple[int | None, int | None]:
    """Return the numbers of the body and of the title, None if there is none (section 4.4).

    The title has the most words in common with the body for its distance; of equals, it is the
    nearest. Only the improved variant looks at the title of the document.
    """
    lengths = [len(passage.text.split()) for passage in passages]
    body = max(range(len(passages)), key=lengths.__getitem__, default=None)
    if body is None or lengths[body] < MIN_BODY_WORDS:
        return None, None
    body_terms, body_position = _collect_terms(passages[body].text), passages[body].position

    def score_title(number: int) -> tuple[float, int]:
        distance = max(1, body_position - passages[number].position)
        return len(body_terms & _collect_terms(passages[number].text)) / distance, number

    candidates = [number for number in range(body) if 1 <= lengths[number] <= MAX_TITLE_WORDS]
    if variant == Variant.PRINTED:
        # The paper divides by the position of the title less that of the body, which is negative:
        # the closer a passage is to the body and the more it shares, the lower its quotient.
        quotients = [-score_title(number)[0] for number in range(body)]
        return body, _choose_printed_title(candidates, quotients)
    if variant == Variant.IMPROVED:
        document_terms = Counter(_collect_terms(document_title))
        ranked: list[tuple[float, tuple[float, int]]] = []
        for number in candidates:
            text = passages[number].text
            similarity = compute_dice(Counter(_collect_terms(text)), document_terms)
            if similarity >= MIN_DOCUMENT_TITLE_SIMILARITY and text != document_title:
                ranked.append((similarity, score_title(number)))
        if ranked:
            return body, max(ranked)[1][1]
    return body, max(candidates, key=score_title, default=None)


def _choose_printed_title(candidates: Sequence[int], quotients: Sequence[float]) -> int | None:
    """Return the first candidate with a quotient above those of all other passages but the first.

    The paper compares with passages k, 1 < k < i, where i is the body.
    """
    best_two = sorted(range(1, len(quotients)), key=lambda number: -quotients[number])[:2]
    for number in candidates:
        rivals = [quotients[rival] for rival in best_two if rival != number]
        if not rivals or quotients[number] > rivals[0]:
            return number
    return None


def _collect_terms(text: str) -> set[str]:
    return set(count_terms(text))
