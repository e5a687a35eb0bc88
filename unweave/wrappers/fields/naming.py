"""Names of fields, by a list of strategies: header, title, prefix, label, property, class, type.

A text before a value is a label only if the model says so: a menu entry or a button may stand there
on all pages, too. A general name such as ``text`` is better than a wrong one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from unweave.names import UniqueNames
from unweave.page.page import Page
from unweave.page.template_paths import TemplatePaths
from unweave.text_cleaning import normalize_label
from unweave.values.vocabulary import find_concepts, split_words
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.evidence import (
    FieldEvidence,
    FieldFeatures,
    TextLook,
    describe_look,
    find_near_names,
)
from unweave.wrappers.fields.locators import LocatedBy, Locator
from unweave.wrappers.fields.models import FieldModels

_IDENTIFIER = re.compile(r"[.#@][^.#@]+")
_MAX_EXAMPLES = 3
_MAX_EXAMPLE_LENGTH = 100

# A field is named by its label if it has the same one on this share of the pages.
_SAME_LABEL_SHARE = 0.8
# A field that is so many times as likely wanted as others of its name needs no heading in its name.
_MIN_MAIN_RATIO = 2.0
# A field has a type in its name if this share of its values has it.
_MIN_TYPE_SHARE = 0.7
# So many texts of a column of rows are looked at.
_MAX_NAMED_CELLS = 20

# A price after a text that says only this is no value of it.
_BEFORE_PRICES = frozenset(["availability"])

_NAMES_OF_TAGS = {
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "title": "page_title",
    "p": "text",
    "a": "link",
    "li": "item",
    "td": "cell",
}


def find_identifier(step: str) -> str:
    """Return the property, the id or the first class of a step; empty if it has none."""
    identifiers: list[str] = _IDENTIFIER.findall(step)
    return min(identifiers, key=lambda text: "@#.".index(text[0]))[1:] if identifiers else ""


def choose_examples(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the first few different texts, cut to a length."""
    shortened = dict.fromkeys(text[:_MAX_EXAMPLE_LENGTH] for text in texts)
    return tuple(islice(shortened, _MAX_EXAMPLES))


def find_most_common(texts: Counter[str], min_share: float) -> str:
    """Return the most common text; empty if its share of the texts is smaller."""
    text, count = texts.most_common(1)[0] if texts else ("", 0)
    return text if count >= min_share * texts.total() else ""


def name_row_column(cells: Iterable[tuple[Page, int, int]]) -> str:
    """Return a name for a column of rows, by the elements around its texts and their types.

    Args:
        cells: Pages with a text node of the column each, and the node of its row.
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    looks: list[TextLook] = []
    tags: Counter[str] = Counter()
    for page, row, text_node in islice(cells, _MAX_NAMED_CELLS):
        parent = page.text_parents[text_node]
        near, _ = find_near_names(page, parent, row)
        for source, name in near.items():
            found[source][name] += 1
        looks.append(describe_look(page.texts[text_node]))
        tags[_NAMES_OF_TAGS.get(page.tree.labels[parent], "text")] += 1
    shares = [sum(column) / len(looks) for column in zip(*looks, strict=True)]

    def find(source: str) -> str:
        name = find_most_common(found[source], _SAME_LABEL_SHARE)
        return name if found[source].total() >= _SAME_LABEL_SHARE * len(looks) else ""

    type_name, known = _choose_type_name(TextLook._make(shares)), find("class concept")
    if type_name not in split_words(known):  # a class that says no more than the type
        known = type_name or known
    return find("property") or known or find("class") or tags.most_common(1)[0][0]


def name_by_title(field: NamedField) -> str:
    """Return ``title`` for the field that agrees best with the title of the page."""
    return "title" if field.is_title else ""


def name_by_header(field: NamedField) -> str:
    """Return the header of the column of a table."""
    if field.locator.by is not LocatedBy.COLUMN:
        return ""
    # The label has the header in the singular, but all of it.
    header = field.locator.label
    return field.label if normalize_label(field.label) == header else header


def name_by_prefix(field: NamedField) -> str:
    """Return the label that the texts of the field start with, as in "Height: 6-10"."""
    return field.evidence.names.get("prefix", "")


def name_by_label(field: NamedField) -> str:
    """Return the label beside the value, unless a class or the type of the value says more.

    They say more than a label without a word of the vocabulary, than a heading, which may be above
    several values, than a link, and than the label of a value before. A price is no availability.
    """
    features = field.evidence.features
    if not field.has_label:
        return ""
    if not field.is_row and name_by_type(field) == "price":
        concepts = find_concepts(field.label)
        if concepts and concepts <= _BEFORE_PRICES:
            return "price"
    is_heading = field.is_label_shared and field.label == field.evidence.names.get("section")
    is_shared = features.number > 0 or is_heading or features.label_link > 0.5
    specific = name_by_type(field) if is_shared else ""
    is_weak = is_heading or features.label_link > 0.5 or not features.label_concept
    if not specific and not field.is_row and is_weak and features.class_concept > 0.5:
        known = name_by_known_class(field)
        specific = "" if known in make_field_name(field.label) else known
    return specific or field.label


def name_by_property(field: NamedField) -> str:
    """Return the ``itemprop`` or ``property`` of an element around the value."""
    return field.evidence.names.get("property", "")


def name_by_known_class(field: NamedField) -> str:
    """Return a class or id near the value that has a word of the vocabulary.

    A class that is another word for the type is replaced by the name of the type: an ``amount``
    whose values are prices is a ``price``.
    """
    name = field.evidence.names.get("class concept", "")
    type_name = name_by_type(field)
    is_synonym = type_name in find_concepts(name) and type_name not in split_words(name)
    return type_name if is_synonym else name


def name_by_metadata(field: NamedField) -> str:
    """Return the key in JSON-LD or Open Graph whose value is that of the field."""
    return field.evidence.names.get("metadata", "")


def name_by_type(field: NamedField) -> str:
    """Return a name for values that only one kind of field has."""
    return _choose_type_name(field.evidence.features)


def name_by_class(field: NamedField) -> str:
    """Return any other class or id near the value that does not describe its presentation."""
    return field.evidence.names.get("class", "")


def _choose_type_name(look: TextLook | FieldFeatures) -> str:
    shares = {
        "price": look.is_price,
        "email": look.is_email,
        "isbn": look.is_isbn,
        "phone": look.is_phone,
        "date": look.is_date,
        "website": look.is_url,
    }
    return next((name for name, share in shares.items() if share >= _MIN_TYPE_SHARE), "")


STRATEGIES: tuple[Callable[[NamedField], str], ...] = (
    name_by_header,
    name_by_title,
    name_by_prefix,
    name_by_label,
    name_by_property,
    name_by_metadata,
    name_by_known_class,
    name_by_type,
    name_by_class,
)
"""How a field gets its name: the first of these that gives one, else the tag of its element."""


@dataclass(frozen=True)
class NamedField:
    """A field that is to be named."""

    locator: Locator
    evidence: FieldEvidence
    label: str
    """The usual text before it."""
    has_label: bool
    """Whether this text is a label."""
    is_title: bool = False
    is_label_shared: bool = False
    """Whether other fields have the same label."""

    @property
    def is_row(self) -> bool:
        """Whether label and value are a row, as in tables and description lists."""
        features = self.evidence.features
        return features.label_colon > 0.5 or features.label_row > 0.5


def join_names(first: str, second: str) -> str:
    """Return two names as one, as "reviews_author" of "reviews" and "review_author".

    The first words of the second that the first has too are left out.
    """
    words, known = second.split("_"), first.split("_")
    while len(words) > 1 and any(word.startswith(words[0]) for word in known):
        del words[0]
    return "_".join([first, *words])


class FieldNames:
    """Gives every field of a wrapper a unique name."""

    def __init__(
        self, labels: Mapping[Locator, Counter[str]], paths: TemplatePaths, models: FieldModels
    ) -> None:
        self._labels = labels
        self._parents = paths.parents
        self._names = UniqueNames()
        self._models = models

    def add(self, name: str) -> str:
        """Return the name, with a number if a field has it."""
        return self._names.add(name)

    def add_fields(
        self, described: Sequence[tuple[Locator, FieldEvidence]], title: int | None
    ) -> list[str]:
        """Return new names for fields, of which one may be the title.

        The fields are in the order in which they are wanted. Those that would have the same name
        are told apart by the headings above them, or by their types and classes.
        """
        fields = [
            self._describe(locator, evidence, is_title=number == title)
            for number, (locator, evidence) in enumerate(described)
        ]
        labels = Counter(field.label for field in fields)
        fields = [replace(each, is_label_shared=labels[each.label] > 1) for each in fields]
        names = list(map(self._choose_name, fields))
        numbers_by_name: defaultdict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(names):
            if number != title:
                numbers_by_name[name].append(number)
        for name, numbers in numbers_by_name.items():
            if len(numbers) > 1:
                group = [fields[number] for number in numbers]
                different = self._tell_apart(name, group)
                for number, other in zip(numbers, different, strict=True):
                    names[number] = make_field_name(other)
        return list(map(self.add, names))

    def _tell_apart(self, name: str, fields: Sequence[NamedField]) -> list[str]:
        """Return names for fields that would have the same one.

        If the headings above them differ, they are in front of the name; but the first field has
        none if it is much more likely wanted than the second. Else a label of several values is
        replaced by what the type or the class of each says.
        """
        sections = [field.evidence.names.get("section", "") for field in fields]
        if len(set(sections)) > 1:
            odds = [self._models.compute_probability(field.evidence) for field in fields[:2]]
            is_main = odds[0] > _MIN_MAIN_RATIO * odds[1]
            return [
                make_field_name(f"{section} {name}")
                if section and (number or not is_main)
                else name
                for number, section in enumerate(sections)
            ]
        different: list[str] = []
        for field in fields:
            is_from_label = field.has_label and make_field_name(field.label) == name
            specific = ""
            if is_from_label and not field.is_row:  # the label of a row is of one value
                specific = name_by_type(field)
                known = name_by_known_class(field)
                if not specific and known and known not in name:  # no score called metascore
                    specific = join_names(name, known)
            different.append(make_field_name(specific) if specific else name)
        return different

    def _describe(self, locator: Locator, evidence: FieldEvidence, *, is_title: bool) -> NamedField:
        label = find_most_common(self._labels.get(locator, Counter()), _SAME_LABEL_SHARE)
        # The text before the value is a label if the class of the value is a part of its last word,
        # as "score" is of "Metascore".
        known = evidence.names.get("class concept", "")
        last_word = make_field_name(label).rpartition("_")[2]
        is_confirmed = known in last_word.removeprefix(known) if known else False
        has_label = is_confirmed or self._models.is_label(evidence)
        return NamedField(locator, evidence, label or locator.label, has_label, is_title)

    def _choose_name(self, field: NamedField) -> str:
        """Return a name for a field, by the first of the strategies that has one."""
        path = field.locator.path
        step = self._parents[path][1] if path >= 0 else ""
        if step == "title":
            return _NAMES_OF_TAGS["title"]
        names = filter(None, (strategy(field) for strategy in STRATEGIES))
        tag = _IDENTIFIER.sub("", step)
        return make_field_name(next(names, "") or _NAMES_OF_TAGS.get(tag, "text"))

    def name_path(self, path: int) -> str:
        """Return the nearest property, id or class of a template path, or a name for its tag."""
        last_step = ""
        while path >= 0:
            path, step = self._parents[path]
            last_step = last_step or step
            if step in ("h1", "title"):
                return "title" if step == "h1" else _NAMES_OF_TAGS[step]
            if identifier := find_identifier(step):
                return identifier
        return _NAMES_OF_TAGS.get(last_step, last_step)
