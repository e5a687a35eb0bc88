"""The models of the main content, fitted to pages with truth: the page type and both passes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench import additive
from bench.additive import Binning, Rows
from bench.fitting import Floats
from bench.text_pages import Example
from unweave.content.blocks import Block
from unweave.content.main_content import NeighbourFeatures, describe_neighbours
from unweave.content.page_type import PAGE_TYPES

_MAX_FITTED_BLOCKS = 140  # of a page: more say the same
_SAMPLES = 3
_MIN_SITES, _MIN_SITES_OF_LONG, _MIN_SITES_OF_TYPE_WORDS = 20, 60, 15
PLACES = ("near", "far", "own", "heading")
_TYPE_PLACES = ("head", "names", "phrases", "links")
_RANGES, _TYPE_RANGES = 12, 8
_SHARED_PENALTY, _PROFILE_PENALTY = 4e-5, 2e-4
_SHARED_WORD_PENALTY, _PROFILE_WORD_PENALTY = 2e-4, 1e-3
_SECOND_PENALTIES = (2e-5, 1e-4)
_TYPE_PENALTY = 1e-3
_STEPS, _TYPE_STEPS, _SECOND_STEPS = 40, 60, 60
MAIN_SET = "wcxb"
_NEWS_WEIGHT = 200.0  # of a set of news, in pages of the main set
_PENALISED_PAGES = 1_200  # the penalties are those for about as many pages
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class PageTruth:
    """What is known of all examples as pages."""

    types: NDArray[np.int64]
    has_text: Mask
    weights: Floats
    """How much each counts: all sets of news count the same."""

    @classmethod
    def collect(cls, examples: Sequence[Example]) -> PageTruth:
        """Return the truth of examples."""
        sizes = Counter(example.set for example in examples)
        shares = np.array([1 / sizes[example.set] for example in examples])
        is_main = np.array([example.set == MAIN_SET for example in examples])
        return cls(
            np.array([example.type_number for example in examples]),
            np.array([bool(example.truth.strip()) for example in examples]),
            np.where(is_main, 1.0, _NEWS_WEIGHT * shares),
        )


def _scale_penalties(weights: Floats) -> float:
    """Return what penalties are multiplied by: they count less, the more pages there are."""
    return float(_PENALISED_PAGES / weights.sum())


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

    def fit(self, truth: PageTruth, fitted: Mask) -> Floats:
        """Return the weights fitted to the pages that are marked.

        They are the mean of fits to several samples of the blocks of large pages, so that they
        depend less on chance.
        """
        fits = [self._fit_sample(truth, fitted, seed) for seed in range(_SAMPLES)]
        return np.asarray(sum(fits) / _SAMPLES)

    def _fit_sample(self, truth: PageTruth, fitted: Mask, seed: int) -> Floats:
        lottery = np.random.default_rng(seed).random(len(self.labels))
        counts = np.bincount(self.examples, minlength=len(fitted))[self.examples]
        chances = np.minimum(1.0, _MAX_FITTED_BLOCKS / counts)
        fitted = fitted & truth.has_text
        chosen = np.nonzero(fitted[self.examples] & (lottery < chances))[0]
        pages = self.examples[chosen]
        penalties = np.full((len(PAGE_TYPES) + 1, self.size), _PROFILE_WORD_PENALTY)
        penalties[0] = _SHARED_WORD_PENALTY
        penalties[0, : self.binning.offsets[-1]] = _SHARED_PENALTY
        penalties[1:, : self.binning.offsets[-1]] = _PROFILE_PENALTY
        penalties *= _scale_penalties(truth.weights[fitted])
        return additive.fit_profiles(
            self.rows.select(chosen),
            self.labels[chosen],
            self.weights[chosen] / chances[chosen] * truth.weights[pages],
            truth.types[pages],
            penalties,
            steps=_STEPS,
        )

    def predict(self, weights: Floats, shares: Floats, pages: Mask) -> dict[int, Floats]:
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
    sites: dict[str, dict[str, set[str]]] = {place: defaultdict(set) for place in PLACES}
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
        for place in PLACES
    }


def _find_words(example: Example, maps: Mapping[str, Mapping[str, int]]) -> list[list[int]]:
    """Return for each block the numbers of its words in all places."""
    near, far, own, heading = (maps[place] for place in PLACES)
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
        )

    def fit(self, truth: PageTruth, fitted: Mask) -> Floats:
        """Return the weights fitted to the pages that are marked."""
        chosen = np.nonzero(fitted)[0]
        size = self.binning.offsets[-1] + sum(map(len, self.vocabulary.values()))
        return additive.fit_classes(
            self.rows.select(chosen),
            truth.types[chosen],
            truth.weights[chosen],
            len(PAGE_TYPES),
            size,
            _TYPE_PENALTY * _scale_penalties(truth.weights[fitted]),
            steps=_TYPE_STEPS,
        )


@dataclass(frozen=True)
class SecondRows:
    """The blocks of all examples as rows for the second pass."""

    binning: Binning
    rows: Rows
    ends: NDArray[np.int64]
    """The number of the first row of each example, and of the one after the last."""

    @classmethod
    def build(cls, features: Sequence[Floats]) -> SecondRows:
        """Choose ranges, and return the rows."""
        joined = np.concatenate(features)
        binning = Binning.choose(joined, _RANGES)
        ends = np.cumsum([0, *map(len, features)])
        return cls(binning, Rows.join(binning.apply(joined), None, 0), ends)

    def score_page(self, page: int, weights: Floats) -> Floats:
        """Return the log odds of the blocks of an example."""
        return self.rows.select(np.arange(self.ends[page], self.ends[page + 1])).score(weights)

    def score(self, features: Floats, weights: Floats) -> Floats:
        """Return the log odds of other blocks, given their features."""
        return Rows.join(self.binning.apply(features), None, 0).score(weights)

    def fit(self, blocks: BlockRows, truth: PageTruth, fitted: Mask) -> Floats:
        """Return the weights fitted to the pages that are marked."""
        fitted = fitted & truth.has_text
        chosen = np.nonzero(fitted[blocks.examples])[0]
        pages = blocks.examples[chosen]
        penalties = np.full((len(PAGE_TYPES) + 1, self.binning.offsets[-1]), _SECOND_PENALTIES[1])
        penalties[0] = _SECOND_PENALTIES[0]
        penalties *= _scale_penalties(truth.weights[fitted])
        return additive.fit_profiles(
            self.rows.select(chosen),
            blocks.labels[chosen],
            blocks.weights[chosen] * truth.weights[pages],
            truth.types[pages],
            penalties,
            steps=_SECOND_STEPS,
        )


def describe_second_pass(example: Example, log_odds: Floats) -> Floats:
    """Return the features of the second pass of the blocks of a page."""
    rows = describe_neighbours(example.described, log_odds.tolist(), range(len(log_odds)))
    width = len(NeighbourFeatures._fields)
    return np.asarray(np.array(rows, np.float32).reshape(len(rows), width))
