"""The tables inside detail pages to selectors: one for the rows, and one in the row for each column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unweave.selectors.expressions import TEXT, WHOLE, Condition, Selector, Steps
from unweave.selectors.label_conditions import holds
from unweave.selectors.template import Template
from unweave.wrappers.fields.row_tables import RowColumn, RowTable

_CELLS = frozenset(["td", "th"])
_SAYS_SOMETHING = Condition("normalize-space()", None)


def rows(table: RowTable, template: Template) -> Iterator[Selector]:
    """Selectors of the rows: by their places, and of those the ones that say something in one of the columns."""
    places = _places(table)
    ways = [template.outline.ways(place) for place in places]
    for number in range(max(map(len, ways), default=0)):
        chosen = [own[min(number, len(own) - 1)] for own in ways]
        yield _either(chosen)
        for column in table.columns:
            yield _either(
                [
                    _with_column(own, column, template, place)
                    for own, place in zip(chosen, places, strict=True)
                ]
            )


def _places(table: RowTable) -> list[int]:
    """The places of the rows in the outline."""
    return [place + 1 for place in table.paths if place >= 0]


def _either(ways: Sequence[Steps]) -> Selector:
    first, *others = [Selector(steps, WHOLE) for steps in ways]
    return first.or_else(*others)


def _with_column(steps: Steps, column: RowColumn, template: Template, row: int) -> Steps:
    """The row, if it says something in a column."""
    *above, last = steps
    target = template.down(row, column.cell.path)
    outline, numbers = template.outline.below(row)
    if target is None or not numbers[target]:
        return steps
    down = outline.chain(outline.path(numbers[target]), 0)
    return (*above, last.that(holds(down, _SAYS_SOMETHING)))


def cells(column: RowColumn, table: RowTable, template: Template) -> Iterator[Selector]:
    """Selectors of one column, seen from the row."""
    row = next(iter(_places(table)), 0)
    target = template.down(row, column.cell.path) if row else None
    if target is None:
        return
    outline, numbers = template.outline.below(row)
    place = numbers[target]
    ways = outline.ways(place) if place else [()]
    numbered = list(_numbered(outline.chain(outline.path(place), 0), column.cell.column))
    cells_there = {own.cell.column for own in table.columns if own.cell.path == column.cell.path}
    for steps in [*ways, *numbered] if len(cells_there) == 1 else [*numbered, *ways]:
        found = Selector(steps, TEXT, is_relative=True)
        if column.number is None:
            yield replace(found, is_joined=True)
        else:
            yield replace(found, nth=column.number + 1) if column.number else found


def _numbered(chain: Steps, cell: int) -> Iterator[Steps]:
    """The steps with the number of the table cell, where the text stands in one."""
    depth = max((number for number, step in enumerate(chain) if step.tag in _CELLS), default=None)
    if cell and depth is not None:
        before, step, rest = chain[:depth], chain[depth], chain[depth + 1 :]
        for own in dict.fromkeys([step, step._replace(words=())]):
            yield (*before, own._replace(number=cell), *rest)
            yield (*before, own.that(nth_child(cell)), *rest)


def nth_child(number: int) -> Condition:
    """The element is the n-th of its siblings, whatever they are."""
    return Condition(
        f"count(preceding-sibling::*)={number - 1}", f":nth-child({number})", is_position=True
    )
