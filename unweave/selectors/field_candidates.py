"""Candidate selectors for a field of detail pages: by its label, its column header or its path.

A field has one or several locators, of which a page has one. A strategy makes a selector for each
locator, or None where it does not apply; together they are one candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from itertools import chain, product

from unweave.selectors.expressions import (
    ELEMENT,
    NON_BLANK_TEXT,
    TEXT,
    Axis,
    Condition,
    Content,
    Selector,
    Step,
    Steps,
    add_to_last_step,
    is_xml_text,
    join_selectors,
)
from unweave.selectors.labels import (
    ELEMENT_EXACT,
    ELEMENT_FOLDED,
    MAX_LABELS,
    TEXT_EXACT,
    TEXT_FOLDED,
    Label,
    LabelMatch,
    negate,
    require_before,
    require_header,
    require_inside,
)
from unweave.selectors.template_tree import MAX_ROUTES, TABLE_CELLS, Template
from unweave.wrappers.fields.apply import Field
from unweave.wrappers.fields.locators import LocatedBy, Locator

_MAX_ROWS_UP = 3
_MAX_SKIPPED_TEXTS = 4
_MAX_HEADER_TEXTS = 3
_MAX_COLUMNS = 12
_CELLS = TABLE_CELLS | {"dt", "dd"}
_HEADER_TAGS = ("th", "td")
_ALL_AFTER = Content("/following-sibling::node()")
_LINK_AROUND = Content("/ancestor-or-self::a[1]/@href")
# A paragraph is joined of several texts, as of links or bold words.
_HAS_SEVERAL_TEXTS = Condition("count(.//text()[normalize-space()])>1")


class _Style(Enum):
    """How much the steps to a label, and from there to the value, say of elements."""

    BARE = "their tags only, as people write them"
    PLAIN = "their identifiers"
    STRICT = "their identifiers and those that they must not have; labels are not values"


_MATCHES = {
    _Style.BARE: (ELEMENT_EXACT, TEXT_EXACT),
    _Style.PLAIN: (ELEMENT_EXACT, TEXT_EXACT, TEXT_FOLDED),
    _Style.STRICT: (ELEMENT_EXACT, TEXT_FOLDED),
}


class _Location:
    """A locator of a field in the tree of its template, and the strategies to select its texts."""

    def __init__(
        self, template: Template, locator: Locator, number: int | None, style: _Style
    ) -> None:
        self._template, self.locator, self.style = template, locator, style
        self.number = number  # of the text among those of the locator, from 0; None for all
        self._nth = number + 1 if number else None
        self.value_path = template.tree.list_path(locator.path + 1)
        self.label_path = template.tree.list_path(locator.label_path + 1)  # empty without label
        self.label = Label.find(locator.label, template.labels.get(locator.label_path + 1, ()))
        common = 0
        for value_vertex, label_vertex in zip(self.value_path, self.label_path, strict=False):
            if value_vertex != label_vertex:
                break
            common += 1
        # The depth of the siblings of which one holds the label and one the value.
        self.row_depth = min(common, len(self.value_path) - 1, len(self.label_path) - 1)
        # As in <li><b>Weight</b> 3 kg</li>, and in <li>Weight <b>3 kg</b></li>.
        self.has_label_inside = common == len(self.value_path) < len(self.label_path)
        self.is_inside_label = common == len(self.label_path) < len(self.value_path)
        self.is_joined = locator.by is LocatedBy.JOINED  # a paragraph of several texts
        self._content = ELEMENT if self.is_joined else TEXT

    def get_tag(self, vertex: int) -> str:
        return self._template.tree.elements[vertex].tag

    # ---- near the label --------------------------------------------------------------------------

    def select_sibling(
        self, match: LabelMatch, axis: Axis, *, is_numbered: bool = False, rows_up: int = 0
    ) -> Selector | None:
        """Select the next, the n-th or all siblings after the label, such as cells of a row."""
        depth = self.row_depth - rows_up
        if depth < 1 or (is_numbered and not self.number):
            return None
        holder = self._find_holder(depth, match)
        (sibling,) = self._list_steps(self.value_path[depth : depth + 1])
        sibling = sibling._replace(axis=axis, number=self._nth if is_numbered else None)
        is_all = axis is Axis.LATER_SIBLING and not is_numbered
        if is_all and self.value_path[depth] != self.label_path[depth]:  # up to the next label
            (like_label,) = self._list_steps(self.label_path[depth : depth + 1])
            is_label = holder[-1].conditions[-1]
            sibling = sibling.add_condition(
                require_before(like_label, is_label, axis="preceding-sibling")
            )
        steps = (*holder, sibling, *self._list_steps_below(depth))
        return Selector(steps, self._content, None if is_numbered else self._nth)

    def select_in_row(self, match: LabelMatch, rows_up: int = 0) -> Selector | None:
        """Select the texts in the row that has the label."""
        depth = self.row_depth - rows_up - 1
        if depth < 0:
            return None
        steps = (*self._find_holder(depth, match), *self._list_steps_below(depth))
        return Selector(steps, self._content_without_labels, self._nth)

    def select_in_element(self, match: LabelMatch) -> Selector | None:
        """Select the texts of the element that has the label inside, or of those inside of it."""
        is_around_label = self.has_label_inside and not self.is_joined
        if not is_around_label and not (self.is_inside_label and match.in_text_node):
            return None
        depth = self.row_depth
        steps = (*self._find_holder(depth, match), *self._list_steps_below(depth))
        return Selector(steps, self._content, self._nth)

    def select_after_label_in_element(self, match: LabelMatch) -> Selector | None:
        """Select the text after a label that is a text or an element of the same element."""
        if self.has_label_inside:
            selector = Selector(self._find_holder(len(self.value_path), match), Content())
        elif self.value_path == self.label_path and match.in_text_node:
            selector = self._start_at_text(self.label_path[-1], self.label, match)
        else:
            return None
        if not self.is_joined:
            number = "" if self.number is None else f"[{self.number + 1}]"
            return _extend(selector, Content(f"/following-sibling::{NON_BLANK_TEXT}{number}"))
        return None if self.number is None else _extend(selector, _ALL_AFTER, is_joined=True)

    # ---- further from the label ------------------------------------------------------------------

    def select_preceded_by_label(
        self, match: LabelMatch, route: int | None = 0, *, is_among_known: bool = False
    ) -> Selector | None:
        """Select texts before which the label is the nearest element of its kind.

        It is the nearest of the elements that look like it, or of the known labels at its path. The
        texts are at the template path, or without a route in the row that has the label.
        """
        (like_label,) = self._list_steps(self.label_path[-1:])
        if is_among_known:
            labels = self._join_labels(self.locator.label_path)
            if not self.label.is_known or labels is None:
                return None
            like_label = like_label.add_condition(labels.make_condition(match))
        condition = require_before(like_label, self.label.make_condition(match))
        if route is None:
            selector = None if self.is_joined else self.select_in_row(match)
        else:
            selector = self.select_path(route)
        if selector is None:
            return None
        if self.is_joined:
            return selector.add_to_last_step(condition)
        return _extend(selector, Content(f"[{condition.xpath}]"))

    def select_following_text(self, match: LabelMatch, skipped: int = 0) -> Selector | None:
        """Select the n-th text after the label, if its parent is like that of the value."""
        if self.number is None or self.is_joined or not match.in_text_node:
            return None
        (parent,) = self._list_steps(self.value_path[-1:])
        number = self.number + 1 + skipped
        text = f"/following::{NON_BLANK_TEXT}[{number}][parent::{parent.format_element()}]"
        return _extend(self._start_at_text(self.label_path[-1], self.label, match), Content(text))

    # ---- without a label -------------------------------------------------------------------------

    def select_column(
        self, header: Label, tag: str, match: LabelMatch, *, same_width: bool = False
    ) -> Selector | None:
        """Select the table cells below a header."""
        test = header.make_condition(match)
        conditions = [require_header(tag, test, same_width=same_width)]
        if tag == "td":
            conditions.append(negate(test))
        return self.select_cells(None, conditions, require_inside((Step(tag),), test))

    def select_cells(
        self,
        number: int | None,
        conditions: Iterable[Condition] = (),
        table_condition: Condition | None = None,
    ) -> Selector | None:
        """Select the table cells with a number, or for which conditions hold."""
        tags = [self.get_tag(vertex) for vertex in self.value_path]
        cell = max([depth for depth, tag in enumerate(tags) if tag in TABLE_CELLS], default=0)
        table = max([depth for depth, tag in enumerate(tags[:cell]) if tag == "table"], default=0)
        if not table:
            return None
        steps = list(self._get_route(self.value_path[table]))
        if table_condition is not None:
            steps[-1] = steps[-1].add_condition(table_condition)
        for depth, step in enumerate(self._list_steps_below(table), table + 1):
            if depth == cell:
                step = step._replace(conditions=tuple(conditions), number=number)
            steps.append(step)
        return Selector(tuple(steps), self._content_without_labels, self._nth)

    def select_path(self, route: int = 0) -> Selector | None:
        """Select the texts at the template path."""
        routes = self._template.tree.find_routes(self.value_path[-1])
        if route >= len(routes):
            return None
        return Selector(routes[route], self._content_without_labels, self._nth)

    def select_after_any_label(self) -> Selector | None:
        """Select the rest of a paragraph after one of the labels that are texts of it."""
        labels = self._join_labels(self.locator.path)
        if not self.is_joined or self.number is None or labels is None:
            return None
        selector = self._start_at_text(self.value_path[-1], labels, TEXT_FOLDED)
        return _extend(selector, _ALL_AFTER, is_joined=True)

    # ---- parts of selectors ----------------------------------------------------------------------

    def _find_holder(self, depth: int, match: LabelMatch) -> Steps:
        """Return steps to the element at a depth that has the label, itself or below it."""
        inside = self._list_steps(self.label_path[depth + 1 :], self.label_path[depth])
        condition = require_inside(inside, self.label.make_condition(match))
        return add_to_last_step(self._get_route(self.label_path[depth]), condition)

    def _start_at_text(self, vertex: int, label: Label, match: LabelMatch) -> Selector:
        """Return a selector of the text nodes that are a label."""
        return Selector(self._get_route(vertex), Content(f"/text()[{label.format_test(match)}]"))

    def _get_route(self, vertex: int) -> Steps:
        """Return steps from the root to a vertex, or to any element of its tag if bare."""
        if self.style is _Style.BARE:
            return self._list_steps([vertex])
        return self._template.tree.find_routes(vertex)[0]

    def _list_steps_below(self, depth: int) -> Steps:
        return self._list_steps(self.value_path[depth + 1 :], self.value_path[depth])

    def _list_steps(self, path: Sequence[int], above: int = -1) -> Steps:
        steps = self._template.tree.make_steps(path, above, is_strict=self.style is _Style.STRICT)
        if self.style is _Style.BARE:
            return tuple([step._replace(identifiers=()) for step in steps])
        return steps

    @property
    def _content_without_labels(self) -> Content:
        labels = self._join_labels(self.locator.path)
        if self.style is not _Style.STRICT or self.is_joined or labels is None:
            return self._content
        is_label = labels.make_condition(ELEMENT_EXACT)
        return Content(f"{TEXT.xpath}[{negate(is_label).xpath}]")

    def _join_labels(self, path: int) -> Label | None:
        """Return all labels at a template path as one; None if there are none or too many."""
        labels = self._template.labels.get(path + 1, ())
        return Label(tuple(sorted(labels))) if 0 < len(labels) <= MAX_LABELS else None


def _extend(selector: Selector, content: Content, *, is_joined: bool = False) -> Selector:
    content = Content(selector.content.xpath + content.xpath)
    return replace(selector, content=content, is_joined=is_joined)


def select_link(selector: Selector) -> Selector:
    """Return the selector of the URLs of the links around what a selector finds."""
    alternatives = tuple(map(select_link, selector.alternatives))
    return replace(_extend(selector, _LINK_AROUND), alternatives=alternatives)


# ---- candidates ----------------------------------------------------------------------------------

_Strategy = Callable[[_Location, LabelMatch], Selector | None]

_select_next_sibling = partial(_Location.select_sibling, axis=Axis.NEXT_SIBLING)
_select_nth_sibling = partial(_Location.select_sibling, axis=Axis.LATER_SIBLING, is_numbered=True)
_select_later_siblings = partial(_Location.select_sibling, axis=Axis.LATER_SIBLING)
_select_among_labels = partial(_Location.select_preceded_by_label, is_among_known=True)

_NEAR_LABEL: tuple[_Strategy, ...] = (
    _select_next_sibling,
    _select_nth_sibling,
    _Location.select_after_label_in_element,
    _Location.select_in_element,
    _Location.select_in_row,
    _select_later_siblings,
)
_IN_HIGHER_ROWS: tuple[Callable[..., Selector | None], ...] = (
    _Location.select_in_row,
    _select_next_sibling,
    _select_nth_sibling,
    _select_later_siblings,
)
_FAR_FROM_LABEL: tuple[_Strategy, ...] = (
    _Location.select_preceded_by_label,
    _select_among_labels,
    partial(_Location.select_preceded_by_label, route=None),
    partial(_Location.select_preceded_by_label, route=1),
    *[
        partial(strategy, rows_up=rows_up)
        for rows_up in range(1, _MAX_ROWS_UP + 1)
        for strategy in _IN_HIGHER_ROWS
    ],
    *[
        partial(_Location.select_following_text, skipped=skipped)
        for skipped in range(_MAX_SKIPPED_TEXTS + 1)
    ],
)


def list_field_candidates(field: Field, template: Template) -> Iterator[Selector]:
    """Yield selectors to be tested on pages, those that people would write first."""
    for style in _Style:
        locations = _list_locations(field, template, style)
        if not locations:
            return
        by_label = _select_by_label(locations)
        for selectors in chain(by_label, _select_without_label(locations, template)):
            for selector in _join(selectors):
                yield selector
                if selector.content is ELEMENT:
                    yield selector.add_to_last_step(_HAS_SEVERAL_TEXTS)


def _list_locations(field: Field, template: Template, style: _Style) -> list[_Location]:
    return [
        _Location(template, locator, field.number, style)
        for locator in field.locators
        if locator.path >= 0 and is_xml_text(locator.label)
    ]


def _join(selectors: Iterable[Selector | None]) -> list[Selector]:
    """Return the different selectors of the locators as one; none if no strategy applies."""
    different = list(dict.fromkeys(filter(None, selectors)))
    return [join_selectors(different)] if different else []


def _select_by_label(locations: Sequence[_Location]) -> Iterator[list[Selector | None]]:
    first = locations[0]
    if not first.label_path:
        return
    labelled = [location for location in locations if location.label_path]
    matches = _MATCHES[first.style] if first.label.is_known else (TEXT_FOLDED,)
    strategies = [*_NEAR_LABEL, *(() if first.style is _Style.BARE else _FAR_FROM_LABEL)]
    for strategy, match in product(strategies, matches):
        yield [strategy(location, match) for location in labelled]


def _select_without_label(
    locations: Sequence[_Location], template: Template
) -> Iterator[list[Selector | None]]:
    first = locations[0]
    if first.style is _Style.BARE:
        return  # a tag alone identifies neither a table nor a path
    if first.locator.by is LocatedBy.COLUMN:
        header = Label.find(first.locator.label, template.all_labels)
        headers = [header]
        if len(header.texts) > 1:
            headers += [replace(header, texts=(text,)) for text in header.texts[:_MAX_HEADER_TEXTS]]
        matches = (ELEMENT_EXACT, ELEMENT_FOLDED) if header.is_known else (ELEMENT_FOLDED,)
        for header, same_width, tag, match in product(
            headers, (False, True), _HEADER_TAGS, matches
        ):
            yield [
                location.select_column(header, tag, match, same_width=same_width)
                for location in locations
            ]
        for number in range(1, _MAX_COLUMNS + 1):
            yield [location.select_cells(number) for location in locations]
    for route in range(MAX_ROUTES):
        yield [location.select_path(route) for location in locations]
    yield [location.select_after_any_label() for location in locations]


def list_untested_field_candidates(field: Field, template: Template) -> Iterator[Selector]:
    """Yield selectors to be used without a test, the one that is right most often first."""
    locations = _list_locations(field, template, _Style.STRICT)
    if not locations:
        return
    first = locations[0]
    if first.label_path:
        labelled = [location for location in locations if location.label_path]
        for strategy in _list_reliable_strategies(labelled):
            yield from _join([strategy(location, TEXT_FOLDED) for location in labelled])
    elif first.locator.by is LocatedBy.COLUMN:
        header = Label.find(first.locator.label, template.all_labels)
        columns: list[Selector] = []
        for tag in _HEADER_TAGS:
            columns += _join(
                [location.select_column(header, tag, ELEMENT_FOLDED) for location in locations]
            )
        yield from _join(columns)
    else:
        for selector in _join([location.select_path() for location in locations]):
            is_paragraph = first.is_joined and first.number is None
            yield selector.add_to_last_step(_HAS_SEVERAL_TEXTS) if is_paragraph else selector


def _list_reliable_strategies(locations: Sequence[_Location]) -> Sequence[_Strategy]:
    first = locations[0]
    if all(map(_is_in_next_cell, locations)):
        is_list = first.number is None and first.get_tag(first.label_path[-1]) == "dt"
        return [_select_later_siblings if is_list else _select_next_sibling]
    if all(location.is_inside_label for location in locations):
        if first.number is None:
            return [_Location.select_in_row]
        return [_Location.select_following_text, _Location.select_in_element]
    has_label_text = first.value_path == first.label_path
    if first.is_joined and (first.has_label_inside or has_label_text):
        return [_Location.select_after_label_in_element]
    if first.has_label_inside or (has_label_text and not first.number):
        return [_Location.select_preceded_by_label, _Location.select_in_element]
    return [_select_among_labels, _Location.select_preceded_by_label]


def _is_in_next_cell(location: _Location) -> bool:
    """Tell whether label and value are cells of a table or of a list of definitions."""
    if location.has_label_inside or location.is_inside_label:
        return False
    if len(location.label_path) != location.row_depth + 1:
        return False
    label_vertex, value_vertex = location.label_path[-1], location.value_path[location.row_depth]
    return location.get_tag(label_vertex) in _CELLS and location.get_tag(value_vertex) in _CELLS
