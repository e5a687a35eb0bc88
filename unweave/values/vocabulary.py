"""What labels, classes and names of fields mean: a small vocabulary of words for the same thing.

A concept such as ``price`` has phrases such as "list price" and "MSRP". The vocabulary is general;
whoever knows more words for a field of their own gives them as synonyms in a schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from importlib import resources

_WORD_BOUNDARY = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)|(?<=\d)(?=[a-zA-Z])")
_MAX_TEXT_LENGTH = 100
_MAX_PHRASE_WORDS = 4
_MIN_PLURAL_LENGTH = 4


@lru_cache(maxsize=16_384)
def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a label, a class or a name, in lower case and in the singular.

    ``bookAuthor`` and "Book authors:" both give ``("book", "author")``.
    """
    words = filter(None, _WORD_BOUNDARY.split(text[:_MAX_TEXT_LENGTH]))
    return tuple([_make_singular(word.casefold()) for word in words])


def find_concepts(text: str) -> frozenset[str]:
    """Return the concepts that the words of a text name; of phrases, the longest ones count."""
    return frozenset().union(*[concepts for concepts, _ in _find_phrases(split_words(text))])


def measure_concepts(text: str, wanted: Collection[str]) -> float:
    """Return the share of the words of a text that name one of the concepts."""
    words = split_words(text)
    found = [size for concepts, size in _find_phrases(words) if not concepts.isdisjoint(wanted)]
    return sum(found) / len(words) if words else 0.0


@lru_cache(maxsize=16_384)
def _find_phrases(words: tuple[str, ...]) -> tuple[tuple[frozenset[str], int], ...]:
    """Return the concepts of each phrase, and how many words it has."""
    found: list[tuple[frozenset[str], int]] = []
    phrases = _read_phrases()
    start = 0
    while start < len(words):
        length = 1
        for size in range(min(_MAX_PHRASE_WORDS, len(words) - start), 0, -1):
            concepts = phrases.get(words[start : start + size])
            if concepts:
                found.append((concepts, size))
                length = size
                break
        start += length
    return tuple(found)


@cache
def _read_phrases() -> dict[tuple[str, ...], frozenset[str]]:
    phrases: dict[tuple[str, ...], frozenset[str]] = {}
    for concept, phrase in _iter_phrases():
        words = split_words(phrase)
        phrases[words] = phrases.get(words, frozenset()) | {concept}
    return phrases


def _iter_phrases() -> Iterator[tuple[str, str]]:
    text = resources.files("unweave.values").joinpath("vocabulary.json").read_text("utf-8")
    for concept, phrases in json.loads(text).items():
        yield concept, concept
        for phrase in phrases:
            yield concept, phrase


def _make_singular(word: str) -> str:
    if len(word) < _MIN_PLURAL_LENGTH or word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s")
