"""The weights of the signals of ``auto``, fitted to pages with truth, and what they reach on sites and sets left out.

    python -m bench.fit --data ../shared/data --score ../shared/score/score.py [--without SIGNAL...]

A page's candidates compete: the weights make it likely that the one that is drawn by the softmax of their worths is right.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unweave
from bench.corpus import RECORDS, page_sets
from unweave.errors import UnweaveError
from unweave.records import depta
from unweave.records.auto.choice import signals
from unweave.records.auto.outline import Outline
from unweave.records.auto.signals import SIGNALS

Floats = NDArray[np.float64]

_PENALTY = 1e-3
_STEPS = 300
_POWER = 4
_FOLDS = 8


@dataclass(frozen=True)
class Sample:
    """The candidates of one page: their signals, and the F1 of each."""

    set: str
    site: str
    signals: Floats
    quality: Floats


def main() -> None:
    """Fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--without", nargs="*", default=[], help="signals to leave out")
    parser.add_argument("--ablation", action="store_true", help="leave out one signal after the other")
    arguments = parser.parse_args()
    samples = _samples(arguments.data, arguments.score)
    sets = list(dict.fromkeys(own.set for own in samples))
    print(f"{'':24}", *(f"{name:>13}" for name in sets))
    _print("perfect ranking", {name: _mean([own.quality.max() for own in samples if own.set == name]) for name in sets})
    used = [number for number, name in enumerate(SIGNALS) if name not in arguments.without]
    if arguments.ablation:
        for number in used:
            _print(f"without {SIGNALS[number]}", _folds(samples, [own for own in used if own != number], _by_site))
        return
    weights = _fit(samples, used)
    _print("as fitted", _reached(samples, used, weights))
    _print("sites left out", _folds(samples, used, _by_site))
    _print("sets left out", _folds(samples, used, lambda own: sets.index(own.set)))
    _print_calibration(samples, used)
    for number, weight in zip(used, weights, strict=True):
        print(f'    "{SIGNALS[number]}": {weight:.3g},')


def _print(name: str, figures: dict[str, float]) -> None:
    print(f"{name:24}", *(f"{value:13.3f}" for value in figures.values()), flush=True)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


# ---- candidates --------------------------------------------------------------------------------------------------


def _samples(data: Path, scorer: Path) -> list[Sample]:
    found: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        for own in page_sets(data, "records", RECORDS):
            pages = own.pages()
            made = workers.map(_sample, repeat(own.name), repeat(own.folder), pages, repeat(scorer), chunksize=8)
            found += [sample for sample in made if sample is not None]
    return found


def _sample(name: str, folder: Path, truth: dict[str, Any], scorer: Path) -> Sample | None:
    try:
        outline = Outline(unweave.read(folder / truth["page"]))
    except UnweaveError:
        return None
    found, rows = signals(outline, depta.find(outline.page))
    if not found:
        return None
    score = _loaded(scorer)
    quality = Quality(score, outline.page.texts, truth["records"])
    return Sample(name, truth["site"], np.array(rows, dtype=float), np.array([quality.of(spans) for spans in found]))


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
        words = {word: number for number, word in enumerate({word: 0 for bag in self._truth for word in bag})}
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
            (np.array([words[word] for word in bag], dtype=int), np.array(list(bag.values()))) for bag in self._truth
        ]
        self._known: dict[tuple[int, int], list[tuple[float, int]]] = {}

    def of(self, spans: Sequence[tuple[int, int]]) -> float:
        """The F1 of a list whose records have these texts."""
        found = [(share, true, row) for row, span in enumerate(spans) for share, true in self._held(span)]
        matched: set[int] = set()
        rows: set[int] = set()
        for _, true, row in sorted(found, key=lambda own: (-own[0], abs(own[1] - own[2]), own[1], own[2])):
            if true not in matched and row not in rows:
                matched.add(true)
                rows.add(row)
        right = len(matched)
        return float(self._score.f1(right / len(spans), right / len(self._truth))) if self._truth else 0.0

    def _held(self, span: tuple[int, int]) -> list[tuple[float, int]]:
        """The true records that a record holds, without holding another."""
        if span not in self._known:
            row = self._counts[span[1]] - self._counts[span[0]]
            length = max(1, int(self._lengths[span[1]] - self._lengths[span[0]]))
            hits = [true for true in range(len(self._truth)) if self._is_inside(true, row)]
            self._known[span] = [
                (sum(self._truth[true].values()) / length, true) for true in hits if not self._holds_other(true, row, hits)
            ]
        return self._known[span]

    def _is_inside(self, true: int, row: NDArray[np.int32]) -> bool:
        words, times = self._wanted[true]
        return bool(times.sum()) and bool(np.minimum(row[words], times).sum() >= self._score.COVER * times.sum() - 1e-9)

    def _holds_other(self, true: int, row: NDArray[np.int32], hits: Sequence[int]) -> bool:
        rest = row.copy()
        words, times = self._wanted[true]
        rest[words] = np.maximum(0, rest[words] - times)
        return any(other != true and self._is_inside(other, rest) for other in hits)


# ---- fitting -----------------------------------------------------------------------------------------------------


def _fit(samples: Sequence[Sample], used: Sequence[int]) -> Floats:
    """The weights that make it most likely that the right candidate is drawn; every set counts by the root of its size."""
    rows = np.concatenate([own.signals[:, used] for own in samples])
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
        slope = ((both / np.add.reduceat(both, starts)[page] - likely) * share[page]) @ rows - 2 * _PENALTY * weights
        speed = 0.9 * speed + 0.1 * slope
        scale = 0.99 * scale + 0.01 * slope * slope
        pace = 0.15 * (1 - step / _STEPS) + 0.005
        weights = weights + pace * speed / (1 - 0.9**step) / (np.sqrt(scale / (1 - 0.99**step)) + 1e-8)
    return np.asarray(weights / spread)


def _reached(samples: Sequence[Sample], used: Sequence[int], weights: Floats) -> dict[str, float]:
    picked = [(own.set, float(own.quality[np.argmax(own.signals[:, used] @ weights)])) for own in samples]
    return {
        name: _mean([value for own, value in picked if own == name]) for name in dict.fromkeys(own for own, _ in picked)
    }


def _by_site(sample: Sample) -> int:
    return sum(map(ord, f"{sample.set}/{sample.site}")) % _FOLDS


def _folds(samples: Sequence[Sample], used: Sequence[int], fold: Callable[[Sample], int]) -> dict[str, float]:
    """What is reached on pages that the weights have not seen."""
    picked: dict[str, list[float]] = {own.set: [] for own in samples}
    for number in sorted(set(map(fold, samples))):
        seen = [own for own in samples if fold(own) != number]
        weights = _fit(seen, used)
        for own in samples:
            if fold(own) == number:
                picked[own.set].append(float(own.quality[np.argmax(own.signals[:, used] @ weights)]))
    return {name: _mean(values) for name, values in picked.items()}


# ---- calibration -------------------------------------------------------------------------------------------------

_RIGHT = 0.9
_BINS = (0.0, 0.7, 0.8, 0.9, 0.95, 1.0)


def _print_calibration(samples: Sequence[Sample], used: Sequence[int]) -> None:
    """How odds and worth become a score, by a logistic regression on sites left out, and how many tables are right."""
    facts, right = [], []
    for fold in range(_FOLDS):
        weights = _fit([own for own in samples if _by_site(own) != fold], used)
        for own in (own for own in samples if _by_site(own) == fold):
            worths = own.signals[:, used] @ weights
            best = int(np.argmax(worths))
            share = 1 / np.exp(worths - worths[best]).sum()
            facts.append([np.log(share + 1e-6) - np.log(1 - share + 1e-6), worths[best], 1.0])
            right.append(own.quality[best] >= _RIGHT)
    rows, was_right = np.array(facts), np.array(right, dtype=float)
    factors = np.zeros(rows.shape[1])
    for _ in range(50):  # Newton's method
        scores = 1 / (1 + np.exp(-rows @ factors))
        curve = (rows * (scores * (1 - scores))[:, None]).T @ rows
        factors = factors + np.linalg.solve(curve, rows.T @ (was_right - scores))
    print("ODDS, WORTH, NEVER:", *(f"{factor:.3g}" for factor in factors))
    scores = 1 / (1 + np.exp(-rows @ factors))
    for low, high in pairwise(_BINS):
        inside = (scores >= low) & (scores < high)
        share = was_right[inside].mean() if inside.any() else 0.0
        print(f"score {low:.2f} to {high:.2f}: {inside.sum()} tables, {share:.2f} of them right")


if __name__ == "__main__":
    main()
