"""What wrappers for lists survive: learned from one page of a site, applied to its other pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

import unweave
from bench.corpus import PageSet
from bench.drift_changes import UNCHANGED, Change, keep
from bench.drift_detection import PageFit, print_detection
from bench.floors import Figures
from bench.scoring import load_scorer
from unweave import Table, UnweaveError

LIST_SETS = ("webdext", "estuka2017")
_MIN_LEARNED_F1 = 0.9  # of the mined list of the page that is learned from


@dataclass(frozen=True)
class ListResult:
    """The pages of a site that a wrapper was applied to."""

    page_set: str
    page_fits: list[PageFit] = field(default_factory=list)
    """Empty if no page was mined well enough to learn from it."""
    mined: dict[str, list[float]] = field(default_factory=dict)
    """The F1 of the list that ``unweave.records`` finds on each page, by change."""


def measure_lists(
    sets: Sequence[PageSet], scorer: Path, changes: Sequence[str], every: int
) -> list[ListResult]:
    """Measure every ``every``-th site with several pages."""
    results: list[ListResult] = []
    for page_set in sets:
        sites = [pages for pages in page_set.group_by_site().values() if len(pages) > 1]
        with ProcessPoolExecutor() as workers:
            results += workers.map(
                _measure_site,
                repeat(page_set.name),
                repeat(page_set.folder),
                sites[::every],
                repeat(scorer),
                repeat(changes),
            )
    return results


def _measure_site(
    name: str,
    folder: Path,
    pages: Sequence[dict[str, Any]],
    scorer_path: Path,
    changes: Sequence[str],
) -> ListResult:
    scorer = load_scorer(scorer_path)
    kinds: Mapping[str, Change] = load_scorer(scorer_path.with_name("harm.py")).KINDS
    result = ListResult(name)
    markups = [(folder / page["page"]).read_bytes() for page in pages]
    for number, markup in enumerate(markups):
        if _compute_f1(scorer, pages[number], _mine(markup)) >= _MIN_LEARNED_F1:
            break
    else:
        return result
    wrapper = unweave.learn(markups[number], method="records")
    others = [each for each in range(len(pages)) if each != number]
    for change_name in (UNCHANGED, *changes):
        change = kinds.get(change_name, keep)
        for other in others:
            changed = change(markups[other])
            try:
                extraction = unweave.apply(wrapper, changed)
            except UnweaveError:
                extraction = unweave.Extraction()
            f1 = _compute_f1(scorer, pages[other], extraction.table)
            result.page_fits.append(PageFit(change_name, f1, extraction.fit))
            mined = _compute_f1(scorer, pages[other], _mine(changed))
            result.mined.setdefault(change_name, []).append(mined)
    return result


def _mine(markup: bytes) -> Table | None:
    """Return the first list of a page, or None."""
    try:
        tables = unweave.records(markup)
    except UnweaveError:
        return None
    return tables[0] if tables else None


def _compute_f1(scorer: ModuleType, truth: dict[str, Any], table: Table | None) -> float:
    if table is None:
        return 0.0
    matched, count, _ = scorer.score_table(truth, {"rows": [], "texts": table.texts})
    return float(scorer.f1(len(matched) / max(1, count), len(matched) / len(truth["records"])))


def print_lists(
    console: Console, results: Sequence[ListResult], changes: Sequence[str], min_fit: float
) -> Figures:
    """Print the mean F1 of pages, and return the relative ones by set and change."""
    names = list(dict.fromkeys(result.page_set for result in results))
    grid = Grid("change", title="Lists: mean F1 of pages, relative to the pages as they were")
    figures: Figures = {}
    applied: dict[str, dict[str, float]] = {}
    mined: dict[str, dict[str, float]] = {}
    for name in names:
        members = [result for result in results if result.page_set == name and result.page_fits]
        learned = sum(result.page_set == name for result in results)
        grid.add_column(f"{name}: wrapper ({len(members)} of {learned} sites)")
        grid.add_column("records")
        fits = [page for result in members for page in result.page_fits]
        applied[name] = _average([(page.change, page.f1) for page in fits])
        mined[name] = _average(
            [
                (change, f1)
                for result in members
                for change in changes
                for f1 in result.mined[change]
            ]
        )
        figures[name] = compute_relative(applied[name])
    for change in changes:
        cells: list[str] = []
        for name in names:
            cells += [format_relative(each[name], change) for each in (applied, mined)]
        grid.add_row(change, *cells)
    console.print(grid)
    page_fits = [page for result in results for page in result.page_fits]
    print_detection(console, "Lists: does the fit tell?", page_fits, changes, min_fit)
    return figures


def _average(figures: Sequence[tuple[str, float]]) -> dict[str, float]:
    by_change: dict[str, list[float]] = {}
    for change, f1 in figures:
        by_change.setdefault(change, []).append(f1)
    return {change: mean(values) for change, values in by_change.items()}


def compute_relative(f1: Mapping[str, float]) -> dict[str, float]:
    """Return the figures of the changes as shares of that of the unchanged pages."""
    whole = f1.get(UNCHANGED, 0.0)
    return {name: value / whole for name, value in f1.items() if name != UNCHANGED and whole}


def format_relative(f1: Mapping[str, float], change: str) -> str:
    """Return a figure, and what share of that of the unchanged pages it is."""
    if change not in f1:
        return ""
    relative = compute_relative(f1).get(change)
    return f"{f1[change]:.3f}" + ("" if relative is None else f" ({relative:.3f})")
