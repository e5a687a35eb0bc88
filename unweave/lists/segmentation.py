"""Segmentation: cut the records of a list into segments, the texts and addresses that may be cells.

A text node is one segment as a rule. In a running text, where an element has text directly and
words of it are marked as links, in bold and so on, these rules hold:

- line breaks separate segments, if the records have equally many lines;
- where the marks differ from record to record, as in prose, the text is one segment, marks and all;
- in such a text, a marked element that nearly every record has once, by its class, and that differs
  from record to record, as a date does, is a segment of its own;
- direct text beside a marked one that is the same in all records or ends with a colon, as in
  "by <a>Ada</a>", belongs to the segment that it introduces.

Before all that, the parts of a price are one segment. Brackets and marks that are left around a value
are no part of it.

The key of a segment is the path of its element in its record: segments with equal keys in different
records belong to one column.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from unweave.lists.listing import MARK_TAGS, TEXT, Listing, Record, find_running_texts, read_address
from unweave.lists.prices import Prices
from unweave.page.page import Page
from unweave.text_cleaning import strip_stray_punctuation

# Elements within a line; all others start a new one.
_INLINE = MARK_TAGS - {"br"} | {"img"}
# In code, marks at the ends of a text are a part of it.
_CODE = frozenset(["code", "kbd", "pre", "samp", "tt", "var"])

# Lines are kept if this share of the records has the same number of them.
_MIN_SAME_LINES = 0.9
# What this share of the records has, all of them have.
_MIN_RECORD_SHARE = 0.9
# A marked text differs from record to record if it has this many values, as a share of the records.
_MIN_DISTINCT_SHARE = 0.3

# A class belongs to the template if this share of the records with its path, and this many, have it there.
_MIN_CLASS_SHARE = 0.6
_MIN_CLASS_RECORDS = 2

RecordPaths = Mapping[int, int]
"""For every element of a list's records the number of its path in its record."""

Key = tuple[object, ...]


class Segment(NamedTuple):
    """A part of a record that may be a cell."""

    key: Key
    kind: str
    node: int
    value: str = ""
    texts: tuple[int, ...] = ()
    """The text nodes that it is made of."""
    running_text: int = -1
    """The element whose running text it is a part of, -1 for none."""
    line: int = 0
    """The number of its line in the running text."""
    is_direct: bool = False
    """True for text of the element of the running text itself, False for marked text."""

    def is_in_line_of(self, other: Segment | None) -> bool:
        """Tell whether another segment is in the same line of the same running text."""
        return (
            other is not None
            and other.running_text == self.running_text
            and other.line == self.line
        )


Rows = Sequence[Sequence[Segment]]
"""The segments of each record."""


class Segmenter:
    """Cuts records of one page into segments."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._prices = Prices(page)

    def segment(self, listing: Listing) -> Rows:
        """Return the segments of the records of a list, in document order."""
        page, paths = self._page, number_record_paths(self._page, listing)
        rows: Rows = [self._read_segments(record, paths) for record in listing.records]
        rows, has_running_text = _drop_single_texts(rows, paths)
        if has_running_text:
            rows = _number_lines(page, rows, paths)
            rows = _join_prose(page, rows, paths)
        rows = _number_keys(rows)
        if has_running_text:
            rows = _join_introductions(rows)
            rows = _join_values(self._prices, rows)
        return _strip_values(page, rows)

    def _read_segments(self, record: Record, paths: RecordPaths) -> list[Segment]:
        """Return a segment for each text, link and image of a record; the parts of a price are one."""
        page, running_texts, prices = self._page, self._running_texts, self._prices
        texts, positions, parents = page.texts, page.text_positions, page.text_parents
        urls = page.node_urls
        row: list[Segment] = []
        for root in record:
            text, stop, end = page.text_starts[root], page.text_ends[root], page.tree.ends[root]
            prices.search(range(text, stop))
            for node in range(root, end + 1):
                while text < stop and (positions[text] <= node or node == end):
                    parent = parents[text]
                    running_text = running_texts.get(parent, -1)
                    if running_text < root:  # the record itself is a part of a running text
                        running_text = -1
                    if text in prices.by_amount:
                        price = prices.by_amount[text]
                        value, parts = price.text, tuple(price.texts)
                        element = self._find_element(parent, price.texts)
                    else:
                        value, parts, element = texts[text], (text,), parent
                    if not prices.is_absorbed(text):
                        row.append(
                            Segment(
                                (TEXT, paths[parent]),
                                TEXT,
                                element,
                                value,
                                parts,
                                running_text,
                                0,
                                parent == running_text,
                            )
                        )
                    text += 1
                if node < end and urls[node] and (address := read_address(page, node)):
                    kind, value = address
                    row.append(Segment((kind, paths[node]), kind, node, value))
        return row

    def _find_element(self, node: int, texts: range) -> int:
        """Return the ancestor of a node that has exactly these text nodes, the node itself if there is none."""
        page = self._page
        for ancestor in page.tree.ancestors(node):
            inside = page.text_nodes(ancestor)
            if inside.start < texts.start or inside.stop > texts.stop:
                break
            if inside == texts:
                return ancestor
        return node

    @cached_property
    def _running_texts(self) -> dict[int, int]:
        """For every element the element whose running text it is a part of: several direct texts make one as well."""
        ends = self._page.tree.ends
        counts = Counter(self._page.text_parents)
        running_texts = {node: node for node, count in counts.items() if count > 1}
        for node in find_running_texts(self._page):
            running_texts.update(dict.fromkeys(range(node, ends[node]), node))
        return running_texts


# ---- passes ------------------------------------------------------------------------------------


def _drop_single_texts(rows: Rows, paths: RecordPaths) -> tuple[Rows, bool]:
    """Unmark running texts that have one segment in every record; tell whether any running text is left."""
    with_several: set[int] = set()
    for row in rows:
        seen: set[int] = set()
        for segment in row:
            if segment.running_text in seen:
                with_several.add(paths[segment.running_text])
            elif segment.running_text >= 0:
                seen.add(segment.running_text)

    def unmark(segment: Segment) -> Segment:
        if segment.running_text < 0 or paths[segment.running_text] in with_several:
            return segment
        return segment._replace(running_text=-1)

    return [[unmark(segment) for segment in row] for row in rows], bool(with_several)


def _number_lines(page: Page, rows: Rows, paths: RecordPaths) -> Rows:
    """Number the lines of running texts; all are line 0 where the records do not have equally many."""
    positions, labels = page.text_positions, page.tree.labels
    last_lines: defaultdict[int, list[int]] = defaultdict(list)
    numbered: list[list[Segment]] = []
    for row in rows:
        last: dict[int, Segment] = {}  # the last segment of each running text
        numbered.append([])
        for segment in row:
            previous = last.get(segment.running_text)
            if previous is not None:
                between = labels[positions[previous.texts[-1]] : positions[segment.texts[0]]]
                line = previous.line + (not _INLINE.issuperset(between))
                if line:
                    segment = segment._replace(line=line)
            if segment.running_text >= 0:
                last[segment.running_text] = segment
            numbered[-1].append(segment)
        for node, segment in last.items():
            last_lines[paths[node]].append(segment.line)
    uneven: set[int] = set()
    for path, lines in last_lines.items():
        if max(Counter(lines).values()) < _MIN_SAME_LINES * len(lines):
            uneven.add(path)
    if not uneven:
        return numbered
    return [
        [
            segment._replace(line=0)
            if segment.line and paths[segment.running_text] in uneven
            else segment
            for segment in row
        ]
        for row in numbered
    ]


def _join_prose(page: Page, rows: Rows, paths: RecordPaths) -> Rows:
    """Join the segments of lines whose marks differ from record to record, but for those that stand out."""
    standing_out = _find_prose(page, rows, paths)
    return [_join_prose_of_record(row, paths, standing_out) for row in rows]


def _join_prose_of_record(
    row: Sequence[Segment], paths: RecordPaths, standing_out: Mapping[tuple[int, int], set[Key]]
) -> list[Segment]:
    joined: list[Segment] = []
    last = -1  # the index of the last segment of a running text
    for segment in row:
        if segment.running_text < 0:
            joined.append(segment)
            continue
        line = (paths[segment.running_text], segment.line)
        prose_key = (TEXT, "rest", *line)
        previous = joined[last] if last >= 0 and segment.is_in_line_of(joined[last]) else None
        if line not in standing_out:
            if (
                previous is not None
                and previous.is_direct
                and segment.is_direct
                and previous.texts[-1] + 1 == segment.texts[0]
            ):
                joined[last] = previous._replace(texts=previous.texts + segment.texts)
                continue
            segment = segment._replace(key=(*segment.key, segment.line))
        elif segment.key in standing_out[line]:
            segment = segment._replace(key=(*segment.key, "own", *line))
        elif previous is not None and previous.key == prose_key:
            joined[last] = previous._replace(texts=previous.texts + segment.texts)
            continue
        else:
            segment = segment._replace(key=prose_key, node=segment.running_text, is_direct=False)
        last = len(joined)
        joined.append(segment)
    return joined


def _find_prose(page: Page, rows: Rows, paths: RecordPaths) -> dict[tuple[int, int], set[Key]]:
    """Return the lines whose marks differ, by path and line number, each with the keys that stand out in it."""
    lines: defaultdict[tuple[int, int], list[list[Segment]]] = defaultdict(list)
    for row in rows:
        by_running_text: defaultdict[int, list[Segment]] = defaultdict(list)
        for segment in row:
            if segment.running_text >= 0:
                by_running_text[segment.running_text].append(segment)
        for node, segments in by_running_text.items():
            for line, inside in groupby(segments, key=lambda segment: segment.line):
                lines[paths[node], line].append(list(inside))
    return {
        line: _find_standing_out(page, records)
        for line, records in lines.items()
        if len({tuple([segment.key for segment in segments]) for segments in records}) > 1
    }


def _find_standing_out(page: Page, records: Rows) -> set[Key]:
    """Return the keys of marked texts with a class that nearly every record has once and that differ: no prose."""
    counts: Counter[Key] = Counter()
    values: defaultdict[Key, set[str]] = defaultdict(set)
    for segments in records:
        times = Counter([segment.key for segment in segments])
        for segment in segments:
            if segment.is_direct or times[segment.key] > 1:
                continue
            parent = page.tree.parents[segment.node]
            has_class = page.identifiers[segment.node][0] or (
                parent != segment.running_text and page.identifiers[parent][0]
            )
            if has_class:
                counts[segment.key] += 1
                values[segment.key].add(segment.value)
    return {
        key
        for key, count in counts.items()
        if count >= _MIN_RECORD_SHARE * len(records)
        and len(values[key]) >= _MIN_DISTINCT_SHARE * len(records)
    }


def _number_keys(rows: Rows) -> Rows:
    """Number the segments of each record that have the same key, from 1."""
    new = tuple.__new__  # half the cost of _replace, for every segment of the list
    numbered: list[list[Segment]] = []
    for row in rows:
        counts: Counter[Key] = Counter()
        numbered_row: list[Segment] = []
        for segment in row:
            key = segment.key
            counts[key] += 1
            numbered_row.append(new(Segment, ((*key, counts[key]), *segment[1:])))
        numbered.append(numbered_row)
    return numbered


def _join_introductions(rows: Rows) -> Rows:
    """Join what introduces a text, or ends it, with the text."""
    followers = _find_followers(rows)
    if not followers:
        return rows
    return [_join_followers(row, followers) for row in rows]


def _join_followers(row: Sequence[Segment], followers: Mapping[Key, set[Key]]) -> list[Segment]:
    joined: list[Segment] = []
    last = -1  # the index of the last segment of a running text
    last_key: Key = ()  # the key of its last part
    for segment in row:
        if segment.running_text < 0:
            joined.append(segment)
            continue
        follows = segment.key in followers.get(last_key, ())
        if last >= 0 and follows and segment.is_in_line_of(joined[last]):
            whole = joined[last]._replace(texts=joined[last].texts + segment.texts)
            if not segment.is_direct:  # the column is that of the value, not of its introduction
                whole = whole._replace(key=segment.key, node=segment.node)
            joined[last] = whole
        else:
            last = len(joined)
            joined.append(segment)
        last_key = segment.key
    return joined


def _find_followers(rows: Rows) -> dict[Key, set[Key]]:
    """Return for keys the keys that may follow them in the same cell.

    What introduces a text belongs to the next one in its line, or to the one before if none follows.
    """
    times: Counter[Key] = Counter()
    values: defaultdict[Key, set[str]] = defaultdict(set)
    direct: set[Key] = set()
    pairs: Counter[tuple[Key, Key]] = Counter()
    for row in rows:
        last: Segment | None = None
        for segment in row:
            if segment.running_text < 0:
                continue
            times[segment.key] += 1
            values[segment.key].add(segment.value)
            if segment.is_direct:
                direct.add(segment.key)
            if last is not None and segment.is_in_line_of(last):
                pairs[last.key, segment.key] += 1
            last = segment
    introducing: set[Key] = set()
    for key in direct:
        is_constant = len(values[key]) == 1 and times[key] > 1
        if is_constant or all(value.endswith((":", "：")) for value in values[key]):
            introducing.add(key)
    frequent = [
        pair for pair, count in pairs.items() if count >= _MIN_RECORD_SHARE * times[pair[1]]
    ]
    followers: defaultdict[Key, set[Key]] = defaultdict(set)
    for left, right in frequent:
        if left in introducing and right not in introducing:
            followers[left].add(right)
    for left, right in frequent:
        if right in introducing and right not in followers and left not in introducing:
            followers[left].add(right)
    return followers


def _join_values(prices: Prices, rows: Rows) -> Rows:
    """Set the values of segments of several text nodes."""
    return [
        [
            segment._replace(value=prices.join(segment.texts))
            if len(segment.texts) > 1
            else segment
            for segment in row
        ]
        for row in rows
    ]


def _strip_values(page: Page, rows: Rows) -> Rows:
    """Strip what is left of brackets and marks around values, except in code."""
    labels = page.tree.labels
    stripped_rows: list[list[Segment]] = []
    for row in rows:
        stripped_row: list[Segment] = []
        for segment in row:
            if segment.kind == TEXT and labels[segment.node] not in _CODE:
                value = strip_stray_punctuation(segment.value)
                if value != segment.value:
                    segment = segment._replace(value=value)
            stripped_row.append(segment)
        stripped_rows.append(stripped_row)
    return stripped_rows


# ---- paths in records --------------------------------------------------------------------------


def number_record_paths(page: Page, listing: Listing) -> RecordPaths:
    """Number the paths of all elements in the records of a list.

    Two elements have the same path if they have the same tag path in their records and all
    elements on the way have the same classes; cells of tables must be in the same column, too.
    Classes that few records have at a path, such as the number or the state of one item, do not
    count: a class counts if most of the records that have the path have it there.
    """
    tag_paths = _number_tag_paths(page, listing)
    classes_at = _find_template_classes(page, listing, tag_paths)
    identifiers, parents, ends = page.identifiers, page.tree.parents, page.tree.ends
    column_of = page.table_grid.columns
    numbers: dict[tuple[int, tuple[str, ...], int, int], int] = {}
    paths: dict[int, int] = {}
    for record in listing.records:
        for root in record:
            paths[root] = numbers.setdefault((-1, (), tag_paths[root], 0), len(numbers))
            for node in range(root + 1, ends[root]):
                tag_path = tag_paths[node]
                key = (
                    paths[parents[node]],
                    classes_at[tag_path, identifiers[node][0]],
                    tag_path,
                    column_of.get(node, 0),
                )
                paths[node] = numbers.setdefault(key, len(numbers))
    return paths


def _number_tag_paths(page: Page, listing: Listing) -> Mapping[int, int]:
    """Number the tag paths of all elements, from the root of their record."""
    labels, parents, ends = page.tree.labels, page.tree.parents, page.tree.ends
    numbers: dict[tuple[int, str], int] = {}
    paths: dict[int, int] = {}
    for record in listing.records:
        for part, root in enumerate(record):
            paths[root] = numbers.setdefault((-1 - part, labels[root]), len(numbers))
            for node in range(root + 1, ends[root]):
                paths[node] = numbers.setdefault((paths[parents[node]], labels[node]), len(numbers))
    return paths


def _find_template_classes(
    page: Page, listing: Listing, tag_paths: Mapping[int, int]
) -> dict[tuple[int, str | None], tuple[str, ...]]:
    """Return the classes that count for every tag path and class attribute of the records."""
    identifiers, ends = page.identifiers, page.tree.ends

    def list_steps(record: Record) -> frozenset[tuple[int, str | None]]:
        return frozenset(
            [
                (tag_paths[node], identifiers[node][0])
                for root in record
                for node in range(root, ends[root])
            ]
        )

    with_path: Counter[int] = Counter()
    with_class: Counter[tuple[int, str]] = Counter()
    # Records of the same structure are counted at once.
    structures = Counter(map(list_steps, listing.records))
    for steps, times in structures.items():
        for path in {path for path, _ in steps}:
            with_path[path] += times
        words = {(path, word) for path, classes in steps if classes for word in classes.split()}
        for step in words:
            with_class[step] += times
    template_classes: dict[tuple[int, str | None], tuple[str, ...]] = {}
    for path, classes in {step for steps in structures for step in steps}:
        min_count = max(_MIN_CLASS_RECORDS, _MIN_CLASS_SHARE * with_path[path])
        template_classes[path, classes] = tuple(
            [
                word
                for word in sorted(set((classes or "").split()))
                if with_class[path, word] >= min_count
            ]
        )
    return template_classes
