"""Conditions that select elements by a label: its text, the label before, the column header."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from unweave.selectors.expressions import Condition, Step, Steps, quote_css, quote_xpath
from unweave.text_cleaning import normalize_label

# The no-break space is no white space in XPath.
_UPPER, _LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ\xa0", "abcdefghijklmnopqrstuvwxyz "
_COLON = ":"
_PUNCTUATION = ":.,;%*#?!()"

MAX_LABELS = 6
"""The number of texts that one selector may list; longer ones are hard to read."""


class LabelMatch(NamedTuple):
    """How a label is compared with an element."""

    in_text_node: bool
    """Whether one text node of the element is the label, or else all of its text."""
    is_exact: bool
    """Whether case, the colon and the kind of space count."""


ELEMENT_EXACT = LabelMatch(in_text_node=False, is_exact=True)
ELEMENT_FOLDED = LabelMatch(in_text_node=False, is_exact=False)
TEXT_EXACT = LabelMatch(in_text_node=True, is_exact=True)
TEXT_FOLDED = LabelMatch(in_text_node=True, is_exact=False)


@dataclass(frozen=True)
class Label:
    """The texts of a label; several where they have one meaning, such as "Genre" and "Genres:"."""

    texts: tuple[str, ...]
    is_known: bool = True
    """Whether pages had these texts, or only the normalized label is known."""
    is_distinct: bool = True
    """Whether it is not part of another label; CSS can only test for parts of texts."""

    @classmethod
    def find(cls, normalized: str, labels: Collection[str]) -> Label:
        """Return the label with this normalized form, with the texts that it has among these."""
        texts = sorted([text for text in labels if normalize_label(text) == normalized])
        if not texts:
            return cls((normalized, f"{normalized}s"), is_known=False, is_distinct=False)
        shortest = min(texts, key=len)
        is_distinct = not any(shortest in label for label in labels if label not in texts)
        return cls(tuple(texts), is_distinct=is_distinct)

    def format_test(self, match: LabelMatch) -> str:
        """Return the XPath test that a text is the label."""
        if match.is_exact:
            return " or ".join([f"normalize-space()={quote_xpath(text)}" for text in self.texts])
        removed = _COLON if self.is_known else _PUNCTUATION
        table = str.maketrans(_UPPER, _LOWER, removed)
        folded = sorted({" ".join(text.translate(table).split()) for text in self.texts})
        translated = f"translate(., {quote_xpath(_UPPER + removed)}, {quote_xpath(_LOWER)})"
        return " or ".join(
            [f"normalize-space({translated})={quote_xpath(text)}" for text in folded]
        )

    def make_condition(self, match: LabelMatch) -> Condition:
        """Return the condition that an element has the label."""
        test = self.format_test(match)
        shortest = min(self.texts, key=len)
        css = None
        if self.is_known and self.is_distinct and all(shortest in text for text in self.texts):
            quoted = quote_css(shortest)
            css = None if quoted is None else f":contains({quoted})"
        return Condition(f"text()[{test}]" if match.in_text_node else test, css)


def negate(condition: Condition) -> Condition:
    """Return the condition that another one does not hold."""
    return Condition(f"not({condition.xpath})")


def require_inside(steps: Steps, condition: Condition) -> Condition:
    """Return the condition that steps from the element lead to one for which a condition holds."""
    if not steps:
        return condition
    path = "".join([step.to_xpath() for step in steps]) + f"[{condition.xpath}]"
    return Condition(f".{path}" if path.startswith("//") else path.removeprefix("/"), condition.css)


def require_before(step: Step, label: Condition, *, axis: str = "preceding") -> Condition:
    """Return the condition that the nearest preceding element that matches a step is the label."""
    non_blank = "" if step.conditions else "[normalize-space()]"
    return Condition(f"{axis}::{step.format_element()}{non_blank}[1][{label.xpath}]")


def require_header(tag: str, header: Condition, *, same_width: bool) -> Condition:
    """Return the condition that a cell has as many cells before it as a header.

    With ``same_width``, the row of the header must have as many cells as the row of the cell, for
    tables with several rows of headers.
    """
    cell = f"(ancestor::table[1]//{tag}[{header.xpath}])[1]"
    test = f"count(preceding-sibling::*)=count({cell}/preceding-sibling::*)"
    return Condition(f"{test} and count(../*)=count({cell}/../*)" if same_width else test)
