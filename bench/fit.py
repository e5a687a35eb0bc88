"""Fit the weights of the default list method to pages with truth, and print what they reach on sites and sets left out.

    python -m bench.fit --data ../shared/data --score ../shared/score/score.py [--ablation]

The candidates of a page compete: the weights make it likely that the one that is drawn by the softmax of the scores
is right. The quick features choose the candidates that are compared closely; all features choose among those. Then the
calibration, from the log odds and the features of the best candidate to its confidence, is fitted by logistic
regression to these pages and to pages of news, which have no list. The last lines are those of ``unweave/lists/model.json``.
"""

from __future__ import annotations

import importlib.util
import json
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
from unweave.errors import UnweaveError
from unweave.lists.candidates import SOURCES, Spans, find_candidates
from unweave.lists.data_records import find_listings
from unweave.lists.features import EPSILON, QUICK_FEATURE_COUNT, Features
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import (
    MAX_COMPARED,
    compute_log_odds,
    is_menu_or_prose,
    measure_candidates,
)

Floats = NDArray[np.float64]

_PENALTY = 1e-3
_STEPS = 300
_POWER = 4
_FOLDS = 8
_NAMES = Features._fields
_QUICK = range(QUICK_FEATURE_COUNT)


@dataclass(frozen=True)
class Sample:
    """The candidates of one page: their signals, and the F1 of each."""

    set: str
    site: str
    features: Floats
    quality: Floats
    blind: int | None = None
    """The number of a signal that is not looked at."""

    def chosen(self, quick: Floats) -> Sample:
        """The candidates that are looked at closely, with what is seen from the best of them."""
        seen = self.features * (np.arange(len(_NAMES)) != self.blind)
        best = np.argsort(-(seen[:, _QUICK] @ quick), kind="stable")[:MAX_COMPARED]
        features = self.features[best].copy()
        gains = features[:, _NAMES.index("template_gain")]
        features[:, _NAMES.index("relative_gain")] = (
            np.log(gains / gains.max() + EPSILON) if gains.max() else 0.0
        )
        if self.blind is not None:
            features[:, self.blind] = 0.0
        return replace(self, features=features, quality=self.quality[best])


@dataclass(frozen=True)
class Fitted:
    """The weights of quick features, and those of all."""

    quick: Floats
    all: Floats

    def pick(self, sample: Sample) -> float:
        """The F1 of the candidate that wins."""
        chosen = sample.chosen(self.quick)
        return float(chosen.quality[np.argmax(chosen.features @ self.all)])


def main() -> None:
    """Fit, and print."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument(
        "--ablation",
        action="store_true",
        help="leave out one source and one signal after the other",
    )
    arguments = parser.parse_args()
    samples = _samples(arguments.data, arguments.score)
    sets = list(dict.fromkeys(own.set for own in samples))
    print(f"{'':28}", *(f"{name:>13}" for name in sets))
    _print(
        "perfect ranking",
        {name: _mean([own.quality.max() for own in samples if own.set == name]) for name in sets},
    )
    if arguments.ablation:
        _ablation(arguments.data, arguments.score, samples)
        return
    fitted = _fit_both(samples)
    _print("as fitted", _by_set((own.set, fitted.pick(own)) for own in samples))
    _print("sites left out", _folds(samples, _by_site))
    _print("sets left out", _folds(samples, lambda own: sets.index(own.set)))
    others = _others(arguments.data)
    factors = _calibrated(samples, others)
    model = {
        "quick_weights": _round_weights(_NAMES[:QUICK_FEATURE_COUNT], fitted.quick),
        "weights": _round_weights(_NAMES, fitted.all),
        "calibration_weights": _round_weights(_NAMES, factors[1:-1]),
        **_round_weights(["calibration_slope", "calibration_intercept"], factors[[0, -1]]),
    }
    print(json.dumps(model, indent=2))


def _ablation(data: Path, scorer: Path, samples: Sequence[Sample]) -> None:
    for source in SOURCES:
        left = _samples(data, scorer, frozenset(SOURCES) - {source})
        _print(f"without {source}", _folds(left, _by_site))
    for number, name in enumerate(_NAMES):
        _print(f"without {name}", _folds([replace(own, blind=number) for own in samples], _by_site))


def _round_weights(names: Sequence[str], weights: Floats) -> dict[str, float]:
    """Return weights by name with three significant digits, as in ``unweave/lists/model.json``."""
    return {name: float(f"{weight:.3g}") for name, weight in zip(names, weights, strict=True)}


def _print(name: str, figures: dict[str, float]) -> None:
    print(f"{name:28}", *(f"{value:13.3f}" for value in figures.values()), flush=True)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


# ---- candidates --------------------------------------------------------------------------------------------------


def _samples(
    data: Path, scorer: Path, sources: frozenset[str] = frozenset(SOURCES)
) -> list[Sample]:
    found: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        for own in find_page_sets(data, "records", RECORDS):
            truths = own.read_pages()
            found += workers.map(
                partial(_sample, own.name, own.folder, scorer, sources), truths, chunksize=8
            )
    return found


def _sample(
    name: str, folder: Path, scorer: Path, sources: frozenset[str], truth: dict[str, Any]
) -> Sample:
    spans, texts, rows = _candidates(folder / truth["page"], sources)
    if not spans:  # a page where nothing is found counts as one that is wrong
        return Sample(name, truth["site"], np.zeros((1, len(_NAMES))), np.zeros(1))
    quality = Quality(_loaded(scorer), texts, truth["records"])
    return Sample(
        name,
        truth["site"],
        np.array(rows, dtype=float),
        np.array([quality.of(own) for own in spans]),
    )


def _others(data: Path) -> list[Sample]:
    """Pages without a list: none of their candidates is right."""
    found: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        for own in find_page_sets(data, "news", NEWS):
            pages = own.read_pages()[:: max(1, len(own.read_pages()) // _MOST_NEWS)]
            made = workers.map(
                _candidates, [own.folder / page["page"] for page in pages], chunksize=8
            )
            for page, (_, _, rows) in zip(pages, made, strict=True):
                if rows:
                    found.append(
                        Sample(
                            own.name, page["site"], np.array(rows, dtype=float), np.zeros(len(rows))
                        )
                    )
    return found


def _candidates(
    path: Path, sources: frozenset[str] = frozenset(SOURCES)
) -> tuple[list[Spans], list[str], list[list[float]]]:
    try:
        index = PageIndex(unweave.load_page(path))
    except UnweaveError:
        return [], [], []
    candidates = find_candidates(index, find_listings(index.page), sources)
    measured = measure_candidates(index, candidates, limit=None)
    spans = [spans for spans, _, _ in measured]
    return spans, index.page.texts, [list(features) for _, _, features in measured]


def _loaded(scorer: Path) -> Any:
    spec = importlib.util.spec_from_file_location("score", scorer)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Quality:
    """The scorer's F1 of lists of one page, for many lists: a record's words are a difference of two sums."""

    def __init__(self, score: Any, texts: Sequence[str], truth: Sequence[Sequence[str]]) -> None:
        self._score = score
        self._truth = [score.bag(" ".join(record)) for record in truth]
        words = {
            word: number
            for number, word in enumerate({word: 0 for bag in self._truth for word in bag})
        }
        counts = np.zeros((len(texts) + 1, len(words)), dtype=np.int32)
        lengths = np.zeros(len(texts) + 1, dtype=np.int64)
        for place, text in enumerate(texts, start=1):
            bag = score.bag(text)
            lengths[place] = sum(bag.values())
            for word, times in bag.items():
                if word in words:
                    counts[place, words[word]] += times
        self._counts, self._lengths = counts.cumsum(0), lengths.cumsum()
        self._wanted = [
            (np.array([words[word] for word in bag], dtype=int), np.array(list(bag.values())))
            for bag in self._truth
        ]
        self._known: dict[tuple[int, int], list[tuple[float, int]]] = {}

    def of(self, spans: Sequence[tuple[int, int]]) -> float:
        """The F1 of a list whose records have these texts."""
        found = [
            (share, true, row) for row, span in enumerate(spans) for share, true in self._held(span)
        ]
        matched: set[int] = set()
        rows: set[int] = set()
        for _, true, row in sorted(
            found, key=lambda own: (-own[0], abs(own[1] - own[2]), own[1], own[2])
        ):
            if true not in matched and row not in rows:
                matched.add(true)
                rows.add(row)
        right = len(matched)
        return (
            float(self._score.f1(right / len(spans), right / len(self._truth)))
            if self._truth
            else 0.0
        )

    def _held(self, span: tuple[int, int]) -> list[tuple[float, int]]:
        """The true records that a record holds, without holding another."""
        if span not in self._known:
            row = self._counts[span[1]] - self._counts[span[0]]
            length = max(1, int(self._lengths[span[1]] - self._lengths[span[0]]))
            hits = [true for true in range(len(self._truth)) if self._is_inside(true, row)]
            self._known[span] = [
                (sum(self._truth[true].values()) / length, true)
                for true in hits
                if not self._holds_other(true, row, hits)
            ]
        return self._known[span]

    def _is_inside(self, true: int, row: NDArray[np.int32]) -> bool:
        words, times = self._wanted[true]
        return bool(times.sum()) and bool(
            np.minimum(row[words], times).sum() >= self._score.COVER * times.sum() - 1e-9
        )

    def _holds_other(self, true: int, row: NDArray[np.int32], hits: Sequence[int]) -> bool:
        rest = row.copy()
        words, times = self._wanted[true]
        rest[words] = np.maximum(0, rest[words] - times)
        return any(other != true and self._is_inside(other, rest) for other in hits)


# ---- fitting -----------------------------------------------------------------------------------------------------


def _fit(samples: Sequence[Sample], used: Sequence[int]) -> Floats:
    """The weights that make it most likely that the right candidate is drawn; every set counts by the root of its size."""
    rows = np.concatenate([own.features[:, used] for own in samples])
    middle, spread = rows.mean(0), rows.std(0) + 1e-9
    rows = (rows - middle) / spread
    right = np.concatenate([own.quality for own in samples]) ** _POWER + 1e-6
    starts = np.cumsum([0] + [len(own.quality) for own in samples])[:-1]
    page = np.repeat(np.arange(len(samples)), [len(own.quality) for own in samples])
    sizes = {own.set: sum(other.set == own.set for other in samples) for own in samples}
    share = np.array([sizes[own.set] ** -0.5 for own in samples])
    share /= share.sum()
    weights, speed, scale = np.zeros(len(used)), np.zeros(len(used)), np.zeros(len(used))
    for step in range(1, _STEPS + 1):
        worth = rows @ weights
        likely = np.exp(worth - np.maximum.reduceat(worth, starts)[page])
        likely /= np.add.reduceat(likely, starts)[page]
        both = likely * right
        slope = (
            (both / np.add.reduceat(both, starts)[page] - likely) * share[page]
        ) @ rows - 2 * _PENALTY * weights
        speed = 0.9 * speed + 0.1 * slope
        scale = 0.99 * scale + 0.01 * slope * slope
        pace = 0.15 * (1 - step / _STEPS) + 0.005
        weights = weights + pace * speed / (1 - 0.9**step) / (
            np.sqrt(scale / (1 - 0.99**step)) + 1e-8
        )
    return np.asarray(weights / spread)


def _fit_both(samples: Sequence[Sample]) -> Fitted:
    quick = _fit(samples, _QUICK)
    return Fitted(quick, _fit([own.chosen(quick) for own in samples], range(len(_NAMES))))


def _by_set(picked: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for name, value in picked:
        found.setdefault(name, []).append(value)
    return {name: _mean(values) for name, values in found.items()}


def _by_site(sample: Sample) -> int:
    return sum(map(ord, f"{sample.set}/{sample.site}")) % _FOLDS


def _folds(samples: Sequence[Sample], fold: Callable[[Sample], int]) -> dict[str, float]:
    """What is reached on pages that the weights have not seen."""
    picked: dict[int, tuple[str, float]] = {}
    for number in sorted(set(map(fold, samples))):
        fitted = _fit_both([own for own in samples if fold(own) != number])
        picked |= {
            place: (own.set, fitted.pick(own))
            for place, own in enumerate(samples)
            if fold(own) == number
        }
    return _by_set(picked[place] for place in sorted(picked))


# ---- calibration -------------------------------------------------------------------------------------------------

_RIGHT = 0.9
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
# A set of news has so many pages at most here, and each counts half: most pages that users give have a list.
_MOST_NEWS = 150
_WEIGHT_OF_NEWS = 0.5
_RIDGE = 1.0


def _calibrated(samples: Sequence[Sample], others: Sequence[Sample]) -> Floats:
    """The factors that make a score of odds and signals; prints what scores mean on sites left out."""
    everything = [*samples, *others]
    scores, right = np.zeros(len(everything)), np.zeros(len(everything))
    no_list = np.zeros(len(everything))
    shares = np.array([1.0] * len(samples) + [_WEIGHT_OF_NEWS] * len(others))
    for fold in range(_FOLDS):
        facts = _Facts(_fit_both([own for own in samples if _by_site(own) != fold]), everything)
        inside = np.array([_by_site(own) == fold for own in everything])
        factors = _logistic(facts.rows[~inside], facts.right[~inside], shares[~inside])
        scores[inside], right[inside] = _logit(facts.rows[inside] @ factors), facts.right[inside]
        for place in np.flatnonzero(inside):
            no_list[place] = is_menu_or_prose(
                scores[place], Features(*facts.rows[place][1:-1].tolist())
            )
    for low, high in pairwise(_BINS):
        inside = (scores >= low) & (scores < high)
        share = right[inside].mean() if inside.any() else 0.0
        print(f"score {low:.2f} to {high:.2f}: {inside.sum()} tables, {share:.2f} of them right")
    for name in dict.fromkeys(own.set for own in everything):
        without = [no_list[place] for place, own in enumerate(everything) if own.set == name]
        print(f"{name}: {_mean(without):.2f} of the pages have no list")
    facts = _Facts(_fit_both(samples), everything)
    return _logistic(facts.rows, facts.right, shares)


class _Facts:
    """The odds and the signals of the best candidate of each page, a 1 at the end, and whether it is right."""

    def __init__(self, fitted: Fitted, samples: Sequence[Sample]) -> None:
        rows, right = [], []
        for sample in samples:
            chosen = sample.chosen(fitted.quick)
            worths = chosen.features @ fitted.all
            best = int(np.argmax(worths))
            rows.append([compute_log_odds(worths.tolist())[best], *chosen.features[best], 1.0])
            right.append(chosen.quality[best] >= _RIGHT)
        self.rows, self.right = np.array(rows), np.array(right, dtype=float)


def _logit(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)))


def _logistic(rows: Floats, right: Floats, shares: Floats) -> Floats:
    """The factors of a logistic regression by Newton's method, those of signals kept small."""
    spread = np.append(rows[:, :-1].std(0) + 1e-9, 1.0)
    scaled = rows / spread
    ridge = np.diag([_RIDGE] * (rows.shape[1] - 1) + [0.0])
    factors = np.zeros(rows.shape[1])
    for _ in range(50):
        scores = _logit(scaled @ factors)
        curve = (scaled * (shares * scores * (1 - scores))[:, None]).T @ scaled + ridge
        factors = factors + np.linalg.solve(
            curve, scaled.T @ (shares * (right - scores)) - ridge @ factors
        )
    return np.asarray(factors / spread)


if __name__ == "__main__":
    main()
