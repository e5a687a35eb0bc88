"""Match a wrapper for lists with a page: find the list that agrees best with the learned one.

The records at the learned path are taken if nothing is in doubt. In doubt are a page without them,
and records that agree badly, that are fewer than on the learned pages, or that have siblings that
look different. Then the lists at paths like the learned one and the lists that mining finds are
compared with them; a wrong list agrees with none of these.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from unweave.lists import default
from unweave.lists.listing import Listing, Record
from unweave.lists.ranking import MIN_LIST_CONFIDENCE
from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.wrappers.list_tables import MAX_CELLS, AssignedItem, check_table_size
from unweave.wrappers.lists.agreement import (
    Agreement,
    ListStatistics,
    Profile,
    measure_agreement,
    measure_shares,
    profile_columns,
)
from unweave.wrappers.lists.example_records import ExampleRecords
from unweave.wrappers.lists.record_finding import FoundList, RecordFinder, RecordPattern

# Records below one of these are in doubt. Pages of the template are hardly ever.
_MIN_KNOWN = 0.6  # the share of the items that have a column
_MIN_FILL = 0.8
_MIN_COUNT_SHARE = 0.5  # of the number of records on the learned page with the fewest
# Other lists are compared with records at the learned path if these agree less.
_MIN_EXACT_AGREEMENT = 0.5
# Other lists are taken if they agree at least so much.
_MIN_OTHER_AGREEMENT = 0.3
# A sibling that looks different is a record if it has this much of what records have.
_MIN_RECORD_FILL = 0.5
# A mined list contains records if it has this share of them, each with this share of its texts.
_MIN_SHARED = 0.8
_MAX_RELATED_LISTS = 6
_MAX_MINED_LISTS = 6  # that may contain the records
_MAX_COMPARED_MINED_LISTS = 3
_MAX_ANCESTORS = 200  # whose names are compared

Rows = list[list[AssignedItem]]


class ListMatch(NamedTuple):
    """The records of a page, the items of each with the numbers of their columns, and the fit."""

    records: Sequence[Record]
    rows: Rows
    agreement: Agreement
    score: float
    """How well the records, their place and their number agree with the learned ones."""
    place: float
    """How well their place agrees, from 0 to 1; 1 at the learned path."""
    sibling_count: int = 0
    """The number of elements beside the records that have their tag and are no records."""
    support: float = 1.0
    """The confidence of mining that this is a list, from 0 to 1; 1 if the page was not mined."""
    is_confirmed: bool = False
    """Whether both the learned path and mining give this list."""

    @property
    def fit(self) -> float:
        """The agreement with the learned records and their place, and what mining says.

        It is halved if nothing in their place agrees, and if the page was mined without finding
        such a list. If mining finds the list at the learned path, records that have changed much
        are those of the wrapper nevertheless.
        """
        agreement = self.agreement.fit * (1 + self.place) / 2
        if self.is_confirmed:
            return max(agreement, math.sqrt(agreement * self.support))
        return agreement * (1 + self.support) / 2

    def discount(self, support: float) -> ListMatch:
        """Return the match with the confidence of mining, which lowers its score."""
        return self._replace(support=support, score=self.score * (1 + support) / 2)


@dataclass(frozen=True)
class LearnedList:
    """What a wrapper knows about its list."""

    pattern: RecordPattern
    example_records: ExampleRecords
    ancestor_identifiers: tuple[tuple[str, ...], ...]
    column_count: int
    statistics: ListStatistics | None

    @cached_property
    def _example_rows(self) -> Rows:
        """The items of the example records."""
        return self.example_records.align(self.example_records.page, self.example_records.records)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """The share of the learned records that have each column.

        Older files do not have it. A column that not all example records have may be rare.
        """
        if self.statistics is not None:
            return self.statistics.shares
        shares = measure_shares(self._example_rows, self.column_count)
        return tuple(share if share == 1 else 0.0 for share in shares)

    @cached_property
    def profiles(self) -> Mapping[int, Profile]:
        """What the texts of each column look like."""
        if self.statistics is not None:
            return self.statistics.profiles
        return profile_columns(self._example_rows)

    @cached_property
    def names(self) -> frozenset[str]:
        """The classes and ids of the records and of the elements around them."""
        return frozenset(name for names in self.ancestor_identifiers for name in names)


class ListMatcher:
    """Finds the list of one page."""

    def __init__(self, learned: LearnedList, page: Page) -> None:
        self._learned, self._page = learned, page
        self._finder = RecordFinder(learned.pattern, page)

    def match(self) -> ListMatch | None:
        """Return the list of the page, None if no list agrees with the learned one."""
        exact = self._finder.find_exact()
        best = match = self._match_found(exact) if exact is not None else None
        if best is None or best.agreement.fit < _MIN_EXACT_AGREEMENT:
            best = self._choose(best, self._match_related())
        if best is None or self._is_doubtful(best):
            best = self._mine(best, is_exact=exact is not None and best is match)
        return best

    def measure_siblings(self, roots: Container[int]) -> list[float]:
        """Return how far elements beside the records at the learned path are like records.

        Args:
            roots: The first elements of the records.
        """
        exact = self._finder.find_exact()
        siblings = [node for node in exact.siblings if node not in roots] if exact else []
        if exact is None or not siblings:
            return []
        records = sorted([*exact.records, *[(node,) for node in siblings]])
        rows = self._learned.example_records.align(self._page, records)
        left_out = set(siblings)
        return [
            self._measure([row]).fill
            for record, row in zip(records, rows, strict=True)
            if record[0] in left_out
        ]

    def _is_doubtful(self, match: ListMatch) -> bool:
        """Tell whether mining may give a better list."""
        statistics = self._learned.statistics
        min_count = _MIN_COUNT_SHARE * min(statistics.counts) if statistics else 2
        max_siblings = statistics.sibling_share if statistics else 0
        return (
            match.agreement.known < _MIN_KNOWN
            or match.agreement.fill < _MIN_FILL
            or len(match.records) < min_count
            or match.sibling_count > max_siblings * len(match.records)
        )

    def _mine(self, best: ListMatch | None, *, is_exact: bool) -> ListMatch | None:
        """Return the list that is best by what the mining of the page gives.

        A list that contains the records has more of them, or their true borders. Records that are
        in no likely list are hardly a list.
        """
        lists = default.find_lists(self._page).lists[:_MAX_MINED_LISTS]
        if best is not None:
            support = 0.0
            for mined in lists:
                shared = self._measure_shared(best.records, mined.listing.records)
                if mined.confidence >= MIN_LIST_CONFIDENCE and shared >= _MIN_SHARED:
                    match = self._match_mined(mined.listing)
                    chosen = match if match.agreement.fit >= _MIN_OTHER_AGREEMENT else best
                    return chosen._replace(support=mined.confidence, is_confirmed=is_exact)
                support = max(support, shared * mined.confidence)
            # Mining needs two records.
            best = best.discount(support if len(best.records) > 1 else 1.0)
        matches = (
            self._match_mined(mined.listing).discount(mined.confidence)
            for mined in lists[:_MAX_COMPARED_MINED_LISTS]
        )
        return self._choose(best, matches)

    def _measure_shared(self, records: Sequence[Record], mined: Sequence[Record]) -> float:
        """Return the share of the records whose text is that of mined records."""
        text_nodes = self._page.text_nodes
        texts = {text for record in mined for node in record for text in text_nodes(node)}
        shared = 0
        for record in records:
            record_texts = [text for node in record for text in text_nodes(node)]
            mined_count = sum(text in texts for text in record_texts)
            shared += mined_count >= _MIN_SHARED * len(record_texts)
        return shared / len(records)

    def _match_found(self, found: FoundList) -> ListMatch:
        """Return the match of a found list, with those siblings that have its columns.

        As many siblings as on the learned pages are no records there, and none here.
        """
        statistics = self._learned.statistics
        max_siblings = statistics.sibling_share * len(found.records) if statistics else 0
        if len(found.siblings) <= max_siblings:
            return self._match_records(found.records, found.path_distance)
        records = sorted([*found.records, *[(node,) for node in found.siblings]])
        match = self._match_records(records, found.path_distance)
        known = set(found.records)
        chosen = [
            record
            for record, row in zip(records, match.rows, strict=True)
            if record in known or self._has_columns(row)
        ]
        if len(chosen) < len(records):
            match = self._match_records(chosen, found.path_distance)
            return match._replace(sibling_count=len(records) - len(chosen))
        return match

    def _has_columns(self, row: Sequence[AssignedItem]) -> bool:
        """Tell whether a record has most of the columns that the learned records have."""
        statistics = self._learned.statistics
        fill = self._measure([row]).fill
        return fill >= _MIN_RECORD_FILL and (not statistics or fill > statistics.sibling_fill)

    def _match_records(self, records: Sequence[Record], path_distance: float) -> ListMatch:
        """Align records, and measure how well they and their place agree."""
        learned = self._learned
        check_table_size(records, learned.shares)
        rows = learned.example_records.align(self._page, records)
        agreement = self._measure(rows)
        score = agreement.fill * math.sqrt(agreement.known)
        score *= self._compare_place(records, path_distance)
        place = 1 / (1 + path_distance / 2)
        if path_distance and learned.names:
            place = (place + self._compare_names(records)) / 2
        return ListMatch(records, rows, agreement, score, place)

    def _measure(self, rows: Sequence[Sequence[AssignedItem]]) -> Agreement:
        return measure_agreement(rows, self._learned.shares, self._learned.profiles)

    def _choose(self, best: ListMatch | None, others: Iterable[ListMatch]) -> ListMatch | None:
        """Return the list that agrees best."""
        for other in others:
            if other.agreement.fit >= _MIN_OTHER_AGREEMENT and (
                best is None or other.score > best.score
            ):
                best = other
        return best

    def _match_related(self) -> Iterator[ListMatch]:
        """Yield the lists at paths that are like the learned one."""
        related = self._finder.find_related()
        related.sort(key=lambda found: -self._compare_place(found.records, found.path_distance))
        for found in related[:_MAX_RELATED_LISTS]:
            if (len(found.records) + len(found.siblings)) * self._learned.column_count <= MAX_CELLS:
                yield self._match_found(found)

    def _match_mined(self, listing: Listing) -> ListMatch:
        """Return the match of a list that mining finds."""
        distance = self._finder.measure_path(listing.records[0][0])
        return self._match_records(listing.records, distance)

    def _compare_place(self, records: Sequence[Record], path_distance: float) -> float:
        """Return how well the place and the number of records agree with the learned ones."""
        statistics = self._learned.statistics
        min_count = min(statistics.counts) if statistics else 1
        count = min(1.0, len(records) / min_count)
        return (1 + self._compare_names(records)) * (1 + count) / 4 / (1 + 0.1 * path_distance)

    def _compare_names(self, records: Sequence[Record]) -> float:
        """Return the share of the learned classes and ids that are around the records."""
        names = self._learned.names
        return len(self._list_names(records[0]) & names) / len(names) if names else 0.0

    def _list_names(self, record: Record) -> set[str]:
        """Return the classes and ids of a record and of the elements around it."""
        names: set[str] = set()
        for node in islice(self._page.tree.ancestors(record[0]), _MAX_ANCESTORS):
            names.update(
                list_identifiers(self._page.tree.labels[node], self._page.identifiers[node])
            )
        return names
