"""Fit the model of the default list method, and measure it on sites and on sets left out.

    python -m bench.fit --data ../shared/data --score ../shared/score/score.py [--write]

The candidates of a page compete: the weights maximize the probability of right candidates by the
softmax of the scores. The quick features choose the candidates that are compared closely; all
features choose among those. Then the confidence of the selected lists is fitted by logistic
regression, also to pages without a list, and calibrated on sites left out. All sets count the same.
``--write`` writes ``unweave/lists/model.json`` with the figures that were reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unweave
from bench import fitting
from bench.corpus import NEWS, RECORDS, PageSet, find_page_sets
from bench.fitting import Choice, Floats
from bench.floors import add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave.errors import UnweaveError
from unweave.lists.candidates import GENERATORS, Spans, find_candidates
from unweave.lists.data_records import find_data_record_lists
from unweave.lists.features import QUICK_FEATURE_COUNT, SHARE_EPSILON, Features
from unweave.lists.page_index import PageIndex
from unweave.lists.ranking import (
    MAX_COMPARED,
    MIN_LIST_CONFIDENCE,
    compute_rival_odds,
    make_text_mask,
    measure_candidates,
    select_separate,
)
from unweave.lists.sections import ExtensionFeatures, find_extensions

MODEL_FILE = Path("unweave/lists/model.json")

_NAMES = Features._fields
_GAIN, _RELATIVE_GAIN = _NAMES.index("template_gain"), _NAMES.index("relative_gain")
_QUICK_RIDGE, _RIDGE = 5e-3, 3e-2
_EXTENSION_RIDGE = _CONFIDENCE_RIDGE = 10.0
_MIN_EXTENSION_PROBABILITY = 0.6
_LARGE_DIFFERENCE = 0.2  # of F1: larger ones count the same
_MAX_EXTENDED = 40  # candidates of a page
_MIN_RIGHT_F1 = 0.9
_MIN_RIGHT_PRECISION = 0.8
_MAX_LISTS = 6  # of a page, for the confidence
_FURTHER_WEIGHT = 0.5
"""Of further lists of a page in the confidence: the truth of most sets has the best list only."""
_MAX_NEWS_PAGES = 60  # of each set
_TYPES_WITHOUT_LIST = ("documentation", "service")  # of text/wcxb
_CONFIDENT = 0.8
_MIN_BIN = 30

SIGNS = fitting.get_signs(
    _NAMES,
    positive=(
        "coverage few_records several_records shortest_length image_share content_depth"
        " content_names_of_records content_names_of_parent content_names_around"
        " result_names template_gain log_gain relative_gain single_share common_paths"
        " similarity last_similarity sibling_share parent_share distinct_share"
        " emphasized_share longest_text digit_share date_share price_share linked_share"
        " distinct_link_share link_pattern_share file_link_share header_share"
        " has_stated_count is_after_main_heading has_heading"
    ),
    negative=(
        "paragraph_share bare_link_share gap_share size_variation has_joined_records"
        " link_share parent_spread boilerplate_depth menu_names_of_records"
        " menu_names_of_parent menu_names_around filter_names repetition entropy"
        " missed_siblings same_path_elsewhere same_class_elsewhere repeated_share"
        " single_text_share several_headings_share hidden_share main_heading_distance"
        " heading_distance is_outside_main prose_outside"
    ),
)
"""The sign that the weight of a feature may have; others may have either."""


@dataclass(frozen=True)
class Sample:
    """The candidates of one page."""

    set: str
    site: str
    features: Floats
    quality: Floats
    """The F1 of each as the page's list; 0 on pages without a list."""
    precision: Floats
    """The share of the records of each that are records of the page's lists."""
    masks: Sequence[int]
    """The text nodes of each."""
    has_all_lists: bool = False
    """Whether the truth has all lists of the page, and not only the best one."""
    has_list: bool = True
    matches: Sequence[Sequence[Sequence[tuple[float, int]]]] = ()
    """Where all lists are known: for each record of each candidate the true records that it holds,
    with the share of its words that are theirs."""
    true_count: int = 0
    extensions: Mapping[int, Sequence[tuple[int, Floats]]] = field(default_factory=dict)
    """For candidates the numbers of those that have their records and more, and features of what
    is more."""

    def compare(self, numbers: Sequence[int] | NDArray[np.int64]) -> Floats:
        """Return the features of some candidates, with those relative to the best of these."""
        features = self.features[numbers].copy()
        gains = features[:, _GAIN]
        largest = gains.max(initial=0.0)
        features[:, _RELATIVE_GAIN] = np.log(gains / largest + SHARE_EPSILON) if largest else 0.0
        return features

    def compute_lists_f1(self, numbers: Sequence[int]) -> float:
        """Return the F1 of the records of several candidates against those of all lists."""
        pairs: list[tuple[float, int, int, int]] = []
        count = 0
        for number in numbers:
            for held in self.matches[number]:
                pairs += [(-share, abs(true - count), true, count) for share, true in held]
                count += 1
        matched: set[int] = set()
        rows: set[int] = set()
        for _, _, true, row in sorted(pairs):
            if true not in matched and row not in rows:
                matched.add(true)
                rows.add(row)
        return 2 * len(matched) / max(1, count + self.true_count)


@dataclass(frozen=True)
class Ranker:
    """The weights of the quick features, of all, and of those of extensions."""

    quick: Floats
    weights: Floats
    extension: Floats

    def shortlist(self, sample: Sample) -> NDArray[np.int64]:
        """Return the numbers of the candidates that are compared closely."""
        scores = sample.features[:, :QUICK_FEATURE_COUNT] @ self.quick
        return np.argsort(-scores, kind="stable")[:MAX_COMPARED]

    def rank(self, sample: Sample) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the numbers of the best candidates, best first, their scores and features."""
        numbers = self.shortlist(sample)
        features = sample.compare(numbers)
        scores = features @ self.weights
        order = np.argsort(-scores, kind="stable")
        return numbers[order], scores[order], features[order]

    def extend(self, sample: Sample, number: int) -> int:
        """Return the number of the candidate that has all sections of a candidate."""
        best, best_probability = number, _MIN_EXTENSION_PROBABILITY
        for longer, features in sample.extensions.get(number, ()):
            probability = float(fitting.predict(self.extension, features[None])[0])
            if probability > best_probability:
                best, best_probability = longer, probability
        return best

    def choose(self, sample: Sample) -> float:
        """Return the F1 of the first list."""
        best = int(self.rank(sample)[0][0])
        return float(sample.quality[self.extend(sample, best)])

    def select(self, sample: Sample) -> Selection:
        """Return the lists of a page."""
        numbers, scores, features = self.rank(sample)
        masks = [sample.masks[number] for number in numbers]
        extended: dict[int, int] = {}

        def extend(position: int) -> int:
            extended[position] = self.extend(sample, int(numbers[position]))
            return sample.masks[extended[position]]

        positions = select_separate(masks, extend)[:_MAX_LISTS]
        odds = [compute_rival_odds(position, scores.tolist(), masks) for position in positions]
        return Selection(
            sample,
            [extended[position] for position in positions],
            np.column_stack([features[positions], odds]),
        )


@dataclass(frozen=True)
class Selection:
    """The lists of a page, best first, and what their confidence depends on."""

    sample: Sample
    numbers: Sequence[int]
    rows: Floats
    """The features of each list, and its log odds among rivals."""

    @property
    def set(self) -> str:
        return self.sample.set

    @property
    def site(self) -> str:
        return self.sample.site

    def get_labels(self) -> Iterator[tuple[float, float]]:
        """Yield for each list 1 if it is right, else 0, and its weight."""
        for rank, number in enumerate(self.numbers):
            if self.sample.has_all_lists:
                yield float(self.sample.precision[number] >= _MIN_RIGHT_PRECISION), 1.0
            else:
                right = self.sample.quality[number] >= _MIN_RIGHT_F1
                yield float(right), _FURTHER_WEIGHT if rank else 1.0


def main() -> int:
    """Print the figures, and write the model."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument("--write", action="store_true", help=f"write {MODEL_FILE}")
    parser.add_argument(
        "--ablation", action="store_true", help="leave out each generator and each feature in turn"
    )
    arguments = parser.parse_args()
    page_sets = find_page_sets(arguments.data, "records", RECORDS)
    if not page_sets:
        print(f"no sets of pages in {arguments.data}: nothing is fitted")
        return 0
    samples = _build_samples(page_sets, arguments.score)
    sets = list(dict.fromkeys(sample.set for sample in samples))
    print(f"{'':32}", *(f"{name:>12}" for name in sets))
    best = [(sample.set, float(sample.quality.max())) for sample in samples]
    _print_row("perfect ranking", fitting.average_by_set(best))
    if arguments.ablation:
        _print_ablation(page_sets, arguments.score, samples)
        return 0
    without_list = _build_samples_without_list(arguments.data)
    pages = [*samples, *without_list]
    ranker = _fit_ranker(samples)
    selections = [ranker.select(sample) for sample in pages]
    weights = _fit_rows(selections)
    raw = [fitting.predict(weights, selection.rows) for selection in selections]
    fitted = Confidences("fitted to all", selections, raw)
    by_site = _leave_out("sites left out", pages, fitting.get_site_fold)
    by_set = _leave_out("sets left out", pages, fitting.get_set)
    measured = {each.name: each for each in (fitted, by_site, by_set)}
    for name, confidences in measured.items():
        _print_row(name, confidences.measure_first_lists())
    for confidences in (by_site, by_set):
        confidences.print()
    if arguments.write:
        figures = {name: each.get_figures() for name, each in measured.items()}
        model = {
            "figures": figures,
            "quick": {"weights": fitting.round_weights(_NAMES[:QUICK_FEATURE_COUNT], ranker.quick)},
            "ranking": {"weights": fitting.round_weights(_NAMES, ranker.weights)},
            "extension": {
                "intercept": float(f"{ranker.extension[-1]:.4g}"),
                "weights": fitting.round_weights(ExtensionFeatures._fields, ranker.extension[:-1]),
                "min_probability": _MIN_EXTENSION_PROBABILITY,
            },
            "confidence": {
                "intercept": float(f"{weights[-1]:.4g}"),
                "log_odds_weight": float(f"{weights[-2]:.3g}"),
                "weights": fitting.round_weights(_NAMES, weights[:-2]),
                "calibration": [
                    [round(x, 4), round(y, 4)]
                    for x, y in _fit_calibration(by_site.selections, by_site.raw)
                ],
            },
            "min_page_confidence": _MIN_PAGE_CONFIDENCE,
        }
        MODEL_FILE.write_text(json.dumps(model, indent=1) + "\n", encoding="utf-8")
    floors = {f"auto, {each.name}": each.get_floor_figures() for each in (by_site, by_set)}
    return check_floors(make_console(), arguments, floors, page_sets)


def _print_row(name: str, figures: dict[str, float]) -> None:
    print(f"{name:32}", *(f"{value:12.3f}" for value in figures.values()), flush=True)


def _print_ablation(page_sets: Sequence[PageSet], scorer: Path, samples: Sequence[Sample]) -> None:
    for generator in GENERATORS:
        remaining = _build_samples(page_sets, scorer, frozenset(GENERATORS) - {generator})
        _print_row(f"without {generator}", _cross_validate(remaining, fitting.get_set))
    for number, name in enumerate(_NAMES):
        kept = np.arange(len(_NAMES)) != number
        reduced = [replace(sample, features=sample.features * kept) for sample in samples]
        _print_row(f"without {name}", _cross_validate(reduced, fitting.get_set))


# ---- candidates ----------------------------------------------------------------------------------


def _build_samples(
    page_sets: Sequence[PageSet],
    scorer: Path,
    generators: frozenset[str] = frozenset(GENERATORS),
) -> list[Sample]:
    samples: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        for page_set in page_sets:
            build = partial(_build_sample, page_set.name, page_set.folder, scorer, generators)
            samples += workers.map(build, page_set.read_pages(), chunksize=4)
    return samples


def _build_sample(
    name: str, folder: Path, scorer: Path, generators: frozenset[str], truth: dict[str, Any]
) -> Sample:
    spans, texts, features, extensions = _measure_page(folder / truth["page"], generators)
    if not spans:  # the page counts as wrong
        nothing = np.zeros(1)
        return Sample(name, truth["site"], np.zeros((1, len(_NAMES))), nothing, nothing, [0])
    quality = Quality(load_scorer(scorer), texts, truth["records"])
    matches = [[quality.find_records(span) for span in candidate] for candidate in spans]
    return Sample(
        name,
        truth["site"],
        features,
        np.array([quality.compute_f1(candidate) for candidate in spans]),
        np.array([np.mean([bool(held) for held in records]) for records in matches]),
        [make_text_mask(len(texts), candidate) for candidate in spans],
        has_all_lists="lists" in truth,
        matches=matches if "lists" in truth else (),
        true_count=len(truth["records"]),
        extensions=extensions,
    )


def _build_samples_without_list(data: Path) -> list[Sample]:
    """Return samples of pages without a list: none of their candidates is right."""
    pages: list[tuple[str, str, Path]] = []
    for page_set in find_page_sets(data, "news", NEWS):
        truth = page_set.read_pages()
        truth = truth[:: max(1, len(truth) // _MAX_NEWS_PAGES)]
        name = f"news {page_set.name}"
        pages += [(name, page["site"], page_set.folder / page["page"]) for page in truth]
    for page_set in find_page_sets(data, "text", ("wcxb",)):
        truth = [page for page in page_set.read_pages() if page["type"] in _TYPES_WITHOUT_LIST]
        pages += [(page["type"], page["site"], page_set.folder / page["page"]) for page in truth]
    samples: list[Sample] = []
    with ProcessPoolExecutor() as workers:
        measured = workers.map(_measure_page, [path for _, _, path in pages], chunksize=4)
        for (name, site, _), (spans, texts, features, extensions) in zip(
            pages, measured, strict=True
        ):
            if spans:
                nothing = np.zeros(len(spans))
                masks = [make_text_mask(len(texts), candidate) for candidate in spans]
                sample = Sample(name, site, features, nothing, nothing, masks, has_list=False)
                samples.append(replace(sample, extensions=extensions))
    return samples


_Extensions = dict[int, list[tuple[int, Floats]]]


def _measure_page(
    path: Path, generators: frozenset[str] = frozenset(GENERATORS)
) -> tuple[list[Spans], list[str], Floats, _Extensions]:
    """Return the candidates of a page, its texts, their features and their extensions."""
    try:
        index = PageIndex(unweave.load_page(path))
    except UnweaveError:
        return [], [], np.zeros((0, len(_NAMES))), {}
    candidates = find_candidates(index, find_data_record_lists(index.page), generators)
    measured = measure_candidates(index, candidates, limit=None)
    features = np.array([list(features) for _, _, features in measured], dtype=float)
    number_of = {spans: number for number, (spans, _, _) in enumerate(measured)}
    extensions: _Extensions = {}
    for number, (spans, listing, _) in enumerate(measured[:_MAX_EXTENDED]):
        longer = find_extensions(index, spans, listing, candidates)
        extensions[number] = [(number_of[each], np.array(values)) for each, _, values in longer]
    return [spans for spans, _, _ in measured], index.page.texts, features, extensions


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
            for share, true in self.find_records(span)
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

    def find_records(self, span: tuple[int, int]) -> list[tuple[float, int]]:
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


# ---- ranking -------------------------------------------------------------------------------------


def _fit_ranker(samples: Sequence[Sample]) -> Ranker:
    quick = fitting.fit_choice(
        [
            Choice(each.set, each.site, each.features[:, :QUICK_FEATURE_COUNT], each.quality)
            for each in samples
        ],
        SIGNS[:QUICK_FEATURE_COUNT],
        _QUICK_RIDGE,
    )
    ranker = Ranker(quick, np.zeros(len(_NAMES)), np.zeros(len(ExtensionFeatures._fields) + 1))
    compared: list[Choice] = []
    for sample in samples:
        numbers = ranker.shortlist(sample)
        features, quality = sample.compare(numbers), sample.quality[numbers]
        compared.append(Choice(sample.set, sample.site, features, quality))
    ranker = replace(ranker, weights=fitting.fit_choice(compared, SIGNS, _RIDGE))
    return replace(ranker, extension=_fit_extension(samples, ranker))


def _fit_extension(samples: Sequence[Sample], ranker: Ranker) -> Floats:
    """Fit whether a candidate with more records than the best one is better, by how much it is."""
    rows: list[Floats] = []
    is_better: list[float] = []
    row_weights: list[float] = []
    for sample, weight in zip(samples, fitting.weigh_sets(samples) ** 0.5, strict=True):
        best = int(ranker.rank(sample)[0][0])
        for longer, features in sample.extensions.get(best, ()):
            difference = sample.quality[longer] - sample.quality[best]
            rows.append(features)
            is_better.append(float(difference > 0))
            row_weights.append(weight * min(1.0, abs(difference) / _LARGE_DIFFERENCE))
    return fitting.fit_logistic(
        np.array(rows), np.array(is_better), np.array(row_weights), _EXTENSION_RIDGE
    )


def _cross_validate(
    samples: Sequence[Sample], get_group: Callable[[Sample], str]
) -> dict[str, float]:
    """Return the mean F1 of each set on pages that the weights were not fitted to."""
    figures: list[tuple[str, float]] = []
    for rest, left_out in fitting.leave_out(samples, get_group):
        ranker = _fit_ranker(rest)
        figures += [(sample.set, ranker.choose(sample)) for sample in left_out]
    by_set = fitting.average_by_set(figures)
    return {name: by_set[name] for name in dict.fromkeys(sample.set for sample in samples)}


# ---- confidence ----------------------------------------------------------------------------------


_MIN_PAGE_CONFIDENCE = 0.01


def _fit_rows(selections: Sequence[Selection]) -> Floats:
    weights = fitting.weigh_sets(selections)
    rows = np.concatenate([selection.rows for selection in selections])
    labels: list[tuple[float, float]] = []
    for selection, weight in zip(selections, weights, strict=True):
        labels += [(right, factor * weight**0.5) for right, factor in selection.get_labels()]
    right, row_weights = np.array(labels).T
    return fitting.fit_logistic(rows, right, row_weights, _CONFIDENCE_RIDGE)


def _predict_left_out(
    selections: Sequence[Selection], get_group: Callable[[Selection], str]
) -> list[Floats]:
    """Return the raw probabilities of the lists of each page, with its group left out."""
    groups = [get_group(selection) for selection in selections]
    weights = {
        left_out: _fit_rows(
            [each for each, group in zip(selections, groups, strict=True) if group != left_out]
        )
        for left_out in set(groups)
    }
    return [
        fitting.predict(weights[group], selection.rows)
        for selection, group in zip(selections, groups, strict=True)
    ]


def _get_first_lists(
    selections: Sequence[Selection], probabilities: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """Return the probability of the first list of each page, and 1 if it is right, else 0."""
    firsts: list[float] = []
    right: list[float] = []
    for selection, values in zip(selections, probabilities, strict=True):
        best = int(np.argmax(values))
        firsts.append(float(values[best]))
        right.append(list(selection.get_labels())[best][0])
    return np.array(firsts), np.array(right)


def _fit_calibration(
    selections: Sequence[Selection], raw: Sequence[Floats]
) -> list[tuple[float, float]]:
    """Calibrate the first lists of pages."""
    return fitting.fit_calibration(*_get_first_lists(selections, raw))


def _calibrate_left_out(
    selections: Sequence[Selection],
    raw: Sequence[Floats],
    get_group: Callable[[Selection], str],
) -> list[Floats]:
    """Return the confidences of the lists of each page, calibrated with its group left out."""
    groups = [get_group(selection) for selection in selections]
    points: dict[str, list[tuple[float, float]]] = {}
    for left_out in set(groups):
        kept = [number for number, group in enumerate(groups) if group != left_out]
        points[left_out] = _fit_calibration(
            [selections[number] for number in kept], [raw[number] for number in kept]
        )
    return [
        fitting.calibrate(points[group], probabilities)
        for probabilities, group in zip(raw, groups, strict=True)
    ]


@dataclass(frozen=True)
class Confidences:
    """The lists of all pages, with raw probabilities and confidences."""

    name: str
    selections: Sequence[Selection]
    raw: Sequence[Floats]
    """For the lists of each page; the calibration does not change their order."""
    confidences: Sequence[Floats] = ()

    def measure_first_lists(self) -> dict[str, float]:
        """Return the mean F1 of the first list of each page, by set."""
        figures: list[tuple[str, float]] = []
        for selection, raw in zip(self.selections, self.raw, strict=True):
            if selection.sample.has_list:
                first = selection.numbers[int(np.argmax(raw))]
                figures.append((selection.set, float(selection.sample.quality[first])))
        by_set = fitting.average_by_set(figures)
        return {name: by_set[name] for name in RECORDS if name in by_set}

    def measure_all_lists(self) -> dict[str, float]:
        """Return the mean F1 of all lists, for sets that have them, as the scorer's lists_f1."""
        figures: list[tuple[str, float]] = []
        for selection, values in zip(self.selections, self.confidences, strict=True):
            if selection.sample.has_all_lists:
                pairs = zip(selection.numbers, values, strict=True)
                numbers = [number for number, value in pairs if value >= MIN_LIST_CONFIDENCE]
                numbers = numbers or [selection.numbers[int(np.argmax(values))]]
                figures.append((selection.set, selection.sample.compute_lists_f1(numbers)))
        return fitting.average_by_set(figures)

    def measure_pages_without_list(self) -> dict[str, float]:
        """Return the share of pages without a list that have a confident table, by set."""
        pairs = zip(self.selections, self.confidences, strict=True)
        return fitting.average_by_set(
            [
                (selection.set, float(values.max() >= _CONFIDENT))
                for selection, values in pairs
                if not selection.sample.has_list
            ]
        )

    def measure_no_list(self) -> dict[str, float]:
        """Return the share of pages that have no list by the model, by set."""
        pairs = zip(self.selections, self.confidences, strict=True)
        return fitting.average_by_set(
            [(each.set, float(values.max() < _MIN_PAGE_CONFIDENCE)) for each, values in pairs]
        )

    def measure_calibration(self) -> list[tuple[float, int, float, float]]:
        """Return for bins of confidences of first lists where they start, the number of pages,
        the share that is right, and how much higher the mean confidence is."""
        firsts, right = _get_first_lists(self.selections, self.confidences)
        bins: list[tuple[float, int, float, float]] = []
        for low, high in pairwise([*np.arange(0, 1, 0.1), 1.01]):
            inside = (firsts >= low) & (firsts < high)
            if inside.any():
                share = float(right[inside].mean())
                gap = float(firsts[inside].mean()) - share
                bins.append((float(low), int(inside.sum()), share, gap))
        return bins

    def find_largest_gap(self) -> float:
        """Return the largest gap between confidence and share in bins of 30 pages or more."""
        return max(abs(gap) for _, count, _, gap in self.measure_calibration() if count >= _MIN_BIN)

    def print(self) -> None:
        """Print the figures of confidences."""
        print(f"{self.name}:")
        for name, figures in (
            ("lists_f1", self.measure_all_lists()),
            ("confident tables on pages without a list", self.measure_pages_without_list()),
            ("no list", self.measure_no_list()),
        ):
            print(f"  {name}:", ", ".join(f"{key} {value:.3f}" for key, value in figures.items()))
        print(f"  confident tables on all pages without a list: {self.measure_confident():.3f}")
        for low, count, share, gap in self.measure_calibration():
            print(f"  confidence from {low:.1f}: {count} pages, {share:.2f} right, gap {gap:+.3f}")
        print(f"  largest gap in bins of {_MIN_BIN}: {self.find_largest_gap():.3f}", flush=True)

    def measure_confident(self) -> float:
        """Return the share of all pages without a list that have a confident table."""
        pairs = zip(self.selections, self.confidences, strict=True)
        values = [value.max() >= _CONFIDENT for each, value in pairs if not each.sample.has_list]
        return float(np.mean(values))

    def get_figures(self) -> dict[str, Any]:
        """Return the figures that the model file has."""
        figures: dict[str, Any] = {"page_mean_f1": self.measure_first_lists()}
        if self.confidences:
            figures["lists_f1"] = self.measure_all_lists()
            figures["largest_gap"] = round(self.find_largest_gap(), 3)
            figures["confident_on_pages_without_list"] = round(self.measure_confident(), 3)
        for name in ("page_mean_f1", "lists_f1"):
            if name in figures:
                figures[name] = {key: round(value, 3) for key, value in figures[name].items()}
        return figures

    def get_floor_figures(self) -> dict[str, dict[str, float]]:
        """Return the figures that have floors, by set."""
        figures = {
            name: {"page_mean_f1": value} for name, value in self.measure_first_lists().items()
        }
        for name, value in self.measure_all_lists().items():
            figures[name]["lists_f1"] = value
        return figures


def _leave_out(name: str, pages: Sequence[Sample], get_group: Callable[[Any], str]) -> Confidences:
    """Measure ranking and confidences on pages that they were not fitted to."""
    selections: list[Selection] = []
    for rest, left_out in fitting.leave_out(pages, get_group):
        ranker = _fit_ranker([sample for sample in rest if sample.has_list])
        selections += [ranker.select(sample) for sample in left_out]
    raw = _predict_left_out(selections, get_group)
    return Confidences(name, selections, raw, _calibrate_left_out(selections, raw, get_group))


if __name__ == "__main__":
    raise SystemExit(main())
