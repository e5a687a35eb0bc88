"""Segmentation: cut the records of a list into segments, the texts and addresses that may be cells.

A text node is one segment as a rule, and the parts of a split price are one. In a running text,
where an element has text directly and words of it are marked as links, in bold and so on, a
sequence of passes decides, each of which returns new rows:

1. running texts of a single segment are segments like all others;
2. line breaks separate segments, if the records have equally many lines;
3. where the marks differ from record to record, as in prose, a line is one segment, marks and all;
   but a marked element that nearly every record has once, by its class, and that differs from
   record to record, as a date does, is a segment of its own;
4. segments with the same key in one record are numbered;
5. direct text beside a marked one that is the same in all records or ends with a colon, as in
   "by <a>Ada</a>", belongs to the segment that it introduces;
6. stray brackets and punctuation around a value are stripped.

The key of a segment is the path of its element in its record: segments with equal keys in different
records belong to one column.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from unweave.lists.listing import (
    MARK_TAGS,
    TEXT,
    Listing,
    Record,
    find_running_texts,
    read_address,
)
from unweave.lists.split_prices import SplitPrices
from unweave.page.page import Page
from unweave.text_cleaning import strip_stray_punctuation

# Elements within a line; all others start a new one.
_INLINE_TAGS = MARK_TAGS - {"br"} | {"img"}
# In code, punctuation at the ends of a text is a part of it.
_CODE_TAGS = frozenset(["code", "kbd", "pre", "samp", "tt", "var"])


@dataclass(frozen=True, slots=True)
class TemplateShares:
    """The shares of a list's records that tell the template from what single records have."""

    nearly_all: float = 0.9
    """What this share of the records has is a part of the template; some records lack parts."""
    distinct: float = 0.3
    """A text with this many different values, as a share of the records, is data."""
    with_class: float = 0.6
    """A class is a part of the template if this share of the records with its path have it there:
    classes of the number or the state of single records are not."""
    min_records_with_class: int = 2
    """A class of a single record is not part of the template."""


_SHARES = TemplateShares()

RecordPaths = Mapping[int, int]
"""For every element of a list's records the number of its path in its record."""

Key = tuple[object, ...]

LineKey = tuple[int, int]
"""The path of a running text, and the number of a line in it."""


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

    def is_in_line_of(self, other: Segment) -> bool:
        """Tell whether another segment is in the same line of the same running text."""
        return other.running_text == self.running_text and other.line == self.line

    def add_texts(self, other: Segment) -> Segment:
        """Return the segment with the text nodes of another one after its own."""
        return self._replace(texts=self.texts + other.texts)


Rows = Sequence[Sequence[Segment]]
"""The segments of each record."""


class Segmenter:
    """Cuts records of one page into segments."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._prices = SplitPrices(page)

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
        return _clean_values(page, self._prices, rows)

    def _read_segments(self, record: Record, paths: RecordPaths) -> list[Segment]:
        """Return a segment for each text, link and image of a record; a split price is one."""
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
                    parts: tuple[int, ...] = (text,)
                    element, value = parent, texts[text]
                    if price := prices.by_amount.get(text):
                        element = self._find_element(parent, price.texts)
                        value, parts = price.text, tuple(price.texts)
                    if not prices.is_absorbed(text):
                        key, is_direct = (TEXT, paths[parent]), parent == running_text
                        row.append(
                            Segment(key, TEXT, element, value, parts, running_text, 0, is_direct)
                        )
                    text += 1
                if node < end and urls[node] and (address := read_address(page, node)):
                    kind, value = address
                    row.append(Segment((kind, paths[node]), kind, node, value))
        return row

    def _find_element(self, node: int, texts: range) -> int:
        """Return the ancestor of a node that has exactly these text nodes, else the node itself."""
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
        """For every element that of its running text; several direct texts are one too."""
        ends = self._page.tree.ends
        counts = Counter(self._page.text_parents)
        running_texts = {node: node for node, count in counts.items() if count > 1}
        for node in find_running_texts(self._page):
            for inside in range(node, ends[node]):
                running_texts[inside] = node
        return running_texts


# ---- running texts of a single segment -----------------------------------------------------------


def _drop_single_texts(rows: Rows, paths: RecordPaths) -> tuple[Rows, bool]:
    """Unmark running texts that have one segment in every record; tell whether others are left.

    Without others, no step reads the marks, and the rows are returned as they are.
    """
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

    if not with_several:
        return rows, False
    return [[unmark(segment) for segment in row] for row in rows], True


# ---- lines ---------------------------------------------------------------------------------------


def _number_lines(page: Page, rows: Rows, paths: RecordPaths) -> Rows:
    """Number the lines of running texts; all are line 0 unless the records have equally many."""
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
                line = previous.line + (not _INLINE_TAGS.issuperset(between))
                if line:
                    segment = segment._replace(line=line)
            if segment.running_text >= 0:
                last[segment.running_text] = segment
            numbered[-1].append(segment)
        for node, segment in last.items():
            last_lines[paths[node]].append(segment.line)
    uneven: set[int] = set()
    for path, lines in last_lines.items():
        if max(Counter(lines).values()) < _SHARES.nearly_all * len(lines):
            uneven.add(path)
    if not uneven:
        return numbered

    def unnumber(segment: Segment) -> Segment:
        if segment.line and paths[segment.running_text] in uneven:
            return segment._replace(line=0)
        return segment

    return [[unnumber(segment) for segment in row] for row in numbered]


# ---- prose ---------------------------------------------------------------------------------------


def _join_prose(page: Page, rows: Rows, paths: RecordPaths) -> Rows:
    """Join the segments of lines whose marks differ from record to record, but for salient ones."""
    salient_keys = _find_prose(page, rows, paths)
    joined_rows: list[list[Segment]] = []
    for row in rows:
        joined: list[Segment] = []
        last = -1  # the index of the last segment of a running text
        for segment in row:
            if segment.running_text < 0:
                joined.append(segment)
                continue
            line = (paths[segment.running_text], segment.line)
            prose_key = (TEXT, "prose", *line)
            previous = joined[last] if last >= 0 and segment.is_in_line_of(joined[last]) else None
            if line not in salient_keys:
                if (
                    previous is not None
                    and previous.is_direct
                    and segment.is_direct
                    and previous.texts[-1] + 1 == segment.texts[0]
                ):
                    joined[last] = previous.add_texts(segment)
                    continue
                segment = segment._replace(key=(*segment.key, segment.line))
            elif segment.key in salient_keys[line]:
                segment = segment._replace(key=(*segment.key, "salient", *line))
            elif previous is not None and previous.key == prose_key:
                joined[last] = previous.add_texts(segment)
                continue
            else:
                segment = segment._replace(
                    key=prose_key, node=segment.running_text, is_direct=False
                )
            last = len(joined)
            joined.append(segment)
        joined_rows.append(joined)
    return joined_rows


def _find_prose(page: Page, rows: Rows, paths: RecordPaths) -> dict[LineKey, set[Key]]:
    """Return the lines whose marks differ, each with the keys of its salient segments."""
    lines: defaultdict[LineKey, list[list[Segment]]] = defaultdict(list)
    for row in rows:
        by_running_text: defaultdict[int, list[Segment]] = defaultdict(list)
        for segment in row:
            if segment.running_text >= 0:
                by_running_text[segment.running_text].append(segment)
        for node, segments in by_running_text.items():
            for line, inside in groupby(segments, key=lambda segment: segment.line):
                lines[paths[node], line].append(list(inside))
    return {
        line: _find_salient_keys(page, records)
        for line, records in lines.items()
        if len({tuple([segment.key for segment in segments]) for segments in records}) > 1
    }


def _find_salient_keys(page: Page, records: Rows) -> set[Key]:
    """Return the keys of marked texts with a class: data that nearly all records have once."""
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
        if count >= _SHARES.nearly_all * len(records)
        and len(values[key]) >= _SHARES.distinct * len(records)
    }


# ---- numbers of equal keys -----------------------------------------------------------------------


def _number_keys(rows: Rows) -> Rows:
    """Number the segments of each record that have the same key, from 1."""
    new = tuple.__new__  # half the cost of _replace, for every segment of the list
    numbered: list[list[Segment]] = []
    for row in rows:
        counts: dict[Key, int] = {}
        numbered_row: list[Segment] = []
        for segment in row:
            key = segment.key
            number = counts[key] = counts.get(key, 0) + 1
            numbered_row.append(new(Segment, ((*key, number), *segment[1:])))
        numbered.append(numbered_row)
    return numbered


# ---- introductions -------------------------------------------------------------------------------


def _join_introductions(rows: Rows) -> Rows:
    """Join what introduces a text, or ends it, with the text."""
    followers = _find_followers(rows)
    if not followers:
        return rows
    joined_rows: list[list[Segment]] = []
    for row in rows:
        joined: list[Segment] = []
        last = -1  # the index of the last segment of a running text
        last_key: Key = ()  # the key of its last part
        for segment in row:
            if segment.running_text < 0:
                joined.append(segment)
                continue
            follows = last >= 0 and segment.key in followers.get(last_key, ())
            if follows and segment.is_in_line_of(joined[last]):
                whole = joined[last].add_texts(segment)
                if not segment.is_direct:  # the column is that of the value
                    whole = whole._replace(key=segment.key, node=segment.node)
                joined[last] = whole
            else:
                last = len(joined)
                joined.append(segment)
            last_key = segment.key
        joined_rows.append(joined)
    return joined_rows


def _find_followers(rows: Rows) -> dict[Key, set[Key]]:
    """Return for keys the keys that may follow them in the same cell.

    A text that introduces belongs to the next in its line, or to the one before if none follows.
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
        pair for pair, count in pairs.items() if count >= _SHARES.nearly_all * times[pair[1]]
    ]
    followers: defaultdict[Key, set[Key]] = defaultdict(set)
    for left, right in frequent:
        if left in introducing and right not in introducing:
            followers[left].add(right)
    for left, right in frequent:
        if right in introducing and right not in followers and left not in introducing:
            followers[left].add(right)
    return followers


# ---- values --------------------------------------------------------------------------------------


def _clean_values(page: Page, prices: SplitPrices, rows: Rows) -> Rows:
    """Set the values of joined segments, and strip stray punctuation except in code."""
    labels = page.tree.labels
    cleaned_rows: list[list[Segment]] = []
    for row in rows:
        cleaned_row: list[Segment] = []
        for segment in row:
            if segment.kind == TEXT:
                value = segment.value
                if len(segment.texts) > 1:
                    value = prices.join(segment.texts)
                if labels[segment.node] not in _CODE_TAGS:
                    value = strip_stray_punctuation(value)
                if value != segment.value:
                    segment = segment._replace(value=value)
            cleaned_row.append(segment)
        cleaned_rows.append(cleaned_row)
    return cleaned_rows


# ---- paths in records ----------------------------------------------------------------------------


def number_record_paths(page: Page, listing: Listing) -> RecordPaths:
    """Number the paths of all elements in the records of a list.

    Two elements have the same path if they have the same tag path in their records and all
    elements on the way have the same classes of the template; cells of tables must be in the same
    column, too.
    """
    labels, parents, ends = page.tree.labels, page.tree.parents, page.tree.ends
    tag_path_numbers: dict[tuple[int, str], int] = {}
    tag_paths: dict[int, int] = {}
    for record in listing.records:
        for part, root in enumerate(record):
            tag_step = (-1 - part, labels[root])
            tag_paths[root] = tag_path_numbers.setdefault(tag_step, len(tag_path_numbers))
            for node in range(root + 1, ends[root]):
                tag_step = (tag_paths[parents[node]], labels[node])
                tag_paths[node] = tag_path_numbers.setdefault(tag_step, len(tag_path_numbers))
    classes_at = _find_template_classes(page, listing, tag_paths)
    identifiers, column_of = page.identifiers, page.table_grid.columns
    numbers: dict[tuple[int, tuple[str, ...], int, int], int] = {}
    # Elements differ in few ways: steps with all of their classes are looked up first.
    known: dict[tuple[int, str | None, int, int], int] = {}
    paths: dict[int, int] = {}
    for record in listing.records:
        for root in record:
            paths[root] = numbers.setdefault((-1, (), tag_paths[root], 0), len(numbers))
            for node in range(root + 1, ends[root]):
                key = (
                    paths[parents[node]],
                    identifiers[node][0],
                    tag_paths[node],
                    column_of.get(node, 0),
                )
                number = known.get(key)
                if number is None:
                    path, classes, tag_path, column = key
                    step = (path, classes_at[tag_path, classes], tag_path, column)
                    number = known[key] = numbers.setdefault(step, len(numbers))
                paths[node] = number
    return paths


def _find_template_classes(
    page: Page, listing: Listing, tag_paths: Mapping[int, int]
) -> dict[tuple[int, str | None], tuple[str, ...]]:
    """Return the classes of the template for every tag path and class attribute of the records."""
    identifiers, ends = page.identifiers, page.tree.ends

    def list_steps(record: Record) -> frozenset[tuple[int, str | None]]:
        nodes = [node for root in record for node in range(root, ends[root])]
        return frozenset([(tag_paths[node], identifiers[node][0]) for node in nodes])

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
        min_count = max(_SHARES.min_records_with_class, _SHARES.with_class * with_path[path])
        words_of_element = sorted(set((classes or "").split()))
        template_classes[path, classes] = tuple(
            [word for word in words_of_element if with_class[path, word] >= min_count]
        )
    return template_classes
