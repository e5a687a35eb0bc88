"""Fitting of the additive models of ``unweave.scoring.additive``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.fitting import Floats

Ints = NDArray[np.int32]
_MEMORY = 8  # steps that L-BFGS remembers
_MIN_WEIGHT = 0.02


@dataclass(frozen=True)
class Binning:
    """The ranges of features: the limits between them, and the number of the first of each."""

    edges: tuple[Floats, ...]

    @classmethod
    def choose(cls, features: Floats, ranges: int) -> Binning:
        """Return ranges with about the same number of rows, or one for each of few values."""
        edges: list[Floats] = []
        for column in features.T:
            values = np.unique(column)
            if len(values) <= ranges + 4:
                edges.append(((values[1:] + values[:-1]) / 2).astype(np.float64))
            else:
                shares = np.linspace(0, 1, ranges + 1)[1:-1]
                edges.append(np.unique(np.quantile(column, shares)).astype(np.float64))
        return cls(tuple(np.array([float(f"{edge:.5g}") for edge in each]) for each in edges))

    @property
    def offsets(self) -> list[int]:
        sizes = [len(edges) + 1 for edges in self.edges]
        return [int(number) for number in np.cumsum([0, *sizes])]

    def apply(self, features: Floats) -> Ints:
        """Return the numbers of the ranges of each row."""
        columns = [
            np.searchsorted(edges, column, side="right") + offset
            for edges, column, offset in zip(self.edges, features.T, self.offsets, strict=False)
        ]
        return np.stack(columns, axis=1).astype(np.int32)


@dataclass(frozen=True)
class Rows:
    """The numbers of the ranges and words of each row, one row after the other."""

    indexes: Ints
    starts: NDArray[np.int64]
    """Where each row starts, and where the last ends. No row is empty."""

    @classmethod
    def join(cls, ranges: Ints, words: Sequence[Sequence[int]] | None, offset: int) -> Rows:
        """Join the ranges of each row with its words, which are counted from ``offset`` on."""
        width = ranges.shape[1]
        if words is None:
            return cls(ranges.ravel(), np.arange(len(ranges) + 1) * width)
        lengths = np.array([len(each) for each in words])
        starts = np.concatenate([[0], np.cumsum(lengths + width)])
        indexes = np.empty(starts[-1], np.int32)
        is_range = np.zeros(starts[-1], bool)
        is_range[(starts[:-1, None] + np.arange(width)[None]).ravel()] = True
        indexes[is_range] = ranges.ravel()
        flat = np.fromiter((word for each in words for word in each), np.int32, lengths.sum())
        indexes[~is_range] = flat + offset
        return cls(indexes, starts)

    def select(self, rows: NDArray[np.int64]) -> Rows:
        """Return some of the rows."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        positions = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        return Rows(self.indexes[np.repeat(self.starts[rows], lengths) + positions], starts)

    def score(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each row; of several columns if there are some."""
        return np.add.reduceat(weights[self.indexes], self.starts[:-1])


def minimize(
    evaluate: Callable[[Floats], tuple[float, Floats]], start: Floats, steps: int
) -> Floats:
    """Return where a function is about the lowest, by L-BFGS; it returns value and gradient."""
    point = start
    value, gradient = evaluate(point)
    moves: list[tuple[Floats, Floats, float]] = []
    for _ in range(steps):
        direction = gradient.copy()
        factors: list[float] = []
        for move, change, inverse in reversed(moves):
            factor = inverse * float((move * direction).sum())
            direction -= factor * change
            factors.append(factor)
        if moves:
            move, change, inverse = moves[-1]
            direction *= 1 / (inverse * float((change * change).sum()))
        else:
            direction *= 1 / (np.abs(gradient).sum() + 1e-12)
        for (move, change, inverse), factor in zip(moves, reversed(factors), strict=True):
            direction += (factor - inverse * float((change * direction).sum())) * move
        slope = -float((direction * gradient).sum())
        length = 1.0
        for _ in range(12):
            next_point = point - length * direction
            next_value, next_gradient = evaluate(next_point)
            if next_value <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            return point
        move, change = next_point - point, next_gradient - gradient
        product = float((move * change).sum())
        if product > 1e-12:
            moves = [*moves[1 - _MEMORY :], (move, change, 1 / product)]
        point, value, gradient = next_point, next_value, next_gradient
    return point


def fit_profiles(
    rows: Rows,
    right: Floats,
    row_weights: Floats,
    profiles: NDArray[np.int64],
    penalties: Floats,
    *,
    steps: int,
) -> Floats:
    """Return the weights of a logistic model with a profile for each kind of page.

    ``penalties`` and the weights have a row for what is shared and one for each profile.
    """
    count, size = penalties.shape
    row_weights = row_weights / row_weights.sum()
    lengths = np.diff(rows.starts)
    indexes = rows.indexes + np.repeat(profiles * size, lengths)

    def evaluate(weights: Floats) -> tuple[float, Floats]:
        mixed = (weights[0] + weights[1:]).ravel()
        scores = np.add.reduceat(mixed[indexes], rows.starts[:-1])
        loss = row_weights @ (np.logaddexp(0, scores) - right * scores)
        errors = row_weights * (1 / (1 + np.exp(-scores)) - right)
        sums = np.bincount(indexes, np.repeat(errors, lengths), minlength=(count - 1) * size)
        gradient = np.empty_like(weights)
        gradient[1:] = sums.reshape(count - 1, size)
        gradient[0] = gradient[1:].sum(0)
        return (
            float(loss + (penalties * weights * weights).sum()),
            gradient + 2 * penalties * weights,
        )

    return minimize(evaluate, np.zeros((count, size)), steps)


def fit_classes(
    rows: Rows,
    classes: NDArray[np.int64],
    row_weights: Floats,
    number: int,
    size: int,
    penalty: float,
    *,
    steps: int,
) -> Floats:
    """Return the weights of each class that make the true classes likely, by softmax.

    Classes with fewer rows count a little more, by the fourth root of their number.
    """
    truth = np.eye(number)[classes]
    row_weights = row_weights * np.bincount(classes, row_weights, number)[classes] ** -0.25
    row_weights /= row_weights.sum()
    lengths = np.diff(rows.starts)

    def evaluate(weights: Floats) -> tuple[float, Floats]:
        likelihood = compute_softmax(rows, weights)
        right = (likelihood * truth).sum(1)
        errors = (likelihood - truth) * row_weights[:, None]
        gradient = np.stack(
            [
                np.bincount(rows.indexes, np.repeat(errors[:, each], lengths), minlength=size)
                for each in range(number)
            ],
            axis=1,
        )
        loss = -float(row_weights @ np.log(right + 1e-12))
        return float(loss + penalty * (weights**2).sum()), gradient + 2 * penalty * weights

    return minimize(evaluate, np.zeros((size, number)), steps)


def compute_softmax(rows: Rows, weights: Floats) -> Floats:
    """Return the probability of each class in each row."""
    scores = rows.score(weights)
    odds = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True))


def write_model(
    names: Sequence[str],
    binning: Binning,
    vocabulary: Mapping[str, Sequence[str]],
    weights: Floats,
) -> dict[str, Any]:
    """Return a model as plain data, given its weights: a row for what is shared, and profiles.

    ``vocabulary`` has the words of each place, in the order of their weights.
    """
    features = {
        name: {
            "edges": edges.tolist(),
            "weights": [
                _round(weights[:, number]) for number in range(start, start + len(edges) + 1)
            ],
        }
        for name, edges, start in zip(names, binning.edges, binning.offsets, strict=False)
    }
    start = binning.offsets[-1]
    words: dict[str, dict[str, dict[str, float]]] = {}
    for place, entries in vocabulary.items():
        words[place] = {}
        for number, word in enumerate(entries, start=start):
            sparse = _select_large(weights[:, number])
            if sparse:
                words[place][word] = sparse
        start += len(entries)
    return {"features": features, "words": words}


def _round(weights: Iterable[float]) -> list[float]:
    return [round(float(weight), 3) for weight in weights]


def _select_large(weights: Floats) -> dict[str, float]:
    return {
        str(number): round(float(weight), 2)
        for number, weight in enumerate(weights)
        if abs(weight) >= _MIN_WEIGHT
    }
