"""Pieces: what of a record's texts belongs in one cell.

A text by itself is one piece, mostly. In a running text, where an element has text of its own and words of it are marked as
links, in bold and so on, four things are told apart:

- the lines that line breaks part, if the records have as many of them;
- marks that differ from record to record, as in prose: the text is one piece, marks and all;
- in such a text, an element that every record has once, by its class, and that says something else in each, as a date does:
  a piece of its own;
- text of the element itself that is the same in all records, or ends with a colon, beside a marked one, as in
  "by <a>Ada</a>": it belongs to what it introduces.

The parts of a price are one piece before all that, and what is left of brackets and marks around a value is no part of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter

from unweave.page.page import Page
from unweave.records.auto.roles import Roles
from unweave.records.items import MARKS, TEXT, Items
from unweave.records.prices import Prices, TornPrice
from unweave.records.region import Record
from unweave.text import strip_stray_marks

# What stands within a line: everything else begins a new one.
_IN_LINE = MARKS - {"br"} | {"img"}

# In code, marks at the ends of a text are a part of it.
_CODE = frozenset(["code", "kbd", "pre", "samp", "tt", "var"])

_SAME_LINES = 0.9
_ALWAYS = 0.9
_DIFFERENT = 0.3

Line = tuple[int, int]
"""The role of the element that a running text stands in, and the number of the line in it."""


@dataclass(slots=True)
class Piece:
    """Something that may be a cell."""

    key: tuple[object, ...]
    kind: str
    node: int
    value: str = ""
    chunks: list[int] = field(default_factory=list)
    """The texts that it is made of."""
    holder: int = -1
    """The element whose running text it is a part of."""
    line: int = 0
    is_own: bool = False
    """Is it the text of the holder itself, and no marked one?"""


class Pieces:
    """The pieces of a page's records."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._items = Items(page)
        self._prices = Prices(page)

    def of(self, records: Sequence[Record], roles: Roles) -> list[list[Piece]]:
        """The pieces of the records of one list, in order, with their texts."""
        rows = [self._all(record, roles) for record in records]
        is_running = _forget_single_texts(rows, roles)
        if is_running:
            self._number_lines(rows, roles)
            rows = self._joined(rows, roles)
        for row in rows:
            _number_keys(row)
        if is_running:
            rows = self._introduced(rows)
            for row in rows:
                for piece in row:
                    if len(piece.chunks) > 1:
                        piece.value = self._prices.join(piece.chunks)
        for row in rows:
            for piece in row:
                if piece.kind == TEXT and self._page.tree.labels[piece.node] not in _CODE:
                    piece.value = strip_stray_marks(piece.value)
        return rows

    def _all(self, record: Record, roles: Roles) -> list[Piece]:
        """The texts, links and images of a record, each by itself."""
        page, holders, prices = self._page, self._holders, self._prices
        texts, places, owners, addresses = page.texts, page.places, page.owners, page.addresses
        row: list[Piece] = []
        for root in record:
            chunk, stop, end = page.first_chunks[root], page.stop_chunks[root], page.tree.ends[root]
            prices.search(range(chunk, stop))
            for node in range(root, end + 1):
                while chunk < stop and (places[chunk] <= node or node == end):
                    owner = owners[chunk]
                    holder = holders.get(owner, -1)
                    if holder < root:  # the record itself is a part of a running text
                        holder = -1
                    if not prices.is_absorbed(chunk):
                        own = Piece((TEXT, roles[owner]), TEXT, owner, texts[chunk], [chunk], holder)
                        own.is_own = owner == holder
                        if chunk in prices.by_amount:
                            self._mend(own, prices.by_amount[chunk])
                        row.append(own)
                    chunk += 1
                if node < end and addresses[node] and (address := self._items.address(node)):
                    row.append(Piece((address[0], roles[node]), address[0], node, address[1]))
        return row

    def _mend(self, piece: Piece, price: TornPrice) -> None:
        """Make the piece of an amount that of the whole price, in the element that has nothing else, if there is one."""
        piece.value, piece.chunks = price.text, list(price.chunks)
        for node in self._page.tree.ancestors(piece.node):
            if not price.chunks.start <= self._page.first_chunks[node] or self._page.stop_chunks[node] > price.chunks.stop:
                break
            if self._page.chunks(node) == price.chunks:
                piece.node = node
                break

    @cached_property
    def _holders(self) -> dict[int, int]:
        """The element whose running text each element is a part of: several texts of its own make one as well."""
        ends, own = self._page.tree.ends, Counter(self._page.owners)
        found = {node: node for node, count in own.items() if count > 1}
        for holder in self._items.running:
            found.update(dict.fromkeys(range(holder, ends[holder]), holder))
        return found

    # ---- lines -------------------------------------------------------------------------------------------------

    def _number_lines(self, rows: Sequence[Sequence[Piece]], roles: Roles) -> None:
        """Number the lines of running texts; all are one where the records do not have as many of them."""
        counts: defaultdict[int, list[int]] = defaultdict(list)
        for row in rows:
            for holder, pieces in _by_holder(row):
                self._number(pieces)
                counts[roles[holder]].append(pieces[-1].line)
        uneven = {role for role, own in counts.items() if max(Counter(own).values()) < _SAME_LINES * len(own)}
        if uneven:
            for row in rows:
                for piece in row:
                    if piece.holder >= 0 and roles[piece.holder] in uneven:
                        piece.line = 0

    def _number(self, pieces: Sequence[Piece]) -> None:
        places, labels = self._page.places, self._page.tree.labels
        line = 0
        for before, piece in pairwise(pieces):
            line += not _IN_LINE.issuperset(labels[places[before.chunks[-1]] : places[piece.chunks[0]]])
            piece.line = line

    # ---- what differs from record to record --------------------------------------------------------------------

    def _joined(self, rows: Sequence[list[Piece]], roles: Roles) -> list[list[Piece]]:
        """The rows, with the running texts whose marks differ as one piece each, but for what stands out of them."""
        lines = _Lines(self._page, rows, roles)
        return [list(self._join_row(row, roles, lines)) for row in rows]

    def _join_row(self, row: Sequence[Piece], roles: Roles, lines: _Lines) -> Iterator[Piece]:
        last: Piece | None = None  # of the running text that is being read
        for piece in row:
            if piece.holder < 0:
                yield piece
                continue
            line = (roles[piece.holder], piece.line)
            follows = last is not None and (last.holder, last.line) == (piece.holder, piece.line)
            if line not in lines.varying:
                if follows and last is not None and last.is_own and piece.is_own and _are_next(last, piece):
                    last.chunks += piece.chunks
                    continue
                piece.key = (*piece.key, piece.line)
            elif piece.key in lines.varying[line]:
                piece.key = (*piece.key, "own", *line)
            elif follows and last is not None and last.key == (TEXT, "rest", *line):
                last.chunks += piece.chunks
                continue
            else:
                piece.key, piece.node, piece.is_own = (TEXT, "rest", *line), piece.holder, False
            last = piece
            yield piece

    # ---- what introduces a value -------------------------------------------------------------------------------

    def _introduced(self, rows: Sequence[list[Piece]]) -> list[list[Piece]]:
        """The rows, with what introduces a text, or ends it, as a part of it."""
        glue = _glued(rows)
        return [_glue_row(row, glue) for row in rows] if glue else list(rows)


def _forget_single_texts(rows: Sequence[Sequence[Piece]], roles: Roles) -> bool:
    """Text that is all that its element has in every record is no running text. Is any left?"""
    running: set[int] = set()
    for row in rows:
        held: set[int] = set()
        for piece in row:
            if piece.holder in held:
                running.add(roles[piece.holder])
            elif piece.holder >= 0:
                held.add(piece.holder)
    for row in rows:
        for piece in row:
            if piece.holder >= 0 and roles[piece.holder] not in running:
                piece.holder = -1
    return bool(running)


def _number_keys(row: Sequence[Piece]) -> None:
    """Number the pieces of a record that have the same key."""
    seen: Counter[tuple[object, ...]] = Counter()
    for piece in row:
        seen[piece.key] += 1
        piece.key = (*piece.key, seen[piece.key])


def _are_next(one: Piece, other: Piece) -> bool:
    """Does no text stand between the two?"""
    return one.chunks[-1] + 1 == other.chunks[0]


def _by_holder(row: Sequence[Piece]) -> Iterator[tuple[int, list[Piece]]]:
    """The running texts of a record that have several pieces."""
    held: defaultdict[int, list[Piece]] = defaultdict(list)
    for piece in row:
        if piece.holder >= 0:
            held[piece.holder].append(piece)
    return iter(held.items())


class _Lines:
    """What the lines of a list's running texts have in common."""

    def __init__(self, page: Page, rows: Sequence[Sequence[Piece]], roles: Roles) -> None:
        found: defaultdict[Line, list[list[Piece]]] = defaultdict(list)
        for row in rows:
            for holder, pieces in _by_holder(row):
                for line, inside in groupby(pieces, key=attrgetter("line")):
                    found[roles[holder], line].append(list(inside))
        self.varying = {
            line: self._standing_out(page, held)
            for line, held in found.items()
            if len({tuple([piece.key for piece in pieces]) for pieces in held}) > 1
        }
        """For every line whose marks differ the keys of what is a piece of its own in it."""

    def _standing_out(self, page: Page, held: Sequence[Sequence[Piece]]) -> set[tuple[object, ...]]:
        """Marked by a class, once in nearly every record, and different from record to record: no word of a prose."""
        once: Counter[tuple[object, ...]] = Counter()
        said: defaultdict[tuple[object, ...], set[str]] = defaultdict(set)
        for pieces in held:
            times = Counter([piece.key for piece in pieces])
            for piece in pieces:
                if not piece.is_own and times[piece.key] == 1 and _has_class(page, piece):
                    once[piece.key] += 1
                    said[piece.key].add(piece.value)
        return {
            key for key, count in once.items() if count >= _ALWAYS * len(held) and len(said[key]) >= _DIFFERENT * len(held)
        }


def _has_class(page: Page, piece: Piece) -> bool:
    """Has the element of the text, or the one around it inside the running text, a class?"""
    parent = page.tree.parents[piece.node]
    return bool(page.names[piece.node][0] or (parent != piece.holder and page.names[parent][0]))


Glue = dict[tuple[object, ...], set[tuple[object, ...]]]
"""For a key the keys that may follow it in the same cell."""


def _glued(rows: Sequence[Sequence[Piece]]) -> Glue:
    """Which pieces belong to the next one in their line, or to the one before if nothing follows."""
    times: Counter[tuple[object, ...]] = Counter()
    said: defaultdict[tuple[object, ...], set[str]] = defaultdict(set)
    own: set[tuple[object, ...]] = set()
    pairs: Counter[tuple[tuple[object, ...], tuple[object, ...]]] = Counter()
    for row in rows:
        last: Piece | None = None
        for piece in row:
            if piece.holder < 0:
                continue
            times[piece.key] += 1
            said[piece.key].add(piece.value)
            if piece.is_own:
                own.add(piece.key)
            if last is not None and (last.holder, last.line) == (piece.holder, piece.line):
                pairs[last.key, piece.key] += 1
            last = piece
    introducing = {key for key in own if _introduces(said[key], times[key])}
    glue: Glue = defaultdict(set)
    for (one, other), count in pairs.items():
        if one in introducing and other not in introducing and count >= _ALWAYS * times[other]:
            glue[one].add(other)
    for (one, other), count in pairs.items():
        ends = other in introducing and other not in glue and one not in introducing
        if ends and count >= _ALWAYS * times[other]:
            glue[one].add(other)
    return glue


def _introduces(said: set[str], times: int) -> bool:
    return (len(said) == 1 and times > 1) or all(text.endswith((":", "：")) for text in said)


def _glue_row(row: Sequence[Piece], glue: Glue) -> list[Piece]:
    found: list[Piece] = []
    last: Piece | None = None
    reached: tuple[object, ...] = ()  # the key of the last part of the last piece
    for piece in row:
        if piece.holder < 0:
            found.append(piece)
            continue
        is_next = last is not None and (last.holder, last.line) == (piece.holder, piece.line)
        if last is not None and is_next and piece.key in glue.get(reached, ()):
            last.chunks += piece.chunks
            if not piece.is_own:  # the value, and not what stands around it, tells where it stands
                last.key, last.node = piece.key, piece.node
        else:
            found.append(piece)
            last = piece
        reached = piece.key
    return found
