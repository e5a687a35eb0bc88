"""One role of a field in its template: the places of its value and of its label, and the steps between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from unweave.selectors.expressions import SOME_TEXT, TEXT, WHOLE, Axis, End, Selector, Step, Steps
from unweave.selectors.label_conditions import MOST_LABELS, How, Label, holds, is_not
from unweave.selectors.template import Template
from unweave.wrappers.fields.locators import LocatedBy, Locator


class Style(Enum):
    """How much the steps to a label and from there to its value say of the elements on the way."""

    BARE = "their tags only: what people write"
    PLAIN = "all of their words"
    STRICT = "all of their words, and those that they must not have; labels are no values"


@dataclass(frozen=True)
class Told:
    """A role of a field, in its template."""

    template: Template
    role: Locator
    number: int | None
    """Which of the texts of the role, counted from 0; None for all."""
    style: Style = Style.PLAIN

    @cached_property
    def value(self) -> list[int]:
        """The places down to the value."""
        return self.template.outline.path(self.role.path + 1)

    @cached_property
    def named(self) -> list[int]:
        """The places down to the label; none if no label tells it."""
        return self.template.outline.path(self.role.label_path + 1)

    @cached_property
    def shared(self) -> int:
        """How many places the value and the label have in common, from the root."""
        pairs = zip(self.value, self.named, strict=False)
        apart = [number for number, (one, other) in enumerate(pairs) if one != other]
        return apart[0] if apart else min(len(self.value), len(self.named))

    @property
    def row(self) -> int:
        """How many places are above the siblings of which one has the label and another the value."""
        return min(self.shared, len(self.value) - 1, len(self.named) - 1)

    @property
    def has_label_inside(self) -> bool:
        """Does the label stand below the element of the value, as in ``<li><b>Weight</b> 3 kg</li>``?"""
        return self.shared == len(self.value) < len(self.named)

    @property
    def is_inside_label(self) -> bool:
        """Does the value stand below the element of the label, as in ``<li>Weight <b>3 kg</b></li>``?"""
        return self.shared == len(self.named) < len(self.value)

    @cached_property
    def label(self) -> Label:
        """What the label says."""
        return Label.of(self.role.label, self.template.labels_at(self.role.label_path + 1))

    @property
    def end(self) -> End:
        """What is taken of the element: each text of its own, or all that it says."""
        return WHOLE if self.role.by is LocatedBy.JOINED else TEXT

    @property
    def no_labels(self) -> End:
        """The same where labels may stand among the values: if it is strict, without those that are known."""
        labels = self.template.labels_at(self.role.path + 1)
        if (
            self.style is not Style.STRICT
            or self.end is WHOLE
            or not 0 < len(labels) <= MOST_LABELS
        ):
            return self.end
        return End(
            f"{TEXT.xpath}[{is_not(Label(tuple(sorted(labels))).is_said(How.EXACT)).xpath}]", None
        )

    def step(self, place: int, axis: Axis = Axis.BELOW) -> Step:
        """Return a step to the elements of a place."""
        (step,) = self.down([place], place)
        return step.along(axis)

    def down(self, places: list[int], above: int) -> Steps:
        """Return steps down these places."""
        steps = self.template.outline.chain(places, above, is_strict=self.style is Style.STRICT)
        return (
            tuple(step._replace(words=()) for step in steps) if self.style is Style.BARE else steps
        )

    def rest(self, depth: int) -> Steps:
        """Return steps from the element of this depth down to the value."""
        return self.down(self.value[depth + 1 :], self.value[depth])

    def way(self, place: int) -> Steps:
        """Return steps from the root to a place; to any element of its tag in the bare style."""
        return (
            (self.step(place),)
            if self.style is Style.BARE
            else self.template.outline.ways(place)[0]
        )

    def holder(self, depth: int, how: How) -> Steps:
        """Return steps to the element of this depth that has the label in it, or is it."""
        place = self.named[depth]
        *above, last = self.way(place)
        return (
            *above,
            last.that(holds(self.down(self.named[depth + 1 :], place), self.label.is_said(how))),
        )

    def counted(self, selector: Selector) -> Selector:
        """The selector, for the n-th of what it finds."""
        return replace(selector, nth=self.number + 1) if self.number else selector

    def texts(self, axis: str) -> End:
        """The texts along an axis: all, or the n-th."""
        number = "" if self.number is None else f"[{self.number + 1}]"
        return End(f"/{axis}::{SOME_TEXT}{number}", None, is_position=bool(self.number))
