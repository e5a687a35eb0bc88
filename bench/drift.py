"""What wrappers survive: pages of a site are changed as redesigns do, and read again.

    python -m bench.drift --data ../shared/data --score ../shared/score/score.py
    python -m bench.drift … --every 4 --seeds 1 --others-every 1
    python -m bench.drift … --changes classes,ids+wrap --methods fields,xpath --only detail

The changes are those of harm.py next to the scorer, and ``labels`` (half of the labels renamed),
``section`` (a block moved behind its next sibling), ``column`` (a cell in front of each row of data
tables) and ``all names`` (all classes and ids renamed) of bench.drift_changes; names joined by
``+`` are applied together. Wrappers are learned from pages as they were; the truth stays the same.
Figures are means over sites and draws, where nothing else is said. Selectors are compared without
white space.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

import unweave
from bench.corpus import DETAIL, PageSet, find_page_sets
from bench.drift_changes import OWN_CHANGES, UNCHANGED, Change, fold_spaces, make_change
from bench.drift_detection import BatchReport, PageFit, print_batches, print_detection
from bench.drift_lists import (
    LIST_SETS,
    compute_relative,
    format_relative,
    measure_lists,
    print_lists,
)
from bench.floors import Figures, add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave import Extraction, Page, UnweaveError, Wrapper
from unweave.selectors.evaluation import SamplePage, read_texts, remove_spaces
from unweave.selectors.export import Export
from unweave.wrappers.base import is_value
from unweave.wrappers.drift import Change as FieldChangeKind
from unweave.wrappers.drift import DriftMonitor
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.landmarks.learn import LandmarkLearner

_METHODS = ("fields", "xpath", "css", "landmark")
_COMBINED = ("classes+wrap", "ids+wrap+ad+tags", "labels+classes", "section+wrap")
_DETECTED_ONLY = (
    "all names+labels",
    "all names+wrap+tags",
    "all names+labels+wrap+tags+column",
)
"""Changes that break many fields: whether the fit tells is measured on them, too."""
_MAX_SECTION_PAGES = 10
"""The section that is moved is chosen from this many pages of a site, the same for all draws."""

Values = dict[str, Any]
"""What is extracted from a page, by the names of the fields."""


@dataclass(frozen=True)
class Job:
    """A site, and one draw of the pages that are learned from."""

    page_set: str
    folder: Path
    pages: Sequence[dict[str, Any]]
    """The truth of the pages."""
    seed: int
    methods: Sequence[str]


@dataclass(frozen=True)
class JobResult:
    """The figures of one job."""

    page_set: str
    f1: dict[str, dict[str, float]]
    """By method, then by change."""
    page_fits: Sequence[PageFit]
    """By the true attributes."""
    field_fits: Sequence[PageFit]
    """By all fields, compared with those of the page as it was."""
    batches: Sequence[BatchReport]
    all_fields: dict[str, tuple[float | None, float]]
    """By change, precision and recall of all fields; the precision is None if there are none."""


def main() -> None:
    """Print the figures, and check the floors."""
    arguments = _parse_arguments()
    sets = find_page_sets(arguments.data, "detail", DETAIL) if arguments.only != "lists" else []
    list_sets = (
        find_page_sets(arguments.data, "records", LIST_SETS) if arguments.only != "detail" else []
    )
    harms = arguments.score.with_name("harm.py")
    if not (sets or list_sets) or not arguments.score.exists() or not harms.exists():
        print(
            f"No pages with truth in {arguments.data}, no scorer, or no harm.py beside it:"
            " nothing was measured."
        )
        return
    kinds: Mapping[str, Change] = load_scorer(harms).KINDS
    changes = arguments.changes or [*kinds, *OWN_CHANGES, *_COMBINED, *_DETECTED_ONLY]
    for part in {part for name in changes for part in name.split("+")} - {*kinds, *OWN_CHANGES}:
        sys.exit(f"unknown change {part!r}; choose from {', '.join([*kinds, *OWN_CHANGES])}")
    console = make_console()
    measured: dict[str, Figures] = {}
    if sets:
        results = _measure_sets(sets, arguments, changes)
        _print_f1(console, results, arguments, changes)
        if "fields" in arguments.methods:
            _print_all_fields(console, results, changes)
            _print_fits(console, results, [UNCHANGED, *changes], arguments.min_fit)
            measured[f"drift, {arguments.seeds} draws"] = _collect_figures(results)
    if list_sets:
        list_changes = [name for name in changes if name in kinds]
        found = measure_lists(list_sets, arguments.score, list_changes, arguments.every)
        named = [UNCHANGED, *list_changes]
        measured["drift of lists"] = print_lists(console, found, named, arguments.min_fit)
    if arguments.every > 1:
        console.print("Floors are of all sites: not compared.")
        return
    sys.exit(check_floors(console, arguments, measured, [*sets, *list_sets]))


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument("--sample", type=int, default=20, help="pages of a site to learn from")
    parser.add_argument("--seeds", type=int, default=3, help="number of random samples")
    parser.add_argument("--pages", type=int, default=30, help="other pages of a site to read")
    parser.add_argument("--every", type=int, default=1, help="use every n-th site only")
    parser.add_argument(
        "--others-every",
        type=int,
        default=4,
        help="of the sites, use every n-th for xpath, css and landmark; the first draw only",
    )
    parser.add_argument(
        "--methods", type=_split, default=list(_METHODS), help=f"of {', '.join(_METHODS)}"
    )
    parser.add_argument("--changes", type=_split, default=[], help="separated by commas")
    parser.add_argument("--min-fit", type=float, default=0.5, help="a lower fit tells of drift")
    parser.add_argument("--only", choices=("detail", "lists"), help="one kind of pages only")
    arguments = parser.parse_args()
    for name in {*arguments.methods} - {*_METHODS}:
        parser.error(f"unknown method {name!r}; choose from {', '.join(_METHODS)}")
    return arguments


def _split(names: str) -> list[str]:
    return names.split(",")


# ---- measuring -----------------------------------------------------------------------------------


def _measure_sets(
    sets: Sequence[PageSet], arguments: argparse.Namespace, changes: Sequence[str]
) -> list[JobResult]:
    sites = [(page_set, pages) for page_set in sets for pages in page_set.group_by_site().values()]
    jobs: list[Job] = []
    for number, (page_set, pages) in enumerate(sites[:: arguments.every]):
        for seed in range(arguments.seeds):
            with_others = seed == 0 and number % arguments.others_every == 0
            methods = [name for name in arguments.methods if with_others or name == "fields"]
            if methods:
                jobs.append(Job(page_set.name, page_set.folder, pages, seed, methods))
    jobs.sort(key=lambda job: -len(job.methods))  # those that take longest come first
    with ProcessPoolExecutor() as workers:
        return list(
            workers.map(
                _measure_job,
                jobs,
                repeat(arguments.score),
                repeat(changes),
                repeat(arguments.sample),
                repeat(arguments.pages),
            )
        )


def _measure_job(
    job: Job, scorer_path: Path, changes: Sequence[str], sample: int, max_pages: int
) -> JobResult:
    """Learn from a site, and read its other pages unchanged and after each change."""
    scorer = load_scorer(scorer_path)
    kinds: Mapping[str, Change] = load_scorer(scorer_path.with_name("harm.py")).KINDS
    names = [page["page"] for page in job.pages]
    size = sample if len(names) > sample else len(names) // 2
    chosen = random.Random(job.seed).sample(names, size)
    truth = [page for page in job.pages if page["page"] not in chosen][:max_pages]
    reader = _Reader.learn(job, [job.folder / name for name in chosen])
    labels = reader.list_labels() - _list_values(job.pages)
    section_pages = [
        (job.folder / name).read_bytes()
        for name in names[:: max(1, len(names) // _MAX_SECTION_PAGES)]
    ]
    markups = {page["page"]: (job.folder / page["page"]).read_bytes() for page in truth}
    unchanged = {name: reader.read(markup) for name, markup in markups.items()}
    readings = {UNCHANGED: unchanged}
    for change_name in changes:
        change = make_change(change_name, kinds, section_pages, labels)
        readings[change_name] = {}
        for name, markup in markups.items():
            changed = change(markup)
            is_same = changed == markup
            readings[change_name][name] = unchanged[name] if is_same else reader.read(changed)
    f1 = {
        method: {
            name: _score(scorer, method, truth, _select(reading, method))
            for name, reading in readings.items()
        }
        for method in reader.methods
    }
    if "fields" not in job.methods:
        return JobResult(job.page_set, f1, [], [], [], {})
    extracted = {name: _select(reading, "fields") for name, reading in readings.items()}
    judge = _PageJudge.choose_fields(scorer, truth, extracted[UNCHANGED])
    page_fits: list[PageFit] = []
    field_fits: list[PageFit] = []
    batches: list[BatchReport] = []
    all_fields: dict[str, tuple[float | None, float]] = {}
    for change_name, values_of_pages in extracted.items():
        monitor = DriftMonitor(reader.fields)
        for page in truth:
            name = page["page"]
            reading, values = readings[change_name][name], values_of_pages[name]
            monitor.add(reading.extraction)
            before = extracted[UNCHANGED][name]
            precision, recall = _compare(scorer, {name: before}, {name: values})
            same = 2 * recall / (1 + recall / precision) if precision else 0.0
            field_fits.append(PageFit(change_name, same, reading.fit))
            page_f1 = judge.compute_f1(page, values)
            if page_f1 is not None:
                before_f1 = judge.compute_f1(page, before) or 0.0
                page_fits.append(PageFit(change_name, page_f1, reading.fit, before_f1))
        relative = f1["fields"][change_name] / (f1["fields"][UNCHANGED] or 1.0)
        kinds_of_fields = [each.change for each in monitor.find_changes()]
        worse = [each for each in kinds_of_fields if each != FieldChangeKind.MOVED]
        batches.append(BatchReport(change_name, relative, len(worse)))
        all_fields[change_name] = _compare(scorer, extracted[UNCHANGED], values_of_pages)
    return JobResult(job.page_set, f1, page_fits, field_fits, batches, all_fields)


def _list_values(pages: Sequence[dict[str, Any]]) -> set[str]:
    """Return all true values of a site, which are no labels whatever the wrapper takes them for."""
    return {
        fold_spaces(str(value))
        for page in pages
        for values in page["fields"].values()
        for value in values
    }


# ---- reading pages -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Reading:
    """What the methods extract from a page, and the fit of the wrapper for fields."""

    values: dict[str, Values]
    extraction: Extraction

    @property
    def fit(self) -> float:
        """The fit of the wrapper for fields."""
        return self.extraction.fit


def _select(readings: Mapping[str, _Reading], method: str) -> dict[str, Values]:
    return {name: reading.values.get(method, {}) for name, reading in readings.items()}


@dataclass(frozen=True)
class _Reader:
    """The wrappers and the selectors of a site."""

    fields: FieldWrapper
    exports: dict[str, Export]
    landmarks: Wrapper | None
    methods: Sequence[str]
    """Those that could be learned."""

    @classmethod
    def learn(cls, job: Job, paths: Sequence[Path]) -> _Reader:
        """Learn from the pages of a draw."""
        pages = [unweave.load_page(path) for path in paths]
        wrapper = unweave.learn(pages, method="fields")
        assert isinstance(wrapper, FieldWrapper)
        forms = [method for method in job.methods if method in ("xpath", "css")]
        samples = [SamplePage.parse(path.read_bytes()) for path in paths] if forms else []
        exports = {form: wrapper.selectors(form, samples) for form in forms}
        landmarks: Wrapper | None = None
        if "landmark" in job.methods:
            # Of the settings in bench.landmarks, the one with the best figures, and a fast one.
            learner = LandmarkLearner(search="greedy", tokens="texts", seed=job.seed)
            with suppress(UnweaveError):
                landmarks = learner.learn(pages)
        methods = [name for name in job.methods if name != "landmark" or landmarks]
        return cls(wrapper, exports, landmarks, methods)

    def list_labels(self) -> set[str]:
        """Return the texts of the labels that the wrapper knows."""
        return {text for _, _, text in self.fields.anchors.labels}

    def read(self, markup: bytes) -> _Reading:
        """Read a page with all methods."""
        try:
            page = unweave.load_page(markup)
        except UnweaveError:
            return _Reading({}, Extraction())
        values: dict[str, Values] = {}
        extraction = Extraction()
        if "fields" in self.methods:
            extraction = _apply(self.fields, page)
            values["fields"] = dict(extraction.fields or {})
        if self.landmarks:
            values["landmark"] = dict(_apply(self.landmarks, page).fields or {})
        if self.exports:
            sample = SamplePage.parse(markup)
            for form, export in self.exports.items():
                values[form] = dict(_run_selectors(export, sample))
        return _Reading(values, extraction)


def _apply(wrapper: Wrapper, page: Page) -> Extraction:
    try:
        return unweave.apply(wrapper, page)
    except UnweaveError:
        return Extraction()


def _run_selectors(export: Export, page: SamplePage) -> Iterator[tuple[str, Any]]:
    """Yield the values of selectors by the names of their fields and columns."""
    for column in export.fields:
        if column.chosen.selector and column.chosen.text:
            found = page.select(export.form, column.chosen.text)
            texts = read_texts(found, column.chosen.selector)
            yield column.name, texts if column.many else texts[:1]
    for table in export.tables:
        rows = page.select(export.form, table.chosen.text) if table.chosen.text else []
        for column in table.columns:
            if column.chosen.selector and column.chosen.text:
                cells: list[str] = []
                for row in rows:
                    found = page.select(export.form, column.chosen.text, row)
                    cells += read_texts(found, column.chosen.selector, is_value)[:1]
                yield column.name, cells


# ---- scoring -------------------------------------------------------------------------------------


def _score(
    scorer: ModuleType,
    method: str,
    truth: Sequence[dict[str, Any]],
    values_of_pages: Mapping[str, Values],
) -> float:
    """Return the scorer's F1 of the true attributes of a site."""
    if method in ("xpath", "css"):  # texts of selectors have no white space
        truth = [{**page, "fields": _remove_spaces(page["fields"])} for page in truth]
    predicted = {name: {"fields": values} for name, values in values_of_pages.items()}
    return float(scorer.score_detail(truth, predicted, 0)[0]["f1"])


def _remove_spaces(fields: Mapping[str, Sequence[str]]) -> Values:
    return {name: list(map(remove_spaces, values)) for name, values in fields.items()}


@dataclass(frozen=True)
class _PageJudge:
    """Compares single pages with their truth, by the fields that are best on unchanged pages."""

    scorer: ModuleType
    fields: dict[str, str]
    """The field of each attribute; attributes without one are not judged."""

    @classmethod
    def choose_fields(
        cls,
        scorer: ModuleType,
        truth: Sequence[dict[str, Any]],
        values_of_pages: Mapping[str, Values],
    ) -> _PageJudge:
        """Choose for each attribute the field with the highest F1 on the unchanged pages."""
        true: dict[str, set[tuple[str, str]]] = defaultdict(set)
        extracted: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for page in truth:
            name = page["page"]
            for attribute, values in page["fields"].items():
                true[attribute] |= {(name, value) for value in scorer.values(values)}
            for field, values in values_of_pages[name].items():
                extracted[field] |= {(name, value) for value in scorer.values(values)}
        fields: dict[str, str] = {}
        for attribute, pairs in true.items():
            common = {field: len(pairs & found) for field, found in extracted.items()}
            scores = {
                field: 2 * count / (len(pairs) + len(extracted[field]))
                for field, count in common.items()
                if count
            }
            if scores:
                fields[attribute] = max(scores, key=scores.__getitem__)
        return cls(scorer, fields)

    def compute_f1(self, page: Mapping[str, Any], values: Values) -> float | None:
        """Return the F1 of the values of a page; None if it has no attribute to judge by."""
        same = extracted = true = 0
        for attribute, field in self.fields.items():
            wanted = self.scorer.values(page["fields"].get(attribute, []))
            found = self.scorer.values(values.get(field, []))
            same += len(wanted & found)
            extracted += len(found)
            true += len(wanted)
        return 2 * same / (extracted + true) if true else None


def _compare(
    scorer: ModuleType, unchanged: Mapping[str, Values], changed: Mapping[str, Values]
) -> tuple[float | None, float]:
    """Return precision and recall of the names and values of all fields of a site."""
    expected, found = (
        {
            (name, field, value)
            for name, fields in values_of_pages.items()
            for field, values in fields.items()
            for value in scorer.values(values)
        }
        for values_of_pages in (unchanged, changed)
    )
    same = len(expected & found)
    return (same / len(found) if found else None), same / max(1, len(expected))


# ---- printing ------------------------------------------------------------------------------------


def _average(results: Sequence[JobResult], method: str) -> dict[str, float]:
    """Return the mean F1 of a method by change."""
    figures = [result.f1[method] for result in results if method in result.f1]
    changes = figures[0] if figures else {}
    return {change: mean(by_change[change] for by_change in figures) for change in changes}


def _print_f1(
    console: Console,
    results: Sequence[JobResult],
    arguments: argparse.Namespace,
    changes: Sequence[str],
) -> None:
    columns = [(method, method, results) for method in arguments.methods]
    with_others = [result for result in results if result.f1.keys() - {"fields"}]
    if "fields" in arguments.methods and 0 < len(with_others) < len(results):
        position = arguments.methods.index("fields") + 1
        columns.insert(position, ("fields, where the others are", "fields", with_others))
    grid = Grid(
        "change", title="Detail pages: F1 of the attributes (relative to the pages as they were)"
    )
    figures: list[dict[str, float]] = []
    for head, method, members in columns:
        count = sum(method in result.f1 for result in members)
        grid.add_column(f"{head} ({count} draws)")
        figures.append(_average(members, method))
    for change in (UNCHANGED, *changes):
        grid.add_row(change, *[format_relative(each, change) for each in figures])
    console.print(grid)
    if with_others and len(with_others) < len(results):
        console.print(
            "Selectors and landmarks: the first draw only, of one site in"
            f" {arguments.others_every} (--others-every)."
        )


def _print_all_fields(
    console: Console, results: Sequence[JobResult], changes: Sequence[str]
) -> None:
    grid = Grid(
        "change",
        "precision",
        "recall",
        "draws without any field",
        title="All fields: names and values, against those of the pages as they were",
    )
    for change in changes:
        pairs = [result.all_fields[change] for result in results if result.all_fields]
        precisions = [precision for precision, _ in pairs if precision is not None]
        grid.add_row(
            change,
            f"{mean(precisions):.3f}" if precisions else "",
            f"{mean(recall for _, recall in pairs):.3f}",
            str(len(pairs) - len(precisions)),
        )
    console.print(grid)


def _print_fits(
    console: Console, results: Sequence[JobResult], changes: Sequence[str], min_fit: float
) -> None:
    """Print whether the fit tells which pages are read worse after a change, and since when."""
    page_fits = [page for result in results for page in result.page_fits]
    field_fits = [page for result in results for page in result.field_fits]
    title = "Does the fit tell pages with F1 below 0.8?"
    print_detection(console, title, page_fits, [], min_fit)
    title = "… those that had 0.8 before the change?"
    print_detection(console, title, page_fits, changes, min_fit, lambda page: page.is_broken)
    title = "… those with an F1 below 0.8 of all fields, as they were?"
    print_detection(console, title, field_fits, [], min_fit)
    print_batches(console, [batch for result in results for batch in result.batches])


def _collect_figures(results: Sequence[JobResult]) -> Figures:
    """Return the relative F1 of the wrapper for fields, by set and change."""
    names = dict.fromkeys(result.page_set for result in results)
    return {
        name: compute_relative(
            _average([result for result in results if result.page_set == name], "fields")
        )
        for name in names
    }


if __name__ == "__main__":
    main()
