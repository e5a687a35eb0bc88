"""Names of fields: what their label says, or their column, or what the page's author calls the element."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice

from unweave.wrappers.fields import field_name
from unweave.wrappers.places import Places
from unweave.wrappers.roles import By, Role
from unweave.wrappers.slots import Field

_STEP = re.compile(r"[.#@][^.#@]+")
_MOST_EXAMPLES = 3
_LONGEST_EXAMPLE = 100

# A text that stands behind the same label on so many pages is named by it.
_SAME_LABEL = 0.8

# What elements are called that have no other name.
_TAGS = {"h1": "title", "title": "page_title", "p": "text", "a": "link", "li": "item", "td": "cell"}


def word(step: str) -> str:
    """The property, id or class of a step; empty if it has none."""
    words: list[str] = sorted(_STEP.findall(step), key=lambda own: "@#.".index(own[0]))
    return words[0][1:] if words else ""


Key = tuple[Role, int | None]


def named(
    chosen: Mapping[Key, dict[int, tuple[str, ...]]],
    alike: Mapping[Role, tuple[Role, ...]],
    names: Names,
    pages: int,
) -> tuple[Field, ...]:
    """The fields with their names, in the order of their places."""
    fields: list[Field] = []
    for role, number in sorted(chosen, key=_order):
        values = chosen[role, number]
        found = examples(text for _, texts in sorted(values.items()) for text in texts[:1])
        fields.append(Field(names.unique(names.of(role)), alike[role], number, len(values) / pages, found))
    return tuple(fields)


def _order(key: Key) -> tuple[bool, int, int, str, str, int]:
    """By place; joined texts come last, so that the texts that they are joined of have the plain names."""
    role, number = key
    is_joined = role.by is By.JOINED
    return is_joined, role.place, role.label_place, role.label, role.by, -1 if number is None else number


def examples(texts: Iterable[str]) -> tuple[str, ...]:
    """The first few that differ, and not all of a long one."""
    return tuple(islice(dict.fromkeys(text[:_LONGEST_EXAMPLE] for text in texts), _MOST_EXAMPLES))


def usual(said: Counter[str], share: float) -> str:
    """What is said in so many of the cases; nothing if it differs."""
    text, times = said.most_common(1)[0] if said else ("", 0)
    return text if times >= share * said.total() else ""


class Names:
    """What fields are called."""

    def __init__(self, labels: Mapping[Role, Counter[str]], places: Places) -> None:
        self._labels = labels
        self._above = places.above
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        """The name, with a number if it is taken."""
        found = name
        while found in self._taken:
            self._numbers[name] += 1
            found = f"{name}_{self._numbers[name] + 1}"
        self._taken.add(found)
        return found

    def of(self, role: Role) -> str:
        """The label before the role if it is always the same, else what the author calls the place."""
        if role.by is By.PLACE and self._is_title(role.place):
            return _TAGS["h1"]
        label = usual(self._labels.get(role, Counter()), _SAME_LABEL)
        return field_name(label or role.label or self.place(role.place))

    def _is_title(self, place: int) -> bool:
        return place >= 0 and _STEP.sub("", self._above[place][1]) == "h1"

    def place(self, place: int) -> str:
        """The property, id or class nearest to the place; else what its tag is for."""
        first = ""
        while place >= 0:
            place, step = self._above[place]
            first = first or step
            if step in ("h1", "title"):
                return _TAGS[step]
            if own := word(step):
                return own
        return _TAGS.get(first, first)
