"""Fit the models of the main content of any page, and measure them with sites left out.

    python -m bench.text --data ../shared/data --score ../shared/score/score.py [--write]

The sites are split in five folds. The models of the page type and of the first pass are fitted to
four folds and read the fifth; the second pass is fitted to what they give for the pages of four
folds, and reads the fifth. ``--write`` fits to all pages and writes the model files.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from bench import additive
from bench.additive import Binning, Rows
from bench.corpus import PageSet, find_page_sets
from bench.fitting import Floats
from bench.reporting import make_console, make_parser
from bench.scoring import OUTPUT, load_scorer
from bench.text_labels import label_blocks, split_words
from unweave.content.block_features import (
    ElementFeatures,
    PageBlocks,
    PlaceFeatures,
    TextFeatures,
    describe_blocks,
)
from unweave.content.blocks import Block, find_blocks
from unweave.content.main_content import (
    MIN_LOG_ODDS,
    NeighbourFeatures,
    describe_neighbours,
    find_readable_page,
    select_blocks,
)
from unweave.content.page_type import (
    PAGE_TYPES,
    PageTypeFeatures,
    describe_page,
    list_page_words,
)
from unweave.page.page import Page

FOLDS = 5
_CODE = ("blocks", "block_features", "page_type", "main_content")
_FOLDER = Path("unweave/content")
_MAX_FITTED_BLOCKS = 140  # of a page: more say the same
_MIN_SITES, _MIN_SITES_OF_LONG, _MIN_SITES_OF_TYPE_WORDS = 20, 60, 15
_PLACES = ("near", "far", "own", "heading")
_PARTS = {
    "texts": TextFeatures._fields,
    "places": PlaceFeatures._fields,
    "elements": ElementFeatures._fields,
}
_PLACES_OF_PARTS = {"texts": ("own",), "places": ("heading",), "elements": ("near", "far")}
_TYPE_PLACES = ("head", "names", "phrases")
_RANGES, _TYPE_RANGES = 12, 8
_SHARED_PENALTY, _PROFILE_PENALTY = 4e-5, 2e-4
_SHARED_WORD_PENALTY, _PROFILE_WORD_PENALTY = 2e-4, 1e-3
_SECOND_PENALTIES = (2e-5, 1e-4)
_TYPE_PENALTY = 1e-3
_STEPS, _TYPE_STEPS, _SECOND_STEPS = 40, 60, 60


@dataclass(frozen=True)
class Example:
    """A page with truth: its blocks, their features and labels, and those of the page."""

    page: str
    site: str
    type: str
    truth: str
    fold: int
    described: PageBlocks
    """The blocks without the page."""
    features: NDArray[np.float32]
    """All features of the first pass."""
    labels: NDArray[np.float32]
    near: Sequence[Sequence[str]]
    far: Sequence[int]
    """The node around each block that is the first of its far ones."""
    nodes: Mapping[int, tuple[int, Sequence[str]]]
    """The parent and the names of each node."""
    page_features: PageTypeFeatures
    page_words: Mapping[str, Sequence[str]]

    @property
    def type_number(self) -> int:
        return PAGE_TYPES.index(self.type)


def main() -> None:
    """Print the figures, and write the models."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--score", type=Path, default=Path("../shared/score/score.py"))
    parser.add_argument("--write", action="store_true", help="write the model files")
    parser.add_argument("--worst", type=int, default=0, help="print the worst pages")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "text", ("wcxb",))
    if not sets or not arguments.score.exists():
        print(f"No pages in {arguments.data}/text, or no scorer: nothing was measured.")
        return
    started = time.monotonic()
    examples = read_examples(sets[0])
    print(f"{len(examples)} pages read: {time.monotonic() - started:.0f} s", flush=True)
    cross = CrossValidation.run(examples)
    print(f"folds: {time.monotonic() - started:.0f} s", flush=True)
    figures, per_page = cross.score(sets[0], load_scorer(arguments.score))
    _print_figures(figures)
    for value, name, kind in per_page[: arguments.worst]:
        print(f"{value:.3f} {name} {kind}")
    if arguments.write:
        write_models(examples, cross, figures)
        print(f"written: {time.monotonic() - started:.0f} s", flush=True)


# ---- pages ---------------------------------------------------------------------------------------


def read_examples(page_set: PageSet) -> list[Example]:
    """Return the pages of a set that have blocks; they are kept until the code changes."""
    code = b"".join((_FOLDER / f"{name}.py").read_bytes() for name in _CODE[:3])
    code += Path(__file__).with_name("text_labels.py").read_bytes()
    name = hashlib.sha256(code + page_set.digest.encode()).hexdigest()[:12]
    cache = OUTPUT / f"text-{name}.pickle"
    if cache.exists():
        return list(pickle.loads(cache.read_bytes()))  # its own file
    with ProcessPoolExecutor(2) as workers:
        read = workers.map(
            partial(_read_example, page_set.folder), page_set.read_pages(), chunksize=16
        )
        examples = [example for example in read if example]
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_bytes(pickle.dumps(examples))
    return examples


def _read_example(folder: Path, truth: dict[str, Any]) -> Example | None:
    page = Page.load(folder / truth["page"])
    readable = find_readable_page(page)
    described = describe_blocks(readable, find_blocks(readable, with_hidden=True))
    if not described.blocks:
        return None
    text = truth["text"] or ""
    labels = label_blocks(
        [split_words(block.text) for block in described.blocks], split_words(text)
    )
    parents = readable.tree.parents
    numbers = range(len(described.blocks))
    return Example(
        truth["page"],
        truth["site"],
        truth["type"],
        text,
        int(hashlib.sha256(truth["site"].encode()).hexdigest(), 16) % FOLDS,
        replace(described, page=_NO_PAGE, names={}),
        np.array(
            [
                (*text, *place, *described.elements[element])
                for text, place, element in zip(
                    described.texts, described.places, described.element_numbers, strict=True
                )
            ],
            np.float32,
        ),
        np.array(labels, np.float32),
        [described.list_near_names(number) for number in numbers],
        [described.find_far_node(number) for number in numbers],
        {node: (parents[node], names) for node, names in described.names.items()},
        describe_page(described),
        list_page_words(described, page),
    )


_NO_PAGE = Page.parse("<p>no page</p>")


# ---- models --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlockRows:
    """The blocks of all examples as rows for the first pass."""

    binning: Binning
    vocabulary: Mapping[str, Sequence[str]]
    rows: Rows
    labels: Floats
    weights: Floats
    examples: NDArray[np.int64]
    """The number of the example of each row."""

    @property
    def size(self) -> int:
        return self.binning.offsets[-1] + sum(map(len, self.vocabulary.values()))

    @classmethod
    def build(cls, examples: Sequence[Example]) -> BlockRows:
        """Choose ranges and words, and return the rows."""
        features = np.concatenate([example.features for example in examples])
        binning = Binning.choose(features, _RANGES)
        vocabulary = _choose_words(examples)
        maps: dict[str, dict[str, int]] = {}
        start = 0
        for place, words in vocabulary.items():
            maps[place] = {word: number for number, word in enumerate(words, start=start)}
            start += len(words)
        words_of_rows: list[list[int]] = []
        for example in examples:
            words_of_rows.extend(_find_words(example, maps))
        return cls(
            binning,
            vocabulary,
            Rows.join(binning.apply(features), words_of_rows, binning.offsets[-1]),
            np.concatenate([example.labels for example in examples]).astype(np.float64),
            np.concatenate([_weigh_blocks(example.described.blocks) for example in examples]),
            np.repeat(np.arange(len(examples)), [len(each.labels) for each in examples]),
        )

    def fit(self, examples: Sequence[Example], fitted: NDArray[np.bool_]) -> Floats:
        """Return the weights fitted to the pages that are marked."""
        generator = np.random.default_rng(0)
        lottery = generator.random(len(self.labels))
        counts = np.bincount(self.examples, minlength=len(examples))
        chances = np.minimum(1.0, _MAX_FITTED_BLOCKS / counts)[self.examples]
        has_text = np.array([bool(example.truth.strip()) for example in examples])
        chosen = np.nonzero((fitted & has_text)[self.examples] & (lottery < chances))[0]
        types = np.array([example.type_number for example in examples])[self.examples[chosen]]
        penalties = np.full((len(PAGE_TYPES) + 1, self.size), _PROFILE_WORD_PENALTY)
        penalties[0] = _SHARED_WORD_PENALTY
        penalties[0, : self.binning.offsets[-1]] = _SHARED_PENALTY
        penalties[1:, : self.binning.offsets[-1]] = _PROFILE_PENALTY
        return additive.fit_profiles(
            self.rows.select(chosen),
            self.labels[chosen],
            self.weights[chosen] / chances[chosen],
            types,
            penalties,
            steps=_STEPS,
        )

    def predict(
        self, weights: Floats, shares: Floats, pages: NDArray[np.bool_]
    ) -> dict[int, Floats]:
        """Return the log odds of the blocks of the pages that are marked."""
        found: dict[int, Floats] = {}
        ends = np.searchsorted(self.examples, np.arange(len(pages) + 1))
        for page in np.nonzero(pages)[0]:
            mixed = weights[0] + shares[page] @ weights[1:]
            rows = self.rows.select(np.arange(ends[page], ends[page + 1]))
            found[int(page)] = rows.score(mixed)
        return found


def _weigh_blocks(blocks: Sequence[Block]) -> Floats:
    """Return the weight of each block of a page: pages count the same, long blocks more."""
    words = np.array([block.words for block in blocks])
    return np.asarray(words / words.sum() / 2 + np.sqrt(words) / np.sqrt(words).sum() / 2)


def _choose_words(examples: Sequence[Example]) -> dict[str, list[str]]:
    """Return the words of each place that are on enough sites."""
    sites: dict[str, dict[str, set[str]]] = {place: defaultdict(set) for place in _PLACES}
    for example in examples:
        names = {name for _, names in example.nodes.values() for name in names}
        for name in names:
            sites["near"][name].add(example.site)
        for phrase in {phrase for each in example.described.phrases for phrase in each}:
            sites["own"][phrase].add(example.site)
        headings = {number for number in example.described.headings if number >= 0}
        for phrase in {each for number in headings for each in example.described.phrases[number]}:
            sites["heading"][phrase].add(example.site)
    sites["far"] = sites["near"]
    return {
        place: sorted(
            word
            for word, found in sites[place].items()
            if len(found) >= (_MIN_SITES_OF_LONG if word.startswith("l:") else _MIN_SITES)
        )
        for place in _PLACES
    }


def _find_words(example: Example, maps: Mapping[str, Mapping[str, int]]) -> list[list[int]]:
    """Return for each block the numbers of its words in all places."""
    near, far, own, heading = (maps[place] for place in _PLACES)
    inherited: dict[int, list[int]] = {-1: []}
    for node in sorted(example.nodes):
        parent, names = example.nodes[node]
        inherited[node] = inherited[parent] + [far[name] for name in names if name in far]
    phrases = example.described.phrases
    rows: list[list[int]] = []
    for number, names in enumerate(example.near):
        row = [near[name] for name in names if name in near]
        row += inherited[example.far[number]]
        row += [own[phrase] for phrase in phrases[number] if phrase in own]
        above = example.described.headings[number]
        if above >= 0:
            row += [heading[phrase] for phrase in phrases[above] if phrase in heading]
        rows.append(row)
    return rows


@dataclass(frozen=True)
class TypeRows:
    """The pages of all examples as rows for the page type."""

    binning: Binning
    vocabulary: Mapping[str, Sequence[str]]
    rows: Rows
    classes: NDArray[np.int64]

    @classmethod
    def build(cls, examples: Sequence[Example]) -> TypeRows:
        """Choose ranges and words, and return the rows."""
        features = np.array([example.page_features for example in examples])
        binning = Binning.choose(features, _TYPE_RANGES)
        sites: dict[str, dict[str, set[str]]] = {place: defaultdict(set) for place in _TYPE_PLACES}
        for example in examples:
            for place in _TYPE_PLACES:
                for word in example.page_words[place]:
                    if not word.startswith("l:"):  # of long texts: they say little of the page
                        sites[place][word].add(example.site)
        vocabulary = {
            place: sorted(
                word for word, found in words.items() if len(found) >= _MIN_SITES_OF_TYPE_WORDS
            )
            for place, words in sites.items()
        }
        numbers: dict[tuple[str, str], int] = {}
        for place, words in vocabulary.items():
            for word in words:
                numbers[place, word] = len(numbers)
        words_of_rows = [
            [
                numbers[place, word]
                for place in _TYPE_PLACES
                for word in example.page_words[place]
                if (place, word) in numbers
            ]
            for example in examples
        ]
        return cls(
            binning,
            vocabulary,
            Rows.join(binning.apply(features), words_of_rows, binning.offsets[-1]),
            np.array([example.type_number for example in examples]),
        )

    def fit(self, fitted: NDArray[np.bool_]) -> Floats:
        """Return the weights fitted to the pages that are marked."""
        chosen = np.nonzero(fitted)[0]
        size = self.binning.offsets[-1] + sum(map(len, self.vocabulary.values()))
        return additive.fit_classes(
            self.rows.select(chosen),
            self.classes[chosen],
            len(PAGE_TYPES),
            size,
            _TYPE_PENALTY,
            steps=_TYPE_STEPS,
        )


@dataclass(frozen=True)
class SecondRows:
    """The blocks of all examples as rows for the second pass."""

    binning: Binning
    rows: Rows

    @classmethod
    def build(cls, features: Sequence[Floats]) -> SecondRows:
        """Choose ranges, and return the rows."""
        joined = np.concatenate(features)
        binning = Binning.choose(joined, _RANGES)
        return cls(binning, Rows.join(binning.apply(joined), None, 0))

    def fit(
        self, blocks: BlockRows, examples: Sequence[Example], fitted: NDArray[np.bool_]
    ) -> Floats:
        """Return the weights fitted to the pages that are marked."""
        has_text = np.array([bool(example.truth.strip()) for example in examples])
        chosen = np.nonzero((fitted & has_text)[blocks.examples])[0]
        types = np.array([example.type_number for example in examples])[blocks.examples[chosen]]
        penalties = np.full((len(PAGE_TYPES) + 1, self.binning.offsets[-1]), _SECOND_PENALTIES[1])
        penalties[0] = _SECOND_PENALTIES[0]
        return additive.fit_profiles(
            self.rows.select(chosen),
            blocks.labels[chosen],
            blocks.weights[chosen],
            types,
            penalties,
            steps=_SECOND_STEPS,
        )


def describe_second_pass(example: Example, log_odds: Floats) -> Floats:
    """Return the features of the second pass of the blocks of a page."""
    numbers = range(len(log_odds))
    return np.array(describe_neighbours(example.described, log_odds.tolist(), numbers), np.float32)


# ---- sites left out ------------------------------------------------------------------------------


@dataclass(frozen=True)
class CrossValidation:
    """What models that were fitted without the site of a page give for it."""

    examples: Sequence[Example]
    blocks: BlockRows
    types: TypeRows
    second: SecondRows
    shares: Floats
    """The probabilities of the types of each page."""
    probabilities: Sequence[Floats]
    """The probability of each block of each page."""

    @classmethod
    def run(cls, examples: Sequence[Example]) -> CrossValidation:
        """Fit the models of each fold, and read its pages."""
        folds = np.array([example.fold for example in examples])
        types = TypeRows.build(examples)
        shares = np.zeros((len(examples), len(PAGE_TYPES)))
        for fold in range(FOLDS):
            inside = folds == fold
            rows = types.rows.select(np.nonzero(inside)[0])
            shares[inside] = additive.compute_softmax(rows, types.fit(~inside))
        right = (shares.argmax(1) == types.classes).mean()
        print(f"page type right: {right:.3f}", flush=True)
        blocks = BlockRows.build(examples)
        print(f"{len(blocks.labels)} blocks, {blocks.size} weights a profile", flush=True)
        with ProcessPoolExecutor(2) as workers:
            fits = [
                workers.submit(_fit_and_predict, blocks, examples, shares, folds == fold)
                for fold in range(FOLDS)
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
        ends = np.searchsorted(blocks.examples, np.arange(len(examples) + 1))
        probabilities: list[Floats] = [np.zeros(0)] * len(examples)
        for fold in range(FOLDS):
            weights = second.fit(blocks, examples, folds != fold)
            for page in np.nonzero(folds == fold)[0].tolist():
                rows = second.rows.select(np.arange(ends[page], ends[page + 1]))
                scores = rows.score(weights[0] + shares[page] @ weights[1:])
                first = log_odds[page]
                scores = np.where(first > MIN_LOG_ODDS, scores, first)
                probabilities[page] = (1 / (1 + np.exp(-scores)) + 1 / (1 + np.exp(-first))) / 2
        return cls(examples, blocks, types, second, shares, probabilities)

    def score(
        self, page_set: PageSet, scorer: Any
    ) -> tuple[dict[str, Any], list[tuple[float, str, str]]]:
        """Return the figures, and the pages with theirs, the worst first."""
        output: dict[str, dict[str, str]] = {}
        for example, shares, probabilities in zip(
            self.examples, self.shares, self.probabilities, strict=True
        ):
            blocks = example.described.blocks
            chosen = select_blocks(blocks, probabilities.tolist())
            text = "\n".join([blocks[number].text for number in chosen])
            kind = PAGE_TYPES[int(shares.argmax())]
            output[example.page] = {"text": text, "kind": kind}
        truth = page_set.read_pages()
        for page in truth:  # a page without a block has no content
            output.setdefault(page["page"], {"text": "", "kind": PAGE_TYPES[0]})
        figures: dict[str, Any]
        figures, per_page = scorer.score_text(truth, output, len(truth))
        return figures, per_page


def _fit_and_predict(
    blocks: BlockRows, examples: Sequence[Example], shares: Floats, inside: NDArray[np.bool_]
) -> dict[int, Floats]:
    return blocks.predict(blocks.fit(examples, ~inside), shares, inside)


def _print_figures(figures: Mapping[str, Any]) -> None:
    grid = Table("", *PAGE_TYPES, "all", "type right", "with", "without", title="F1 of words")
    grid.add_row(
        "sites left out",
        *(f"{figures['by_kind'][kind]:.3f}" for kind in PAGE_TYPES),
        *(f"{figures[name]:.3f}" for name in ("f1", "kind_right", "with", "without")),
    )
    make_console(140).print(grid)


# ---- model files ---------------------------------------------------------------------------------


def write_models(
    examples: Sequence[Example], cross: CrossValidation, figures: Mapping[str, Any]
) -> None:
    """Fit the models to all pages and write them, with the figures with sites left out."""
    every = np.ones(len(examples), bool)
    reached = {
        "sites left out": {
            **{kind: round(value, 3) for kind, value in figures["by_kind"].items()},
            **{name: round(figures[name], 3) for name in ("f1", "kind_right", "with", "without")},
        }
    }
    type_weights = cross.types.fit(every).T
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
            **_split_model(blocks, blocks.fit(examples, every)),
            "neighbours": additive.write_model(
                NeighbourFeatures._fields, second.binning, {}, second.fit(blocks, examples, every)
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
