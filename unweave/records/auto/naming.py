"""Columns for people: what they are called, and of which type they are.

A name is, of these, the first that there is: the header of the table; the label before the value; the property that
microdata or JSON-LD gives to the same text; what the author calls the element by class or id; what the tag is for; the
type. Only then it is ``text_1``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from unweave.fields.dates import DateOrder, order_of_language
from unweave.fields.names import called, name_of
from unweave.fields.readings import PRICE, STRING, Reading, reading
from unweave.page.page import Page
from unweave.records.auto.described import Descriptions
from unweave.records.columns import Placed
from unweave.records.items import IMAGE, LINK, TEXT
from unweave.records.region import Listing
from unweave.table import LIST, Column

Cells = Sequence[Placed]
"""What stands in one column, from the first record to the last."""

# So much of a column must agree on a name.
_MOST = 0.6
_LONGEST_NAME = 30
# So many cells of a column are asked.
_ENOUGH = 6
_LEAST_CONSTANT = 3
# Words that introduce a value and are no label by themselves, with what they introduce.
_INTRODUCING = {"by": "author", "von": "author", "par": "author", "por": "author", "from": "source", "in": "", "on": ""}
_TAGS = dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], "title")
# Numbers that are years, and what a bare number is called.
_YEARS = range(1900, 2100)
_BARE = {"integer": "number", "datetime": "date"}
# A text of more words after "by" tells more than a name.
_MOST_WORDS = 6
# The first text that tells something is among the first ones of an element.
_MOST_TEXTS = 40
# What CSV of several pages calls the page of a row.
_RESERVED = frozenset(["page"])
_LABEL_TAGS = frozenset(["dt", "th", "label"])
_TYPES = {LINK: "url", IMAGE: "image"}


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is known of a column before it has a name."""

    cells: Cells
    kind: str
    reading: Reading
    header: str
    """What the header of the table says above it."""
    is_constant: bool
    is_list: bool


def columns_of(page: Page, listing: Listing, columns: Sequence[Cells], lists: Sequence[bool]) -> tuple[Column, ...]:
    """The columns of a list with their names and types; ``lists`` says which may have several values in a cell."""
    return _Naming(page, listing, columns, lists).columns()


class _Naming:
    """The naming of one list's columns."""

    def __init__(self, page: Page, listing: Listing, columns: Sequence[Cells], lists: Sequence[bool]) -> None:
        self._page = page
        self._count = len(listing.records)
        self._roots = frozenset(listing.nodes)
        self._kinds = [self._kind(cells, is_list) for cells, is_list in zip(columns, lists, strict=True)]
        self._taken: Counter[str] = Counter()
        self._bases: dict[str, str] = {}
        self._known_names: dict[int, str] = {}
        self._first_roles: dict[int, object] = {}
        self._descriptions = Descriptions(page)

    def columns(self) -> tuple[Column, ...]:
        """The columns in their order. Texts that tell something get the good names; links are called after their texts."""
        names: dict[int, str] = {}
        for number in sorted(range(len(self._kinds)), key=self._turn):
            own = self._kinds[number]
            names[number] = self._unique(self._of_text(number) if own.kind == TEXT else self._of_address(own, names))
        found = [
            replace(self._column(own, names[number]), is_constant=own.is_constant or number in self._labels)
            for number, own in enumerate(self._kinds)
        ]
        return tuple(self._with_lists(found))

    def _turn(self, number: int) -> int:
        own = self._kinds[number]
        return 2 if own.kind != TEXT else int(own.is_constant or number in self._labels)

    def _kind(self, cells: Cells, is_list: bool) -> _Kind:
        values = [placed.value for placed in cells]
        is_constant = self._count >= _LEAST_CONSTANT and len(cells) == self._count and len(set(values)) == 1
        kind = cells[0].kind
        told = reading(values, self._usual_date_order) if kind == TEXT and not is_list else Reading()
        header = self._header(cells) if kind == TEXT else ""
        # What the page's own table gives a column, with a header, is data even if it is the same in all rows.
        is_data = told.type != STRING or (kind == TEXT and any(map(self._headers_above, cells[:_ENOUGH])))
        return _Kind(cells, kind, told, header, is_constant and not is_data, is_list)

    def _usual_date_order(self) -> DateOrder:
        return order_of_language(self._page.language)

    def _column(self, own: _Kind, name: str) -> Column:
        kind = LIST if own.is_list else _TYPES.get(own.kind, own.reading.type)
        if own.reading.type == STRING:
            return Column(name, kind)
        return Column(name, kind, before=own.reading.before, after=own.reading.after, date_order=own.reading.order)

    def _with_lists(self, columns: Sequence[Column]) -> Iterator[Column]:
        """Columns of a role that records have several times, and not all as often, say which list they are a part of."""
        series: defaultdict[object, list[int]] = defaultdict(list)
        for number, own in enumerate(self._kinds):
            if own.kind != IMAGE and not own.is_list:
                series[_role(own), self._bases[columns[number].name]].append(number)
        first: dict[int, str] = {}
        for numbers in series.values():
            if len({len(self._kinds[number].cells) for number in numbers}) > 1:
                telling = [number for number in numbers if not columns[number].is_constant]
                first.update(dict.fromkeys(numbers, columns[(telling or numbers)[0]].name))
        for number, column in enumerate(columns):
            yield replace(column, part_of=first[number]) if number in first else column

    def _unique(self, name: str) -> str:
        """The name, with a number if it is taken; what has no name is a numbered text."""
        base = f"{name}_" if name in _RESERVED else name or TEXT
        self._taken[base] += 1
        found = f"{base}_{self._taken[base]}" if not name or self._taken[base] > 1 else base
        while found in self._bases:
            self._taken[base] += 1
            found = f"{base}_{self._taken[base]}"
        self._bases[found] = base
        return found

    # ---- texts -------------------------------------------------------------------------------------------------

    def _of_text(self, number: int) -> str:
        own = self._kinds[number]
        some = own.cells[:_ENOUGH]
        return (
            own.header
            or self._label(number)
            or self._told(some)
            or self._priced(self._called(some), own)
            or self._priced(_around(own.reading), own)
            or _by_type(own)
        )

    def _header(self, cells: Cells) -> str:
        """What the header of the table says above most of the cells."""
        if not self._page.grid.headers:
            return ""
        # A cell that spans columns has the header of the first of them.
        single = [placed for placed in cells if self._page.grid.widths.keys().isdisjoint(self._inside(placed.node))]
        return _usual([self._heading(self._headers_above(placed)) for placed in (single or cells)[:_ENOUGH]])

    def _headers_above(self, placed: Placed) -> Sequence[int]:
        headers = self._page.grid.headers
        return next((headers[node] for node in self._inside(placed.node) if node in headers), ())

    def _heading(self, cells: Sequence[int]) -> str:
        """What headers above each other say, as a name; without the upper ones if that is too long."""
        texts = [self._page.text(cell) for cell in dict.fromkeys(cells) if self._page.count_texts(cell)]
        return _short(" ".join(texts)) or (_short(texts[-1]) if texts else "")

    def _label(self, number: int) -> str:
        """The constant text before the value: in the same cell, or in the column before."""
        own = self._kinds[number]
        before = own.reading.before
        if before and own.reading.bare(own.cells[0].value):
            word = name_of(before.split()[0])
            if self._is_one_value(own, is_name=word in _INTRODUCING) and (word in _INTRODUCING or _has_colon(before)):
                return _INTRODUCING.get(word, _short(before))
        last = self._before.get(number, -1)
        if last not in self._labels:
            return ""
        said = self._kinds[last].cells[0].value
        return _INTRODUCING.get(name_of(said), _short(said))

    @cached_property
    def _before(self) -> dict[int, int]:
        """For every column of texts the one before it."""
        texts = [number for number, own in enumerate(self._kinds) if own.kind == TEXT]
        return {other: one for one, other in pairwise(texts)}

    def _is_one_value(self, own: _Kind, *, is_name: bool) -> bool:
        """Does each of the texts have one label and one value? Others tell several things, and the first is no name."""
        rests = [own.reading.bare(placed.value) for placed in own.cells[:_ENOUGH]]
        return not any(_has_colon(word) for rest in rests for word in rest.split()) and not (
            is_name and any(len(rest.split()) > _MOST_WORDS for rest in rests)
        )

    @cached_property
    def _labels(self) -> set[int]:
        """The columns that are labels: the same wherever they stand, and before something that differs."""
        pairs = self._before.items()
        return {one for other, one in pairs if self._is_label(self._kinds[one], self._kinds[other])}

    def _is_label(self, own: _Kind, following: _Kind) -> bool:
        said = {placed.value for placed in own.cells}
        tag = self._page.tree.labels[own.cells[0].node]
        text = next(iter(said))
        looks_so = len(said) == 1 and (_has_colon(text) or tag in _LABEL_TAGS or name_of(text) in _INTRODUCING)
        return looks_so and len(own.cells) >= max(2, len(following.cells)) and not following.is_constant

    def _told(self, cells: Cells) -> str:
        """The property of microdata around most of the texts, or that JSON-LD has for them."""
        found = [self._property(placed.node) for placed in cells]
        return _short(_usual(found) or self._descriptions.of([placed.value for placed in cells]))

    def _property(self, node: int) -> str:
        return next((own for node in self._inside(node) if (own := self._page.names[node][2])), "") or ""

    def _called(self, cells: Cells) -> str:
        """What the author calls the element of most of the texts: the nearest around them that has a telling name."""
        return _short(_usual([self._nearest_name(placed.node) for placed in cells]))

    def _priced(self, name: str, own: _Kind) -> str:
        """A price is called one, whatever else its author calls it: "now" and "was" are no names for a column."""
        return f"{name}_{PRICE}" if name and own.reading.suggested == PRICE and PRICE not in name else name

    def _nearest_name(self, node: int) -> str:
        for own in self._inside(node):
            if self._first_role(own) != self._first_role(node):
                return ""  # the name of an element with several things is that of the first
            if name := self._own_name(own):
                return name
        return ""

    def _first_role(self, node: int) -> object:
        """The role of the first text in an element that tells something."""
        if node not in self._first_roles:
            owners = (self._page.owners[chunk] for chunk in self._page.chunks(node)[:_MOST_TEXTS])
            first = next((self._column_at[owner] for owner in owners if owner in self._column_at), None)
            self._first_roles[node] = None if first is None else _role(self._kinds[first])
        return self._first_roles[node]

    def _own_name(self, node: int) -> str:
        known = self._known_names.get(node)
        if known is None:
            classes, id_, _ = self._page.names[node]
            words = [*(classes or "").split(), *([id_] if id_ else [])]
            names = (name for word in words if (name := self._beyond_the_record(called(word))))
            known = next(names, _TAGS.get(self._page.tree.labels[node], ""))
            self._known_names[node] = known
        return known

    def _beyond_the_record(self, name: str) -> str:
        """A name without the words that the record itself is called by: the price of a product is its price."""
        return "_".join([word for word in name.split("_") if word not in self._record_words])

    @cached_property
    def _record_words(self) -> set[str]:
        words = [set((self._page.names[root][0] or "").split()) for root in self._roots]
        return {part for own in set.intersection(*words) for part in called(own).split("_")} if words else set()

    def _inside(self, node: int) -> Iterator[int]:
        """The element and those around it, up to the record, which is not a part of itself."""
        for own in self._page.tree.ancestors(node):
            if own in self._roots:
                return
            yield own

    # ---- addresses ---------------------------------------------------------------------------------------------

    def _of_address(self, own: _Kind, names: dict[int, str]) -> str:
        """Links are called after the text in them, pictures are pictures."""
        if own.kind == IMAGE:
            return IMAGE
        name = _usual([self._text_in(placed.node, names) for placed in own.cells[:_ENOUGH]])
        return f"{name}_{LINK}" if name else LINK

    def _text_in(self, node: int, names: dict[int, str]) -> str:
        """The name of the column whose text stands in a link, or around it."""
        end = self._page.tree.ends[node]
        inside = (self._column_at[within] for within in range(node, end) if within in self._column_at)
        return next((names[number] for number in inside if number in names), "")

    @cached_property
    def _column_at(self) -> dict[int, int]:
        texts = ((number, own) for number, own in enumerate(self._kinds) if own.kind == TEXT and not own.is_constant)
        found: dict[int, int] = {}
        for number, own in texts:
            for placed in own.cells:
                found.setdefault(placed.node, number)
        return found


def _around(told: Reading) -> str:
    """What stands before or after every number, price or day: "Lot 11", "86 comments"."""
    return "" if told.suggested == STRING else _short(told.before) or _short(told.after)


def _by_type(own: _Kind) -> str:
    """What a number, a price or a day is called if nothing else is known of it."""
    kind = own.reading.suggested
    if kind == STRING:
        return ""
    if own.reading.type == "integer":
        values = [own.reading.value(placed.value) for placed in own.cells]
        if values == list(range(1, len(values) + 1)):
            return "position"
        if all(value in _YEARS for value in values):
            return "year"
    return _BARE.get(kind, kind)


def _has_colon(text: str) -> bool:
    return text.endswith((":", "："))


def _role(own: _Kind) -> object:
    key = own.cells[0].key
    return key[:-1] if isinstance(key, tuple) else key


def _usual(names: Iterable[str]) -> str:
    """What most of them are."""
    counts = Counter(names)
    name, count = counts.most_common(1)[0] if counts else ("", 0)
    return name if count >= _MOST * counts.total() else ""


def _short(text: str) -> str:
    """A name of a text, if it is short enough for one."""
    return name_of(text) if len(text) <= _LONGEST_NAME else ""
