"""Learn wrappers for lists: the list that pages of one template share, aligned over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unweave.column_selection import ColumnSpec, parse_columns
from unweave.errors import UsageError, WrapperError
from unweave.lists import default
from unweave.lists.data_records import T
from unweave.lists.listing import Listing, Record
from unweave.lists.table_building import ColumnOrder
from unweave.page.composite import JoinedPages
from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.registry import check_option_types
from unweave.schema import Schema
from unweave.table import Table
from unweave.wrappers.column_schema import make_specs, match_columns
from unweave.wrappers.learning import Learner
from unweave.wrappers.lists.agreement import (
    MAX_COUNTS,
    ListStatistics,
    measure_shares,
    profile_columns,
)
from unweave.wrappers.lists.apply import ListWrapper, check_selected
from unweave.wrappers.lists.example_records import ExampleRecords
from unweave.wrappers.lists.list_matching import LearnedList, ListMatcher
from unweave.wrappers.lists.record_finding import RecordPattern

_MAX_RECORDS = 500
_MAX_SHAPES = 20  # of a part of the records, the most common ones
# A class or id belongs to the list if this share of the elements at one step of the path have it.
_MIN_IDENTIFIER_SHARE = 0.9

RecordPath = tuple[tuple[str, ...], ...]
"""For each part of a record, the tags from the root of the page to it."""


def learn(
    pages: Sequence[Page],
    candidates: Sequence[Sequence[Listing]] | None = None,
    *,
    selected_columns: Sequence[ColumnSpec] = (),
) -> ListWrapper:
    """Learn the list that is the first candidate of most pages.

    Args:
        pages: Pages of one template.
        candidates: The lists of each page, best first; those of the default method if None.
        selected_columns: The columns of the result, with their names and types; all if empty.
    """
    if candidates is None:
        candidates = [[listing for _, listing in default.rank_lists(page)] for page in pages]
    first_paths: Counter[RecordPath] = Counter()
    for page, listings in zip(pages, candidates, strict=True):
        if listings:
            first_paths[_find_record_path(page, listings[0])] += 1
    if not first_paths:
        raise WrapperError("none of the pages has a list")
    path = first_paths.most_common(1)[0][0]

    list_pages: list[Page] = []
    records_of_pages: list[list[Record]] = []
    for page, listings in zip(pages, candidates, strict=True):
        for listing in listings:
            if _find_record_path(page, listing) == path:
                list_pages.append(page)
                records_of_pages.append(
                    [record for record in listing.records if _get_path(page, record) == path]
                )
                break

    joined = JoinedPages(list_pages)
    records: list[Record] = []
    for number, records_of_page in enumerate(records_of_pages):
        records += [
            tuple([joined.to_joined_node(number, node) for node in record])
            for record in records_of_page
        ]
    records = records[:_MAX_RECORDS]
    listing = Listing(tuple(records))
    rows = default.make_aligner(joined)(listing).rows
    order = ColumnOrder(rows)
    if not order.keys:
        raise WrapperError("the records of the list are empty")
    columns = default.name_columns(joined, listing, *order.group_items(rows))
    check_selected(selected_columns, {column.name for column in columns})
    column_numbers = {key: number for number, key in enumerate(order.keys)}
    numbered = [[(column_numbers[item.key], item) for item in row] for row in rows]
    learned = LearnedList(
        RecordPattern(
            path,
            tuple(_find_shapes(joined, records, part) for part in range(len(path))),
            max(map(_count_levels, list_pages, records_of_pages)),
            T,
        ),
        ExampleRecords.select(joined, records, rows, column_numbers),
        _find_ancestor_identifiers(joined, records),
        len(columns),
        ListStatistics(
            tuple(map(len, records_of_pages[:MAX_COUNTS])),
            measure_shares(numbered, len(columns)),
            profile_columns(numbered),
        ),
    )
    return ListWrapper(
        paths=path,
        shapes=learned.pattern.shapes,
        levels=learned.pattern.levels,
        t=T,
        columns=tuple(columns),
        example_records=learned.example_records,
        ancestor_identifiers=learned.ancestor_identifiers,
        selected_columns=tuple(selected_columns),
        statistics=_add_siblings(learned, list_pages, records_of_pages),
    )


def _find_record_path(page: Page, listing: Listing) -> RecordPath:
    """Return the path of most records."""
    paths = Counter(_get_path(page, record) for record in listing.records)
    return paths.most_common(1)[0][0]


def _get_path(page: Page, record: Record) -> RecordPath:
    labels = page.tree.labels
    path: list[tuple[str, ...]] = []
    for root in record:
        tags = [labels[node] for node in page.tree.ancestors(root)]
        path.append(tuple(reversed(tags)))
    return tuple(path)


def _find_shapes(page: Page, records: Sequence[Record], part: int) -> tuple[tuple[str, ...], ...]:
    """Return the tags of the most common sub-trees of a part of the records."""
    labels, ends = page.tree.labels, page.tree.ends
    shapes = Counter(tuple(labels[record[part] : ends[record[part]]]) for record in records)
    return tuple(shape for shape, _ in shapes.most_common(_MAX_SHAPES))


def _find_ancestor_identifiers(
    joined: JoinedPages, records: Sequence[Record]
) -> tuple[tuple[str, ...], ...]:
    """Return the classes and ids that the elements from the root to the records share."""
    paths = [list(joined.tree.ancestors(record[0]))[-2::-1] for record in records]
    shared: list[tuple[str, ...]] = []
    for nodes in zip(*paths, strict=True):
        counts: Counter[str] = Counter()
        for node in nodes:
            counts.update(set(list_identifiers(joined.tree.labels[node], joined.identifiers[node])))
        min_count = _MIN_IDENTIFIER_SHARE * len(nodes)
        shared.append(tuple(sorted(name for name, count in counts.items() if count >= min_count)))
    return tuple(shared)


def _count_levels(page: Page, records: Sequence[Record]) -> int:
    """Return how many levels above the records all of them have a common ancestor."""
    nodes = {record[0] for record in records}
    levels = 0
    while len(nodes) > 1:
        nodes = {page.tree.parents[node] for node in nodes}
        levels += 1
    return max(1, levels)


def _add_siblings(
    learned: LearnedList, pages: Sequence[Page], records_of_pages: Sequence[Sequence[Record]]
) -> ListStatistics | None:
    """Return the statistics with what is beside the records of the pages and is no record."""
    count, fill = 0, 0.0
    for page, records in zip(pages, records_of_pages, strict=True):
        fills = ListMatcher(learned, page).measure_siblings({record[0] for record in records})
        count += len(fills)
        fill = max(fill, *fills, 0.0)
    share = count / sum(map(len, records_of_pages))
    return learned.statistics and replace(
        learned.statistics, sibling_share=share, sibling_fill=fill
    )


@dataclass(frozen=True, kw_only=True)
class ListLearner(Learner):
    """Learns the list that pages have in common."""

    table: int | None = None
    """The number of the table to learn, in the order of ``records``; the first by default."""
    like: Sequence[str | int] = ()
    """Two elements of two records, as XPaths or node numbers: learn their list."""
    columns: Sequence[ColumnSpec | str] = ()
    """The columns to keep, as for ``Table.select``; all by default."""
    schema: Any = None
    """A JSON Schema, its file, a pydantic model or a dataclass: the columns of the result."""

    def __post_init__(self) -> None:
        check_option_types(self)
        if self.table is not None and self.table < 1:
            raise UsageError(f"table must be at least 1, not {self.table}")
        default.check_example(self.like)
        if self.like and self.table is not None:
            raise UsageError("table and like exclude each other: like selects the only table")
        object.__setattr__(self, "columns", parse_columns(self.columns))
        if self.schema is not None:
            if self.columns:
                raise UsageError("give a schema or columns, but not both")
            object.__setattr__(self, "schema", Schema.load(self.schema))

    def learn(self, pages: Sequence[Page]) -> ListWrapper:
        """Return a wrapper for the list that most pages have as this table."""
        method = default.DefaultMethod(like=self.like, alternatives=not self.like)
        lists = [[listing for _, listing in method.rank_lists(page)] for page in pages]
        count = max(map(len, lists))
        number = self.table or 1
        if count and number > count:
            raise UsageError(f"there is no table {number}; the pages have at most {count}")
        candidates = [listings[number - 1 :] for listings in lists]
        wrapper = learn(pages, candidates, selected_columns=parse_columns(self.columns))
        return wrapper if self.schema is None else self._select_schema(wrapper, pages)

    def _select_schema(self, wrapper: ListWrapper, pages: Sequence[Page]) -> ListWrapper:
        tables = (wrapper.apply(page).table for page in pages)
        table = next((table for table in tables if table is not None), None)
        specs = make_specs(match_columns(table, self.schema)) if table is not None else []
        if not specs:
            raise WrapperError("the list has none of the fields of the schema")
        return wrapper.select(*specs)


def learn_from_table(
    table: Table, columns: Iterable[ColumnSpec | str] = ()
) -> tuple[ListWrapper, int]:
    """Learn the list of a table; return the wrapper and how many rows of the table it extracts.

    It is learned from similar records, so it may lack some of the columns.
    """
    wrapper = learn([table.page], [[Listing(tuple(table.records))]])
    known = {column.name for column in wrapper.columns}
    selected = tuple(spec for spec in parse_columns(columns) if spec.column in known)
    wrapper = replace(wrapper, selected_columns=selected)
    extracted = wrapper.apply(table.page).table
    rows = set(map(tuple, extracted.records)) if extracted is not None else set()
    return wrapper, sum(tuple(record) in rows for record in table.records)
