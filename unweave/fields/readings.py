"""Readings of columns: the type that the texts of a column have in common, and the value of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from unweave.fields.types import Type, type_of, without_brackets
from unweave.fields.values import Value, value_of

STRING = "string"
BOOLEAN = "boolean"

# So many of the texts have the type of their column.
_MOST = 0.8
# So many texts tell a column's type, and so many are enough to say what they have in common.
_ENOUGH = 60
_LEAST = 2

_MOST_WORDS = 4

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

# Types with a special case among the texts are the type of all: whole numbers among numbers, days among moments.
_WIDER = {Type.INTEGER: Type.FLOAT, Type.DATE: Type.DATETIME}
# What stands right beside a number and changes it.
_SIGNS = frozenset("+ - − – —".split())
_TIMES = frozenset(
    "k m b t bn mn mio mrd mln bio thousand million billion trillion hundred dozen lakh crore millionen milliarden tausend"
    " mille milliard mil millone milione miliardi % ‰ тыс млн млрд 万 億 亿 千".split()
)
_LEADING_ZERO = re.compile(r"0\d+$")
_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
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
            folded = text.casefold().strip()
            return folded in _YES if folded in _YES | _NO else None
        return value_of(self.bare(text)) if self.type != STRING else None

    def bare(self, text: str) -> str:
        """The text without what stands before and after every value."""
        words, before, after = _cleaned(text).split(), self.before.split(), self.after.split()
        if words[: len(before)] == before:
            del words[: len(before)]
        if after and [_singular(word) for word in words[-len(after) :]] == after:
            del words[-len(after) :]
        return " ".join(words)


def reading(texts: Iterable[str]) -> Reading:
    """How the texts of a column are to be read: without as few words around the values as will do."""
    some = list(dict.fromkeys(texts))[:_ENOUGH]
    if not some:
        return Reading()
    if len(some) > 1 and all(text.casefold().strip() in _YES | _NO for text in some):
        return Reading(BOOLEAN)
    plain = _type(some)
    if plain is not None:
        return Reading(_NAMES[plain])
    before, after = _common(some)
    for told in _stripped(before, after):
        kind = _type([told.bare(text) for text in some])
        if kind is not None:
            return replace(told, type=_NAMES[kind])
    return Reading(STRING, " ".join(before), " ".join(after))


def ways(texts: Iterable[str]) -> Iterator[Reading]:
    """The ways to read the texts of a column that their common words allow, the plainest first."""
    some = list(dict.fromkeys(texts))[:_ENOUGH]
    return _stripped(*_common(some)) if some else iter([Reading()])


def _stripped(before: Sequence[str], after: Sequence[str]) -> Iterator[Reading]:
    """All ways to leave out words at the two ends, the fewest first."""
    ways = [
        (first, last)
        for first in range(len(before) + 1)
        for last in range(len(after) + 1)
        if not (first and before[first - 1] in _SIGNS) and not (last and after[len(after) - last] in _TIMES)
    ]
    for first, last in sorted(ways, key=lambda way: (sum(way), way)):
        yield Reading(STRING, " ".join(before[:first]), " ".join(after[len(after) - last :]))


def _type(texts: Sequence[str]) -> Type | None:
    """The type that most of the texts have, other than string."""
    if any(_LEADING_ZERO.match(text) for text in texts):
        return None  # numbers of parts, and of telephones, are no amounts
    counts = Counter([type_of(_seen(text)) for text in texts])
    for narrow, wide in _WIDER.items():
        if counts[wide]:
            counts[wide] += counts.pop(narrow, 0)
    kind, count = counts.most_common(1)[0]
    return kind if kind is not Type.STRING and count >= _MOST * len(texts) else None


def _common(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that all texts begin with, and those that all end with, in the singular."""
    split = [_cleaned(text).split() for text in texts]
    shortest = min(map(len, split))
    if len(texts) < _LEAST or not shortest:
        return [], []
    before = after = 0
    while before < min(shortest - 1, _MOST_WORDS) and _is_said_by_all([words[before] for words in split]):
        before += 1
    most = min(shortest - 1 - before, _MOST_WORDS)
    while after < most and _is_said_by_all([_singular(words[-1 - after]) for words in split]):
        after += 1
    first = split[0]
    return first[:before], [_singular(word) for word in first[len(first) - after :]]


def _cleaned(text: str) -> str:
    """The text without brackets around it, and without marks that nobody sees."""
    return without_brackets(_seen(text))


def _seen(text: str) -> str:
    return text if text.isascii() else text.translate(_UNSEEN)


def _is_said_by_all(words: Sequence[str]) -> bool:
    """Is this the same word each time? Figures that all have in common are a part of the value."""
    return len(set(words)) == 1 and not any(map(str.isdigit, words[0]))


def _singular(word: str) -> str:
    folded = word.casefold()
    return folded[:-1] if folded.endswith("s") and len(folded) > len("is") else folded
