"""What is known about a field when it is learned: the features by which it is named and ranked."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from unweave.page.html_tables import find_label_nodes
from unweave.page.page import Page
from unweave.page.parse import Identifiers
from unweave.text_cleaning import find_prefix
from unweave.values.naming import name_from_class
from unweave.values.parsing import detect_type
from unweave.values.types import NUMERIC, TEMPORAL, Type
from unweave.values.vocabulary import find_concepts, split_words

MAX_JSONLD_DEPTH = 4
MAX_JSONLD_VALUES = 2_000
_MAX_COMPARED_PAGES = 20
_MAX_LATER_PAGES = 4  # of a field that none of these pages has
_MAX_COMPARED_TEXTS = 60
_MIN_TITLE_LENGTH = 2  # characters of a value that is looked for in titles
_LONG_TEXT = 200  # characters
_NEAR_STEPS = 3  # elements around a text whose classes, ids and properties say what it is
_MAX_NEAR_NAMES = 10
_BOILERPLATE_TAGS = frozenset("nav header footer aside select form button".split())
_BOILERPLATE_WORDS = frozenset(
    "nav navigation menu footer foot sidebar breadcrumb breadcrumbs crumb related similar"
    " recommend recommended recommendation also ad ads advert promo banner share social toolbar"
    " login newsletter comment tabs tab links bookmark popular".split()
)
_MICROFORMATS = {
    "adr": "address",
    "bday": "birth_date",
    "dtstart": "start",
    "dtend": "end",
    "fn": "name",
    "org": "organization",
    "tel": "phone",
    "street-address": "street_address",
    "postal-code": "postal_code",
}
"""The classes of hCard, hCalendar and hReview that do not speak for themselves."""
_CLICKABLE_TAGS = frozenset("a button input option summary".split())
_HEADINGS = ("h1", "h2", "h3")
_SECTION_HEADINGS = frozenset("h2 h3 h4 h5 h6 caption legend".split())
_MAX_SECTION_LENGTH = 40  # characters; longer headings are sentences
_TITLE_CONCEPTS = frozenset(("title", "name"))
_TITLE_SEPARATOR = re.compile(r"\s+[-–—|/·»>:]+\s+|[:,|]\s+")
_MIN_SAME_SHARE = 0.8  # of the pages, for what is the same text on all of them
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_URL = re.compile(
    r"(https?://|www\.)\S+|[\w-]+(\.[\w-]+)*\.(com|org|net|edu|gov|info|[a-z]{2})(/\S*)?"
)
_PHONE = re.compile(r"\+?[\d()\s./-]{7,20}(\s*(x|ext\.?)\s*\d+)?", re.I)


class TextLook(NamedTuple):
    """What a value looks like; each is 1 or 0 for a text, and a share for a field."""

    is_number: float
    is_price: float
    is_date: float
    is_email: float
    is_url: float
    is_phone: float
    is_isbn: float
    has_digit: float


def describe_look(text: str) -> TextLook:
    """Return what a value looks like."""
    type_ = detect_type(text)
    stripped = text.strip()
    is_isbn = _is_isbn(stripped)
    return TextLook(
        type_ in NUMERIC and type_ != Type.PRICE,
        type_ == Type.PRICE,
        type_ in TEMPORAL,
        _EMAIL.fullmatch(stripped) is not None,
        _URL.fullmatch(stripped.casefold()) is not None,
        _is_phone(stripped) and type_ not in TEMPORAL and not is_isbn,
        is_isbn,
        any(map(str.isdigit, text)),
    )


def _is_phone(text: str) -> bool:
    return 7 <= sum(map(str.isdigit, text)) <= 15 and _PHONE.fullmatch(text) is not None


def _is_isbn(text: str) -> bool:
    """Tell whether a text is an ISBN, by its check digit."""
    digits = text.replace("-", "").replace(" ", "").upper()
    if len(digits) == 13 and digits.isdecimal() and digits.startswith(("978", "979")):
        return sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10 == 0
    if len(digits) == 10 and digits[:9].isdecimal() and digits[9] in "0123456789X":
        values = [*map(int, digits[:9]), 10 if digits[9] == "X" else int(digits[9])]
        return sum((10 - place) * value for place, value in enumerate(values)) % 11 == 0
    return False


class FieldFeatures(NamedTuple):
    """The features of a field, for the models that choose its name and its rank."""

    share: float
    """The share of the pages that have it."""
    is_list: float
    text_count: float
    """The logarithm of the mean number of texts on a page."""
    is_labelled: float
    is_column: float
    is_joined: float
    number: float
    """Which text of its locator it is, from 0; at most 5."""
    variety: float
    """The share of the values that differ."""
    is_unique: float
    """No two pages have the same."""
    is_constant: float
    length: float
    """The logarithm of the mean number of characters."""
    is_long: float
    is_number: float
    is_price: float
    is_date: float
    is_email: float
    is_url: float
    is_phone: float
    is_isbn: float
    has_digit: float
    label_colon: float
    label_row: float
    """The label is the header of a row, or the term of a description list."""
    label_link: float
    """The label is a link or a button."""
    label_heading: float
    label_distance: float
    """The logarithm of the number of text nodes from the label to the value."""
    label_steps: float
    """The logarithm of the elements of the smallest part of the page with label and value."""
    label_siblings: float
    """The logarithm of the number of labels at the template path of the label."""
    label_boilerplate: float
    label_concept: float
    """The label has a word of the vocabulary."""
    class_concept: float
    """A class, an id or a property near the value has a word of the vocabulary."""
    has_property: float
    heading1: float
    heading: float
    in_title: float
    """The share of the values that the title of their page has."""
    title_share: float
    """How much the value and what is special in the title of its page have in common."""
    starts_title: float
    """The share of the values that have the first special word of the title of their page."""
    title_start: float
    """How much they have in common if they have the first special word in common."""
    in_metadata: float
    is_title_key: float
    """The metadata of the page calls the value its title or name."""
    class_title: float
    """A class, an id or a property near the value says title or name."""
    in_boilerplate: float
    in_head: float
    in_link: float
    position: float
    """How far down the page the value is, from 0 to 1."""
    after_heading: float
    """The logarithm of the number of text nodes from the main heading to the value."""
    before_heading: float
    repeated: float
    """The share of the pages that have the same text elsewhere."""
    label_other: float
    """The label has words of the vocabulary, but neither title nor name."""
    class_other: float
    """The same for a class, an id or a property near the value."""
    first_part_share: float
    """How much the value and the first special part of the title of its page have in common."""


@dataclass(frozen=True)
class FieldOccurrences:
    """A field on the pages that it was learned from."""

    texts: Mapping[int, Sequence[str]]
    """Its texts, by the number of the page."""
    text_nodes: Mapping[int, Sequence[range]]
    """Its text nodes, by the number of the page; a range for each text."""
    labels: Mapping[int, int]
    """The text node of its label, by the number of the page."""
    number: int | None
    is_column: bool
    is_joined: bool
    siblings: int
    """The number of labels at the template path of its label."""
    cells: Mapping[int, int]
    """The number of the table cell around it, by the number of the page; 0 outside of cells."""
    has_own_label: bool
    """Whether it is located by a label that is before no other text of the field."""
    has_own_element: bool
    """Whether the element of its first text has no other text, on most pages."""
    is_one_element: bool
    """Whether its texts are divided by line breaks only, on most pages."""
    text_label: str = ""
    """The label inside of the texts that its values are cut from."""


class FieldEvidence(NamedTuple):
    """What is known of a field."""

    features: FieldFeatures
    names: Mapping[str, str]
    """Names by where they are from: ``label``, ``prefix`` for a label inside the text,
    ``metadata``, ``property`` and ``class`` of elements near the value, the nearest of the last two
    with a word of the vocabulary, as ``property concept`` and ``class concept``, and ``section``
    for the heading above.
    """


class EvidenceCollector:
    """Describes fields by the pages that they were learned from."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        compared = range(min(_MAX_COMPARED_PAGES, len(pages)))
        self._views = {number: _PageView(pages[number]) for number in compared}
        # Words that most titles have, such as the name of the site, say nothing of a page.
        counts = Counter(word for view in self._views.values() for word in set(view.title_words))
        max_pages = max(1, len(self._views) // 2)
        self._common_words = {word for word, count in counts.items() if count > max_pages}

    def describe(self, field: FieldOccurrences) -> FieldEvidence:
        """Return the features of a field, and the names that the page has for it."""
        numbers = [number for number in field.texts if number < _MAX_COMPARED_PAGES]
        numbers = numbers or sorted(field.texts)[:_MAX_LATER_PAGES]
        rows = [self._describe_on_page(number, field) for number in numbers]
        texts = [text for values in field.texts.values() for text in values]
        firsts = [values[0] for values in field.texts.values() if values]
        means = [sum(column) / len(rows) for column in zip(*[row[0] for row in rows], strict=True)]
        looks = list(map(describe_look, texts[:_MAX_COMPARED_TEXTS]))
        look = [sum(column) / len(looks) for column in zip(*looks, strict=True)]
        names: dict[str, Counter[str]] = {}
        for _, found in rows:
            for source, name in found.items():
                names.setdefault(source, Counter())[name] += 1
        for source in ("prefix", "section"):
            counts = names.get(source, Counter())
            if counts and counts.most_common(1)[0][1] < max(2, _MIN_SAME_SHARE * len(rows)):
                del names[source]
        distinct = len(set(firsts))
        mean_length = sum(map(len, texts)) / len(texts)
        own = (
            len(field.texts) / len(self._pages),
            field.number is None and len(texts) > len(firsts),
            math.log(len(texts) / len(firsts)),
            bool(field.labels or field.text_label),
            field.is_column,
            field.is_joined,
            min(5, field.number or 0),
            distinct / len(firsts),
            distinct == len(firsts),
            distinct == 1,
            math.log1p(mean_length),
            mean_length > _LONG_TEXT,
            *look,
        )
        is_labelled = field.labels or field.text_label
        label_siblings = math.log1p(field.siblings) if is_labelled else 0.0
        features = FieldFeatures._make([*map(float, own), *means[:6], label_siblings, *means[6:]])
        return FieldEvidence(
            features, {source: counts.most_common(1)[0][0] for source, counts in names.items()}
        )

    def _describe_on_page(
        self, number: int, field: FieldOccurrences
    ) -> tuple[tuple[float, ...], dict[str, str]]:
        """Return the features from ``label_colon`` on, and names, by one page."""
        if number not in self._views:
            self._views[number] = _PageView(self._pages[number])
        view = self._views[number]
        page = view.page
        text_nodes = field.text_nodes[number][0]
        text_node = text_nodes.start
        node = page.text_parents[text_node]
        text = field.texts[number][0]
        names: dict[str, str] = {}
        label = field.labels.get(number, -1)
        if label >= 0:
            names["label"] = page.texts[label]
        if prefix := field.text_label or find_prefix(text, with_dash=label < 0):
            names["prefix"] = prefix
        if section := view.sections[text_node]:
            names["section"] = section
        label_concepts = find_concepts(field.text_label or names.get("label", ""))
        label_features: tuple[float, ...] = (0.0,) * 8
        if label >= 0:
            label_features = view.describe_label(label, text_node)
        elif field.text_label:  # as "Height:" in an element before the value
            is_boilerplate = view.is_boilerplate[node]
            label_features = (1, 0, 0, 0, 0, math.log(2), is_boilerplate, bool(label_concepts))
        near, concepts = find_near_names(page, node)
        names |= near
        keys = view.metadata_keys.get(fold_text(text), ())
        if keys:
            names["metadata"] = keys[0]
        folded = fold_text(text)
        is_long_enough = len(folded) >= _MIN_TITLE_LENGTH
        in_title = is_long_enough and folded in view.folded_title
        special = [word for word in view.title_words if word not in self._common_words]
        words = set(split_words(folded))
        shared = sum(word in words for word in special)
        title_share = 2 * shared / (len(special) + len(words)) if shared else 0.0
        starts_title = bool(special) and special[0] in words
        parts = ([w for w in part if w not in self._common_words] for part in view.title_parts)
        first_part = next(filter(None, parts), [])
        first_shared = sum(word in words for word in first_part)
        headings = view.headings[node]
        distance = text_node - view.main_heading
        return (
            *label_features[:6],
            *label_features[6:],
            bool(concepts),
            "property" in names,
            headings == "h1",
            headings in ("h2", "h3"),
            in_title,
            title_share,
            starts_title,
            title_share * starts_title,
            bool(keys),
            any(find_concepts(key) & _TITLE_CONCEPTS for key in keys),
            not concepts.isdisjoint(_TITLE_CONCEPTS),
            view.is_boilerplate[node],
            page.tree.labels[node] == "title",
            view.is_link[node],
            text_node / max(1, len(page.texts)),
            math.log1p(max(0, distance)),
            distance < 0,
            view.text_counts[folded] > 1,
            bool(label_concepts) and label_concepts.isdisjoint(_TITLE_CONCEPTS),
            bool(concepts - _TITLE_CONCEPTS),
            2 * first_shared / (len(first_part) + len(words)) if first_shared else 0.0,
        ), names


class _PageView:
    """A page, with what is asked of it for each field."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.folded_title = fold_text(page.title)
        self.title_parts = [
            split_words(part) for part in _TITLE_SEPARATOR.split(page.title[:200].casefold())
        ]
        self.title_words = [word for part in self.title_parts for word in part]
        self.text_counts = Counter(map(fold_text, page.texts))
        tree = page.tree
        self.is_boilerplate = find_boilerplate(page)
        self.is_link: list[bool] = []
        self.is_clickable: list[bool] = []
        self.headings: list[str] = []
        for label, parent in zip(tree.labels, tree.parents, strict=True):
            above = parent >= 0
            self.is_link.append(label == "a" or (above and self.is_link[parent]))
            self.is_clickable.append(
                label in _CLICKABLE_TAGS or (above and self.is_clickable[parent])
            )
            heading = label if label in _HEADINGS else ""
            self.headings.append(heading or (self.headings[parent] if above else ""))
        # Without a main heading, the first text.
        self.main_heading = next(
            (
                text_node
                for text_node, parent in enumerate(page.text_parents)
                if self.headings[parent] == "h1"
            ),
            0,
        )

    @cached_property
    def sections(self) -> list[str]:
        """The heading above each text; empty below the main heading, and for long ones."""
        page = self.page
        sections: list[str] = []
        section, heading_node = "", -1
        for parent in page.text_parents:
            heading = next(
                (
                    node
                    for node in islice(page.tree.ancestors(parent), _NEAR_STEPS)
                    if page.tree.labels[node] in _SECTION_HEADINGS
                ),
                -1,
            )
            if heading >= 0 and heading != heading_node:
                text = page.text(heading)
                section = text if len(text) <= _MAX_SECTION_LENGTH else ""
                heading_node = heading
            elif self.headings[parent] == "h1":
                section = ""
            sections.append("" if heading >= 0 else section)
        return sections

    @cached_property
    def label_nodes(self) -> list[bool]:
        return find_label_nodes(self.page)

    @cached_property
    def metadata_keys(self) -> dict[str, list[str]]:
        """The keys of metadata by their value."""
        keys: dict[str, list[str]] = {}
        metadata = self.page.metadata
        for name, contents in metadata.meta_contents.items():
            if ":" in name:  # og:title, product:price:amount; others repeat texts of the site
                for content in contents:
                    keys.setdefault(fold_text(content), []).append(name.rsplit(":", 1)[-1])
        for key, value in islice(_iter_values(metadata.jsonld_objects), MAX_JSONLD_VALUES):
            keys.setdefault(fold_text(value), []).append(key)
        return keys

    def describe_label(self, label: int, text_node: int) -> tuple[float, ...]:
        """Return the features of a label, without the number of its siblings."""
        page, tree = self.page, self.page.tree
        label_node, value_node = page.text_parents[label], page.text_parents[text_node]
        text = page.texts[label]
        node = label_node
        while node > 0 and not node <= value_node < tree.ends[node]:
            node = tree.parents[node]
        return (
            text.rstrip().endswith(":"),
            self.label_nodes[label_node],
            self.is_clickable[label_node],
            bool(self.headings[label_node]),
            math.log1p(max(0, text_node - label - 1)),
            math.log1p(tree.ends[node] - node),
            self.is_boilerplate[label_node],
            bool(find_concepts(text)),
        )


def find_near_names(page: Page, node: int, root: int = -1) -> tuple[dict[str, str], frozenset[str]]:
    """Return the names that properties, classes and ids near a text give it, and their concepts.

    The names are the nearest by their source: ``property`` and ``class``, and those that have a
    word of the vocabulary as ``property concept`` and ``class concept``.

    Args:
        page: The page.
        node: The element of the text.
        root: An element around it that does not count, nor does what is around that.
    """
    names: dict[str, str] = {}
    concepts: frozenset[str] = frozenset()
    for source, word in islice(_iter_near_words(page, node, root), _MAX_NEAR_NAMES):
        name = name_from_class(word)
        found = find_concepts(name)
        concepts |= found
        if name:
            names.setdefault(source, name)
        if found:
            names.setdefault(f"{source} concept", name)
    return names, concepts


def _iter_near_words(page: Page, node: int, root: int) -> Iterator[tuple[str, str]]:
    """Yield properties, ids and classes of the elements around a text, the nearest first."""
    for _ in range(_NEAR_STEPS):
        if node == root:
            return
        classes, id_, property_ = page.identifiers[node]
        if property_:
            yield "property", property_
        for word in (classes or "").split():
            if word in _MICROFORMATS:
                yield "property", _MICROFORMATS[word]
        if id_:
            yield "class", id_
        for word in (classes or "").split():
            yield "class", word
        parent = page.tree.parents[node]
        # An element around several texts does not say what one of them is.
        if parent < 0 or page.count_texts(parent) > page.count_texts(node) + 1:
            return
        node = parent


def find_boilerplate(page: Page) -> list[bool]:
    """Return for each node whether it is in a part such as a menu, by tags and names."""
    tree = page.tree
    is_boilerplate: list[bool] = []
    for label, parent, names in zip(tree.labels, tree.parents, page.identifiers, strict=True):
        is_boilerplate.append(
            (parent >= 0 and is_boilerplate[parent])
            or label in _BOILERPLATE_TAGS
            or _is_boilerplate_name(names)
        )
    return is_boilerplate


def fold_text(text: str) -> str:
    """Return a text for comparisons: in lower case, with single spaces."""
    return " ".join(text.casefold().split())


def _iter_values(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of JSON-LD with their keys."""
    if depth > MAX_JSONLD_DEPTH:
        return
    if isinstance(value, dict):
        for name, content in value.items():
            if not name.startswith("@"):
                yield from _iter_values(content, name, depth + 1)
    elif isinstance(value, list):
        for content in value:
            yield from _iter_values(content, key, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and key:
        yield key, str(value)


@lru_cache(maxsize=16_384)
def _is_boilerplate_name(names: Identifiers) -> bool:
    classes, id_, _ = names
    words = split_words(f"{classes or ''} {id_ or ''}")
    return not _BOILERPLATE_WORDS.isdisjoint(words)
