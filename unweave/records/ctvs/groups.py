"""Which of many siblings are alike: all are compared with all, as far as it can make a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unweave.records.ctvs.segments import Letters
from unweave.trees.distance import similar

# On one page. Beyond, a sibling is compared only with those nearest to it in length.
_MOST_COMPARISONS = 1_500_000
_NEAREST = 8


class Groups:
    """Groups of similar tag strings: the connected components of similarity.

    Equal strings are compared once, a string is not compared with a group that it is already in, and not with one whose
    length alone makes it dissimilar.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._shrink = (1 - threshold / 2) / (1 + threshold / 2)
        self._left = _MOST_COMPARISONS

    def of(self, strings: Sequence[str]) -> Letters:
        """The letter of each string's group; none for one that is like no other."""
        by_length = sorted(set(strings), key=lambda string: (len(string), string))
        groups = self._components(by_length)
        sizes = Counter(groups[string] for string in strings)
        return [groups[string] if sizes[groups[string]] > 1 else None for string in strings]

    def _components(self, by_length: Sequence[str]) -> dict[str, int]:
        parents = list(range(len(by_length)))

        def root(index: int) -> int:
            while parents[index] != index:
                parents[index] = parents[parents[index]]
                index = parents[index]
            return index

        shortest = 0
        for index, string in enumerate(by_length):
            least = len(string) * self._shrink - 1e-9
            while len(by_length[shortest]) < least:
                shortest += 1
            first = shortest if self._left > 0 else max(shortest, index - _NEAREST)
            own = index
            for other in range(index - 1, first - 1, -1):
                group = root(other)
                if group == own:
                    continue
                self._left -= 1
                if similar(string, by_length[other], self._threshold):
                    parents[own] = group
                    own = group
        return {string: root(index) for index, string in enumerate(by_length)}
