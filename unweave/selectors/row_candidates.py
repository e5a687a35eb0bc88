"""Candidate selectors for rows and their columns: tables in detail pages, and lists of records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from unweave.lists.listing import IMAGE, LINK, AlignedItem
from unweave.page.template_paths import list_identifiers
from unweave.selectors.evaluation import remove_spaces
from unweave.selectors.expressions import (
    ALL_TEXTS,
    ELEMENT,
    HREF,
    SRC,
    TEXT,
    Axis,
    Condition,
    Content,
    Selector,
    Step,
    Steps,
    add_to_last_step,
    join_selectors,
    quote_xpath,
)
from unweave.selectors.labels import require_inside
from unweave.selectors.template_tree import (
    ROOT_TAGS,
    TABLE_CELLS,
    UNNAMED_TAGS,
    Element,
    Template,
    TemplateTree,
    estimate_cost,
    make_element,
)
from unweave.wrappers.fields.row_tables import RowColumn, RowTable
from unweave.wrappers.lists.apply import ListWrapper

# ---- tables in detail pages ----------------------------------------------------------------------

_HAS_TEXT = Condition("normalize-space()")


def list_row_candidates(table: RowTable, template: Template) -> Iterator[Selector]:
    """Yield selectors of the rows: by their paths, also with a text in one of the columns."""
    rows = _list_rows(table)
    routes = [template.tree.find_routes(row) for row in rows]
    for number in range(max(map(len, routes), default=0)):
        chosen = [each[min(number, len(each) - 1)] for each in routes]
        yield join_selectors([Selector(steps, ELEMENT) for steps in chosen])
        for column in table.columns:
            selectors: list[Selector] = []
            for row, steps in zip(rows, chosen, strict=True):
                target = template.find_descendant(row, column.cell.steps)
                subtree, numbers = template.tree.get_subtree(row)
                if target is not None and target != row:
                    inside = subtree.make_steps(subtree.list_path(numbers[target]), 0)
                    steps = add_to_last_step(steps, require_inside(inside, _HAS_TEXT))
                selectors.append(Selector(steps, ELEMENT))
            yield join_selectors(selectors)


def list_cell_candidates(
    column: RowColumn, table: RowTable, template: Template
) -> Iterator[Selector]:
    """Yield selectors of one column, relative to the row."""
    row = next(iter(_list_rows(table)), 0)
    target = template.find_descendant(row, column.cell.steps) if row else None
    if target is None:
        return
    subtree, numbers = template.tree.get_subtree(row)
    vertex = numbers[target]
    routes = subtree.find_routes(vertex) if vertex else [()]
    numbered = _number_cell(subtree.make_steps(subtree.list_path(vertex), 0), column.cell.column)
    columns = {each.cell.column for each in table.columns if each.cell.path == column.cell.path}
    nth = column.number + 1 if column.number else None
    is_joined = column.number is None
    for steps in [*routes, *numbered] if len(columns) == 1 else [*numbered, *routes]:
        yield Selector(steps, TEXT, nth, is_relative=True, is_joined=is_joined)


def _list_rows(table: RowTable) -> list[int]:
    return [path + 1 for path in table.paths if path >= 0]


def _number_cell(steps: Steps, number: int) -> list[Steps]:
    """Return steps with the number of the innermost table cell, if the text is in one."""
    depths = [depth for depth, step in enumerate(steps) if step.tag in TABLE_CELLS]
    if not number or not depths:
        return []
    before, cell, after = steps[: depths[-1]], steps[depths[-1]], steps[depths[-1] + 1 :]
    nth_child = Condition(f"count(preceding-sibling::*)={number - 1}", f":nth-child({number})")
    numbered: list[Steps] = []
    for step in dict.fromkeys([cell, cell._replace(identifiers=())]):
        numbered.append((*before, step._replace(number=number), *after))
        numbered.append((*before, step.add_condition(nth_child), *after))
    return numbered


# ---- lists of records ----------------------------------------------------------------------------

_CONTENTS: dict[str, tuple[Content, ...]] = {LINK: (HREF,), IMAGE: (SRC,)}
_TEXT_CONTENTS = (TEXT, ELEMENT, ALL_TEXTS)
_HAS_TEXT_OR_IMAGE = Condition("normalize-space() or self::img")
_NOT_FIRST = Condition("position()>1")
_LAST_STEPS = 3  # of the path to a record, if neither identifiers nor pages are known
_MIN_IDENTIFIER_SHARE = 0.3  # of the records; rarer identifiers belong to single records
_MIN_COLUMN_SHARE = 0.9  # of the records; such a column distinguishes records from other elements
_MAX_CONDITIONS = 4
_MAX_VERTICES = 3  # the most common ones of a column
_MAX_NTH = 5
_MAX_COLUMN_CANDIDATES = 100
_MAX_TESTED_RECORDS = 100  # learned wrappers have at most 40 examples, untrusted ones any number


class _Cell(NamedTuple):
    record: int
    part: int
    """The number of the element of the record that holds the cell."""
    item: AlignedItem


class ListCandidates:
    """Selectors of the records and the columns of a wrapper for lists.

    Its example records show where the cells are, and column selectors are tested on them first.
    """

    def __init__(self, wrapper: ListWrapper) -> None:
        self._wrapper = wrapper
        names = wrapper.ancestor_identifiers or [()] * len(wrapper.paths[0])
        path = [
            make_element(tag, () if tag in ROOT_TAGS else words)
            for tag, words in zip(wrapper.paths[0], names, strict=True)
        ]
        # The path to the first element of a record is a tree without branches.
        self._record_tree = TemplateTree(list(range(-1, len(path))), [Element(""), *path])
        self._record_path = self._record_tree.list_path(len(path))
        # Parts that are not siblings, such as cells of different rows, have no common selector.
        self._has_selector = len(wrapper.paths) == 1 or (
            wrapper.levels == 1 and len({path[:-1] for path in wrapper.paths}) == 1
        )
        self._page, self._records = wrapper.example_records.page, wrapper.example_records.records
        self._roots = {root for record in self._records for root in record}
        self._elements = [
            make_element(tag, list_identifiers(tag, names))
            for tag, names in zip(self._page.tree.labels, self._page.identifiers, strict=True)
        ]
        self._page_tree = TemplateTree(self._page.tree.parents, self._elements)
        self._cells: defaultdict[int, list[_Cell]] = defaultdict(list)
        for number, row in enumerate(wrapper.example_records.align(self._page, self._records)):
            for column, item in row:
                if column is not None:
                    part = sum([root <= item.node for root in self._records[number][1:]])
                    self._cells[column].append(_Cell(number, part, item))
        self._merge_parts = cache(self._merge_uncached_parts)
        self._find_nodes = cache(self._find_uncached_nodes)

    # ---- records ---------------------------------------------------------------------------------

    def list_record_candidates(self) -> Iterator[Selector]:
        """Yield selectors of the first element of each record, by its identifiers first."""
        if not self._has_selector:
            return
        vertices = range(len(self._record_tree.parents) - 1, 0, -1)
        routes: list[Steps] = []
        for vertex in vertices:
            first, *rest = self._list_steps_from(vertex)
            names = self._record_tree.elements[vertex].identifiers
            routes += [
                (first._replace(identifiers=(name,)), *rest)
                for name in sorted(names, key=estimate_cost)
            ]
        routes += [self._list_steps_from(vertex) for vertex in vertices]
        conditions = [*self._list_record_conditions(), _NOT_FIRST]
        for steps in routes:
            yield Selector(steps, ELEMENT)
            for condition in conditions:
                yield Selector(add_to_last_step(steps, condition), ELEMENT)

    def list_untested_record_candidates(self) -> Iterator[Selector]:
        """Yield selectors by identifiers of the record and of its nearest ancestor with some."""
        if not self._has_selector:
            return
        elements = self._record_tree.elements
        path = [vertex for vertex in self._record_path if elements[vertex].tag != "html"]
        named = [vertex for vertex in path[:-1] if elements[vertex].identifiers]
        steps = self._list_steps_from(named[-1] if named else path[-_LAST_STEPS:][0])
        conditions = self._list_record_conditions()
        if conditions and not steps[-1].identifiers:
            yield Selector(add_to_last_step(steps, conditions[0]), ELEMENT)
        yield Selector(steps, ELEMENT)

    def _list_steps_from(self, vertex: int) -> Steps:
        """Return steps from an ancestor of the records down to them."""
        path = [below for below in self._record_path if below >= vertex] or self._record_path[-1:]
        first, *rest = self._record_tree.make_steps(path, 0)
        return (first._replace(axis=Axis.DESCENDANT), *rest)

    def _list_record_conditions(self) -> list[Condition]:
        """Return what distinguishes records: their other parts, or columns that nearly all have."""
        parts: list[str] = []
        for number, path in enumerate(self._wrapper.paths[1:], start=1):
            parts.append(f"following-sibling::*[{number}][name()={quote_xpath(path[-1])}]")
        conditions = [Condition(" and ".join(parts))] if parts else []
        for column, cells in sorted(self._cells.items()):
            is_common = len(cells) >= _MIN_COLUMN_SHARE * len(self._records)
            if is_common and not self._find_part(column):
                steps = next(filter(None, self._list_column_steps(column)), None)
                if steps is not None:
                    conditions.append(require_inside(steps, _HAS_TEXT_OR_IMAGE))
        return conditions[:_MAX_CONDITIONS]

    # ---- columns ---------------------------------------------------------------------------------

    def is_url(self, column: int) -> bool:
        """Tell whether a column holds the addresses of links or images."""
        return self._list_contents(column) in _CONTENTS.values()

    def list_column_candidates(self, column: int) -> list[Selector]:
        """Return selectors relative to the record, those that hold in most examples first."""
        parts = self._wrapper.paths[1 : self._find_part(column) + 1]
        to_part = [Step(path[-1], axis=Axis.NEXT_SIBLING) for path in parts]
        contents = self._list_contents(column)
        candidates: dict[Selector, int] = {}
        for nth in (None, *range(2, _MAX_NTH + 1)):
            for steps in self._list_column_steps(column):
                for content in contents:
                    selector = Selector((*to_part, *steps), content, nth, is_relative=True)
                    if len(candidates) < _MAX_COLUMN_CANDIDATES and selector not in candidates:
                        candidates[selector] = self._count_correct(column, selector)
        return sorted(candidates, key=lambda selector: -candidates[selector])

    def _list_contents(self, column: int) -> Sequence[Content]:
        types = Counter([cell.item.kind for cell in self._cells[column]])
        return _CONTENTS.get(types.most_common(1)[0][0], _TEXT_CONTENTS) if types else ()

    def _find_part(self, column: int) -> int:
        """Return the part of records that holds most cells of a column."""
        parts = Counter([cell.part for cell in self._cells[column]])
        return parts.most_common(1)[0][0] if parts else 0

    def _list_column_steps(self, column: int) -> Iterator[Steps]:
        """Yield steps from a part of the record to a column: by identifiers, then by numbers."""
        tree, vertices = self._merge_parts(self._find_part(column))
        nodes = [cell.item.node for cell in self._cells[column] if cell.item.node in vertices]
        counts = Counter([vertices[node] for node in nodes])
        common = [vertex for vertex, _ in counts.most_common(_MAX_VERTICES)]
        for vertex in common:
            if not vertex:
                yield ()
                continue
            yield from tree.find_short_routes(
                [vertex, *(each for each in common if each != vertex)]
            )
            yield from tree.find_routes(vertex)
            tag, names = tree.elements[vertex]
            yield from [(Step(tag, (name,)),) for name in sorted(names, key=estimate_cost)]
        if common != [0]:
            yield from dict.fromkeys(map(self._number_steps, nodes))

    def _merge_uncached_parts(self, part: int) -> tuple[TemplateTree, dict[int, int]]:
        """Return the merged tree of one part of all records, and the vertex of each node."""
        tree = self._page.tree
        roots = [record[part] for record in self._records if part < len(record)]
        counts: Counter[tuple[str, str]] = Counter()
        for root in roots:
            names = {
                (element.tag, name)
                for element in self._elements[root : tree.ends[root]]
                for name in element.identifiers
            }
            counts.update(names)
        numbers: dict[tuple[int, Element], int] = {}
        vertices = dict.fromkeys(roots, 0)
        for root in roots:
            for node in range(root + 1, tree.ends[root]):
                tag, identifiers = self._elements[node]
                shared = [
                    name
                    for name in identifiers
                    if counts[tag, name] >= _MIN_IDENTIFIER_SHARE * len(roots)
                ]
                key = (vertices[tree.parents[node]], Element(tag, tuple(shared)))
                vertices[node] = numbers.setdefault(key, len(numbers) + 1)
        parents = [-1, *(parent for parent, _ in numbers)]
        return TemplateTree(parents, [Element(""), *(element for _, element in numbers)]), vertices

    def _number_steps(self, node: int) -> Steps:
        """Return steps to a node by its number, where it has siblings of the same tag."""
        tree = self._page.tree
        steps: list[Step] = []
        while node not in self._roots:
            parent, tag = tree.parents[node], tree.labels[node]
            if tag not in UNNAMED_TAGS:
                same = [child for child in tree.children(parent) if tree.labels[child] == tag]
                is_skipped = tree.labels[parent] in UNNAMED_TAGS and parent not in self._roots
                axis = Axis.DESCENDANT if is_skipped else Axis.CHILD
                number = same.index(node) + 1 if len(same) > 1 else None
                steps.append(Step(tag, number=number, axis=axis))
            node = parent
        return tuple(reversed(steps))

    # ---- test on the example records -------------------------------------------------------------

    def _count_correct(self, column: int, selector: Selector) -> int:
        """Return in how many example records a selector finds the cell of a column."""
        expected = {
            cell.record: remove_spaces(cell.item.value) for cell in reversed(self._cells[column])
        }
        correct = 0
        for number, nodes in enumerate(self._find_nodes(selector.steps)):
            texts = filter(None, self._read_texts(nodes, selector.content))
            text = next(islice(texts, (selector.nth or 1) - 1, None), None)
            correct += (text and remove_spaces(text)) == expected.get(number)
        return correct

    def _find_uncached_nodes(self, steps: Steps) -> list[list[int]]:
        records = self._records[:_MAX_TESTED_RECORDS]
        return [self._page_tree.find_vertices(steps, record[0]) for record in records]

    def _read_texts(self, nodes: Sequence[int], content: Content) -> Iterator[str | None]:
        page = self._page
        for node in nodes:
            if content is ELEMENT:
                yield page.text(node)
            elif content in (TEXT, ALL_TEXTS):
                for text_node in page.text_nodes(node):
                    if content is ALL_TEXTS or page.text_parents[text_node] == node:
                        yield page.texts[text_node]
            else:
                yield page.node_urls[node]
