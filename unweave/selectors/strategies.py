"""The ways to the text of a role: by its place, by the label before it, by the header of its column.

Each is a function from the role to a selector, or to None where the role has no such way.
"""

from __future__ import annotations

from typing import Protocol

from unweave.selectors.expressions import SOME_TEXT, Axis, End, Selector, Step
from unweave.selectors.field_location import Told
from unweave.selectors.label_conditions import MOST_LABELS, How, Label, after, headed, holds, is_not
from unweave.wrappers.fields.locators import LocatedBy

_CELLS = frozenset(["td", "th"])
_ALL_BEHIND = End("/following-sibling::node()", None)


class Way(Protocol):
    """A way to the text of a role that is told by a label."""

    def __call__(self, told: Told, how: How) -> Selector | None:
        """The selector, if the role has such a way."""


def by_place(told: Told, number: int = 0) -> Selector | None:
    """What stands at the place."""
    ways = told.template.outline.ways(told.value[-1])
    return told.counted(Selector(ways[number], told.no_labels)) if number < len(ways) else None


def next_sibling(told: Told, how: How, up: int = 0) -> Selector | None:
    """What the sibling after the label says: the second cell of a row."""
    depth = told.row - up
    if depth < 1:
        return None
    sibling = told.step(told.value[depth], Axis.NEXT)
    return told.counted(Selector((*told.holder(depth, how), sibling, *told.rest(depth)), told.end))


def nth_sibling(told: Told, how: How, up: int = 0) -> Selector | None:
    """What the n-th sibling after the label says: the third cell of a row."""
    depth = told.row - up
    if depth < 1 or not told.number:
        return None
    sibling = told.step(told.value[depth], Axis.LATER)._replace(number=told.number + 1)
    return Selector((*told.holder(depth, how), sibling, *told.rest(depth)), told.end)


def later_siblings(told: Told, how: How, up: int = 0) -> Selector | None:
    """What all siblings after the label say, up to the next label."""
    depth = told.row - up
    if depth < 1:
        return None
    *above, holder = told.holder(depth, how)
    sibling = told.step(told.value[depth], Axis.LATER)
    if told.value[depth] != told.named[depth]:
        sibling = sibling.that(
            after(told.step(told.named[depth]), holder.conditions[-1], axis="preceding-sibling")
        )
    return told.counted(Selector((*above, holder, sibling, *told.rest(depth)), told.end))


def in_row(told: Told, how: How, up: int = 0) -> Selector | None:
    """What stands in the row that has the label."""
    depth = told.row - up
    if depth < 1:
        return None
    return told.counted(
        Selector((*told.holder(depth - 1, how), *told.rest(depth - 1)), told.no_labels)
    )


def behind_label(told: Told, how: How) -> Selector | None:
    """The text after the label in the same element, as in ``<li><b>Weight</b> 3 kg</li>``."""
    if not told.has_label_inside:
        return None
    holder = told.holder(len(told.value), how)
    if told.role.by is LocatedBy.JOINED:
        return None if told.number is None else Selector(holder, _ALL_BEHIND, is_joined=True)
    return Selector(holder, told.texts("following-sibling"))


def around_label(told: Told, how: How) -> Selector | None:
    """The texts of the element that has the label in it."""
    if not told.has_label_inside or told.role.by is LocatedBy.JOINED:
        return None
    return told.counted(Selector(told.holder(len(told.value) - 1, how), told.end))


def below_label(told: Told, how: How) -> Selector | None:
    """What stands in the element whose own text is the label, as in ``<li>Weight: <b>3 kg</b></li>``."""
    depth = len(told.named) - 1
    if not told.is_inside_label or not how.is_own:
        return None
    return told.counted(Selector((*told.holder(depth, how), *told.rest(depth)), told.end))


def behind_text(told: Told, how: How) -> Selector | None:
    """The texts after the label that is a text of the same element, as in ``<td>Size: <br> 3 m</td>``."""
    if told.value != told.named or not how.is_own:
        return None
    if told.role.by is LocatedBy.JOINED:
        return _rest_of_element(told, told.label, how)
    return _from_label(told, told.texts("following-sibling"), how)


def behind_any_label(told: Told) -> Selector | None:
    """All that follows, in a paragraph, on one of the labels that are texts of its own."""
    labels = told.template.labels_at(told.role.path + 1)
    if told.role.by is not LocatedBy.JOINED or not 0 < len(labels) <= MOST_LABELS:
        return None
    return _rest_of_element(told, Label(tuple(sorted(labels))), How.OWN)


def _rest_of_element(told: Told, label: Label, how: How) -> Selector | None:
    end = End(f"/text()[{label.test(how)}]{_ALL_BEHIND.xpath}", None)
    return None if told.number is None else Selector(told.way(told.value[-1]), end, is_joined=True)


def following_text(told: Told, how: How, more: int = 0) -> Selector | None:
    """The n-th text after the label, wherever it stands, if its element is like those of the value."""
    if told.number is None or told.role.by is LocatedBy.JOINED or not how.is_own:
        return None
    inside = told.step(told.value[-1]).element()
    number = told.number + 1 + more
    end = End(f"/following::{SOME_TEXT}[{number}][parent::{inside}]", None, is_position=number > 1)
    return _from_label(told, end, how)


def _from_label(told: Told, end: End, how: How) -> Selector:
    label = f"/text()[{told.label.test(how)}]"
    return Selector(told.way(told.named[-1]), end._replace(xpath=label + end.xpath))


def after_label(told: Told, how: How, number: int = 0) -> Selector | None:
    """What stands at the place, if of the elements before it that are like the label's the nearest is the label."""
    return _after(told, told.step(told.named[-1]), how, number)


def after_labels(told: Told, how: How) -> Selector | None:
    """What stands at the place, if of the labels before it that stand where this one does the nearest is this one."""
    labels = told.template.labels_at(told.named[-1])
    if not told.label.is_known or len(labels) > MOST_LABELS:
        return None
    return _after(
        told, told.step(told.named[-1]).that(Label(tuple(sorted(labels))).is_said(how)), how, 0
    )


def _after(told: Told, like: Step, how: How, number: int) -> Selector | None:
    ways = told.template.outline.ways(told.value[-1])
    if number >= len(ways):
        return None
    condition = after(like, told.label.is_said(how))
    if told.role.by is not LocatedBy.JOINED:
        return told.counted(
            Selector(ways[number], End(f"{told.no_labels.xpath}[{condition.xpath}]", None))
        )
    *above, last = ways[number]
    return told.counted(Selector((*above, last.that(condition)), told.end))


def after_in_row(told: Told, how: How) -> Selector | None:
    """What stands in the row that has the label, up to the next label."""
    if told.row < 1 or told.role.by is LocatedBy.JOINED:
        return None
    condition = after(told.step(told.named[-1]), told.label.is_said(how))
    steps = (*told.holder(told.row - 1, how), *told.rest(told.row - 1))
    return told.counted(Selector(steps, End(f"{told.no_labels.xpath}[{condition.xpath}]", None)))


def in_column(
    told: Told, header: Label, tag: str, *, is_strict: bool = False, is_exact: bool = False
) -> Selector | None:
    """What stands in the cells below a header."""
    cell, table = _cell_and_table(told)
    if not table:
        return None
    says = header.is_said(How.EXACT if header.is_known and is_exact else How.WHOLE)
    conditions = [headed(tag, says, is_strict=is_strict), *([is_not(says)] if tag == "td" else [])]
    *above, last = told.way(told.value[table])
    inner = [
        step.that(*conditions) if depth == cell else step
        for depth, step in enumerate(told.rest(table), table + 1)
    ]
    return told.counted(
        Selector((*above, last.that(holds((Step(tag),), says)), *inner), told.no_labels)
    )


def in_nth_column(told: Told, number: int) -> Selector | None:
    """What stands in the n-th cells of rows."""
    cell, table = _cell_and_table(told)
    if not table:
        return None
    above = told.way(told.value[table])
    inner = [
        step._replace(number=number) if depth == cell else step
        for depth, step in enumerate(told.rest(table), table + 1)
    ]
    return told.counted(Selector((*above, *inner), told.no_labels))


def _cell_and_table(told: Told) -> tuple[int, int]:
    """The depths of the table cell around a value, and of its table; 0 if there is none."""
    tags = [told.template.outline.elements[place].tag for place in told.value]
    cell = max((depth for depth, own in enumerate(tags) if own in _CELLS), default=0)
    return cell, max((depth for depth, own in enumerate(tags[:cell]) if own == "table"), default=0)
