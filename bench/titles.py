"""Fit the weights of title features, and measure such weights on sites that they were not fitted to.

    python -m bench.titles --data ../shared/data

A conditional logit: of the candidates of a page, one that equals the true title should score highest.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import unweave
from bench.corpus import NEWS, PageSet, find_page_sets
from bench.reporting import make_parser
from unweave.content.blocks import BlockScores, find_blocks
from unweave.content.body import find_body
from unweave.content.title import WEIGHTS, TitleFeatures, find_title_candidates
from unweave.text_similarity import compute_dice, count_terms

_RIGHT = 0.8
_FOLDS = 5
_ROUNDS, _PACE, _DECAY = 200, 0.5, 1e-3
_FEATURES = TitleFeatures._fields

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Example:
    """The candidates of one page, and how like the true title each of them is."""

    set: str
    site: str
    features: Matrix
    similarity: Matrix

    def is_right_with(self, weights: Matrix) -> bool:
        """Do these weights choose the title?"""
        return bool(
            len(self.similarity) and self.similarity[np.argmax(self.features @ weights)] >= _RIGHT
        )


def main() -> None:
    """Print the figures and the weights."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with the sets of real pages"
    )
    examples = [
        example
        for page_set in find_page_sets(parser.parse_args().data, "news", NEWS)
        for example in _examples(page_set)
    ]
    now = np.array(WEIGHTS)
    _show("weights in use", examples, [now] * len(examples))
    _show("fitted, sites left out", examples, _left_out(examples))
    fitted = _fit(examples)
    _show("fitted to all", examples, [fitted] * len(examples))
    for name, weight in zip(_FEATURES, fitted, strict=True):
        print(f"    {name}={weight:.1f},")


def _examples(page_set: PageSet) -> list[Example]:
    return [_example(page_set, truth) for truth in page_set.read_pages() if truth["title"]]


def _example(page_set: PageSet, truth: dict[str, str]) -> Example:
    page = unweave.load_page(page_set.folder / truth["page"])
    scores = BlockScores(page, find_blocks(page))
    candidates = find_title_candidates(scores, find_body(scores).blocks)
    title = count_terms(truth["title"])
    rows = [candidate.features for candidate in candidates]
    return Example(
        page_set.name,
        truth["site"],
        np.array(rows).reshape(len(rows), len(_FEATURES)),
        np.array([compute_dice(count_terms(candidate.text), title) for candidate in candidates]),
    )


def _left_out(examples: Sequence[Example]) -> list[Matrix]:
    """For each example, weights that were fitted without its site."""
    sites = sorted({(example.set, example.site) for example in examples})
    random.Random(1).shuffle(sites)
    fold = {site: number % _FOLDS for number, site in enumerate(sites)}
    folds = [fold[example.set, example.site] for example in examples]
    fitted = [
        _fit([one for one, its in zip(examples, folds, strict=True) if its != out])
        for out in range(_FOLDS)
    ]
    return [fitted[out] for out in folds]


def _fit(examples: Sequence[Example]) -> Matrix:
    """Weights that make right candidates likely, by gradient steps that adapt to each weight."""
    usable = [
        (one.features, np.where(one.similarity >= _RIGHT, one.similarity**4, 0.0))
        for one in examples
        if len(one.similarity) and one.similarity.max() >= _RIGHT
    ]
    weights, squares = np.zeros(len(_FEATURES)), np.full(len(_FEATURES), 1e-9)
    for _ in range(_ROUNDS):
        slope = sum(
            (_slope(features, target, weights) for features, target in usable),
            np.zeros(len(_FEATURES)),
        )
        slope = slope / len(usable) - _DECAY * weights
        squares += slope**2
        weights = weights + _PACE * slope / np.sqrt(squares)
    return weights


def _slope(features: Matrix, target: Matrix, weights: Matrix) -> Matrix:
    scores = features @ weights
    likely = np.exp(scores - scores.max())
    wanted = likely * target
    slope: Matrix = features.T @ (wanted / wanted.sum() - likely / likely.sum())
    return slope


def _show(what: str, examples: Sequence[Example], weights: Sequence[Matrix]) -> None:
    right: dict[str, list[bool]] = defaultdict(list)
    for example, own in zip(examples, weights, strict=True):
        right[example.set].append(example.is_right_with(own))
    print(f"{what:24}" + "  ".join(f"{name} {np.mean(those):.3f}" for name, those in right.items()))


if __name__ == "__main__":
    main()
