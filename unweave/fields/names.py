"""Names of columns and fields: what a text says as a name, and which words of a page's author are names at all."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_NAME = 40
_LONGEST_CLASS = 100
# Where one word ends and the next begins: at marks, and where camelCase has its humps.
_BETWEEN = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_LEAST_LETTERS = 3
_MOST_WORDS = 3

# Words that say how something looks or where it stands, and not what it is.
_LOOKS = frozenset(
    "active after align aligned all alt area back badge bar base before big black blank block blue body bold border"
    " bottom box btn button caption card cell center centre class clear clearfix clickable cls col color colored cols"
    " column component container content css cta danger dark data default desktop display div element ellipsis end"
    " even field first fixed flex float focus font full gray green grey grid group has head header heading hidden hide"
    " holder horizontal hover ico icon img info inline inner is item items js label large last layout left light line"
    " link links list listing main margin max md media medium meta middle mini mobile module muted nav no none normal"
    " odd off on open outer overflow pad padding page panel part pos position primary pull pure rd red regular result"
    " results right round row rows secondary section selected shadow show side single size sl slot sm small space"
    " spacing span sr start state static strong style styled sub success tab table td text th thick thin tile tiny"
    " tooltip top tr truncate ui unit util value var vertical view visible warning weight white wide width with wrap"
    " wrapper wrapping xl xs yellow".split()
)
_DIGIT = re.compile(r"\d")


def name_of(text: str) -> str:
    """A text as a name: small letters, and a line below between words; empty if it has none."""
    return _NO_WORD.sub("_", text.casefold()).strip("_")[:_LONGEST_NAME].strip("_")


def words_of(classes: str) -> set[str]:
    """Return the words that the classes of an element are made of, in lower case."""
    return {word.casefold() for word in _BETWEEN.split(classes[:_LONGEST_CLASS])}


def called(word: str) -> str:
    """What a class, an id or a property calls an element; empty if it only says how it looks.

    Of ``c-entry-box--compact__title`` it is the title, of ``productPrice`` the product price, of ``col-md-4`` nothing.
    """
    return _called(word[:_LONGEST_CLASS])


@lru_cache(maxsize=16_384)
def _called(word: str) -> str:
    last = word.rsplit("__", 1)[-1].split("--", 1)[0]
    words = [own.casefold() for own in _BETWEEN.split(last)]
    telling = [own for own in words if len(own) >= _LEAST_LETTERS and own not in _LOOKS and not _DIGIT.search(own)]
    return "_".join(telling[-_MOST_WORDS:]) if telling and not _is_code(last) else ""


def _is_code(word: str) -> bool:
    """Was the word made by a machine, as ``sc-bdVaJa`` and ``css1x2y3z`` are?"""
    humps = sum(one.islower() and other.isupper() for one, other in pairwise(word))
    digits = sum(map(str.isdigit, word))
    vowels = sum(letter in "aeiouy" for letter in word.casefold())
    return digits > len(word) / 3 or (humps > 1 and vowels < len(word) / 4) or (word.isascii() and vowels == 0)
