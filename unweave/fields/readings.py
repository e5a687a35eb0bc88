"""Readings of columns: the type that the texts of a column have in common, and the value of each.

A column has a type only if every text in it converts: what a reader would lose as an empty cell stays a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal

from unweave.fields.dates import DateOrder, common_order
from unweave.fields.types import Type, type_of, without_brackets
from unweave.fields.values import Price, Value, value_of

STRING = "string"
BOOLEAN = "boolean"
PRICE = "price"

# The share of the texts that suggests a type for a column.
_MIN_SHARE_OF_TYPE = 0.8
# How many different texts suggest a type and the words that all share; all texts must then convert.
_MAX_SAMPLE = 60
_MIN_TEXTS_WITH_SHARED_WORDS = 2

_MAX_SHARED_WORDS = 4
# The largest whole number that other programs hold.
_MAX_INTEGER = 2**63 - 1

_NAMES = {
    Type.INTEGER: "integer",
    Type.FLOAT: "number",
    Type.PERCENTAGE: "percentage",
    Type.PRICE: PRICE,
    Type.DATE: "date",
    Type.TIME: "time",
    Type.DATETIME: "datetime",
}
TYPES = frozenset([*_NAMES.values(), BOOLEAN])
"""The types whose texts have a value."""

_CLASSES: dict[str, type] = {
    "integer": int,
    **dict.fromkeys(("number", "percentage"), Decimal),
    PRICE: Price,
    "date": date,
    "datetime": datetime,
    "time": time,
    BOOLEAN: bool,
}

# Types with a special case among the texts are the type of all: whole numbers among numbers, days among moments.
_WIDER = {Type.INTEGER: Type.FLOAT, Type.DATE: Type.DATETIME}
# What stands right beside a number and changes it.
_SIGNS = frozenset("+ - − – —".split())
_MULTIPLIERS = frozenset(
    "k m b t bn mn mio mrd mln bio thousand million billion trillion hundred dozen lakh crore millionen milliarden tausend"
    " mille milliard mil millone milione miliardi tys % ‰ тыс млн млрд 万 億 亿 千".split()
)
_LEADING_ZERO = re.compile(r"0\d+$")
_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
_DASHES = "-‐‑‒–—―−. …"
_NOT_AVAILABLE = frozenset(["n/a", "n.a."])
_YES = frozenset("yes true ja oui si sí sim да はい 是 ✓ ✔ ☑ on".split())
_NO = frozenset("no false nein non não нет いいえ 否 ✗ ✘ ☐ off".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """How the texts of a column are read."""

    type: str = STRING
    before: str = ""
    """What stands before every value: "by", "Price:"."""
    after: str = ""
    """What stands after every value, in the singular: "view"."""
    order: DateOrder = DateOrder.UNKNOWN
    """Whether the day or the month comes first in dates of numbers."""
    suggested: str = STRING
    """The type of most texts, which is that of the column if all of them convert."""

    def value(self, text: str) -> Value | bool | None:
        """Return the value that a text shows, of the type; None if it does not convert."""
        if self.type == STRING:
            return None
        if self.type == BOOLEAN:
            folded = text.casefold().strip()
            return folded in _YES if folded in _YES | _NO else None
        return fit_type(value_of(self.bare(text), self.order), self.type)

    def bare(self, text: str) -> str:
        """Return the text without what stands before and after every value."""
        words, before, after = _cleaned(text).split(), self.before.split(), self.after.split()
        if words[: len(before)] == before:
            del words[: len(before)]
        if after and [_singular(word) for word in words[-len(after) :]] == after:
            del words[-len(after) :]
        return " ".join(words)


def is_placeholder(text: str) -> bool:
    """Does the text only say that there is no value, as a dash does among numbers?"""
    return text.strip(_DASHES) == "" or text.casefold() in _NOT_AVAILABLE


def fit_type(value: Value | bool | None, type_name: str) -> Value | bool | None:
    """Return the value as one of the type: days are moments, whole numbers are numbers; None if it is of another type."""
    if type(value) is int and abs(value) > _MAX_INTEGER:
        return None
    if type_name == "datetime" and type(value) is date:
        value = datetime.combine(value, time())
    if type_name in ("number", "percentage") and type(value) is int:
        value = Decimal(value)
    return value if type(value) is _CLASSES[type_name] else None


def reading(texts: Iterable[str], usual_order: Callable[[], DateOrder] | None = None) -> Reading:
    """Return how the texts of a column are to be read: without as few words around the values as will do.

    ``usual_order`` tells whether the page's language writes day or month first; it is asked if no text proves it.
    """
    distinct = list(dict.fromkeys(text for text in texts if not is_placeholder(text)))
    sample = distinct[:_MAX_SAMPLE]
    if not sample:
        return Reading()
    if len(sample) > 1 and all(text.casefold().strip() in _YES | _NO for text in distinct):
        return Reading(BOOLEAN, suggested=BOOLEAN)
    if suggestion := _suggest_type(sample):
        return _typed(Reading(), suggestion, distinct, usual_order)
    before, after = _common(sample)
    for way in _stripped(before, after):
        if suggestion := _suggest_type([way.bare(text) for text in sample]):
            return _typed(way, suggestion, distinct, usual_order)
    return Reading(STRING, " ".join(before), " ".join(after))


def _typed(way: Reading, suggestion: Type, texts: Sequence[str], usual_order: Callable[[], DateOrder] | None) -> Reading:
    """Return the reading with the suggested type, or a wider one, if every text converts; else as a string."""
    way = replace(way, suggested=_NAMES[suggestion])
    bare = [way.bare(text) for text in texts]
    if any(_LEADING_ZERO.match(text) for text in bare):
        return way
    # Where some numbers stand in brackets and others do not, brackets mean that they are negative, or something else.
    in_brackets = {without_brackets(text) != text.strip() for text in texts}
    if len(in_brackets) > 1 and suggestion in (Type.INTEGER, Type.FLOAT, Type.PRICE, Type.PERCENTAGE):
        return way
    is_date = suggestion in (Type.DATE, Type.DATETIME)
    order = common_order(bare, usual_order) if is_date else DateOrder.UNKNOWN
    for candidate in (suggestion, _WIDER.get(suggestion)):
        if candidate is None:
            break
        typed = replace(way, type=_NAMES[candidate], order=order, suggested=_NAMES[candidate])
        values = [typed.value(text) for text in texts]
        if None not in values and not _mixes_zones(values):
            return typed
    return way


def _mixes_zones(values: Sequence[Value | bool | None]) -> bool:
    """Do some moments tell their zone, and others do not? Nobody could compare them."""
    return len({value.tzinfo is None for value in values if isinstance(value, datetime)}) > 1


def ways(texts: Iterable[str]) -> Iterator[Reading]:
    """The ways to read the texts of a column that their common words allow, the plainest first."""
    sample = list(dict.fromkeys(texts))[:_MAX_SAMPLE]
    return _stripped(*_common(sample)) if sample else iter([Reading()])


def _stripped(before: Sequence[str], after: Sequence[str]) -> Iterator[Reading]:
    """All ways to leave out words at the two ends, the fewest first."""
    ways = [
        (first, last)
        for first in range(len(before) + 1)
        for last in range(len(after) + 1)
        if not (first and before[first - 1] in _SIGNS) and not (last and _is_multiplier(after[len(after) - last]))
    ]
    for first, last in sorted(ways, key=lambda way: (sum(way), way)):
        yield Reading(STRING, " ".join(before[:first]), " ".join(after[len(after) - last :]))


def _is_multiplier(word: str) -> bool:
    """Does a word behind a number change it, as in "5 Mio." and "5 k€"?"""
    letters = "".join(letter for letter in word.casefold() if letter.isalpha() or letter in "%‰")
    return word in _MULTIPLIERS or letters in _MULTIPLIERS


def _suggest_type(texts: Sequence[str]) -> Type | None:
    """The type that most of the texts have, other than string."""
    if any(_LEADING_ZERO.match(text) for text in texts):
        return None  # numbers of parts, and of telephones, are no amounts
    counts = Counter([type_of(_seen(text)) for text in texts])
    for narrow, wide in _WIDER.items():
        if counts[wide]:
            counts[wide] += counts.pop(narrow, 0)
    kind, count = counts.most_common(1)[0]
    return kind if kind is not Type.STRING and count >= _MIN_SHARE_OF_TYPE * len(texts) else None


def _common(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that all texts begin with, and those that all end with, in the singular."""
    split = [_cleaned(text).split() for text in texts]
    shortest = min(map(len, split))
    if len(texts) < _MIN_TEXTS_WITH_SHARED_WORDS or not shortest:
        return [], []
    before = after = 0
    while before < min(shortest - 1, _MAX_SHARED_WORDS) and _is_said_by_all([words[before] for words in split]):
        before += 1
    most = min(shortest - 1 - before, _MAX_SHARED_WORDS)
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
