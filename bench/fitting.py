"""Fitting of the models of ``unweave.scoring``: choices, probabilities and their calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FOLDS = 8
_STEPS = 300
_NEWTON_STEPS = 40


class Sourced(Protocol):
    """Something that was measured on a page of a site that belongs to a set."""

    @property
    def set(self) -> str: ...
    @property
    def site(self) -> str: ...


T = TypeVar("T", bound=Sourced)


def get_site_fold(example: Sourced) -> str:
    """Return the fold of an example: all pages of a site are in the same."""
    return str(sum(map(ord, f"{example.set}/{example.site}")) % FOLDS)


def get_set(example: Sourced) -> str:
    """Return the set of an example."""
    return example.set


def leave_out(
    examples: Sequence[T], get_group: Callable[[T], str]
) -> Iterator[tuple[list[T], list[T]]]:
    """Yield for each group the examples of all others, to fit to, and its own, to measure on."""
    groups = [get_group(example) for example in examples]
    for left_out in sorted(set(groups)):
        fitted = [each for each, group in zip(examples, groups, strict=True) if group != left_out]
        yield (
            fitted,
            [each for each, group in zip(examples, groups, strict=True) if group == left_out],
        )


def weigh_sets(examples: Sequence[Sourced]) -> Floats:
    """Return a weight for each example so that all sets count the same."""
    sizes = Counter(example.set for example in examples)
    weights = np.array([1 / sizes[example.set] for example in examples])
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class Choice:
    """The candidates of one page: the features of each, and how right it is, from 0 to 1."""

    set: str
    site: str
    features: Floats
    quality: Floats


def fit_choice(
    choices: Sequence[Choice], signs: Sequence[int], ridge: float, power: float = 4.0
) -> Floats:
    """Return the weights that make right candidates most likely, by the softmax of their scores.

    A candidate counts as right by its quality to a power. A weight is 0 rather than of another sign
    than ``signs`` says (1, -1, or 0 for either): with few sites, a weight that contradicts the
    meaning of its feature is a coincidence.
    """
    rows = np.concatenate([choice.features for choice in choices])
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    rows = (rows - mean) / deviation
    quality = np.concatenate([choice.quality for choice in choices]) ** power + 1e-6
    counts = [len(choice.quality) for choice in choices]
    starts = np.cumsum([0, *counts])[:-1]
    page = np.repeat(np.arange(len(choices)), counts)
    page_weights = weigh_sets(choices)[page]
    sign = np.array(signs)
    weights = np.zeros(rows.shape[1])
    momentum, variance = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):  # Adam, with a learning rate that falls
        scores = rows @ weights
        likelihood = np.exp(scores - np.maximum.reduceat(scores, starts)[page])
        likelihood /= np.add.reduceat(likelihood, starts)[page]
        right = likelihood * quality
        right /= np.add.reduceat(right, starts)[page]
        gradient = ((right - likelihood) * page_weights) @ rows - 2 * ridge * weights
        momentum = 0.9 * momentum + 0.1 * gradient
        variance = 0.99 * variance + 0.01 * gradient * gradient
        rate = 0.15 * (1 - step / _STEPS) + 0.005
        scale = np.sqrt(variance / (1 - 0.99**step)) + 1e-8
        weights = weights + rate * momentum / (1 - 0.9**step) / scale
        weights = np.where(sign * weights < 0, 0.0, weights)
    return np.asarray(weights / deviation)


def fit_logistic(rows: Floats, right: Floats, row_weights: Floats, ridge: float) -> Floats:
    """Return the weights of a logistic regression, the intercept last; by Newton's method."""
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    scaled = np.column_stack([(rows - mean) / deviation, np.ones(len(rows))])
    row_weights = row_weights * len(rows) / row_weights.sum()
    penalty = np.diag([ridge] * rows.shape[1] + [1e-6])
    weights = np.zeros(scaled.shape[1])
    for _ in range(_NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-scaled @ weights))
        curvature = row_weights * probability * (1 - probability)
        hessian = (scaled * curvature[:, None]).T @ scaled + penalty
        gradient = scaled.T @ (row_weights * (right - probability)) - penalty @ weights
        weights = weights + np.linalg.solve(hessian, gradient)
    factors = weights[:-1] / deviation
    return np.append(factors, weights[-1] - mean @ factors)


def predict(weights: Floats, rows: Floats) -> Floats:
    """Return the probabilities that a logistic regression gives."""
    return np.asarray(1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))))


def fit_calibration(raw: Floats, right: Floats, min_size: int = 40) -> list[tuple[float, float]]:
    """Return points of an increasing function from raw probabilities to shares of right ones.

    Raw probabilities are pooled in order, ``min_size`` or more at a time, and further where the
    share would not rise (isotonic regression). The function starts at (0, 0) and ends at (1, 1), so
    that no two raw probabilities have the same confidence.
    """
    order = np.argsort(raw, kind="stable")
    count = max(1, len(order) // min_size)
    pools: list[list[float]] = []  # the sums of raw probabilities and of right ones, the number
    for chunk in np.array_split(order, count):
        pools.append([float(raw[chunk].sum()), float(right[chunk].sum()), len(chunk)])
        while len(pools) > 1 and _smooth_share(pools[-2]) >= _smooth_share(pools[-1]):
            last = pools.pop()
            pools[-1] = [left + right_ for left, right_ in zip(pools[-1], last, strict=True)]
    return [(0.0, 0.0), *((pool[0] / pool[2], _smooth_share(pool)) for pool in pools), (1.0, 1.0)]


def _smooth_share(pool: Sequence[float]) -> float:
    """Return the share of right ones in a pool, which is never 0 or 1."""
    _, right, number = pool
    return (right + 0.5) / (number + 1)


def calibrate(points: Sequence[tuple[float, float]], raw: Floats) -> Floats:
    """Return the confidences of raw probabilities."""
    return np.interp(raw, [point[0] for point in points], [point[1] for point in points])


def average_by_set(figures: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return the mean of the figures of each set, in the order of their first figure."""
    by_set: dict[str, list[float]] = {}
    for name, value in figures:
        by_set.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in by_set.items()}


def round_weights(names: Sequence[str], weights: Sequence[float] | Floats) -> dict[str, float]:
    """Return weights by name with three significant digits, without those that are 0."""
    return {
        name: float(f"{weight:.3g}")
        for name, weight in zip(names, weights, strict=True)
        if abs(weight) > 1e-9
    }


def get_signs(names: Sequence[str], *, positive: str, negative: str) -> list[int]:
    """Return 1, -1 or 0 for each feature, given the names of those with 1 and with -1."""
    unknown = {*positive.split(), *negative.split()} - {*names}
    if unknown:
        raise ValueError(f"signs of unknown features: {sorted(unknown)}")
    return [(name in positive.split()) - (name in negative.split()) for name in names]
