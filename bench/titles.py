"""Fits the weights of the evidence for titles, and says how well such weights do on sites that they were not fitted to.

    python -m bench.titles --data ../shared/data

A conditional logit: of the candidates of a page, one that says what the truth says should have most that speaks for it.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import unweave
from bench.corpus import NEWS, PageSet, page_sets
from unweave.news.article import body_of
from unweave.news.blocks import Blocks
from unweave.news.names import likeness, terms
from unweave.news.title import WEIGHTS, Candidate, candidates
from unweave.news.worth import Worth

_RIGHT = 0.8
_FOLDS = 5
_ROUNDS, _PACE, _DECAY = 200, 0.5, 1e-3
_KINDS = list(WEIGHTS)

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Example:
    """The candidates of one page, and how like the true title each of them is."""

    set: str
    site: str
    evidence: Matrix
    likeness: Matrix

    def is_right_with(self, weights: Matrix) -> bool:
        """Do these weights choose the title?"""
        return bool(len(self.likeness) and self.likeness[np.argmax(self.evidence @ weights)] >= _RIGHT)


def main() -> None:
    """Print the figures and the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the sets of real pages")
    examples = [
        example for page_set in page_sets(parser.parse_args().data, "news", NEWS) for example in _examples(page_set)
    ]
    now = np.array([WEIGHTS[kind] for kind in _KINDS])
    _show("weights in use", examples, [now] * len(examples))
    _show("fitted, sites left out", examples, _left_out(examples))
    fitted = _fit(examples)
    _show("fitted to all", examples, [fitted] * len(examples))
    for kind, weight in zip(_KINDS, fitted, strict=True):
        print(f"    {kind!r}: {weight:.1f},")


def _examples(page_set: PageSet) -> list[Example]:
    return [_example(page_set, truth) for truth in page_set.pages() if truth["title"]]


def _example(page_set: PageSet, truth: dict[str, str]) -> Example:
    worth = Worth(Blocks(unweave.read(page_set.folder / truth["page"])))
    found = candidates(worth, body_of(worth).blocks)
    title = terms(truth["title"])
    rows = [_row(candidate) for candidate in found]
    return Example(
        page_set.name,
        truth["site"],
        np.array(rows).reshape(len(rows), len(_KINDS)),
        np.array([likeness(terms(candidate.text), title) for candidate in found]),
    )


def _row(candidate: Candidate) -> list[float]:
    return [candidate.evidence.get(kind, 0.0) for kind in _KINDS]


def _left_out(examples: Sequence[Example]) -> list[Matrix]:
    """For each example, weights that were fitted without its site."""
    sites = sorted({(example.set, example.site) for example in examples})
    random.Random(1).shuffle(sites)
    fold = {site: number % _FOLDS for number, site in enumerate(sites)}
    folds = [fold[example.set, example.site] for example in examples]
    fitted = [_fit([one for one, its in zip(examples, folds, strict=True) if its != out]) for out in range(_FOLDS)]
    return [fitted[out] for out in folds]


def _fit(examples: Sequence[Example]) -> Matrix:
    """Weights that make right candidates likely, by gradient steps that adapt to each weight."""
    usable = [
        (one.evidence, np.where(one.likeness >= _RIGHT, one.likeness**4, 0.0))
        for one in examples
        if len(one.likeness) and one.likeness.max() >= _RIGHT
    ]
    weights, squares = np.zeros(len(_KINDS)), np.full(len(_KINDS), 1e-9)
    for _ in range(_ROUNDS):
        slope = sum((_slope(evidence, target, weights) for evidence, target in usable), np.zeros(len(_KINDS)))
        slope = slope / len(usable) - _DECAY * weights
        squares += slope**2
        weights = weights + _PACE * slope / np.sqrt(squares)
    return weights


def _slope(evidence: Matrix, target: Matrix, weights: Matrix) -> Matrix:
    scores = evidence @ weights
    likely = np.exp(scores - scores.max())
    wanted = likely * target
    slope: Matrix = evidence.T @ (wanted / wanted.sum() - likely / likely.sum())
    return slope


def _show(what: str, examples: Sequence[Example], weights: Sequence[Matrix]) -> None:
    right: dict[str, list[bool]] = defaultdict(list)
    for example, own in zip(examples, weights, strict=True):
        right[example.set].append(example.is_right_with(own))
    print(f"{what:24}" + "  ".join(f"{name} {np.mean(those):.3f}" for name, those in right.items()))


if __name__ == "__main__":
    main()
