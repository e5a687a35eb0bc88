"""Names of fields: their label, the header of their column, or the class or id of their element."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice

from unweave.names import UniqueNames
from unweave.page.template_paths import TemplatePaths
from unweave.wrappers.base import make_field_name
from unweave.wrappers.fields.locators import LocatedBy, Locator

_IDENTIFIER = re.compile(r"[.#@][^.#@]+")
_MAX_EXAMPLES = 3
_MAX_EXAMPLE_LENGTH = 100

# A field is named by its label if it has the same one on this share of the pages.
_SAME_LABEL_SHARE = 0.8

_NAMES_OF_TAGS = {
    "h1": "title",
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


class FieldNames:
    """Gives every field of a wrapper a unique name."""

    def __init__(self, labels: Mapping[Locator, Counter[str]], paths: TemplatePaths) -> None:
        self._labels = labels
        self._parents = paths.parents
        self._names = UniqueNames()

    def add(self, name: str) -> str:
        """Return the name, with a number if a field has it."""
        return self._names.add(name)

    def add_field(self, locator: Locator) -> str:
        """Return a new name for a field: its usual label, or else the name of its path."""
        path = locator.path
        is_path = locator.by is LocatedBy.PATH and path >= 0
        if is_path and _IDENTIFIER.sub("", self._parents[path][1]) == "h1":
            return self.add(_NAMES_OF_TAGS["h1"])
        label = find_most_common(self._labels.get(locator, Counter()), _SAME_LABEL_SHARE)
        return self.add(make_field_name(label or locator.label or self.name_path(path)))

    def name_path(self, path: int) -> str:
        """Return the nearest property, id or class of a template path, or a name for its tag."""
        last_step = ""
        while path >= 0:
            path, step = self._parents[path]
            last_step = last_step or step
            if step in ("h1", "title"):
                return _NAMES_OF_TAGS[step]
            if identifier := find_identifier(step):
                return identifier
        return _NAMES_OF_TAGS.get(last_step, last_step)
