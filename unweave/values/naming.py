"""Names of columns and fields: from labels, and from the class and id words of a page."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_MAX_NAME_LENGTH = 40
_MAX_CLASS_LENGTH = 100
_MIN_WORD_LENGTH = 3
_MAX_WORDS = 3
_NON_WORD = re.compile(r"[\W_]+")
# Words are separated by punctuation, and by a capital letter in camelCase.
_WORD_BOUNDARY = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_DIGIT = re.compile(r"\d")

# Words of classes that describe appearance or position instead of meaning.
_PRESENTATION_WORDS = frozenset(
    "active after align aligned all alt area back badge bar base before big black blank block"
    " blue body bold border bottom box btn button caption card cell center centre class clear"
    " clearfix clickable cls col color colored cols column component container content css cta"
    " danger dark data default desktop display div element ellipsis end even field first fixed"
    " flex float focus font full gray green grey grid group has head header heading hidden hide"
    " holder horizontal hover ico icon img info inline inner is item items js label large last"
    " layout left light line link links list listing main margin max md media medium meta middle"
    " mini mobile module muted nav no none nopadding normal odd off on open outer overflow pad"
    " padding page panel part pos position primary pull pure rd red regular result results right"
    " round row rows secondary section selected shadow show side single size sl slot sm small"
    " space spacing span sr start state static strong style styled sub success tab table td text"
    " th thick thin tile tiny tooltip top tr truncate ui unit util value var vertical view visible"
    " warning weight white wide width with wrap wrapper wrapping xl xs yellow".split()
)


def make_name(text: str) -> str:
    """Return a text in lower case with underscores between words; empty if it has no words."""
    return _NON_WORD.sub("_", text.casefold()).strip("_")[:_MAX_NAME_LENGTH].strip("_")


def split_class_words(classes: str) -> frozenset[str]:
    """Return the words that the classes of an element are made of, in lower case."""
    return _split_class_words(classes[:_MAX_CLASS_LENGTH])


@lru_cache(maxsize=8_192)
def _split_class_words(classes: str) -> frozenset[str]:
    return frozenset([word.casefold() for word in _WORD_BOUNDARY.split(classes)])


def name_from_class(word: str) -> str:
    """Return the name that a class or id gives an element; empty if it describes presentation.

    ``c-entry-box--compact__title`` gives "title", ``productPrice`` gives "product_price",
    ``col-md-4`` gives "".
    """
    return _name_from_class(word[:_MAX_CLASS_LENGTH])


@lru_cache(maxsize=16_384)
def _name_from_class(word: str) -> str:
    # In the BEM convention the element follows "__" and the modifier "--".
    element = word.rsplit("__", 1)[-1].split("--", 1)[0]
    if _is_generated(element):
        return ""
    words = filter(_is_meaningful, map(str.casefold, _WORD_BOUNDARY.split(element)))
    return "_".join(list(words)[-_MAX_WORDS:])


def _is_meaningful(word: str) -> bool:
    is_long = len(word) >= _MIN_WORD_LENGTH
    return is_long and word not in _PRESENTATION_WORDS and not _DIGIT.search(word)


def _is_generated(word: str) -> bool:
    """Tell whether a program made up the word, such as ``sc-bdVaJa`` and ``css1x2y3z``."""
    capitals = sum(left.islower() and right.isupper() for left, right in pairwise(word))
    digits = sum(map(str.isdigit, word))
    vowels = sum(letter in "aeiouy" for letter in word.casefold())
    return (
        digits > len(word) / 3
        or (capitals > 1 and vowels < len(word) / 4)
        or (word.isascii() and vowels == 0)
    )
