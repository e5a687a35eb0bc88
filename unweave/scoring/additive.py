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
from itertools import chain
from operator import getitem
from typing import Any

Weights = tuple[float, ...]
"""The weight that all profiles share, and what each profile adds."""

_MIN_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """Weights for the ranges of features and for words, with profiles."""

    edges: tuple[tuple[float, ...], ...]
    """The limits between the ranges of each feature."""
    tables: tuple[tuple[Weights, ...], ...]
    """For each feature the weights of its ranges."""
    words: Mapping[str, Mapping[str, Weights]]
    """The weights of words by the place where they are found."""
    profiles: int

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], names: Sequence[str], profiles: int
    ) -> AdditiveModel:
        """Read a model: for each feature, its edges and the weights of its ranges."""
        edges = [tuple(data["features"][name]["edges"]) for name in names]
        tables = [tuple(map(tuple, data["features"][name]["weights"])) for name in names]
        none = (0.0,) * (profiles + 1)
        words = {
            place: {word: _read_sparse(weights, none) for word, weights in entries.items()}
            for place, entries in data.get("words", {}).items()
        }
        return cls(tuple(edges), tuple(tables), words, profiles)

    def mix(self, shares: Sequence[float]) -> MixedModel:
        """Return the model for a page that is of each kind by some probability."""
        used = [
            (number, share) for number, share in enumerate(shares, start=1) if share >= _MIN_SHARE
        ]
        tables = [
            [
                weights[0] + sum([share * weights[number] for number, share in used])
                for weights in table
            ]
            for table in self.tables
        ]
        words = {place: MixedWords(entries, used) for place, entries in self.words.items()}
        return MixedModel(self.edges, tables, words)

    def score_profiles(
        self, features: Sequence[float], words: Mapping[str, Sequence[str]]
    ) -> list[float]:
        """Return the score of each profile."""
        totals = [0.0] * self.profiles
        ranges = [
            table[bisect_right(edges, value)]
            for edges, table, value in zip(self.edges, self.tables, features, strict=True)
        ]
        found = [
            weights
            for place, entries in self.words.items()
            for weights in map(entries.get, words[place])
            if weights is not None
        ]
        for weights in chain(ranges, found):
            for number in range(self.profiles):
                totals[number] += weights[0] + weights[number + 1]
        return totals


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
        weights = self._entries.get(word)
        mixed = 0.0
        if weights is not None:
            mixed = weights[0] + sum([share * weights[number] for number, share in self._used])
        self[word] = mixed
        return mixed

    def sum_up(self, words: Sequence[str]) -> float:
        """Return the sum of the weights of words."""
        return sum(map(self.__getitem__, words))


@dataclass(frozen=True, slots=True)
class MixedModel:
    """The weights for one page."""

    edges: Sequence[tuple[float, ...]]
    tables: Sequence[Sequence[float]]
    words: Mapping[str, MixedWords]

    def score(self, features: Sequence[float]) -> float:
        """Return the sum of the weights of the ranges of the features."""
        return sum(map(getitem, self.tables, map(bisect_right, self.edges, features)))
