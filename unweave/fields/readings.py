"""Readings of columns: the type that the texts of a column have in common, and the value of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unweave.fields.types import Type, type_of
from unweave.fields.values import Value, value_of

STRING = "string"
BOOLEAN = "boolean"

# So many of the texts have the type of their column.
_MOST = 0.8
# So many texts tell a column's type, and so many are enough to say what they have in common.
_ENOUGH = 60
_LEAST = 2

# Types with a special case among the texts are the type of all: whole numbers among numbers, days among moments.
_NAMES = {
    Type.INTEGER: "integer",
    Type.FLOAT: "number",
    Type.PERCENTAGE: "percentage",
    Type.PRICE: "price",
    Type.DATE: "date",
    Type.TIME: "time",
    Type.DATETIME: "datetime",
}
TYPES = frozenset([*_NAMES.values(), BOOLEAN])
"""The types whose texts have a value."""

_WIDER = {Type.INTEGER: Type.FLOAT, Type.DATE: Type.DATETIME}
_YES = frozenset("yes true ja oui si sí sim да はい 是 ✓ ✔ ☑ on".split())
_NO = frozenset("no false nein non não нет いいえ 否 ✗ ✘ ☐ off".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """The type of a column, and what stands before and after every value of it: "by", "Price:", "views"."""

    type: str = STRING
    before: str = ""
    after: str = ""

    def value(self, text: str) -> Value | bool | None:
        """The value that a text shows; None for strings, and where it is unclear."""
        if self.type == BOOLEAN:
            return text.casefold().strip() in _YES
        return value_of(self.bare(text)) if self.type != STRING else None

    def bare(self, text: str) -> str:
        """The text without what stands before and after every value."""
        after = next((own for own in _forms(self.after) if text.casefold().endswith(own.casefold())), "")
        stop = len(text) - len(after)
        return text[len(self.before) if text.startswith(self.before) else 0 : stop].strip()


def reading(texts: Iterable[str]) -> Reading:
    """How the texts of a column are to be read."""
    some = list(dict.fromkeys(texts))[:_ENOUGH]
    if not some:
        return Reading()
    if len(some) > 1 and all(text.casefold().strip() in _YES | _NO for text in some):
        return Reading(BOOLEAN)
    before, after = _common(some)
    plain = _type(some)
    if plain is not None:
        return Reading(_NAMES[plain])
    found = Reading(STRING, before, after)
    bare = _type([found.bare(text) for text in some]) if before or after else None
    return found if bare is None else Reading(_NAMES[bare], before, after)


def _type(texts: Sequence[str]) -> Type | None:
    """The type that most of the texts have, other than string."""
    counts = Counter([type_of(text) for text in texts])
    for narrow, wide in _WIDER.items():
        if counts[wide]:
            counts[wide] += counts.pop(narrow, 0)
    kind, count = counts.most_common(1)[0]
    return kind if kind is not Type.STRING and count >= _MOST * len(texts) else None


def _common(texts: Sequence[str]) -> tuple[str, str]:
    """The words that all texts begin with, and those that all end with; the plural of the last word is the same."""
    if len(texts) < _LEAST:
        return "", ""
    split = [text.split() for text in texts]
    shortest = min(map(len, split))
    before = 0
    while before < shortest - 1 and _is_said_by_all([words[before] for words in split]):
        before += 1
    after = 0
    while after < shortest - 1 - before and _is_said_by_all([_singular(words[-1 - after]) for words in split]):
        after += 1
    first = split[0]
    return " ".join(first[:before]), " ".join([_singular(word) for word in first[len(first) - after :]])


def _is_said_by_all(words: Sequence[str]) -> bool:
    """Is this the same word each time? Figures that all have in common are a part of the value."""
    return len(set(words)) == 1 and not any(map(str.isdigit, words[0]))


def _singular(word: str) -> str:
    folded = word.casefold()
    return folded[:-1] if folded.endswith("s") and len(folded) > len("is") else folded


def _forms(after: str) -> tuple[str, ...]:
    return (f"{after}s", after) if after else ()
