"""Conditions that find elements by labels: by what they say, by the label before them, by the header of their column."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from unweave.selectors.expressions import Condition, Step, Steps, css_string, xpath_string
from unweave.text_cleaning import normalize_label

# Capitals, and the space that XPath does not take for one.
_UPPER, _LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ\xa0", "abcdefghijklmnopqrstuvwxyz "
# What may stand behind a label and counts for nothing; behind one of which only the key is known, it may be any mark.
_COLON = ":"
_MARKS = ":.,;%*#?!()"

MOST_LABELS = 6
"""So many texts are named in a selector at most; with more of them nobody would read it."""

SEVERAL = Condition("count(.//text()[normalize-space()])>1", None)
"""The element has several texts in it, as one has with links or bold words."""


class How(Enum):
    """How a label is asked for."""

    EXACT = "the element says it as it was learned, and nothing else"
    WHOLE = "the element says it, however it is written, and nothing else"
    OWN_EXACT = "a text that stands in the element itself says it as it was learned"
    OWN = "a text that stands in the element itself says it, however it is written"

    @property
    def is_own(self) -> bool:
        """Is a text of the element itself asked for?"""
        return self in (How.OWN_EXACT, How.OWN)


@dataclass(frozen=True)
class Label:
    """What a label says: one text, or several that mean the same, such as "Genre" and "Genres:"."""

    texts: tuple[str, ...]
    is_known: bool = True
    """Are these the texts of pages? Or is it only the key that they have in common?"""
    is_apart: bool = True
    """Is it in no other label? CSS asks for parts of texts only."""

    @classmethod
    def of(cls, key: str, labels: Collection[str]) -> Label:
        """The label of this key, as pages said it if they did."""
        texts = sorted(text for text in labels if normalize_label(text) == key)
        if not texts:
            return cls((key, f"{key}s"), is_known=False, is_apart=False)
        part = min(texts, key=len)
        return cls(
            tuple(texts), is_apart=not any(part in other for other in labels if other not in texts)
        )

    def is_said(self, how: How = How.OWN) -> Condition:
        """Return the condition that an element has the label."""
        test = self.test(how)
        return Condition(f"text()[{test}]" if how.is_own else test, self._css())

    def test(self, how: How) -> str:
        """Return the test that a text is the label: as it is written, or without regard to case and colon."""
        if how in (How.EXACT, How.OWN_EXACT):
            return " or ".join([f"normalize-space()={xpath_string(text)}" for text in self.texts])
        marks = _COLON if self.is_known else _MARKS
        table = str.maketrans(_UPPER, _LOWER, marks)
        folded = sorted({" ".join(text.translate(table).split()) for text in self.texts})
        said = (
            f"normalize-space(translate(., {xpath_string(_UPPER + marks)}, {xpath_string(_LOWER)}))"
        )
        return " or ".join([f"{said}={xpath_string(text)}" for text in folded])

    def _css(self) -> str | None:
        """CSS asks for a part of all that an element says, as it is written; None if others would have it too."""
        part = min(self.texts, key=len)
        is_part_of_all = all(part in text for text in self.texts)
        quoted = css_string(part) if self.is_known and self.is_apart and is_part_of_all else None
        return None if quoted is None else f":contains({quoted})"


def holds(steps: Steps, label: Condition) -> Condition:
    """Steps down from the element lead to a label; none, if the element itself has it."""
    if not steps:
        return label
    path = "".join([step.xpath() for step in steps]) + f"[{label.xpath}]"
    return Condition(f".{path}" if path.startswith("//") else path.removeprefix("/"), label.css)


def after(like: Step, label: Condition, *, axis: str = "preceding") -> Condition:
    """Of the elements before this one that are like a label's, the nearest is the label."""
    something = "" if like.conditions else "[normalize-space()]"
    return Condition(f"{axis}::{like.element()}{something}[1][{label.xpath}]", None)


def headed(tag: str, header: Condition, *, is_strict: bool) -> Condition:
    """The cell stands in the column of this header: as many cells stand before it as before the header.

    If it is strict, the row of the header has as many cells: tables may have several heads.
    """
    cell = f"(ancestor::table[1]//{tag}[{header.xpath}])[1]"
    is_below = f"count(preceding-sibling::*)=count({cell}/preceding-sibling::*)"
    return Condition(
        f"{is_below} and count(../*)=count({cell}/../*)" if is_strict else is_below, None
    )


def is_not(condition: Condition) -> Condition:
    """A condition does not hold."""
    return Condition(f"not({condition.xpath})", None)
