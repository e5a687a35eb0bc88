"""Fit the weights of title features, and measure them on sites left out.

    python -m bench.titles --data ../shared/data

Of the candidates of a page, the true title should have the highest score. The output ends with the
content of ``unweave/content/title_model.json`` for the fitted weights.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import unweave
from bench import fitting
from bench.corpus import NEWS, PageSet, find_page_sets
from bench.fitting import Choice
from bench.reporting import make_parser
from unweave.content.blocks import BlockScores, find_blocks
from unweave.content.body import find_body
from unweave.content.title import MODEL, TitleFeatures, find_title_candidates
from unweave.text_similarity import compute_dice, count_terms

_MIN_SIMILARITY = 0.8  # to the true title, of a correct one
_RIDGE = 1e-3
_FEATURES = TitleFeatures._fields

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Example:
    """The candidates of one page, and their similarity to the true title."""

    set: str
    site: str
    features: Matrix
    similarity: Matrix

    def is_correct_with(self, weights: Matrix) -> bool:
        """Tell whether these weights choose the true title."""
        return bool(
            len(self.similarity)
            and self.similarity[np.argmax(self.features @ weights)] >= _MIN_SIMILARITY
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
        for example in _build_examples(page_set)
    ]
    current = np.array(MODEL.weights)
    _print_shares("current weights", examples, [current] * len(examples))
    _print_shares("fitted, sites left out", examples, _fit_without_sites(examples))
    fitted = _fit(examples)
    _print_shares("fitted to all", examples, [fitted] * len(examples))
    print(json.dumps({"weights": fitting.round_weights(_FEATURES, fitted)}, indent=1))


def _build_examples(page_set: PageSet) -> list[Example]:
    return [_build_example(page_set, truth) for truth in page_set.read_pages() if truth["title"]]


def _build_example(page_set: PageSet, truth: dict[str, str]) -> Example:
    page = unweave.load_page(page_set.folder / truth["page"])
    scores = BlockScores(page, find_blocks(page))
    candidates = find_title_candidates(scores.page, scores.blocks, find_body(scores).blocks)
    title = count_terms(truth["title"])
    rows = [candidate.features for candidate in candidates]
    return Example(
        page_set.name,
        truth["site"],
        np.array(rows).reshape(len(rows), len(_FEATURES)),
        np.array([compute_dice(count_terms(candidate.text), title) for candidate in candidates]),
    )


def _fit_without_sites(examples: Sequence[Example]) -> list[Matrix]:
    """Return for each example weights that are fitted without its site."""
    fitted: dict[str, Matrix] = {}
    for rest, left_out in fitting.leave_out(examples, fitting.get_site_fold):
        fitted[fitting.get_site_fold(left_out[0])] = _fit(rest)
    return [fitted[fitting.get_site_fold(example)] for example in examples]


def _fit(examples: Sequence[Example]) -> Matrix:
    """Return the weights that make correct candidates most likely."""
    choices: list[Choice] = []
    for example in examples:
        is_correct = example.similarity >= _MIN_SIMILARITY
        if is_correct.any():
            quality = np.where(is_correct, example.similarity, 0.0)
            choices.append(Choice(example.set, example.site, example.features, quality))
    return fitting.fit_choice(choices, [0] * len(_FEATURES), _RIDGE)


def _print_shares(heading: str, examples: Sequence[Example], weights: Sequence[Matrix]) -> None:
    is_correct: dict[str, list[bool]] = defaultdict(list)
    for example, fitted in zip(examples, weights, strict=True):
        is_correct[example.set].append(example.is_correct_with(fitted))
    shares = [f"{name} {np.mean(values):.3f}" for name, values in is_correct.items()]
    print(f"{heading:24}" + "  ".join(shares))


if __name__ == "__main__":
    main()
