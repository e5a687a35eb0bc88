"""Run every method over the pages with truth, score it, print one table, and fail below the pinned floors.

    python -m bench.quality --data ../shared/data --score ../shared/score/score.py

Running and scoring are separate programs: this one writes what ``unweave`` gives, the scorer reads it. The floors stand in
floors.json, with the corpus that they were measured on; ``--update`` pins what is measured now, and lowers a floor only if
it is told to with ``--allow-lower``.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import unweave
from bench.corpus import RECORDS, PageSet, page_sets
from unweave.api import METHODS

FLOORS = Path(__file__).with_name("floors.json")
OUTPUT = Path(".data") / "out"

# Figures may wobble by a page or two when a dependency changes how it reads one.
_SLACK = 0.005

Figures = dict[str, dict[str, float]]


def main() -> None:
    """Measure, print, compare."""
    arguments = _arguments()
    sets = page_sets(arguments.data, "records", RECORDS)
    if not sets or not arguments.score.exists():
        print(f"No pages with truth in {arguments.data}, or no scorer at {arguments.score}: nothing was measured.")
        return
    console = Console(width=120 if not sys.stdout.isatty() else None)
    for name in RECORDS:
        if name not in {page_set.name for page_set in sets}:
            console.print(f"[red]{name} is not at hand: its floors are not checked.")
    scored = {
        method: {page_set.name: _scored(page_set, method, arguments.score) for page_set in sets} for method in METHODS
    }
    measured = {method: {name: _figures(own) for name, own in sets.items()} for method, sets in scored.items()}
    _print(console, measured)
    _print_counts(console, scored)
    corpus = {page_set.name: page_set.digest for page_set in sets}
    if arguments.update:
        _update(measured, corpus, allow_lower=arguments.allow_lower)
    sys.exit(_compare(console, measured, corpus))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--update", action="store_true", help="pin what is measured now")
    parser.add_argument("--allow-lower", action="store_true", help="let --update lower a floor")
    return parser.parse_args()


def _scored(page_set: PageSet, method: str, scorer: Path) -> dict[str, Any]:
    """What the scorer says of one method on one set."""
    output = OUTPUT / f"{page_set.name}-{method}.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as workers, output.open("w", encoding="utf-8") as file:
        names = [page["page"] for page in page_set.pages()]
        folders, methods = [page_set.folder] * len(names), [method] * len(names)
        for line in workers.map(_line, folders, names, methods, chunksize=8):
            file.write(line + "\n")
    command = [sys.executable, str(scorer), "records", str(page_set.truth), str(output), "--json"]
    scored: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return scored


def _figures(scored: dict[str, Any]) -> dict[str, float]:
    """The figures that have floors."""
    figures = {"page_mean_f1": scored["page_mean_f1"], "first_table_f1": scored["first_table"]["f1"]}
    if "cells_of_matched_records" in scored:
        figures["cells_f1"] = scored["cells_of_matched_records"]["f1"]
    return figures


def _line(folder: Path, name: str, method: str) -> str:
    try:
        tables = unweave.records(folder / name, method=method)
    except unweave.PageError:
        tables = []
    return json.dumps({"page": name, "tables": [{"rows": table.shown_rows(), "texts": table.texts} for table in tables]})


def _print(console: Console, measured: dict[str, Figures]) -> None:
    grid = Table("set", "figure", *measured, title="Records of one page")
    for name, figures in next(iter(measured.values())).items():
        for figure in figures:
            values = [f"{measured[method][name][figure]:.3f}" for method in measured]
            grid.add_row(name, figure, *values)
    console.print(grid)


def _print_counts(console: Console, scored: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Records of the first tables, counted as Table 2 of the DEPTA paper counts them: correct, wrong/missed."""
    methods = [method for method in scored if method != "auto"]
    heads = [f"{method} {head}" for method in methods for head in ("correct", "wrong/missed")]
    grid = Table("set", "records", *heads, title="Records of the first table")
    totals = {method: [0, 0, 0] for method in methods}
    for name, own in scored[methods[0]].items():
        row: list[str] = []
        for method in methods:
            first, records = scored[method][name]["first_table"], own["records"]
            correct = round(first["recall"] * records)
            given = round(correct / first["precision"]) if correct else 0
            counts = [correct, given - correct, records - correct]
            totals[method] = [total + count for total, count in zip(totals[method], counts, strict=True)]
            row += [str(counts[0]), f"{counts[1]}/{counts[2]}"]
        grid.add_row(name, str(own["records"]), *row)
    shares = [(correct / (correct + missed), correct / (correct + wrong)) for correct, wrong, missed in totals.values()]
    every = sum(own["records"] for own in scored[methods[0]].values())
    sums = [text for correct, wrong, missed in totals.values() for text in (str(correct), f"{wrong}/{missed}")]
    grid.add_row("total", str(every), *sums, end_section=True)
    grid.add_row("recall", "", *(text for recall, _ in shares for text in (f"{recall:.1%}", "")))
    grid.add_row("precision", "", *(text for _, precision in shares for text in (f"{precision:.1%}", "")))
    console.print(grid)


def _compare(console: Console, measured: dict[str, Figures], corpus: dict[str, str]) -> int:
    """The exit status: 1 if a figure is below its floor."""
    pinned = json.loads(FLOORS.read_text(encoding="utf-8"))
    below = unknown = 0
    for method, sets in measured.items():
        for name, figures in sets.items():
            if pinned["corpus"].get(name) != corpus[name]:
                unknown += 1
                console.print(f"[red]{name} is another corpus than the floors were pinned on: not compared.")
                continue
            for figure, value in figures.items():
                floor = pinned["floors"].get(method, {}).get(name, {}).get(figure, 0.0)
                if value < floor:
                    below += 1
                    console.print(f"[red]below the floor: {method} {name} {figure} {value:.4f} < {floor:.3f}")
    compared = "All figures" if not unknown else "The figures that could be compared"
    console.print(f"{below} figures are below their floors." if below else f"{compared} are at or above their floors.")
    return 1 if below else 0


def _update(measured: dict[str, Figures], corpus: dict[str, str], *, allow_lower: bool) -> None:
    pinned = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.exists() else {"floors": {}}
    for method, sets in measured.items():
        for name, figures in sets.items():
            floors = pinned["floors"].setdefault(method, {}).setdefault(name, {})
            for figure, value in figures.items():
                floor, pinned_floor = math.floor((value - _SLACK) * 1000) / 1000, floors.get(figure, 0.0)
                if value < pinned_floor and not allow_lower:
                    sys.exit(f"{method} {name} {figure} would be lowered to {floor}: say --allow-lower if that is meant")
                floors[figure] = floor if allow_lower else max(floor, pinned_floor)
    corpus = {**pinned.get("corpus", {}), **corpus}
    FLOORS.write_text(json.dumps({"corpus": corpus, "floors": pinned["floors"]}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
