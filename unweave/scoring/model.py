"""Models: weights of named features, read from a data file, and calibrated probabilities.

A choice among candidates works the same way everywhere: code finds candidates, each is described by
a ``NamedTuple`` of numbers, its features, and a linear model scores them. ``bench.fit`` fits the
weights to pages with known results and writes them to a JSON file beside the code that uses them.
"""

from __future__ import annotations

import json
import math
import operator
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

# Keeps the log odds of probabilities of 0 and 1 finite.
_EPSILON = 1e-6


def read_model_file(package: str, name: str) -> dict[str, Any]:
    """Return the content of a model file of a package."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A weight for each feature, in the order of the features."""

    weights: tuple[float, ...]
    intercept: float = 0.0

    @classmethod
    def from_json(cls, data: Mapping[str, Any], names: Sequence[str]) -> LinearModel:
        """Read the weights by name; features without one have the weight 0."""
        weights: Mapping[str, float] = data["weights"]
        return cls(tuple(weights.get(name, 0.0) for name in names), data.get("intercept", 0.0))

    def score(self, features: Sequence[float]) -> float:
        """Return the weighted sum of the features."""
        return self.intercept + float(sum(map(operator.mul, self.weights, features)))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone function from raw probabilities to confidences, linear between its points."""

    raw: tuple[float, ...]
    confidences: tuple[float, ...]

    @classmethod
    def from_json(cls, points: Sequence[tuple[float, float]]) -> Calibration:
        """Read the points, each a raw probability and the confidence that it means."""
        return cls(*map(tuple, zip(*points, strict=True)))

    def apply(self, probability: float) -> float:
        """Return the confidence of a raw probability: of those with 0.9, nine in ten are right."""
        after = bisect_right(self.raw, probability)
        if after == 0:
            return self.confidences[0]
        if after == len(self.raw):
            return self.confidences[-1]
        left, right = self.raw[after - 1], self.raw[after]
        low, high = self.confidences[after - 1], self.confidences[after]
        return low + (high - low) * (probability - left) / (right - left)


def compute_probability(log_odds: float) -> float:
    """Return the probability that has these log odds."""
    if log_odds < 0:
        odds = math.exp(log_odds)
        return odds / (1 + odds)
    return 1 / (1 + math.exp(-log_odds))


def compute_log_odds(score: float, scores: Sequence[float]) -> float:
    """Return the log odds of a candidate by the softmax of the scores; its own is among them."""
    share = 1 / sum([math.exp(min(other - score, 50.0)) for other in scores])
    return math.log(share + _EPSILON) - math.log(1 - share + _EPSILON)
