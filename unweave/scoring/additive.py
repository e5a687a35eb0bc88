"""Additive models: a weight for every range of a feature and for every word, and profiles.

Each feature is cut into ranges, and each range has its own weight: the model is as quick as a
linear one, and finds by itself what is too little and what is too much. Words, such as those of
classes, have a weight each. A profile changes the weights for one kind of page; pages of uncertain
kind get a mixture.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, starmap
from operator import add, getitem
from typing import Any

Weights = tuple[float, ...]
"""The weight that all profiles share, and what each profile adds."""

_MIN_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """Weights for the ranges of features and for words, with profiles."""

    edges: tuple[tuple[float, ...], ...]
    """The limits between the ranges of each feature."""
    ranges: tuple[range, ...]
    """For each feature the numbers of its ranges."""
    weights: tuple[Weights, ...]
    """The weights of each range of all features."""
    columns: tuple[tuple[float, ...], ...]
    """The same by profile, that of what they share first."""
    words: Mapping[str, Mapping[str, Weights]]
    """The weights of words by the place where they are found."""
    profiles: int

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], names: Sequence[str], profiles: int
    ) -> AdditiveModel:
        """Read a model: for each feature, its edges and the weights of its ranges."""
        edges = [tuple(data["features"][name]["edges"]) for name in names]
        ends = list(accumulate([len(each) + 1 for each in edges], initial=0))
        weights = [tuple(each) for name in names for each in data["features"][name]["weights"]]
        none = (0.0,) * (profiles + 1)
        words = {
            place: {word: _read_sparse(weights, none) for word, weights in entries.items()}
            for place, entries in data.get("words", {}).items()
        }
        ranges = tuple(starmap(range, pairwise(ends)))
        columns = tuple(zip(*weights, strict=True))
        return cls(tuple(edges), ranges, tuple(weights), columns, words, profiles)

    def mix(self, shares: Sequence[float]) -> MixedModel:
        """Return the model for a page that is of each kind by some probability."""
        used = [
            (number, share) for number, share in enumerate(shares, start=1) if share >= _MIN_SHARE
        ]
        added = [0.0] * len(self.weights)
        for number, share in used:
            weights = self.columns[number]
            added = [total + share * weight for total, weight in zip(added, weights, strict=True)]
        mixed = list(map(add, self.columns[0], added))
        tables = [mixed[numbers.start : numbers.stop] for numbers in self.ranges]
        words = {place: MixedWords(entries, used) for place, entries in self.words.items()}
        return MixedModel(self.edges, tables, words)

    def score_profiles(
        self, features: Sequence[float], words: Mapping[str, Sequence[str]]
    ) -> list[float]:
        """Return the score of each profile."""
        found = [
            self.weights[numbers[bisect_right(edges, value)]]
            for edges, numbers, value in zip(self.edges, self.ranges, features, strict=True)
        ]
        for place, entries in self.words.items():
            found += filter(None, map(entries.get, words[place]))
        shared, *profiles = map(sum, zip(*found, strict=True))
        return [shared + total for total in profiles]


def _read_sparse(weights: Sequence[float] | Mapping[str, float], none: Weights) -> Weights:
    """Read the weights of a word: those that are not 0, by the number of the profile."""
    if not isinstance(weights, Mapping):
        return tuple(weights)
    values = list(none)
    for number, weight in weights.items():
        values[int(number)] = weight
    return tuple(values)


class MixedWords(dict[str, float]):
    """The weights of words on one page, mixed when they are first needed."""

    def __init__(self, entries: Mapping[str, Weights], used: Sequence[tuple[int, float]]) -> None:
        super().__init__()
        self._entries, self._used = entries, used

    def __missing__(self, word: str) -> float:
        weights = self._entries[word]
        mixed = self[word] = weights[0] + sum([part * weights[each] for each, part in self._used])
        return mixed

    def sum_up(self, words: Sequence[str]) -> float:
        """Return the sum of the weights of words."""
        entries, total = self._entries, 0.0
        for word in words:
            if word in entries:
                total += self[word]
        return total


@dataclass(frozen=True, slots=True)
class MixedModel:
    """The weights for one page."""

    edges: Sequence[tuple[float, ...]]
    tables: Sequence[Sequence[float]]
    words: Mapping[str, MixedWords]

    def score(self, features: Sequence[float]) -> float:
        """Return the sum of the weights of the ranges of the features."""
        return sum(map(getitem, self.tables, map(bisect_right, self.edges, features)))
