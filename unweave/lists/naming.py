"""Naming: give each column of a list a name and a type.

The name of a text column comes from the first of the ``TEXT_STRATEGIES`` that gives one. A link is
named after the text in it, an image ``image``. Columns without a name are ``text_1``, ``text_2``
and so on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any
from urllib.parse import urljoin

from unweave.lists.listing import IMAGE, LINK, TEXT, AlignedItem, Listing
from unweave.names import UniqueNames
from unweave.page.page import Page
from unweave.table import LIST, Column
from unweave.values.column_format import ColumnFormat, infer_column_format
from unweave.values.dates import get_language_date_order
from unweave.values.naming import make_name, name_from_class
from unweave.values.types import Type
from unweave.values.vocabulary import find_concepts


@dataclass(frozen=True, slots=True)
class NamingRules:
    """What is enough evidence for a name."""

    min_agreement: float = 0.6
    """This share of the first cells must agree on a name; single cells may have other markup."""
    max_sample_cells: int = 6
    """How many cells are examined; more take time and hardly ever change the name."""
    max_name_length: int = 30
    """Longer texts are prose and no names."""
    max_words_after_introduction: int = 6
    """A text of more words after "by" is more than a person's name."""
    min_constant_records: int = 3
    """With fewer records, equal cells are no evidence that a column is constant."""
    min_repeated_values: int = 3
    """With fewer different values, equal columns are no evidence that one repeats the other."""
    min_title_share: float = 0.8
    """This share of the records have the title of the records, and this share of them differ."""
    min_title_length: float = 6.0
    """The mean number of characters of a title."""
    min_jsonld_share: float = 0.5
    """A JSON-LD key names a column if this share of the first texts have it…"""
    min_jsonld_texts: int = 2
    """…and this many, because a single text may be equal by chance."""


_RULES = NamingRules()

# Limits for hostile pages. JSON-LD may describe far more than the page shows.
_MAX_JSONLD_VALUES = 50_000
_MAX_JSONLD_TEXT = 500
# How many text nodes of an element are searched for the first one of a column.
_MAX_SEARCHED_TEXTS = 40

# Words before a value that are not labels themselves, with the name of the value.
_INTRODUCING_WORDS = {
    **dict.fromkeys(["by", "von", "par", "por"], "author"),
    "from": "source",
    "in": "",
    "on": "",
}
_LABEL_TAGS = frozenset(["dt", "th", "label"])
_HEADING_TAGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_TITLE = "title"
_YEARS = range(1900, 2100)
_TYPE_NAMES = {"integer": "number", "datetime": "date"}
_SCHEMES = ("http://", "https://", "www.")
_URL_TYPES = {LINK: "url", IMAGE: "image"}
# A link that is relative to it is no text of a page.
_SOME_PAGE = "https://page.invalid/"
# CSV of several pages has a column with this name already.
_RESERVED_NAMES = frozenset(["page"])

Cells = Sequence[AlignedItem]
"""The items of one column, from the first record to the last."""


@dataclass(frozen=True, slots=True)
class ColumnEvidence:
    """A column before it has a name."""

    number: int
    cells: Cells
    kind: str
    format: ColumnFormat
    is_constant: bool
    is_list: bool
    """True if a cell may have several values."""

    @property
    def sample(self) -> Cells:
        """The first cells, which are enough to choose a name."""
        return self.cells[: _RULES.max_sample_cells]

    @property
    def path(self) -> object:
        """The key without the number that tells cells of one path in a record apart."""
        key = self.cells[0].key
        return key[:-1] if isinstance(key, tuple) else key


def name_columns(
    page: Page, listing: Listing, columns: Sequence[Cells], lists: Sequence[bool]
) -> tuple[Column, ...]:
    """Return the columns of a list with names and types.

    ``lists`` tells which columns may have several values in a cell.
    """
    evidence = NamingEvidence(page, listing, columns, lists)
    names = _choose_names(evidence)
    named: list[Column] = []
    for column, (name, _) in zip(evidence.columns, names, strict=True):
        # The affixes of a column without a type are parts of its texts.
        format = column.format if column.format.type != Type.STRING else ColumnFormat()
        named.append(
            Column(
                name,
                LIST if column.is_list else _URL_TYPES.get(column.kind, format.type),
                is_constant=column.is_constant
                or column.number in evidence.label_columns
                or column.number in evidence.repeated_columns,
                prefix=format.prefix,
                suffix=format.suffix,
                date_order=format.date_order,
            )
        )
    return _mark_list_parts(evidence, named, [base for _, base in names])


def _choose_names(evidence: NamingEvidence) -> list[tuple[str, str]]:
    """Return for every column its unique name, and the name without the number that makes it so.

    Texts with data are named before constant texts and labels, so that they get the names without
    a number, and links last, because they are named after texts.
    """

    def get_turn(column: ColumnEvidence) -> int:
        if column.kind != TEXT:
            return 2
        return int(column.is_constant or column.number in evidence.label_columns)

    unique = UniqueNames()
    names: dict[int, str] = {}
    bases: dict[int, str] = {}
    for column in sorted(evidence.columns, key=get_turn):
        if column.kind == TEXT:
            attempts = (strategy(evidence, column) for strategy in TEXT_STRATEGIES)
            name = next(filter(None, attempts), "")
        else:
            name = _name_link_or_image(evidence, column, names)
        base = f"{name}_" if name in _RESERVED_NAMES else name or TEXT
        names[column.number] = unique.add(base, always_number=not name)
        bases[column.number] = base
    return [(names[number], bases[number]) for number in range(len(names))]


def _mark_list_parts(
    evidence: NamingEvidence, columns: Sequence[Column], bases: Sequence[str]
) -> tuple[Column, ...]:
    """Mark columns of one path, of which records have different numbers, as parts of one list."""
    series: defaultdict[object, list[int]] = defaultdict(list)
    for column, base in zip(evidence.columns, bases, strict=True):
        if column.kind != IMAGE and not column.is_list:
            series[column.path, base].append(column.number)
    list_names: dict[int, str] = {}
    for numbers in series.values():
        if len({len(evidence.columns[number].cells) for number in numbers}) > 1:
            varying = [number for number in numbers if not columns[number].is_constant]
            first = (varying or numbers)[0]
            list_names.update(dict.fromkeys(numbers, columns[first].name))
    return tuple(
        replace(column, part_of=list_names[number]) if number in list_names else column
        for number, column in enumerate(columns)
    )


class NamingEvidence:
    """The columns of one list, and what the page has that may name them."""

    def __init__(
        self, page: Page, listing: Listing, columns: Sequence[Cells], lists: Sequence[bool]
    ) -> None:
        self.page = page
        self._roots = frozenset(listing.nodes)
        self._records = listing.records
        self._record_count = len(listing.records)
        self.columns = [
            self._collect(number, cells, is_list)
            for number, (cells, is_list) in enumerate(zip(columns, lists, strict=True))
        ]
        self._element_names: dict[int, str] = {}
        self._first_paths: dict[int, object] = {}

    def _collect(self, number: int, cells: Cells, is_list: bool) -> ColumnEvidence:
        kind, values = cells[0].kind, [item.value for item in cells]
        is_text = kind == TEXT
        format = ColumnFormat()
        if is_text and not is_list:
            format = infer_column_format(
                values, lambda: get_language_date_order(self.page.language)
            )
        is_constant = (
            self._record_count >= _RULES.min_constant_records
            and len(cells) == self._record_count
            and len(set(values)) == 1
        )
        # A column of an HTML table with a header is data even if it is the same in all rows.
        is_data = format.type != Type.STRING or (
            is_text
            and any(self.find_headers(item.node) for item in cells[: _RULES.max_sample_cells])
        )
        is_constant = is_constant and not is_data
        return ColumnEvidence(number, cells, kind, format, is_constant, is_list)

    def find_headers(self, node: int) -> Sequence[int]:
        """Return the header cells of the table cell around a node."""
        headers = self.page.table_grid.headers
        if not headers:
            return ()
        for ancestor in self.iterate_ancestors(node):
            if ancestor in headers:
                return headers[ancestor]
        return ()

    def iterate_ancestors(self, node: int) -> Iterator[int]:
        """Yield an element and those around it in its record, without the root of the record."""
        for ancestor in self.page.tree.ancestors(node):
            if ancestor in self._roots:
                return
            yield ancestor

    @cached_property
    def previous_texts(self) -> dict[int, int]:
        """For every text column the number of the text column before it."""
        texts = [column.number for column in self.columns if column.kind == TEXT]
        return {right: left for left, right in pairwise(texts)}

    @cached_property
    def label_columns(self) -> set[int]:
        """The text columns that are labels: constant, and before a column that is not."""
        return {
            left
            for right, left in self.previous_texts.items()
            if self._is_label(self.columns[left], self.columns[right])
        }

    @cached_property
    def repeated_columns(self) -> set[int]:
        """The columns with the values of another one in the same records, and without a header.

        Of a text and a link with the same absolute URL, the link is left out; a relative one says
        more, because it becomes absolute.
        """
        starts = [min(record) for record in self._records]
        known: set[frozenset[tuple[int, str]]] = set()
        repeated: set[int] = set()
        for column in sorted(self.columns, key=lambda column: column.kind != TEXT):
            if len({item.value for item in column.cells}) < _RULES.min_repeated_values:
                continue
            content = frozenset(
                [
                    (bisect_right(starts, item.node), urljoin(_SOME_PAGE, item.value))
                    if column.kind == LINK
                    else (bisect_right(starts, item.node), item.value)
                    for item in column.cells
                ]
            )
            if content in known and not self.find_headers(column.cells[0].node):
                repeated.add(column.number)
            known.add(content)
        return repeated

    def _is_label(self, column: ColumnEvidence, following: ColumnEvidence) -> bool:
        values = {item.value for item in column.cells}
        if len(values) > 1 or following.is_constant:
            return False
        if len(column.cells) < max(2, len(following.cells)):
            return False
        text = column.cells[0].value
        tag = self.page.tree.labels[column.cells[0].node]
        return _has_colon(text) or tag in _LABEL_TAGS or make_name(text) in _INTRODUCING_WORDS

    @cached_property
    def column_at(self) -> dict[int, int]:
        """For the elements of text cells the number of their column, without constant columns."""
        column_at: dict[int, int] = {}
        for column in self.columns:
            if column.kind == TEXT and not column.is_constant:
                for item in column.cells:
                    column_at.setdefault(item.node, column.number)
        return column_at

    def find_element_name(self, node: int) -> str:
        """Return the name of the nearest named element around a text, by class, id or tag."""
        path = self._find_first_path(node)
        for ancestor in self.iterate_ancestors(node):
            if self._find_first_path(ancestor) != path:
                return ""  # the name of an element of several columns is that of the first
            if name := self._name_element(ancestor):
                return name
        return ""

    @cached_property
    def element_names(self) -> dict[int, str]:
        """The name of the element around most texts of each text column, by its number."""
        return {
            column.number: _choose_most_common(
                [self.find_element_name(item.node) for item in column.sample]
            )
            for column in self.columns
            if column.kind == TEXT
        }

    @cached_property
    def title_column(self) -> int:
        """The text column in headings, else the first one of different texts in links; or -1."""
        columns = [column for column in self.columns if self._may_be_title(column)]
        for tags in (_HEADING_TAGS, ("a",)):
            for column in columns:
                if all(self._is_main_text(item, tags) for item in column.sample):
                    return column.number
        return -1

    def _may_be_title(self, column: ColumnEvidence) -> bool:
        """Tell whether a column has a text for (nearly) every record, and mostly another one."""
        if column.kind != TEXT or column.is_list or column.format.type != Type.STRING:
            return False
        values = [item.value for item in column.cells]
        return (
            len(values) >= _RULES.min_title_share * self._record_count
            and len(set(values)) >= _RULES.min_title_share * len(values)
            and sum(map(len, values)) >= _RULES.min_title_length * len(values)
        )

    def _is_main_text(self, item: AlignedItem, tags: Container[str]) -> bool:
        """Tell whether an element with one of the tags around a cell has little other text."""
        page = self.page
        for ancestor in self.iterate_ancestors(item.node):
            if page.tree.labels[ancestor] in tags:
                return 2 * len(item.value) > len(page.text(ancestor))
        return False

    def _find_first_path(self, node: int) -> object:
        """Return the path of the column of the first text in an element."""
        if node not in self._first_paths:
            path: object = None
            for text in self.page.text_nodes(node)[:_MAX_SEARCHED_TEXTS]:
                number = self.column_at.get(self.page.text_parents[text])
                if number is not None:
                    path = self.columns[number].path
                    break
            self._first_paths[node] = path
        return self._first_paths[node]

    def _name_element(self, node: int) -> str:
        """Return the name of an element, without words of the record such as "product"."""
        name = self._element_names.get(node)
        if name is None:
            name = _TITLE if self.page.tree.labels[node] in _HEADING_TAGS else ""
            classes, id_, _ = self.page.identifiers[node]
            for word in [*(classes or "").split(), *([id_] if id_ else [])]:
                parts = name_from_class(word).split("_")
                class_name = "_".join([part for part in parts if part not in self._record_words])
                if class_name:
                    name = class_name
                    break
            self._element_names[node] = name
        return name

    @cached_property
    def _record_words(self) -> set[str]:
        """The words of the classes that all records have."""
        classes = [set((self.page.identifiers[root][0] or "").split()) for root in self._roots]
        if not classes:
            return set()
        shared = set.intersection(*classes)
        return {word for name in shared for word in name_from_class(name).split("_")}

    @cached_property
    def jsonld_keys(self) -> Mapping[str, Iterable[str]]:
        """For every text in the page's JSON-LD its keys."""
        return read_jsonld_keys(self.page)


# ---- strategies ----------------------------------------------------------------------------------


def name_by_header(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the text of the header cells above most cells of an HTML table."""
    page = evidence.page
    if not page.table_grid.headers:
        return None
    # A cell that spans columns has the header of the first of them.
    spanning, ancestors = page.table_grid.widths.keys(), evidence.iterate_ancestors
    single = [item for item in column.cells if spanning.isdisjoint(ancestors(item.node))]
    names: list[str] = []
    for item in (single or column.cells)[: _RULES.max_sample_cells]:
        headers = dict.fromkeys(evidence.find_headers(item.node))
        texts = [page.text(header) for header in headers if page.count_texts(header)]
        # Headers above each other are one name, without the upper ones if that is too long.
        names.append(
            _make_short_name(" ".join(texts)) or (_make_short_name(texts[-1]) if texts else "")
        )
    return _choose_most_common(names)


def name_by_label(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the constant text before the value, in the same cell or in the column before."""
    prefix = column.format.prefix
    if prefix and column.format.strip_affixes(column.cells[0].value):
        word = make_name(prefix.split()[0])
        is_introduction = word in _INTRODUCING_WORDS
        if (is_introduction or _has_colon(prefix)) and _has_one_value(column, is_introduction):
            return _INTRODUCING_WORDS.get(word, _make_short_name(prefix))
    previous = evidence.previous_texts.get(column.number, -1)
    if previous not in evidence.label_columns:
        return None
    label = evidence.columns[previous].cells[0].value
    return _INTRODUCING_WORDS.get(make_name(label), _make_short_name(label))


def _has_one_value(column: ColumnEvidence, is_introduction: bool) -> bool:
    """Tell whether each text has one value after its label; one of several labels is not a name."""
    for item in column.sample:
        words = column.format.strip_affixes(item.value).split()
        if any(map(_has_colon, words)):
            return False
        if is_introduction and len(words) > _RULES.max_words_after_introduction:
            return False
    return True


def name_by_structured_data(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the microdata property around most of the texts, else their JSON-LD key."""
    identifiers = evidence.page.identifiers
    properties: list[str] = []
    for item in column.sample:
        around = (identifiers[node][2] for node in evidence.iterate_ancestors(item.node))
        properties.append(next(filter(None, around), ""))
    name = _choose_most_common(properties)
    if not name:
        name = find_jsonld_key(evidence.jsonld_keys, [item.value for item in column.sample])
    return _make_short_name(name)


def name_by_known_element(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the class, id or tag around most of the texts, if the vocabulary has a word of it."""
    name = evidence.element_names[column.number]
    return _mark_price(_make_short_name(name), column) if find_concepts(name) else None


def name_by_heading(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return ``title`` for the heading of the records, or for the text of their main link."""
    return _TITLE if column.number == evidence.title_column else None


def name_by_element(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the class, id or tag around most of the texts, unless it is that of different things.

    These are columns of other types.
    """
    name = evidence.element_names[column.number]
    types = {
        evidence.columns[number].format.suggested_type
        for number, other in evidence.element_names.items()
        if other == name
    }
    return _mark_price(_make_short_name(name), column) if len(types) == 1 else None


def name_by_affix(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the text before or after every number, price or date: "Lot 11", "86 comments"."""
    if column.format.suggested_type == Type.STRING:
        return None
    if make_name(column.format.suffix).endswith("_ago"):
        return _TYPE_NAMES["datetime"]
    return _mark_price(
        _make_short_name(column.format.prefix) or _make_short_name(column.format.suffix), column
    )


def name_by_type(evidence: NamingEvidence, column: ColumnEvidence) -> str | None:
    """Return the name of the type of a number, price, date or URL; also "position" and "year"."""
    suggested = column.format.suggested_type
    if suggested == Type.STRING:
        is_url = all(item.value.startswith(_SCHEMES) for item in column.sample)
        return str(Type.URL) if is_url else None
    if column.format.type == Type.INTEGER:
        values = [column.format.parse(item.value) for item in column.cells]
        if values == list(range(1, len(values) + 1)):
            return "position"
        if all(value in _YEARS for value in values):
            return "year"
    return str(_TYPE_NAMES.get(suggested, suggested))


TextStrategy = Callable[[NamingEvidence, ColumnEvidence], str | None]

TEXT_STRATEGIES: tuple[TextStrategy, ...] = (
    name_by_header,
    name_by_label,
    name_by_structured_data,
    name_by_known_element,
    name_by_heading,
    name_by_element,
    name_by_affix,
    name_by_type,
)
"""The strategies for the name of a text column, in the order in which they are tried."""


def _name_link_or_image(
    evidence: NamingEvidence, column: ColumnEvidence, names: Mapping[int, str]
) -> str:
    """Return the name of a column of images or links; links are named after the text in them."""
    if column.kind == IMAGE:
        return IMAGE
    texts: list[str] = []
    for item in column.sample:
        nodes = range(item.node, evidence.page.tree.ends[item.node])
        inside = (names.get(evidence.column_at.get(node, -1)) for node in nodes)
        texts.append(next(filter(None, inside), ""))
    name = _choose_most_common(texts)
    return f"{name}_{LINK}" if name else LINK


# ---- JSON-LD -------------------------------------------------------------------------------------


def read_jsonld_keys(page: Page) -> dict[str, dict[str, None]]:
    """Return for every text and number in the page's JSON-LD its keys, in document order."""
    keys_of: dict[str, dict[str, None]] = {}
    waiting: list[tuple[str, Any]] = [
        ("", value) for value in reversed(page.metadata.jsonld_objects)
    ]
    for _ in range(_MAX_JSONLD_VALUES):
        if not waiting:
            break
        key, value = waiting.pop()
        if isinstance(value, dict):
            members = [(str(name), member) for name, member in value.items()]
            waiting.extend(member for member in reversed(members) if not member[0].startswith("@"))
        elif isinstance(value, list):
            waiting.extend((key, member) for member in reversed(value))
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and key:
            text = " ".join(str(value)[:_MAX_JSONLD_TEXT].split())
            keys_of.setdefault(text, {})[key] = None
    return keys_of


def find_jsonld_key(keys_of: Mapping[str, Iterable[str]], texts: Sequence[str]) -> str:
    """Return the JSON-LD key that most of these texts have, the first of several, or ""."""
    counts = Counter([key for text in texts for key in keys_of.get(text, ())])
    key, count = counts.most_common(1)[0] if counts else ("", 0)
    min_count = max(_RULES.min_jsonld_texts, _RULES.min_jsonld_share * len(texts))
    return key if count >= min_count else ""


# ---- helpers -------------------------------------------------------------------------------------


def _mark_price(name: str, column: ColumnEvidence) -> str:
    """Return the name, with "price" for prices: "now" and "was" are not names of columns."""
    is_price = column.format.suggested_type == Type.PRICE
    return f"{name}_{Type.PRICE}" if name and is_price and Type.PRICE not in name else name


def _has_colon(text: str) -> bool:
    return text.endswith((":", "："))


def _choose_most_common(names: Iterable[str]) -> str:
    """Return the name that most of these are; empty if they do not agree."""
    counts = Counter(names)
    name, count = counts.most_common(1)[0] if counts else ("", 0)
    return name if count >= _RULES.min_agreement * counts.total() else ""


def _make_short_name(text: str) -> str:
    """Return a text as a name; empty if it is too long for one."""
    return make_name(text) if len(text) <= _RULES.max_name_length else ""
