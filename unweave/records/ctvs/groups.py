"""Which of many siblings are alike: all are compared with all, as far as it can make a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from unweave.records.ctvs.segments import Letters
from unweave.trees.distance import ROUNDING, similar

# On one page. Beyond, a sibling is compared only with those nearest to it in length.
_MOST_COMPARISONS = 1_000_000
_NEAREST = 8
# A comparison of so many pairs of tags counts as two.
_LONG = 20_000

Group = list[str]
"""Strings from short to long."""


class Groups:
    """Groups of similar tag strings: the connected components of similarity.

    Equal strings are compared once. Strings come from short to long, and a group whose longest is too short for the next
    one is done with. Of a group, the longest are compared first, and one that is similar is enough.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._shrink = (1 - threshold / 2) / (1 + threshold / 2)
        self._left = _MOST_COMPARISONS

    def of(self, strings: Sequence[str]) -> Letters:
        """The letter of each string's group; none for one that is like no other."""
        groups = self._grouped(sorted(set(strings), key=lambda string: (len(string), string)))
        letters = {string: letter for letter, group in enumerate(groups) for string in group}
        sizes = Counter(letters[string] for string in strings)
        return [letters[string] if sizes[letters[string]] > 1 else None for string in strings]

    def _grouped(self, by_length: Sequence[str]) -> list[Group]:
        done: list[Group] = []
        growing: dict[int, Group] = {}  # in the order of their longest strings: the last ones are the nearest
        for string in by_length:
            least = len(string) * self._shrink - ROUNDING
            while growing and len((shortest := next(iter(growing.values())))[-1]) < least:
                done.append(growing.pop(id(shortest)))
            near = list(growing.values()) if self._left > 0 else list(islice(reversed(growing.values()), _NEAREST))
            alike = [group for group in near if self._is_like(string, group, least)]
            for group in alike:
                del growing[id(group)]
            joined = _united(alike)
            joined.append(string)
            growing[id(joined)] = joined
        return done + list(growing.values())

    def _is_like(self, string: str, group: Group, least: float) -> bool:
        """Is the string similar to one of the group?"""
        for other in reversed(group if self._left > 0 else group[-_NEAREST:]):
            if len(other) < least:
                return False
            self._left -= 1 + len(string) * len(other) // _LONG
            if similar(string, other, self._threshold):
                return True
        return False


def _united(groups: Sequence[Group]) -> Group:
    return groups[0] if len(groups) == 1 else sorted([string for group in groups for string in group], key=len)
