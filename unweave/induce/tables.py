"""Repetition inside detail pages, such as reviews or a cast: which elements are the rows of a table, and its columns."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from unweave.induce.naming import Names, examples, usual, word
from unweave.page.grids import headers
from unweave.page.page import INLINE, Page
from unweave.wrappers.fields import field_name
from unweave.wrappers.places import NOWHERE, Places
from unweave.wrappers.roles import Anchors, label_chunks, may_be_label
from unweave.wrappers.tables import Column, Row, RowReader, Spot, Table

# Rows stand on so many of the pages, at least three of them on one, and not on all pages the same number.
_LEAST_SHARE = 0.3
_LEAST_ROWS = 3

# A column is what half of the rows have; so much of what rows say stands in columns.
_IN_ROWS = 0.5
_ALIKE = 0.8

# A row has not more texts than this; what has more is a page of its own.
_MOST_TEXTS = 200
_MOST_CELLS = 500_000

# Two columns say not always the same, one of them often something new.
_LEAST_COLUMNS = 2
_OFTEN_NEW = 0.3
_MOST_SAME = 0.9

# Rows of a label and a value have labels that differ from row to row.
_LABELLED = 0.3
_OWN_LABELS = 0.8

# A place has the same number of texts in so many rows, if each of them is a column.
_SAME_NUMBER = 0.8
_MOST_APART = 8
# Rows at two places are of one table if so many of their columns are the same.
_SAME_COLUMNS = 0.8
_MOST_COMPARED = 20
# How much of a table's name stands before the names of its columns.
_SHORT = re.compile(r".{1,24}(?=_|$)")

# Elements that are no rows: what is in a line, and prose.
_NO_ROWS = INLINE | frozenset("p h1 h2 h3 h4 h5 h6 pre option blockquote".split())

# The text before the first row names the table if it is the same on so many pages.
_SAME_HEADING = 0.5

# Rows at one place that have less than so much in common are of several tables, of so many at most.
_ONE_TABLE = 0.5
_MOST_TABLES = 10

Found = list[tuple[Page, list[Row]]]
"""Rows that are siblings, each time with their page."""


def find_tables(pages: Sequence[Page], outlines: Sequence[Sequence[int]], anchors: Anchors) -> list[Table]:
    """The tables of pages whose elements stand at these places. Their names are what pages say; see ``named_tables``."""
    by_place: defaultdict[int, Found] = defaultdict(list)
    labels: dict[int, set[int]] = {}
    for page, own in zip(pages, outlines, strict=True):
        reader = RowReader(page, own, anchors.places)
        labels[id(page)] = set(label_chunks(page, own, anchors))
        room = _MOST_CELLS
        for place, siblings in _repeated(page, own):
            room -= sum(map(page.count_texts, siblings))
            if room < 0:
                break  # rows within rows within rows
            by_place[place].append((page, [reader.read(node) for node in siblings]))
    found = [
        (place, groups)
        for place, every in sorted(by_place.items())
        if _count_pages(every) >= _LEAST_SHARE * len(pages)
        for groups in _by_content(every)
        if _is_table(groups, labels)
    ]
    tables = [_table(own, len(pages)) for own in _of_one_table(found, anchors.places) if _is_varying(own, len(pages))]
    return [table for table in tables if len(table.columns) >= _LEAST_COLUMNS]


def _repeated(page: Page, places: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Siblings of several texts that stand at one place, with that place."""
    headed = {page.tree.parents[cell] for cell in headers(page)}
    siblings: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for node, (label, parent) in enumerate(zip(page.tree.labels, page.tree.parents, strict=True)):
        is_sized = _LEAST_COLUMNS <= page.count_texts(node) <= _MOST_TEXTS
        if is_sized and parent >= 0 and label not in _NO_ROWS and node not in headed:
            siblings[parent, places[node]].append(node)
    for (_, place), nodes in siblings.items():
        if len(nodes) > 1:
            yield place, nodes


def _count_pages(groups: Found) -> int:
    return len({id(page) for page, _ in groups})


def _by_content(groups: Found) -> Iterator[Found]:
    """The rows of a place by what they have: a cast and a crew may stand at one place."""
    kinds = Counter(row.spots for _, rows in groups for row in rows)
    leaders: list[frozenset[Spot]] = []
    leader_of: dict[frozenset[Spot], int] = {}
    for spots, _ in kinds.most_common():
        likeness = [len(spots & own) / max(1, len(spots | own)) for own in leaders]
        best = max(range(len(leaders)), key=likeness.__getitem__, default=None)
        if best is None or (likeness[best] < _ONE_TABLE and len(leaders) < _MOST_TABLES):
            best = len(leaders)
            leaders.append(spots)
        leader_of[spots] = best
    for leader in range(len(leaders)):
        split = [(page, [row for row in rows if leader_of[row.spots] == leader]) for page, rows in groups]
        yield [(page, rows) for page, rows in split if rows]


def _is_varying(several: Sequence[tuple[int, Found]], pages: int) -> bool:
    """Is the number of rows that of things, and not of parts of the template?"""
    counts: Counter[int] = Counter()
    for _, groups in several:
        for page, rows in groups:
            counts[id(page)] += len(rows)
    if len(counts) < _LEAST_SHARE * pages or max(counts.values()) < _LEAST_ROWS:
        return False
    return len(set(counts.values())) > 1 or len(counts) < pages


def _is_table(groups: Found, labels: Mapping[int, set[int]]) -> bool:
    """Have the rows the same columns, with different things in them, and no labels of their own?"""
    inside = total = 0
    texts: defaultdict[tuple[Spot, int], Counter[str]] = defaultdict(Counter)
    for page, rows in groups:
        count = Counter(cell for row in rows for cell in row.cells)
        inside += sum(times for times in count.values() if times >= _IN_ROWS * len(rows))
        total += count.total()
        for row in rows:
            for cell, chunk in row.cells.items():
                texts[cell][page.texts[chunk]] += 1
    is_new = any(len(said) > max(1, _OFTEN_NEW * said.total()) for said in texts.values())
    varied = sum(map(_says_different_things, texts.values()))
    return inside >= _ALIKE * total and is_new and varied >= _LEAST_COLUMNS and not _are_labelled(groups, labels)


def _says_different_things(said: Counter[str]) -> bool:
    return said.most_common(1)[0][1] <= _MOST_SAME * said.total()


def _are_labelled(groups: Found, labels: Mapping[int, set[int]]) -> bool:
    """Do many rows have a label that the others have not?"""
    labelled = own = total = 0
    for page, rows in groups:
        own_labels = labels[id(page)]
        said = [[page.texts[chunk] for chunk in row.cells.values() if chunk in own_labels] for row in rows]
        every = [text for texts in said for text in texts]
        labelled += sum(map(bool, said))
        own += len(set(every)) >= _OWN_LABELS * len(every)
        total += len(rows)
    return labelled >= _LABELLED * total and own >= _OWN_LABELS * len(groups)


def _of_one_table(found: Sequence[tuple[int, Found]], places: Places) -> list[list[tuple[int, Found]]]:
    """Rows near each other that have the same columns, such as both halves of a list, are of one table."""
    tables: list[list[tuple[int, Found]]] = []
    spots_of: list[set[Spot]] = []
    near: defaultdict[int, list[int]] = defaultdict(list)
    for place, groups in found:
        spots = {spot for _, rows in groups for row in rows for spot in row.spots}
        around = _ancestors(place, places)
        neighbours = [number for above in around for number in near[above][-_MOST_COMPARED:]]
        same = (n for n in neighbours if len(spots & spots_of[n]) >= _SAME_COLUMNS * len(spots | spots_of[n]))
        number = next(same, len(tables))
        if number == len(tables):
            tables.append([])
            spots_of.append(spots)
            for above in around:
                near[above].append(number)
        tables[number].append((place, groups))
    return tables


def _ancestors(place: int, places: Places) -> list[int]:
    """The places one and two steps above."""
    above = places.above[place][0]
    return [own for own in (above, places.above[above][0]) if own != NOWHERE]


# ---- columns ---------------------------------------------------------------------------------------------------

Rows = Sequence[tuple[Page, Row]]
"""Rows, each with its page."""


def _table(several: Sequence[tuple[int, Found]], pages: int) -> Table:
    rows = [(page, row) for _, groups in several for page, own in groups for row in own]
    headings: dict[int, str] = {}
    for page, row in rows:
        headings.setdefault(id(page), _heading(page, row))
    name = usual(Counter(headings.values()), _SAME_HEADING)
    places = tuple(dict.fromkeys(place for place, _ in several))
    return Table(name, places, len(headings) / pages, _columns(rows))


def _heading(page: Page, row: Row) -> str:
    """The text before a row, which may be the heading of the table."""
    chunk = page.first_chunks[row.node] - 1
    return page.texts[chunk] if chunk >= 0 and may_be_label(page.texts[chunk]) else ""


def _columns(rows: Rows) -> tuple[Column, ...]:
    """The columns that do not always say the same. What does is the name of the next."""
    found: list[Column] = []
    label = ""
    for (spot, number), texts in _said(rows).items():
        if not _says_different_things(texts) and texts.total() > 1:
            label = usual(texts, 0)
            continue
        found.append(Column(label if may_be_label(label) else "", spot, number, examples(texts)))
        label = ""
    return tuple(found)


def _said(rows: Rows) -> dict[tuple[Spot, int | None], Counter[str]]:
    """What the cells say, by their spot and their number there, in the order of the first row that has them."""
    counts: defaultdict[Spot, Counter[int]] = defaultdict(Counter)
    for _, row in rows:
        for spot, count in Counter(spot for spot, _ in row.cells).items():
            counts[spot][count] += 1
    numbers = {spot: _numbers(count, len(rows)) for spot, count in counts.items()}
    said: defaultdict[tuple[Spot, int | None], Counter[str]] = defaultdict(Counter)
    for page, row in rows:
        for (spot, number), chunk in row.cells.items():
            own = number if None not in numbers[spot] else None
            if own in numbers[spot]:
                said[spot, own][page.texts[chunk]] += 1
    return said


def _numbers(counts: Counter[int], rows: int) -> list[int | None]:
    """Which texts at a spot are columns: each of a few, or all of them as one; none if few rows have any."""
    if counts.total() < _IN_ROWS * rows:
        return []
    count, times = counts.most_common(1)[0]
    return [*range(count)] if times >= _SAME_NUMBER * counts.total() and count <= _MOST_APART else [None]


def named_tables(tables: Sequence[Table], names: Names) -> tuple[Table, ...]:
    """The tables with names that no field has: the heading, or what the author calls them."""
    found: list[Table] = []
    for table in tables:
        name = names.unique(field_name(table.name or names.place(table.places[0])))
        short = _SHORT.match(name)
        columns_ = [
            own._replace(name=names.unique(f"{short[0] if short else name}_{_column_name(own)}")) for own in table.columns
        ]
        found.append(table._replace(name=name, columns=tuple(columns_)))
    return tuple(found)


def _column_name(column: Column) -> str:
    steps = column.spot.path.split("/")
    return field_name(column.name or next(filter(None, map(word, reversed(steps))), steps[-1] or "text"))
