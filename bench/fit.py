"""Fit the weights of the default list method, and measure them on sites and sets left out.

    python -m bench.fit --data ../shared/data --score ../shared/score/score.py [--ablation]

The candidates of a page compete: the weights maximize the probability of correct candidates by the
softmax of the scores. The quick features choose the candidates that are compared closely; all
features choose among those. Then the calibration, from the log odds and the features of the best
candidate to its confidence, is fitted by logistic regression to these pages and to news pages,
which have no list. The last lines of the output are those of ``unweave/lists/model.json``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unweave
from bench.corpus import NEWS, RECORDS, find_page_sets
from bench.reporting import make_parser
from bench.scoring import load_scorer
from unweave.errors import UnweaveError
from unweave.lists.candidates import GENERATORS, Spans, find_candidates
from unweave.lists.data_records import find_data_record_lists
from unweave.lists.features import QUICK_FEATURE_COUNT, SHARE_EPSILON, Features
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import (
    MAX_COMPARED,
    compute_log_odds,
    is_menu_or_prose,
    measure_candidates,
)

Floats = NDArray[np.float64]

_WEIGHT_DECAY = 1e-3
_STEPS = 300
_QUALITY_POWER = 4
_FOLDS = 8
_NAMES = Features._fields
_QUICK = range(QUICK_FEATURE_COUNT)


@dataclass(frozen=True)
class Sample:
    """The candidates of one page: their features, and the F1 of each."""

    set: str
    site: str
    features: Floats
    quality: Floats
    ignored: int | None = None
    """The number of a feature that is not used."""

    def select_compared(self, quick: Floats) -> Sample:
        """Return the candidates that are compared closely, with features relative to the best."""
        visible = self.features * (np.arange(len(_NAMES)) != self.ignored)
        best = np.argsort(-(visible[:, _QUICK] @ quick), kind="stable")[:MAX_COMPARED]
        features = self.features[best].copy()
        gains = features[:, _NAMES.index("template_gain")]
        features[:, _NAMES.index("relative_gain")] = (
            np.log(gains / gains.max() + SHARE_EPSILON) if gains.max() else 0.0
        )
        if self.ignored is not None:
            features[:, self.ignored] = 0.0
        return replace(self, features=features, quality=self.quality[best])


@dataclass(frozen=True)
class Fitted:
    """The weights of quick features, and those of all."""

    quick: Floats
    all: Floats

    def choose(self, sample: Sample) -> float:
        """Return the F1 of the candidate with the highest score."""
        compared = sample.select_compared(self.quick)
        return float(compared.quality[np.argmax(compared.features @ self.all)])


def main() -> None:
    """Print the figures and the model."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument(
        "--ablation",
        action="store_true",
        help="leave out each source and each feature in turn",
    )
    arguments = parser.parse_args()
    samples = _build_samples(arguments.data, arguments.score)
    sets = list(dict.fromkeys(sample.set for sample in samples))
    print(f"{'':28}", *(f"{name:>13}" for name in sets))
    best = [(sample.set, sample.quality.max()) for sample in samples]
    _print_row("perfect ranking", _average_by_set(best))
    if arguments.ablation:
        _print_ablation(arguments.data, arguments.score, samples)
        return
    fitted = _fit_both(samples)
    chosen = [(sample.set, fitted.choose(sample)) for sample in samples]
    _print_row("as fitted", _average_by_set(chosen))
    _print_row("sites left out", _cross_validate(samples, _fold_of_site))
    _print_row("sets left out", _cross_validate(samples, lambda sample: sets.index(sample.set)))
    without_list = _build_news_samples(arguments.data)
    factors = _calibrate(samples, without_list)
    model = {
        "quick_weights": _round_weights(_NAMES[:QUICK_FEATURE_COUNT], fitted.quick),
        "weights": _round_weights(_NAMES, fitted.all),
        "calibration_weights": _round_weights(_NAMES, factors[1:-1]),
        **_round_weights(["calibration_slope", "calibration_intercept"], factors[[0, -1]]),
    }
    print(json.dumps(model, indent=2))


def _print_ablation(data: Path, scorer: Path, samples: Sequence[Sample]) -> None:
    for source in GENERATORS:
        remaining = _build_samples(data, scorer, frozenset(GENERATORS) - {source})
        _print_row(f"without {source}", _cross_validate(remaining, _fold_of_site))
    for number, name in enumerate(_NAMES):
        reduced = [replace(sample, ignored=number) for sample in samples]
        _print_row(f"without {name}", _cross_validate(reduced, _fold_of_site))


def _round_weights(names: Sequence[str], weights: Floats) -> dict[str, float]:
    """Return weights by name with three significant digits, as in ``unweave/lists/model.json``."""
    return {name: float(f"{weight:.3g}") for name, weight in zip(names, weights, strict=True)}


def _print_row(name: str, figures: dict[str, float]) -> None:
    print(f"{name:28}", *(f"{value:13.3f}" for value in figures.values()), flush=True)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


# ---- candidates ----------------------------------------------------------------------------------


def _build_samples(
    data: Path, scorer: Path, sources: frozenset[str] = frozenset(GENERATORS)
) -> list[Sample]:
    samples: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        for page_set in find_page_sets(data, "records", RECORDS):
            build = partial(_build_sample, page_set.name, page_set.folder, scorer, sources)
            samples += workers.map(build, page_set.read_pages(), chunksize=8)
    return samples


def _build_sample(
    name: str, folder: Path, scorer: Path, sources: frozenset[str], truth: dict[str, Any]
) -> Sample:
    spans, texts, rows = _measure_page(folder / truth["page"], sources)
    if not spans:  # the page counts as wrong
        return Sample(name, truth["site"], np.zeros((1, len(_NAMES))), np.zeros(1))
    quality = Quality(load_scorer(scorer), texts, truth["records"])
    return Sample(
        name,
        truth["site"],
        np.array(rows, dtype=float),
        np.array([quality.compute_f1(candidate) for candidate in spans]),
    )


def _build_news_samples(data: Path) -> list[Sample]:
    """Return samples of pages without a list: none of their candidates is correct."""
    samples: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        for page_set in find_page_sets(data, "news", NEWS):
            pages = page_set.read_pages()
            pages = pages[:: max(1, len(pages) // _MAX_NEWS_PAGES)]
            paths = [page_set.folder / page["page"] for page in pages]
            measured = workers.map(_measure_page, paths, chunksize=8)
            for page, (_, _, rows) in zip(pages, measured, strict=True):
                if rows:
                    features = np.array(rows, dtype=float)
                    samples.append(
                        Sample(page_set.name, page["site"], features, np.zeros(len(rows)))
                    )
    return samples


def _measure_page(
    path: Path, sources: frozenset[str] = frozenset(GENERATORS)
) -> tuple[list[Spans], list[str], list[list[float]]]:
    try:
        index = PageIndex(unweave.load_page(path))
    except UnweaveError:
        return [], [], []
    candidates = find_candidates(index, find_data_record_lists(index.page), sources)
    measured = measure_candidates(index, candidates, limit=None)
    spans = [spans for spans, _, _ in measured]
    return spans, index.page.texts, [list(features) for _, _, features in measured]


class Quality:
    """The scorer's F1 of many lists of one page; the words of a record are a difference of sums."""

    def __init__(self, score: Any, texts: Sequence[str], truth: Sequence[Sequence[str]]) -> None:
        self._score = score
        self._truth = [score.bag(" ".join(record)) for record in truth]
        words = {
            word: number
            for number, word in enumerate({word: 0 for bag in self._truth for word in bag})
        }
        counts = np.zeros((len(texts) + 1, len(words)), dtype=np.int32)
        lengths = np.zeros(len(texts) + 1, dtype=np.int64)
        for position, text in enumerate(texts, start=1):
            bag = score.bag(text)
            lengths[position] = sum(bag.values())
            for word, count in bag.items():
                if word in words:
                    counts[position, words[word]] += count
        self._counts, self._lengths = counts.cumsum(0), lengths.cumsum()
        self._required = [
            (np.array([words[word] for word in bag], dtype=int), np.array(list(bag.values())))
            for bag in self._truth
        ]
        self._cache: dict[tuple[int, int], list[tuple[float, int]]] = {}

    def compute_f1(self, spans: Sequence[tuple[int, int]]) -> float:
        """Return the F1 of a list whose records have these text nodes."""
        candidates = [
            (share, true, row)
            for row, span in enumerate(spans)
            for share, true in self._find_records(span)
        ]
        matched: set[int] = set()
        rows: set[int] = set()
        for _, true, row in sorted(
            candidates, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]), pair[1], pair[2])
        ):
            if true not in matched and row not in rows:
                matched.add(true)
                rows.add(row)
        if not self._truth:
            return 0.0
        return float(self._score.f1(len(matched) / len(spans), len(matched) / len(self._truth)))

    def _find_records(self, span: tuple[int, int]) -> list[tuple[float, int]]:
        """Return the true records that a record contains, each without any other."""
        if span not in self._cache:
            row = self._counts[span[1]] - self._counts[span[0]]
            length = max(1, int(self._lengths[span[1]] - self._lengths[span[0]]))
            hits = [true for true in range(len(self._truth)) if self._is_inside(true, row)]
            self._cache[span] = [
                (sum(self._truth[true].values()) / length, true)
                for true in hits
                if not self._contains_other(true, row, hits)
            ]
        return self._cache[span]

    def _is_inside(self, true: int, row: NDArray[np.int32]) -> bool:
        words, counts = self._required[true]
        covered = np.minimum(row[words], counts).sum()
        return bool(counts.sum() and covered >= self._score.COVER * counts.sum() - 1e-9)

    def _contains_other(self, true: int, row: NDArray[np.int32], hits: Sequence[int]) -> bool:
        rest = row.copy()
        words, counts = self._required[true]
        rest[words] = np.maximum(0, rest[words] - counts)
        return any(other != true and self._is_inside(other, rest) for other in hits)


# ---- fitting -------------------------------------------------------------------------------------


def _fit(samples: Sequence[Sample], used: Sequence[int]) -> Floats:
    """Return the weights that make correct candidates most likely.

    Every set counts by the square root of its size.
    """
    rows = np.concatenate([sample.features[:, used] for sample in samples])
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    rows = (rows - mean) / deviation
    quality = np.concatenate([sample.quality for sample in samples]) ** _QUALITY_POWER + 1e-6
    counts = [len(sample.quality) for sample in samples]
    starts = np.cumsum([0, *counts])[:-1]
    page = np.repeat(np.arange(len(samples)), counts)
    sizes = Counter(sample.set for sample in samples)
    page_weights = np.array([sizes[sample.set] ** -0.5 for sample in samples])
    page_weights /= page_weights.sum()
    weights, momentum, variance = np.zeros(len(used)), np.zeros(len(used)), np.zeros(len(used))
    for step in range(1, _STEPS + 1):  # Adam, with a learning rate that falls
        scores = rows @ weights
        likelihood = np.exp(scores - np.maximum.reduceat(scores, starts)[page])
        likelihood /= np.add.reduceat(likelihood, starts)[page]
        correct = likelihood * quality
        correct /= np.add.reduceat(correct, starts)[page]
        gradient = ((correct - likelihood) * page_weights[page]) @ rows
        gradient -= 2 * _WEIGHT_DECAY * weights
        momentum = 0.9 * momentum + 0.1 * gradient
        variance = 0.99 * variance + 0.01 * gradient * gradient
        rate = 0.15 * (1 - step / _STEPS) + 0.005
        scale = np.sqrt(variance / (1 - 0.99**step)) + 1e-8
        weights = weights + rate * momentum / (1 - 0.9**step) / scale
    return np.asarray(weights / deviation)


def _fit_both(samples: Sequence[Sample]) -> Fitted:
    quick = _fit(samples, _QUICK)
    compared = [sample.select_compared(quick) for sample in samples]
    return Fitted(quick, _fit(compared, range(len(_NAMES))))


def _average_by_set(figures: Iterable[tuple[str, float]]) -> dict[str, float]:
    by_set: dict[str, list[float]] = {}
    for name, value in figures:
        by_set.setdefault(name, []).append(value)
    return {name: _mean(values) for name, values in by_set.items()}


def _fold_of_site(sample: Sample) -> int:
    return sum(map(ord, f"{sample.set}/{sample.site}")) % _FOLDS


def _cross_validate(
    samples: Sequence[Sample], get_fold: Callable[[Sample], int]
) -> dict[str, float]:
    """Return the mean F1 of each set on pages that the weights were not fitted to."""
    folds = list(map(get_fold, samples))
    fitted = {}
    for fold in sorted(set(folds)):
        rest = [sample for sample, number in zip(samples, folds, strict=True) if number != fold]
        fitted[fold] = _fit_both(rest)
    return _average_by_set(
        (sample.set, fitted[fold].choose(sample))
        for sample, fold in zip(samples, folds, strict=True)
    )


# ---- calibration ---------------------------------------------------------------------------------

_MIN_CORRECT_F1 = 0.9
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
# News pages count half: most pages that users give have a list.
_MAX_NEWS_PAGES = 150  # of each set
_NEWS_WEIGHT = 0.5
_RIDGE = 1.0


def _calibrate(samples: Sequence[Sample], without_list: Sequence[Sample]) -> Floats:
    """Return the weights of log odds and features for the confidence.

    Prints the share of correct tables by confidence, on sites left out.
    """
    pages = [*samples, *without_list]
    scores, correct = np.zeros(len(pages)), np.zeros(len(pages))
    has_no_list = np.zeros(len(pages))
    page_weights = np.array([1.0] * len(samples) + [_NEWS_WEIGHT] * len(without_list))
    for fold in range(_FOLDS):
        rest = [sample for sample in samples if _fold_of_site(sample) != fold]
        data = _CalibrationData(_fit_both(rest), pages)
        inside = np.array([_fold_of_site(sample) == fold for sample in pages])
        factors = _fit_logistic(data.rows[~inside], data.correct[~inside], page_weights[~inside])
        scores[inside] = _sigmoid(data.rows[inside] @ factors)
        correct[inside] = data.correct[inside]
        for number in np.flatnonzero(inside):
            features = Features(*data.rows[number][1:-1].tolist())
            has_no_list[number] = is_menu_or_prose(scores[number], features)
    for low, high in pairwise(_BINS):
        inside = (scores >= low) & (scores < high)
        share = correct[inside].mean() if inside.any() else 0.0
        print(f"score {low:.2f} to {high:.2f}: {inside.sum()} tables, {share:.2f} correct")
    shares = _average_by_set(zip([page.set for page in pages], has_no_list, strict=True))
    for name, share in shares.items():
        print(f"{name}: {share:.2f} of the pages have no list")
    data = _CalibrationData(_fit_both(samples), pages)
    return _fit_logistic(data.rows, data.correct, page_weights)


class _CalibrationData:
    """Log odds, features and a 1 of the best candidate of each page; whether it is correct."""

    def __init__(self, fitted: Fitted, samples: Sequence[Sample]) -> None:
        rows, correct = [], []
        for sample in samples:
            compared = sample.select_compared(fitted.quick)
            scores = compared.features @ fitted.all
            best = int(np.argmax(scores))
            rows.append([compute_log_odds(scores.tolist())[best], *compared.features[best], 1.0])
            correct.append(compared.quality[best] >= _MIN_CORRECT_F1)
        self.rows, self.correct = np.array(rows), np.array(correct, dtype=float)


def _sigmoid(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)))


def _fit_logistic(rows: Floats, correct: Floats, page_weights: Floats) -> Floats:
    """Return the factors of a logistic regression, by Newton's method with a ridge penalty."""
    deviation = np.append(rows[:, :-1].std(0) + 1e-9, 1.0)
    scaled = rows / deviation
    ridge = np.diag([_RIDGE] * (rows.shape[1] - 1) + [0.0])
    factors = np.zeros(rows.shape[1])
    for _ in range(50):
        scores = _sigmoid(scaled @ factors)
        curvature = page_weights * scores * (1 - scores)
        hessian = (scaled * curvature[:, None]).T @ scaled + ridge
        gradient = scaled.T @ (page_weights * (correct - scores)) - ridge @ factors
        factors = factors + np.linalg.solve(hessian, gradient)
    return np.asarray(factors / deviation)


if __name__ == "__main__":
    main()
