"""The fields of a wrapper to selectors: for each what could find it, the plainest first, positions last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from unweave.selectors import strategies as ways
from unweave.selectors.expressions import WHOLE, Selector, is_sayable
from unweave.selectors.field_location import Style, Told
from unweave.selectors.label_conditions import SEVERAL, How, Label
from unweave.selectors.strategies import Way
from unweave.selectors.template import Template
from unweave.wrappers.fields.apply import Field
from unweave.wrappers.fields.locators import LocatedBy

_MOST_PLACES = 7
_HIGHEST_ROW = 4
_MOST_TEXTS_BETWEEN = 5
_MOST_HEADERS = 3
_MOST_COLUMNS = 12
_HEADERS = ("th", "td")
_CELLS = frozenset(["td", "th", "dt", "dd"])

_ROWS: tuple[Callable[..., Selector | None], ...] = (
    ways.in_row,
    ways.next_sibling,
    ways.nth_sibling,
    ways.later_siblings,
)

_HOWS: dict[Style, tuple[How, ...]] = {
    Style.BARE: (How.EXACT, How.OWN_EXACT),
    Style.PLAIN: (How.EXACT, How.OWN_EXACT, How.OWN),
    Style.STRICT: (How.EXACT, How.OWN),
}

_BESIDE_LABEL: tuple[Way, ...] = (
    ways.next_sibling,
    ways.nth_sibling,
    ways.behind_label,
    ways.behind_text,
    ways.below_label,
    ways.around_label,
    ways.in_row,
    ways.later_siblings,
)

# What people write comes first; the last ones count texts and rows that stand further off.
_BY_LABEL: tuple[Way, ...] = (
    *_BESIDE_LABEL,
    ways.after_label,
    ways.after_labels,
    ways.after_in_row,
    partial(ways.after_label, number=1),
    *(partial(way, up=up) for up in range(1, _HIGHEST_ROW) for way in _ROWS),
    *(partial(ways.following_text, more=more) for more in range(_MOST_TEXTS_BETWEEN)),
)


def plainest(field: Field, template: Template) -> Iterator[Selector]:
    """Yield selectors that may find a field, those that people would write first. They are to be tried on pages."""
    for style in Style:
        for found in _together(_told(field, template, style)):
            yield found
            if found.end is WHOLE:
                yield _with_several_texts(found)


def surest(field: Field, template: Template) -> Iterator[Selector]:
    """Selectors for those who have no pages to try them on, the one first that is right most often."""
    told = _told(field, template, Style.STRICT)
    if not told:
        return
    first = told[0]
    if first.named:
        for way in _sure_ways(told):
            yield from _of_all(told, partial(way, how=How.OWN))
    elif first.role.by is LocatedBy.COLUMN:
        columns = [partial(ways.in_column, header=_header(first), tag=tag) for tag in _HEADERS]
        found = [selector for column in columns for selector in _of_all(told, column)]
        yield from [found[0].or_else(*found[1:])] if found else []
    else:
        found = list(_of_all(told, ways.by_place))
        yield from (
            map(_with_several_texts, found)
            if first.role.by is LocatedBy.JOINED and first.number is None
            else found
        )


def _told(field: Field, template: Template, style: Style) -> list[Told]:
    """Return the roles of a field that a selector can tell of."""
    return [
        Told(template, role, field.number, style)
        for role in field.locators
        if role.path >= 0 and is_sayable(role.label)
    ]


def _with_several_texts(found: Selector) -> Selector:
    """Of the elements, those that have several texts: what is joined is of several."""
    *above, last = found.steps
    others = tuple(map(_with_several_texts, found.others))
    return replace(found, steps=(*above, last.that(SEVERAL)), others=others)


def _sure_ways(told: Sequence[Told]) -> Iterator[Way]:
    first = told[0]
    if all(map(_is_beside_cell, told)):
        is_list = first.number is None and _tag(first, first.named[-1]) == "dt"
        yield ways.later_siblings if is_list else ways.next_sibling
    elif all(own.is_inside_label for own in told):
        yield from (
            (ways.in_row,) if first.number is None else (ways.following_text, ways.below_label)
        )
    elif first.has_label_inside and first.role.by is LocatedBy.JOINED:
        yield ways.behind_label
    elif first.value == first.named and first.role.by is LocatedBy.JOINED:
        yield ways.behind_text
    elif first.has_label_inside or (first.value == first.named and not first.number):
        yield ways.after_label
        yield ways.around_label
    else:
        yield ways.after_labels
        yield ways.after_label


def _is_beside_cell(told: Told) -> bool:
    """Is the label a cell of a table or of a list of definitions, and the value in another cell?"""
    if told.has_label_inside or told.is_inside_label or len(told.named) != told.row + 1:
        return False
    return _tag(told, told.named[-1]) in _CELLS and _tag(told, told.value[told.row]) in _CELLS


def _tag(told: Told, place: int) -> str:
    return told.template.outline.elements[place].tag


def _together(told: Sequence[Told]) -> Iterator[Selector]:
    """Yield all ways to the roles of a field."""
    for way in _labelled(told[0]) if told else ():
        yield from _of_all(told, way)
    if not told or told[0].style is Style.BARE:
        return  # a tag alone tells neither a table nor a place
    for way in _in_columns(told[0]):
        yield from _of_all(told, way)
    for number in range(_MOST_PLACES):
        yield from _of_all(told, partial(ways.by_place, number=number))
    yield from _of_all(told, ways.behind_any_label)


def _labelled(told: Told) -> Iterator[Callable[[Told], Selector | None]]:
    hows = _HOWS[told.style] if told.label.is_known else (How.OWN,)
    found = _BESIDE_LABEL if told.style is Style.BARE else _BY_LABEL
    for way, how in product(found, hows) if told.named else ():
        yield partial(way, how=how)


def _in_columns(told: Told) -> Iterator[Callable[[Told], Selector | None]]:
    headers = _headers(told) if told.role.by is LocatedBy.COLUMN else []
    for header, is_strict, tag, is_exact in product(
        headers, (False, True), _HEADERS, (True, False)
    ):
        yield partial(
            ways.in_column, header=header, tag=tag, is_strict=is_strict, is_exact=is_exact
        )
    for number in range(1, _MOST_COLUMNS + 1) if headers else ():
        yield partial(ways.in_nth_column, number=number)


def _header(told: Told) -> Label:
    return Label.of(told.role.label, told.template.all_labels)


def _headers(told: Told) -> list[Label]:
    """The header, and each of its texts alone if there are several."""
    header = _header(told)
    alone = (
        [replace(header, texts=(text,)) for text in header.texts] if len(header.texts) > 1 else []
    )
    return [header, *alone[:_MOST_HEADERS]]


def _of_all(told: Sequence[Told], way: Callable[[Told], Selector | None]) -> Iterator[Selector]:
    """One way to all roles of a field, of which a page has one."""
    found = list(dict.fromkeys(filter(None, map(way, told))))
    if found:
        yield found[0].or_else(*found[1:])
