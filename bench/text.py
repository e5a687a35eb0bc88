"""Fit the models of the main content of any page, and measure them with sites left out.

    python -m bench.text --data ../shared/data --score ../shared/score/score.py [--write]

The models are fitted to text/wcxb and the sets of news together. The sites are split in five folds.
The models of the page type and of the first pass are fitted to four folds and read the fifth; the
second pass is fitted to what they give for the pages of four folds, and reads the fifth. For the
figures of news, each set is left out as a whole. ``--write`` fits to all pages and writes the model
files.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from bench import additive
from bench.corpus import NEWS, PageSet, find_page_sets
from bench.fitting import Floats
from bench.floors import add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from bench.text_models import (
    MAIN_SET,
    BlockRows,
    Mask,
    PageTruth,
    SecondRows,
    TypeRows,
    describe_second_pass,
)
from bench.text_pages import FOLDS, Example, read_examples
from bench.text_shipped import FIGURES, select_figures
from unweave.content.block_features import ElementFeatures, PlaceFeatures, TextFeatures
from unweave.content.blocks import find_blocks
from unweave.content.body import list_unshown_paragraphs
from unweave.content.main_content import (
    MIN_LOG_ODDS,
    NeighbourFeatures,
    find_readable_page,
    find_title,
    select_blocks,
)
from unweave.content.page_type import PAGE_TYPES, PageTypeFeatures, choose_type
from unweave.page.page import Page

_FOLDER = Path("unweave/content")
_PARTS = {
    "texts": TextFeatures._fields,
    "places": PlaceFeatures._fields,
    "elements": ElementFeatures._fields,
}
_PLACES_OF_PARTS = {"texts": ("own",), "places": ("heading",), "elements": ("near", "far")}


def main() -> None:
    """Print the figures, and write the models."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument("--write", action="store_true", help="write the model files")
    parser.add_argument("--worst", type=int, default=0, help="print the worst pages")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "text", (MAIN_SET,))
    if not sets or not arguments.score.exists():
        print(f"No pages in {arguments.data}/text, or no scorer: nothing was measured.")
        return
    clock = _Clock()
    scorer = load_scorer(arguments.score)
    news = find_page_sets(arguments.data, "news", NEWS)
    fitted = sets + [page_set for page_set in news if page_set.name != MAIN_SET]
    examples = [example for page_set in fitted for example in read_examples(page_set)]
    clock.print(f"{len(examples)} pages read")
    cross = CrossValidation.run(examples)
    clock.print("sites left out")
    figures, per_page = score_text(cross, sets[0], scorer)
    _print_figures(figures)
    for value, name, kind in per_page[: arguments.worst]:
        print(f"{value:.3f} {name} {kind}")
    news_figures = {page_set.name: score_news(cross, page_set, scorer) for page_set in news}
    _print_news(news_figures)
    clock.print("sets left out")
    if arguments.write:
        write_models(cross, figures, news_figures)
        clock.print("written")
    measured = {
        "text, sites left out": {sets[0].key: select_figures(figures)},
        "text, set left out": {name: _select_news(each) for name, each in news_figures.items()},
    }
    sys.exit(check_floors(make_console(), arguments, measured, sets + news))


class _Clock:
    def __init__(self) -> None:
        self._started = time.monotonic()

    def print(self, text: str) -> None:
        print(f"{text}: {time.monotonic() - self._started:.0f} s", flush=True)


# ---- sites and sets left out ---------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """What models give for a page that they were not fitted to."""

    types: Floats
    """The probability of each type."""
    log_odds: Floats
    """The log odds of each block by the first pass."""
    probabilities: Floats
    """The probability of each block."""


@dataclass(frozen=True)
class CrossValidation:
    """What models that were fitted without the site of a page give for it."""

    examples: Sequence[Example]
    truth: PageTruth
    blocks: BlockRows
    types: TypeRows
    second: SecondRows
    readings: Mapping[int, Reading]

    @classmethod
    def run(cls, examples: Sequence[Example]) -> CrossValidation:
        """Fit the models of each fold, and read its pages."""
        truth = PageTruth.collect(examples)
        folds = np.array([example.fold for example in examples])
        types = TypeRows.build(examples)
        blocks = BlockRows.build(examples)
        print(f"{len(blocks.labels)} blocks, {blocks.size} weights a profile", flush=True)
        insides = [folds == fold for fold in range(FOLDS)]
        shares = np.zeros((len(examples), len(PAGE_TYPES)))
        for inside in insides:
            shares[inside] = _find_types(types, truth, inside)
        with ProcessPoolExecutor(2) as workers:
            fits = [
                workers.submit(_fit_and_predict, blocks, truth, shares, inside)
                for inside in insides
            ]
            log_odds = {page: odds for fit in fits for page, odds in fit.result().items()}
            described = list(
                workers.map(
                    describe_second_pass,
                    examples,
                    [log_odds[page] for page in range(len(examples))],
                    chunksize=32,
                )
            )
        second = SecondRows.build(described)
        readings: dict[int, Reading] = {}
        for inside in insides:
            weights = second.fit(blocks, truth, ~inside)
            for page in np.nonzero(inside)[0].tolist():
                scores = second.score_page(page, weights[0] + shares[page] @ weights[1:])
                readings[page] = _combine(shares[page], log_odds[page], scores)
        return cls(examples, truth, blocks, types, second, readings)

    def read_without_set(self, name: str, wanted: Sequence[int]) -> dict[int, Reading]:
        """Return what models that were fitted without a set give for some of its pages.

        The second pass is fitted to what the models with sites left out give for other pages.
        """
        examples, truth, second = self.examples, self.truth, self.second
        inside = np.array([example.set == name for example in examples])
        is_wanted = np.isin(np.arange(len(examples)), wanted)
        shares = np.zeros((len(examples), len(PAGE_TYPES)))
        shares[inside] = _find_types(self.types, truth, inside)
        fitted = self.blocks.fit(truth, ~inside)
        log_odds = self.blocks.predict(fitted, shares, is_wanted)
        weights = second.fit(self.blocks, truth, ~inside)
        readings: dict[int, Reading] = {}
        for page, odds in log_odds.items():
            features = describe_second_pass(examples[page], odds)
            scores = second.score(features, weights[0] + shares[page] @ weights[1:])
            readings[page] = _combine(shares[page], odds, scores)
        return readings


def _find_types(types: TypeRows, truth: PageTruth, inside: Mask) -> Floats:
    """Return the probabilities of the types of pages by a model fitted to all others."""
    rows = types.rows.select(np.nonzero(inside)[0])
    return additive.compute_softmax(rows, types.fit(truth, ~inside))


def _fit_and_predict(
    blocks: BlockRows, truth: PageTruth, shares: Floats, inside: Mask
) -> dict[int, Floats]:
    return blocks.predict(blocks.fit(truth, ~inside), shares, inside)


def _combine(types: Floats, first: Floats, second: Floats) -> Reading:
    scores = np.where(first > MIN_LOG_ODDS, second, first)
    probabilities = (1 / (1 + np.exp(-scores)) + 1 / (1 + np.exp(-first))) / 2
    return Reading(types, first, probabilities)


# ---- figures -------------------------------------------------------------------------------------


def score_text(
    cross: CrossValidation, page_set: PageSet, scorer: Any
) -> tuple[dict[str, Any], list[tuple[float, str, str]]]:
    """Return the figures of the main set, and its pages with theirs, the worst first."""
    output: dict[str, dict[str, str]] = {}
    for number, example in enumerate(cross.examples):
        if example.set == page_set.name:
            reading = cross.readings[number]
            blocks = example.described.blocks
            chosen = select_blocks(blocks, reading.probabilities.tolist())
            text = "\n".join([blocks[block].text for block in chosen])
            kind = choose_type(reading.types.tolist())[0]
            output[example.page] = {"text": text, "kind": kind}
    truth = page_set.read_pages()
    figures: dict[str, Any]
    figures, per_page = scorer.score_text(truth, output, len(truth))
    return figures, per_page


def score_news(cross: CrossValidation, page_set: PageSet, scorer: Any) -> dict[str, Any]:
    """Return the figures of a set of news by models that were fitted without it."""
    truth = page_set.read_pages()
    # The pages of news/wcxb are among those of text/wcxb, under other names.
    keys = ("truth", "body") if page_set.name == MAIN_SET else ("page", "page")
    numbers = {
        getattr(example, keys[0]): number
        for number, example in enumerate(cross.examples)
        if example.set == page_set.name
    }
    known = [page for page in truth if page[keys[1]] in numbers]
    readings = cross.read_without_set(page_set.name, [numbers[page[keys[1]]] for page in known])
    with ProcessPoolExecutor(2) as workers:
        stories = workers.map(
            _read_story,
            [page_set.folder / page["page"] for page in known],
            [readings[numbers[page[keys[1]]]].probabilities for page in known],
            chunksize=16,
        )
        output = {page["page"]: story for page, story in zip(known, stories, strict=True)}
    figures: dict[str, Any] = scorer.score_news(truth, output, 0)[0]
    return figures


def _read_story(path: Path, probabilities: Floats) -> dict[str, str]:
    page = find_readable_page(Page.load(path))
    blocks = find_blocks(page, with_hidden=True)
    content = [blocks[number] for number in select_blocks(blocks, probabilities.tolist())]
    title = find_title(page, blocks, content) or ""
    texts = [block.text for block in content]
    body = "\n".join(
        [text for text in (*texts, *list_unshown_paragraphs(page, texts)) if text != title]
    )
    return {"title": title, "body": body}


def _print_figures(figures: Mapping[str, Any]) -> None:
    grid = Table("", *PAGE_TYPES, "all", "type right", "with", "without", title="F1 of words")
    grid.add_row(
        "sites left out",
        *(f"{figures['by_kind'][kind]:.3f}" for kind in PAGE_TYPES),
        *(f"{figures[name]:.3f}" for name in FIGURES),
    )
    make_console(140).print(grid)


def _select_news(scored: Mapping[str, Any]) -> dict[str, float]:
    return {
        "right": scored["right"],
        "title_right": scored["title_right"],
        "body_f1": scored["body"]["f1"],
    }


def _print_news(figures: Mapping[str, Mapping[str, Any]]) -> None:
    grid = Table("right (title right, body F1)", *figures, title="Articles of news")
    grid.add_row(
        "set left out",
        *(
            "{right:.3f} ({title_right:.3f}, {body_f1:.3f})".format(**_select_news(each))
            for each in figures.values()
        ),
    )
    make_console(140).print(grid)


# ---- model files ---------------------------------------------------------------------------------


def write_models(
    cross: CrossValidation,
    figures: Mapping[str, Any],
    news_figures: Mapping[str, Mapping[str, Any]],
) -> None:
    """Fit the models to all pages and write them, with the figures with sites left out."""
    truth = cross.truth
    every = np.ones(len(cross.examples), bool)
    reached = {
        "sites left out": {
            **{kind: round(value, 3) for kind, value in figures["by_kind"].items()},
            **{name: round(figures[name], 3) for name in FIGURES},
        },
        "sets left out": {name: round(each["right"], 3) for name, each in news_figures.items()},
    }
    type_weights = cross.types.fit(truth, every).T
    shared = np.zeros((1, type_weights.shape[1]))
    _write(
        "page_type_model.json",
        {
            "figures": reached,
            **additive.write_model(
                PageTypeFeatures._fields,
                cross.types.binning,
                cross.types.vocabulary,
                np.concatenate([shared, type_weights]),
            ),
        },
    )
    blocks, second = cross.blocks, cross.second
    _write(
        "main_content_model.json",
        {
            "figures": reached,
            **_split_model(blocks, blocks.fit(truth, every)),
            "neighbours": additive.write_model(
                NeighbourFeatures._fields, second.binning, {}, second.fit(blocks, truth, every)
            ),
        },
    )


def _split_model(blocks: BlockRows, weights: Floats) -> dict[str, Any]:
    """Return the models of the first pass, given the weights of all of it."""
    names = [name for fields in _PARTS.values() for name in fields]
    whole = additive.write_model(names, blocks.binning, blocks.vocabulary, weights)
    models: dict[str, Any] = {}
    features = iter(whole["features"].values())
    for name, fields in _PARTS.items():
        models[name] = {
            "features": {field: next(features) for field in fields},
            "words": {place: whole["words"][place] for place in _PLACES_OF_PARTS[name]},
        }
    return models


def _write(name: str, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (_FOLDER / name).write_text(text.replace("},", "},\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
