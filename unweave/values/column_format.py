"""Infer the format of a column: its type, and the words around every value.

A column has a type only if every text in it converts; otherwise it stays a string, so that no cell
is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unweave.values.dates import DateOrder, infer_date_order
from unweave.values.parsing import Value, detect_type, parse_value, strip_brackets, widen_value
from unweave.values.types import DATES, NUMERIC, WIDER_TYPES, Type

# A type is suggested by this share of the first distinct texts; all texts must then convert.
_MIN_TYPE_SHARE = 0.8
_MAX_SAMPLE_TEXTS = 60
_MAX_AFFIX_WORDS = 4

# Words next to a number that change it: they are not affixes.
_SIGNS = frozenset("+ - − – —".split())
_MULTIPLIERS = frozenset(
    "k m b t bn mn mio mrd mln bio thousand million billion trillion hundred dozen lakh crore"
    " millionen milliarden tausend mille milliard mil millone milione miliardi tys % ‰"
    " тыс млн млрд 万 億 亿 千".split()
)
_DIGIT = re.compile(r"\d")
_LEADING_ZERO = re.compile(r"0\d+$")
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
_DASHES = "-‐‑‒–—―−. …"
_NOT_AVAILABLE = frozenset(["n/a", "n.a."])
_TRUE = frozenset("yes true ja oui si sí sim да はい 是 ✓ ✔ ☑ on".split())
_FALSE = frozenset("no false nein non não нет いいえ 否 ✗ ✘ ☐ off".split())


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """The format of the texts of a column."""

    type: str = Type.STRING
    prefix: str = ""
    """The words before every value: "by", "Price:"."""
    suffix: str = ""
    """The words after every value, in the singular: "view"."""
    date_order: DateOrder = DateOrder.UNKNOWN
    suggested_type: str = Type.STRING
    """The type of most texts, which is the type of the column if all of them convert."""

    def parse(self, text: str) -> Value | bool | None:
        """Return the value of a text in the type of the column; None if it does not convert."""
        if self.type == Type.STRING:
            return None
        if self.type == Type.BOOLEAN:
            return _parse_boolean(text)
        return widen_value(parse_value(self.strip_affixes(text), self.date_order), self.type)

    def strip_affixes(self, text: str) -> str:
        """Return the text without the prefix and the suffix of the column."""
        words, prefix, suffix = _clean(text).split(), self.prefix.split(), self.suffix.split()
        if words[: len(prefix)] == prefix:
            del words[: len(prefix)]
        if suffix and [_to_singular(word) for word in words[-len(suffix) :]] == suffix:
            del words[-len(suffix) :]
        return " ".join(words)


def is_placeholder(text: str) -> bool:
    """Tell whether the text stands for a missing value, as a dash does among numbers."""
    return text.strip(_DASHES) == "" or text.casefold() in _NOT_AVAILABLE


def infer_column_format(
    texts: Iterable[str], get_date_order: Callable[[], DateOrder] | None = None
) -> ColumnFormat:
    """Return the format of the texts of a column, with as few affixes as possible.

    ``get_date_order`` returns the order of day and month in the language of the page; it is called
    if no text proves one.
    """
    distinct = list(dict.fromkeys(text for text in texts if not is_placeholder(text)))
    sample = distinct[:_MAX_SAMPLE_TEXTS]
    if not sample:
        return ColumnFormat()
    if len(sample) > 1 and all(_parse_boolean(text) is not None for text in distinct):
        return ColumnFormat(Type.BOOLEAN, suggested_type=Type.BOOLEAN)
    with_digits = sum([_DIGIT.search(text) is not None for text in sample])
    may_have_type = with_digits >= _MIN_TYPE_SHARE * len(sample)
    if may_have_type and (suggestion := _suggest_type(sample)):
        return _choose_type(ColumnFormat(), suggestion, distinct, get_date_order)
    prefix, suffix = _find_affixes(sample)
    for candidate in _iter_affix_formats(prefix, suffix) if may_have_type else ():
        if suggestion := _suggest_type([candidate.strip_affixes(text) for text in sample]):
            return _choose_type(candidate, suggestion, distinct, get_date_order)
    return ColumnFormat(Type.STRING, " ".join(prefix), " ".join(suffix))


def iter_string_formats(texts: Iterable[str]) -> Iterator[ColumnFormat]:
    """Yield formats without a type for all shared affixes of texts, the shortest first."""
    sample = list(dict.fromkeys(texts))[:_MAX_SAMPLE_TEXTS]
    return _iter_affix_formats(*_find_affixes(sample)) if sample else iter([ColumnFormat()])


def _suggest_type(texts: Sequence[str]) -> Type | None:
    """Return the type that most texts have, or None if it is a string."""
    if any(_LEADING_ZERO.match(text) for text in texts):
        return None  # part numbers and telephone numbers are not amounts
    counts = Counter([detect_type(_strip_invisible(text)) for text in texts])
    for narrow, wide in WIDER_TYPES.items():
        if counts[wide]:
            counts[wide] += counts.pop(narrow, 0)
    suggestion, count = counts.most_common(1)[0]
    if suggestion is Type.STRING or count < _MIN_TYPE_SHARE * len(texts):
        return None
    return suggestion


def _choose_type(
    untyped: ColumnFormat,
    suggestion: Type,
    texts: Sequence[str],
    get_date_order: Callable[[], DateOrder] | None,
) -> ColumnFormat:
    """Return the format with the suggested type, or a wider one, if all texts convert to it."""
    untyped = replace(untyped, suggested_type=suggestion)
    bare = [untyped.strip_affixes(text) for text in texts]
    if any(_LEADING_ZERO.match(text) for text in bare):
        return untyped
    # If only some numbers are in brackets, brackets have a meaning, such as negative.
    has_brackets = {strip_brackets(text) != text.strip() for text in texts}
    if len(has_brackets) > 1 and suggestion in NUMERIC:
        return untyped
    order = infer_date_order(bare, get_date_order) if suggestion in DATES else DateOrder.UNKNOWN
    for candidate in (suggestion, WIDER_TYPES.get(suggestion)):
        if candidate is None:
            break
        typed = replace(untyped, type=candidate, date_order=order, suggested_type=candidate)
        values = [typed.parse(text) for text in texts]
        # Datetimes with and without a time zone cannot be compared.
        has_zone = {value.tzinfo is not None for value in values if isinstance(value, datetime)}
        if None not in values and len(has_zone) <= 1:
            return typed
    return untyped


def _find_affixes(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the first words of all texts, and the last words of all texts in the singular."""
    split = [_clean(text).split() for text in texts]
    shortest = min(map(len, split))
    if len(texts) < 2 or not shortest:
        return [], []
    before = after = 0
    max_before = min(shortest - 1, _MAX_AFFIX_WORDS)
    while before < max_before and _is_shared_word([words[before] for words in split]):
        before += 1
    max_after = min(shortest - 1 - before, _MAX_AFFIX_WORDS)
    while after < max_after and _is_shared_word(
        [_to_singular(words[-1 - after]) for words in split]
    ):
        after += 1
    first = split[0]
    return first[:before], [_to_singular(word) for word in first[len(first) - after :]]


def _is_shared_word(words: Sequence[str]) -> bool:
    """Tell whether all words are the same; words with digits are parts of values."""
    return len(set(words)) == 1 and not any(map(str.isdigit, words[0]))


def _iter_affix_formats(prefix: Sequence[str], suffix: Sequence[str]) -> Iterator[ColumnFormat]:
    """Yield a format for each part of the prefix and the suffix, from few words to many."""
    lengths = []
    for before in range(len(prefix) + 1):
        for after in range(len(suffix) + 1):
            ends_with_sign = before and prefix[before - 1] in _SIGNS
            if not ends_with_sign and not (after and _is_multiplier(suffix[len(suffix) - after])):
                lengths.append((before, after))
    for before, after in sorted(lengths, key=lambda pair: (sum(pair), pair)):
        words_after = suffix[len(suffix) - after :]
        yield ColumnFormat(Type.STRING, " ".join(prefix[:before]), " ".join(words_after))


def _is_multiplier(word: str) -> bool:
    """Tell whether a word after a number changes it, as in "5 Mio." and "5 k€"."""
    letters = "".join(letter for letter in word.casefold() if letter.isalpha() or letter in "%‰")
    return word in _MULTIPLIERS or letters in _MULTIPLIERS


def _parse_boolean(text: str) -> bool | None:
    word = text.casefold().strip()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def _clean(text: str) -> str:
    return strip_brackets(_strip_invisible(text))


def _strip_invisible(text: str) -> str:
    return text if text.isascii() else text.translate(_INVISIBLE)


def _to_singular(word: str) -> str:
    folded = word.casefold()
    return folded[:-1] if folded.endswith("s") and len(folded) > len("is") else folded
