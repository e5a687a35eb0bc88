"""Which texts of a template are labels: what the same pages say at the same place, where others say something else.

A value that many pages share, such as a genre, is frequent too. It is told from a label by what stands in its stead on
other pages: after one label comes one value or another, never both, while the labels of rows stand on one page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from unweave.page.grids import columns, key_cells, value_cells
from unweave.page.page import Page
from unweave.wrappers.places import HIDDEN
from unweave.wrappers.roles import LabelPlace, Spot, may_be_label

_FREQUENT = 0.3
_LEAST_FREQUENT = 2
_LEAST_WITH_COLON = 2

# Most of what stands at the place of labels is frequent; so is half of the different texts there, or it is always there.
_FREQUENT_TEXTS = 0.4
_FREQUENT_KINDS = 0.5
_ALWAYS = 0.8

# After one text, texts that stand together on so few pages are values of one field.
_TOGETHER = 0.5
_USUAL_BEFORE = 0.5
_LEAST_OTHERS = 0.1
_MOST_BEFORE = 2
_MANY_OTHERS = 200

_LEAST_LABELS = 3
_NOTHING_ELSE = 0.8
_ON_MANY = 0.5


def find_labels(pages: Sequence[Page], outlines: Sequence[Sequence[int]]) -> tuple[frozenset[LabelPlace], frozenset[Spot]]:
    """The labels of pages whose elements stand at these places, and the spots at which nothing else stands."""
    seen = _Seen(pages, outlines)
    labels = frozenset(text for text in seen.pages_with if seen.is_label(text))
    return labels, seen.spots_of(labels)


def colon_spots(labels: frozenset[LabelPlace]) -> frozenset[Spot]:
    """The spots at which labels with a colon stand."""
    return frozenset((place, column) for place, column, text in labels if text.endswith(":"))


class _Followers(NamedTuple):
    """The texts that stand at one spot after a given text."""

    texts: int
    total: int
    """On how many pages each of them follows the given text, added up."""
    on_page: Counter[int]
    """The same for each page, of those texts that the page has at the spot, whatever stands before them there."""


class _Seen:
    """How often texts stand where, and after which others."""

    def __init__(self, pages: Sequence[Page], outlines: Sequence[Sequence[int]]) -> None:
        self._pages = len(pages)
        self.pages_with: Counter[LabelPlace] = Counter()
        self._pages_of: defaultdict[LabelPlace, list[int]] = defaultdict(list)
        self._followers: dict[tuple[LabelPlace, Spot], _Followers] = {}
        self._times: Counter[LabelPlace] = Counter()
        self._texts_at: Counter[Spot] = Counter()
        self._most_at: Counter[Spot] = Counter()
        self._values_at: Counter[Spot] = Counter()
        self._keys_at: Counter[Spot] = Counter()
        self._kinds_at: defaultdict[Spot, set[str]] = defaultdict(set)
        self._before: defaultdict[LabelPlace, Counter[LabelPlace]] = defaultdict(Counter)
        self._after: defaultdict[tuple[LabelPlace, Spot], defaultdict[str, set[int]]] = defaultdict(
            lambda: defaultdict(set)
        )
        for number, (page, places) in enumerate(zip(pages, outlines, strict=True)):
            self._look(number, page, places)
        self._frequent = max(_LEAST_FREQUENT, _FREQUENT * self._pages)
        frequent = [text for text, count in self.pages_with.items() if count >= self._frequent]
        self._frequent_at = Counter[Spot]()
        self._frequent_kinds_at = Counter(text[:2] for text in frequent)
        for text in frequent:
            self._frequent_at[text[:2]] += self._times[text]

    def _look(self, number: int, page: Page, places: Sequence[int]) -> None:
        cells = columns(page)
        of_values, of_keys = value_cells(page), key_cells(page)
        here: Counter[Spot] = Counter()
        own: set[LabelPlace] = set()
        before: LabelPlace | None = None
        for said, owner in zip(page.texts, page.owners, strict=True):
            spot = (places[owner], cells[owner])
            if spot[0] == HIDDEN:
                before = None
                continue
            text = (*spot, said)
            here[spot] += 1
            self._values_at[spot] += of_values[owner]
            self._keys_at[spot] += of_keys[owner] and may_be_label(said)
            self._times[text] += 1
            self._kinds_at[spot].add(said)
            own.add(text)
            if before is not None:
                self._after[before, spot][said].add(number)
                self._before[text][before] += 1
            before = text
        self.pages_with.update(own)
        for text in own:
            self._pages_of[text].append(number)
        self._texts_at.update(here)
        for spot, count in here.items():
            self._most_at[spot] = max(self._most_at[spot], count)

    def spots_of(self, labels: frozenset[LabelPlace]) -> frozenset[Spot]:
        """The spots at which several labels stand and hardly anything else, or at which the tags say so."""
        kinds = Counter(label[:2] for label in labels if self.pages_with[label] >= _ON_MANY * self._pages)
        times: Counter[Spot] = Counter()
        for label in labels:
            times[label[:2]] += self._times[label]
        usual = {
            spot
            for spot, count in kinds.items()
            if count >= _LEAST_LABELS and self._most_at[spot] > 1 and times[spot] >= _NOTHING_ELSE * self._texts_at[spot]
        }
        keys = {spot for spot, count in self._keys_at.items() if count >= _NOTHING_ELSE * self._texts_at[spot]}
        return frozenset(usual | keys)

    def is_label(self, text: LabelPlace) -> bool:
        """Is this text at this place a label?"""
        said, count = text[2], self.pages_with[text]
        if not may_be_label(said):
            return False
        if said.endswith(":") and count >= _LEAST_WITH_COLON:
            return True
        return count >= self._frequent and self._is_place_of_labels(text) and not self._alternates(text)

    def _is_place_of_labels(self, text: LabelPlace) -> bool:
        spot = text[:2]
        if self._values_at[spot] >= _NOTHING_ELSE * self._texts_at[spot]:
            return False
        kinds = len(self._kinds_at[spot])
        if self._most_at[spot] == 1 and kinds > 1:
            return False  # one text on every page, and not always the same
        if self._frequent_at[spot] < _FREQUENT_TEXTS * self._texts_at[spot]:
            return False
        is_usual = self._frequent_kinds_at[spot] >= _FREQUENT_KINDS * kinds
        return is_usual or self.pages_with[text] >= _ALWAYS * self._pages

    def _alternates(self, text: LabelPlace) -> bool:
        """Do other pages say something else after the same text, and never both?"""
        if self.pages_with[text] == self._pages:
            return False
        before = self._before[text]
        usual = [one for one, count in before.most_common(_MOST_BEFORE) if count >= _USUAL_BEFORE * before.total()]
        return any(self._alternates_after(one, text) for one in usual)

    def _alternates_after(self, before: LabelPlace, text: LabelPlace) -> bool:
        """Do other pages have something else than this text after ``before``, and pages with this text have not?"""
        followers = self._followers_of(before, text[:2])
        pages = self._after[before, text[:2]][text[2]]
        total = followers.total - len(pages)
        if total < max(2, _LEAST_OTHERS * self._pages):
            return False
        if followers.texts - 1 > _MANY_OTHERS:
            return True
        together = sum(followers.on_page[page] - len(pages) for page in pages)
        return together < _TOGETHER * total * len(pages)

    def _followers_of(self, before: LabelPlace, spot: Spot) -> _Followers:
        """Count what stands at a spot after a text: once for all texts there, of which there may be many."""
        key = (before, spot)
        known = self._followers.get(key)
        if known is None:
            after = self._after[key]
            counts = {text: len(pages) for text, pages in after.items()}
            on_page: Counter[int] = Counter()
            for text, count in counts.items():
                for page in self._pages_of[(*spot, text)]:
                    on_page[page] += count
            known = self._followers[key] = _Followers(len(counts), sum(counts.values()), on_page)
        return known
