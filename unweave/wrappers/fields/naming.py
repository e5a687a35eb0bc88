"""Names of fields, by a list of strategies: header, title, label, property, class, type.

A text before a value is a label only if the model says so: a menu entry or a button may stand there
on all pages, too. A general name such as ``text`` is better than a wrong one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from unweave.names import UniqueNames
from unweave.page.template_paths import TemplatePaths
from unweave.text_cleaning import normalize_label
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.evidence import FieldEvidence
from unweave.wrappers.fields.locators import LocatedBy, Locator
from unweave.wrappers.fields.models import FieldModels

_IDENTIFIER = re.compile(r"[.#@][^.#@]+")
_MAX_EXAMPLES = 3
_MAX_EXAMPLE_LENGTH = 100

# A field is named by its label if it has the same one on this share of the pages.
_SAME_LABEL_SHARE = 0.8
# A field has a type in its name if this share of its values has it.
_MIN_TYPE_SHARE = 0.7

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


def name_by_label(field: NamedField) -> str:
    """Return the label beside the value, unless a class or the type of a later value says more."""
    features = field.evidence.features
    if not field.has_label:
        return ""
    is_row = features.label_colon > 0.5 or features.label_row > 0.5
    if not is_row and not features.label_concept and features.class_concept > 0.5:
        return name_by_known_class(field)
    return (name_by_type(field) if features.number else "") or field.label


def name_by_property(field: NamedField) -> str:
    """Return the ``itemprop`` or ``property`` of an element around the value."""
    return field.evidence.names.get("property", "")


def name_by_known_class(field: NamedField) -> str:
    """Return a class or id near the value that has a word of the vocabulary."""
    return field.evidence.names.get("class concept", "")


def name_by_metadata(field: NamedField) -> str:
    """Return the key in JSON-LD or Open Graph whose value is that of the field."""
    return field.evidence.names.get("metadata", "")


def name_by_type(field: NamedField) -> str:
    """Return a name for values that only one kind of field has."""
    features = field.evidence.features
    shares = {
        "price": features.is_price,
        "email": features.is_email,
        "isbn": features.is_isbn,
        "phone": features.is_phone,
        "date": features.is_date,
        "website": features.is_url,
    }
    return next((name for name, share in shares.items() if share >= _MIN_TYPE_SHARE), "")


def name_by_class(field: NamedField) -> str:
    """Return any other class or id near the value that does not describe its presentation."""
    return field.evidence.names.get("class", "")


STRATEGIES: tuple[Callable[[NamedField], str], ...] = (
    name_by_header,
    name_by_title,
    name_by_label,
    name_by_property,
    name_by_known_class,
    name_by_metadata,
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

    def add_field(self, locator: Locator, evidence: FieldEvidence, *, is_title: bool) -> str:
        """Return a new name for a field, by the first of the strategies that has one."""
        path = locator.path
        step = self._parents[path][1] if path >= 0 else ""
        if step == "title":
            return self.add(_NAMES_OF_TAGS["title"])
        label = find_most_common(self._labels.get(locator, Counter()), _SAME_LABEL_SHARE)
        field = NamedField(
            locator,
            evidence,
            label or locator.label,
            has_label=self._models.is_label(evidence),
            is_title=is_title,
        )
        names = filter(None, (strategy(field) for strategy in STRATEGIES))
        tag = _IDENTIFIER.sub("", step)
        return self.add(make_field_name(next(names, "") or _NAMES_OF_TAGS.get(tag, "text")))

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
