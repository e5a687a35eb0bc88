"""Records of every method on pages with truth: run, scored, and compared with the floors.

    python -m bench.quality --data ../shared/data --score ../shared/score/score.py

This program writes the output of ``unweave``; the scorer, a separate program, reads it. The floors
are in floors.json, with the corpus that they were measured on; ``--update`` saves the figures, and
lowers a floor only with ``--allow-lower``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import unweave
from bench.corpus import RECORDS, PageSet, find_page_sets
from bench.floors import Figures, add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import OUTPUT, run_scorer
from unweave.cli.shared import parse_parameters
from unweave.lists.method import METHODS


def main() -> None:
    """Print the figures, and check the floors."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    parser.add_argument(
        "--methods",
        default=",".join(METHODS),
        help="separated by commas; with a variant as mdr:printed, and with parameters as"
        " mdr:nested=yes or mdr:printed:tags=tables",
    )
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "records", RECORDS)
    if not sets or not arguments.score.exists():
        print(f"No pages in {arguments.data}, or no scorer: nothing was measured.")
        return
    console = make_console()
    for name in RECORDS:
        if name not in {page_set.name for page_set in sets}:
            console.print(f"[red]{name} was not found: its floors are not checked.")
    scored = {
        method: {
            page_set.name: _score_method(page_set, method, arguments.score) for page_set in sets
        }
        for method in arguments.methods.split(",")
    }
    measured: dict[str, Figures] = {}
    for method, by_set in scored.items():
        measured[method] = {name: _select_figures(values) for name, values in by_set.items()}
    _print_figures(console, measured)
    _print_counts(console, scored)
    sys.exit(check_floors(console, arguments, measured, sets))


def _score_method(page_set: PageSet, method: str, scorer: Path) -> dict[str, Any]:
    """Return the figures of the scorer for one method and set."""
    output = OUTPUT / f"{page_set.name}-{method}.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as workers, output.open("w", encoding="utf-8") as file:
        names = [page["page"] for page in page_set.read_pages()]
        folders, methods = [page_set.folder] * len(names), [method] * len(names)
        for line in workers.map(_format_line, folders, names, methods, chunksize=8):
            file.write(line + "\n")
    return run_scorer(scorer, page_set, output)


def _select_figures(scored: dict[str, Any]) -> dict[str, float]:
    """Return the figures that have floors."""
    figures = {
        "page_mean_f1": scored["page_mean_f1"],
        "first_table_f1": scored["first_table"]["f1"],
    }
    if "cells_of_matched_records" in scored:
        figures["cells_f1"] = scored["cells_of_matched_records"]["f1"]
    if "lists_f1" in scored:
        figures["lists_f1"] = scored["lists_f1"]
    return figures


def _format_line(folder: Path, name: str, method: str) -> str:
    method, *words = method.split(":")
    parameters: dict[str, Any] = parse_parameters(
        [word if "=" in word else f"variant={word}" for word in words]
    )
    try:
        list_method = METHODS.make(method, parameters)
        tables: Sequence[unweave.Table] = unweave.records(folder / name, method=list_method)
    except unweave.PageError:
        tables = []
    return json.dumps(
        {
            "page": name,
            "tables": [
                {"score": table.score, "rows": table.format_rows(), "texts": table.texts}
                for table in tables
            ],
        }
    )


def _print_figures(console: Console, measured: dict[str, Figures]) -> None:
    grid = Table("set", "figure", *measured, title="Records of one page")
    for name, figures in next(iter(measured.values())).items():
        for figure in figures:
            # Without any record, there is no figure for cells.
            values = [measured[method][name].get(figure) for method in measured]
            grid.add_row(
                name, figure, *["" if value is None else f"{value:.3f}" for value in values]
            )
    console.print(grid)


def _print_counts(console: Console, scored: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Print counts of the records of the first tables, as in Table 2 of the DEPTA paper."""
    methods = [method for method in scored if method != "auto"]
    if not methods:
        return
    heads = [f"{method} {head}" for method in methods for head in ("correct", "wrong/missed")]
    grid = Table("set", "records", *heads, title="Records of the first table")
    totals = {method: [0, 0, 0] for method in methods}
    for name, figures in scored[methods[0]].items():
        row: list[str] = []
        for method in methods:
            first, records = scored[method][name]["first_table"], figures["records"]
            correct = round(first["recall"] * records)
            extracted = round(correct / first["precision"]) if correct else 0
            counts = [correct, extracted - correct, records - correct]
            totals[method] = [
                total + count for total, count in zip(totals[method], counts, strict=True)
            ]
            row += [str(counts[0]), f"{counts[1]}/{counts[2]}"]
        grid.add_row(name, str(figures["records"]), *row)
    shares = [
        (correct / (correct + missed), correct / (correct + wrong))
        for correct, wrong, missed in totals.values()
    ]
    record_count = sum(figures["records"] for figures in scored[methods[0]].values())
    sums = [
        text
        for correct, wrong, missed in totals.values()
        for text in (str(correct), f"{wrong}/{missed}")
    ]
    grid.add_row("total", str(record_count), *sums, end_section=True)
    grid.add_row("recall", "", *(text for recall, _ in shares for text in (f"{recall:.1%}", "")))
    grid.add_row(
        "precision", "", *(text for _, precision in shares for text in (f"{precision:.1%}", ""))
    )
    console.print(grid)


if __name__ == "__main__":
    main()
