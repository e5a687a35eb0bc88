"""The places and the labels of a wrapper for fields, as selectors need them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from unweave.page.template_paths import MAX_WORD_LENGTH, TemplatePaths
from unweave.selectors.expressions import Kind, Word, is_sayable
from unweave.selectors.template_tree import Element, Outline
from unweave.wrappers.fields.locators import Anchors

_TAG_OF_STEP = re.compile(r"[^.#@]*")
_SIGNS = re.compile(r"[.#@]")
_MOST_SIGNS = 200


@dataclass(frozen=True)
class Template:
    """What is stable in the pages of a wrapper. A place has its number in the outline, where 0 is the document."""

    outline: Outline
    labels: Mapping[int, frozenset[str]]
    """What the labels at each place say."""
    all_labels: frozenset[str]
    steps: Mapping[int, Mapping[str, int]]
    """The places right below each place, by the step to them."""

    @classmethod
    def of(cls, anchors: Anchors) -> Template:
        """The template of a wrapper."""
        at: defaultdict[int, set[str]] = defaultdict(set)
        for place, _, text in anchors.labels:
            if is_sayable(text):
                at[place + 1].add(text)
        labels = {place: frozenset(texts) for place, texts in at.items()}
        steps: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for (above, step), place in anchors.paths.numbers.items():
            steps[above + 1][step] = place + 1
        return cls(outline_of(anchors.paths), labels, frozenset().union(*labels.values()), steps)

    def labels_at(self, place: int) -> frozenset[str]:
        """What the labels at a place say."""
        return self.labels.get(place, frozenset())

    def down(self, place: int, path: str) -> int | None:
        """The place that a path of steps leads to; words of a step may have a slash in them."""
        waiting = [(place, path)]
        while waiting:
            place, rest = waiting.pop()
            if not rest:
                return place
            for step, below in self.steps.get(place, {}).items():
                if f"{rest}/".startswith(f"{step}/"):
                    waiting.append((below, rest[len(step) + 1 :]))
        return None


def outline_of(places: TemplatePaths) -> Outline:
    """The places as a tree below the document."""
    element = cache(lambda step: element_of(step, places.stable))
    pairs = sorted((number, above, step) for (above, step), number in places.numbers.items())
    return Outline(
        [-1, *(above + 1 for _, above, _ in pairs)],
        [Element(""), *(element(step) for _, _, step in pairs)],
    )


def element_of(step: str, stable: frozenset[str]) -> Element:
    """What a step of a place says: a tag and words, which may hold the signs that stand before words."""
    tag = step[: len(step) - len(_TAG_OF_STEP.sub("", step, count=1))]
    return element(tag, [tag + word for word in _split(step[len(tag) :], tag, stable)])


def element(tag: str, words: Iterable[str]) -> Element:
    """An element and its words, each behind its tag and its sign. Words that were cut off tell nothing."""
    own = [word.removeprefix(tag) for word in words if word.startswith(tag)]
    whole = [
        word
        for word in own
        if _SIGNS.match(word) and 1 < len(word) <= MAX_WORD_LENGTH and is_sayable(word)
    ]
    return Element(tag, tuple(Word(Kind(word[0]), word[1:]) for word in whole))


def _split(text: str, tag: str, stable: frozenset[str]) -> list[str]:
    """The text as words that are known, each with its sign; no words if it cannot be told which."""
    starts = [match.start() for match in _SIGNS.finditer(text)][:_MOST_SIGNS]
    known: dict[int, list[str]] = {len(text): []}
    for start in reversed(starts):
        for stop in sorted(known):
            if stop > start and tag + text[start:stop] in stable:
                known[start] = [text[start:stop], *known[stop]]
                break
    return known.get(0, [])
