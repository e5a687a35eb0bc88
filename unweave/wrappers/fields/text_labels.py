"""Labels inside one text: "Height: 6-10 Weight: 240" has two values after their labels.

The labels of a position are what most pages have there before a sign. Texts that start with one are
cut at all of them. Where a text has one label only, the label is remembered, but stays in the text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from unweave.text_cleaning import strip_stray_punctuation

MIN_LABELS = 2
"""Texts are cut at their labels if they have as many."""

_MAX_TEXT_LENGTH = 1_000  # characters; longer texts have sentences, not values
_MAX_LABEL_LENGTH = 40
_MAX_LABEL_WORDS = 4
_MAX_SIGNS = 40  # of one text
_MAX_LABELS = 60  # of one position
_MAX_ALL_LABELS = 1_000  # of all positions that are looked for together

# The signs after labels; a colon before // or between digits is of an address or a time.
_SIGNS = {
    ":": re.compile(r"(?<=\w)[ \xa0]?(?!(?<=\d):\d):(?=[\s\w$€£¥(+#.-])"),
    "=": re.compile(r"(?<=\w)[ \xa0]?=(?=[\s\w$€£¥(+#.-])"),
    "-": re.compile(r"(?<=\w)\s[-–—](?=\s)"),
}
_LABEL = re.compile(r"[^\W\d_][\w.'#/()-]*(?: (?:&|[\w.'#/()-]+))*")


@dataclass(frozen=True)
class TextLabelRules:
    """When words before a sign are a label. Shares are of the pages that have the position."""

    min_share: float = 0.8
    """Texts are cut if several labels are on this share of the pages each; …"""
    min_optional_share: float = 0.3
    """… then further labels are on this share."""
    same_share: float = 0.9
    """More words belong to a label if they are before the sign this often."""


_RULES = TextLabelRules()


class TextPiece(NamedTuple):
    """A value inside a text, with the label before it."""

    label: str
    text: str


def has_labels(text: str) -> bool:
    """Tell whether a text may have several labels inside."""
    return any(len(pattern.findall(text[:_MAX_TEXT_LENGTH])) > 1 for pattern in _SIGNS.values())


def cut_text(text: str, labels: Sequence[str]) -> list[TextPiece]:
    """Return the values of a text after each of these labels; none if it starts with no label."""
    if len(text) > _MAX_TEXT_LENGTH:
        return []
    matches = list(_compile(tuple(labels)).finditer(text))
    if not matches or any(map(str.isalnum, text[: matches[0].start()])):
        return []
    stops = [*[match.start() for match in matches[1:]], len(text)]
    pieces: list[TextPiece] = []
    for match, stop in zip(matches, stops, strict=True):
        value = strip_stray_punctuation(text[match.end() : stop].strip())
        if any(map(str.isalnum, value)):
            pieces.append(TextPiece(match[1], value))
    return pieces


def read_text_labels(labels: Sequence[object]) -> tuple[str, ...]:
    """Read the labels of one position, of untrusted data."""
    texts = tuple(map(str, labels))
    signs = {text[-1:] for text in texts}
    if len(signs) != 1 or not signs <= _SIGNS.keys() or len(texts) > _MAX_LABELS:
        raise ValueError("the labels inside texts do not end with one sign")
    if max(map(len, texts)) > _MAX_LABEL_LENGTH + len(" :"):
        raise ValueError("a label inside texts is too long")
    return texts


def group_by_sign(labels_of_positions: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return all labels of several positions, in groups of one sign."""
    by_sign: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for labels in labels_of_positions:
        for label in labels:
            by_sign[label[-1]][label] = None
    return [tuple(islice(labels, _MAX_ALL_LABELS)) for labels in by_sign.values()]


@lru_cache(maxsize=1_024)
def _compile(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for labels that end with their sign, without it the first group."""
    by_sign: defaultdict[str, list[str]] = defaultdict(list)
    for label in labels:
        by_sign[label[-1]].append(re.escape(label[:-1].rstrip()))
    words = "|".join(sorted(next(iter(by_sign.values())), key=len, reverse=True))
    sign = next(iter(by_sign))
    return re.compile(rf"(?<!\w)({words}){_SIGNS[sign].pattern}")


def find_text_labels(texts_of_pages: Sequence[Sequence[str]], page_count: int) -> tuple[str, ...]:
    """Return the labels inside the texts of one position, each with its sign.

    Args:
        texts_of_pages: The texts of each page that has the position.
        page_count: How many pages these are.
    """
    pages = [[text for text in texts if len(text) <= _MAX_TEXT_LENGTH] for texts in texts_of_pages]
    for sign, pattern in _SIGNS.items():
        labels = _find_labels_with_sign(pages, pattern, page_count)
        if labels:
            return tuple([f"{label}{'' if sign == ':' else ' '}{sign}" for label in labels])
    return ()


def _find_labels_with_sign(
    pages: Sequence[Sequence[str]], pattern: re.Pattern[str], page_count: int
) -> list[str]:
    candidates = [
        [words for text in texts for words in _list_candidates(text, pattern)] for texts in pages
    ]
    counts: Counter[str] = Counter()
    for of_page in candidates:
        counts.update({label for labels in of_page for label in labels})
    min_count = max(2, _RULES.min_optional_share * page_count)
    chosen: Counter[str] = Counter()
    for of_page in candidates:
        labels = {_choose_label(labels, counts) for labels in of_page}
        chosen.update([label for label in labels if counts[label] >= min_count])
    usual = [label for label, count in chosen.items() if count >= _RULES.min_share * page_count]
    if len(usual) < MIN_LABELS:
        return []
    ranked = sorted(chosen, key=lambda label: (-chosen[label], label))
    return [label for label in ranked[:_MAX_LABELS] if chosen[label] >= min_count]


def _list_candidates(text: str, pattern: re.Pattern[str]) -> list[list[str]]:
    """Return for each sign of a text the words before it, from the last word to the last four."""
    found: list[list[str]] = []
    start = 0
    for match in list(pattern.finditer(text))[:_MAX_SIGNS]:
        words = text[start : match.start()].split()
        if match[0].strip() not in (":", "=") and (start or len(words) > _MAX_LABEL_WORDS):
            break  # between other words a dash is a dash
        words = words[-_MAX_LABEL_WORDS:]
        labels = [" ".join(words[-count:]) for count in range(1, len(words) + 1)]
        labels = [
            label for label in labels if len(label) <= _MAX_LABEL_LENGTH and _LABEL.fullmatch(label)
        ]
        if labels:
            found.append(labels)
        start = match.end()
    return found


def _choose_label(labels: Sequence[str], counts: Mapping[str, int]) -> str:
    """Return the words before a sign that are a label: the most that are usually together.

    In "6 ft Weight: 240 lbs" these are the words from a capital letter on.
    """
    usual = [label for label in labels if counts[label] >= _RULES.same_share * counts[labels[0]]]
    capital = [label for label in usual if not label[0].islower()]
    return capital[-1] if capital else labels[0]
